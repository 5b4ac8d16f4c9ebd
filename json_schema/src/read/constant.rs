//! `enum`, `const`: sets of values, compared by value.

use std::collections::HashSet;
use std::slice::from_ref;

use serde_json::Value;

use super::{Keywords, Reader};
use crate::decimal::Decimal;
use crate::error::SchemaError;
use crate::member::member;
use crate::normal::{
    ArrayShape, Constraint, Keys, Normal, NumberSet, ObjectShape, Regions, StringSet, TermId, Terms,
};
use crate::resolve::SchemaId;

/// More strings are hardly there to tell alternatives apart.
const MOST_STRINGS: usize = 64;

impl<'s> Reader<'s, '_> {
    /// Some strings without which a subschema has no value, if that is seen at once.
    pub(super) fn strings_of(&self, id: SchemaId) -> Option<Vec<Box<str>>> {
        let map = self.document.value(id).as_object()?;
        let dialect = self.document.dialect(id);
        if dialect.reference_stands_alone(map) {
            return None;
        }
        let get = |keyword| member(map, keyword).filter(|_| dialect.keyword(keyword).is_some());
        let values = match (get("const"), get("enum")) {
            (Some(value), _) => from_ref(value),
            (None, values) => values?.as_array().filter(|values| values.len() <= MOST_STRINGS)?,
        };
        values.iter().map(|value| value.as_str().map(Box::from)).collect()
    }

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
        let (mut strings, mut seen) = (Vec::new(), HashSet::new());
        let mut seen_numbers = HashSet::new();
        for value in values {
            match value {
                Value::String(text) => {
                    if seen.insert(text) {
                        strings.push(text.clone());
                    }
                }
                Value::Number(number) => {
                    if let Some(number) = Decimal::parse(number.as_str())
                        && seen_numbers.insert(number.clone())
                    {
                        normal.numbers.push(NumberSet::point(number));
                    }
                }
                _ => normal.join(constant(value, &mut self.terms)),
            }
            if normal.arrays.len().max(normal.objects.len()) > limit {
                let pointer = self.document.keyword_pointer(keywords.id, keyword);
                return Err(SchemaError::limit(pointer, "alternatives", limit));
            }
        }
        if !strings.is_empty() {
            normal.strings = vec![StringSet::Values(strings)];
        }
        Ok(normal)
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
                Decimal::parse(number.as_str()).map(NumberSet::point).into_iter().collect();
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
                let key = terms.keys.id(name);
                properties.set(key, terms.value(value));
                required.set(key, ());
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
