//! `minLength`, `maxLength`, `pattern`, `format`.

use serde_json::Value;

use super::{Keywords, Reader};
use crate::error::SchemaError;
use crate::format::Format;
use crate::language::{Approximation, PatternError};
use crate::normal::{Constraint, StringSet};
use crate::report::Status;

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
        let mut set = Some(StringSet::lengths(min, max));
        for language in [self.read_pattern(keywords)?, self.asserted_format(keywords)] {
            if let (Some(texts), Some(language)) = (&set, language) {
                set = texts.and(&StringSet::texts(language), &mut self.terms);
            }
        }
        Ok(set)
    }

    fn read_pattern(
        &mut self,
        keywords: &Keywords<'s>,
    ) -> Result<Option<Approximation>, SchemaError> {
        let Some(pattern) = keywords.map.get("pattern") else { return Ok(None) };
        let Value::String(pattern) = pattern else {
            return Err(self.invalid(keywords, "pattern", "a string"));
        };
        let language = self.terms.languages.pattern(pattern).map(Approximation::from);
        Ok(self.language_or_refusal(keywords, "pattern", language))
    }

    fn asserted_format(&mut self, keywords: &Keywords<'s>) -> Option<Approximation> {
        if !self.asserts_format(keywords, true) {
            return None;
        }
        let format = keywords.map.get("format").and_then(Value::as_str).and_then(Format::named)?;
        let language = self.terms.format(format, self.options.notation);
        self.language_or_refusal(keywords, "format", language)
    }

    fn language_or_refusal(
        &mut self,
        keywords: &Keywords<'s>,
        keyword: &str,
        language: Result<Approximation, PatternError>,
    ) -> Option<Approximation> {
        language.map_err(|error| self.refuse(keywords.id, keyword, &error.to_string())).ok()
    }

    pub(super) fn read_format(&mut self, keywords: &Keywords<'s>, value: &Value, pointer: String) {
        let format = value.as_str().and_then(Format::named);
        let (status, note) = match (format, self.asserts_format(keywords, format.is_some())) {
            (Some(format), true) => (Status::Enforced, format.note(self.options.notation)),
            (Some(_), false) => (Status::Annotation, None),
            (None, true) => {
                self.refuse(keywords.id, "format", "unknown format");
                return;
            }
            (None, false) => (Status::Annotation, Some("unknown format")),
        };
        self.note_entry(pointer, status, note);
    }
}
