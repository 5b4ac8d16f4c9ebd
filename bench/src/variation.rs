//! Further schemas from one that there is: the same with other names, words, patterns and lengths.

use std::collections::BTreeSet;

use serde_json::Value;

/// A schema of which there are as many as there are numbers; 0 is the schema itself.
pub struct Variation {
    number: usize,
    /// The names of properties and the words of enumerations.
    words: BTreeSet<String>,
}

impl Variation {
    pub fn new(schema: &Value, number: usize) -> Self {
        let mut words = BTreeSet::new();
        if number > 0 {
            collect(schema, &mut words);
        }
        Self { number, words }
    }

    /// The schema under other names.
    pub fn schema(&self, schema: &Value) -> Value {
        match schema {
            Value::Object(members) => members
                .iter()
                .map(|(keyword, value)| (keyword.clone(), self.keyword(keyword, value)))
                .collect(),
            Value::Array(items) => items.iter().map(|item| self.schema(item)).collect(),
            other => other.clone(),
        }
    }

    /// An instance with the names of the schema.
    pub fn instance(&self, instance: &Value) -> Value {
        match instance {
            Value::Object(members) => members
                .iter()
                .map(|(name, value)| (self.word(name), self.instance(value)))
                .collect(),
            Value::Array(items) => items.iter().map(|item| self.instance(item)).collect(),
            Value::String(text) => self.word(text).into(),
            other => other.clone(),
        }
    }

    fn keyword(&self, keyword: &str, value: &Value) -> Value {
        let number = self.number;
        match (keyword, value) {
            _ if number == 0 => value.clone(),
            ("properties" | "dependencies" | "dependentSchemas", Value::Object(members)) => members
                .iter()
                .map(|(name, value)| (self.word(name), self.names_or_schema(value)))
                .collect(),
            ("patternProperties", Value::Object(members)) => members
                .iter()
                .map(|(pattern, value)| (self.pattern(pattern), self.schema(value)))
                .collect(),
            ("required" | "enum" | "const" | "dependentRequired", value) => self.instance(value),
            ("pattern", Value::String(pattern)) => self.pattern(pattern).into(),
            ("maxLength", Value::Number(most)) => {
                most.as_u64().map_or(value.clone(), |most| (most + number as u64).into())
            }
            ("$ref", Value::String(reference)) => self.reference(reference).into(),
            (_, value) => self.schema(value),
        }
    }

    /// A value of `dependencies` is either.
    fn names_or_schema(&self, value: &Value) -> Value {
        if value.is_array() { self.instance(value) } else { self.schema(value) }
    }

    /// Other letters, so that little of a table is the same, and the number, for what has none.
    fn word(&self, word: &str) -> String {
        if !self.words.contains(word) {
            return word.to_owned();
        }
        let rotate = |letter: char, first: u8| {
            char::from(first + ((letter as usize - usize::from(first) + self.number) % 26) as u8)
        };
        let letters = word.chars().map(|letter| match letter {
            'a'..='z' => rotate(letter, b'a'),
            'A'..='Z' => rotate(letter, b'A'),
            other => other,
        });
        letters.collect::<String>() + &self.number.to_string()
    }

    /// A pattern with more strings, so that an instance has it still.
    fn pattern(&self, pattern: &str) -> String {
        format!("{pattern}|^v{}$", self.number)
    }

    /// A pointer may lead through properties.
    fn reference(&self, reference: &str) -> String {
        let mut is_name = false;
        let parts = reference.split('/').map(|part| {
            let written = if is_name { self.word(part) } else { part.to_owned() };
            is_name = !is_name && part == "properties";
            written
        });
        parts.collect::<Vec<_>>().join("/")
    }
}

/// The names that a schema declares, and its words.
fn collect(schema: &Value, words: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            for (keyword, value) in members {
                match (&**keyword, value) {
                    ("properties", Value::Object(properties)) => {
                        words.extend(properties.keys().cloned());
                        properties.values().for_each(|schema| collect(schema, words));
                    }
                    ("enum" | "const", value) => collect_strings(value, words),
                    (_, value) => collect(value, words),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, words)),
        _ => {}
    }
}

fn collect_strings(value: &Value, words: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            words.extend(members.keys().cloned());
            members.values().for_each(|value| collect_strings(value, words));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_strings(item, words)),
        Value::String(text) => drop(words.insert(text.clone())),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Variation;

    #[test]
    fn an_instance_stays_one_under_other_names() {
        let schema = json!({
            "type": "object",
            "properties": {
                "kind": {"enum": ["one", {"zwei": 2}]},
                "properties": {"type": "string", "pattern": "^a+$", "maxLength": 3},
                "more": {"$ref": "#/properties/properties"},
            },
            "required": ["kind"],
            "patternProperties": {"^x-": {"type": "null"}},
            "additionalProperties": false,
        });
        let instance = json!({"kind": {"zwei": 2}, "properties": "aaa", "more": "a", "x-y": null});
        assert_eq!(Variation::new(&schema, 0).schema(&schema), schema);
        let mut seen = vec![schema.clone()];
        for number in [1, 25, 26, 100] {
            let variation = Variation::new(&schema, number);
            let (varied, instance) = (variation.schema(&schema), variation.instance(&instance));
            assert!(jsonschema::is_valid(&varied, &instance), "{varied} {instance}");
            assert!(!seen.contains(&varied));
            seen.push(varied);
        }
    }
}
