//! Constraint and chain together: from logits to a token that the grammar allows.

use std::fmt;

use crate::budget::BudgetError;
use crate::candidates::{Candidate, Candidates};
use crate::chain::Chain;
use crate::constraint::{Constraint, ConstraintError};
use crate::exact::{self, Shortlist};
use crate::mask::TokenMask;
use crate::nucleus::Nucleus;
use crate::token_id::TokenId;

/// How many tokens are tested before a mask is looked for, and how many of them may be refused: to test
/// them takes less than a mask mostly does.
const FEW_TESTS: (usize, usize) = (4, 0);
/// The same where masks are to be avoided.
const MANY_TESTS: (usize, usize) = (16, 4);

/// In which order grammar and chain come. See "Modes" in `docs/sampling.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Mask, then chain: what is truncated is truncated among allowed tokens.
    #[default]
    GrammarFirst,
    /// Chain over all tokens, then test the one that it selected; only if the grammar refuses it,
    /// mask and apply the chain again, with the random numbers that come next.
    ///
    /// As `common_sampler_sample` of llama.cpp with `grammar_first = false`. A chain that truncates
    /// does so among tokens that the grammar may refuse, so that others come out than grammar-first.
    Rejection,
    /// The very token of [`Mode::GrammarFirst`], mostly without a mask: the best tokens are tested, one
    /// after the other, until the chain's first truncation is known to keep no others.
    ///
    /// Each sampler says how far it looks ([`Sampler::reach`](crate::Sampler::reach)). The mask is
    /// computed where one looks at all tokens, where many of the best are refused, and where equal
    /// logits leave open which tokens are the best.
    Exact,
}

/// Picks tokens that a grammar allows.
///
/// ```
/// use grammask_gbnf::{Expr, Grammar};
/// use grammask_sampler::{
///     Chain, Constraint, Engine, GrammarSampler, Greedy, Mode, TokenId, Vocabulary,
/// };
///
/// let vocabulary = Vocabulary::from_json(r#"{"tokens": ["a", "b", "</s>"], "eog": [2]}"#)?;
/// let mut grammar = Grammar::default();
/// grammar.add("root", Expr::literal("ab"));
/// let constraint = Constraint::new(&Engine::new(vocabulary), &grammar, "root")?;
/// let mut chain = Chain::new();
/// chain.add(Greedy);
/// let mut sampler = GrammarSampler::new(constraint, chain, Mode::Rejection);
/// let mut tokens = Vec::new();
/// while !sampler.constraint().is_ended() {
///     let token = sampler.sample(&[1.0, 2.0, 3.0])?;
///     sampler.accept(token)?;
///     tokens.push(token.0);
/// }
/// assert_eq!(tokens, [0, 1, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct GrammarSampler {
    constraint: Constraint,
    chain: Chain,
    mode: Mode,
    mask: TokenMask,
    candidates: Candidates,
    shortlist: Shortlist,
    nucleus: Vec<Candidate>,
    /// A token that may have been picked, with the constraint behind it, if it had to be read to know that
    /// it is allowed or that it leaves the budget enough.
    read: Option<(TokenId, Constraint)>,
}

impl GrammarSampler {
    /// A constraint and a chain whose last sampler selects.
    pub fn new(constraint: Constraint, chain: Chain, mode: Mode) -> Self {
        let mask = TokenMask::new(constraint.engine().vocabulary().len());
        Self {
            constraint,
            chain,
            mode,
            mask,
            candidates: Candidates::default(),
            shortlist: Shortlist::default(),
            nucleus: Vec::new(),
            read: None,
        }
    }

    /// The constraint.
    pub fn constraint(&self) -> &Constraint {
        &self.constraint
    }

    /// The chain.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// The order of grammar and chain.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The candidates as the chain left them in the last draw. In exact mode a chain that ends with
    /// [`Greedy`](crate::Greedy) and truncates nothing may have left only the best.
    pub fn candidates(&self) -> &Candidates {
        &self.candidates
    }

    /// Picks the next token, from one logit per id of the vocabulary. Nothing is accepted yet: a
    /// second call draws again, and no sampler has noticed the first but for its random numbers.
    ///
    /// # Errors
    ///
    /// [`SampleError::Logits`] for another number of logits, [`SampleError::NoToken`] if no token
    /// may come next, [`SampleError::TooAmbiguous`] if it takes too much work to find out which may,
    /// [`SampleError::NotSelected`] if the chain has no sampler that selects.
    pub fn sample(&mut self, logits: &[f32]) -> Result<TokenId, SampleError> {
        let len = self.mask.len();
        if logits.len() != len {
            return Err(SampleError::Logits { expected: len, given: logits.len() });
        }
        if self.constraint.is_ended() {
            return Err(SampleError::NoToken);
        }
        self.read = None;
        let token = match self.mode {
            Mode::GrammarFirst => self.sample_allowed(logits)?,
            Mode::Rejection => {
                let all = self.constraint.engine().used();
                self.chain.apply_to(all.blocks(logits), &mut self.candidates);
                let token = self.selected()?;
                if self.constraint.probe(token, u64::MAX) == Some(true) {
                    token
                } else {
                    self.sample_allowed(logits)?
                }
            }
            Mode::Exact => self.sample_exactly(logits)?,
        };
        // Mostly a budget is far, and a mask that keeps it would leave out nothing.
        if self.constraint.budget().is_none() {
            return Ok(token);
        }
        if self.read.as_ref().is_some_and(|&(read, _)| read == token) {
            return Ok(token);
        }
        if let Ok(behind) = self.constraint.after(token) {
            self.read = Some((token, behind));
            return Ok(token);
        }
        self.constraint.fill_mask(&mut self.mask);
        self.check_mask()?;
        self.sample_masked(logits)
    }

    fn sample_allowed(&mut self, logits: &[f32]) -> Result<TokenId, SampleError> {
        if self.constraint.fill_known(&mut self.mask) {
            self.check_mask()?;
            return self.sample_masked(logits);
        }
        if let Some(nucleus) = self.chain.nucleus()
            && let Some(token) = self.sample_nucleus(nucleus, logits, FEW_TESTS)?
        {
            return Ok(token);
        }
        self.sample_behind_mask(logits)
    }

    /// The token that a mask would lead to, if so many tests and refusals are enough to know what the
    /// chain keeps.
    fn sample_nucleus(
        &mut self,
        nucleus: Nucleus,
        logits: &[f32],
        most: (usize, usize),
    ) -> Result<Option<TokenId>, SampleError> {
        let all = self.constraint.engine().used().blocks(logits);
        self.chain.set_best((nucleus.at, nucleus.count), all, &mut self.candidates);
        let best = self.candidates.as_slice().first().map(|best| best.id);
        let is_found = nucleus.find(self.candidates.as_slice(), &mut self.nucleus, most, |token| {
            if Some(token) != best {
                return self.constraint.probe(token, exact::MOST_WORK);
            }
            // It is the one that will most likely be accepted.
            match self.constraint.after(token) {
                Ok(behind) => {
                    self.read = Some((token, behind));
                    Some(true)
                }
                Err(ConstraintError::Refused { .. } | ConstraintError::Misfit { .. }) => {
                    Some(false)
                }
                Err(ConstraintError::OverBudget { .. }) => Some(true),
                Err(_) => None,
            }
        });
        if !is_found {
            return Ok(None);
        }
        self.candidates.set_sorted_to(&self.nucleus);
        let links = nucleus.behind..self.chain.len();
        self.chain.apply_links(links, &mut self.candidates, |_, _| {});
        self.selected().map(Some)
    }

    /// The token that the chain selects behind a mask.
    fn sample_behind_mask(&mut self, logits: &[f32]) -> Result<TokenId, SampleError> {
        self.fill_mask()?;
        self.sample_masked(logits)
    }

    fn sample_masked(&mut self, logits: &[f32]) -> Result<TokenId, SampleError> {
        self.chain.apply_to(self.mask.blocks(logits), &mut self.candidates);
        self.selected()
    }

    /// What the first samplers do to each candidate by itself is done to all of them, so that
    /// afterwards the best are known.
    fn sample_exactly(&mut self, logits: &[f32]) -> Result<TokenId, SampleError> {
        if let Some(nucleus) = self.chain.nucleus() {
            if let Some(token) = self.sample_nucleus(nucleus, logits, MANY_TESTS)? {
                return Ok(token);
            }
            // What a nucleus does not tell takes more tests than a mask is worth.
            return self.sample_behind_mask(logits);
        }
        let (decisive, reach) = self.chain.decisive();
        if !Shortlist::is_worth_while(reach) {
            return self.sample_behind_mask(logits);
        }
        self.candidates.set_blocks(self.constraint.engine().used().blocks(logits));
        self.chain.apply_links(0..decisive, &mut self.candidates, |_, _| {});
        let allows = |token| self.constraint.probe(token, exact::MOST_WORK);
        if !self.shortlist.apply(&mut self.candidates, reach, allows) {
            self.fill_mask()?;
            self.candidates.retain(|candidate| self.mask.contains(candidate.id));
        }
        self.chain.apply_links(decisive..self.chain.len(), &mut self.candidates, |_, _| {});
        self.selected()
    }

    /// The constraint, to be changed: what has been read ahead is no longer so then.
    fn constraint_mut(&mut self) -> &mut Constraint {
        self.read = None;
        &mut self.constraint
    }

    /// The mask of what may come next, at least one token.
    fn fill_mask(&mut self) -> Result<(), SampleError> {
        self.constraint.fill_language(&mut self.mask);
        self.check_mask()
    }

    fn check_mask(&self) -> Result<(), SampleError> {
        if self.mask.tokens().next().is_some() {
            Ok(())
        } else if self.constraint.is_too_ambiguous() {
            Err(SampleError::TooAmbiguous)
        } else {
            Err(SampleError::NoToken)
        }
    }

    fn selected(&self) -> Result<TokenId, SampleError> {
        let selected = self.candidates.selected_candidate();
        selected.map(|candidate| candidate.id).ok_or(SampleError::NotSelected)
    }

    /// No more than so many tokens are to come, and with them the text is complete.
    ///
    /// # Errors
    ///
    /// As [`Constraint::set_budget`].
    pub fn set_budget(&mut self, tokens: usize) -> Result<(), BudgetError> {
        self.constraint_mut().set_budget(tokens)
    }

    /// Takes a generated token into the constraint and the chain.
    ///
    /// # Errors
    ///
    /// As [`Constraint::accept`]; nothing has changed then.
    pub fn accept(&mut self, token: TokenId) -> Result<(), ConstraintError> {
        match self.read.take() {
            Some((read, behind)) if read == token => self.constraint = behind,
            _ => self.constraint.accept(token)?,
        }
        self.chain.accept(token);
        Ok(())
    }

    /// Takes a token of the prompt into the chain; the grammar does not see it.
    pub fn accept_prompt(&mut self, token: TokenId) {
        self.chain.accept(token);
    }

    /// Takes back the last generated tokens, at most all of them: constraint and chain are as they were before, but for the
    /// random numbers, which do not come again.
    ///
    /// # Panics
    ///
    /// As [`Constraint::rollback`].
    pub fn rollback(&mut self, tokens: usize) {
        // Tokens of the prompt stay.
        let tokens = tokens.min(self.constraint.len());
        self.constraint_mut().rollback(tokens);
        self.chain.rollback(tokens);
    }

    /// Goes back to the start.
    pub fn reset(&mut self) {
        self.constraint_mut().reset();
        self.chain.reset();
    }
}

impl fmt::Debug for GrammarSampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GrammarSampler")
            .field("constraint", &self.constraint)
            .field("chain", &self.chain.names().collect::<Vec<_>>())
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}

/// Why no token could be picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SampleError {
    /// Not one logit per id.
    Logits {
        /// Number of ids of the vocabulary.
        expected: usize,
        /// Number of logits.
        given: usize,
    },
    /// No token may come next: generation has ended, or no token of the vocabulary spells what the
    /// grammar asks for.
    NoToken,
    /// It takes too much work to find out which tokens may come next: see
    /// [`Constraint::is_too_ambiguous`].
    TooAmbiguous,
    /// The chain selected no token.
    NotSelected,
}

impl fmt::Display for SampleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Logits { expected, given } => {
                write!(f, "{given} logits for a vocabulary of {expected} ids")
            }
            Self::NoToken => f.write_str("no token of the vocabulary may come next"),
            Self::TooAmbiguous => f.write_str(
                "there are too many ways to read the text so far: make the grammar less ambiguous",
            ),
            Self::NotSelected => {
                f.write_str("the chain selects no token; add `Greedy` or `Dist` at its end")
            }
        }
    }
}

impl std::error::Error for SampleError {}
