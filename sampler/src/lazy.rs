//! Free text with constrained parts: lazy grammars, and thinking before a strict answer.
//!
//! A [`LazyGrammar`] says what begins a constrained part. `search.rs` looks for that in the text,
//! `suspects.rs` in the tokens that may come next; `reading.rs` goes from free text to what is
//! constrained and back, `free_mask.rs` has the masks, and `within.rs` what of them fits in a budget.

mod ecmascript;
mod error;
mod free_mask;
mod reading;
mod recent;
mod search;
mod suspects;
mod thinking_budget;
mod trigger;
mod within;
mod word;

use std::sync::Arc;

pub use error::{LazyError, PatternError, PatternProblem};
pub(crate) use reading::{Lazy, Phase, Plan};
pub use thinking_budget::ThinkingBudget;
pub use trigger::Trigger;

use crate::constraint::Constraint;
use crate::engine::Engine;

/// A grammar that waits for a trigger: before it any text may come, from there on what a constraint
/// allows. See `docs/agents.md`.
///
/// In free text every token is allowed, but those in which a trigger is complete and what is to be
/// read from there on does not fit. Where several triggers are complete with one token, tokens come
/// before words and patterns, and otherwise the one that was added first.
///
/// ```
/// use grammask_gbnf::parse;
/// use grammask_sampler::{Constraint, Engine, LazyGrammar, TokenId, Trigger, Vocabulary};
///
/// let engine = Engine::new(Vocabulary::from_json(r#"{"tokens": ["a", "<", "7", ">", "<8"]}"#)?);
/// let call = Constraint::new(&engine, &parse(r#"root ::= "<" [0-7] ">""#)?, "root")?;
/// let mut constraint =
///     LazyGrammar::new().trigger(Trigger::word("<"), call).rearm().build(&engine)?;
/// // "<8" would begin a call that is none.
/// assert_eq!(constraint.mask().tokens().map(|id| id.0).collect::<Vec<_>>(), [0, 1, 2, 3]);
/// constraint.accept(TokenId(1))?;
/// assert_eq!(constraint.mask().tokens().map(|id| id.0).collect::<Vec<_>>(), [2]);
/// constraint.accept(TokenId(2))?;
/// constraint.accept(TokenId(3))?;
/// assert_eq!(constraint.mask().tokens().map(|id| id.0).collect::<Vec<_>>(), [0, 1, 2, 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct LazyGrammar {
    triggers: Vec<(Trigger, Constraint)>,
    rearm: bool,
    required: bool,
    budget: Option<ThinkingBudget>,
}

impl LazyGrammar {
    /// Without triggers, which must be added.
    pub fn new() -> Self {
        Self::default()
    }

    /// What begins a constrained part, and what is allowed there: a constraint as it is now, mostly
    /// at its start, of the same engine. It may be lazy itself: think first, then answer with calls.
    #[must_use]
    pub fn trigger(mut self, trigger: Trigger, target: Constraint) -> Self {
        self.triggers.push((trigger, target));
        self
    }

    /// Free text comes again behind a constrained part: where that is complete and the next byte does
    /// not go on with it. It reads as far as it can; what it has read is not given back. By default
    /// nothing but the end follows.
    #[must_use]
    pub fn rearm(mut self) -> Self {
        self.rearm = true;
        self
    }

    /// The text may not end before a trigger. By default it may, as with a tool that may be called
    /// but need not.
    #[must_use]
    pub fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Limits the free text, each part of it.
    ///
    /// ```
    /// use grammask_gbnf::parse;
    /// use grammask_sampler::{ThinkingBudget, Constraint, Engine, LazyGrammar, TokenId, Trigger, Vocabulary};
    ///
    /// let json = r#"{"tokens": ["hm", "!", "yes", "</think>"], "control": [3]}"#;
    /// let engine = Engine::new(Vocabulary::from_json(json)?);
    /// let answer = Constraint::new(&engine, &parse(r#"root ::= "yes""#)?, "root")?;
    /// let end = TokenId(3);
    /// let mut constraint = LazyGrammar::new()
    ///     .trigger(Trigger::token(end).behind(), answer.clone())
    ///     .required()
    ///     .budget(ThinkingBudget::new(2, "!", answer).token(end))
    ///     .build(&engine)?;
    /// let mut allowed = Vec::new();
    /// for token in [0, 0, 1, 3, 2] {
    ///     allowed.push(constraint.mask().count());
    ///     constraint.accept(TokenId(token))?;
    /// }
    /// assert_eq!(allowed, [4, 4, 1, 1, 1]);
    /// assert!(constraint.is_complete());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn budget(mut self, budget: ThinkingBudget) -> Self {
        self.budget = Some(budget);
        self
    }

    /// Compiles the triggers.
    ///
    /// # Errors
    ///
    /// [`LazyError`].
    pub fn build(&self, engine: &Arc<Engine>) -> Result<Constraint, LazyError> {
        Ok(Constraint::lazy(engine, Plan::new(self, engine)?))
    }
}
