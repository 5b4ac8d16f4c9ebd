//! One token after the other.

use std::ops::ControlFlow;

use grammask_sampler::{ConstraintError, SampleError, TokenId, Vocabulary};
use thiserror::Error;

use crate::model::{LanguageModel, ModelError};
use crate::session::Session;

/// What [`generate`] has written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generation {
    /// The tokens; one that ends generation is the last of them.
    pub tokens: Vec<TokenId>,
    /// Why there are no more.
    pub ending: Ending,
}

/// Why a generation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// An end-of-generation token was drawn.
    EndOfGeneration,
    /// The text is complete and nothing can follow it.
    Finished,
    /// The greatest number of tokens was reached; the text may be cut.
    MaxTokens,
    /// The callback wanted no more.
    Stopped,
}

impl Ending {
    /// Whether the text has come to its end.
    pub fn is_complete(self) -> bool {
        matches!(self, Self::EndOfGeneration | Self::Finished)
    }
}

impl Generation {
    /// What the tokens spell; control tokens spell nothing.
    pub fn text(&self, vocabulary: &Vocabulary) -> Vec<u8> {
        let text = self.tokens.iter().filter(|&&token| !vocabulary.is_control(token));
        text.filter_map(|&token| vocabulary.bytes(token)).flatten().copied().collect()
    }
}

/// Why a generation failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GenerationError {
    /// The model has no logits.
    #[error("the model failed: {0}")]
    Model(#[source] ModelError),
    /// No token could be picked.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// The picked token could not be read: a limit of the matcher, or a chain that selects a
    /// token that is no candidate.
    #[error(transparent)]
    Constraint(#[from] ConstraintError),
}

/// Goes on with an answer by up to `max_tokens` tokens that its constraint allows, and calls `on_token`
/// with each as it comes.
///
/// # Errors
///
/// [`GenerationError`]. No token may come next, in particular, if the vocabulary cannot spell what
/// the grammar asks for, or if the chain rules out all that it can.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use grammask::sampler::{Chain, Engine, Greedy, Mode, Vocabulary};
/// use grammask::{Ending, RandomModel, Session, generate, grammar_constraint};
///
/// let engine = Engine::new(Vocabulary::from_json(r#"{"tokens": ["a", "b", "</s>"], "eog": [2]}"#)?);
/// let constraint = grammar_constraint(&engine, "root ::= \"ab\"", "root")?;
/// let mut chain = Chain::new();
/// chain.add(Greedy);
/// let mut session = Session::new(constraint, chain, Mode::GrammarFirst);
/// let mut model = RandomModel::new(&engine, 1);
/// let generation = generate(&mut model, &mut session, 10, |_, _| ControlFlow::Continue(()))?;
/// assert_eq!(generation.text(engine.vocabulary()), b"ab");
/// assert_eq!(generation.ending, Ending::EndOfGeneration);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn generate<M: LanguageModel + ?Sized>(
    model: &mut M,
    session: &mut Session,
    max_tokens: usize,
    mut on_token: impl FnMut(&mut Session, TokenId) -> ControlFlow<()>,
) -> Result<Generation, GenerationError> {
    let start = session.tokens().len();
    let end = |session: &Session, ending| {
        Ok(Generation { tokens: session.tokens()[start..].to_vec(), ending })
    };
    // A vocabulary may have no token that ends generation.
    let may_end = !model.vocabulary().eog_ids().is_empty();
    loop {
        let constraint = session.constraint();
        let finished = !may_end && constraint.is_finished();
        if finished || constraint.is_ended() {
            let ending = if finished { Ending::Finished } else { Ending::EndOfGeneration };
            return end(session, ending);
        }
        if session.tokens().len() - start >= max_tokens {
            // What only lacks its end-of-generation token is not cut.
            let finished = constraint.is_finished();
            let ending = if finished { Ending::Finished } else { Ending::MaxTokens };
            return end(session, ending);
        }
        let logits = model.logits(session.context()).map_err(GenerationError::Model)?;
        let token = session.sample(logits)?;
        session.accept(token)?;
        if on_token(session, token).is_break() {
            return end(session, Ending::Stopped);
        }
    }
}
