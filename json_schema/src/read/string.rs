//! `minLength`, `maxLength`, `pattern`, `format`.

use serde_json::Value;

use super::{Keywords, Reader};
use crate::error::SchemaError;
use crate::normal::StringSet;
use crate::report::Status;

/// The formats that the drafts define.
const KNOWN_FORMATS: [&str; 19] = [
    "date",
    "time",
    "date-time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uri-template",
    "uuid",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

impl<'s> Reader<'s, '_> {
    pub(super) fn read_string(
        &mut self,
        keywords: &Keywords<'s>,
    ) -> Result<Option<StringSet>, SchemaError> {
        let min = self.read_count(keywords, "minLength")?.unwrap_or(0);
        let max = self.read_count(keywords, "maxLength")?;
        if max.is_some_and(|max| max < min) {
            return Ok(None);
        }
        let Some(pattern) = keywords.map.get("pattern") else {
            return Ok(Some(StringSet::lengths(min, max)));
        };
        let Value::String(pattern) = pattern else {
            return Err(self.invalid(keywords, "pattern", "a string"));
        };
        match self.terms.languages.pattern(pattern) {
            Ok(language) => Ok(StringSet::matching(language, min, max, &mut self.terms)),
            Err(error) => {
                self.refuse(keywords.id, "pattern", &error.to_string());
                Ok(Some(StringSet::lengths(min, max)))
            }
        }
    }

    pub(super) fn read_format(&mut self, keywords: &Keywords<'s>, value: &Value, pointer: String) {
        let name = value.as_str().unwrap_or_default();
        let asserted = self.asserts_format(keywords, KNOWN_FORMATS.contains(&name));
        if asserted {
            self.refuse(keywords.id, "format", "this format is not supported yet");
        } else {
            let known = KNOWN_FORMATS.contains(&name);
            let note = (!known).then(|| "unknown format".to_owned());
            self.note_entry(pointer, "format", Status::Annotation, note);
        }
    }
}
