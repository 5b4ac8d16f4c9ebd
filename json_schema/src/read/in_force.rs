//! The keywords of a schema that its dialect knows.

use std::ops::Index;

use serde_json::{Map, Value};
use smallvec::SmallVec;

use crate::dialect::Dialect;
use crate::member::Names;

/// The keywords of a schema that its dialect knows; to whoever reads it there are no others.
#[derive(Clone, Debug)]
pub(crate) struct InForce<'s> {
    written: &'s Map<String, Value>,
    /// In the order of the schema.
    known: SmallVec<[(&'s str, &'s Value); 8]>,
    names: Names,
}

impl<'s> InForce<'s> {
    pub(super) fn new(map: &'s Map<String, Value>, dialect: Dialect) -> Self {
        let known = map.iter().map(|(name, value)| (name.as_str(), value));
        let known: SmallVec<_> =
            known.filter(|&(name, _)| dialect.keyword(name).is_some()).collect();
        let names = Names::of(known.iter().map(|&(name, _)| name));
        Self { written: map, known, names }
    }

    #[inline]
    pub(crate) fn get(&self, keyword: &str) -> Option<&'s Value> {
        if !self.names.may_have(keyword) {
            return None;
        }
        self.known.iter().find(|&&(name, _)| name == keyword).map(|&(_, value)| value)
    }

    /// The names, in the order of the schema.
    pub(super) fn keys(&self) -> impl Iterator<Item = &'s str> + '_ {
        self.known.iter().map(|&(name, _)| name)
    }

    /// Whether one of some keywords is there.
    pub(super) fn has_any(&self, keywords: &[&str]) -> bool {
        keywords.iter().any(|keyword| self.get(keyword).is_some())
    }

    /// All keywords, also those that are not in force.
    pub(super) fn written(&self) -> &'s Map<String, Value> {
        self.written
    }
}

impl Index<&str> for InForce<'_> {
    type Output = Value;

    fn index(&self, keyword: &str) -> &Value {
        &self.written[keyword]
    }
}
