//! Keywords to constraints: one subschema at a time, in the order in which it is written.

mod array;
mod constant;
mod in_force;
mod number;
mod object;
mod string;
mod vocabulary;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::slice::from_ref;

use serde_json::Value;

use crate::dialect::Dialect;
use crate::error::{SchemaError, SchemaErrorKind, Unsupported};
use crate::normal::{
    ArrayShape, Constraint, Evaluated, KeyId, MAX_STATES, Normal, NumberSet, ObjectShape,
    StringSet, TermId, Terms, restrict,
};
use crate::options::{Draft, Formats, Options, Strictness, UnknownFormats};
use crate::pointer::joined;
use crate::report::{Entry, Status};
use crate::resolve::{Document, SchemaId};

pub(crate) use constant::constant;
use in_force::InForce;
use vocabulary::{Role, role};

/// What a subschema demands, part by part; all of them hold.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// A constraint for each type.
    Normal(Rc<Normal>),
    /// Another constraint.
    Term(TermId),
    /// `anyOf`: at least one.
    AnyOf(Vec<TermId>),
    /// `oneOf`: exactly one.
    OneOf(Vec<TermId>),
    /// `not`: what it must not be.
    Not(TermId),
    /// `if`, `then`, `else`.
    If { condition: TermId, then: TermId, otherwise: TermId },
    /// `propertyNames`: what each key must be.
    Names(TermId),
    /// What the keywords of this subschema alone evaluate.
    Evaluates(Evaluated),
    /// `unevaluatedProperties`, `unevaluatedItems`: what the rest must be, `None` for anything.
    Unevaluated { properties: Option<TermId>, items: Option<TermId> },
    /// `dependentRequired`: if the key is there, so are the others.
    DependentKeys { key: KeyId, needs: Vec<KeyId>, keyword: &'static str },
    /// `dependentSchemas`: if the key is there, the whole is also this.
    DependentSchema { key: KeyId, term: TermId, keyword: &'static str },
}

impl Part {
    /// Whether it demands anything.
    pub(crate) fn demands(&self) -> bool {
        match self {
            Self::Normal(normal) => !(normal.is_any() && normal.refused.is_empty()),
            Self::Evaluates(_) => false,
            _ => true,
        }
    }

    /// The subschemas that it applies to the same value.
    pub(crate) fn terms(&self) -> Vec<TermId> {
        match self {
            Self::Term(term) | Self::Not(term) | Self::DependentSchema { term, .. } => vec![*term],
            Self::AnyOf(terms) | Self::OneOf(terms) => terms.clone(),
            Self::If { condition, then, otherwise } => vec![*condition, *then, *otherwise],
            Self::Normal(_)
            | Self::Names(_)
            | Self::Evaluates(_)
            | Self::Unevaluated { .. }
            | Self::DependentKeys { .. } => Vec::new(),
        }
    }
}

/// What is read so far.
#[derive(Debug)]
pub(crate) struct Reader<'s, 'o> {
    pub(crate) document: Document<'s>,
    pub(crate) options: &'o Options,
    pub(crate) terms: Terms,
    pub(crate) entries: Vec<Entry>,
    pub(crate) refused: Vec<Unsupported>,
    pub(crate) notes: Vec<String>,
    /// Where a combination of patterns was too large.
    pub(crate) large_patterns: Option<String>,
}

/// The keywords of one subschema.
struct Keywords<'s> {
    id: SchemaId,
    map: InForce<'s>,
    draft: Draft,
    dialect: Dialect,
}

/// So many keywords a subschema has in most schemas, on average.
const KEYWORDS: usize = 3;

impl<'s, 'o> Reader<'s, 'o> {
    pub(crate) fn new(document: Document<'s>, options: &'o Options) -> Self {
        Self {
            notes: document.notes().to_vec(),
            options,
            terms: Terms::new(options.limits.steps, document.subschemas()),
            entries: Vec::with_capacity(KEYWORDS * document.subschemas()),
            refused: Vec::new(),
            large_patterns: None,
            document,
        }
    }

    /// Names a keyword as not enforced; returns the number of the refusal. It only counts if what
    /// it belongs to is needed in the end.
    pub(crate) fn refuse(&mut self, id: SchemaId, keyword: &str, reason: &str) -> usize {
        let pointer = self.document.keyword_pointer(id, keyword);
        self.add_refusal(pointer, keyword, reason.to_owned())
    }

    /// Names a subschema as a whole as not enforced: its complement was asked for.
    pub(crate) fn refuse_whole(&mut self, id: SchemaId, reason: &str) -> usize {
        let pointer = self.document.pointer(id).to_owned();
        // The keyword that asked is the last one on the way to the subschema.
        let keyword = pointer
            .rsplit('/')
            .find(|token| matches!(*token, "not" | "oneOf" | "if" | "anyOf" | "allOf"))
            .unwrap_or("not")
            .to_owned();
        self.add_refusal(pointer, &keyword, format!("must not be matched, but {reason}"))
    }

    fn add_refusal(&mut self, pointer: String, keyword: &str, reason: String) -> usize {
        if let Some(known) = self.refused.iter().position(|one| one.pointer == pointer) {
            return known;
        }
        self.refused.push(Unsupported { pointer, keyword: keyword.to_owned(), reason });
        self.refused.len() - 1
    }

    /// Keeps the refusals that count, by their numbers, and enters them in the report.
    pub(crate) fn settle(&mut self, needed: &BTreeSet<usize>) {
        let refused = std::mem::take(&mut self.refused);
        for (number, one) in refused.into_iter().enumerate() {
            if !needed.contains(&number) {
                continue;
            }
            let entry = Entry {
                pointer: one.pointer.clone(),
                asking: Some(one.keyword.clone()),
                status: Status::Refused,
                note: Some(one.reason.clone().into()),
            };
            match self.entries.iter_mut().find(|known| known.pointer == one.pointer) {
                Some(known) => *known = entry,
                None => self.entries.push(entry),
            }
            self.refused.push(one);
        }
    }

    fn note_entry(&mut self, pointer: String, status: Status, note: Option<&'static str>) {
        self.entries.push(Entry { pointer, asking: None, status, note: note.map(Cow::from) });
    }

    /// The error of what was refused, if that is one.
    pub(crate) fn verdict(&self) -> Result<(), SchemaError> {
        if let Some(pointer) = &self.large_patterns {
            return Err(SchemaError::limit(pointer, "states of combined patterns", MAX_STATES));
        }
        match self.refused.first() {
            Some(first) if self.options.strictness == Strictness::Strict => {
                let kind = SchemaErrorKind::Unsupported(self.refused.clone());
                Err(SchemaError::new(kind, first.pointer.clone()))
            }
            _ => Ok(()),
        }
    }

    /// The term of the subschema at `path` below `parent`.
    fn subschema(
        &mut self,
        parent: SchemaId,
        path: &[&str],
        value: &'s Value,
    ) -> Result<TermId, SchemaError> {
        match value {
            Value::Bool(true) => Ok(TermId::ANY),
            Value::Bool(false) => Ok(TermId::NOTHING),
            Value::Object(map) if map.is_empty() => Ok(TermId::ANY),
            _ => match self.document.child(parent, value) {
                Some(id) => Ok(self.term_of(id)),
                None => Err(SchemaError::invalid(
                    path.iter().fold(self.document.pointer(parent).to_owned(), |at, token| {
                        joined(&at, token)
                    }),
                    "a schema",
                )),
            },
        }
    }

    /// The term of a subschema, wherever it is met; the first time its strings are noted.
    fn term_of(&mut self, id: SchemaId) -> TermId {
        let known = self.terms.len();
        let term = self.terms.schema(id);
        if self.terms.len() > known
            && let Some(strings) = self.strings_of(id)
        {
            self.terms.note_strings(term, strings);
        }
        term
    }

    /// The terms of the array of subschemas under `keyword`.
    fn subschemas(
        &mut self,
        keywords: &Keywords<'s>,
        keyword: &str,
    ) -> Result<Vec<TermId>, SchemaError> {
        let Some(Value::Array(items)) = keywords.map.get(keyword) else {
            return Err(self.invalid(keywords, keyword, "an array of schemas"));
        };
        let mut terms = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            terms.push(self.subschema(keywords.id, &[keyword, &index.to_string()], item)?);
        }
        Ok(terms)
    }

    fn invalid(&self, keywords: &Keywords<'_>, keyword: &str, expected: &str) -> SchemaError {
        SchemaError::invalid(self.document.keyword_pointer(keywords.id, keyword), expected)
    }

    /// What the subschema demands.
    pub(crate) fn read(&mut self, id: SchemaId) -> Result<Vec<Part>, SchemaError> {
        let map = match self.document.value(id) {
            Value::Bool(true) => return Ok(Vec::new()),
            Value::Bool(false) => return Ok(vec![Part::Normal(Rc::default())]),
            Value::Object(map) => map,
            _ => {
                let pointer = self.document.pointer(id);
                return Err(SchemaError::invalid(pointer, "a schema"));
            }
        };
        let dialect = self.document.dialect(id);
        let draft = dialect.draft;
        let keywords = Keywords { id, map: InForce::new(map, dialect), draft, dialect };
        if dialect.reference_stands_alone(map) {
            return self.read_lone_reference(&keywords);
        }
        let map = &keywords.map;
        let refused_before = self.refused.len();
        self.read_roles(&keywords);
        let mut evaluated = Evaluated::default();
        let base = self.read_typed(&keywords, &mut evaluated)?;
        let mut base = Some(Rc::new(base));
        let mut parts = Vec::with_capacity(1);
        if self.document.has_unevaluated() {
            parts.push(Part::Evaluates(evaluated));
        }
        for keyword in map.keys() {
            match keyword {
                "properties" => parts.extend(base.take().map(Part::Normal)),
                "$ref" | "$recursiveRef" | "$dynamicRef"
                    if role(keyword, draft) == Role::Enforced =>
                {
                    parts.push(Part::Term(self.read_reference(&keywords, keyword)?));
                }
                "enum" | "const" if role(keyword, draft) == Role::Enforced => {
                    let normal = self.read_constants(&keywords, keyword)?;
                    parts.push(Part::Normal(Rc::new(normal)));
                }
                "allOf" => {
                    let terms = self.subschemas(&keywords, keyword)?;
                    parts.extend(terms.into_iter().map(Part::Term));
                }
                "anyOf" => {
                    let terms = self.subschemas(&keywords, keyword)?;
                    parts.push(Part::AnyOf(terms));
                }
                "oneOf" => parts.push(Part::OneOf(self.subschemas(&keywords, keyword)?)),
                "propertyNames" if role(keyword, draft) == Role::Enforced => {
                    let names = map.get(keyword).map(|value| self.subschema(id, &[keyword], value));
                    parts.extend(names.transpose()?.map(Part::Names));
                }
                "not" => {
                    let terms = map.get("not").map(|value| self.subschema(id, &["not"], value));
                    parts.extend(terms.transpose()?.map(Part::Not));
                }
                "if" if role(keyword, draft) == Role::Enforced => {
                    let mut branch = |name: &str| match map.get(name) {
                        Some(value) => self.subschema(id, &[name], value),
                        None => Ok(TermId::ANY),
                    };
                    let (condition, then, otherwise) =
                        (branch("if")?, branch("then")?, branch("else")?);
                    parts.push(Part::If { condition, then, otherwise });
                }
                "dependentRequired" | "dependentSchemas" | "dependencies"
                    if role(keyword, draft) == Role::Enforced =>
                {
                    parts.extend(self.read_dependents(&keywords, keyword)?);
                }
                _ => {}
            }
        }
        parts.extend(base.take().map(Part::Normal));
        parts.extend(self.read_unevaluated(&keywords)?);
        if self.refused.len() > refused_before {
            let refused = (refused_before..self.refused.len()).collect();
            parts.push(Part::Normal(Rc::new(Normal { refused, ..Normal::any() })));
        }
        Ok(parts)
    }

    /// What is to be done with what the other keywords have not spoken of.
    fn read_unevaluated(&mut self, keywords: &Keywords<'s>) -> Result<Option<Part>, SchemaError> {
        let mut read = |keyword: &str| match keywords.map.get(keyword) {
            Some(value) if role(keyword, keywords.draft) == Role::Enforced => {
                self.subschema(keywords.id, &[keyword], value).map(Some)
            }
            _ => Ok(None),
        };
        let (properties, items) = (read("unevaluatedProperties")?, read("unevaluatedItems")?);
        let some = properties.is_some() || items.is_some();
        Ok(some.then_some(Part::Unevaluated { properties, items }))
    }

    /// Until draft 7 nothing counts beside a reference.
    fn read_lone_reference(&mut self, keywords: &Keywords<'s>) -> Result<Vec<Part>, SchemaError> {
        for keyword in keywords.map.written().keys() {
            let pointer = self.document.keyword_pointer(keywords.id, keyword);
            if keyword == "$ref" {
                self.note_entry(pointer, Status::Enforced, None);
            } else {
                let known =
                    !matches!(role(keyword, keywords.draft), Role::Annotation | Role::Unknown);
                let note = known.then_some("ignored beside a reference in this draft");
                self.note_entry(pointer, Status::Annotation, note);
            }
        }
        Ok(vec![Part::Term(self.read_reference(keywords, "$ref")?)])
    }

    fn read_reference(
        &mut self,
        keywords: &Keywords<'s>,
        keyword: &str,
    ) -> Result<TermId, SchemaError> {
        let Value::String(reference) = &keywords.map[keyword] else {
            return Err(self.invalid(keywords, keyword, "a string"));
        };
        let id = self.document.resolve(keywords.id, keyword, reference)?;
        match self.document.value(id) {
            Value::Bool(true) => Ok(TermId::ANY),
            Value::Bool(false) => Ok(TermId::NOTHING),
            _ => Ok(self.term_of(id)),
        }
    }

    /// Writes down what becomes of each keyword, and refuses those that nobody can enforce.
    fn read_roles(&mut self, keywords: &Keywords<'s>) {
        for (keyword, value) in keywords.map.written() {
            let role = role(keyword, keywords.draft);
            let pointer = self.document.keyword_pointer(keywords.id, keyword);
            if keywords.map.get(keyword).is_none() {
                let left_out = keywords.dialect.leaves_out(keyword);
                let note = if left_out { "not in the metaschema" } else { "unknown keyword" };
                self.note_entry(pointer, Status::Annotation, Some(note));
                continue;
            }
            match role {
                Role::Enforced => self.note_entry(pointer, Status::Enforced, None),
                Role::Annotation => self.note_entry(pointer, Status::Annotation, None),
                Role::Unknown => {
                    self.note_entry(pointer, Status::Annotation, Some("unknown keyword"));
                }
                Role::Format => self.read_format(keywords, value, pointer),
            }
        }
    }

    /// Whether a format is to be enforced: by the options, or by the vocabulary that says so (2020-12
    /// validation, section 7.2: which must not pass over an unknown one either).
    fn asserts_format(&self, keywords: &Keywords<'_>, is_known: bool) -> bool {
        let Keywords { dialect, draft, .. } = keywords;
        if is_known {
            self.options.formats == Formats::Assert || dialect.asserts_formats
        } else {
            self.options.unknown_formats == UnknownFormats::Error
                || dialect.asserts_formats && *draft >= Draft::Draft202012
        }
    }

    /// The constraint of the keywords that speak of one type each, and of `type`.
    fn read_typed(
        &mut self,
        keywords: &Keywords<'s>,
        evaluated: &mut Evaluated,
    ) -> Result<Normal, SchemaError> {
        let mut normal = self.read_type(keywords)?;
        let number = self.read_number(keywords)?;
        let string = self.read_string(keywords)?;
        let array = self.read_array(keywords, evaluated)?;
        let object = self.read_object(keywords, evaluated)?;
        let (terms, limit) = (&mut self.terms, self.options.limits.alternatives);
        restrict(&mut normal.numbers, number, terms, limit)
            .and_then(|()| restrict(&mut normal.strings, string, terms, limit))
            .and_then(|()| restrict(&mut normal.arrays, array, terms, limit))
            .and_then(|()| restrict(&mut normal.objects, object, terms, limit))
            .map_err(|what| what.error(self.document.pointer(keywords.id), &self.options.limits))?;
        Ok(normal)
    }

    fn read_type(&mut self, keywords: &Keywords<'s>) -> Result<Normal, SchemaError> {
        let names = match keywords.map.get("type") {
            None => return Ok(Normal::any()),
            Some(Value::Array(names)) => &names[..],
            Some(name) => from_ref(name),
        };
        let mut normal = Normal::nothing();
        for name in names {
            match name.as_str() {
                Some("null") => normal.null = true,
                Some("boolean") => normal.booleans = [true; 2],
                Some("integer") if normal.numbers.is_empty() => {
                    normal.numbers = vec![NumberSet::integers()];
                }
                Some("integer") => {}
                Some("number") => normal.numbers = vec![NumberSet::any()],
                Some("string") => normal.strings = vec![StringSet::any()],
                Some("array") => normal.arrays = vec![ArrayShape::any()],
                Some("object") => normal.objects = vec![ObjectShape::any()],
                _ => {
                    return Err(self.invalid(
                        keywords,
                        "type",
                        "the name of a type or a list of them",
                    ));
                }
            }
        }
        Ok(normal)
    }

    /// The value of a keyword that is a non-negative integer.
    fn read_count(
        &self,
        keywords: &Keywords<'s>,
        keyword: &str,
    ) -> Result<Option<u64>, SchemaError> {
        let Some(value) = keywords.map.get(keyword) else { return Ok(None) };
        let count = match value {
            Value::Number(number) => number::count(number),
            _ => None,
        };
        match count {
            Some(count) => Ok(Some(count)),
            None => Err(self.invalid(keywords, keyword, "a non-negative integer")),
        }
    }
}
