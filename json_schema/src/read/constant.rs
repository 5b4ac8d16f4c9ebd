//! `enum`, `const`: sets of values, compared by value.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

use serde_json::Value;

use super::{Keywords, Reader};
use crate::decimal::Decimal;
use crate::error::SchemaError;
use crate::normal::{
    ArrayShape, Constraint, Keys, Normal, NumberSet, ObjectShape, Regions, StringSet, TermId, Terms,
};

impl<'s> Reader<'s, '_> {
    pub(super) fn read_constants(
        &mut self,
        keywords: &Keywords<'s>,
        keyword: &str,
    ) -> Result<Normal, SchemaError> {
        let value = &keywords.map[keyword];
        if keyword == "const" {
            return Ok(constant(value, &mut self.terms));
        }
        let Value::Array(values) = value else {
            return Err(self.invalid(keywords, keyword, "a list of values"));
        };
        let mut normal = Normal::nothing();
        // Scalars may be many.
        let limit = self.options.limits.alternatives;
        let (mut strings, mut numbers) = (Distinct::default(), Distinct::default());
        for value in values {
            match value {
                Value::String(text) => strings.add(text.clone()),
                Value::Number(number) => {
                    if let Some(number) = Decimal::parse(&number.to_string()) {
                        numbers.add(number);
                    }
                }
                _ => normal.join(constant(value, &mut self.terms)),
            }
            if normal.arrays.len().max(normal.objects.len()) > limit {
                let pointer = self.document.keyword_pointer(keywords.id, keyword);
                return Err(SchemaError::limit(pointer, "alternatives", limit));
            }
        }
        if !strings.values.is_empty() {
            normal.strings = vec![StringSet::Values(strings.values)];
        }
        normal.numbers = numbers.values.into_iter().map(NumberSet::point).collect();
        Ok(normal)
    }
}

/// Different values in the order in which they come.
struct Distinct<T> {
    values: Vec<T>,
    seen: HashSet<T>,
}

impl<T> Default for Distinct<T> {
    fn default() -> Self {
        Self { values: Vec::new(), seen: HashSet::new() }
    }
}

impl<T: Clone + Eq + Hash> Distinct<T> {
    fn add(&mut self, value: T) {
        if self.seen.insert(value.clone()) {
            self.values.push(value);
        }
    }
}

/// The one value.
pub(crate) fn constant(value: &Value, terms: &mut Terms) -> Normal {
    let mut normal = Normal::nothing();
    match value {
        Value::Null => normal.null = true,
        Value::Bool(member) => normal.booleans[usize::from(*member)] = true,
        Value::Number(number) => {
            normal.numbers =
                Decimal::parse(&number.to_string()).map(NumberSet::point).into_iter().collect();
        }
        Value::String(text) => normal.strings = vec![StringSet::Values(vec![text.clone()])],
        Value::Array(items) => {
            let prefix: Vec<TermId> = items.iter().map(|item| terms.value(item)).collect();
            let length = prefix.len() as u64;
            normal.arrays = vec![ArrayShape {
                prefix,
                items: TermId::NOTHING,
                min: length,
                max: Some(length),
                ..ArrayShape::any()
            }];
        }
        Value::Object(map) => {
            let mut properties = Keys::default();
            let mut required = Keys::default();
            for (name, value) in map {
                let key = Arc::from(name.as_str());
                properties.set(&key, terms.value(value));
                required.set(&key, ());
            }
            let length = map.len() as u64;
            normal.objects = vec![ObjectShape {
                properties,
                required,
                others: Regions::all(TermId::NOTHING),
                min: length,
                max: Some(length),
                ..ObjectShape::any()
            }];
        }
    }
    normal
}
