//! `items`, `prefixItems`, `additionalItems`, `contains`, `minContains`, `maxContains`, `minItems`,
//! `maxItems`, `uniqueItems`.

use serde_json::Value;

use super::{Keywords, Reader};
use crate::error::SchemaError;
use crate::normal::{ArrayShape, Contains, Evaluated, TermId};
use crate::options::Draft;

impl<'s> Reader<'s, '_> {
    pub(super) fn read_array(
        &mut self,
        keywords: &Keywords<'s>,
        evaluated: &mut Evaluated,
    ) -> Result<Option<ArrayShape>, SchemaError> {
        let (prefix, rest) = if keywords.draft >= Draft::Draft202012 {
            let prefix = match keywords.map.get("prefixItems") {
                Some(_) => self.subschemas(keywords, "prefixItems")?,
                None => Vec::new(),
            };
            (prefix, "items")
        } else if let Some(Value::Array(_)) = keywords.map.get("items") {
            (self.subschemas(keywords, "items")?, "additionalItems")
        } else {
            (Vec::new(), "items")
        };
        evaluated.first_items = prefix.len() as u64;
        let items = match keywords.map.get(rest) {
            Some(value) => {
                evaluated.all_items = true;
                self.subschema(keywords.id, &[rest], value)?
            }
            None => TermId::ANY,
        };
        let contains = self.read_contains(keywords)?;
        if keywords.draft >= Draft::Draft202012 {
            evaluated.items.extend(contains.map(|contains| contains.term));
        }
        let min = self.read_count(keywords, "minItems")?.unwrap_or(0);
        let max = self.read_count(keywords, "maxItems")?;
        let unique = match keywords.map.get("uniqueItems") {
            None => false,
            Some(Value::Bool(unique)) => *unique,
            Some(_) => return Err(self.invalid(keywords, "uniqueItems", "a boolean")),
        };
        let contains = contains.into_iter().collect();
        let shape = ArrayShape { prefix, items, contains, unique, min, max };
        Ok(shape.pruned(|term| term == TermId::NOTHING))
    }

    fn read_contains(&mut self, keywords: &Keywords<'s>) -> Result<Option<Contains>, SchemaError> {
        let Some(value) = keywords.map.get("contains") else { return Ok(None) };
        if keywords.draft < Draft::Draft6 {
            return Ok(None);
        }
        let term = self.subschema(keywords.id, &["contains"], value)?;
        let (mut min, mut max) = (1, None);
        if keywords.draft >= Draft::Draft201909 {
            min = self.read_count(keywords, "minContains")?.unwrap_or(1);
            max = self.read_count(keywords, "maxContains")?;
        }
        Ok(Some(Contains { term, from: 0, min, max }))
    }
}
