//! Declared keys, which are the same whatever members there are: where a token is within one of them
//! and where they end is found once for each state of a key. Which of them may still come is what
//! each mask asks.

use std::sync::{Arc, OnceLock};

use grammask_gbnf::{Entry, KnownKeys, Session, TrackId, ValueId};
use smallvec::SmallVec;

use crate::generations::{Footprint, Generations};
use crate::keys::Key;
use crate::lookahead::Lookahead;
use crate::meant::Meant;
use crate::token_id::TokenId;
use crate::token_set::Found;
use crate::trie::TrieNode;
use crate::values::ValueTokens;

/// The declared keys of a state below a node.
#[derive(Debug)]
pub(crate) struct DeclaredKeys {
    /// Tokens that end within keys, each with where its members end in the list of members; they
    /// begin where those of the token before it end.
    inside: Box<[(TokenId, u32)]>,
    members: Box<[u32]>,
    pub(crate) ends: Box<[DeclaredEnd]>,
}

/// Where a declared key ends.
#[derive(Debug)]
pub(crate) struct DeclaredEnd {
    pub(crate) node: TrieNode,
    pub(crate) member: u32,
    /// The tokens of the member's value from there on.
    value: OnceLock<Arc<ValueTokens>>,
}

/// The declared keys of the states of one session.
#[derive(Debug)]
pub(crate) struct DeclaredMemo(Generations<(TrieNode, KnownKeys), Arc<DeclaredKeys>>);

/// How many bytes they may take.
const DECLARED: usize = 512 << 10;

impl Default for DeclaredMemo {
    fn default() -> Self {
        Self(Generations::new(DECLARED))
    }
}

impl Lookahead<'_> {
    /// The declared keys that a key may be, from its state at a node on.
    pub(crate) fn declared(&mut self, node: TrieNode, entry: Entry) -> Option<Arc<DeclaredKeys>> {
        let keys = self.session.known_keys(entry.label)?.declared();
        let key = (node, keys);
        let known = self.memo.declared.0.get(&key).unwrap_or_else(|| {
            let declared = Arc::new(self.find_declared(node, keys));
            self.memo.declared.0.insert(key, Arc::clone(&declared));
            declared
        });
        Some(known)
    }

    fn find_declared(&self, node: TrieNode, keys: KnownKeys) -> DeclaredKeys {
        let (trie, terms) = (&self.engine.tables.trie, self.session.terms());
        let mut inside: SmallVec<[(TokenId, u32); 64]> = SmallVec::new();
        let mut ends: SmallVec<[DeclaredEnd; 8]> = SmallVec::new();
        for (member, rest) in self.session.declared_keys(keys) {
            let mut node = node;
            let mut bytes = terms.common_start(rest).peekable();
            while let Some(byte) = bytes.next() {
                let Some(child) = trie.child(node, byte) else { break };
                node = child;
                if bytes.peek().is_none() {
                    ends.push(DeclaredEnd { node, member, value: OnceLock::new() });
                } else {
                    inside.extend(trie.tokens_at(node).map(|token| (token, member)));
                }
            }
        }
        inside.sort_unstable();
        ends.sort_unstable_by_key(|end| end.node);
        let same = inside.chunk_by(|(one, _), (other, _)| one == other).scan(0, |end, same| {
            *end += same.len() as u32;
            Some((same[0].0, *end))
        });
        DeclaredKeys {
            inside: same.collect(),
            members: inside.iter().map(|&(_, member)| member).collect(),
            ends: ends.into_vec().into(),
        }
    }

    /// Adds the tokens of a key that can only be a declared one, from its state at a node on; whether
    /// nothing else than the keys has a say in it.
    pub(crate) fn declared_only(&mut self, key: Key<'_>, found: &mut Found) -> bool {
        let Key { node, entry, .. } = key;
        if !self.session.allows_declared_keys_only(entry.label) {
            return false;
        }
        let Some(declared) = self.declared(node, entry) else { return false };
        let Some(values) = declared.allowed_ends(self.session, entry) else { return false };
        let mut start = 0;
        for &(token, end) in &declared.inside {
            let mut members = declared.members[start..end as usize].iter();
            if members.any(|&member| self.session.allows_member(entry.label, member)) {
                found.extend([token]);
            }
            start = end as usize;
        }
        for (end, value) in values {
            self.declared_end(end, value, key, found);
        }
        true
    }

    /// The tokens where a declared key ends and of what lies behind it.
    pub(crate) fn declared_end(
        &mut self,
        end: &DeclaredEnd,
        value: ValueId,
        key: Key<'_>,
        found: &mut Found,
    ) {
        let tokens = match end.value.get() {
            Some(tokens) => tokens,
            None => match self.value_behind(end.node, value) {
                Some(tokens) => end.value.get_or_init(|| tokens),
                None => return,
            },
        };
        self.add_value(tokens, (key, end.member), &Meant::all(), found);
    }
}

impl DeclaredKeys {
    /// The ends of members that may come, each with its value; nothing if one of the values does not
    /// stand for itself, or if the keys are compared with others.
    pub(crate) fn allowed_ends(
        &self,
        session: &Session,
        entry: Entry,
    ) -> Option<SmallVec<[(&DeclaredEnd, ValueId); 8]>> {
        if entry.track != TrackId::NONE {
            return None;
        }
        let allowed = self.ends.iter().filter(|end| session.allows_member(entry.label, end.member));
        allowed.map(|end| Some((end, session.value_of_member(entry, end.member)?))).collect()
    }
}

impl Footprint for DeclaredKeys {
    fn bytes(&self) -> usize {
        size_of_val(&*self.inside) + size_of_val(&*self.members) + size_of_val(&*self.ends)
    }
}
