//! The places of a document that are schemas, and where a reference leads.

use std::collections::HashMap;

use serde_json::Value;

use crate::error::{SchemaError, SchemaErrorKind};
use crate::options::{Draft, Options};

/// A subschema of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SchemaId(u32);

impl SchemaId {
    pub(crate) const ROOT: Self = Self(0);

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The document and the subschemas that were met so far.
#[derive(Debug)]
pub(crate) struct Document<'s> {
    places: Vec<Place<'s>>,
    /// By the address of the value: each value of the document stands in one place.
    by_address: HashMap<usize, SchemaId>,
    draft: Draft,
}

#[derive(Debug)]
struct Place<'s> {
    value: &'s Value,
    pointer: String,
    /// The nearest place around it that has an identifier of its own, or the root.
    resource: SchemaId,
}

impl<'s> Document<'s> {
    pub(crate) fn new(root: &'s Value, options: &Options) -> Result<Self, SchemaError> {
        check_depth(root, options.limits.depth)?;
        let draft = match root.get("$schema") {
            None => options.draft,
            Some(Value::String(uri)) => draft_of(uri).unwrap_or(options.draft),
            Some(_) => return Err(SchemaError::invalid("/$schema", "a string")),
        };
        let place = Place { value: root, pointer: String::new(), resource: SchemaId::ROOT };
        let by_address = HashMap::from([(address(root), SchemaId::ROOT)]);
        Ok(Self { places: vec![place], by_address, draft })
    }

    pub(crate) fn draft(&self) -> Draft {
        self.draft
    }

    pub(crate) fn value(&self, id: SchemaId) -> &'s Value {
        self.places[id.index()].value
    }

    pub(crate) fn pointer(&self, id: SchemaId) -> &str {
        &self.places[id.index()].pointer
    }

    /// The JSON Pointer of a keyword of a subschema.
    pub(crate) fn keyword_pointer(&self, id: SchemaId, keyword: &str) -> String {
        joined(self.pointer(id), keyword)
    }

    /// The subschema `value`, which stands at `path` below `parent`.
    pub(crate) fn child(&mut self, parent: SchemaId, path: &[&str], value: &'s Value) -> SchemaId {
        if let Some(&id) = self.by_address.get(&address(value)) {
            return id;
        }
        let mut pointer = self.pointer(parent).to_owned();
        for token in path {
            pointer = joined(&pointer, token);
        }
        let resource = self.places[parent.index()].resource;
        self.add(value, pointer, resource)
    }

    fn add(&mut self, value: &'s Value, pointer: String, resource: SchemaId) -> SchemaId {
        let id = SchemaId(self.places.len() as u32);
        let resource = if self.identifier(value).is_some() { id } else { resource };
        self.places.push(Place { value, pointer, resource });
        self.by_address.insert(address(value), id);
        id
    }

    /// The URI that a schema gives itself.
    fn identifier(&self, value: &'s Value) -> Option<&'s str> {
        let keyword = if self.draft == Draft::Draft4 { "id" } else { "$id" };
        if self.draft <= Draft::Draft7 && value.get("$ref").is_some() {
            return None;
        }
        let uri = value.get(keyword)?.as_str()?;
        (!uri.starts_with('#')).then_some(uri)
    }

    /// Where a reference that stands in the subschema `from` leads.
    pub(crate) fn resolve(
        &mut self,
        from: SchemaId,
        reference: &str,
    ) -> Result<SchemaId, SchemaError> {
        self.follow(from, reference).ok_or_else(|| {
            let kind = SchemaErrorKind::UnresolvedReference { reference: reference.to_owned() };
            SchemaError::new(kind, self.keyword_pointer(from, "$ref"))
        })
    }

    fn follow(&mut self, from: SchemaId, reference: &str) -> Option<SchemaId> {
        let (uri, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let start = if uri.is_empty() {
            self.places[from.index()].resource
        } else {
            let own = self.identifier(self.value(SchemaId::ROOT))?;
            if own.trim_end_matches('#') != uri {
                return None;
            }
            SchemaId::ROOT
        };
        if fragment.is_empty() {
            return Some(start);
        }
        let path = percent_decoded(fragment.strip_prefix('/')?)?;
        let mut value = self.value(start);
        let mut pointer = self.pointer(start).to_owned();
        let mut resource = start;
        for token in path.split('/') {
            let token = token.replace("~1", "/").replace("~0", "~");
            value = match value {
                Value::Object(map) => map.get(&token)?,
                Value::Array(items) => items.get(index_of(&token)?)?,
                _ => return None,
            };
            pointer = joined(&pointer, &token);
            if self.identifier(value).is_some() {
                resource = match self.by_address.get(&address(value)) {
                    Some(&id) => id,
                    None => self.add(value, pointer.clone(), resource),
                };
            }
        }
        Some(match self.by_address.get(&address(value)) {
            Some(&id) => id,
            None => self.add(value, pointer, resource),
        })
    }
}

fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}

/// `pointer` and one more token.
pub(crate) fn joined(pointer: &str, token: &str) -> String {
    format!("{pointer}/{}", token.replace('~', "~0").replace('/', "~1"))
}

/// An array index in a pointer has no leading zeros.
fn index_of(token: &str) -> Option<usize> {
    if token.len() > 1 && token.starts_with('0') || !token.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    token.parse().ok()
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        if first == b'%' {
            let hex = std::str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(hex, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

fn draft_of(uri: &str) -> Option<Draft> {
    let known = [
        ("draft-04", Draft::Draft4),
        ("draft-06", Draft::Draft6),
        ("draft-07", Draft::Draft7),
        ("2019-09", Draft::Draft201909),
        ("2020-12", Draft::Draft202012),
    ];
    known.iter().find(|(name, _)| uri.contains(name)).map(|&(_, draft)| draft)
}

/// Whatever recurses over a JSON value further on recurses at most this deep.
fn check_depth(root: &Value, limit: usize) -> Result<(), SchemaError> {
    let mut pending = vec![(root, 0)];
    while let Some((value, depth)) = pending.pop() {
        if depth > limit {
            return Err(SchemaError::limit("", "levels of nesting", limit));
        }
        match value {
            Value::Array(items) => pending.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(map) => pending.extend(map.values().map(|item| (item, depth + 1))),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_pointers() {
        let root = serde_json::json!({
            "$id": "http://example.com/root",
            "$defs": {"a/b": {"~": [true, false]}, "ü": {}},
            "properties": {"in": {"$id": "other", "$defs": {"x": {}}, "items": {}}},
        });
        let mut document = Document::new(&root, &Options::default()).unwrap();
        for (reference, pointer) in [
            ("#", ""),
            ("", ""),
            ("http://example.com/root#/$defs", "/$defs"),
            ("#/$defs/a~1b/~0/1", "/$defs/a~1b/~0/1"),
            ("#/%24defs/%C3%BC", "/$defs/ü"),
        ] {
            let id = document.resolve(SchemaId::ROOT, reference).unwrap();
            assert_eq!(document.pointer(id), pointer);
        }
        for reference in ["#/none", "#anchor", "else.json", "#/$defs/a~1b/~0/01", "#/%2"] {
            assert!(document.resolve(SchemaId::ROOT, reference).is_err(), "{reference}");
        }
        let inner = document.resolve(SchemaId::ROOT, "#/properties/in/items").unwrap();
        let id = document.resolve(inner, "#/$defs/x").unwrap();
        assert_eq!(document.pointer(id), "/properties/in/$defs/x");
    }
}
