//! One answer of a model, from its first token to its last.

mod reader;

use grammask_agents::{Event, Parser};
use grammask_sampler::{
    BudgetError, Chain, Constraint, ConstraintError, GrammarSampler, Mode, SampleError, TokenId,
    Verified, VerifyError,
};
use thiserror::Error;

use reader::Reader;

/// One answer of a model while it is written: what it may be (a [`Constraint`], with its triggers and
/// its budget), how tokens are picked (a [`Chain`]), what has come so far, and what that says
/// ([`Event`]s).
///
/// Cheap to clone: the clones go on by themselves. See also [`generate`](crate::generate()).
///
/// ```
/// use grammask::agents::Event;
/// use grammask::sampler::{Chain, Engine, Greedy, Mode, Vocabulary};
/// use grammask::{Session, grammar_constraint};
///
/// let vocabulary = Vocabulary::from_json(r#"{"tokens": ["yes", "no", "!", "</s>"], "eog": [3]}"#)?;
/// let constraint = grammar_constraint(&Engine::new(vocabulary), r#"root ::= "yes" "!"*"#, "root")?;
/// let mut chain = Chain::new();
/// chain.add(Greedy);
/// let mut session = Session::new(constraint, chain, Mode::GrammarFirst);
/// session.set_budget(4)?;
///
/// let token = session.sample(&[1.0, 2.0, 0.0, 0.0])?;
/// session.accept(token)?;
/// assert!(session.is_complete());
/// assert_eq!(session.events(), [Event::Content { text: "yes".into() }]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Session {
    sampler: GrammarSampler,
    /// The prompt, and behind it what has come.
    context: Vec<TokenId>,
    /// How many tokens the prompt has.
    prompt: usize,
    reader: Reader,
}

impl Session {
    /// An answer of which nothing has come. All of it is content, unless a parser says more.
    pub fn new(constraint: Constraint, chain: Chain, mode: Mode) -> Self {
        let sampler = GrammarSampler::new(constraint, chain, mode);
        Self { sampler, context: Vec::new(), prompt: 0, reader: Reader::default() }
    }

    /// Events tell content, reasoning and calls apart: a [`Plan`](crate::agents::Plan) has the parser
    /// of its tools.
    #[must_use]
    pub fn with_parser(self, parser: Parser) -> Self {
        Self { reader: Reader::new(parser), ..self }
    }

    /// What may come.
    pub fn constraint(&self) -> &Constraint {
        self.sampler.constraint()
    }

    /// How tokens are picked.
    pub fn chain(&self) -> &Chain {
        self.sampler.chain()
    }

    /// What has come so far, the prompt left out.
    pub fn tokens(&self) -> &[TokenId] {
        &self.context[self.prompt..]
    }

    /// The prompt and what has come so far: the text that a model goes on with.
    ///
    /// ```
    /// use grammask::sampler::{Chain, Engine, Mode, TokenId, Vocabulary};
    /// use grammask::{Session, grammar_constraint};
    ///
    /// let engine = Engine::new(Vocabulary::from_json(r#"{"tokens": ["a", "b"]}"#)?);
    /// let constraint = grammar_constraint(&engine, "root ::= [ab]*", "root")?;
    /// let mut session = Session::new(constraint, Chain::new(), Mode::GrammarFirst);
    /// session.accept_prompt(TokenId(0));
    /// session.accept(TokenId(1))?;
    /// assert_eq!(session.tokens(), [TokenId(1)]);
    /// assert_eq!(session.context(), [TokenId(0), TokenId(1)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn context(&self) -> &[TokenId] {
        &self.context
    }

    /// No more than so many tokens are to come, and with them the text is complete.
    ///
    /// # Errors
    ///
    /// As [`Constraint::set_budget`]; nothing has changed then.
    pub fn set_budget(&mut self, tokens: usize) -> Result<(), BudgetError> {
        self.sampler.set_budget(tokens)
    }

    /// The next token of the prompt, which stands before all that has come: the model goes on with it,
    /// and for the chain it counts; the constraint does not see it.
    pub fn accept_prompt(&mut self, token: TokenId) {
        self.sampler.accept_prompt(token);
        self.context.insert(self.prompt, token);
        self.prompt += 1;
    }

    /// Writes which tokens may come next: bit i % 32 of word i / 32 for token i, 0 beyond the
    /// vocabulary. For models that sample elsewhere: see [`Constraint::fill_words`].
    pub fn mask_into(&self, words: &mut [u32]) {
        self.constraint().fill_words(words);
    }

    /// Picks the next token, from one logit per id of the vocabulary. It has not come yet: a second
    /// call draws again.
    ///
    /// # Errors
    ///
    /// As [`GrammarSampler::sample`].
    pub fn sample(&mut self, logits: &[f32]) -> Result<TokenId, SampleError> {
        self.sampler.sample(logits)
    }

    /// A token comes next.
    ///
    /// # Errors
    ///
    /// As [`Constraint::accept`]; nothing has changed then.
    pub fn accept(&mut self, token: TokenId) -> Result<(), ConstraintError> {
        self.sampler.accept(token)?;
        self.context.push(token);
        Ok(())
    }

    /// The first of some tokens come next, as many as may; returns how many these are.
    pub fn try_accept_n(&mut self, tokens: &[TokenId]) -> usize {
        tokens.iter().take_while(|&&token| self.accept(token).is_ok()).count()
    }

    /// The tokens come next that a way to verify a draft leaves, of those that [`GrammarSampler`] has.
    ///
    /// # Errors
    ///
    /// Those of the way; nothing has changed then.
    ///
    /// ```
    /// use grammask::sampler::{Chain, Engine, Greedy, Mode, TokenId, Vocabulary};
    /// use grammask::{Session, grammar_constraint};
    ///
    /// let engine = Engine::new(Vocabulary::from_json(r#"{"tokens": ["a", "b"]}"#)?);
    /// let constraint = grammar_constraint(&engine, "root ::= [ab]*", "root")?;
    /// let mut chain = Chain::new();
    /// chain.add(Greedy);
    /// let mut session = Session::new(constraint, chain, Mode::GrammarFirst);
    /// let draft = [TokenId(0), TokenId(0)];
    /// let logits = [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]];
    /// let verified = session.verify(|sampler| sampler.verify(&draft, &logits))?;
    /// assert_eq!((verified.nodes, session.tokens()), (vec![0], &[TokenId(0), TokenId(1)][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn verify(
        &mut self,
        way: impl FnOnce(&mut GrammarSampler) -> Result<Verified, VerifyError>,
    ) -> Result<Verified, VerifyError> {
        let verified = way(&mut self.sampler)?;
        self.context.extend(&verified.tokens);
        Ok(verified)
    }

    /// Takes back the last tokens. All is as it was before them, but for the random numbers of the
    /// chain, which do not come again, and for events that have been taken out.
    ///
    /// # Errors
    ///
    /// [`RollbackError`]; nothing has changed then.
    pub fn rollback(&mut self, tokens: usize) -> Result<(), RollbackError> {
        let (most, all) = (self.constraint().rollback_limit(), self.tokens().len());
        if tokens > most.min(all) && tokens != all {
            return Err(RollbackError { tokens, most: most.min(all), all });
        }
        self.sampler.rollback(tokens);
        self.context.truncate(self.context.len() - tokens);
        self.reader
            .rewind(&self.context[self.prompt..], self.sampler.constraint().engine().vocabulary());
        Ok(())
    }

    /// Whether the text may end here.
    pub fn is_complete(&self) -> bool {
        self.constraint().is_complete()
    }

    /// Whether nothing follows: the end of generation has come, or the text is complete and cannot
    /// go on.
    pub fn is_finished(&self) -> bool {
        self.constraint().is_ended() || self.constraint().is_finished()
    }

    /// What has come since the last call: whole characters, and no more than is certain. Behind a
    /// token that ends generation that is all there is.
    ///
    /// Each token is read once. Only where tokens are taken back after their events have been taken
    /// out, what is left is read again.
    pub fn events(&mut self) -> Vec<Event> {
        self.reader
            .read(&self.context[self.prompt..], self.sampler.constraint().engine().vocabulary())
    }

    /// The same where generation has ended without a token for that: what waited for more comes too.
    pub fn last_events(&mut self) -> Vec<Event> {
        let mut events = self.events();
        self.reader.finish(&mut events);
        events
    }
}

/// More tokens were to be taken back than can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{tokens} tokens cannot be taken back: the last {most} can, or all {all}")]
pub struct RollbackError {
    /// So many were to be.
    pub tokens: usize,
    /// So many can be.
    pub most: usize,
    /// So many have come.
    pub all: usize,
}
