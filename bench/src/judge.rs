//! The judge of generated documents: the jsonschema crate, which knows nothing of grammars.

use jsonschema::Validator;
use serde_json::Value;

/// Judges by a schema.
pub struct Judge(Option<Validator>);

impl Judge {
    /// Reads a schema. One that the judge cannot read is not judged by.
    pub fn new(schema: &Value) -> Self {
        Self(jsonschema::options().should_validate_formats(true).build(schema).ok())
    }

    /// Whether it can tell.
    pub fn knows(&self) -> bool {
        self.0.is_some()
    }

    /// What is wrong with a document.
    pub fn wrong(&self, text: &[u8]) -> Option<String> {
        let document: Value = match serde_json::from_slice(text) {
            Ok(document) => document,
            Err(error) => return Some(format!("no JSON: {error}")),
        };
        let error = self.0.as_ref()?.validate(&document).err()?;
        Some(format!("invalid: {error}"))
    }
}
