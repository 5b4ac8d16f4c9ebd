//! A text that is the grammar's from its first byte on.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use grammask_gbnf::{AdvanceError, Matcher, Needs, TokenReference};

use crate::budget::{self, Budget};
use crate::engine::{Engine, MaskMemo};
use crate::mask::{MaskBuffer, TokenMask};
use crate::steps::Steps;
use crate::token_id::TokenId;

/// A token, or what of it is left to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Piece {
    pub(crate) token: TokenId,
    /// The byte of the token where it begins.
    pub(crate) from: usize,
    /// Whether a reference of a grammar to the token means this.
    pub(crate) is_token: bool,
}

impl Piece {
    pub(crate) fn whole(token: TokenId) -> Self {
        Self { token, from: 0, is_token: true }
    }

    fn is_whole(self) -> bool {
        self == Self::whole(self.token)
    }

    /// What it spells.
    pub(crate) fn bytes(self, engine: &Engine) -> &[u8] {
        engine.vocabulary().bytes(self.token).and_then(|b| b.get(self.from..)).unwrap_or_default()
    }

    /// What of it a grammar reads as text: nothing of a control token.
    pub(crate) fn text(self, engine: &Engine) -> Option<&[u8]> {
        (!engine.vocabulary().is_control(self.token)).then(|| self.bytes(engine))
    }

    fn is_meant(self, reference: &TokenReference, engine: &Engine) -> bool {
        self.is_token && engine.means(reference, self.token)
    }
}

/// A matcher with the masks that are known, which clones share.
#[derive(Debug)]
pub(crate) struct Strict {
    pub(crate) matcher: Matcher,
    pub(crate) memo: Arc<Mutex<MaskMemo>>,
    /// Where tokens have led, which clones share as well.
    steps: Arc<Mutex<Steps>>,
    /// What completing a text takes, once somebody has asked.
    needs: Arc<OnceLock<Arc<Needs>>>,
}

impl Clone for Strict {
    /// Shares the tables, unless nothing has been read and they have become large: whoever clones
    /// one constraint for each of many texts stays small.
    fn clone(&self) -> Self {
        let mut clone = Self {
            matcher: self.matcher.clone(),
            memo: Arc::clone(&self.memo),
            steps: Arc::clone(&self.steps),
            needs: Arc::clone(&self.needs),
        };
        clone.renew();
        clone
    }
}

impl Strict {
    pub(crate) fn new(matcher: Matcher) -> Self {
        Self { matcher, memo: Arc::default(), steps: Arc::default(), needs: Arc::default() }
    }

    /// See [`Engine::read_ahead`].
    pub(crate) fn read_ahead(&self, engine: &Engine) {
        let mut memo = self.memo.lock().unwrap_or_else(PoisonError::into_inner);
        engine.read_ahead(&mut self.matcher.session(), &mut memo);
    }

    fn renew(&mut self) {
        // The masks and steps are those of the session's states.
        if self.matcher.renew() {
            self.memo = Arc::default();
            self.steps = Arc::default();
        }
    }

    /// Whether the tokens could be found.
    pub(crate) fn fill(&self, engine: &Engine, mask: &mut (impl MaskBuffer + ?Sized)) -> bool {
        let mut memo = self.memo.lock().unwrap_or_else(PoisonError::into_inner);
        let mut session = self.matcher.session();
        engine.fill(&mut session, &mut memo, self.matcher.state(), mask)
    }

    /// As [`Self::fill`] where no look at the vocabulary is needed; whether that is so.
    pub(crate) fn fill_known(&self, engine: &Engine, mask: &mut TokenMask) -> bool {
        let mut memo = self.memo.lock().unwrap_or_else(PoisonError::into_inner);
        let mut session = self.matcher.session();
        engine.fill_known(&mut session, &mut memo, self.matcher.state(), mask)
    }

    /// Whether a piece may come next; nothing where a limit of the matcher is reached, or `most_work`.
    pub(crate) fn probe(&self, piece: Piece, engine: &Engine, most_work: u64) -> Option<bool> {
        let means = |reference: &TokenReference| piece.is_meant(reference, engine);
        self.matcher.accepts_token(piece.text(engine), means, most_work).ok()
    }

    pub(crate) fn read(&mut self, piece: Piece, engine: &Engine) -> Result<(), AdvanceError> {
        let means = |reference: &TokenReference| piece.is_meant(reference, engine);
        if !piece.is_whole() {
            return self.matcher.advance_token(piece.text(engine), means);
        }
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(next) = steps.after(self.matcher.state(), piece.token) {
            self.matcher.step_to(next.clone());
            return Ok(());
        }
        let before = self.matcher.state().clone();
        self.matcher.advance_token(piece.text(engine), means)?;
        steps.insert(&before, piece.token, self.matcher.state());
        Ok(())
    }

    /// How many tokens complete the text, if a way to do so is known.
    pub(crate) fn needed(&self, engine: &Arc<Engine>) -> Option<usize> {
        let needs = self.needs(engine);
        Some(self.matcher.session().needed(self.matcher.state(), needs)? as usize)
    }

    /// The same after a piece.
    pub(crate) fn needed_after(&self, piece: Piece, engine: &Arc<Engine>) -> Option<usize> {
        let needs = self.needs(engine);
        let needed = self.matcher.session().look_ahead(|session| {
            let means = |reference: &TokenReference| piece.is_meant(reference, engine);
            let after = session.after_token(self.matcher.state(), piece.text(engine), means);
            session.needed(&after, needs)
        });
        Some(needed? as usize)
    }

    /// No text of the language has fewer tokens.
    pub(crate) fn at_least(&self, engine: &Engine) -> usize {
        let bytes = self.matcher.automaton().shortest().unwrap_or(0) as usize;
        bytes.div_ceil(engine.vocabulary().longest().max(1))
    }

    /// Leaves of a mask the tokens after which so many tokens suffice, `end` of them for the end.
    pub(crate) fn retain_within(
        &self,
        left: usize,
        end: usize,
        engine: &Arc<Engine>,
        mask: &mut TokenMask,
    ) {
        let budget = Budget::new(self.needs(engine), left, end);
        let mut memo = self.memo.lock().unwrap_or_else(PoisonError::into_inner);
        let mut session = self.matcher.session();
        budget.retain(engine, &mut session, &mut memo, self.matcher.state(), mask);
    }

    fn needs(&self, engine: &Arc<Engine>) -> &Arc<Needs> {
        self.needs.get_or_init(|| budget::needs(engine, self.matcher.automaton()))
    }

    pub(crate) fn reset(&mut self) {
        self.matcher.rollback(self.matcher.steps());
        self.renew();
    }
}
