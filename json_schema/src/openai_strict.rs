//! The subset of JSON Schema that `OpenAI` accepts with `strict: true`, and what is outside of it.
//!
//! It is what `OpenAI` documents as supported; a keyword that is not mentioned there is a breach, but
//! for annotations.

use std::collections::HashSet;
use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::pointer;

/// Levels of objects inside each other, the outermost one included.
const MOST_LEVELS: usize = 10;
/// Properties of all objects together.
const MOST_PROPERTIES: usize = 5_000;
/// Values of all `enum` together.
const MOST_VALUES: usize = 1_000;
/// Characters of all names of properties and definitions and all values of `enum` and `const`.
const MOST_CHARACTERS: usize = 120_000;
/// An `enum` with more strings than this...
const MANY_VALUES: usize = 250;
/// ... may have so many characters.
const MOST_CHARACTERS_OF_MANY: usize = 15_000;

/// What it may say; the formats are a list of their own.
const KEYWORDS: [&str; 29] = [
    "$comment",
    "$defs",
    "$id",
    "$ref",
    "$schema",
    "additionalProperties",
    "anyOf",
    "const",
    "definitions",
    "deprecated",
    "description",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maximum",
    "minItems",
    "minimum",
    "multipleOf",
    "pattern",
    "properties",
    "readOnly",
    "required",
    "title",
    "type",
    "writeOnly",
];

const FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// A breach of `OpenAI`'s strict subset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Breach {
    /// The JSON Pointer of the keyword, or of the schema that lacks one.
    pub pointer: String,
    /// What is wrong there.
    #[serde(flatten)]
    pub kind: BreachKind,
}

/// The kinds of [`Breach`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum BreachKind {
    /// The root is not of type `object`.
    RootType,
    /// The root has `anyOf`.
    RootAnyOf,
    /// `true`, `false`, or no schema at all.
    NoSchema,
    /// A schema without `type`, `enum`, `const`, `anyOf` or `$ref`.
    NoType,
    /// A keyword that is not in the subset.
    Keyword {
        /// The keyword.
        keyword: String,
    },
    /// A format that is not in the subset.
    Format {
        /// The format.
        format: String,
    },
    /// An object without `additionalProperties: false`.
    AdditionalProperties,
    /// A property that is not required.
    NotRequired {
        /// Its name.
        name: String,
    },
    /// A required name that is no property.
    NotDeclared {
        /// The name.
        name: String,
    },
    /// An array that does not say what its items are.
    NoItems,
    /// Keywords beside `$ref`.
    BesideReference,
    /// A reference into another document.
    OtherDocument,
    /// A limit is exceeded here.
    Limit {
        /// What is counted.
        name: &'static str,
        /// The limit.
        limit: usize,
    },
}

/// Each breach of the subset of JSON Schema that `OpenAI` accepts with `strict: true`, in the order of
/// the schema. What is inside a keyword that is a breach itself is not looked at.
///
/// ```
/// use grammask_json_schema::{BreachKind, openai_strict};
/// use serde_json::json;
///
/// let schema = json!({
///     "type": "object",
///     "properties": {"name": {"type": "string", "minLength": 1}},
///     "required": ["name"],
///     "additionalProperties": false,
/// });
/// let breaches = openai_strict(&schema);
/// assert_eq!(breaches.len(), 1);
/// assert_eq!(breaches[0].pointer, "/properties/name/minLength");
/// assert_eq!(breaches[0].kind, BreachKind::Keyword { keyword: "minLength".to_owned() });
/// ```
pub fn openai_strict(schema: &Value) -> Vec<Breach> {
    let mut lint = Lint::default();
    let root = Place { schema, pointer: String::new(), level: 1 };
    if schema["type"] != "object" {
        lint.report("", BreachKind::RootType);
    }
    if schema.get("anyOf").is_some() {
        lint.report("/anyOf", BreachKind::RootAnyOf);
    }
    let mut pending = vec![root];
    while let Some(place) = pending.pop() {
        let Some(keywords) = place.schema.as_object() else {
            lint.report(&place.pointer, BreachKind::NoSchema);
            continue;
        };
        let before = pending.len();
        lint.schema(keywords, &place, &mut pending);
        // The last in is the first out.
        pending[before..].reverse();
    }
    lint.breaches
}

/// A schema that is to be looked at.
struct Place<'a> {
    schema: &'a Value,
    pointer: String,
    /// How many objects it is in, itself included if it is one.
    level: usize,
}

#[derive(Default)]
struct Lint {
    breaches: Vec<Breach>,
    properties: usize,
    values: usize,
    characters: usize,
}

impl Lint {
    fn report(&mut self, pointer: &str, kind: BreachKind) {
        self.breaches.push(Breach { pointer: pointer.to_owned(), kind });
    }

    /// Looks at the keywords of one schema; those inside it go to `inside`.
    fn schema<'a>(
        &mut self,
        keywords: &'a Map<String, Value>,
        place: &Place<'a>,
        inside: &mut Vec<Place<'a>>,
    ) {
        let at = |keyword: &str| pointer::joined(&place.pointer, keyword);
        let types: Vec<&str> = match keywords.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let says = ["type", "enum", "const", "anyOf", "$ref"];
        if !place.pointer.is_empty() && !says.iter().any(|keyword| keywords.contains_key(*keyword))
        {
            self.report(&place.pointer, BreachKind::NoType);
        }
        let is_object = types.contains(&"object") || keywords.contains_key("properties");
        if is_object {
            self.object(keywords, place);
        }
        if types.contains(&"array") && !keywords.contains_key("items") {
            self.report(&place.pointer, BreachKind::NoItems);
        }
        let below = place.level + usize::from(is_object);
        for (keyword, value) in keywords {
            if !KEYWORDS.contains(&&**keyword) {
                self.report(&at(keyword), BreachKind::Keyword { keyword: keyword.clone() });
                continue;
            }
            let pointer = at(keyword);
            match (&**keyword, value) {
                ("properties", Value::Object(schemas)) => {
                    let before = self.properties;
                    self.properties += schemas.len();
                    self.limit(&pointer, before, self.properties, "properties", MOST_PROPERTIES);
                    self.count(&pointer, schemas.keys());
                    inside.extend(each(schemas, &pointer, below));
                }
                ("$defs" | "definitions", Value::Object(schemas)) => {
                    self.count(&pointer, schemas.keys());
                    inside.extend(each(schemas, &pointer, 1));
                }
                ("items", schema) => {
                    inside.push(Place { schema, pointer, level: below });
                }
                ("anyOf", Value::Array(schemas)) => {
                    let schemas = schemas.iter().enumerate();
                    inside.extend(schemas.map(|(index, schema)| Place {
                        schema,
                        pointer: pointer::joined(&pointer, &index.to_string()),
                        level: place.level,
                    }));
                }
                ("enum", Value::Array(values)) => self.values(&pointer, values),
                ("const", Value::String(text)) => self.count(&pointer, [text]),
                ("format", Value::String(name)) if !FORMATS.contains(&&**name) => {
                    self.report(&pointer, BreachKind::Format { format: name.clone() });
                }
                ("$ref", Value::String(reference)) => {
                    if !reference.starts_with('#') {
                        self.report(&pointer, BreachKind::OtherDocument);
                    }
                    if keywords.keys().any(|other| !matches!(&**other, "$ref" | "$defs")) {
                        self.report(&pointer, BreachKind::BesideReference);
                    }
                }
                _ => {}
            }
        }
    }

    fn object(&mut self, keywords: &Map<String, Value>, place: &Place<'_>) {
        // Those inside it are too deep for the same reason.
        if place.level == MOST_LEVELS + 1 {
            let limit = BreachKind::Limit { name: "levels of objects", limit: MOST_LEVELS };
            self.report(&place.pointer, limit);
        }
        match keywords.get("additionalProperties") {
            Some(Value::Bool(false)) => {}
            Some(_) => {
                let pointer = pointer::joined(&place.pointer, "additionalProperties");
                self.report(&pointer, BreachKind::AdditionalProperties);
            }
            None => self.report(&place.pointer, BreachKind::AdditionalProperties),
        }
        let none = Map::new();
        let properties = keywords.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let names = keywords.get("required").and_then(Value::as_array);
        let names: Vec<&str> = names.into_iter().flatten().filter_map(Value::as_str).collect();
        let required: HashSet<&str> = names.iter().copied().collect();
        let schemas = pointer::joined(&place.pointer, "properties");
        for name in properties.keys().filter(|name| !required.contains(name.as_str())) {
            let pointer = pointer::joined(&schemas, name);
            self.report(&pointer, BreachKind::NotRequired { name: name.clone() });
        }
        let pointer = pointer::joined(&place.pointer, "required");
        for name in names.into_iter().filter(|name| !properties.contains_key(*name)) {
            self.report(&pointer, BreachKind::NotDeclared { name: name.to_owned() });
        }
    }

    fn values(&mut self, pointer: &str, values: &[Value]) {
        let before = self.values;
        self.values += values.len();
        self.limit(pointer, before, self.values, "values of enums", MOST_VALUES);
        let texts = values.iter().filter_map(Value::as_str);
        let length: usize = texts.clone().map(|text| text.chars().count()).sum();
        if values.len() > MANY_VALUES {
            let name = "characters in an enum of more than 250 values";
            self.limit(pointer, 0, length, name, MOST_CHARACTERS_OF_MANY);
        }
        self.count(pointer, texts);
    }

    /// Counts the characters of names or values.
    fn count(&mut self, pointer: &str, texts: impl IntoIterator<Item = impl AsRef<str>>) {
        let before = self.characters;
        self.characters +=
            texts.into_iter().map(|text| text.as_ref().chars().count()).sum::<usize>();
        self.limit(
            pointer,
            before,
            self.characters,
            "characters of names and values",
            MOST_CHARACTERS,
        );
    }

    /// Reports a limit at the place where it is first exceeded.
    fn limit(
        &mut self,
        pointer: &str,
        before: usize,
        after: usize,
        name: &'static str,
        limit: usize,
    ) {
        if before <= limit && after > limit {
            self.report(pointer, BreachKind::Limit { name, limit });
        }
    }
}

fn each<'a>(
    schemas: &'a Map<String, Value>,
    pointer: &str,
    level: usize,
) -> impl Iterator<Item = Place<'a>> {
    schemas.iter().map(move |(name, schema)| Place {
        schema,
        pointer: pointer::joined(pointer, name),
        level,
    })
}

impl Breach {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match &self.kind {
            BreachKind::RootType => "put the value into a property of an object",
            BreachKind::RootAnyOf => "put it into a property of the root",
            BreachKind::NoSchema | BreachKind::NoType => "say what type it has",
            BreachKind::Keyword { keyword } => instead(keyword),
            BreachKind::Format { .. } => "say it in `pattern` or in `description`",
            BreachKind::AdditionalProperties => "set `additionalProperties` to `false`",
            BreachKind::NotRequired { .. } => {
                "list it in `required`; what is optional may have the type `null`, too"
            }
            BreachKind::NotDeclared { .. } => "declare it in `properties`",
            BreachKind::NoItems => "add `items`",
            BreachKind::BesideReference => "move what stands beside `$ref` to where it leads",
            BreachKind::OtherDocument => "copy the schema into `$defs`",
            BreachKind::Limit { .. } => "make the schema smaller, or use several",
        }
    }
}

/// What to use in place of a keyword.
fn instead(keyword: &str) -> &'static str {
    match keyword {
        "oneOf" => "use `anyOf`",
        "allOf" => "write its schemas as one",
        "not" | "if" | "then" | "else" | "dependentRequired" | "dependentSchemas"
        | "dependencies" => "list the cases in `anyOf`",
        "minLength" | "maxLength" => "count in `pattern`, as in `^.{1,40}$`",
        "prefixItems" | "additionalItems" => "use an object with a property for each item",
        "patternProperties" | "propertyNames" | "unevaluatedProperties" => {
            "use an array of objects that have a name and a value"
        }
        _ => "remove it; `description` can say it",
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.pointer.is_empty() { "the root" } else { &self.pointer };
        match &self.kind {
            BreachKind::RootType => write!(f, "{place} is not of type `object`"),
            BreachKind::RootAnyOf => write!(f, "{place} is at the root"),
            BreachKind::NoSchema => write!(f, "{place} is no object with keywords"),
            BreachKind::NoType => write!(f, "{place} has no `type`"),
            BreachKind::Keyword { keyword } => write!(f, "{place}: `{keyword}` is not supported"),
            BreachKind::Format { format } => {
                write!(f, "{place}: the format {format:?} is not supported")
            }
            BreachKind::AdditionalProperties => {
                write!(f, "{place}: undeclared properties are not excluded")
            }
            BreachKind::NotRequired { name } => write!(f, "{place}: {name:?} is not required"),
            BreachKind::NotDeclared { name } => {
                write!(f, "{place}: {name:?} is required, but not declared")
            }
            BreachKind::NoItems => write!(f, "{place} is an array without `items`"),
            BreachKind::BesideReference => write!(f, "{place} has keywords beside it"),
            BreachKind::OtherDocument => write!(f, "{place} leads to another document"),
            BreachKind::Limit { name, limit } => write!(f, "{place}: more than {limit} {name}"),
        }
    }
}
