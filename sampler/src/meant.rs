//! Nodes of the trie but for what lies below some of them.

use std::ops::Range;

use smallvec::SmallVec;

use crate::generations::Footprint;
use crate::token_id::TokenId;
use crate::trie::{TokenTrie, TrieNode};

/// All nodes, or all but some and what lies below these.
#[derive(Debug, Default)]
pub(crate) struct Meant {
    /// The others, each time from one node to the one before another, ascending.
    others: SmallVec<[(TrieNode, TrieNode); 8]>,
}

impl Meant {
    /// All nodes.
    pub(crate) fn all() -> Self {
        Self::default()
    }

    /// Without some nodes, which ascend, and what lies below them.
    pub(crate) fn without(nodes: &[TrieNode], trie: &TokenTrie) -> Self {
        let mut others: SmallVec<[(TrieNode, TrieNode); 8]> = SmallVec::new();
        for &node in nodes {
            if others.last().is_none_or(|&(_, end)| end <= node) {
                others.push((node, trie.behind(node)));
            }
        }
        Self { others }
    }

    /// Whether a node is meant.
    pub(crate) fn contains(&self, node: TrieNode) -> bool {
        let behind = self.others.partition_point(|&(start, _)| start <= node);
        behind == 0 || self.others[behind - 1].1 <= node
    }

    /// The tokens that are meant, of some in the order of their nodes.
    pub(crate) fn of<'a>(
        &'a self,
        tokens: &'a [(TrieNode, TokenId)],
    ) -> impl Iterator<Item = TokenId> + 'a {
        let runs = self.runs(tokens, |&(node, _)| node);
        runs.flat_map(|run| &tokens[run]).map(|&(_, token)| token)
    }

    /// The same piece by piece.
    pub(crate) fn of_placed<'a>(
        &'a self,
        placed: &'a PlacedTokens,
    ) -> impl Iterator<Item = &'a [TokenId]> {
        self.runs(&placed.nodes, |&node| node).map(|run| &placed.tokens[run])
    }

    /// The parts of a list in the order of its nodes that are meant.
    fn runs<'a, T>(
        &'a self,
        all: &'a [T],
        node: impl Fn(&T) -> TrieNode + 'a,
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        debug_assert!(all.is_sorted_by_key(&node), "they are told apart by where they are");
        let (mut others, mut at) = (self.others.iter(), 0);
        std::iter::from_fn(move || {
            let behind =
                |at: usize, end: TrieNode| at + all[at..].partition_point(|it| node(it) < end);
            let (run, next) = match others.next() {
                Some(&(start, end)) => {
                    let up_to = behind(at, start);
                    (at..up_to, behind(up_to, end))
                }
                None if at == all.len() => return None,
                None => (at..all.len(), all.len()),
            };
            at = next;
            Some(run)
        })
    }
}

/// Tokens in the order of their places in the trie.
#[derive(Debug)]
pub(crate) struct PlacedTokens {
    nodes: Box<[TrieNode]>,
    tokens: Box<[TokenId]>,
}

impl From<Vec<(TrieNode, TokenId)>> for PlacedTokens {
    fn from(mut placed: Vec<(TrieNode, TokenId)>) -> Self {
        placed.sort_unstable();
        let nodes = placed.iter().map(|&(node, _)| node).collect();
        Self { nodes, tokens: placed.iter().map(|&(_, token)| token).collect() }
    }
}

impl Footprint for PlacedTokens {
    fn bytes(&self) -> usize {
        size_of_val(&*self.nodes) + size_of_val(&*self.tokens)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vocabulary;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn runs_are_what_each_node_says(
            words in prop::collection::btree_set("[ab]{1,5}", 1..40),
            some in prop::collection::btree_set(0_usize..40, 0..6),
        ) {
            let vocabulary = Vocabulary::of(&words);
            let trie = TokenTrie::new(&vocabulary);
            let nodes = words.iter().filter_map(|word| {
                word.bytes().try_fold(TokenTrie::ROOT, |node, byte| trie.child(node, byte))
            });
            let mut nodes: Vec<TrieNode> = nodes.collect();
            nodes.sort_unstable();
            let without: Vec<_> = some.into_iter().filter_map(|at| nodes.get(at).copied()).collect();
            let meant = Meant::without(&without, &trie);
            let tokens: Vec<_> =
                nodes.iter().flat_map(|&n| trie.tokens_at(n).map(move |token| (n, token))).collect();
            let is_meant = |node| !without.iter().any(|&top| trie.is_within(node, top));
            let expected: Vec<_> =
                tokens.iter().filter(|&&(node, _)| is_meant(node)).map(|&(_, token)| token).collect();
            prop_assert_eq!(&meant.of(&tokens).collect::<Vec<_>>(), &expected);
            let placed = PlacedTokens::from(tokens.clone());
            prop_assert_eq!(meant.of_placed(&placed).flatten().copied().collect::<Vec<_>>(), expected);
            for &node in &nodes {
                prop_assert_eq!(meant.contains(node), is_meant(node));
            }
            prop_assert!(Meant::all().of(&tokens).eq(tokens.iter().map(|&(_, token)| token)));
        }
    }
}
