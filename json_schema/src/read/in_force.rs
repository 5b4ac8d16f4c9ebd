//! The keywords of a schema that its dialect knows.

use std::ops::Index;

use serde_json::{Map, Value};

use crate::dialect::Dialect;
use crate::member::member;

/// The keywords of a schema that its dialect knows; to whoever reads it there are no others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InForce<'s> {
    map: &'s Map<String, Value>,
    dialect: Dialect,
}

impl<'s> InForce<'s> {
    pub(super) fn new(map: &'s Map<String, Value>, dialect: Dialect) -> Self {
        Self { map, dialect }
    }

    pub(crate) fn get(self, keyword: &str) -> Option<&'s Value> {
        let value = member(self.map, keyword)?;
        self.dialect.keyword(keyword).map(|_| value)
    }

    /// The names, in the order of the schema.
    pub(super) fn keys(self) -> impl Iterator<Item = &'s String> {
        self.map.keys().filter(move |keyword| self.dialect.keyword(keyword).is_some())
    }

    /// All keywords, also those that are not in force.
    pub(super) fn written(self) -> &'s Map<String, Value> {
        self.map
    }
}

impl Index<&str> for InForce<'_> {
    type Output = Value;

    fn index(&self, keyword: &str) -> &Value {
        &self.map[keyword]
    }
}
