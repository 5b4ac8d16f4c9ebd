//! Walks through the trie with the states of a session: what a table does not know.
//!
//! Where much lies below a node, a walk of each configuration that has a table there goes on by
//! the table, and byte by byte only where tokens leave the terminal.

use std::sync::Arc;

use grammask_gbnf::{Entry, Label, NodeId, Session, State, TermId, Terms, TrackId};

use crate::below::{Below, BelowNode};
use crate::interior::Iterations;
use crate::lookahead::{Base, Lookahead};
use crate::tables::Tables;
use crate::token_id::TokenId;
use crate::token_set::Found;
use crate::trie::TrieNode;

impl Lookahead<'_> {
    /// The tokens below a node that a state allows.
    pub(crate) fn walk(&mut self, node: TrieNode, state: &State, found: &mut Found) {
        if self.is_in_vain() {
            return;
        }
        let tables = &self.engine.tables;
        let is_large = tables.is_large(node);
        let may_have_table = |entry: &Entry| is_large || is_often_the_same(entry);
        let has_tables = !self.is_plain
            && tables.is_large_for_many(node)
            && state.entries().iter().any(may_have_table);
        if !has_tables {
            return self.walk_on(node, state, found);
        }
        let mut others = state.clone();
        others.retain(|entry| {
            if is_outer_key(&entry) {
                for base in self.key(node, &state.only(entry), entry, found) {
                    base.add_to_found(found);
                }
                return false;
            }
            let by_table = may_have_table(&entry);
            let base = by_table.then(|| self.by_table(node, state, entry, found)).flatten();
            let is_known = base.is_some();
            if let Some(base) = base {
                self.add_base(base, found);
            }
            !is_known
        });
        self.walk_on(node, &others, found);
    }

    /// Adds the tokens of a table.
    fn add_base(&mut self, base: Base, found: &mut Found) {
        match &mut self.exits {
            Some(exits) if base.mask().is_some() => exits.add_base(base),
            _ => base.add_to_found(found),
        }
    }

    /// The same, at this node byte by byte.
    pub(crate) fn walk_on(&mut self, node: TrieNode, state: &State, found: &mut Found) {
        let first = self.session.first(state);
        let trie = &self.engine.tables.trie;
        // The depth is that of a token.
        for (byte, child) in trie.children(node) {
            if !first.contains(byte) {
                continue;
            }
            let Some(next) = self.step(state, byte) else {
                self.leave_open(trie.tokens_from(child).iter().copied());
                continue;
            };
            if next.is_dead() {
                continue;
            }
            found.extend(trie.tokens_at(child));
            if trie.has_children(child) {
                if next.is_complete()
                    && let Some(exits) = &mut self.exits
                {
                    exits.at_node(NodeId::BOTTOM, child);
                }
                self.walk(child, &next, found);
            }
        }
    }

    /// The state after a byte; nothing if an assumption on keys says too little for that, or if it depends
    /// on items that have been forgotten.
    pub(crate) fn step(&mut self, state: &State, byte: u8) -> Option<State> {
        match self.assumed {
            None => self.session.step_unless_item(state, byte),
            Some(_) => self.session.step_unless_guessed(state, byte),
        }
    }

    /// The tokens below a node that a configuration of `state` allows, from a table; those that
    /// leave the terminal are added to `found` or come with [`Lookahead::depart`]. Nothing if there
    /// is no table that tells all.
    pub(crate) fn by_table(
        &mut self,
        node: TrieNode,
        state: &State,
        entry: Entry,
        found: &mut Found,
    ) -> Option<Base> {
        if entry.track != TrackId::NONE {
            if self.session.is_doubtful(entry) {
                return None;
            }
            return self.by_table_in_item(node, &state.only(entry), entry, found);
        }
        match entry.label {
            Label::Term(term) => self.by_interior(node, (state, entry), term, found),
            Label::Counted { rest, item, min, max } => {
                let table = self.engine.tables.iterations(node, (rest, item), self.session.terms());
                if self.exits.is_some() {
                    self.exit_loop(node, entry, &table);
                    return Some(self.at_most(table, max));
                }
                let at = self.departure(state, entry)?;
                let departure = &mut self.departures[at];
                if departure.first.intersects(&table.ambiguous) {
                    // Where a byte may be read inside and behind a loop, it is a term like any other.
                    let longest = self.engine.tables.longest(node).bytes;
                    let term = counted(self.session.terms(), (rest, item), (min, max), longest);
                    return self.by_interior(node, (state, entry), term, found);
                }
                table.ends(min..=max).for_each(|nodes| departure.at_once(nodes));
                for (byte, nodes) in table.exits(min..=max) {
                    departure.behind_byte(byte, nodes);
                }
                self.depart_early(at, found);
                Some(self.at_most(table, max))
            }
            Label::Text { .. }
            | Label::Key { .. }
            | Label::Token(_)
            | Label::Item { .. }
            | Label::ItemEnd { .. } => None,
        }
    }

    /// The same for a configuration at a term.
    fn by_interior(
        &mut self,
        node: TrieNode,
        (state, entry): (&State, Entry),
        term: TermId,
        found: &mut Found,
    ) -> Option<Base> {
        let table = self.engine.tables.interior(node, term, self.session.terms());
        if self.exits.is_some() {
            self.exit_term(node, entry, &table, found);
            return Some(Base::Interior(table));
        }
        let at = self.departure(state, entry)?;
        let departure = &mut self.departures[at];
        if departure.first.intersects(&table.ambiguous) {
            // What has few tokens is walked through sooner.
            table.inside.mask()?;
            let both = departure.first.intersection(&table.ambiguous);
            let terms = self.session.terms();
            let crossings = self.engine.tables.crossings(node, term, both, terms);
            for (byte, nodes) in crossings.nodes()? {
                departure.behind_byte(*byte, nodes);
            }
        }
        departure.at_once(&table.ends);
        departure.behind_exits(&table.exits, &self.engine.tables);
        self.depart_early(at, found);
        Some(Base::Interior(table))
    }

    /// The tokens of a loop that begin at most `max` iterations.
    pub(crate) fn at_most(&self, table: Arc<Iterations>, max: u32) -> Base {
        match table.at_most(max, &self.engine.tables.characters) {
            None => Base::Iterations(table),
            Some(tokens) => Base::Some(tokens),
        }
    }

    /// The tokens below a node that a state allows and that begin as a match of `rest` does.
    pub(crate) fn walk_along(
        &mut self,
        node: TrieNode,
        rest: TermId,
        start: &State,
        found: &mut Found,
    ) {
        let (trie, terms) = (&self.engine.tables.trie, Arc::clone(self.session.terms()));
        let mut pending = vec![(node, rest, start.clone())];
        while let Some((node, rest, state)) = pending.pop() {
            for (byte, child) in trie.children(node) {
                let rest = terms.next(rest, byte);
                if rest == TermId::NOTHING {
                    continue;
                }
                let next = self.session.step(&state, byte);
                if next.is_dead() {
                    continue;
                }
                found.extend(trie.tokens_at(child));
                if terms.nullable(rest) {
                    self.walk(child, &next, found);
                } else if trie.has_children(child) {
                    pending.push((child, rest, next));
                }
            }
        }
    }
}

/// The rest of an iteration and between `min` and `max` more of them as a term, as far as texts of at most `longest`
/// bytes tell: numbers of iterations that none of them reaches are all one.
fn counted(
    terms: &Terms,
    (rest, item): (TermId, TermId),
    (min, max): (u32, u32),
    longest: usize,
) -> TermId {
    let is_reached = |iterations: u32| iterations as usize <= longest;
    let min = if is_reached(min) { min } else { longest as u32 + 1 };
    terms.concat(rest, terms.repeat(item, min, Some(max).filter(|&max| is_reached(max))))
}

/// Whether many grammars have the same terminal: they have the characters of strings whose length has
/// a bound, and most keys.
fn is_often_the_same(entry: &Entry) -> bool {
    matches!(entry.label, Label::Counted { .. }) || is_outer_key(entry)
}

/// Whether a configuration is a key that is not compared with others.
fn is_outer_key(entry: &Entry) -> bool {
    matches!(entry.label, Label::Key { .. }) && entry.track == TrackId::NONE
}

/// Walks through what lies below some nodes, as far as a state allows it and that is no guess: `add` is
/// given the tokens of each node, `open` those for which that is not known, as what has been forgotten
/// of keys and members matters. The depth is that of a token.
pub(crate) fn walk_below(
    (session, tables): (&mut Session, &Tables),
    (below, node): (&Below, BelowNode),
    state: &State,
    add: &mut impl FnMut(&[(TrieNode, TokenId)]),
    open: &mut impl FnMut(&[(TrieNode, TokenId)]),
) {
    if !below.has_children(node) {
        return;
    }
    let first = session.first(state);
    for (byte, child) in below.children(node) {
        if !first.contains(byte) {
            continue;
        }
        match session.step_unless_guessed(state, byte) {
            None => below.tokens_from(child, &tables.trie, &mut *open),
            Some(next) if next.is_dead() => {}
            Some(next) => {
                add(below.tokens_of(child));
                walk_below((session, tables), (below, child), &next, add, open);
            }
        }
    }
    let apart = below.apart(node).into_iter().flat_map(|apart| apart.belows(&first, tables));
    for (byte, below) in apart {
        match session.step_unless_guessed(state, byte) {
            None => {
                open(&below.tokens);
                below.tokens_from(Below::ROOT, &tables.trie, &mut *open);
            }
            Some(next) if next.is_dead() => {}
            Some(next) => {
                add(&below.tokens);
                walk_below((session, tables), (below, Below::ROOT), &next, add, open);
            }
        }
    }
}
