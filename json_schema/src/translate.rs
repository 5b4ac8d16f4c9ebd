//! The way in.

use std::collections::HashSet;

use grammask_gbnf::Grammar;
use serde_json::Value;

use crate::emit::{Emitted, Reachable, emit};
use crate::error::SchemaError;
use crate::load::{Retrieved, load};
use crate::normalise::Normaliser;
use crate::options::Options;
use crate::read::Reader;
use crate::report::{Report, Spelling};
use crate::resolve::Document;
use crate::resources::Resources;

/// A grammar and what it enforces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translation {
    /// The grammar; its start rule is `root`.
    pub grammar: Grammar,
    /// What became of each keyword.
    pub report: Report,
}

/// Translates a schema into a grammar of its valid instances.
///
/// A schema without any valid instance has a translation: the grammar that matches nothing, with
/// a report that says so.
///
/// # Errors
///
/// [`SchemaError`] if the schema is not one, if a reference leads nowhere or back to itself, if a
/// keyword cannot be enforced (unless lenient; all of them at once), or if a limit is reached.
///
/// # Example
///
/// ```
/// use grammask_json_schema::{Options, SchemaErrorKind, translate};
/// use serde_json::json;
///
/// let error = translate(&json!({"items": {"pattern": "(a)\\1"}}), &Options::default()).unwrap_err();
/// assert_eq!(error.pointer(), "/items/pattern");
/// assert!(matches!(error.kind(), SchemaErrorKind::Unsupported(keywords) if keywords.len() == 1));
/// ```
pub fn translate(schema: &Value, options: &Options) -> Result<Translation, SchemaError> {
    translate_with(schema, options, &Resources::new())
}

/// Translates a schema that refers to other documents: see [`Resources`].
///
/// # Errors
///
/// As [`translate`].
pub fn translate_with(
    schema: &Value,
    options: &Options,
    resources: &Resources<'_>,
) -> Result<Translation, SchemaError> {
    let retrieved = Retrieved::new();
    let bundle = load(schema, options, resources, &retrieved)?;
    let reader = Reader::new(Document::new(bundle), options);
    let mut normaliser = Normaliser::new(reader);
    let reachable = Reachable::find(&mut normaliser)?;
    normaliser.reader.settle(&reachable.refused);
    // Before anything is written: there may be much of it.
    normaliser.reader.verdict()?;
    let Emitted { grammar, satisfiable } = emit(&mut normaliser, reachable)?;
    let mut reader = normaliser.reader;
    reader.verdict()?;
    if reader.document.has_scopes() {
        // A subschema was read in each of them.
        let mut seen = HashSet::new();
        reader.entries.retain(|entry| seen.insert(entry.pointer.clone()));
    }
    let report = Report {
        spelling: Spelling::of(options),
        satisfiable,
        entries: reader.entries,
        notes: reader.notes,
    };
    Ok(Translation { grammar, report })
}
