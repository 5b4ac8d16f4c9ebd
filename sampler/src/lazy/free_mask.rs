//! The masks of free text: everything but what would begin a constrained part wrongly.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use grammask_gbnf::{Session, State};
use rustc_hash::FxHashMap;

use super::reading::{Free, Lazy, Phase, Plan, Purpose, completes};
use super::search::{Scratch, Situation};
use super::suspects::{Seen, Suspects};
use super::within::Leads;
use crate::constraint::Constraint;
use crate::engine::{Engine, MaskMemo};
use crate::generations::Generations;
use crate::kinds::Utf8Place;
use crate::mask::{MaskBuffer, TokenMask};
use crate::strict::Piece;
use crate::token_id::TokenId;
use crate::trie::{TokenTrie, TrieNode};

/// How many bytes the masks of a lazy grammar may take.
const MASKS: usize = 2 << 20;
/// Where more threads or pieces of text are kept the mask is looked for anew.
const MOST_KEY: usize = 1 << 6;
/// The most work for where tokens leave a constrained part, see [`Session::limited`]: some seconds.
const MOST_WORK: u64 = 1 << 24;
/// The most states of patterns that are looked at for a mask: about a second.
pub(super) const MOST_STATES: u64 = 1 << 27;

/// All on which the mask of free text depends: what triggers have seen, the text that would be read
/// again, and the character that must be ended if the budget is spent.
pub(super) type Key = (Seen, Situation, Vec<Piece>, Option<Utf8Place>);

/// A state within a session; that of a constraint is known by the address of its masks, which are kept.
type Within = (usize, State);

/// The masks that are known.
#[derive(Debug)]
pub(super) struct Memo {
    pub(super) suspects: Suspects,
    masks: Generations<Key, Arc<TokenMask>>,
    pub(super) leads: Generations<Key, Arc<Leads>>,
    leaving: Generations<Within, Arc<Leaving>>,
}

impl Default for Memo {
    fn default() -> Self {
        let (masks, leads) = (Generations::new(MASKS), Generations::new(MASKS));
        Self { suspects: Suspects::default(), masks, leads, leaving: Generations::new(MASKS) }
    }
}

/// The tokens that leave a constrained part.
#[derive(Debug)]
pub(super) struct Leaving {
    pub(super) tokens: TokenMask,
    /// Those of them with which a trigger may be complete again.
    pub(super) suspects: TokenMask,
    /// What is needed behind these, once a budget asks.
    pub(super) leads: OnceLock<Leads>,
    /// The session of the state stays as long as this is kept.
    _session: Arc<Mutex<MaskMemo>>,
}

impl crate::generations::Footprint for Leaving {
    fn bytes(&self) -> usize {
        self.tokens.bytes() + self.suspects.bytes()
    }
}

impl Lazy {
    /// Whether the tokens could be found.
    pub(crate) fn fill(&self, engine: &Engine, mask: &mut (impl MaskBuffer + ?Sized)) -> bool {
        match &self.phase {
            Phase::Closing(closing) => closing.fill(mask),
            Phase::Target { target, .. } if !self.plan.rearm => target.fill(mask),
            Phase::Target { target, .. } => {
                if !target.fill(mask) {
                    return false;
                }
                let Some(leaving) = self.leaving(target, engine) else {
                    mask.assign(None);
                    return false;
                };
                mask.unite(&leaving.tokens);
                true
            }
            Phase::Free(free) => {
                let Some(allowed) = self.plan.allowed(free, engine) else {
                    mask.assign(None);
                    return false;
                };
                if self.plan.is_spent(free) {
                    let mut rest = rest_of_character(free, engine);
                    rest.intersect_with(&allowed);
                    mask.assign(Some(&rest));
                } else {
                    mask.assign(Some(&allowed));
                }
                if self.is_complete(engine) {
                    engine.vocabulary().eog_ids().iter().for_each(|&token| mask.add(token));
                }
                true
            }
        }
    }

    /// The tokens that leave a constrained part behind which free text comes; nothing if it takes too
    /// much work to find them.
    pub(super) fn leaving(&self, target: &Constraint, engine: &Engine) -> Option<Arc<Leaving>> {
        let strict = target.strict()?;
        let mut memo = self.plan.memo.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (Arc::as_ptr(&strict.memo) as usize, strict.matcher.state().clone());
        if let Some(known) = memo.leaving.get(&key) {
            return Some(known);
        }
        let trie = &engine.tables.trie;
        let own = target.mask();
        let is_new = |token: TokenId| !own.contains(token);
        let walk = |session: &mut Session| exits(session, strict.matcher.state(), trie, is_new);
        let walk = |session: &mut Session| session.limited(MOST_WORK, walk);
        let exits = strict.matcher.session().look_ahead(walk)?;
        let len = engine.vocabulary().len();
        let (mut tokens, mut suspects) = (TokenMask::new(len), TokenMask::new(len));
        let is_free = matches!(self.plan.start(true), Phase::Free(_));
        for exit in exits {
            if is_free {
                self.plan.table.split_below(exit, trie, (&mut tokens, &mut suspects));
            } else {
                // A budget of nothing: the closing comes at once.
                suspects.extend(trie.tokens_from(exit.0).iter().copied());
            }
        }
        // Trigger tokens and control tokens are free text only from their first byte on.
        suspects.extend(self.plan.tokens.iter().map(|&(token, ..)| token));
        suspects.extend(engine.vocabulary().control_ids().iter().copied());
        let mut scratch = Scratch::default();
        let tried: Vec<TokenId> = suspects.tokens().filter(|&token| is_new(token)).collect();
        for token in tried {
            if scratch.work() > MOST_STATES {
                return None;
            }
            let is_eog = engine.vocabulary().is_eog(token);
            let (phase, piece) = (self.phase.clone(), Piece::whole(token));
            let purpose = Purpose::Probe;
            if !is_eog && self.plan.read(phase, piece, engine, purpose, &mut scratch).is_ok() {
                tokens.insert(token);
            } else {
                tokens.remove(token);
            }
        }
        suspects.intersect_with(&tokens);
        let session = Arc::clone(&strict.memo);
        let leads = OnceLock::new();
        let leaving = Arc::new(Leaving { tokens, suspects, leads, _session: session });
        memo.leaving.insert(key, Arc::clone(&leaving));
        Some(leaving)
    }
}

/// Where the tokens that are new leave what a session reads: the nodes of the trie behind the first
/// byte that cannot be read, with that byte, where the text before it is complete.
fn exits(
    session: &mut Session,
    start: &State,
    trie: &TokenTrie,
    is_new: impl Fn(TokenId) -> bool,
) -> Vec<(TrieNode, u8)> {
    let mut exits = Vec::new();
    let mut pending = vec![(TokenTrie::ROOT, start.clone())];
    while let Some((node, state)) = pending.pop() {
        let first = session.first(&state);
        for (byte, child) in trie.children(node) {
            let may_go_on = first.contains(byte);
            let below = trie.tokens_from(child);
            if !may_go_on && !state.is_complete() || !below.iter().any(|&token| is_new(token)) {
                continue;
            }
            let next = if may_go_on { session.step(&state, byte) } else { State::default() };
            if !next.is_dead() {
                pending.push((child, next));
            } else if state.is_complete() {
                exits.push((child, byte));
            }
        }
    }
    exits
}

/// The tokens that end a character which has begun, and end between two characters.
fn rest_of_character(free: &Free, engine: &Engine) -> TokenMask {
    let trie = &engine.tables.trie;
    let mut mask = TokenMask::new(engine.vocabulary().len());
    let (lo, hi) = free.character.bytes();
    for (_, child) in trie.children(TokenTrie::ROOT).filter(|(byte, _)| (lo..=hi).contains(byte)) {
        mask.extend(trie.tokens_from(child).iter().copied().filter(|&token| {
            let bytes = engine.vocabulary().bytes(token);
            bytes.is_some_and(|bytes| completes(free.character, bytes))
        }));
    }
    mask
}

impl Plan {
    /// The tokens that free text may go on with, without the end of generation; nothing if it takes
    /// too much work to find them.
    fn allowed(&self, free: &Free, engine: &Engine) -> Option<Arc<TokenMask>> {
        let mut memo = self.memo.lock().unwrap_or_else(PoisonError::into_inner);
        let key = self.key(free);
        if let Some(known) = key.as_ref().and_then(|key| memo.masks.get(key)) {
            return Some(known);
        }
        let vocabulary = engine.vocabulary();
        let mut mask = engine.used().clone();
        vocabulary.eog_ids().iter().for_each(|&token| mask.remove(token));
        let mut suspects = memo.suspects.of(free.seen, &self.table, engine).as_ref().clone();
        suspects.extend(self.tokens.iter().map(|&(token, ..)| token));
        let mut trial = Trial::new(self, free, engine);
        for token in suspects.tokens() {
            if !trial.fits(token) {
                mask.remove(token);
            }
            if trial.scratch.work() > MOST_STATES {
                return None;
            }
        }
        let mask = Arc::new(mask);
        if let Some(key) = key {
            memo.masks.insert(key, Arc::clone(&mask));
        }
        Some(mask)
    }

    /// Nothing where it is too long to be kept.
    pub(super) fn key(&self, free: &Free) -> Option<Key> {
        let situation = free.place.situation();
        let earliest = self.search.earliest(&free.place).unwrap_or(free.place.at());
        let kept = free.kept.iter().take_while(|kept| kept.end > earliest).take(MOST_KEY + 1);
        let kept: Vec<Piece> = kept.map(|kept| kept.piece).collect();
        let is_short = situation.len() <= MOST_KEY && kept.len() <= MOST_KEY;
        let character = self.is_spent(free).then_some(free.character);
        is_short.then_some((free.seen, situation, kept, character))
    }
}

/// Tries tokens with which a trigger is complete. What many of them have in common is read once.
struct Trial<'t> {
    plan: &'t Plan,
    free: &'t Free,
    engine: &'t Engine,
    scratch: Scratch,
    /// What triggers lead to after the kept text from a place on, if it can be read.
    begun: FxHashMap<(usize, u64), Option<Constraint>>,
    /// Whether what a trigger leads to reads a text.
    rests: FxHashMap<(usize, &'t [u8]), bool>,
}

impl<'t> Trial<'t> {
    fn new(plan: &'t Plan, free: &'t Free, engine: &'t Engine) -> Self {
        let (begun, rests) = (FxHashMap::default(), FxHashMap::default());
        Self { plan, free, engine, scratch: Scratch::default(), begun, rests }
    }

    fn fits(&mut self, token: TokenId) -> bool {
        let (plan, engine) = (self.plan, self.engine);
        let piece = Piece::whole(token);
        let is_trigger = plan.tokens.iter().any(|&(trigger, ..)| trigger == token);
        if plan.rearm || is_trigger || engine.vocabulary().is_control(token) {
            let phase = Phase::Free(self.free.clone());
            let read = plan.read(phase, piece, engine, Purpose::Probe, &mut self.scratch);
            return read.is_ok();
        }
        let bytes = piece.bytes(engine);
        let at = self.free.place.at();
        let mut place = self.free.place.clone();
        let Some(hit) = plan.search.read(&mut place, bytes, &mut self.scratch) else { return true };
        let target = &plan.targets[hit.trigger];
        if hit.start >= at {
            let from = (hit.start - at) as usize;
            let rest =
                Piece { from, is_token: from == 0 || !plan.search.is_behind(hit.trigger), ..piece };
            if from == bytes.len() {
                return true;
            }
            let probe = || target.probe_piece(rest, u64::MAX) == Some(true);
            // Where tokens are referred to it is not only the text that counts.
            return if target.has_tokens() {
                probe()
            } else {
                *self.rests.entry((hit.trigger, &bytes[from..])).or_insert_with(probe)
            };
        }
        let (free, begun) = (self.free, &mut self.begun);
        let begun = begun.entry((hit.trigger, hit.start)).or_insert_with(|| {
            let pieces = plan.replay(free, hit, token).ok()?;
            let mut target = target.clone();
            pieces.into_iter().rev().try_for_each(|piece| target.read(piece)).ok()?;
            Some(target)
        });
        begun.as_ref().is_some_and(|target| target.probe_piece(piece, u64::MAX) == Some(true))
    }
}
