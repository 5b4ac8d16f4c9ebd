//! What all schemas have in common, made before the first of them comes.

use std::sync::Arc;

use grammask_json_schema::Options;
use grammask_sampler::{Constraint, Engine, Vocabulary};

use crate::constrain::{ConstrainError, schema_constraint};

/// Schemas with what is often asked of strings and of numbers, with types that may be null, and with each
/// type, each with a document of it. The types come last, so that their terms are among those with which the
/// first schema is compiled.
const SCHEMAS: [(&str, &str); 3] = [
    (
        r#"{
            "type": "object",
            "properties": {
                "minLength": {"type": "string", "minLength": 1},
                "maxLength": {"type": "string", "maxLength": 255},
                "date-time": {"type": "string", "format": "date-time"},
                "date": {"type": "string", "format": "date"},
                "time": {"type": "string", "format": "time"},
                "uri": {"type": "string", "format": "uri"},
                "uri-reference": {"type": "string", "format": "uri-reference"},
                "email": {"type": "string", "format": "email"},
                "uuid": {"type": "string", "format": "uuid"},
                "hostname": {"type": "string", "format": "hostname"},
                "ipv4": {"type": "string", "format": "ipv4"},
                "lower": {"type": "string", "pattern": "^[a-z]+$"},
                "letters": {"type": "string", "pattern": "^[A-Za-z]+$"},
                "alphanumeric": {"type": "string", "pattern": "^[A-Za-z0-9]+$"},
                "slug": {"type": "string", "pattern": "^[a-z0-9-]+$"},
                "word": {"type": "string", "pattern": "^\\w+$"},
                "name": {"type": "string", "pattern": "^[\\w-]+$"},
                "hex": {"type": "string", "pattern": "^[0-9a-fA-F]+$"}
            }
        }"#,
        concat!(
            r#"{"minLength": "a b", "maxLength": "a b", "date-time": "2026-11-22T13:53:40.5Z", "#,
            r#""date": "2026-11-22", "time": "13:53:40+01:00", "#,
            r#""uri": "https://www.example.com:80/a/b?c=d#e", "uri-reference": "../a/b?c=d#e", "#,
            r#""email": "john.doe@example.com", "uuid": "12345678-90ab-4cde-8f01-234567890abc", "#,
            r#""hostname": "www.example.com", "ipv4": "192.168.0.1", "lower": "ab", "#,
            r#""letters": "ab", "alphanumeric": "ab", "slug": "ab", "word": "ab", "name": "ab", "#,
            r#""hex": "ab"}"#
        ),
    ),
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
            r#"{"string": "a b", "integer": -12, "number": 1.5e16, "boolean": true, "null": null, "#,
            r#""strings": ["a", ""], "object": {"a b": {"c": ["d", 0.5, false]}, "e": "\n\u00e9"}, "#,
            r#""closed": {"any": [{"f": 7}]}, "other": "g"}"#
        ),
    ),
];

/// An engine for JSON Schemas, with the tables that nearly every schema needs: it is ready some
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
    for (schema, document) in SCHEMAS {
        rehearse(schema_constraint(&engine, schema, options)?, document);
    }
    engine.keep_tables();
    Ok(engine)
}

/// Reads a text, with the mask of each place; whether to its end. That the vocabulary cannot spell it, or the
/// options spell it otherwise, is no matter: what has been made until then is there.
fn rehearse(mut constraint: Constraint, text: &str) -> bool {
    let engine = Arc::clone(constraint.engine());
    let Ok(tokens) = engine.vocabulary().encode_longest(text) else { return false };
    for token in tokens {
        constraint.mask();
        if constraint.accept(token).is_err() {
            return false;
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
        for (schema, document) in SCHEMAS {
            let constraint = schema_constraint(&engine, schema, &Options::default());
            let constraint = constraint.expect("a schema that can be translated");
            assert!(rehearse(constraint, document), "{document}");
        }
    }
}
