//! From the text of a grammar or schema to a constraint.

use std::sync::Arc;

use grammask_gbnf::{Diagnostics, Grammar};
use grammask_json_schema::{Options, SchemaError, TextError, parse_schema, translate};
use grammask_sampler::{Constraint, ConstraintError, Engine, LazyError};
use thiserror::Error;

/// Why a text gives no constraint.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConstrainError {
    /// The grammar has mistakes.
    #[error(transparent)]
    Grammar(#[from] Diagnostics),
    /// The schema is not JSON.
    #[error("the schema is not JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The schema has no translation.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// The grammar does not compile on the vocabulary.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
    /// A trigger cannot be searched for.
    #[error(transparent)]
    Lazy(#[from] LazyError),
}

impl From<TextError> for ConstrainError {
    fn from(error: TextError) -> Self {
        match error {
            TextError::Json(error) => Self::Json(error),
            TextError::Limit(error) => Self::Schema(error),
        }
    }
}

/// Parses and checks a grammar with the start rule `root`: besides what
/// [`gbnf::parse`](crate::gbnf::parse()) refuses, a grammar that matches nothing is refused.
/// Warnings are dropped.
///
/// # Errors
///
/// All mistakes of the grammar.
///
/// ```
/// use grammask::parse_grammar;
///
/// assert!(parse_grammar("root ::= \"a\"*", "root").is_ok());
/// let mistakes = parse_grammar("root ::= \"a\" root", "root").unwrap_err();
/// assert_eq!(mistakes.len(), 1);
/// ```
pub fn parse_grammar(text: &str, root: &str) -> Result<Grammar, Diagnostics> {
    let grammar = Grammar::parse(text)?;
    let found = Diagnostics::new(text, grammar.check(root));
    if found.has_errors() { Err(found) } else { Ok(grammar) }
}

/// The grammar of a JSON Schema; its start rule is `root`.
///
/// # Errors
///
/// [`ConstrainError::Json`], [`ConstrainError::Schema`].
///
/// ```
/// use grammask::{json_schema::Options, schema_grammar};
///
/// let grammar = schema_grammar(r#"{"enum": ["yes", "no"]}"#, &Options::default())?;
/// assert!(grammar.to_string().starts_with("root ::="));
/// # Ok::<(), grammask::ConstrainError>(())
/// ```
pub fn schema_grammar(schema: &str, options: &Options) -> Result<Grammar, ConstrainError> {
    let schema = parse_schema(schema.as_bytes(), &options.limits)?;
    Ok(translate(&schema, options)?.grammar)
}

/// A constraint to the texts of a grammar with the start rule `root`.
///
/// # Errors
///
/// [`ConstrainError::Grammar`], [`ConstrainError::Constraint`].
///
/// ```
/// use grammask::grammar_constraint;
/// use grammask::sampler::{Engine, Vocabulary};
///
/// let engine = Engine::new(Vocabulary::from_name("r50k_base")?);
/// let constraint = grammar_constraint(&engine, "root ::= [0-9]", "root")?;
/// assert_eq!(constraint.mask().count(), 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn grammar_constraint(
    engine: &Arc<Engine>,
    grammar: &str,
    root: &str,
) -> Result<Constraint, ConstrainError> {
    Ok(Constraint::new(engine, &parse_grammar(grammar, root)?, root)?)
}

/// A constraint to the valid documents of a JSON Schema. If there are none it allows no token.
///
/// # Errors
///
/// [`ConstrainError::Json`], [`ConstrainError::Schema`], [`ConstrainError::Constraint`].
///
/// ```
/// use grammask::{json_schema::Options, schema_constraint};
/// use grammask::sampler::{Engine, TokenId, Vocabulary};
///
/// let engine = Engine::new(Vocabulary::from_name("o200k_base")?);
/// let constraint = schema_constraint(&engine, r#"{"const": 7}"#, &Options::default())?;
/// assert_eq!(constraint.mask().tokens().collect::<Vec<_>>(), [TokenId(22)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn schema_constraint(
    engine: &Arc<Engine>,
    schema: &str,
    options: &Options,
) -> Result<Constraint, ConstrainError> {
    Ok(Constraint::new(engine, &schema_grammar(schema, options)?, "root")?)
}
