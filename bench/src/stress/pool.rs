//! The parts of schemas that others are mutated with.

use std::collections::BTreeMap;

use rand::seq::IndexedRandom;
use serde_json::{Map, Value};

use super::Random;

/// A part has at most so many nodes, so that a few mutations do not make a schema huge.
const MOST_NODES_OF_A_PART: usize = 300;

/// What the values of a schema are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    String,
    Object,
    Array,
    Number,
    Boolean,
    Enum,
    Any,
}

const KINDS: [Kind; 7] =
    [Kind::String, Kind::Object, Kind::Array, Kind::Number, Kind::Boolean, Kind::Enum, Kind::Any];

impl Kind {
    pub fn of(schema: &Map<String, Value>) -> Self {
        match schema.get("type").and_then(Value::as_str) {
            Some("string") => Self::String,
            Some("object") => Self::Object,
            Some("array") => Self::Array,
            Some("integer" | "number") => Self::Number,
            Some("boolean") => Self::Boolean,
            None if schema.contains_key("properties") => Self::Object,
            None if schema.contains_key("enum") => Self::Enum,
            Some(_) | None => Self::Any,
        }
    }

    /// The kind of schemas that have something to do with one of this kind.
    pub fn related(self) -> Self {
        match self {
            Self::Any | Self::Enum => Self::String,
            kind => kind,
        }
    }
}

/// What the schemas of files are made of; each thing once, in an order of its own.
#[derive(Default)]
pub struct Pool {
    parts: BTreeMap<Kind, Vec<Value>>,
    patterns: Vec<String>,
    names: Vec<String>,
    enums: Vec<Value>,
}

impl Pool {
    pub fn new<'a>(schemas: impl IntoIterator<Item = &'a Value>) -> Self {
        let mut pool = Self::default();
        schemas.into_iter().for_each(|schema| pool.collect(schema));
        for values in pool.parts.values_mut().chain([&mut pool.enums]) {
            values.sort_by_cached_key(Value::to_string);
            values.dedup();
        }
        for texts in [&mut pool.patterns, &mut pool.names] {
            texts.sort_unstable();
            texts.dedup();
        }
        pool
    }

    /// A subschema of a kind, or else one of strings.
    pub fn part(&self, kind: Kind, random: &mut Random) -> Option<Value> {
        let parts = self.parts.get(&kind).or_else(|| self.parts.get(&Kind::String))?;
        parts.choose(random).cloned()
    }

    /// A subschema of a kind that is drawn first, as most are of strings or objects.
    pub fn any_part(&self, random: &mut Random) -> Option<Value> {
        let kind = *KINDS.choose(random)?;
        self.part(kind, random)
    }

    pub fn pattern(&self, random: &mut Random) -> Option<&str> {
        self.patterns.choose(random).map(String::as_str)
    }

    /// A name of a property.
    pub fn name(&self, random: &mut Random) -> Option<&str> {
        self.names.choose(random).map(String::as_str)
    }

    /// The values of an `enum`.
    pub fn values(&self, random: &mut Random) -> Option<&Value> {
        self.enums.choose(random)
    }

    /// Takes the parts of a schema.
    fn collect(&mut self, schema: &Value) {
        let Value::Object(members) = schema else { return };
        let kind = Kind::of(members);
        if is_telling(kind, members) && is_closed(schema) && nodes(schema) < MOST_NODES_OF_A_PART {
            self.parts.entry(kind).or_default().push(schema.clone());
        }
        for (keyword, value) in members {
            match (&**keyword, value) {
                ("pattern", Value::String(pattern)) => self.patterns.push(pattern.clone()),
                ("enum", values) => self.enums.push(values.clone()),
                ("properties", Value::Object(properties)) => {
                    self.names.extend(properties.keys().cloned());
                }
                ("patternProperties", Value::Object(properties)) => {
                    self.patterns.extend(properties.keys().cloned());
                }
                _ => {}
            }
            for (_, schema) in subschemas(keyword, value) {
                self.collect(schema);
            }
        }
    }
}

/// The schemas in the value of a keyword, each behind the parts of a pointer from that value to it.
pub fn subschemas<'a>(keyword: &str, value: &'a Value) -> Vec<(Option<String>, &'a Value)> {
    match (keyword, value) {
        ("properties" | "patternProperties" | "definitions" | "$defs", Value::Object(members)) => {
            members.iter().map(|(name, schema)| (Some(name.clone()), schema)).collect()
        }
        ("anyOf" | "oneOf" | "allOf" | "items" | "prefixItems", Value::Array(items)) => {
            items.iter().enumerate().map(|(at, item)| (Some(at.to_string()), item)).collect()
        }
        (
            "items"
            | "additionalProperties"
            | "propertyNames"
            | "contains"
            | "not"
            | "if"
            | "then"
            | "else",
            schema,
        ) => vec![(None, schema)],
        _ => Vec::new(),
    }
}

/// How many values a value is made of.
pub fn nodes(value: &Value) -> usize {
    1 + match value {
        Value::Object(members) => members.values().map(nodes).sum(),
        Value::Array(items) => items.iter().map(nodes).sum(),
        _ => 0,
    }
}

/// Whether a schema says more than a type; of strings there are very many that say little.
fn is_telling(kind: Kind, schema: &Map<String, Value>) -> bool {
    let telling = ["pattern", "format", "minLength", "maxLength", "enum"];
    schema.len() > 1
        && (kind != Kind::String || telling.iter().any(|keyword| schema.contains_key(*keyword)))
}

/// Whether a schema means the same elsewhere: it has no references, and nothing that these start at.
fn is_closed(value: &Value) -> bool {
    let leads_out = |name: &str| matches!(name, "$ref" | "$dynamicRef" | "$id" | "id");
    match value {
        Value::Object(members) => {
            members.iter().all(|(name, value)| !leads_out(name) && is_closed(value))
        }
        Value::Array(items) => items.iter().all(is_closed),
        _ => true,
    }
}
