//! Where drafts come from: several drafters, asked in order.

use std::error::Error;

use super::history::History;
use crate::{Constraint, TokenId};

/// Guesses what comes next, sooner than the model could say it.
///
/// ```
/// use grammask_gbnf::parse;
/// use grammask_sampler::{
///     Constraint, Drafter, Drafts, Engine, History, TokenId, Vocabulary,
/// };
///
/// /// The last token once more.
/// struct Again;
///
/// impl Drafter for Again {
///     fn name(&self) -> &'static str {
///         "again"
///     }
///     fn draft(
///         &mut self,
///         history: &History,
///         _: &Constraint,
///     ) -> Result<Vec<TokenId>, Box<dyn std::error::Error + Send + Sync>> {
///         Ok(history.last(1).unwrap_or_default().to_vec())
///     }
/// }
///
/// let engine = Engine::new(Vocabulary::from_json(r#"{"tokens": ["a", "b"]}"#)?);
/// let mut constraint = Constraint::new(&engine, &parse(r#"root ::= "aa" "b""#)?, "root")?;
/// let mut drafts = Drafts::default();
/// drafts.add(Again);
/// constraint.accept(TokenId(0))?;
/// drafts.accept(&[TokenId(0)]);
/// assert_eq!(drafts.draft(&constraint, 8)?, [TokenId(0)]);
/// // What the grammar refuses is no draft.
/// constraint.accept(TokenId(0))?;
/// drafts.accept(&[TokenId(0)]);
/// assert_eq!(drafts.draft(&constraint, 8)?, []);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Drafter: Send {
    /// The name, as llama.cpp has it where there is one.
    fn name(&self) -> &'static str;

    /// Tokens that may come next; none, if there is nothing to go by. `history` is the text so far,
    /// prompt included, which has only grown since the last call unless [`reset`](Self::reset) came
    /// between; `constraint` is what has been generated of it. The same calls give the same drafts.
    ///
    /// # Errors
    ///
    /// Whatever may go wrong, as in a tokenizer.
    fn draft(
        &mut self,
        history: &History,
        constraint: &Constraint,
    ) -> Result<Vec<TokenId>, Box<dyn Error + Send + Sync>>;

    /// Learns what has become of its last draft: so many of its first `drafted` tokens were verified,
    /// and so many of those came true.
    fn judge(&mut self, drafted: usize, accepted: usize) {
        let _ = (drafted, accepted);
    }

    /// Begins with a new text.
    fn reset(&mut self) {}
}

/// Drafters that are asked in order. The first draft with a token that the grammar allows is taken,
/// up to the first one that it refuses.
///
/// It holds the last 65,536 tokens of the text, up to twice as many at times; see
/// [`with_history`](Self::with_history). Each drafter names the bound of what it holds.
/// Source: `common_speculative_draft` of llama.cpp, which does not ask the grammar.
///
/// ```
/// use grammask_gbnf::parse;
/// use grammask_sampler::{
///     Constraint, Drafts, Engine, Forced, NgramMap, NgramSimple, TokenId, Vocabulary,
/// };
///
/// let engine = Engine::new(Vocabulary::from_name("o200k_base")?);
/// let vocabulary = engine.vocabulary().clone();
/// let constraint = Constraint::new(&engine, &parse(r#"root ::= "{\"name\": " [0-9]+ "}""#)?, "root")?;
/// let mut drafts = Drafts::default();
/// drafts.add(Forced::new(move |text: &str| vocabulary.encode(text)));
/// drafts.add(NgramSimple::default()).add(NgramMap::default());
///
/// let draft = drafts.draft(&constraint, 64)?;
/// assert_eq!(draft, engine.vocabulary().encode("{\"name\": ")?);
/// // The model is asked for all of them at once, and what comes out is accepted.
/// drafts.accept(&draft);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Drafts {
    drafters: Vec<Box<dyn Drafter>>,
    history: History,
    /// The last draft, and whose it was.
    last: Option<(usize, Vec<TokenId>)>,
}

/// How much of a text is kept.
const HISTORY: usize = 1 << 16;

impl Default for Drafts {
    /// No drafters.
    fn default() -> Self {
        Self::with_history(HISTORY)
    }
}

impl Drafts {
    /// No drafters; at least so many of the last tokens are kept, and at most twice as many.
    pub fn with_history(least: usize) -> Self {
        Self { drafters: Vec::new(), history: History::new(least), last: None }
    }

    /// Adds a drafter, which is asked behind the others.
    pub fn add(&mut self, drafter: impl Drafter + 'static) -> &mut Self {
        self.drafters.push(Box::new(drafter));
        self
    }

    /// The names of the drafters, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.drafters.iter().map(|drafter| drafter.name())
    }

    /// The text so far.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Takes in tokens of the prompt, before the first draft.
    pub fn observe(&mut self, prompt: &[TokenId]) {
        self.history.extend(prompt);
        self.last = None;
    }

    /// A draft of at most so many tokens, none of which the grammar refuses; empty, if no drafter has
    /// one. It may end with a token that ends generation. The constraint stays where it is.
    ///
    /// # Errors
    ///
    /// [`DraftError`], with the name of the drafter that failed.
    pub fn draft(
        &mut self,
        constraint: &Constraint,
        most: usize,
    ) -> Result<Vec<TokenId>, DraftError> {
        self.last = None;
        if most == 0 || constraint.is_ended() {
            return Ok(Vec::new());
        }
        for (at, drafter) in self.drafters.iter_mut().enumerate() {
            let name = drafter.name();
            let mut draft = drafter
                .draft(&self.history, constraint)
                .map_err(|source| DraftError::Drafter { drafter: name, source })?;
            draft.truncate(most);
            let mut reader = constraint.clone();
            let allowed = draft.iter().take_while(|&&token| reader.accept(token).is_ok()).count();
            draft.truncate(allowed);
            if !draft.is_empty() {
                self.last = Some((at, draft.clone()));
                return Ok(draft);
            }
        }
        Ok(Vec::new())
    }

    /// Takes in the tokens that have come, which are those of a verified draft
    /// ([`Verified::tokens`](crate::Verified::tokens)) or were sampled one by one; if there was a draft,
    /// its drafter learns how many of it came true.
    pub fn accept(&mut self, tokens: &[TokenId]) {
        if let Some((at, draft)) = self.last.take() {
            let accepted = draft.iter().zip(tokens).take_while(|(a, b)| a == b).count();
            self.drafters[at].judge(draft.len(), accepted);
        }
        self.history.extend(tokens);
    }

    /// Begins with a new text. What drafters have learned of others stays.
    pub fn reset(&mut self) {
        self.history.clear();
        self.last = None;
        self.drafters.iter_mut().for_each(|drafter| drafter.reset());
    }
}

impl std::fmt::Debug for Drafts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Drafts")
            .field("drafters", &self.names().collect::<Vec<_>>())
            .field("history", &self.history.range())
            .finish_non_exhaustive()
    }
}

/// Why there is no drafter, or no draft.
///
/// ```
/// use grammask_sampler::{NgramSimple, NgramSimpleSettings};
///
/// let error = NgramSimple::new(NgramSimpleSettings { n: 0, m: 48 }).unwrap_err();
/// assert_eq!(error.to_string(), "n of drafter ngram-simple must be from 1 to 1024, not 0");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DraftError {
    /// A setting out of its range.
    #[error("{parameter} of drafter {drafter} must be from {least} to {most}, not {value}")]
    Parameter {
        /// The name of the drafter.
        drafter: &'static str,
        /// The name of the setting.
        parameter: &'static str,
        /// The least that it may be.
        least: usize,
        /// The most that it may be.
        most: usize,
        /// What it is.
        value: usize,
    },
    /// A drafter has failed.
    #[error("drafter {drafter}: {source}")]
    Drafter {
        /// Its name.
        drafter: &'static str,
        /// What it says.
        source: Box<dyn Error + Send + Sync>,
    },
}

/// The value of a setting, if it is in its range.
pub(super) fn within(
    drafter: &'static str,
    parameter: &'static str,
    value: usize,
    (least, most): (usize, usize),
) -> Result<usize, DraftError> {
    if (least..=most).contains(&value) {
        Ok(value)
    } else {
        Err(DraftError::Parameter { drafter, parameter, least, most, value })
    }
}

/// No n-gram and no draft is longer.
pub(super) const LONGEST: usize = 1024;
