//! A grammar on a vocabulary: which tokens may come next, and what has come.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use grammask_gbnf::{
    AdvanceError, AdvanceErrorKind, Automaton, CompileError, Grammar, Matcher, Needs,
    TokenReference,
};

use crate::budget::{self, Budget, BudgetError};
use crate::engine::{Engine, MaskMemo};
use crate::mask::{MaskBuffer, TokenMask};
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
#[derive(Debug)]
pub struct Constraint {
    engine: Arc<Engine>,
    matcher: Matcher,
    memo: Arc<Mutex<MaskMemo>>,
    /// An end-of-generation token has been accepted.
    ended: bool,
    budget: Option<Budget>,
    /// What completing a text takes, once somebody has asked.
    needs: Arc<OnceLock<Arc<Needs>>>,
}

impl Clone for Constraint {
    /// Shares the tables, unless nothing has been read and they have become large: whoever clones
    /// one constraint for each of many texts stays small.
    fn clone(&self) -> Self {
        let mut clone = Self {
            engine: Arc::clone(&self.engine),
            matcher: self.matcher.clone(),
            memo: Arc::clone(&self.memo),
            ended: self.ended,
            budget: self.budget.clone(),
            needs: Arc::clone(&self.needs),
        };
        clone.renew();
        clone
    }
}

impl Constraint {
    fn renew(&mut self) {
        // The masks are those of the session's states.
        if self.matcher.renew() {
            self.memo = Arc::default();
        }
    }

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
        Ok(Self {
            engine: Arc::clone(engine),
            matcher: Matcher::new(automaton),
            memo: Arc::default(),
            ended: false,
            budget: None,
            needs: Arc::default(),
        })
    }

    /// The engine.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// The masks that are known, which clones share.
    pub(crate) fn memo(&self) -> &Arc<Mutex<MaskMemo>> {
        &self.memo
    }

    /// The matcher below: what has been read, byte by byte.
    pub fn matcher(&self) -> &Matcher {
        &self.matcher
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
    fn fill(&self, mask: &mut (impl MaskBuffer + ?Sized)) -> bool {
        let Some(budget) = &self.budget else { return self.fill_language(mask) };
        let mut tokens = TokenMask::new(self.engine.vocabulary().len());
        let is_found = self.fill_language(&mut tokens);
        if self.ended {
            mask.assign(None);
            return true;
        }
        let mut memo = self.memo.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut session, state) = (self.matcher.session(), self.matcher.state());
        budget.retain(&self.engine, &mut session, &mut memo, state, &mut tokens);
        mask.assign(Some(&tokens));
        is_found
    }

    /// The same whatever the budget is.
    pub(crate) fn fill_language(&self, mask: &mut (impl MaskBuffer + ?Sized)) -> bool {
        if self.ended {
            mask.assign(None);
            return true;
        }
        let mut memo = self.memo.lock().unwrap_or_else(PoisonError::into_inner);
        let mut session = self.matcher.session();
        self.engine.fill(&mut session, &mut memo, self.matcher.state(), mask)
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
        let needs = self.needs.get_or_init(|| budget::needs(&self.engine, &self.matcher));
        self.budget = Some(Budget::new(&self.engine, &self.matcher, needs, tokens)?);
        Ok(())
    }

    /// How many tokens may still come, if that is limited.
    pub fn budget(&self) -> Option<usize> {
        self.budget.as_ref().map(Budget::left)
    }

    /// How many tokens complete the text at most, that at the end included, if there is a budget.
    pub fn needed(&self) -> Option<usize> {
        let budget = self.budget.as_ref()?;
        if self.ended {
            return Some(0);
        }
        budget.needed(&mut self.matcher.session(), self.matcher.state())
    }

    /// Whether the budget suffices after a token that the language allows.
    pub(crate) fn is_within_budget(&self, token: TokenId) -> bool {
        let Some(budget) = &self.budget else { return true };
        let vocabulary = self.engine.vocabulary();
        if vocabulary.is_eog(token) {
            return budget.left() > 0;
        }
        let text = vocabulary.bytes(token).filter(|_| !vocabulary.is_control(token));
        self.matcher.session().look_ahead(|session| {
            let means = |reference: &TokenReference| self.engine.means(reference, token);
            let after = session.after_token(self.matcher.state(), text, means);
            budget.suffices(session, &after)
        })
    }

    /// Whether a token may come next; without computing a mask. `false` also where a limit of the
    /// matcher is reached.
    pub fn allows(&self, token: TokenId) -> bool {
        self.probe(token, u64::MAX) == Some(true) && self.is_within_budget(token)
    }

    /// Whether a token may come next; nothing where a limit of the matcher is reached, or `most_work`.
    pub(crate) fn probe(&self, token: TokenId, most_work: u64) -> Option<bool> {
        let vocabulary = self.engine.vocabulary();
        let Some(bytes) = vocabulary.bytes(token) else { return Some(false) };
        if self.ended {
            return Some(false);
        }
        if vocabulary.is_eog(token) {
            return Some(self.matcher.is_complete());
        }
        let text = (!vocabulary.is_control(token)).then_some(bytes);
        let means = |reference: &TokenReference| self.engine.means(reference, token);
        self.matcher.accepts_token(text, means, most_work).ok()
    }

    /// Reads a token.
    ///
    /// # Errors
    ///
    /// If the vocabulary does not have it, if the grammar does not allow it, after the end, or if
    /// a limit of the matcher is reached. The constraint stays as it was.
    pub fn accept(&mut self, token: TokenId) -> Result<(), ConstraintError> {
        let engine = &self.engine;
        let vocabulary = engine.vocabulary();
        if self.ended {
            return Err(ConstraintError::AfterEnd { token });
        }
        let Some(bytes) = vocabulary.bytes(token) else {
            return Err(ConstraintError::UnknownToken { token, len: vocabulary.len() });
        };
        if vocabulary.is_eog(token) {
            if !self.matcher.is_complete() {
                return Err(ConstraintError::Refused { token });
            }
            if let Some(budget) = &mut self.budget {
                budget.spend(1).map_err(|left| ConstraintError::OverBudget { token, left })?;
            }
            self.ended = true;
            return Ok(());
        }
        let text = (!vocabulary.is_control(token)).then_some(bytes);
        self.matcher.advance_token(text, |reference| engine.means(reference, token)).map_err(
            |error| match error.kind() {
                AdvanceErrorKind::Refused => ConstraintError::Refused { token },
                _ => ConstraintError::Matcher(error),
            },
        )?;
        if let Some(budget) = &mut self.budget {
            let suffices = budget.suffices(&mut self.matcher.session(), self.matcher.state());
            if !suffices || budget.spend(1).is_err() {
                self.matcher.rollback(1);
                return Err(ConstraintError::OverBudget { token, left: budget.left() });
            }
        }
        Ok(())
    }

    /// Whether the text so far is in the language.
    pub fn is_complete(&self) -> bool {
        self.matcher.is_complete()
    }

    /// Whether an end-of-generation token has been accepted.
    pub fn is_ended(&self) -> bool {
        self.ended
    }

    /// Number of tokens read.
    pub fn len(&self) -> usize {
        self.matcher.steps() + usize::from(self.ended)
    }

    /// Whether no token has been read.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes back the last `tokens` tokens, at most all of them. O(log n).
    pub fn rollback(&mut self, tokens: usize) {
        let tokens = tokens.min(self.len());
        if let Some(budget) = &mut self.budget {
            budget.give_back(tokens);
        }
        let end = self.ended && tokens > 0;
        self.ended &= !end;
        self.matcher.rollback(tokens - usize::from(end));
    }

    /// Takes back everything.
    pub fn reset(&mut self) {
        self.rollback(self.len());
        self.renew();
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
                write!(f, "the vocabulary has no token {}", TokenNameText(reference))
            }
            Self::UnknownToken { token, len } => {
                write!(f, "token {token} does not exist: the vocabulary has {len} ids, some unused")
            }
            Self::Refused { token } => write!(f, "the grammar does not allow token {token} here"),
            Self::AfterEnd { token } => {
                write!(f, "token {token} comes after the end of the generation")
            }
            Self::Matcher(error) => error.fmt(f),
            Self::OverBudget { token, left } => write!(
                f,
                "after token {token} the budget would not suffice: {left} tokens may still come"
            ),
        }
    }
}

struct TokenNameText<'a>(&'a TokenReference);

impl fmt::Display for TokenNameText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.token {
            grammask_gbnf::TokenName::Id(id) => write!(f, "<[{id}]>"),
            grammask_gbnf::TokenName::Text(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for ConstraintError {}
