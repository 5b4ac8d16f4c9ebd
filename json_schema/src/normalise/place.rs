//! Where a reader finds what an error speaks of.

use std::collections::HashSet;

use serde_json::Value;

use super::Normaliser;
use crate::error::SchemaError;
use crate::normal::{Term, TermId};
use crate::read::Part;
use crate::resolve::SchemaId;

/// The keywords that give a language of strings or keys.
pub(crate) const PATTERNS: [&str; 4] = ["pattern", "patternProperties", "propertyNames", "format"];

impl Normaliser<'_, '_> {
    /// The JSON Pointer of the first subschema in a term.
    pub(crate) fn place(&self, term: TermId) -> String {
        match self.schema_of(term) {
            Some(id) => self.reader.document.pointer(id).to_owned(),
            None => String::new(),
        }
    }

    /// The first subschema in a term.
    pub(crate) fn schema_of(&self, mut term: TermId) -> Option<SchemaId> {
        loop {
            match self.reader.terms.get(term) {
                Term::Schema(id) => return Some(*id),
                Term::All(parts) | Term::Some(parts) => term = parts[0],
                Term::Not(inner) => term = *inner,
                Term::Any | Term::Nothing | Term::Value(_) => return None,
            }
        }
    }

    /// A limit that one of some keywords reaches where a term is what a value must be.
    pub(crate) fn limit(
        &self,
        term: TermId,
        keywords: &[&str],
        name: &'static str,
        limit: usize,
    ) -> SchemaError {
        let pointer = self.keyword(term, |keyword, _| keywords.contains(&keyword));
        SchemaError::limit(pointer, name, limit)
    }

    /// The JSON Pointer of the first such keyword among those that a term applies to one value, or
    /// else of the first subschema.
    pub(crate) fn keyword(&self, term: TermId, is_it: impl Fn(&str, &Value) -> bool) -> String {
        let mut seen = HashSet::from([term]);
        let mut pending = vec![term];
        while let Some(term) = pending.pop() {
            let inside = match self.reader.terms.get(term) {
                Term::Schema(id) => {
                    let found = self.reader.document.value(*id).as_object().and_then(|keywords| {
                        keywords.iter().find(|(keyword, value)| is_it(keyword, value))
                    });
                    if let Some((keyword, _)) = found {
                        return self.reader.document.keyword_pointer(*id, keyword);
                    }
                    let parts = self.parts.get(*id).map_or(&[][..], |parts| parts);
                    parts.iter().flat_map(Part::terms).collect()
                }
                Term::All(parts) | Term::Some(parts) => parts.clone(),
                Term::Not(inner) => vec![*inner],
                Term::Any | Term::Nothing | Term::Value(_) => Vec::new(),
            };
            pending.extend(inside.into_iter().rev().filter(|&term| seen.insert(term)));
        }
        self.place(term)
    }

    /// Writes down where a combination of patterns was too large, if one was for the first time.
    pub(crate) fn place_large_patterns(&mut self, term: TermId) {
        if self.reader.terms.patterns_too_large && self.reader.large_patterns.is_none() {
            let pointer = self.keyword(term, |keyword, _| PATTERNS.contains(&keyword));
            self.reader.large_patterns = Some(pointer);
        }
    }
}
