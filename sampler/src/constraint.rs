//! A grammar on a vocabulary: which tokens may come next, and what has come.

use std::fmt;
use std::sync::Arc;

use grammask_gbnf::{
    AdvanceError, AdvanceErrorKind, Automaton, CompileError, Grammar, Matcher, TokenReference,
};

use crate::budget::BudgetError;
use crate::engine::Engine;
use crate::lazy::{Lazy, Phase, Plan};
use crate::mask::{MaskBuffer, TokenMask};
use crate::strict::{Piece, Strict};
use crate::token_id::TokenId;

/// What a grammar says about the next token. A clone costs O(1) and goes its own way.
///
/// ```
/// use grammask_gbnf::{Expr, Grammar};
/// use grammask_sampler::{Constraint, Engine, TokenId, Vocabulary};
///
/// let vocabulary = Vocabulary::from_json(r#"{"tokens": ["a", "b", "</s>"], "eog": [2]}"#)?;
/// let engine = Engine::new(vocabulary);
/// let mut grammar = Grammar::default();
/// grammar.add("root", Expr::literal("ab"));
/// let mut constraint = Constraint::new(&engine, &grammar, "root")?;
/// constraint.accept(TokenId(0))?;
/// assert!(constraint.accept(TokenId(0)).is_err());
/// constraint.accept(TokenId(1))?;
/// assert!(constraint.is_complete());
/// assert_eq!(constraint.mask().tokens().collect::<Vec<_>>(), [TokenId(2)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Constraint {
    engine: Arc<Engine>,
    reading: Reading,
    /// An end-of-generation token has been accepted.
    ended: bool,
    /// How many tokens may still come, if that is limited.
    budget: Option<usize>,
}

/// How the text is read.
#[derive(Clone, Debug)]
enum Reading {
    Strict(Strict),
    Lazy(Box<Lazy>),
}

impl Constraint {
    /// Compiles the rule `root` of a grammar for the vocabulary of an engine.
    ///
    /// # Errors
    ///
    /// [`ConstraintError::Compile`]; [`ConstraintError::NoSuchToken`] if the grammar refers to a
    /// token that the vocabulary does not have.
    pub fn new(
        engine: &Arc<Engine>,
        grammar: &Grammar,
        root: &str,
    ) -> Result<Self, ConstraintError> {
        let automaton = Automaton::compile_among(grammar, root, &engine.terms())
            .map_err(ConstraintError::Compile)?;
        Self::with_automaton(engine, &automaton)
    }

    /// A constraint from a grammar that is compiled already.
    ///
    /// # Errors
    ///
    /// [`ConstraintError::NoSuchToken`].
    pub fn with_automaton(
        engine: &Arc<Engine>,
        automaton: &Automaton,
    ) -> Result<Self, ConstraintError> {
        for reference in automaton.tokens() {
            if engine.resolve(reference).is_none() {
                return Err(ConstraintError::NoSuchToken(reference.clone()));
            }
        }
        let strict = Strict::new(Matcher::new(automaton));
        if automaton.has_independent_frames() {
            engine.tables.prepare(automaton);
            strict.read_ahead(engine);
        }
        Ok(Self {
            engine: Arc::clone(engine),
            reading: Reading::Strict(strict),
            ended: false,
            budget: None,
        })
    }

    pub(crate) fn lazy(engine: &Arc<Engine>, plan: Plan) -> Self {
        let reading = Reading::Lazy(Box::new(Lazy::new(plan)));
        Self { engine: Arc::clone(engine), reading, ended: false, budget: None }
    }

    /// The engine.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// The strict reading, unless it is lazy.
    pub(crate) fn strict(&self) -> Option<&Strict> {
        match &self.reading {
            Reading::Strict(strict) => Some(strict),
            Reading::Lazy(_) => None,
        }
    }

    /// The constraint whose masks are those of this one: where a lazy one is in a constrained part
    /// without a way back, that part's.
    pub(crate) fn deciding(&self) -> &Self {
        match &self.reading {
            Reading::Lazy(lazy) if !self.ended => lazy.inner().map_or(self, Self::deciding),
            _ => self,
        }
    }

    /// What this constraint and its clones share.
    pub(crate) fn shared(&self) -> *const () {
        match &self.reading {
            Reading::Strict(strict) => Arc::as_ptr(&strict.memo).cast(),
            Reading::Lazy(lazy) => Arc::as_ptr(lazy.plan()).cast(),
        }
    }

    /// Whether its grammar refers to tokens, so that more than their texts counts.
    pub(crate) fn has_tokens(&self) -> bool {
        self.matcher().is_none_or(|matcher| !matcher.automaton().tokens().is_empty())
    }

    /// The matcher below: what has been read, byte by byte. None while the text is free, before the
    /// trigger of a [`LazyGrammar`](crate::LazyGrammar); behind it that of the constrained part.
    pub fn matcher(&self) -> Option<&Matcher> {
        match &self.reading {
            Reading::Strict(strict) => Some(&strict.matcher),
            Reading::Lazy(lazy) => lazy.part()?.matcher(),
        }
    }

    /// The tokens that may come next. Those that end generation are among them exactly if the text
    /// is complete. After the end there are none; nor if it takes too much work to find them, see
    /// [`Constraint::is_too_ambiguous`].
    pub fn mask(&self) -> TokenMask {
        let mut mask = TokenMask::new(self.engine.vocabulary().len());
        self.fill_mask(&mut mask);
        mask
    }

    /// As [`Constraint::mask`], into a mask that is there already.
    ///
    /// # Panics
    ///
    /// If the mask is not as long as the vocabulary.
    pub fn fill_mask(&self, mask: &mut TokenMask) {
        assert_eq!(mask.len(), self.engine.vocabulary().len(), "a mask of another vocabulary");
        self.fill(mask);
    }

    /// As [`Constraint::mask`], straight into the words that an inference server hands out
    /// ([`TokenMask::words`]); words beyond the vocabulary become 0.
    ///
    /// # Panics
    ///
    /// If there are too few words for the vocabulary.
    ///
    /// ```
    /// use grammask_gbnf::parse;
    /// use grammask_sampler::{Constraint, Engine, Vocabulary};
    ///
    /// let engine = Engine::new(Vocabulary::from_json(r#"{"tokens": ["a", "b", "c"]}"#)?);
    /// let constraint = Constraint::new(&engine, &parse(r#"root ::= "a" | "c""#)?, "root")?;
    /// let mut words = [0; 1];
    /// constraint.fill_words(&mut words);
    /// assert_eq!(words, [0b101]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fill_words(&self, words: &mut [u32]) {
        let needed = self.engine.vocabulary().len().div_ceil(32);
        assert!(words.len() >= needed, "{} words for a mask of {needed}", words.len());
        self.fill(words);
    }

    /// Whether there are so many ways to read the text that what may come next is not found within
    /// the limit of work, some seconds: the mask is empty then, and tokens may still be accepted one
    /// by one. So it is only with a grammar that can read most texts in very many ways.
    ///
    /// ```
    /// use grammask_gbnf::parse;
    /// use grammask_sampler::{Constraint, Engine, Vocabulary};
    ///
    /// let engine = Engine::new(Vocabulary::from_json(r#"{"tokens": ["a", "b", "c"]}"#)?);
    /// let constraint = Constraint::new(&engine, &parse(r#"root ::= "a" | "c""#)?, "root")?;
    /// assert!(!constraint.is_too_ambiguous());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_too_ambiguous(&self) -> bool {
        !self.fill(&mut TokenMask::new(self.engine.vocabulary().len()))
    }

    /// Whether the tokens could be found.
    pub(crate) fn fill(&self, mask: &mut (impl MaskBuffer + ?Sized)) -> bool {
        let Some(left) = self.budget.filter(|_| !self.ended) else {
            return self.fill_language(mask);
        };
        let mut tokens = TokenMask::new(self.engine.vocabulary().len());
        let is_found = self.fill_language(&mut tokens);
        self.retain_within(left, &mut tokens);
        mask.assign(Some(&tokens));
        is_found
    }

    /// The mask, whatever the budget is.
    pub(crate) fn language(&self) -> TokenMask {
        let mut mask = TokenMask::new(self.engine.vocabulary().len());
        self.fill_language(&mut mask);
        mask
    }

    /// The same as [`Self::fill`] whatever the budget is.
    pub(crate) fn fill_language(&self, mask: &mut (impl MaskBuffer + ?Sized)) -> bool {
        if self.ended {
            mask.assign(None);
            return true;
        }
        match &self.reading {
            Reading::Strict(strict) => strict.fill(&self.engine, mask),
            Reading::Lazy(lazy) => lazy.fill(&self.engine, mask),
        }
    }

    /// As [`Self::fill_language`] where no look at the vocabulary is needed; whether that is so.
    pub(crate) fn fill_known(&self, mask: &mut TokenMask) -> bool {
        match &self.deciding().reading {
            Reading::Strict(strict) => strict.fill_known(&self.engine, mask),
            // It goes by free text, whose masks are mostly known.
            Reading::Lazy(lazy) => {
                lazy.fill(&self.engine, mask);
                true
            }
        }
    }

    /// Makes `tokens` the most that may still come, that at the end included: a promise that the text
    /// can be completed whatever is picked. Masks have only tokens after which that is still so; tokens
    /// that are taken back are given back.
    ///
    /// How many are needed is known for each rule of the grammar (see `docs/agents.md`), so that far
    /// from the end nothing is left out.
    ///
    /// # Errors
    ///
    /// If completing the text may take more, or no way to do so is known; the constraint stays as it
    /// was.
    ///
    /// ```
    /// use grammask_gbnf::parse;
    /// use grammask_sampler::{BudgetError, Constraint, Engine, Vocabulary};
    ///
    /// let tokens = r#"{"tokens": ["[", "]", "</s>"], "eog": [2]}"#;
    /// let engine = Engine::new(Vocabulary::from_json(tokens)?);
    /// let mut constraint = Constraint::new(&engine, &parse(r#"root ::= "[" root? "]""#)?, "root")?;
    /// let error = BudgetError::TooSmall { budget: 2, needed: 3, at_least: 3 };
    /// assert_eq!(constraint.set_budget(2), Err(error));
    /// constraint.set_budget(4)?;
    /// assert_eq!(constraint.mask().tokens().map(|token| token.0).collect::<Vec<_>>(), [0]);
    /// constraint.accept(grammask_sampler::TokenId(0))?;
    /// assert_eq!((constraint.budget(), constraint.needed()), (Some(3), Some(2)));
    /// // Another bracket would need two more tokens and the end.
    /// assert_eq!(constraint.mask().tokens().map(|token| token.0).collect::<Vec<_>>(), [1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_budget(&mut self, tokens: usize) -> Result<(), BudgetError> {
        match self.needed() {
            None => Err(BudgetError::Unknown),
            Some(needed) if needed <= tokens => {
                self.budget = Some(tokens);
                Ok(())
            }
            Some(needed) => {
                let at_least = match &self.reading {
                    Reading::Strict(strict) if self.is_empty() => {
                        strict.at_least(&self.engine) + self.end()
                    }
                    _ => 0,
                };
                Err(BudgetError::TooSmall { budget: tokens, needed, at_least })
            }
        }
    }

    /// How many tokens may still come, if that is limited.
    pub fn budget(&self) -> Option<usize> {
        self.budget
    }

    /// How many tokens complete the text, that at the end included: at most so many, whatever the
    /// vocabulary could do with less. Nothing if no way to complete it is known.
    pub fn needed(&self) -> Option<usize> {
        if self.ended { Some(0) } else { Some(self.needed_text()? + self.end()) }
    }

    /// The same without the token at the end.
    pub(crate) fn needed_text(&self) -> Option<usize> {
        match &self.reading {
            Reading::Strict(strict) => strict.needed(&self.engine),
            Reading::Lazy(lazy) => lazy.needed(&self.engine),
        }
    }

    /// The same after a piece of a token that may come.
    pub(crate) fn needed_after(&self, piece: Piece) -> Option<usize> {
        match &self.reading {
            Reading::Strict(strict) => strict.needed_after(piece, &self.engine),
            Reading::Lazy(lazy) => match lazy.inner() {
                Some(inner) if !matches!(lazy.phase(), Phase::Closing(_)) => {
                    inner.needed_after(piece)
                }
                _ => {
                    let mut lazy = lazy.clone();
                    lazy.read(piece, &self.engine).ok()?;
                    lazy.needed(&self.engine)
                }
            },
        }
    }

    /// The same after a text, of which nothing is a token that the grammar refers to.
    pub(crate) fn needed_after_text(&self, text: &[u8]) -> Option<usize> {
        let strict = self.strict().filter(|_| !self.has_tokens())?;
        let mut strict = strict.clone();
        strict.matcher.advance(text).ok()?;
        strict.needed(&self.engine)
    }

    /// How many tokens the end takes.
    fn end(&self) -> usize {
        usize::from(!self.engine.vocabulary().eog_ids().is_empty())
    }

    /// Leaves of a mask the tokens after which so many tokens suffice.
    pub(crate) fn retain_within(&self, left: usize, mask: &mut TokenMask) {
        match &self.reading {
            Reading::Strict(strict) => strict.retain_within(left, self.end(), &self.engine, mask),
            Reading::Lazy(lazy) => lazy.retain_within(left, self.end(), &self.engine, mask),
        }
    }

    /// Whether a token may come next; without computing a mask. `false` also where a limit of the
    /// matcher is reached.
    pub fn allows(&self, token: TokenId) -> bool {
        self.probe(token, u64::MAX) == Some(true) && self.is_within_budget(token)
    }

    /// Whether the budget suffices after a token that the language allows.
    fn is_within_budget(&self, token: TokenId) -> bool {
        let Some(left) = self.budget else { return true };
        let needed = if self.engine.vocabulary().is_eog(token) {
            Some(0)
        } else {
            self.needed_after(Piece::whole(token)).map(|needed| needed + self.end())
        };
        needed.is_some_and(|needed| needed < left)
    }

    /// Whether a token may come next; nothing where a limit of the matcher is reached, or `most_work`.
    pub(crate) fn probe(&self, token: TokenId, most_work: u64) -> Option<bool> {
        let vocabulary = self.engine.vocabulary();
        if self.ended || vocabulary.bytes(token).is_none() {
            return Some(false);
        }
        if vocabulary.is_eog(token) {
            return Some(self.is_complete());
        }
        self.probe_piece(Piece::whole(token), most_work)
    }

    /// As [`Constraint::probe`], of a piece of a token that does not end generation.
    pub(crate) fn probe_piece(&self, piece: Piece, most_work: u64) -> Option<bool> {
        match &self.reading {
            Reading::Strict(strict) => strict.probe(piece, &self.engine, most_work),
            Reading::Lazy(lazy) => lazy.probe(piece, &self.engine, most_work),
        }
    }

    /// Reads a token.
    ///
    /// # Errors
    ///
    /// If the vocabulary does not have it, if the grammar does not allow it, after the end, or if
    /// a limit of the matcher is reached. The constraint stays as it was.
    pub fn accept(&mut self, token: TokenId) -> Result<(), ConstraintError> {
        if self.budget.is_some() {
            *self = self.after(token)?;
            return Ok(());
        }
        self.take(token)
    }

    /// The constraint behind a token.
    pub(crate) fn after(&self, token: TokenId) -> Result<Self, ConstraintError> {
        let mut after = self.clone();
        after.take(token)?;
        Ok(after)
    }

    /// As [`Constraint::accept`], but where that fails for the budget, it does not stay as it was.
    fn take(&mut self, token: TokenId) -> Result<(), ConstraintError> {
        let vocabulary = self.engine.vocabulary();
        if self.ended {
            return Err(ConstraintError::AfterEnd { token });
        }
        if vocabulary.bytes(token).is_none() {
            return Err(ConstraintError::UnknownToken { token, len: vocabulary.len() });
        }
        let is_end = vocabulary.is_eog(token);
        if is_end && !self.is_complete() {
            return Err(ConstraintError::Refused { token });
        }
        if is_end {
            self.ended = true;
        } else {
            self.read(Piece::whole(token))?;
        }
        let Some(left) = self.budget else { return Ok(()) };
        if self.needed().is_none_or(|needed| needed >= left) {
            return Err(ConstraintError::OverBudget { token, left });
        }
        self.budget = Some(left - 1);
        Ok(())
    }

    /// Reads a piece of a token that does not end generation.
    pub(crate) fn read(&mut self, piece: Piece) -> Result<(), ConstraintError> {
        match &mut self.reading {
            Reading::Strict(strict) => {
                strict.read(piece, &self.engine).map_err(|error| match error.kind() {
                    AdvanceErrorKind::Refused => ConstraintError::Refused { token: piece.token },
                    _ => ConstraintError::Matcher(error),
                })
            }
            Reading::Lazy(lazy) => lazy.read(piece, &self.engine),
        }
    }

    /// Whether the text so far is in the language, or may end where it is free.
    pub fn is_complete(&self) -> bool {
        match &self.reading {
            Reading::Strict(strict) => strict.matcher.is_complete(),
            Reading::Lazy(lazy) => lazy.is_complete(&self.engine),
        }
    }

    /// Whether nothing but the end may follow: the text so far is complete, and only that.
    ///
    /// ```
    /// use grammask_gbnf::parse;
    /// use grammask_sampler::{Constraint, Engine, TokenId, Vocabulary};
    ///
    /// let engine = Engine::new(Vocabulary::from_json(r#"{"tokens": ["a", "b"]}"#)?);
    /// let mut constraint = Constraint::new(&engine, &parse(r#"root ::= "a""#)?, "root")?;
    /// assert!(!constraint.is_finished());
    /// constraint.accept(TokenId(0))?;
    /// assert!(constraint.is_finished());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_finished(&self) -> bool {
        match &self.reading {
            Reading::Strict(strict) => strict.matcher.is_finished(),
            Reading::Lazy(lazy) => lazy.inner().is_some_and(Self::is_finished),
        }
    }

    /// Whether an end-of-generation token has been accepted.
    pub fn is_ended(&self) -> bool {
        self.ended
    }

    /// Number of tokens read.
    pub fn len(&self) -> usize {
        let len = match &self.reading {
            Reading::Strict(strict) => strict.matcher.steps(),
            Reading::Lazy(lazy) => lazy.len(),
        };
        len + usize::from(self.ended)
    }

    /// Whether no token has been read.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many tokens can be taken back besides all of them: those of a grammar, and at least the
    /// last 1,024 of free text, of which no more is kept.
    ///
    /// ```
    /// use grammask_gbnf::parse;
    /// use grammask_sampler::{Constraint, Engine, TokenId, Vocabulary};
    ///
    /// let engine = Engine::new(Vocabulary::from_json(r#"{"tokens": ["a", "b"]}"#)?);
    /// let mut constraint = Constraint::new(&engine, &parse(r#"root ::= "a"+"#)?, "root")?;
    /// constraint.accept(TokenId(0))?;
    /// assert_eq!(constraint.rollback_limit(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rollback_limit(&self) -> usize {
        let limit = match &self.reading {
            Reading::Strict(strict) => strict.matcher.steps(),
            Reading::Lazy(lazy) => lazy.rollback_limit(),
        };
        limit + usize::from(self.ended)
    }

    /// Takes back the last `tokens` tokens, at most all of them. O(log n) where the text is a
    /// grammar's, O(n) where it is free.
    ///
    /// # Panics
    ///
    /// If these are neither all nor at most [`Constraint::rollback_limit`], in free text.
    pub fn rollback(&mut self, tokens: usize) {
        let tokens = tokens.min(self.len());
        self.budget = self.budget.map(|left| left + tokens);
        let end = self.ended && tokens > 0;
        let inside = tokens - usize::from(end);
        match &mut self.reading {
            Reading::Strict(strict) => strict.matcher.rollback(inside),
            Reading::Lazy(lazy) => lazy.rollback(inside),
        }
        self.ended &= !end;
    }

    /// Takes back everything.
    pub fn reset(&mut self) {
        self.budget = self.budget.map(|left| left + self.len());
        self.ended = false;
        match &mut self.reading {
            Reading::Strict(strict) => strict.reset(),
            Reading::Lazy(lazy) => lazy.reset(),
        }
    }
}

/// Why a constraint could not be made, or a token not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConstraintError {
    /// The grammar does not compile.
    Compile(CompileError),
    /// The grammar refers to a token that the vocabulary does not have.
    NoSuchToken(TokenReference),
    /// The vocabulary has no such token.
    UnknownToken {
        /// The id.
        token: TokenId,
        /// Number of ids of the vocabulary.
        len: usize,
    },
    /// The grammar does not allow the token here.
    Refused {
        /// The token.
        token: TokenId,
    },
    /// An end-of-generation token has been read before.
    AfterEnd {
        /// The token.
        token: TokenId,
    },
    /// The token completes a trigger, and what is to be read from there on does not fit.
    Misfit {
        /// The token.
        token: TokenId,
    },
    /// The token completes a trigger that begins further back than the text that is kept.
    TriggerTooLong {
        /// The token.
        token: TokenId,
        /// So many bytes are kept at least.
        limit: usize,
    },
    /// Too many constrained parts begin within one token and what is read again with it.
    TooManyParts {
        /// The token.
        token: TokenId,
        /// The most parts.
        limit: usize,
    },
    /// A limit of the matcher.
    Matcher(AdvanceError),
    /// After the token the budget would not suffice to complete the text.
    OverBudget {
        /// The token.
        token: TokenId,
        /// How many tokens may still come.
        left: usize,
    },
}

impl fmt::Display for ConstraintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compile(error) => error.fmt(f),
            Self::NoSuchToken(reference) => {
                let named = TokenReference { negated: false, ..reference.clone() };
                write!(f, "the vocabulary has no token {named}")
            }
            Self::UnknownToken { token, len } => {
                write!(f, "token {token} does not exist: the vocabulary has {len} ids, some unused")
            }
            Self::Refused { token } => write!(f, "the grammar does not allow token {token} here"),
            Self::AfterEnd { token } => {
                write!(f, "token {token} comes after the end of the generation")
            }
            Self::Misfit { token } => write!(
                f,
                "token {token} completes a trigger, but the text from there on does not fit what the \
                 trigger leads to"
            ),
            Self::TriggerTooLong { token, limit } => write!(
                f,
                "token {token} completes a trigger that began more than {limit} bytes before, the \
                 limit: put what begins the constrained part into a group of the pattern"
            ),
            Self::TooManyParts { token, limit } => {
                write!(f, "more than {limit} constrained parts begin with token {token}, the limit")
            }
            Self::Matcher(error) => error.fmt(f),
            Self::OverBudget { token, left } => write!(
                f,
                "after token {token} the budget would not suffice: {left} tokens may still come"
            ),
        }
    }
}

impl std::error::Error for ConstraintError {}
