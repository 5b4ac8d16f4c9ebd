//! What tokens have of the value of a member, whatever lies behind the value.
//!
//! After every key the same few ways to begin a value are walked through. Which tokens they allow
//! depends on the value alone, up to where a token has read all of it; only from there on does the
//! walk need to know what follows.

use std::sync::Arc;

use grammask_gbnf::{Session, State, ValueId};

use crate::below::Below;
use crate::generations::{Footprint, Generations};
use crate::lookahead::Lookahead;
use crate::token_id::TokenId;
use crate::token_set::Found;
use crate::trie::TrieNode;
use crate::walk::walk_below;

/// The tokens of a value that begins behind some nodes.
#[derive(Debug)]
pub(crate) struct ValueTokens {
    /// The nodes: kept, so that no others get their address.
    _starts: Arc<Below>,
    /// Those with which the value is not at its end, or just there; each with its place in the trie.
    tokens: Box<[(TrieNode, TokenId)]>,
    /// What lies behind the places where the value ends.
    behind: Below,
    /// The same of nodes below which much lies.
    behind_large: Arc<Below>,
}

/// The values of one session, by where they begin.
#[derive(Debug)]
pub(crate) struct ValueMemo(Generations<(usize, ValueId), Arc<ValueTokens>>);

/// How many bytes they may take.
const VALUES: usize = 512 << 10;

impl Default for ValueMemo {
    fn default() -> Self {
        Self(Generations::new(VALUES))
    }
}

impl Lookahead<'_> {
    /// The tokens of a value that begins behind some nodes and of what lies behind the value, as far
    /// as their nodes are meant.
    pub(crate) fn value(
        &mut self,
        (starts, value): (&Arc<Below>, ValueId),
        behind: &State,
        is_meant: impl Fn(TrieNode) -> bool,
        found: &mut Found,
    ) {
        let key = (Arc::as_ptr(starts).addr(), value);
        let known = self.values.0.get(&key).unwrap_or_else(|| {
            let tokens = Arc::new(self.value_tokens(starts, value));
            self.values.0.insert(key, Arc::clone(&tokens));
            tokens
        });
        let mut add = |tokens: &[(TrieNode, TokenId)]| {
            let meant = tokens.iter().filter(|&&(node, _)| is_meant(node));
            found.extend(meant.map(|&(_, token)| token));
        };
        add(&known.tokens);
        walk_below(self.session, &known.behind, Below::ROOT, behind, &mut add);
        walk_below(self.session, &known.behind_large, Below::ROOT, behind, &mut add);
        for &node in known.behind_large.large.iter().filter(|&&node| is_meant(node)) {
            self.walk(node, behind, found);
        }
    }

    fn value_tokens(&mut self, starts: &Arc<Below>, value: ValueId) -> ValueTokens {
        let trie = &self.engine.tables.trie;
        let start = self.session.start_of_value(value);
        let mut tokens = starts.tokens.to_vec();
        let ends = walk_value(
            self.session,
            vec![(Below::ROOT, start.clone())],
            |node| starts.children(node),
            |node| tokens.extend_from_slice(starts.tokens_of(node)),
        );
        let large_ends = walk_value(
            self.session,
            starts.large.iter().map(|&node| (node, start.clone())).collect(),
            |node| trie.children(node),
            |node| tokens.extend(trie.token(node).map(|token| (node, token))),
        );
        ValueTokens {
            _starts: Arc::clone(starts),
            tokens: tokens.into(),
            behind: starts.behind(&ends),
            behind_large: self.engine.tables.below(large_ends),
        }
    }
}

impl Footprint for ValueTokens {
    fn bytes(&self) -> usize {
        size_of_val(&*self.tokens) + self.behind.bytes()
    }
}

/// Walks from some nodes, each with a state, as far as a value reaches; `add` is given each node on
/// the way. Where the value may end is returned.
fn walk_value<N: Copy, C: Iterator<Item = (u8, N)>>(
    session: &mut Session,
    mut pending: Vec<(N, State)>,
    children: impl Fn(N) -> C,
    mut add: impl FnMut(N),
) -> Vec<N> {
    let mut ends = Vec::new();
    while let Some((node, state)) = pending.pop() {
        let first = session.first(&state);
        for (byte, child) in children(node).filter(|&(byte, _)| first.contains(byte)) {
            let next = session.step(&state, byte);
            if next.is_dead() {
                continue;
            }
            add(child);
            if next.is_complete() {
                ends.push(child);
            }
            pending.push((child, next));
        }
    }
    ends
}
