//! The way in.

use std::collections::HashSet;

use grammask_gbnf::Grammar;
use serde_json::Value;

use crate::emit::{Emitted, Reachable, emit};
use crate::error::SchemaError;
use crate::load::{Retrieved, load};
use crate::normalise::Normaliser;
use crate::options::{Options, Whitespace};
use crate::read::Reader;
use crate::report::{Report, Spelling};
use crate::resolve::Document;
use crate::resources::Resources;
use crate::syntax::{ElementValue, Syntax};

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
    translate_in(schema, None, options, resources).map(|found| found.translation)
}

/// The grammar of the arguments of a call, and how they are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arguments {
    /// The grammar and its report. It is not satisfiable if no object is valid.
    pub translation: Translation,
    /// For [`Syntax::Elements`] how the values of keys are written, in the order of the schema.
    pub elements: Vec<(String, ElementValue)>,
    /// The same for all other keys; `None`: there are none.
    pub other_elements: Option<ElementValue>,
}

/// Translates a schema into a grammar of those of its valid instances that are objects, written in a
/// syntax.
///
/// # Errors
///
/// As [`translate_with`]; also if the syntax cannot carry a key or a value that the schema names.
///
/// # Example
///
/// ```
/// use grammask_json_schema::{Elements, Options, Syntax, translate_object};
/// use grammask_gbnf::{Automaton, Matcher};
/// use serde_json::json;
///
/// let syntax = Syntax::Elements(Elements {
///     open: "<arg ".into(),
///     after_key: ">".into(),
///     before_text: String::new(),
///     before_json: String::new(),
///     close: "</arg>".into(),
///     stop: "</arg>".into(),
///     tokens: Vec::new(),
/// });
/// let schema = json!({
///     "type": "object",
///     "properties": {"path": {"type": "string"}, "lines": {"type": "integer"}},
///     "required": ["path"],
/// });
/// let found = translate_object(&schema, &syntax, &Options::default())?;
/// let mut matcher = Matcher::new(&Automaton::compile(&found.translation.grammar, "root")?);
/// matcher.advance(b"<arg lines>12</arg><arg path>a \"b\"\n<c></arg>")?;
/// assert!(matcher.is_complete());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn translate_object(
    schema: &Value,
    syntax: &Syntax,
    options: &Options,
) -> Result<Arguments, SchemaError> {
    let mut options = options.clone();
    if let Syntax::Dict(_) = syntax {
        options.whitespace = Whitespace::Compact;
    }
    translate_in(schema, Some(syntax), &options, &Resources::new())
}

fn translate_in(
    schema: &Value,
    syntax: Option<&Syntax>,
    options: &Options,
    resources: &Resources<'_>,
) -> Result<Arguments, SchemaError> {
    let retrieved = Retrieved::new();
    let bundle = load(schema, options, resources, &retrieved)?;
    let reader = Reader::new(Document::new(bundle), options);
    let mut normaliser = Normaliser::new(reader);
    let reachable = Reachable::find(&mut normaliser, syntax)?;
    normaliser.reader.settle(&reachable.refused);
    // Before anything is written: there may be much of it.
    normaliser.reader.verdict()?;
    let Emitted { grammar, satisfiable, elements } = emit(&mut normaliser, reachable, syntax)?;
    let (declared, other_elements) = elements;
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
    let elements = declared.into_iter().map(|(key, value)| (key.to_string(), value)).collect();
    Ok(Arguments { translation: Translation { grammar, report }, elements, other_elements })
}
