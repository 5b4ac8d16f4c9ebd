//! `items`, `prefixItems`, `additionalItems`, `minItems`, `maxItems`.

use serde_json::Value;

use super::{Keywords, Reader};
use crate::error::SchemaError;
use crate::normal::{ArrayShape, TermId};
use crate::options::Draft;

impl<'s> Reader<'s, '_> {
    pub(super) fn read_array(
        &mut self,
        keywords: &Keywords<'s>,
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
        let items = match keywords.map.get(rest) {
            Some(value) => self.subschema(keywords.id, &[rest], value)?,
            None => TermId::ANY,
        };
        let min = self.read_count(keywords, "minItems")?.unwrap_or(0);
        let max = self.read_count(keywords, "maxItems")?;
        Ok(ArrayShape { prefix, items, min, max }.pruned(|term| term == TermId::NOTHING))
    }
}
