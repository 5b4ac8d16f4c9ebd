//! Drafts from the grammar itself.

use std::error::Error;

use super::draft::Drafter;
use super::history::History;
use crate::{Constraint, TokenId};

/// Drafts the tokens of the text that must come next, whatever the model says: those of
/// [`Constraint::forced_tokens`](crate::Constraint::forced_tokens).
///
/// The tokenizer of the model spells them, for a built-in vocabulary
/// [`Vocabulary::encode`](crate::Vocabulary::encode). A model may spell a text in another way, so that
/// they are a draft like any other; whoever wants them whatever the model says accepts them unverified.
/// No parameters; nothing is held.
///
/// ```
/// use grammask_gbnf::parse;
/// use grammask_sampler::{Constraint, Drafts, Engine, Forced, Vocabulary};
///
/// let engine = Engine::new(Vocabulary::from_name("r50k_base")?);
/// let vocabulary = engine.vocabulary().clone();
/// let mut drafts = Drafts::default();
/// drafts.add(Forced::new(move |text: &str| vocabulary.encode(text)));
/// let constraint = Constraint::new(&engine, &parse(r#"root ::= "the name" [0-9]"#)?, "root")?;
/// assert_eq!(drafts.draft(&constraint, 8)?, engine.vocabulary().encode("the name")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Forced<F> {
    encode: F,
}

impl<F> Forced<F> {
    /// With the tokenizer of the model, for text in which no control token counts.
    pub fn new(encode: F) -> Self {
        Self { encode }
    }
}

impl<F, E> Drafter for Forced<F>
where
    F: FnMut(&str) -> Result<Vec<TokenId>, E> + Send,
    E: Into<Box<dyn Error + Send + Sync>>,
{
    fn name(&self) -> &'static str {
        "forced"
    }

    fn draft(
        &mut self,
        history: &History,
        constraint: &Constraint,
    ) -> Result<Vec<TokenId>, Box<dyn Error + Send + Sync>> {
        // The prompt is no part of what the grammar reads, and its last word no part of the first one.
        let generated = constraint.len().min(history.tokens().len());
        let before = history.last(generated).unwrap_or_default();
        constraint.forced_tokens(before, &mut self.encode).map_err(Into::into)
    }
}
