//! `properties`, `required`, `additionalProperties`, `minProperties`, `maxProperties`,
//! `dependentRequired`, `dependentSchemas`, `dependencies`.

use std::sync::Arc;

use serde_json::Value;

use super::vocabulary::is_trivial;
use super::{Keywords, Part, Reader};
use crate::error::SchemaError;
use crate::normal::{Keys, ObjectShape, TermId};
use crate::options::Strictness;

impl<'s> Reader<'s, '_> {
    pub(super) fn read_object(
        &mut self,
        keywords: &Keywords<'s>,
    ) -> Result<Option<ObjectShape>, SchemaError> {
        let mut properties = Keys::default();
        match keywords.map.get("properties") {
            None => {}
            Some(Value::Object(map)) => {
                for (name, value) in map {
                    let term = self.subschema(keywords.id, &["properties", name], value)?;
                    properties.set(&Arc::from(name.as_str()), term);
                }
            }
            Some(_) => return Err(self.invalid(keywords, "properties", "an object of schemas")),
        }
        let mut required = Keys::default();
        if let Some(names) = keywords.map.get("required") {
            for name in self.read_names(keywords, "required", names)? {
                required.set(&Arc::from(name), ());
            }
        }
        let patterns = keywords.map.get("patternProperties");
        let open = patterns
            .is_some_and(|patterns| !is_trivial("patternProperties", patterns, keywords.map));
        let additional = match keywords.map.get("additionalProperties") {
            // Which keys are additional depends on patterns that are not enforced.
            Some(_) if open && self.options.strictness == Strictness::Lenient => {
                let reason = "depends on `patternProperties`, which is not enforced";
                self.refuse(keywords.id, "additionalProperties", reason);
                TermId::ANY
            }
            Some(value) => self.subschema(keywords.id, &["additionalProperties"], value)?,
            None => TermId::ANY,
        };
        let min = self.read_count(keywords, "minProperties")?.unwrap_or(0);
        let max = self.read_count(keywords, "maxProperties")?;
        let shape = ObjectShape { properties, required, additional, min, max };
        Ok(shape.pruned(|term| term == TermId::NOTHING))
    }

    /// What each key brings with it.
    pub(super) fn read_dependents(
        &mut self,
        keywords: &Keywords<'s>,
        keyword: &str,
    ) -> Result<Vec<Part>, SchemaError> {
        let Some(Value::Object(map)) = keywords.map.get(keyword) else {
            return Err(self.invalid(keywords, keyword, "an object"));
        };
        let mut parts = Vec::new();
        for (key, value) in map {
            let name = match keyword {
                "dependentRequired" => "dependentRequired",
                "dependentSchemas" => "dependentSchemas",
                _ => "dependencies",
            };
            let demand = if let Value::Array(_) = value
                && keyword != "dependentSchemas"
            {
                let names = self.read_names(keywords, keyword, value)?;
                Part::DependentKeys {
                    key: key.clone(),
                    needs: names.into_iter().map(Arc::from).collect(),
                    keyword: name,
                }
            } else if keyword == "dependentRequired" {
                return Err(self.invalid(keywords, keyword, "an object of lists of names"));
            } else {
                let term = self.subschema(keywords.id, &[keyword, key], value)?;
                Part::DependentSchema { key: key.clone(), term, keyword: name }
            };
            parts.push(demand);
        }
        Ok(parts)
    }

    fn read_names(
        &self,
        keywords: &Keywords<'s>,
        keyword: &str,
        value: &'s Value,
    ) -> Result<Vec<&'s str>, SchemaError> {
        let names = value.as_array().and_then(|names| names.iter().map(Value::as_str).collect());
        names.ok_or_else(|| self.invalid(keywords, keyword, "a list of names"))
    }
}
