//! Masks within the items of a list of which no two are equal.
//!
//! What stays inside a terminal is what the terminal's table says, but for texts that are on the
//! way to an item that is equal to another one; and where a token leaves the terminal, the item may
//! end, so what follows depends on what has been read.

use std::sync::Arc;

use grammask_gbnf::{ByteSet, Entry, Label, Session, State, TermId};

use crate::lookahead::{Base, Lookahead};
use crate::token_set::Found;
use crate::trie::TrieNode;

impl Lookahead<'_> {
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
        let bytes = self.engine.tables.trie.between(from, to);
        let (inside, behind) = bytes.split_at(bytes.len().saturating_sub(behind));
        let left = self.session.behind(state, entry, inside);
        let after = behind.iter().fold(left, |state, &byte| self.session.step(&state, byte));
        self.go_on(to, &after, found);
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
                let next = self.session.step(&state, byte);
                if next.is_dead() {
                    // Or such a key has been written already.
                    if self.session.step(&state.outside_items(), byte).is_dead() {
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
