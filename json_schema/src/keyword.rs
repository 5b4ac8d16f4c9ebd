//! The keywords that the metaschemas know: in which drafts, of which vocabulary, and what their
//! values must be.

use std::collections::HashSet;
use std::hash::Hash;

use serde_json::{Number, Value};

use crate::decimal::Decimal;
use crate::dialect::Vocabulary;
use crate::options::Draft;

/// What the value of a keyword must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Anything,
    /// A schema.
    Schema,
    /// A schema, or a boolean although the draft has no boolean schemas.
    SchemaOrBoolean,
    /// At least one schema.
    Schemas,
    /// A schema or at least one.
    SchemaOrSchemas,
    /// Schemas by name.
    NamedSchemas,
    /// Schemas or lists of names, by name; in draft 4 no list is empty.
    Dependencies(Draft),
    /// Lists of names, by name.
    NamedNames,
    /// Names that differ.
    Names,
    /// One name or more that differ.
    SomeNames,
    Text,
    /// A URI reference without fragment.
    Identifier,
    /// A plain name, as the draft spells it.
    Anchor(Draft),
    /// Whether each of some vocabularies is required.
    Vocabularies,
    Boolean,
    Number,
    PositiveNumber,
    /// A non-negative integer, as the draft spells it.
    Count(Draft),
    /// Values.
    Values,
    /// One value or more that differ.
    SomeValues,
    /// The name of a type, or several that differ.
    Types,
}

/// A keyword that a draft knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Keyword {
    pub(crate) form: Form,
    pub(crate) vocabulary: Vocabulary,
}

/// What `name` is to the metaschema of `draft`; `None` if the draft does not know it.
pub(crate) fn keyword(name: &str, draft: Draft) -> Option<Keyword> {
    use Draft::{Draft4, Draft6, Draft7, Draft201909, Draft202012};
    use Vocabulary::{Applicator, Content, Core, Format, MetaData, Unevaluated, Validation};
    let boolean_schemas = draft >= Draft6;
    let (form, vocabulary, from, to) = match name {
        "$schema" | "$ref" => (Form::Text, Core, Draft4, Draft202012),
        "id" => (Form::Text, Core, Draft4, Draft4),
        "$id" if draft >= Draft201909 => (Form::Identifier, Core, Draft201909, Draft202012),
        "$id" => (Form::Text, Core, Draft6, Draft7),
        "$comment" => (Form::Text, Core, Draft7, Draft202012),
        "$anchor" => (Form::Anchor(draft), Core, Draft201909, Draft202012),
        "$defs" => (Form::NamedSchemas, Core, Draft201909, Draft202012),
        "$vocabulary" => (Form::Vocabularies, Core, Draft201909, Draft202012),
        "$recursiveRef" => (Form::Text, Core, Draft201909, Draft202012),
        // The metaschema of 2020-12 keeps the name, as that of an anchor.
        "$recursiveAnchor" if draft >= Draft202012 => {
            (Form::Anchor(draft), Core, Draft202012, Draft202012)
        }
        "$recursiveAnchor" => (Form::Boolean, Core, Draft201909, Draft201909),
        "$dynamicRef" => (Form::Text, Core, Draft202012, Draft202012),
        "$dynamicAnchor" => (Form::Anchor(draft), Core, Draft202012, Draft202012),
        "definitions" => (Form::NamedSchemas, Core, Draft4, Draft202012),

        "allOf" | "anyOf" | "oneOf" => (Form::Schemas, Applicator, Draft4, Draft202012),
        "not" => (Form::Schema, Applicator, Draft4, Draft202012),
        "if" | "then" | "else" => (Form::Schema, Applicator, Draft7, Draft202012),
        "properties" | "patternProperties" => (Form::NamedSchemas, Applicator, Draft4, Draft202012),
        "additionalProperties" | "additionalItems" => {
            let form = if boolean_schemas { Form::Schema } else { Form::SchemaOrBoolean };
            let last = if name == "additionalItems" { Draft201909 } else { Draft202012 };
            (form, Applicator, Draft4, last)
        }
        "propertyNames" | "contains" => (Form::Schema, Applicator, Draft6, Draft202012),
        "items" if draft >= Draft202012 => (Form::Schema, Applicator, Draft202012, Draft202012),
        "items" => (Form::SchemaOrSchemas, Applicator, Draft4, Draft201909),
        "prefixItems" => (Form::Schemas, Applicator, Draft202012, Draft202012),
        "dependentSchemas" => (Form::NamedSchemas, Applicator, Draft201909, Draft202012),
        "dependencies" => (Form::Dependencies(draft), Applicator, Draft4, Draft202012),
        "unevaluatedItems" | "unevaluatedProperties" => {
            let vocabulary = if draft >= Draft202012 { Unevaluated } else { Applicator };
            (Form::Schema, vocabulary, Draft201909, Draft202012)
        }

        "type" => (Form::Types, Validation, Draft4, Draft202012),
        "const" => (Form::Anything, Validation, Draft6, Draft202012),
        "enum" => {
            let form = if draft >= Draft6 { Form::Values } else { Form::SomeValues };
            (form, Validation, Draft4, Draft202012)
        }
        "multipleOf" => (Form::PositiveNumber, Validation, Draft4, Draft202012),
        "minimum" | "maximum" => (Form::Number, Validation, Draft4, Draft202012),
        "exclusiveMinimum" | "exclusiveMaximum" => {
            let form = if draft >= Draft6 { Form::Number } else { Form::Boolean };
            (form, Validation, Draft4, Draft202012)
        }
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            (Form::Count(draft), Validation, Draft4, Draft202012)
        }
        "minContains" | "maxContains" => (Form::Count(draft), Validation, Draft201909, Draft202012),
        "pattern" => (Form::Text, Validation, Draft4, Draft202012),
        "uniqueItems" => (Form::Boolean, Validation, Draft4, Draft202012),
        "required" => {
            let form = if draft >= Draft6 { Form::Names } else { Form::SomeNames };
            (form, Validation, Draft4, Draft202012)
        }
        "dependentRequired" => (Form::NamedNames, Validation, Draft201909, Draft202012),

        "title" | "description" => (Form::Text, MetaData, Draft4, Draft202012),
        "default" => (Form::Anything, MetaData, Draft4, Draft202012),
        "examples" => (Form::Values, MetaData, Draft6, Draft202012),
        "readOnly" | "writeOnly" => (Form::Boolean, MetaData, Draft7, Draft202012),
        "deprecated" => (Form::Boolean, MetaData, Draft201909, Draft202012),

        "format" => (Form::Text, Format, Draft4, Draft202012),
        "contentEncoding" | "contentMediaType" => (Form::Text, Content, Draft7, Draft202012),
        "contentSchema" => (Form::Schema, Content, Draft201909, Draft202012),
        _ => return None,
    };
    (from..=to).contains(&draft).then_some(Keyword { form, vocabulary })
}

/// Where a subschema stands in its parent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<'s> {
    /// The value of a keyword.
    Keyword(&'s str),
    /// A member of the value of a keyword.
    Member(&'s str, &'s str),
    /// An item of the value of a keyword.
    Item(&'s str, usize),
}

/// Why a value is not what its keyword asks for.
#[derive(Debug)]
pub(crate) struct Mismatch {
    /// Where in the value: none, a member, an item of a member.
    pub(crate) path: Vec<String>,
    pub(crate) expected: &'static str,
}

impl Form {
    /// Checks the value of the keyword `name` and finds the subschemas in it, which are not
    /// looked at.
    pub(crate) fn read<'s>(
        self,
        name: &'s str,
        value: &'s Value,
        mut subschema: impl FnMut(Step<'s>, &'s Value),
    ) -> Result<(), Mismatch> {
        match (self, value) {
            (Self::Anything, _)
            | (Self::SchemaOrBoolean | Self::Boolean, Value::Bool(_))
            | (Self::Text, Value::String(_))
            | (Self::Number, Value::Number(_))
            | (Self::Values, Value::Array(_)) => {}
            (Self::Schemas | Self::SchemaOrSchemas, Value::Array(items)) if !items.is_empty() => {
                for (index, item) in items.iter().enumerate() {
                    subschema(Step::Item(name, index), item);
                }
            }
            (Self::Schema | Self::SchemaOrBoolean, _) => subschema(Step::Keyword(name), value),
            (Self::SchemaOrSchemas, _) if !value.is_array() => {
                subschema(Step::Keyword(name), value);
            }
            (Self::NamedSchemas, Value::Object(map)) => {
                for (key, item) in map {
                    subschema(Step::Member(name, key), item);
                }
            }
            (Self::NamedNames, Value::Object(map)) => {
                for (key, item) in map {
                    check_names(item, false).map_err(|it| it.inside(key))?;
                }
            }
            (Self::Dependencies(draft), Value::Object(map)) => {
                for (key, item) in map {
                    if item.is_array() {
                        let some = draft < Draft::Draft6;
                        check_names(item, some).map_err(|it| it.inside(key))?;
                    } else {
                        subschema(Step::Member(name, key), item);
                    }
                }
            }
            (Self::Names, _) => check_names(value, false)?,
            (Self::SomeNames, _) => check_names(value, true)?,
            (Self::Identifier, Value::String(text))
                if !text.strip_suffix('#').unwrap_or(text).contains('#') => {}
            (Self::Anchor(draft), Value::String(text)) if is_anchor(text, draft) => {}
            (Self::Vocabularies, Value::Object(map)) => {
                if let Some((uri, _)) = map.iter().find(|(_, required)| !required.is_boolean()) {
                    return Err(Mismatch::new("a boolean").inside(uri));
                }
            }
            (Self::PositiveNumber, Value::Number(number))
                if decimal(number).is_some_and(|it| !it.is_negative() && !it.is_zero()) => {}
            (Self::Count(draft), Value::Number(number)) if is_count(number, draft) => {}
            (Self::SomeValues, Value::Array(values))
                if !values.is_empty() && all_differ(values) => {}
            (Self::Types, Value::String(name)) if is_type(name) => {}
            (Self::Types, Value::Array(names))
                if !names.is_empty()
                    && names.iter().all(|name| name.as_str().is_some_and(is_type))
                    && all_differ(names) => {}
            _ => return Err(Mismatch::new(self.expected())),
        }
        Ok(())
    }

    fn expected(self) -> &'static str {
        match self {
            Self::Anything | Self::Schema | Self::SchemaOrBoolean => "a schema",
            Self::Schemas => "an array of schemas, at least one",
            Self::SchemaOrSchemas => "a schema or an array of them, at least one",
            Self::NamedSchemas => "an object of schemas",
            Self::Dependencies(_) => "an object of schemas and lists of names",
            Self::NamedNames => "an object of lists of names",
            Self::Names => "a list of names, each once",
            Self::SomeNames => "a list of names, at least one and each once",
            Self::Text => "a string",
            Self::Identifier => "a URI reference without fragment",
            Self::Anchor(_) => "a name of letters, digits, `-`, `.` and `_`",
            Self::Vocabularies => "an object of booleans",
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::PositiveNumber => "a number greater than 0",
            Self::Count(_) => "a non-negative integer",
            Self::Values => "a list of values",
            Self::SomeValues => "a list of values, at least one and each once",
            Self::Types => "the name of a type or a list of them",
        }
    }
}

impl Mismatch {
    fn new(expected: &'static str) -> Self {
        Self { path: Vec::new(), expected }
    }

    fn inside(mut self, token: &str) -> Self {
        self.path.insert(0, token.to_owned());
        self
    }
}

fn check_names(value: &Value, some: bool) -> Result<(), Mismatch> {
    let form = if some { Form::SomeNames } else { Form::Names };
    let Value::Array(names) = value else { return Err(Mismatch::new(form.expected())) };
    if let Some(index) = names.iter().position(|name| !name.is_string()) {
        return Err(Mismatch::new("a string").inside(&index.to_string()));
    }
    if some && names.is_empty() || !all_differ(names) {
        return Err(Mismatch::new(form.expected()));
    }
    Ok(())
}

fn all_differ<T: Eq + Hash>(items: &[T]) -> bool {
    let mut seen = HashSet::with_capacity(items.len());
    items.iter().all(|item| seen.insert(item))
}

/// 2019-09 core, section 8.2.3; 2020-12 core, section 8.2.2.
fn is_anchor(text: &str, draft: Draft) -> bool {
    let special = if draft >= Draft::Draft202012 { '_' } else { ':' };
    let mut chars = text.chars();
    chars.next().is_some_and(|first| {
        first.is_ascii_alphabetic() || first == '_' && draft >= Draft::Draft202012
    }) && chars.all(|c| c.is_ascii_alphanumeric() || "-._".contains(c) || c == special)
}

fn is_type(name: &str) -> bool {
    matches!(name, "array" | "boolean" | "integer" | "null" | "number" | "object" | "string")
}

/// In draft 4 an integer has neither fraction nor exponent (draft 4 core, section 3.5); later
/// `1.0` is one.
fn is_count(number: &Number, draft: Draft) -> bool {
    if draft < Draft::Draft6 && number.as_str().contains(['.', 'e', 'E']) {
        return false;
    }
    decimal(number).is_some_and(|it| !it.is_negative() && it.is_integer())
}

fn decimal(number: &Number) -> Option<Decimal> {
    Decimal::parse(number.as_str())
}
