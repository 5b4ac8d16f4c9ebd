//! Budgets in free text: how many tokens complete it, and which may come within a number of them.

use std::sync::{Arc, PoisonError};

use super::free_mask::Leaving;
use super::reading::{Free, Lazy, Phase, Plan, Purpose};
use super::search::Scratch;
use super::word::Word;
use crate::engine::Engine;
use crate::generations::Footprint;
use crate::kinds::Utf8Place;
use crate::mask::TokenMask;
use crate::strict::Piece;
use crate::token_id::TokenId;

/// More than any budget.
const NEVER: usize = usize::MAX;

/// What completing free text takes, wherever it is; [`NEVER`] if no way is known.
struct Ways {
    /// The closing and what follows it.
    close: usize,
    /// The best of the trigger tokens and what it leads to.
    token: usize,
    /// What follows the word.
    word: usize,
}

/// Tokens that lead on from free text, or leave what is constrained, and how many are needed behind
/// each.
#[derive(Debug)]
pub(super) struct Leads {
    tokens: TokenMask,
    needed: Vec<(TokenId, usize)>,
    most: usize,
}

impl Footprint for Leads {
    fn bytes(&self) -> usize {
        self.tokens.bytes() + size_of_val(&*self.needed)
    }
}

impl Leads {
    fn new(needed: Vec<(TokenId, usize)>, len: usize) -> Self {
        let mut tokens = TokenMask::new(len);
        tokens.extend(needed.iter().map(|&(token, _)| token));
        let most = needed.iter().map(|&(_, needed)| needed).max().unwrap_or(0);
        Self { tokens, needed, most }
    }

    /// Takes out of a mask the tokens behind which more is needed.
    fn retain(&self, most: usize, mask: &mut TokenMask) {
        if self.most > most {
            let beyond = self.needed.iter().filter(|&&(_, needed)| needed > most);
            beyond.for_each(|&(token, _)| mask.remove(token));
        }
    }
}

impl Plan {
    fn ways(&self) -> Ways {
        let close = self.needed_to_close().unwrap_or(NEVER);
        let by_token = self.tokens.iter().filter_map(|&(token, trigger, is_behind)| {
            let target = &self.targets[trigger];
            let whole = || target.needed_after(Piece::whole(token));
            let after = if is_behind { target.needed_text() } else { whole() };
            Some(1 + after?)
        });
        let word = self.word.as_ref().and_then(|word| word.needed_behind(&self.targets[0]));
        Ways { close, token: by_token.min().unwrap_or(NEVER), word: word.unwrap_or(NEVER) }
    }

    /// How many tokens complete free text that may not end where it is, behind a number of its tokens,
    /// with so much of a character missing and of the word spelled.
    fn needed_from(&self, ways: &Ways, tokens: usize, missing: usize, spelled: usize) -> usize {
        let free = self.most_free().map(|most| most.saturating_sub(tokens));
        match free {
            // The rest of a character, then the closing.
            Some(0) => ways.close.saturating_add(missing),
            // The token leads on at once.
            _ if ways.token < NEVER => ways.token,
            _ => {
                // What is read before the closing can only come to it.
                let to_close = free.map_or(NEVER, |free| {
                    ways.close.saturating_add(free + Utf8Place::MOST_MISSING)
                });
                let left = self.word.as_ref().and_then(|word| word.left(spelled));
                // The thinking may not be over before the word is.
                let left = left.filter(|&left| free.is_none_or(|free| left < free));
                to_close.min(left.map_or(NEVER, |left| ways.word.saturating_add(left)))
            }
        }
    }

    /// How much of the word has been spelled after more of free text.
    pub(super) fn spelled_after(&self, free: &Free, bytes: &[u8]) -> usize {
        self.word.as_ref().map_or(0, |word| word.spelled(free.spelled, bytes))
    }

    fn needed(&self, phase: &Phase, engine: &Engine) -> Option<usize> {
        match phase {
            Phase::Free(_) if self.is_complete(phase, engine) => Some(0),
            Phase::Free(free) => {
                let missing = free.character.missing();
                let ways = self.ways();
                let needed = self.needed_from(&ways, free.tokens, missing, free.spelled);
                (needed < NEVER).then_some(needed)
            }
            Phase::Closing(closing) => Some(closing.needed_text()? + self.needed_when_closed()?),
            Phase::Target { target, .. } => target.needed_text(),
        }
    }

    /// The tokens with which a trigger is complete in free text; nothing if it takes too much work to
    /// find them.
    fn leads(&self, free: &Free, engine: &Engine) -> Option<Arc<Leads>> {
        let mut memo = self.memo.lock().unwrap_or_else(PoisonError::into_inner);
        let mut key = self.key(free);
        if let Some(known) = key.as_ref().and_then(|key| memo.leads.get(key)) {
            return Some(known);
        }
        let mut suspects = memo.suspects.of(free.seen, &self.table, engine).as_ref().clone();
        suspects.extend(self.tokens.iter().map(|&(token, ..)| token));
        let mut scratch = Scratch::default();
        let mut needed = Vec::new();
        for token in suspects.tokens() {
            let piece = Piece::whole(token);
            let mut place = free.place.clone();
            let hit = self.search.read(&mut place, piece.bytes(engine), &mut scratch);
            let leads_on = hit.is_some() || self.tokens.iter().any(|&(one, ..)| one == token);
            // What only may lead on at the end of the text needs what the end does.
            let leads_on = leads_on || self.search.end(&place, &mut scratch).is_some();
            if leads_on {
                let phase = Phase::Free(free.clone());
                let read = self.read(phase, piece, engine, Purpose::Accept, &mut scratch);
                // How much more free text may come is no part of the key.
                let is_free = matches!(read, Ok(Phase::Free(_)));
                key = key.filter(|_| !is_free || self.most_free().is_none());
                let after = read.ok().and_then(|phase| self.needed(&phase, engine));
                needed.push((token, after.unwrap_or(NEVER)));
            }
            if scratch.work() > super::free_mask::MOST_STATES {
                return None;
            }
        }
        let leads = Arc::new(Leads::new(needed, engine.vocabulary().len()));
        if let Some(key) = key {
            memo.leads.insert(key, Arc::clone(&leads));
        }
        Some(leads)
    }

    /// Leaves the tokens of free text after which `most` suffice.
    fn retain_free(&self, free: &Free, most: usize, engine: &Engine, mask: &mut TokenMask) {
        let Some(leads) = self.leads(free, engine) else { return mask.clear() };
        leads.retain(most, mask);
        // The others stay in free text.
        let tokens = free.tokens + 1;
        let is_spent = self.most_free().is_some_and(|most| tokens >= most);
        if !is_spent && self.may_end(free) {
            return;
        }
        let ways = self.ways();
        let places = self.word.as_ref().map_or(0..1, Word::places);
        let missing = 0..=if is_spent { Utf8Place::MOST_MISSING } else { 0 };
        let outcomes =
            missing.flat_map(|missing| places.clone().map(move |place| (missing, place)));
        let (least, greatest) = outcomes.fold((NEVER, 0), |(least, greatest), (missing, place)| {
            let needed = self.needed_from(&ways, tokens, missing, place);
            (least.min(needed), greatest.max(needed))
        });
        if greatest <= most {
            return;
        }
        if least > most {
            return mask.intersect_with(&leads.tokens);
        }
        let stay: Vec<TokenId> =
            mask.tokens().filter(|&token| !leads.tokens.contains(token)).collect();
        for token in stay {
            let piece = Piece::whole(token);
            let missing = free.after(piece.text(engine)).missing();
            let spelled = self.spelled_after(free, piece.bytes(engine));
            if self.needed_from(&ways, tokens, missing, spelled) > most {
                mask.remove(token);
            }
        }
    }
}

impl Lazy {
    /// How many tokens complete the text, if that is known: where free text may not end it is if a
    /// trigger token or a word that is the only trigger leads on, or the free text is limited.
    pub(crate) fn needed(&self, engine: &Engine) -> Option<usize> {
        self.plan.needed(&self.phase, engine)
    }

    /// Leaves of a mask the tokens after which so many tokens suffice, `end` of them for the end.
    pub(crate) fn retain_within(
        &self,
        left: usize,
        end: usize,
        engine: &Engine,
        mask: &mut TokenMask,
    ) {
        let free = match &self.phase {
            Phase::Closing(closing) => {
                // Something else follows it.
                let left = self.plan.needed_when_closed().and_then(|after| left.checked_sub(after));
                return match left {
                    Some(left) => closing.retain_within(left, mask),
                    None => mask.clear(),
                };
            }
            Phase::Target { target, .. } if !self.plan.rearm => {
                return target.retain_within(left, mask);
            }
            Phase::Target { .. } => None,
            Phase::Free(free) => Some(free),
        };
        let eog = engine.vocabulary().eog_ids().iter().copied();
        let ends: Vec<TokenId> = eog.filter(|&token| left > 0 && mask.contains(token)).collect();
        match left.checked_sub(1 + end) {
            None => mask.clear(),
            Some(most) => {
                for &token in &ends {
                    mask.remove(token);
                }
                match free {
                    Some(free) => self.plan.retain_free(free, most, engine, mask),
                    None => self.retain_leaving(left, most, engine, mask),
                }
            }
        }
        mask.extend(ends);
    }

    /// The same in a constrained part behind which free text may come.
    fn retain_leaving(&self, left: usize, most: usize, engine: &Engine, mask: &mut TokenMask) {
        let Phase::Target { target, .. } = &self.phase else { return };
        let mut own = target.language();
        own.intersect_with(mask);
        mask.subtract(&own);
        target.retain_within(left, &mut own);
        match self.leaving(target, engine) {
            Some(leaving) => self.leads_out(&leaving, engine).retain(most, mask),
            None => mask.clear(),
        }
        mask.union_with(&own);
    }

    /// The tokens that leave a constrained part and lead on again. Behind the others the text may end.
    fn leads_out<'l>(&self, leaving: &'l Leaving, engine: &Engine) -> &'l Leads {
        leaving.leads.get_or_init(|| {
            let mut scratch = Scratch::default();
            // Where free text is limited, all of them are looked at.
            let is_limited = self.plan.most_free().is_some();
            let tokens = if is_limited { &leaving.tokens } else { &leaving.suspects };
            let needed = tokens.tokens().map(|token| {
                let (phase, piece) = (self.phase.clone(), Piece::whole(token));
                let read = self.plan.read(phase, piece, engine, Purpose::Accept, &mut scratch);
                let after = read.ok().and_then(|phase| self.plan.needed(&phase, engine));
                (token, after.unwrap_or(NEVER))
            });
            Leads::new(needed.collect(), engine.vocabulary().len())
        })
    }
}
