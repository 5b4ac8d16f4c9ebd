//! From free text to what is constrained, and back.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use super::LazyGrammar;
use super::error::LazyError;
use super::free_mask::Memo;
use super::recent::Recent;
use super::search::{Hit, Place, Scratch, Search};
use super::suspects::{BLANKS, Seen, Table};
use super::word::Word;
use crate::constraint::{Constraint, ConstraintError};
use crate::engine::Engine;
use crate::kinds::Utf8Place;
use crate::strict::Piece;
use crate::token_id::TokenId;

/// So much of the text is kept at least, in bytes, where a trigger may have begun: a match that begins
/// further back is an error.
pub(super) const MOST_KEPT: usize = 1 << 16;
/// So many tokens of free text can be taken back at least.
const MOST_BACK: usize = 1 << 10;
/// How many constrained parts may begin within one token and what is read again with it.
const MOST_PARTS: usize = 1 << 8;

/// A lazy grammar, compiled.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(super) search: Search,
    pub(super) table: Table,
    /// What the table has seen where no match has begun, if it is so where a text mostly is: the
    /// search need not look at the tokens that lead there.
    idle: Seen,
    /// The trigger tokens, each with its trigger and whether what follows begins behind it.
    pub(super) tokens: Vec<(TokenId, usize, bool)>,
    /// The only trigger, if it is a word.
    pub(super) word: Option<Word>,
    /// What each trigger leads to.
    pub(super) targets: Vec<Constraint>,
    pub(super) rearm: bool,
    required: bool,
    budget: Option<Limit>,
    pub(super) memo: Mutex<Memo>,
}

#[derive(Debug)]
struct Limit {
    tokens: usize,
    closing: Constraint,
    target: Constraint,
}

/// A text with free and constrained parts: how far it has come, and how to go back.
#[derive(Clone, Debug)]
pub(crate) struct Lazy {
    pub(super) plan: Arc<Plan>,
    pub(super) phase: Phase,
    /// The phases before the tokens that did not stay within a constrained part.
    past: Recent<Phase>,
    /// Number of tokens.
    len: usize,
}

#[derive(Clone, Debug)]
pub(crate) enum Phase {
    /// Any text.
    Free(Free),
    /// The budget is spent: only its closing may come.
    Closing(Constraint),
    /// What a trigger leads to, and how many tokens have been read there since.
    Target { target: Constraint, steps: usize },
}

/// Free text.
#[derive(Clone, Debug)]
pub(crate) struct Free {
    pub(super) place: Place,
    pub(super) seen: Seen,
    /// What may have to be read again.
    pub(super) kept: Recent<Kept>,
    /// Number of tokens.
    pub(super) tokens: usize,
    /// Where in a character it is.
    pub(super) character: Utf8Place,
    /// How much of [`Plan::word`] has been spelled.
    pub(super) spelled: usize,
    /// Whether a constrained part came before.
    is_after_target: bool,
}

/// A piece of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    pub(super) piece: Piece,
    /// Where it begins and ends.
    start: u64,
    pub(super) end: u64,
}

/// Whether a reading goes on from what has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Accept,
    /// Only whether it can be read: the result is of no use.
    Probe,
}

impl Plan {
    pub(super) fn new(grammar: &LazyGrammar, engine: &Arc<Engine>) -> Result<Self, LazyError> {
        if grammar.triggers.is_empty() {
            return Err(LazyError::NoTrigger);
        }
        let budget_target = grammar.budget.as_ref().map(super::ThinkingBudget::target);
        let targets = grammar.triggers.iter().map(|(_, target)| target).chain(budget_target);
        for (trigger, target) in targets.enumerate() {
            if !Arc::ptr_eq(target.engine(), engine) {
                return Err(LazyError::OtherEngine { trigger });
            }
            if target.is_ended() {
                return Err(LazyError::Ended { trigger });
            }
            if grammar.rearm && target.matcher().is_none() {
                return Err(LazyError::LazyTarget { trigger });
            }
        }
        let (mut patterns, mut tokens) = (Vec::new(), Vec::new());
        for (index, (trigger, _)) in grammar.triggers.iter().enumerate() {
            patterns.extend(trigger.patterns(index)?);
            if let Some((token, is_behind)) = trigger.as_token() {
                let vocabulary = engine.vocabulary();
                if vocabulary.bytes(token).is_none() {
                    return Err(LazyError::UnknownToken { trigger: index, token });
                }
                if vocabulary.is_eog(token) {
                    return Err(LazyError::EndOfGeneration { trigger: index, token });
                }
                tokens.push((token, index, is_behind));
            }
        }
        let word = match &grammar.triggers[..] {
            [(trigger, _)] => trigger.as_word(),
            _ => None,
        };
        let limit = |budget: &super::ThinkingBudget| {
            let (tokens, closing) = budget.compile(engine)?;
            Ok(Limit { tokens, closing, target: budget.target().clone() })
        };
        let (search, table) = (Search::new(&patterns)?, Table::new(&patterns)?);
        let mut place = search.start();
        let hit = search.read(&mut place, BLANKS, &mut Scratch::default());
        let is_idle = hit.is_none() && place.is_idle();
        Ok(Self {
            idle: table.calm().filter(|_| is_idle),
            search,
            table,
            tokens,
            word: word.map(|(text, is_behind)| Word::new(text, is_behind, engine)),
            targets: grammar.triggers.iter().map(|(_, target)| target.clone()).collect(),
            rearm: grammar.rearm,
            required: grammar.required,
            budget: grammar.budget.as_ref().map(limit).transpose()?,
            memo: Mutex::default(),
        })
    }

    /// Free text before its first token.
    pub(super) fn start(&self, is_after_target: bool) -> Phase {
        self.unless_spent(Free {
            place: self.search.start(),
            seen: self.table.start(),
            kept: Recent::default(),
            tokens: 0,
            character: Utf8Place::BETWEEN,
            spelled: 0,
            is_after_target,
        })
    }

    /// How many tokens the closing takes, and what follows it.
    pub(super) fn needed_to_close(&self) -> Option<usize> {
        Some(self.budget.as_ref()?.closing.needed_text()? + self.needed_when_closed()?)
    }

    /// How many tokens what follows the closing takes.
    pub(super) fn needed_when_closed(&self) -> Option<usize> {
        self.budget.as_ref()?.target.needed_text()
    }

    /// The most tokens of free text.
    pub(super) fn most_free(&self) -> Option<usize> {
        self.budget.as_ref().map(|limit| limit.tokens)
    }

    /// Whether no more free text may come but the rest of a character.
    pub(super) fn is_spent(&self, free: &Free) -> bool {
        self.budget.as_ref().is_some_and(|limit| free.tokens >= limit.tokens)
    }

    fn unless_spent(&self, free: Free) -> Phase {
        match &self.budget {
            Some(limit) if self.is_spent(&free) && free.character == Utf8Place::BETWEEN => {
                Phase::Closing(limit.closing.clone())
            }
            _ => Phase::Free(free),
        }
    }

    /// Reads a token that is no end of generation.
    pub(super) fn read(
        &self,
        mut phase: Phase,
        token: Piece,
        engine: &Engine,
        purpose: Purpose,
        scratch: &mut Scratch,
    ) -> Result<Phase, ConstraintError> {
        let mut pieces = VecDeque::from([token]);
        let mut parts = 0;
        // A constrained part has begun with what is to be read, of which it has read nothing yet.
        let mut is_fresh = false;
        while let Some(piece) = pieces.pop_front() {
            phase = match phase {
                Phase::Closing(mut closing) => {
                    closing.read(piece)?;
                    match &self.budget {
                        Some(limit) if closing.is_complete() => {
                            Phase::Target { target: limit.target.clone(), steps: 0 }
                        }
                        _ => Phase::Closing(closing),
                    }
                }
                Phase::Free(mut free) => match self.read_free(&mut free, piece, engine, scratch)? {
                    None => self.unless_spent(free),
                    Some((trigger, replay)) => {
                        parts += 1;
                        if parts > MOST_PARTS {
                            let limit = MOST_PARTS;
                            return Err(ConstraintError::TooManyParts {
                                token: token.token,
                                limit,
                            });
                        }
                        is_fresh = !replay.is_empty();
                        for piece in replay {
                            pieces.push_front(piece);
                        }
                        Phase::Target { target: self.targets[trigger].clone(), steps: 0 }
                    }
                },
                Phase::Target { mut target, steps } => {
                    let is_last = purpose == Purpose::Probe && pieces.is_empty();
                    let probe = || target.probe_piece(piece, u64::MAX);
                    let read = match is_last.then(probe).flatten() {
                        Some(true) => Ok(()),
                        Some(false) => Err(ConstraintError::Refused { token: piece.token }),
                        None => target.read(piece),
                    };
                    match read {
                        Ok(()) => {
                            is_fresh = false;
                            Phase::Target { target, steps }
                        }
                        Err(ConstraintError::Refused { .. }) if self.rearm => {
                            let refused = match parts {
                                0 => ConstraintError::Refused { token: token.token },
                                _ => ConstraintError::Misfit { token: token.token },
                            };
                            let rest = leave(&target, piece, is_fresh, engine).ok_or(refused)?;
                            pieces.push_front(rest);
                            is_fresh = false;
                            self.start(true)
                        }
                        Err(ConstraintError::Refused { .. }) if parts > 0 => {
                            return Err(ConstraintError::Misfit { token: token.token });
                        }
                        Err(error) => return Err(error),
                    }
                }
            };
        }
        Ok(phase)
    }

    /// Reads a piece of free text. If a trigger is complete: which, and what is to be read from there
    /// on, the last piece first.
    fn read_free(
        &self,
        free: &mut Free,
        piece: Piece,
        engine: &Engine,
        scratch: &mut Scratch,
    ) -> Result<Option<(usize, Vec<Piece>)>, ConstraintError> {
        let bytes = piece.bytes(engine);
        let text = piece.text(engine);
        if self.is_spent(free) && !text.is_some_and(|text| completes(free.character, text)) {
            return Err(ConstraintError::Refused { token: piece.token });
        }
        if piece.is_token
            && let Some(&(_, trigger, is_behind)) =
                self.tokens.iter().find(|&&(token, ..)| token == piece.token)
        {
            return Ok(Some((trigger, if is_behind { Vec::new() } else { vec![piece] })));
        }
        let start = free.place.at();
        free.seen = self.table.after(free.seen, bytes);
        let hit = if free.seen.is_some() && free.seen == self.idle {
            free.place.skip(bytes);
            None
        } else {
            self.search.read(&mut free.place, bytes, scratch)
        };
        let end = free.place.at();
        free.kept.push(Kept { piece, start, end }, bytes.len().max(1), MOST_KEPT);
        if let Some(hit) = hit {
            let replay = self.replay(free, hit, piece.token)?;
            return Ok(Some((hit.trigger, replay)));
        }
        let earliest = self.search.earliest(&free.place).unwrap_or(end);
        free.kept.keep(|kept| kept.end > earliest);
        free.tokens += 1;
        free.character = free.after(text);
        free.spelled = self.spelled_after(free, bytes);
        Ok(None)
    }

    /// What of the text is read from where a constrained part begins, the last piece first.
    pub(super) fn replay(
        &self,
        free: &Free,
        hit: Hit,
        token: TokenId,
    ) -> Result<Vec<Piece>, ConstraintError> {
        let mut pieces = Vec::new();
        let mut from = free.place.at();
        for &Kept { mut piece, start, end } in free.kept.iter() {
            if end <= hit.start {
                break;
            }
            from = start.max(hit.start);
            // As in llama.cpp, the rest of a token is still that token where the trigger is read; a
            // mere text behind it is none.
            piece.is_token &= start >= hit.start || !self.is_behind(hit);
            piece.from += (from - start) as usize;
            pieces.push(piece);
        }
        if from > hit.start {
            return Err(ConstraintError::TriggerTooLong { token, limit: MOST_KEPT });
        }
        Ok(pieces)
    }

    fn is_behind(&self, hit: Hit) -> bool {
        self.search.is_behind(hit.trigger)
    }

    /// Whether the text may end.
    pub(super) fn is_complete(&self, phase: &Phase, engine: &Engine) -> bool {
        match phase {
            Phase::Target { target, .. } => target.is_complete(),
            Phase::Closing(_) => false,
            Phase::Free(free) => {
                let mut scratch = Scratch::default();
                if let Some(hit) = self.search.end(&free.place, &mut scratch) {
                    return self.is_complete_after(free, hit, engine);
                }
                !self.is_spent(free) && self.may_end(free)
            }
        }
    }

    /// Whether free text may end there, unless it is limited.
    pub(super) fn may_end(&self, free: &Free) -> bool {
        free.is_after_target || !self.required
    }

    /// Whether the text may end where that makes a trigger complete.
    fn is_complete_after(&self, free: &Free, hit: Hit, engine: &Engine) -> bool {
        let Ok(replay) = self.replay(free, hit, TokenId(0)) else { return false };
        let target = self.targets[hit.trigger].clone();
        let mut phase = Phase::Target { target, steps: 0 };
        for piece in replay.into_iter().rev() {
            let mut scratch = Scratch::default();
            // What is left behind a part that is complete is free text, which may end.
            match self.read(phase, piece, engine, Purpose::Accept, &mut scratch) {
                Ok(next) => phase = next,
                Err(_) => return false,
            }
        }
        match &phase {
            Phase::Free(_) => true,
            phase => self.is_complete(phase, engine),
        }
    }
}

/// Leaves a constrained part that cannot read all of a piece: what of the piece is behind it. Nothing
/// if the part is not complete there, or if it has just begun and has read nothing: it would begin at
/// the same place again.
fn leave(target: &Constraint, piece: Piece, is_fresh: bool, engine: &Engine) -> Option<Piece> {
    let mut matcher = target.matcher()?.clone();
    let text = piece.text(engine).unwrap_or_default();
    let read = matcher.advance(text).map_or_else(|error| error.valid_up_to(), |()| 0);
    if read > 0 {
        matcher.advance(&text[..read]).ok()?;
    }
    let is_left = matcher.is_complete() && !(is_fresh && read == 0);
    is_left.then_some(Piece {
        from: piece.from + read,
        is_token: piece.is_token && read == 0,
        ..piece
    })
}

/// Whether a text ends a character that has begun, and ends between two characters.
pub(super) fn completes(character: Utf8Place, text: &[u8]) -> bool {
    let end = text.iter().try_fold(character, |character, &byte| character.after(byte));
    end == Some(Utf8Place::BETWEEN)
}

impl Free {
    /// Where in a character it is after a text, or a token without one.
    pub(super) fn after(&self, text: Option<&[u8]>) -> Utf8Place {
        let Some(text) = text else { return Utf8Place::BETWEEN };
        text.iter().fold(self.character, |character, &byte| {
            let anew = || Utf8Place::BETWEEN.after(byte);
            character.after(byte).or_else(anew).unwrap_or(Utf8Place::BETWEEN)
        })
    }
}

impl Lazy {
    pub(crate) fn new(plan: Plan) -> Self {
        let phase = plan.start(false);
        Self { plan: Arc::new(plan), phase, past: Recent::default(), len: 0 }
    }

    /// The constraint of the part that the text is in, if what may come next is what that says.
    pub(crate) fn inner(&self) -> Option<&Constraint> {
        match &self.phase {
            Phase::Free(_) => None,
            Phase::Closing(closing) => Some(closing),
            Phase::Target { target, .. } => (!self.plan.rearm).then_some(target),
        }
    }

    /// As [`Lazy::inner`]; also where free text may follow.
    pub(crate) fn part(&self) -> Option<&Constraint> {
        match &self.phase {
            Phase::Free(_) => None,
            Phase::Closing(part) | Phase::Target { target: part, .. } => Some(part),
        }
    }

    pub(crate) fn phase(&self) -> &Phase {
        &self.phase
    }

    pub(crate) fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Whether a piece may come next.
    pub(crate) fn probe(&self, piece: Piece, engine: &Engine, most_work: u64) -> Option<bool> {
        if let Some(inner) = self.inner() {
            return inner.probe_piece(piece, most_work);
        }
        let mut scratch = Scratch::default();
        let phase = self.phase.clone();
        Some(self.plan.read(phase, piece, engine, Purpose::Probe, &mut scratch).is_ok())
    }

    pub(crate) fn read(&mut self, piece: Piece, engine: &Engine) -> Result<(), ConstraintError> {
        if let Phase::Target { target, steps } = &mut self.phase {
            match target.read(piece) {
                Ok(()) => {
                    *steps += 1;
                    self.len += 1;
                    return Ok(());
                }
                Err(ConstraintError::Refused { .. }) if self.plan.rearm => {}
                Err(error) => return Err(error),
            }
        }
        let phase = self.phase.clone();
        let mut scratch = Scratch::default();
        let next = self.plan.read(phase, piece, engine, Purpose::Accept, &mut scratch)?;
        self.past.push(std::mem::replace(&mut self.phase, next), 1, MOST_BACK);
        self.len += 1;
        Ok(())
    }

    pub(crate) fn is_complete(&self, engine: &Engine) -> bool {
        self.plan.is_complete(&self.phase, engine)
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// How many tokens can be taken back.
    pub(crate) fn rollback_limit(&self) -> usize {
        let mut limit = 0;
        for (before, phase) in std::iter::once(&self.phase).chain(self.past.iter()).enumerate() {
            limit += usize::from(before > 0);
            if let Phase::Target { target, steps } = phase {
                let inside = target.rollback_limit().min(*steps);
                limit += inside;
                if inside < *steps {
                    break;
                }
            }
        }
        limit
    }

    /// Takes back the last tokens; all of them always, else no more than [`Lazy::rollback_limit`].
    pub(crate) fn rollback(&mut self, mut tokens: usize) {
        if tokens >= self.len {
            return self.reset();
        }
        let limit = self.rollback_limit();
        assert!(
            tokens <= limit,
            "{tokens} tokens are to be taken back, of which {limit} are known"
        );
        self.len -= tokens;
        while tokens > 0 {
            if let Phase::Target { target, steps } = &mut self.phase {
                let inside = tokens.min(*steps);
                target.rollback(inside);
                *steps -= inside;
                tokens -= inside;
            }
            if tokens > 0 {
                let Some(before) = self.past.pop() else { return };
                self.phase = before;
                tokens -= 1;
            }
        }
    }

    pub(crate) fn reset(&mut self) {
        self.phase = self.plan.start(false);
        self.past = Recent::default();
        self.len = 0;
    }
}
