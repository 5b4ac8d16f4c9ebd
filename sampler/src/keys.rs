//! Masks within the keys of members.
//!
//! What stays inside an undeclared key is what the key's table says. Where it ends, all keys lead
//! to the same place, but for the declared ones and those that have been written; these few are
//! looked at one by one.

use grammask_gbnf::{Entry, KeyEnd, KeyTerms, Label, Session, State, TrackId};

use crate::below::Below;
use crate::engine::{Base, Engine};
use crate::interior::Interior;
use crate::token_id::TokenId;
use crate::token_set::Found;
use crate::trie::{TokenTrie, TrieNode};
use crate::walk::walk_below;

impl Engine {
    /// The tokens of a member's key; `start` is the state with only that configuration.
    pub(crate) fn key(
        &self,
        session: &mut Session,
        start: &State,
        entry: Entry,
        found: &mut Found,
    ) -> Box<[Base]> {
        let Some(KeyTerms { free, others, only }) = session.key_terms(entry.label) else {
            self.walk(session, TokenTrie::ROOT, start, found);
            return Box::default();
        };
        let tables: Vec<_> =
            free.iter().map(|&free| self.tables.key(free, session.terms())).collect();
        // The key could end in several places of one token.
        let ends_within = tables.iter().any(|table| !table.exits.is_empty());
        if ends_within || self.has_dead_end(session, TokenTrie::ROOT, start, None) {
            self.walk(session, TokenTrie::ROOT, start, found);
            return Box::default();
        }
        let key = Key { start, entry };
        for table in &tables {
            for &node in &table.few_left {
                let state = key.after(session, &self.tables.trie.path(node));
                if !state.is_dead() {
                    found.extend(self.tables.trie.token(node));
                    self.walk(session, node, &state, found);
                }
            }
            if only.is_none_or(|member| !self.same_ends(session, key, member, &table.ends, found)) {
                self.all_ends(session, key, table, found);
            }
        }
        for rest in others {
            self.walk_along(session, rest, start, found);
        }
        tables.into_iter().map(Base::Interior).collect()
    }

    /// The ends of keys, where all undeclared keys belong to the entry `member`: one walk for all
    /// but the known ones, and those with which an item is still like another one. Whether that
    /// tells all: not if a further key ends within a token, which must differ from this one; then
    /// nothing is added.
    fn same_ends(
        &self,
        session: &mut Session,
        key: Key<'_>,
        member: u32,
        ends: &Below,
        found: &mut Found,
    ) -> bool {
        let trie = &self.tables.trie;
        let missed = session.missed_keys();
        let mut known = self.known_ends(session, key.entry.label, ends);
        if key.entry.track != TrackId::NONE {
            let like = |&&node: &&TrieNode| session.is_like_behind(key.entry, &trie.path(node));
            known.extend(ends.nodes.iter().filter(like));
            known.sort_unstable();
            known.dedup();
        }
        let is_known = |node| {
            let behind = known.partition_point(|&known| known <= node);
            behind > 0 && trie.is_within(node, known[behind - 1])
        };
        let Some(&other) = ends.nodes.iter().find(|&&node| !is_known(node)) else { return false };
        let path = trie.path(other);
        let state = session.after_some_key(key.start, key.entry, &[member], &path);
        let mut same = Found::new(self.vocabulary().len());
        for &node in ends.large.iter().filter(|&&node| !is_known(node)) {
            self.walk(session, node, &state, &mut same);
        }
        let mut add = |tokens: &[(TrieNode, TokenId)]| {
            let others = tokens.iter().filter(|&&(node, _)| !is_known(node));
            same.extend(others.map(|&(_, token)| token));
        };
        add(&ends.tokens);
        walk_below(session, ends, Below::ROOT, &state, &mut add);
        if session.missed_keys() != missed {
            return false;
        }
        found.append(same);
        for node in known {
            let state = key.after(session, &trie.path(node));
            if !state.is_dead() {
                found.extend(trie.token(node));
                self.walk(session, node, &state, found);
            }
        }
        true
    }

    /// Those of the ends where a declared key or one that has been written ends, ascending.
    fn known_ends(&self, session: &mut Session, label: Label, ends: &Below) -> Vec<TrieNode> {
        let trie = &self.tables.trie;
        let mut found = Vec::new();
        let mut pending: Vec<_> =
            session.known_keys(label).map(|known| (TokenTrie::ROOT, known)).into_iter().collect();
        while let Some((node, known)) = pending.pop() {
            for byte in session.known_first(label, known).iter() {
                let Some(child) = trie.child(node, byte) else { continue };
                let Some(known) = session.known_after(label, known, byte) else { continue };
                if session.known_end(label, known) && ends.nodes.binary_search(&child).is_ok() {
                    found.push(child);
                } else {
                    pending.push((child, known));
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// The ends of keys, one by one.
    fn all_ends(&self, session: &mut Session, key: Key<'_>, table: &Interior, found: &mut Found) {
        let trie = &self.tables.trie;
        let Key { start, entry } = key;
        // Undeclared keys lead to the same places, as long as no further key ends within the token;
        // but within the items of a list, which are compared.
        let in_item = entry.track != TrackId::NONE;
        let mut same: Option<(KeyEnd, State)> = None;
        for &node in &table.ends.nodes {
            let path = trie.path(node);
            let end = session.key_end(entry.label, &path);
            if end == KeyEnd::None {
                continue;
            }
            if session.is_like(entry) && key.after(session, &path).is_dead() {
                continue;
            }
            found.extend(trie.token(node));
            if !trie.has_children(node) {
                continue;
            }
            if let KeyEnd::Free(members) = &end {
                if in_item || same.as_ref().is_none_or(|(known, _)| *known != end) {
                    let state = session.after_some_key(start, entry, members, &path);
                    same = Some((end.clone(), state));
                }
                if let Some((_, state)) = &same {
                    let missed = session.missed_keys();
                    let mut behind = Found::new(self.vocabulary().len());
                    self.walk(session, node, state, &mut behind);
                    if session.missed_keys() == missed {
                        found.append(behind);
                        continue;
                    }
                }
            }
            let state = key.after(session, &path);
            self.walk(session, node, &state, found);
        }
    }
}

/// A configuration within a key.
#[derive(Clone, Copy)]
struct Key<'a> {
    /// The state with only this configuration.
    start: &'a State,
    entry: Entry,
}

impl Key<'_> {
    /// The state behind some bytes.
    fn after(&self, session: &mut Session, bytes: &[u8]) -> State {
        bytes.iter().fold(self.start.clone(), |state, &byte| session.step(&state, byte))
    }
}
