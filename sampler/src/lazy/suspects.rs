//! Which tokens complete a trigger: the patterns as one table of transitions, which walks through the
//! trie of the vocabulary.

use rustc_hash::FxHashMap;
use std::sync::Arc;

use regex_automata::Input;
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson::{Compiler, Config, WhichCaptures};
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_syntax::hir::Hir;

use super::error::LazyError;
use super::search::Pattern;
use crate::engine::Engine;
use crate::kinds::Kinds;
use crate::mask::TokenMask;
use crate::preorder::Reach;
use crate::trie::{TokenTrie, TrieNode};

/// How many bytes the program of all patterns may take.
const MOST_PROGRAMS: usize = 1 << 20;
/// How many bytes the table of transitions may take. A few patterns need some KB, 1,000 words 2 MB.
const MOST_TABLE: usize = 1 << 23;
/// What making the table may take besides: less than a second.
const MOST_MAKING: usize = 1 << 23;

/// What mostly leads to where a text mostly is.
pub(super) const BLANKS: &[u8] = b"   ";

/// The table of transitions of all patterns together. It says whether a trigger is complete, not
/// which one and where.
#[derive(Debug)]
pub(super) struct Table {
    dfa: dense::DFA<Vec<u32>>,
    start: Seen,
    /// After some blanks: where a text mostly is.
    calm: Seen,
}

/// What the table knows of a text; nothing once a match has ended.
pub(super) type Seen = Option<StateID>;

impl Table {
    pub(super) fn new(patterns: &[Pattern]) -> Result<Self, LazyError> {
        let config = Config::new()
            .utf8(false)
            .which_captures(WhichCaptures::None)
            .nfa_size_limit(Some(MOST_PROGRAMS));
        // Words that begin alike are one trie within an alternation.
        let any = Hir::alternation(patterns.iter().map(|pattern| pattern.hir.clone()).collect());
        let nfa = Compiler::new()
            .configure(config)
            .build_from_hir(&any)
            .map_err(|_| LazyError::TooLarge { limit: MOST_PROGRAMS })?;
        let config = dense::Config::new()
            .match_kind(regex_automata::MatchKind::All)
            .start_kind(StartKind::Unanchored)
            .accelerate(false)
            .dfa_size_limit(Some(MOST_TABLE))
            .determinize_size_limit(Some(MOST_MAKING));
        let dfa = dense::Builder::new()
            .configure(config)
            .build_from_nfa(&nfa)
            .map_err(|_| LazyError::TooLarge { limit: MOST_TABLE })?;
        let start = dfa
            .start_state(&start::Config::from_input_forward(&Input::new("")))
            .map_err(|_| LazyError::TooLarge { limit: MOST_TABLE })?;
        let mut table = Self { dfa, start: Some(start), calm: None };
        table.calm = table.after(table.start, BLANKS);
        Ok(table)
    }

    /// Before the first byte.
    pub(super) fn start(&self) -> Seen {
        self.start
    }

    /// Where a text mostly is, if no trigger is complete there.
    pub(super) fn calm(&self) -> Seen {
        self.calm.filter(|_| !self.is_complete(self.calm))
    }

    fn step(&self, seen: Seen, byte: u8) -> Seen {
        let next = self.dfa.next_state(seen?, byte);
        (!self.dfa.is_match_state(next)).then_some(next)
    }

    pub(super) fn after(&self, seen: Seen, bytes: &[u8]) -> Seen {
        bytes.iter().fold(seen, |seen, &byte| self.step(seen, byte))
    }

    /// Whether a trigger may be complete if a token or the text ends here.
    pub(super) fn is_complete(&self, seen: Seen) -> bool {
        seen.is_none_or(|state| self.dfa.is_match_state(self.dfa.next_eoi_state(state)))
    }

    /// The tokens with which a trigger is complete where a text mostly is. Where the characters below a
    /// node change nothing, nobody has to look.
    fn completing_calm(&self, engine: &Engine) -> TokenMask {
        let trie = &engine.tables.trie;
        let mut mask = TokenMask::new(engine.vocabulary().len());
        let stays = |byte| self.step(self.calm, byte) == self.calm;
        let is_quiet = !self.is_complete(self.calm);
        let quiet = Kinds::ALL
            .beginning_with(|byte| stays(byte) && (byte < 0xc2 || (0x80..0xc0).all(stays)));
        trie.scan(TokenTrie::ROOT, self.calm, |node, seen, byte, outline| {
            let seen = self.step(seen, byte);
            if seen.is_none() {
                mask.extend(trie.tokens_from(node).iter().copied());
                return Reach::Out;
            }
            if (seen != self.calm || !is_quiet) && self.is_complete(seen) {
                mask.extend(trie.tokens_at(node));
            }
            match outline {
                Some(outline) if is_quiet && seen == self.calm && quiet.contains(outline.kinds) => {
                    Reach::All
                }
                _ => Reach::Into(seen),
            }
        });
        self.set_control(self.calm, engine, &mut mask);
        mask
    }

    /// The tokens with which a trigger is complete, with those `calm` where a text mostly is: they are
    /// the same below where both have seen the same.
    fn completing(&self, seen: Seen, engine: &Engine, calm: &TokenMask) -> TokenMask {
        let trie = &engine.tables.trie;
        let mut mask = calm.clone();
        let mut pending = vec![(TokenTrie::ROOT, seen, self.calm)];
        while let Some((node, seen, calm)) = pending.pop() {
            for (byte, child) in trie.children(node) {
                let (seen, calm) = (self.step(seen, byte), self.step(calm, byte));
                if seen == calm {
                    continue;
                }
                if seen.is_none() {
                    mask.extend(trie.tokens_from(child).iter().copied());
                    continue;
                }
                if trie.has_token(child) {
                    let is_complete = self.is_complete(seen);
                    trie.tokens_at(child).for_each(|token| mask.set(token, is_complete));
                }
                pending.push((child, seen, calm));
            }
        }
        self.set_control(seen, engine, &mut mask);
        mask
    }

    /// Control tokens count by their texts.
    fn set_control(&self, seen: Seen, engine: &Engine, mask: &mut TokenMask) {
        let vocabulary = engine.vocabulary();
        for &token in vocabulary.control_ids() {
            let bytes = vocabulary.bytes(token).unwrap_or_default();
            let is_complete = self.is_complete(self.after(seen, bytes));
            mask.set(token, is_complete && !vocabulary.is_eog(token));
        }
    }

    /// The tokens below a node of the trie, and its own, which read the byte that leads to it when
    /// the search begins: those with which no trigger is complete, and the others.
    pub(super) fn split_below(
        &self,
        (node, byte): (TrieNode, u8),
        trie: &TokenTrie,
        (quiet, suspects): (&mut TokenMask, &mut TokenMask),
    ) {
        let mut pending = vec![(node, self.step(self.start, byte))];
        while let Some((node, seen)) = pending.pop() {
            if seen.is_none() {
                suspects.extend(trie.tokens_from(node).iter().copied());
                continue;
            }
            if trie.has_token(node) {
                let set = if self.is_complete(seen) { &mut *suspects } else { &mut *quiet };
                set.extend(trie.tokens_at(node));
            }
            let children = trie.children(node);
            pending.extend(children.map(|(byte, child)| (child, self.step(seen, byte))));
        }
    }
}

/// So many of the sets are kept, beside the one where a text mostly is: 25 KB each with a large
/// vocabulary.
const MOST_SETS: usize = 64;

/// The tokens with which a trigger is complete, by what has been seen, as far as they are known.
#[derive(Debug, Default)]
pub(super) struct Suspects {
    calm: Option<Arc<TokenMask>>,
    known: FxHashMap<Seen, Arc<TokenMask>>,
}

impl Suspects {
    pub(super) fn of(&mut self, seen: Seen, table: &Table, engine: &Engine) -> Arc<TokenMask> {
        let calm = self.calm.get_or_insert_with(|| Arc::new(table.completing_calm(engine)));
        if seen == table.calm {
            return Arc::clone(calm);
        }
        if let Some(known) = self.known.get(&seen) {
            return Arc::clone(known);
        }
        let set = Arc::new(table.completing(seen, engine, calm));
        if self.known.len() >= MOST_SETS {
            self.known.clear();
        }
        self.known.insert(seen, Arc::clone(&set));
        set
    }
}
