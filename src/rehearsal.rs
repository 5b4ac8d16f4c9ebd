//! What all schemas have in common, made before the first of them comes.

use std::sync::Arc;

use grammask_json_schema::Options;
use grammask_sampler::{Constraint, Engine, Vocabulary};

use crate::constrain::{ConstrainError, schema_constraint};

/// A schema with each type, and beside it any value.
const SCHEMA: &str = r#"{
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
}"#;

/// A document of it.
const DOCUMENT: &str = concat!(
    r#"{"string": "a b", "integer": -12, "number": 1.5e3, "boolean": true, "null": null, "#,
    r#""strings": ["a", ""], "object": {"a b": {"c": ["d", 0.5, false]}, "e": "\n\u00e9"}, "#,
    r#""closed": {"any": [{"f": 7}]}, "other": "g"}"#
);

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
    let constraint = schema_constraint(&engine, SCHEMA, options)?;
    rehearse(constraint, DOCUMENT);
    Ok(engine)
}

/// Reads a text, with the mask of each place. That the vocabulary cannot spell it, or the options
/// spell it otherwise, is no matter: what has been made until then is there.
fn rehearse(mut constraint: Constraint, text: &str) {
    let engine = Arc::clone(constraint.engine());
    let Ok(tokens) = engine.vocabulary().encode(text) else { return };
    for token in tokens {
        constraint.mask();
        if constraint.accept(token).is_err() {
            return;
        }
    }
}
