//! Masks within the keys of members.
//!
//! What stays inside an undeclared key is what the table of its term says, but for texts of which few go
//! on, if all of these have been written. Where it ends, all keys of the
//! same entries lead to the same place, but for the declared ones, those that have been written and
//! those that are still like the keys of an item that must differ; these few are looked at one by
//! one.

use std::sync::Arc;

use grammask_gbnf::{
    Entry, KeyEnd, KeyTerms, KnownKeys, Session, State, TermId, TrackId, WrittenKeys,
};
use smallvec::SmallVec;

use crate::below::Below;
use crate::interior::Interior;
use crate::lookahead::{Base, Bases, Lookahead};
use crate::meant::Meant;
use crate::token_id::TokenId;
use crate::token_set::Found;
use crate::trie::{Path, TokenTrie, TrieNode};
use crate::vocabulary::VocabularyBuilder;
use crate::walk::walk_below;

/// So many tokens are looked at one by one; if more are, all that begins with each of the keys is.
const MOST_OPEN: usize = 512;
/// So many nodes behind ends of keys are looked at one by one; if there are more, all is walked through.
const MOST_EXITS: usize = 256;

// Each key has a byte.
const _: () = assert!(VocabularyBuilder::LONGEST_TOKEN <= Session::MOST_KEYS_OF_TOKEN);

impl Lookahead<'_> {
    /// The tokens below a node that a member's key allows; `start` is the state with only that
    /// configuration.
    pub(crate) fn key(
        &mut self,
        node: TrieNode,
        start: &State,
        entry: Entry,
        found: &mut Found,
    ) -> Bases {
        if self.is_in_vain() {
            return Bases::new();
        }
        let Some(KeyTerms { free, others, only }) = self.session.key_terms(entry.label) else {
            if !self.declared_only(Key { node, start, entry }, found) {
                self.walk_on(node, start, found);
            }
            return Bases::new();
        };
        let height = self.engine.tables.trie.height(node);
        let stays_plenty = |&free| self.session.terms().stays_plenty(free, height);
        let are_plenty = free.iter().all(stays_plenty);
        if !are_plenty && self.session.compare_key(entry.label) {
            // Nothing that is found then is used.
            return Bases::new();
        }
        let (all, terms) = (&self.engine.tables, self.session.terms());
        let tables: SmallVec<[_; 2]> =
            free.iter().map(|&free| all.interior(node, free, terms)).collect();
        let exits = self.exits((node, entry), (&free, &tables), only);
        let Some(exits) = exits.filter(|_| !self.has_dead_end(node, start, None)) else {
            self.walk_on(node, start, found);
            return Bases::new();
        };
        let key = Key { node, start, entry };
        let without = if are_plenty { Vec::new() } else { self.all_written(key, &free) };
        self.one_by_one(key, &exits, found);
        for table in &tables {
            match only {
                Some(member) => self.only_ends(key, member, &table.ends, found),
                None => self.ends(key, &table.ends, found),
            }
        }
        for rest in others {
            self.walk_along(node, rest, start, found);
        }
        if without.is_empty() {
            return tables.into_iter().map(Base::Interior).collect();
        }
        for table in tables {
            let mut inside = table.inside.to_mask(self.engine.vocabulary().len());
            for &token in &without {
                inside.remove(token);
            }
            found.add_mask(&inside);
        }
        Bases::new()
    }

    /// The nodes at which a key that could have gone on has ended one byte before; nothing if they are many, or
    /// the tables do not tell of all, as where there are declared keys.
    fn exits(
        &mut self,
        (node, entry): (TrieNode, Entry),
        (free, tables): (&[TermId], &[Arc<Interior>]),
        only: Option<u32>,
    ) -> Option<Vec<TrieNode>> {
        // An end at a crossroads could not be told apart from those below it.
        let ends_anew = |(term, table): (&TermId, &Arc<Interior>)| {
            let (tables, terms) = (&self.engine.tables, self.session.terms());
            tables.left_at_crossroads(*term, table, terms).any(|rest| rest != TermId::EMPTY)
        };
        if node == TokenTrie::ROOT && free.iter().zip(tables).any(ends_anew) {
            return None;
        }
        if tables.iter().all(|table| table.exits.is_empty() && table.ambiguous.is_empty()) {
            return Some(Vec::new());
        }
        let declared = self.session.known_keys(entry.label)?.declared();
        if !self.session.known_first(declared).is_empty() {
            return None;
        }
        let behind = self.session.first_behind_some_key(entry, only?)?;
        if tables.iter().any(|table| table.ambiguous.intersects(&behind)) {
            return None;
        }
        let exits = tables.iter().flat_map(|table| table.exits.iter());
        let exits = exits.filter(|&(byte, _)| behind.contains(byte)).flat_map(|(_, nodes)| nodes);
        let exits: Vec<TrieNode> = exits.take(MOST_EXITS + 1).copied().collect();
        (exits.len() <= MOST_EXITS).then_some(exits)
    }

    /// Tokens within undeclared keys of which few are left, if all of these have been written, or that is not
    /// known: none are but on the way to a key that is known.
    fn all_written(&mut self, key: Key<'_>, free: &[TermId]) -> Vec<TokenId> {
        let mut found = Vec::new();
        let Some(known) = self.session.known_keys(key.entry.label) else { return found };
        let (trie, terms) = (&self.engine.tables.trie, Arc::clone(self.session.terms()));
        let is_in_item = key.entry.track != TrackId::NONE;
        let mut pending = vec![(key.node, known, SmallVec::<[TermId; 2]>::from_slice(free))];
        while let Some((node, known, free)) = pending.pop() {
            for byte in self.session.known_first(known).iter() {
                let rests = free.iter().map(|&rest| terms.next(rest, byte));
                let rests: SmallVec<_> = rests.filter(|&rest| rest != TermId::NOTHING).collect();
                let Some(child) = trie.child(node, byte).filter(|_| !rests.is_empty()) else {
                    continue;
                };
                let known = self.session.known_after(known, byte);
                let session = &mut *self.session;
                // Within an item it also depends on other items whether a key can be ended.
                let are_more = |&rest: &TermId| {
                    !is_in_item
                        && known
                            .map_or(rest != TermId::EMPTY, |known| session.outnumber(known, rest))
                };
                let mut tokens = trie.tokens_at(child).peekable();
                if tokens.peek().is_some() && !rests.iter().any(are_more) {
                    let state = key.after(self.session, &self.bytes_to(key, child));
                    if state.is_none() {
                        self.leave_open(trie.tokens_at(child));
                    }
                    if state.is_none_or(|state| state.is_dead()) {
                        found.extend(tokens);
                    }
                }
                if let Some(known) = known {
                    pending.push((child, known, rests));
                }
            }
        }
        found
    }

    /// The ends of keys, where all undeclared keys belong to the entry `member`.
    fn only_ends(&mut self, key: Key<'_>, member: u32, ends: &Arc<Below>, found: &mut Found) {
        let Some(declared) = self.declared(key.node, key.entry) else { return };
        let is_end = |node: TrieNode| ends.nodes.binary_search(&node).is_ok();
        let mut known: SmallVec<[TrieNode; 16]> =
            declared.ends.iter().map(|end| end.node).collect();
        let written = self.session.known_keys(key.entry.label).and_then(KnownKeys::written);
        if let Some(written) = written {
            let trie = (&self.engine.tables.trie, key.node);
            known.extend(ends_of_written(self.session, written, trie));
        }
        known.retain(|node| is_end(*node));
        known.extend(self.like_ends(key, ends));
        known.sort_unstable();
        known.dedup();
        self.same_ends(key, &[member], (ends, &known), found);
        match declared.allowed_ends(self.session, key.entry) {
            // No key that has been written may come again.
            Some(values) => {
                for (end, value) in values.into_iter().filter(|(end, _)| is_end(end.node)) {
                    self.declared_end(end, value, key, found);
                }
            }
            None => self.known_keys(key, &known, found),
        }
    }

    /// The ends of keys, by the entries to which they may belong.
    fn ends(&mut self, key: Key<'_>, ends: &Below, found: &mut Found) {
        let mut others = Vec::new();
        let mut same: Vec<(KeyEnd, Vec<TrieNode>)> = Vec::new();
        let like = self.like_ends(key, ends);
        for &node in &ends.nodes {
            let end = self.session.key_end(key.entry.label, &self.bytes_to(key, node));
            if end == KeyEnd::None {
                continue;
            }
            if matches!(end, KeyEnd::Declared(_)) || like.binary_search(&node).is_ok() {
                others.push(node);
                continue;
            }
            match same.iter_mut().find(|(known, _)| *known == end) {
                Some((_, nodes)) => nodes.push(node),
                None => same.push((end, vec![node])),
            }
        }
        for (end, nodes) in same {
            if let KeyEnd::Free(members) = end {
                let ends = self.engine.tables.below(nodes);
                self.same_ends(key, &members, (&ends, &[]), found);
            }
        }
        self.known_keys(key, &others, found);
    }

    /// Whether what is being found will not be used: it was assumed that no further key ends within a
    /// token, and one has; or there has been too much work.
    pub(crate) fn is_in_vain(&self) -> bool {
        self.assumed.is_some_and(|missed| self.session.missed_keys() != missed)
            || self.session.is_spent()
    }

    /// Those of the ends of keys, ascending, behind which an item is still like one that it must differ from:
    /// few texts are.
    fn like_ends(&mut self, key: Key<'_>, ends: &Below) -> Vec<TrieNode> {
        let mut found = Vec::new();
        if !self.session.is_like(key.entry) {
            return found;
        }
        let trie = &self.engine.tables.trie;
        let mut pending = vec![(key.node, key.entry)];
        while let Some((node, entry)) = pending.pop() {
            for (byte, child) in trie.children(node) {
                if let Some(entry) = self.session.like_after(entry, byte) {
                    found.extend(ends.nodes.binary_search(&child).is_ok().then_some(child));
                    pending.push((child, entry));
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// What leads to a node from the one at which the key is looked at.
    fn bytes_to(&self, key: Key<'_>, node: TrieNode) -> Path {
        self.engine.tables.trie.between(key.node, node)
    }

    /// The ends of undeclared keys of the same entries, but for some that are not: one walk for all
    /// of them, unless a further key ends within a token, which must differ from the one before.
    fn same_ends(
        &mut self,
        key: Key<'_>,
        members: &[u32],
        (ends, without): (&Arc<Below>, &[TrieNode]),
        found: &mut Found,
    ) {
        let meant = Meant::without(without, &self.engine.tables.trie);
        let is_meant = |node: &&TrieNode| meant.contains(**node);
        let Some(&some) = ends.nodes.iter().find(is_meant) else { return };
        let missed = self.session.missed_keys();
        let outer = self.assumed.replace(self.assumed.unwrap_or(missed));
        // What is still to be followed up is no matter of this key.
        let departures = std::mem::take(&mut self.departures);
        let mut same = Found::with_spare(self.engine.vocabulary().len(), &mut self.memo.spare);
        if let &[member] = members
            && let Some(value) = self.session.value_of_member(key.entry, member)
        {
            if let Some(tokens) = self.value(ends, value) {
                self.add_value(&tokens, (key, member), &meant, &mut same);
            }
        } else {
            let bytes = self.bytes_to(key, some);
            let state = self.session.after_some_key(key.start, key.entry, members, &bytes);
            let mut add = |tokens: &[(TrieNode, TokenId)]| same.extend(meant.of(tokens));
            add(&ends.tokens);
            // Those that are not meant are settled as well: that is exact.
            let mut leave_open = |tokens: &[(TrieNode, TokenId)]| {
                self.open.extend(tokens.iter().map(|&(_, token)| token));
            };
            walk_below(
                (self.session, &self.engine.tables),
                (ends, Below::ROOT),
                &state,
                &mut add,
                &mut leave_open,
            );
            for &node in ends.large.iter().filter(is_meant) {
                self.walk(node, &state, &mut same);
            }
        }
        self.depart(&mut same);
        self.departures = departures;
        self.assumed = outer;
        let open = if outer.is_none() { std::mem::take(&mut self.open) } else { Vec::new() };
        if self.session.missed_keys() == missed && open.len() <= MOST_OPEN {
            found.append(same, &mut self.memo.spare);
            self.settle(key, open, found);
        } else if outer.is_none() {
            let nodes: Vec<_> = ends.nodes.iter().filter(is_meant).copied().collect();
            self.one_by_one(key, &nodes, found);
        }
    }

    /// The same where declared keys end, or undeclared ones that have been written or are looked at
    /// alone.
    fn known_keys(&mut self, key: Key<'_>, nodes: &[TrieNode], found: &mut Found) {
        let mut others = Vec::new();
        for &node in nodes {
            match self.session.key_end(key.entry.label, &self.bytes_to(key, node)) {
                KeyEnd::None => {}
                KeyEnd::Declared(member)
                    if let Some(value) = self.session.value_of_member(key.entry, member) =>
                {
                    if let Some(tokens) = self.value_behind(node, value) {
                        self.add_value(&tokens, (key, member), &Meant::all(), found);
                    }
                }
                KeyEnd::Declared(_) | KeyEnd::Free(_) => others.push(node),
            }
        }
        self.one_by_one(key, &others, found);
    }

    /// Adds those of some tokens that are allowed: each is read from where the key is looked at, unless
    /// all that is found goes by an assumption. Then they are left open.
    pub(crate) fn settle(
        &mut self,
        key: Key<'_>,
        tokens: impl IntoIterator<Item = TokenId>,
        found: &mut Found,
    ) {
        if self.assumed.is_some() {
            return self.open.extend(tokens);
        }
        let read = self.engine.tables.trie.bytes_between(TokenTrie::ROOT, key.node);
        for token in tokens {
            let bytes = self.engine.vocabulary().bytes(token).unwrap_or_default();
            match key.after(self.session, &bytes[read..]) {
                None => self.open_items.push(token),
                Some(state) if state.is_dead() => {}
                Some(_) => found.extend([token]),
            }
        }
    }

    /// What begins with the way to some nodes, one by one.
    fn one_by_one(&mut self, key: Key<'_>, nodes: &[TrieNode], found: &mut Found) {
        for &node in nodes {
            let trie = &self.engine.tables.trie;
            let Some(state) = key.after(self.session, &self.bytes_to(key, node)) else {
                self.leave_open(trie.tokens_from(node).iter().copied());
                continue;
            };
            if !state.is_dead() {
                found.extend(trie.tokens_at(node));
                self.walk(node, &state, found);
            }
        }
    }
}

/// The nodes below one of a trie where an undeclared key ends that has been written.
pub(crate) fn ends_of_written(
    session: &Session,
    written: WrittenKeys,
    (trie, node): (&TokenTrie, TrieNode),
) -> Vec<TrieNode> {
    let mut ends = Vec::new();
    let mut pending = vec![(node, written)];
    while let Some((node, written)) = pending.pop() {
        for (byte, written) in session.written_after(written) {
            if let Some(child) = trie.child(node, byte) {
                ends.extend(session.written_end(written).then_some(child));
                pending.push((child, written));
            }
        }
    }
    ends
}

/// A configuration within a key.
#[derive(Clone, Copy)]
pub(crate) struct Key<'a> {
    /// What is below this node is looked at.
    pub(crate) node: TrieNode,
    /// The state with only this configuration.
    start: &'a State,
    pub(crate) entry: Entry,
}

impl Key<'_> {
    /// The state behind some bytes; nothing if it depends on items that have been forgotten.
    fn after(&self, session: &mut Session, bytes: &[u8]) -> Option<State> {
        let step = |state: State, &byte: &u8| session.step_unless_item(&state, byte);
        bytes.iter().try_fold(self.start.clone(), step)
    }
}
