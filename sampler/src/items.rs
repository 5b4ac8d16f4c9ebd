//! Masks within the items of a list of which no two are equal.
//!
//! What stays inside a terminal is what the terminal's table says, but for texts that are on the
//! way to an item that is equal to another one; and where a token leaves the terminal, the item may
//! end, so what follows depends on what has been read.

use std::sync::Arc;

use grammask_gbnf::{ByteSet, Entry, Label, Session, State, TermId};

use crate::lookahead::{Base, Lookahead};
use crate::token_id::TokenId;
use crate::token_set::{Found, TokenSet};
use crate::trie::{TokenTrie, TrieNode};

/// What comparing the items changes in a mask for which they have been forgotten.
pub(crate) struct Compared {
    /// Tokens with which an item would be equal to another one, or could only become so.
    pub(crate) without: TokenSet,
    /// Tokens that are allowed: some of them may be among the others.
    pub(crate) besides: TokenSet,
}

impl Lookahead<'_> {
    /// What comparing items changes in the mask of a state with one configuration, where nothing is known
    /// of the tokens `open`. What has become different stays so, so that only texts matter with which
    /// an item is still like another one, and those are few.
    pub(crate) fn compared(&mut self, start: &State, open: &[TokenId]) -> Compared {
        let len = self.engine.vocabulary().len();
        let mut found = Found::with_spare(len, &mut self.memo.spare);
        let mut without = Found::new(len);
        let trie = &self.engine.tables.trie;
        let mut pending = vec![(TokenTrie::ROOT, start.clone())];
        while let Some((node, state)) = pending.pop() {
            if !state.entries().iter().any(|&entry| self.session.is_like(entry)) {
                continue;
            }
            let first = self.session.first(&state);
            for (byte, child) in trie.children(node) {
                if !first.contains(byte) || !self.session.is_like_after(&state, byte) {
                    continue;
                }
                let stopped = self.session.stopped();
                let next = self.session.step(&state, byte);
                if self.session.stopped() == stopped {
                    pending.push((child, next));
                } else {
                    without.add_list(trie.tokens_from(child));
                    self.go_on(child, &next, &mut found);
                }
            }
        }
        self.engine.read_in_order(self.session, start, open, |_, token, state| {
            if !state.is_dead() {
                found.extend([token]);
            }
        });
        self.depart(&mut found);
        Compared {
            without: without.into_set(),
            besides: found.into_set_sparing(&mut self.memo.spare),
        }
    }

    /// The tokens below a node that a configuration within items allows, from a table; those that
    /// leave the terminal are added to `found`. Nothing if there is no table that tells all.
    /// `state` has only this configuration.
    pub(crate) fn by_table_in_item(
        &mut self,
        node: TrieNode,
        state: &State,
        entry: Entry,
        found: &mut Found,
    ) -> Option<Base> {
        match entry.label {
            Label::Term(term) => {
                let table = self.engine.tables.interior(node, term, self.session.terms());
                if is_ambiguous(self.session, entry, &table.ambiguous)
                    || self.has_dead_end(node, state, Some(term))
                {
                    return None;
                }
                for &end in &table.ends.nodes {
                    self.leave_terminal((node, end), 0, (state, entry), found);
                }
                for &exit in table.exits.iter().flat_map(|(_, nodes)| nodes) {
                    self.leave_terminal((node, exit), 1, (state, entry), found);
                }
                Some(Base::Interior(table))
            }
            Label::Counted { rest, item, min, max } => {
                let table = self.engine.tables.iterations(node, (rest, item), self.session.terms());
                if is_ambiguous(self.session, entry, &table.ambiguous)
                    || self.has_dead_end(node, state, None)
                {
                    return None;
                }
                for &end in table.ends(min..=max).flat_map(|ends| &ends.nodes) {
                    self.leave_terminal((node, end), 0, (state, entry), found);
                }
                for &exit in table.exits(min..=max).flat_map(|(_, exits)| &exits.nodes) {
                    self.leave_terminal((node, exit), 1, (state, entry), found);
                }
                Some(self.at_most(table, max))
            }
            _ => None,
        }
    }

    /// The tokens that leave the terminal on the way from one node to another: so many of the bytes are
    /// read behind it.
    fn leave_terminal(
        &mut self,
        (from, to): (TrieNode, TrieNode),
        behind: usize,
        (state, entry): (&State, Entry),
        found: &mut Found,
    ) {
        let trie = &self.engine.tables.trie;
        let bytes = trie.between(from, to);
        let (inside, behind) = bytes.split_at(bytes.len().saturating_sub(behind));
        let left = self.session.behind_unless_item(state, entry, inside);
        let step = |state: State, &byte: &u8| self.session.step_unless_item(&state, byte);
        match left.and_then(|left| behind.iter().try_fold(left, step)) {
            Some(after) => self.go_on(to, &after, found),
            None => self.leave_open(trie.tokens_from(to).iter().copied()),
        }
    }

    /// The token of a node where a state is reached, and the tokens below it.
    fn go_on(&mut self, node: TrieNode, state: &State, found: &mut Found) {
        if !state.is_dead() {
            found.extend(self.engine.tables.trie.tokens_at(node));
            self.walk(node, state, found);
        }
    }

    /// Whether some text below a node, inside a terminal, may lead to nothing but an item that is
    /// equal to another one: no other text does than one with which such an item begins.
    pub(crate) fn has_dead_end(
        &mut self,
        node: TrieNode,
        state: &State,
        term: Option<TermId>,
    ) -> bool {
        if !state.entries().iter().any(|&entry| self.session.is_like(entry)) {
            return false;
        }
        // What lives before blanks does so within them.
        if term.is_some() && state.entries().iter().all(|&entry| self.session.is_blank(entry)) {
            return false;
        }
        let (trie, terms) = (&self.engine.tables.trie, Arc::clone(self.session.terms()));
        let mut pending = vec![(node, state.clone(), term)];
        while let Some((node, state, term)) = pending.pop() {
            let first = self.session.first(&state);
            for (byte, child) in trie.children(node) {
                if !first.contains(byte) || !self.session.is_like_after(&state, byte) {
                    continue;
                }
                let rest = term.map(|term| terms.next(term, byte));
                if matches!(rest, Some(TermId::EMPTY | TermId::NOTHING)) {
                    continue;
                }
                let stopped = self.session.stopped();
                let next = self.session.step(&state, byte);
                if next.is_dead() {
                    // Or such a key has been written already.
                    if self.session.stopped() == stopped {
                        continue;
                    }
                    return true;
                }
                if trie.has_children(child) {
                    pending.push((child, next, rest));
                }
            }
        }
        false
    }
}

/// Whether one of these bytes, which stay inside a terminal where it may end, may also be read
/// behind it.
fn is_ambiguous(session: &mut Session, entry: Entry, bytes: &ByteSet) -> bool {
    !bytes.is_empty() && session.first_behind(entry).is_none_or(|first| first.intersects(bytes))
}
