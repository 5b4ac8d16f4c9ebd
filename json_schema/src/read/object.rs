//! `properties`, `patternProperties`, `additionalProperties`, `required`, `minProperties`,
//! `maxProperties`, `dependentRequired`, `dependentSchemas`, `dependencies`.

use serde_json::Value;

use super::{Keywords, Part, Reader};
use crate::error::SchemaError;
use crate::language::LanguageId;
use crate::normal::{Constraint, Evaluated, ObjectShape, Regions, TermId};

/// The keywords that speak of objects as a whole.
const OBJECT_KEYWORDS: [&str; 6] = [
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "minProperties",
    "maxProperties",
];

impl<'s> Reader<'s, '_> {
    pub(super) fn read_object(
        &mut self,
        keywords: &Keywords<'s>,
        evaluated: &mut Evaluated,
    ) -> Result<Option<ObjectShape>, SchemaError> {
        let mut shape = ObjectShape::any();
        if !keywords.map.has_any(&OBJECT_KEYWORDS) {
            return Ok(Some(shape));
        }
        match keywords.map.get("properties") {
            None => {}
            Some(Value::Object(map)) => {
                for (name, value) in map {
                    let term = self.subschema(keywords.id, &["properties", name], value)?;
                    shape.properties.set(self.terms.keys.id(name), term);
                }
            }
            Some(_) => return Err(self.invalid(keywords, "properties", "an object of schemas")),
        }
        if let Some(names) = keywords.map.get("required") {
            for name in self.read_names(keywords, "required", names)? {
                shape.required.set(self.terms.keys.id(name), ());
            }
        }
        let patterns = self.read_pattern_properties(keywords)?;
        let additional = match keywords.map.get("additionalProperties") {
            Some(value) => self.subschema(keywords.id, &["additionalProperties"], value)?,
            None => TermId::ANY,
        };
        if self.document.has_unevaluated() {
            evaluated.keys.extend(shape.properties.iter().map(|(key, _)| key));
            for &(keys, _) in &patterns {
                evaluated.patterns = self.terms.either_key(evaluated.patterns, keys);
            }
            if keywords.map.get("additionalProperties").is_some() {
                evaluated.patterns = LanguageId::EVERYTHING;
            }
        }
        self.add_patterns(&mut shape, &patterns, additional);
        shape.min = self.read_count(keywords, "minProperties")?.unwrap_or(0);
        shape.max = self.read_count(keywords, "maxProperties")?;
        Ok(shape.pruned(&mut self.terms, |term| term == TermId::NOTHING))
    }

    /// The keys that each pattern matches, with what their values must be.
    fn read_pattern_properties(
        &mut self,
        keywords: &Keywords<'s>,
    ) -> Result<Vec<(LanguageId, TermId)>, SchemaError> {
        let map = match keywords.map.get("patternProperties") {
            None => return Ok(Vec::new()),
            Some(Value::Object(map)) => map,
            Some(_) => {
                return Err(self.invalid(keywords, "patternProperties", "an object of schemas"));
            }
        };
        let mut patterns = Vec::with_capacity(map.len());
        for (pattern, value) in map {
            let term = self.subschema(keywords.id, &["patternProperties", pattern], value)?;
            match self.terms.languages.pattern(pattern) {
                Ok(keys) => patterns.push((keys, term)),
                Err(error) => {
                    let reason = format!("the pattern `{pattern}`: {error}");
                    self.refuse(keywords.id, "patternProperties", &reason);
                }
            }
        }
        Ok(patterns)
    }

    /// What keys must be that match patterns, and those that match none.
    fn add_patterns(
        &mut self,
        shape: &mut ObjectShape,
        patterns: &[(LanguageId, TermId)],
        additional: TermId,
    ) {
        if patterns.is_empty() {
            shape.others = Regions::all(additional);
            return;
        }
        let terms = &mut self.terms;
        let mut matched = LanguageId::NOTHING;
        for &(keys, value) in patterns {
            let one = Regions::split(keys, value, TermId::ANY, terms);
            shape.others = shape.others.and(&one, terms);
            matched = terms.either_key(matched, keys);
            let declared: Vec<_> =
                shape.properties.iter().map(|(key, &value)| (key, value)).collect();
            for (key, before) in declared {
                if terms.is_key(keys, key) {
                    shape.properties.set(key, terms.all(&[before, value]));
                }
            }
        }
        let rest = Regions::split(matched, TermId::ANY, additional, terms);
        shape.others = shape.others.and(&rest, terms);
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
                    key: self.terms.keys.id(key),
                    needs: names.into_iter().map(|name| self.terms.keys.id(name)).collect(),
                    keyword: name,
                }
            } else if keyword == "dependentRequired" {
                return Err(self.invalid(keywords, keyword, "an object of lists of names"));
            } else {
                let term = self.subschema(keywords.id, &[keyword, key], value)?;
                Part::DependentSchema { key: self.terms.keys.id(key), term, keyword: name }
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
