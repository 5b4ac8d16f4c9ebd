//! The mask engine of a vocabulary: which tokens may come next.
//!
//! A mask is the union over the configurations of a state. For each, the tokens that stay inside
//! the terminal are known from a table that all grammars share ([`crate::interior`]); only where
//! tokens leave the terminal does the walk through the trie go on with what lies below. The
//! result is kept by configuration.

use std::sync::{Arc, Mutex, PoisonError};

use grammask_gbnf::{
    Blurred, Entry, FrozenTerms, Label, Session, State, Terms, TextId, TokenName, TokenReference,
    TrackId, WrittenKeys,
};
use smallvec::SmallVec;

use crate::bound::Unbounded;
use crate::generations::{Footprint, Generations};
use crate::keys;
use crate::lookahead::{EntryMask, Lookahead, LookaheadMemo};
use crate::mask::{MaskBuffer, TokenMask};
use crate::tables::{self, Tables};
use crate::token_id::TokenId;
use crate::token_set::{Found, TokenSet};
use crate::trie::TokenTrie;
use crate::vocabulary::Vocabulary;

/// A vocabulary with everything that is known about it: the trie of its tokens and the tables of
/// terminals, shared by all grammars that are used with it.
///
/// ```
/// use grammask_gbnf::{Expr, Grammar};
/// use grammask_sampler::{Constraint, Engine, Vocabulary};
///
/// let engine = Engine::new(Vocabulary::from_json(r#"{"tokens": ["a", "ab", "b", ""]}"#
///     .replace(r#", """#, "").as_str())?);
/// let mut grammar = Grammar::default();
/// grammar.add("root", Expr::literal("ab"));
/// let constraint = Constraint::new(&engine, &grammar, "root")?;
/// assert_eq!(constraint.mask().count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Engine {
    vocabulary: Vocabulary,
    pub(crate) tables: Tables,
    /// The ids that have a token.
    used: TokenMask,
    terms: Mutex<SharedTerms>,
}

/// The terms of the grammars that are compiled for a vocabulary: most have numbers and strings.
#[derive(Debug, Default)]
struct SharedTerms {
    now: Arc<Terms>,
    /// Those that stay: see [`Engine::keep_tables`].
    kept: Option<FrozenTerms>,
}

/// Grammars are compiled among the terms of earlier ones as long as these are no more besides those that
/// stay, about half a MB. With ten times as many the slowest tenth of first masks come a tenth sooner, the
/// others when they come now, and more holes stay in memory.
const MOST_TERMS: usize = 2_000;
/// The same as long as none stay: so many may.
const MOST_KEPT: usize = 20_000;

/// How many bytes the masks of a constraint may take.
const MASKS: usize = 4 << 20;
/// The same for masks of many configurations together.
const TOGETHER: usize = 512 << 10;
/// More configurations are many: if the masks of all of them
const MANY: usize = 32;
/// take more work, they are read together.
const MOST_APART: u64 = 1 << 13;

/// A mask that has been looked for: nothing where that takes too much work, and for a configuration with
/// forgotten members if the mask depends on them.
type KnownMask = Option<Arc<EntryMask>>;

/// The masks of the configurations of a state: together, they are the state's.
type EntryMasks = SmallVec<[Arc<EntryMask>; 4]>;

/// Masks that have been looked for, by configuration and the text on which it depends: those of one
/// session.
#[derive(Debug)]
pub(crate) struct MaskMemo {
    masks: Generations<(Entry, TextId), KnownMask>,
    /// Of many configurations together.
    together: Generations<State, Together>,
    lookahead: LookaheadMemo,
}

/// The mask of many configurations.
#[derive(Clone, Debug)]
struct Together {
    mask: KnownMask,
    /// How many there are.
    of: usize,
}

impl Footprint for Together {
    fn bytes(&self) -> usize {
        self.of * size_of::<Entry>() + self.mask.bytes()
    }
}

impl Default for MaskMemo {
    fn default() -> Self {
        Self {
            masks: Generations::new(MASKS),
            together: Generations::new(TOGETHER),
            lookahead: LookaheadMemo::default(),
        }
    }
}

impl MaskMemo {
    /// Exchanges what is known of frames, and of which ways to look find masks: that is the same whatever states
    /// there are.
    pub(crate) fn swap_frames(&mut self, other: &mut Self) {
        std::mem::swap(&mut self.lookahead.frames, &mut other.lookahead.frames);
        std::mem::swap(&mut self.lookahead.looks, &mut other.lookahead.looks);
    }

    /// How many bytes what is known of frames takes.
    pub(crate) fn frames_bytes(&self) -> usize {
        self.lookahead.frames.bytes()
    }
}

impl Engine {
    /// The most that [`Engine::table_bytes`] says, unless one table alone takes more than its share.
    pub const MOST_TABLE_BYTES: usize = tables::MOST_BYTES;

    /// Builds the trie of a vocabulary.
    pub fn new(vocabulary: Vocabulary) -> Arc<Self> {
        let (tables, terms) = (Tables::new(&vocabulary), Mutex::default());
        let mut used = TokenMask::new(vocabulary.len());
        used.extend(vocabulary.ids().filter(|&id| vocabulary.bytes(id).is_some()));
        Arc::new(Self { vocabulary, tables, used, terms })
    }

    /// The ids that have a token.
    pub(crate) fn used(&self) -> &TokenMask {
        &self.used
    }

    /// The terms among which the next grammar is compiled.
    pub(crate) fn terms(&self) -> Arc<Terms> {
        let mut terms = self.terms.lock().unwrap_or_else(PoisonError::into_inner);
        let SharedTerms { now, kept } = &mut *terms;
        let most = kept.as_ref().map_or(MOST_KEPT, |kept| kept.len() + MOST_TERMS);
        if now.size() > most {
            *now = kept.as_ref().map(|kept| Arc::new(kept.extend())).unwrap_or_default();
        }
        Arc::clone(now)
    }

    /// The vocabulary.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Number of nodes of the trie.
    pub fn trie_len(&self) -> usize {
        self.tables.trie.len()
    }

    /// How many bytes the tables take that have been built for the terminals of grammars: at most
    /// [`Engine::MOST_TABLE_BYTES`]. What has not been asked for the longest goes first.
    pub fn table_bytes(&self) -> usize {
        self.tables.bytes()
    }

    /// The tables that there are now stay, whatever is needed later: those that nearly all grammars need.
    /// Of a kind of tables of which they take more than three quarters of the room those stay that have been asked for
    /// last. What is known of the terminals of grammars stays as well, if no constraint with one of them is left.
    ///
    /// ```
    /// use grammask_gbnf::parse;
    /// use grammask_sampler::{Constraint, Engine, Vocabulary};
    ///
    /// let engine = Engine::new(Vocabulary::from_json(r#"{"tokens": ["a", "b"]}"#)?);
    /// Constraint::new(&engine, &parse("root ::= [a-z]+")?, "root")?.mask();
    /// engine.keep_tables();
    /// assert!(engine.table_bytes() > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn keep_tables(&self) {
        self.tables.keep();
        let mut terms = self.terms.lock().unwrap_or_else(PoisonError::into_inner);
        match Arc::try_unwrap(std::mem::take(&mut terms.now)) {
            Ok(now) => {
                let kept = now.freeze();
                terms.now = Arc::new(kept.extend());
                terms.kept = Some(kept);
            }
            Err(now) => terms.now = now,
        }
    }

    /// How many nodes of the trie have been visited so far, for the masks of all constraints on this
    /// engine: what masks cost that were not known. A mask that is known visits none.
    pub fn nodes_visited(&self) -> u64 {
        self.tables.visited()
    }

    /// The token that a reference names, if it exists.
    pub fn resolve(&self, reference: &TokenReference) -> Option<TokenId> {
        match &reference.token {
            TokenName::Id(id) => {
                let token = TokenId(*id);
                self.vocabulary.bytes(token).map(|_| token)
            }
            TokenName::Text(text) => self.vocabulary.token_by_text(text.as_bytes()),
        }
    }

    /// Whether a reference means this token. An end-of-generation token is never meant.
    pub(crate) fn means(&self, reference: &TokenReference, token: TokenId) -> bool {
        !self.vocabulary.is_eog(token)
            && (self.resolve(reference) == Some(token)) != reference.negated
    }

    /// The tokens that may come next in a state of a session of an automaton on this engine:
    /// all that some text of the language goes on with, and the end-of-generation tokens exactly
    /// if the text may end. Whether that could be found without too much work: if not, there are none.
    pub(crate) fn fill(
        &self,
        session: &mut Session,
        memo: &mut MaskMemo,
        state: &State,
        mask: &mut (impl MaskBuffer + ?Sized),
    ) -> bool {
        let masks = self.masks(session, memo, state);
        self.unite(state, masks, mask)
    }

    /// The masks of the configurations of a state; nothing if they take too much work. Each is looked for
    /// alone, which may do for later states as well; if that takes long, all are read together. What is
    /// known already makes no difference to what is found, unless there are many configurations.
    fn masks(
        &self,
        session: &mut Session,
        memo: &mut MaskMemo,
        state: &State,
    ) -> Option<EntryMasks> {
        let entries = state.entries();
        // Keys and items that are compared make each state another one.
        let is_compared = |entry: &Entry| {
            matches!(entry.label, Label::Key { .. }) || entry.track != TrackId::NONE
        };
        if entries.iter().any(is_compared) {
            return self.masks_apart(session, memo, state, None);
        }
        let is_many = entries.len() > MANY;
        let known = if memo.together.is_empty() { None } else { memo.together.get(state) };
        let together = if let Some(Together { mask, .. }) = known {
            mask
        } else {
            let most = if is_many { MOST_APART } else { self.most_work() };
            let apart = self.masks_apart(session, memo, state, Some(most));
            if apart.is_some() {
                return apart;
            }
            self.mask_together(session, memo, state)
        };
        if together.is_none() && !is_many {
            return self.masks_apart(session, memo, state, None);
        }
        // A token is no text to be read.
        let tokens = entries.iter().filter(|entry| matches!(entry.label, Label::Token(_)));
        let tokens = tokens
            .map(|&entry| self.mask_of(session, memo, state, entry, self.most_work()).flatten());
        tokens.chain([together]).collect()
    }

    /// The masks of the configurations of a state, each looked for alone; nothing if one takes too much
    /// work, or if all take more than they share, if they do.
    fn masks_apart(
        &self,
        session: &mut Session,
        memo: &mut MaskMemo,
        state: &State,
        shared: Option<u64>,
    ) -> Option<EntryMasks> {
        let before = session.work();
        let entries = state.entries().iter();
        let masks = entries.map(|&entry| {
            let left = match shared {
                Some(most) if !matches!(entry.label, Label::Token(_)) => {
                    most.saturating_sub(session.work() - before)
                }
                _ => self.most_work(),
            };
            self.mask_of(session, memo, state, entry, left).flatten()
        });
        masks.collect()
    }

    /// Finds out what tokens have behind the frames of the configurations of a state, as far as that is new.
    pub(crate) fn meet_frames(&self, session: &mut Session, memo: &mut MaskMemo, state: &State) {
        for &entry in state.entries() {
            let key = (entry, state.text_of(entry));
            if memo.masks.get(&key).is_none() {
                let mask = self.by_frames(session, &mut memo.lookahead, state, entry);
                memo.masks.insert(key, mask.map(Arc::new));
            }
        }
    }

    /// The mask of all configurations that are not tokens, read at once.
    pub(crate) fn mask_together(
        &self,
        session: &mut Session,
        memo: &mut MaskMemo,
        state: &State,
    ) -> KnownMask {
        let before = session.steps();
        let mask = self.look_by_states(self.most_work(), session, state);
        let mask = mask.map(|mask| Arc::new(mask.sharing(&mut memo.lookahead.cores)));
        self.tables.count_visited(session.steps() - before + 1);
        let together = Together { mask: mask.clone(), of: state.entries().len() };
        memo.together.insert(state.clone(), together);
        mask
    }

    /// The same if the masks of all configurations are known already; whether that is so.
    pub(crate) fn fill_known(
        &self,
        session: &mut Session,
        memo: &mut MaskMemo,
        state: &State,
        mask: &mut TokenMask,
    ) -> bool {
        let entries = state.entries().iter();
        // Where one has none of its own, all together may have.
        let masks: Option<EntryMasks> =
            entries.map(|&entry| self.mask_of(session, memo, state, entry, 0).flatten()).collect();
        masks.is_some() && self.unite(state, masks, mask)
    }

    /// The mask of a configuration of a state, if it is known; if not, it is looked for with at most so
    /// much work, which may be none. Where bounds on lengths make no difference, it is made from the mask
    /// without them.
    fn mask_of(
        &self,
        session: &mut Session,
        memo: &mut MaskMemo,
        state: &State,
        entry: Entry,
        most_work: u64,
    ) -> Option<KnownMask> {
        if let Some(unbounded) = Unbounded::new(entry, &self.tables, session)
            && let Some(mask) =
                self.mask_as_it_is(session, memo, state, unbounded.entry, most_work)?
        {
            let Some(bound) = unbounded.bound else { return Some(Some(mask)) };
            let key = (entry, state.text_of(entry));
            let known = memo.masks.get(&key);
            let bounded = known.or_else(|| {
                let mask = Some(Arc::new(bound.of(&mask, &self.tables)?));
                memo.masks.insert(key, mask.clone());
                Some(mask)
            });
            if bounded.is_some() {
                return bounded;
            }
        }
        self.mask_as_it_is(session, memo, state, entry, most_work)
    }

    /// The same without a look at the bounds of the configuration.
    fn mask_as_it_is(
        &self,
        session: &mut Session,
        memo: &mut MaskMemo,
        state: &State,
        entry: Entry,
        most_work: u64,
    ) -> Option<KnownMask> {
        let key = (entry, state.text_of(entry));
        if let Some(Blurred { entry: blurred, written, has_items }) = session.blurred(entry) {
            if (written.is_some() || has_items)
                && let Some(known) = memo.masks.get(&key)
            {
                return Some(known);
            }
            if let Some(mask) = self.find_mask(session, memo, state, blurred, most_work, true)? {
                if written.is_none() && !has_items {
                    return Some(Some(mask));
                }
                let lookahead = &mut memo.lookahead;
                let of = (state, entry, written);
                if let Some(mask) = self.unblurred(session, lookahead, mask, of, most_work) {
                    memo.masks.insert(key, Some(Arc::clone(&mask)));
                    return Some(Some(mask));
                }
            }
        }
        if let Some(long) = session.long_key(entry)
            && let Some(mask) = self.find_mask(session, memo, state, long, most_work, true)?
        {
            return Some(Some(mask));
        }
        self.find_mask(session, memo, state, entry, most_work, false)
    }

    /// The mask of a configuration, if it is known or may be looked for. Of one that `is_blurred` some is
    /// forgotten: nothing where that matters.
    fn find_mask(
        &self,
        session: &mut Session,
        memo: &mut MaskMemo,
        state: &State,
        entry: Entry,
        most_work: u64,
        is_blurred: bool,
    ) -> Option<KnownMask> {
        let key = (entry, state.text_of(entry));
        memo.masks.get(&key).or_else(|| {
            (most_work > 0).then(|| {
                let lookahead = &mut memo.lookahead;
                let mut find = |session: &mut Session| {
                    self.entry_mask(session, lookahead, state, entry, most_work)
                };
                let mask = if is_blurred { session.if_blurred(find) } else { Some(find(session)) };
                // What has not been found with less work is looked for again.
                let is_all_work = most_work >= self.most_work();
                let is_final = is_all_work || mask.as_ref().is_none_or(Option::is_some);
                let mask =
                    mask.flatten().map(|mask| Arc::new(mask.sharing(&mut memo.lookahead.cores)));
                if is_final {
                    memo.masks.insert(key, mask.clone());
                }
                mask
            })
        })
    }

    /// The mask of a configuration of a state, from that where keys that have been `written` and items that
    /// have been read are forgotten. Nothing if these change it in a way that takes too much work.
    fn unblurred(
        &self,
        session: &mut Session,
        memo: &mut LookaheadMemo,
        mask: Arc<EntryMask>,
        (state, entry, written): (&State, Entry, Option<WrittenKeys>),
        most_work: u64,
    ) -> Option<Arc<EntryMask>> {
        let mut without = Found::new(self.vocabulary.len());
        if let Some(written) = written {
            without.add_list(&self.written_tokens(session, entry, written)?);
        }
        let mut besides = TokenSet::default();
        if session.is_like(entry) || !mask.open.is_empty() {
            let find = |session: &mut Session| {
                Lookahead::new(self, session, memo).compared(&state.only(entry), &mask.open)
            };
            let look = |session: &mut Session| session.limited(most_work, find);
            let before = session.steps();
            let compared = session.look_ahead_keeping(look);
            self.tables.count_visited(session.steps() - before);
            let compared = compared?;
            without.add(&compared.without);
            besides = compared.besides;
        }
        let without = without.into_set();
        if without.is_empty() && mask.open.is_empty() {
            return Some(mask);
        }
        Some(Arc::new(mask.compared(&without, besides, self.vocabulary.len())))
    }

    /// Reads each of some tokens, as text, from a state on. Those that begin alike stand together: what
    /// two have in common is read once.
    pub(crate) fn read_in_order(
        &self,
        session: &mut Session,
        start: &State,
        tokens: &[TokenId],
        mut behind: impl FnMut(&mut Session, TokenId, &State),
    ) {
        let mut states = vec![start.clone()];
        let mut last: &[u8] = &[];
        for &token in tokens {
            let bytes = self.vocabulary.bytes(token).unwrap_or_default();
            let common = last.iter().zip(bytes).take_while(|(a, b)| a == b).count();
            states.truncate(common + 1);
            while let Some(state) = states.last()
                && !state.is_dead()
                && let Some(&byte) = bytes.get(states.len() - 1)
            {
                let next = session.step(state, byte);
                states.push(next);
            }
            last = bytes;
            if let Some(state) = states.last() {
                behind(session, token, state);
            }
        }
    }

    /// The tokens with which a key of a configuration would be one of those that have been written. Nothing
    /// if one of them can be read in another way.
    fn written_tokens(
        &self,
        session: &mut Session,
        entry: Entry,
        written: WrittenKeys,
    ) -> Option<Vec<TokenId>> {
        let trie = &self.tables.trie;
        let mut tokens = Vec::new();
        for end in keys::ends_of_written(session, written, (trie, TokenTrie::ROOT)) {
            if !session.is_only_end(entry.label, &trie.path(end)) {
                return None;
            }
            tokens.extend_from_slice(trie.tokens_from(end));
        }
        Some(tokens)
    }

    /// The mask of a state, from those of its configurations; empty if one of them could not be found.
    /// Whether it is not.
    pub(crate) fn unite(
        &self,
        state: &State,
        masks: Option<EntryMasks>,
        mask: &mut (impl MaskBuffer + ?Sized),
    ) -> bool {
        let Some(masks) = masks else {
            mask.assign(None);
            return false;
        };
        EntryMask::unite(&masks, self.vocabulary.len(), mask);
        if state.is_complete() {
            self.vocabulary.eog_ids().iter().for_each(|&token| mask.add(token));
        }
        true
    }
}
