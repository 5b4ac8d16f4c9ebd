//! Walks through the trie with the states of a session: what a table does not know.
//!
//! Where much lies below a node, a walk of each configuration that has a table there goes on by
//! the table, and byte by byte only where tokens leave the terminal.

use std::sync::Arc;

use grammask_gbnf::{ByteSet, Entry, Label, Session, State, TermId, TrackId};

use crate::below::{Below, BelowNode};
use crate::engine::{Base, Engine};
use crate::interior::Iterations;
use crate::token_id::TokenId;
use crate::token_set::Found;
use crate::trie::{TokenTrie, TrieNode};

impl Engine {
    /// The tokens below a node that a state allows.
    pub(crate) fn walk(
        &self,
        session: &mut Session,
        node: TrieNode,
        state: &State,
        found: &mut Found,
    ) {
        if !self.tables.is_large(node) {
            return self.walk_on(session, node, state, found);
        }
        let mut others = state.clone();
        others.retain(|entry| match self.by_table(session, node, state, entry, found) {
            Some(base) => {
                base.add_to_found(found);
                false
            }
            None => true,
        });
        self.walk_on(session, node, &others, found);
    }

    /// The same, at this node byte by byte.
    pub(crate) fn walk_on(
        &self,
        session: &mut Session,
        node: TrieNode,
        state: &State,
        found: &mut Found,
    ) {
        let first = session.first(state);
        self.walk_if(session, node, state, &first, found);
    }

    fn walk_if(
        &self,
        session: &mut Session,
        node: TrieNode,
        state: &State,
        first: &ByteSet,
        found: &mut Found,
    ) {
        let trie = &self.tables.trie;
        // The depth is that of a token.
        for (byte, child) in trie.children(node) {
            if !first.contains(byte) {
                continue;
            }
            let next = session.step(state, byte);
            if next.is_dead() {
                continue;
            }
            found.extend(trie.token(child));
            if trie.has_children(child) {
                self.walk(session, child, &next, found);
            }
        }
    }

    /// The tokens below a node that a configuration of `state` allows, from a table; those that
    /// leave the terminal are added to `found`. Nothing if there is no table that tells all.
    pub(crate) fn by_table(
        &self,
        session: &mut Session,
        node: TrieNode,
        state: &State,
        entry: Entry,
        found: &mut Found,
    ) -> Option<Base> {
        if entry.track != TrackId::NONE {
            return self.by_table_in_item(session, node, &state.only(entry), entry, found);
        }
        match entry.label {
            Label::Term(term) => {
                let table = self.tables.interior(node, term, session.terms());
                let below = session.behind(state, entry, &[]);
                let first = session.first(&below);
                if first.intersects(&table.ambiguous) {
                    return None;
                }
                self.leave(session, &table.ends, &below, found);
                for (byte, exits) in &table.exits {
                    if first.contains(*byte) {
                        let after = session.step(&below, *byte);
                        self.leave(session, exits, &after, found);
                    }
                }
                Some(Base::Interior(table))
            }
            Label::Counted { rest, item, min, max } => {
                let table = self.tables.iterations(node, (rest, item), session.terms());
                let below = session.behind(state, entry, &[]);
                let first = session.first(&below);
                if first.intersects(&table.ambiguous) {
                    return None;
                }
                for ((byte, begun), exits) in &table.exits {
                    if first.contains(*byte) && (min..=max).contains(begun) {
                        let after = session.step(&below, *byte);
                        self.leave(session, exits, &after, found);
                    }
                }
                Some(self.at_most(table, max))
            }
            Label::Text { .. }
            | Label::Key { .. }
            | Label::Token(_)
            | Label::Item { .. }
            | Label::ItemEnd { .. } => None,
        }
    }

    /// The tokens of a loop that begin at most `max` iterations.
    pub(crate) fn at_most(&self, table: Arc<Iterations>, max: u32) -> Base {
        match table.at_most(max, &self.tables.characters) {
            None => Base::Iterations(table),
            Some(tokens) => Base::Some(Arc::new(tokens)),
        }
    }

    /// The tokens of some nodes where a terminal has been left into a state, and of what lies below
    /// them.
    fn leave(&self, session: &mut Session, nodes: &Below, state: &State, found: &mut Found) {
        if state.is_dead() {
            return;
        }
        found.extend(nodes.tokens.iter().map(|&(_, token)| token));
        for &node in &nodes.large {
            self.walk(session, node, state, found);
        }
        let mut add = |tokens: &[(TrieNode, TokenId)]| {
            found.extend(tokens.iter().map(|&(_, token)| token));
        };
        walk_below(session, nodes, Below::ROOT, state, &mut add);
    }

    /// The tokens that a state allows and that begin as a match of `rest` does.
    pub(crate) fn walk_along(
        &self,
        session: &mut Session,
        rest: TermId,
        start: &State,
        found: &mut Found,
    ) {
        let (trie, terms) = (&self.tables.trie, Arc::clone(session.terms()));
        let mut pending = vec![(TokenTrie::ROOT, rest, start.clone())];
        while let Some((node, rest, state)) = pending.pop() {
            for (byte, child) in trie.children(node) {
                let rest = terms.next(rest, byte);
                if rest == TermId::NOTHING {
                    continue;
                }
                let next = session.step(&state, byte);
                if next.is_dead() {
                    continue;
                }
                found.extend(trie.token(child));
                if terms.nullable(rest) {
                    self.walk(session, child, &next, found);
                } else if trie.has_children(child) {
                    pending.push((child, rest, next));
                }
            }
        }
    }
}

/// Walks through what lies below some nodes, as far as a state allows it; `add` is given the tokens
/// of each node. The depth is that of a token.
pub(crate) fn walk_below(
    session: &mut Session,
    below: &Below,
    node: BelowNode,
    state: &State,
    add: &mut impl FnMut(&[(TrieNode, TokenId)]),
) {
    if !below.has_children(node) {
        return;
    }
    let first = session.first(state);
    for (byte, child) in below.children(node) {
        if !first.contains(byte) {
            continue;
        }
        let next = session.step(state, byte);
        if !next.is_dead() {
            add(below.tokens_of(child));
            walk_below(session, below, child, &next, add);
        }
    }
}
