//! Walks through the trie with the states of a session: what a table does not know.
//!
//! Where much lies below a node, a walk of each configuration that has a table there goes on by
//! the table, and byte by byte only where tokens leave the terminal.

use std::sync::Arc;

use grammask_gbnf::{ByteSet, Entry, Label, Session, State, TermId, TrackId};

use crate::engine::{Base, Engine};
use crate::interior::Iterations;
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
        for child in trie.children(node) {
            let byte = trie.byte(child);
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
                let table = self.tables.interior(node, term);
                let below = session.behind(state, entry, &[]);
                let first = session.first(&below);
                if first.intersects(&table.ambiguous) {
                    return None;
                }
                for &end in &table.ends {
                    found.extend(self.tables.trie.token(end));
                    self.walk(session, end, &below, found);
                }
                for byte in first.iter() {
                    let exits = of_byte(&table.exits, byte, |exit| exit.0);
                    self.leave(session, &below, byte, exits.iter().map(|exit| exit.1), found);
                }
                Some(Base::Interior(table))
            }
            Label::Counted { rest, item, min, max } => {
                let table = self.tables.iterations(node, rest, item);
                let below = session.behind(state, entry, &[]);
                let first = session.first(&below);
                if first.intersects(&table.ambiguous) {
                    return None;
                }
                for byte in first.iter() {
                    let exits = of_byte(&table.exits, byte, |exit| exit.0);
                    let exits = exits.iter().filter(|exit| (min..=max).contains(&exit.1));
                    self.leave(session, &below, byte, exits.map(|exit| exit.2), found);
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
        if max as usize >= self.vocabulary().longest() {
            Base::Iterations(table)
        } else {
            Base::Some(Arc::new(table.at_most(max)))
        }
    }

    /// The tokens that leave a terminal with a byte at the given nodes into the state below.
    fn leave(
        &self,
        session: &mut Session,
        below: &State,
        byte: u8,
        nodes: impl Iterator<Item = TrieNode>,
        found: &mut Found,
    ) {
        let mut nodes = nodes.peekable();
        if nodes.peek().is_none() {
            return;
        }
        let after = session.step(below, byte);
        if after.is_dead() {
            return;
        }
        for node in nodes {
            found.extend(self.tables.trie.token(node));
            self.walk(session, node, &after, found);
        }
    }

    /// The tokens that a state allows and that begin as a match of `rest` does.
    pub(crate) fn walk_along(
        &self,
        session: &mut Session,
        rest: TermId,
        start: &State,
        found: &mut Found,
    ) {
        let (trie, terms) = (&self.tables.trie, &self.tables.terms);
        let mut pending = vec![(TokenTrie::ROOT, rest, start.clone())];
        while let Some((node, rest, state)) = pending.pop() {
            for child in trie.children(node) {
                let byte = trie.byte(child);
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

/// The part of a list, sorted by byte, that belongs to a byte.
fn of_byte<T>(list: &[T], byte: u8, byte_of: impl Fn(&T) -> u8) -> &[T] {
    let start = list.partition_point(|item| byte_of(item) < byte);
    let count = list[start..].partition_point(|item| byte_of(item) == byte);
    &list[start..start + count]
}
