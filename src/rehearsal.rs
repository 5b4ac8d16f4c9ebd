//! What all schemas have in common, made before the first of them comes.

use std::sync::Arc;

use grammask_json_schema::Options;
use grammask_sampler::{Constraint, Engine, Vocabulary};

use crate::constrain::{ConstrainError, schema_constraint};

/// Strings of which much is often asked, each with some of them: those of addresses are long, as how long their
/// parts may still become is counted.
const STRINGS: [(&str, &[&str]); 35] = [
    (r#"{"type": "string", "minLength": 1}"#, &["a b"]),
    (r#"{"type": "string", "maxLength": 255}"#, &["a b"]),
    // Which tokens have more characters than are left is kept for each number of them.
    (r#"{"type": "string", "maxLength": 16}"#, &["characters left."]),
    (r#"{"type": "string", "pattern": "^.+$"}"#, &["a b"]),
    (r#"{"type": "string", "format": "date-time"}"#, &DATE_TIMES),
    (r#"{"type": "string", "format": "date"}"#, &["2026-11-22"]),
    (r#"{"type": "string", "format": "time"}"#, &["13:53:40.5Z", "13:53:40+01:00"]),
    (
        r#"{"type": "string", "format": "uri"}"#,
        &["https://www.example.com:80/a/b?c=d#e", "mailto:a@b"],
    ),
    (r#"{"type": "string", "format": "uri-reference"}"#, &["../a/b?c=d#e", "/a"]),
    (r#"{"type": "string", "format": "email"}"#, &["john.doe-smith@mail-server.example.com"]),
    (r#"{"type": "string", "format": "uuid"}"#, &["12345678-90ab-4cde-8f01-234567890abc"]),
    (r#"{"type": "string", "format": "hostname"}"#, &["www.mail-server.example.com"]),
    (r#"{"type": "string", "format": "ipv4"}"#, &["192.168.0.1"]),
    (r#"{"type": "string", "format": "ipv6"}"#, &["2001:db8::1"]),
    (r#"{"type": "string", "pattern": "^[a-z]+$"}"#, &["ab"]),
    (r#"{"type": "string", "pattern": "^[A-Z]+$"}"#, &["AB"]),
    (r#"{"type": "string", "pattern": "^[0-9]+$"}"#, &["12"]),
    (r#"{"type": "string", "pattern": "^[A-Za-z]+$"}"#, &["ab"]),
    (r#"{"type": "string", "pattern": "^[a-z0-9]+$"}"#, &["ab"]),
    (r#"{"type": "string", "pattern": "^[A-Za-z0-9]+$"}"#, &["ab"]),
    (r#"{"type": "string", "pattern": "^[a-z0-9-]+$"}"#, &["ab"]),
    (r#"{"type": "string", "pattern": "^[a-z][a-z0-9-]*$"}"#, &["ab"]),
    (r#"{"type": "string", "pattern": "^[a-z0-9_]+$"}"#, &["ab"]),
    (r#"{"type": "string", "pattern": "^[A-Z0-9_]+$"}"#, &["AB"]),
    (r#"{"type": "string", "pattern": "^\\w+$"}"#, &["ab"]),
    (r#"{"type": "string", "pattern": "^[\\w-]+$"}"#, &["ab"]),
    (r#"{"type": "string", "pattern": "^[\\w.-]+$"}"#, &["ab"]),
    (r#"{"type": "string", "pattern": "^[\\w.:-]+$"}"#, &["ab"]),
    (r#"{"type": "string", "pattern": "^[a-zA-Z_]\\w*$"}"#, &["ab"]),
    (r#"{"type": "string", "pattern": "^\\S+$"}"#, &["ab"]),
    (r#"{"type": "string", "pattern": "^[0-9a-fA-F]+$"}"#, &["ab"]),
    (
        r#"{"type": "string", "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"}"#,
        &["12345678-90ab-4cde-8f01-234567890abc"],
    ),
    (r#"{"type": "string", "pattern": "^https?://"}"#, &["https://www.example.com/a"]),
    (r#"{"type": "string", "pattern": "^\\d{4}-\\d{2}-\\d{2}$"}"#, &["2026-11-22"]),
    (r#"{"type": "string", "pattern": "^\\d+\\.\\d+\\.\\d+$"}"#, &["1.20.3"]),
];

/// What follows the hour depends on it, as the last minute of a day has its leap seconds in each zone.
const DATE_TIMES: [&str; 25] = [
    "2026-11-22T13:53:40.5Z",
    "2026-11-22T00:00:00Z",
    "2026-11-22T01:00:00Z",
    "2026-11-22T02:00:00Z",
    "2026-11-22T03:00:00Z",
    "2026-11-22T04:00:00Z",
    "2026-11-22T05:00:00Z",
    "2026-11-22T06:00:00Z",
    "2026-11-22T07:00:00Z",
    "2026-11-22T08:00:00Z",
    "2026-11-22T09:00:00Z",
    "2026-11-22T10:00:00Z",
    "2026-11-22T11:00:00Z",
    "2026-11-22T12:00:00Z",
    "2026-11-22T13:00:00Z",
    "2026-11-22T14:00:00Z",
    "2026-11-22T15:00:00Z",
    "2026-11-22T16:00:00Z",
    "2026-11-22T17:00:00Z",
    "2026-11-22T18:00:00Z",
    "2026-11-22T19:00:00Z",
    "2026-11-22T20:00:00Z",
    "2026-11-22T21:00:00Z",
    "2026-11-22T22:00:00Z",
    "2026-11-22T23:00:00Z",
];

/// Schemas with what is often asked of numbers, with types that may be null, and with each type, each with a
/// document of it.
const VALUES: [(&str, &str); 2] = [
    (
        r#"{
            "type": "object",
            "properties": {
                "string": {"type": ["string", "null"]},
                "integer": {"type": ["integer", "null"]},
                "number": {"type": ["number", "null"]},
                "boolean": {"type": ["boolean", "null"]},
                "array": {"type": ["array", "null"]},
                "object": {"type": ["object", "null"]},
                "scalar": {"type": ["string", "number"]},
                "text": {"type": ["string", "array"], "items": {"type": "string"}},
                "natural": {"type": "integer", "minimum": 0},
                "positive": {"type": "integer", "minimum": 1},
                "percent": {"type": "integer", "minimum": 0, "maximum": 100},
                "port": {"type": "integer", "minimum": 1, "maximum": 65535},
                "size": {"type": "number", "minimum": 0},
                "above": {"type": "number", "exclusiveMinimum": 0},
                "share": {"type": "number", "minimum": 0, "maximum": 1},
                "any": {},
                "integers": {"type": "array", "items": {"type": "integer"}},
                "numbers": {"type": "array", "items": {"type": "number"}},
                "objects": {"type": "array", "items": {"type": "object"}},
                "map": {"type": "object", "additionalProperties": {"type": "string"}}
            }
        }"#,
        concat!(
            r#"{"string": "a b", "integer": -12, "number": 1.5e16, "boolean": true, "array": ["a"], "#,
            r#""object": {"a b": "c"}, "scalar": 1.5, "text": ["a", "b"], "natural": 12, "positive": 12, "#,
            r#""percent": 12, "port": 8080, "size": 1.5, "above": 0.25, "share": 0.5, "any": "a b", "#,
            r#""integers": [12, 3], "numbers": [1.5, -3], "objects": [{"a": 1}, {"b": 2}], "#,
            r#""map": {"a b": "c", "d": ""}}"#
        ),
    ),
    (
        r#"{
            "type": "object",
            "properties": {
                "string": {"type": "string"},
                "integer": {"type": "integer"},
                "number": {"type": "number"},
                "boolean": {"type": "boolean"},
                "null": {"type": "null"},
                "strings": {"type": "array", "items": {"type": "string"}},
                "object": {"type": "object"},
                "closed": {
                    "type": "object",
                    "properties": {"any": {}},
                    "required": ["any"],
                    "additionalProperties": false
                }
            },
            "required": ["string"]
        }"#,
        concat!(
            r#"{"string": "a b", "integer": 1200, "number": 1.5e16, "boolean": true, "null": null, "#,
            r#""strings": ["a", ""], "object": {"a b": {"c": ["d", 0.5, false]}, "e": "\n\u00e9"}, "#,
            r#""closed": {"any": [{"f": 7}]}, "other": "g"}"#
        ),
    ),
];

/// An engine for JSON Schemas, with the tables that nearly every schema needs: it is ready some dozens of
/// milliseconds later than [`Engine::new`], and the first masks are not slower than later ones.
///
/// # Errors
///
/// If the options exclude one another; see [`Options`].
///
/// ```
/// use grammask::json_schema::Options;
/// use grammask::sampler::Vocabulary;
///
/// let engine = grammask::engine_for_schemas(
///     Vocabulary::from_name("r50k_base")?, &Options::default())?;
/// assert!(engine.table_bytes() > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn engine_for_schemas(
    vocabulary: Vocabulary,
    options: &Options,
) -> Result<Arc<Engine>, ConstrainError> {
    let engine = Engine::new(vocabulary);
    for (schema, texts) in STRINGS {
        let constraint = schema_constraint(&engine, &with_member(schema), options)?;
        for text in texts {
            // Wherever a token ends, that is behind a character.
            let characters = text.split_inclusive(|_| true);
            rehearse(&constraint, ["{\"a\":\""].into_iter().chain(characters).chain(["\"}"]));
        }
    }
    for (schema, document) in VALUES {
        rehearse(&schema_constraint(&engine, schema, options)?, [document]);
    }
    engine.keep_tables();
    Ok(engine)
}

/// The schema of an object with a member.
fn with_member(schema: &str) -> String {
    format!(r#"{{"type": "object", "properties": {{"a": {schema}}}}}"#)
}

/// Reads a text, with the mask of each place; whether to its end. That the vocabulary cannot spell it, or the
/// options spell it otherwise, is no matter: what has been made until then is there.
fn rehearse<'a>(constraint: &Constraint, parts: impl IntoIterator<Item = &'a str>) -> bool {
    let mut constraint = constraint.clone();
    let engine = Arc::clone(constraint.engine());
    for part in parts {
        let Ok(tokens) = engine.vocabulary().encode_longest(part) else { return false };
        for token in tokens {
            constraint.mask();
            if constraint.accept(token).is_err() {
                return false;
            }
        }
    }
    constraint.is_complete()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_read_to_their_ends() {
        let vocabulary = Vocabulary::from_name("r50k_base").expect("a built-in vocabulary");
        let engine = Engine::new(vocabulary);
        let constraint = |schema: &str| {
            let constraint = schema_constraint(&engine, schema, &Options::default());
            constraint.expect("a schema that can be translated")
        };
        for (schema, texts) in STRINGS {
            let constraint = constraint(&with_member(schema));
            for text in texts {
                let document = format!(r#"{{"a":"{text}"}}"#);
                assert!(rehearse(&constraint, [&*document]), "{document}");
            }
        }
        for (schema, document) in VALUES {
            assert!(rehearse(&constraint(schema), [document]), "{document}");
        }
    }
}
