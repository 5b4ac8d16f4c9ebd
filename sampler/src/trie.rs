//! The tokens of a vocabulary as a trie.

use crate::token_id::TokenId;
use crate::vocabulary::Vocabulary;

/// A node of a [`TokenTrie`], by its place in preorder; the root is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TrieNode(u32);

/// The ordinary tokens of a vocabulary as a trie of their bytes, in preorder: the children of a
/// node follow it, each behind the end of its sibling's subtree. Control tokens and gaps are not
/// in it.
#[derive(Debug)]
pub(crate) struct TokenTrie {
    bytes: Vec<u8>,
    /// The token that ends at the node, or [`NO_TOKEN`].
    tokens: Vec<u32>,
    /// One past the last node of the subtree.
    ends: Vec<u32>,
    parents: Vec<u32>,
}

const NO_TOKEN: u32 = u32::MAX;

impl TokenTrie {
    /// The root: no byte read.
    pub(crate) const ROOT: TrieNode = TrieNode(0);

    pub(crate) fn new(vocabulary: &Vocabulary) -> Self {
        let mut trie =
            Self { bytes: vec![0], tokens: vec![NO_TOKEN], ends: vec![0], parents: vec![0] };
        let mut path: Vec<u32> = vec![0];
        let mut last: &[u8] = &[];
        for &token in vocabulary.ordered() {
            let bytes = vocabulary.bytes(token).unwrap_or_default();
            let common = last.iter().zip(bytes).take_while(|(a, b)| a == b).count();
            for node in path.drain(common + 1..) {
                trie.ends[node as usize] = trie.bytes.len() as u32;
            }
            for &byte in &bytes[common..] {
                trie.parents.extend(path.last());
                path.push(trie.bytes.len() as u32);
                trie.bytes.push(byte);
                trie.tokens.push(NO_TOKEN);
                trie.ends.push(0);
            }
            if let Some(&node) = path.last() {
                trie.tokens[node as usize] = token.0;
            }
            last = bytes;
        }
        for node in path {
            trie.ends[node as usize] = trie.bytes.len() as u32;
        }
        trie
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The byte that leads to the node.
    pub(crate) fn byte(&self, node: TrieNode) -> u8 {
        self.bytes[node.0 as usize]
    }

    /// The token that ends at the node.
    pub(crate) fn token(&self, node: TrieNode) -> Option<TokenId> {
        let token = self.tokens[node.0 as usize];
        (token != NO_TOKEN).then_some(TokenId(token))
    }

    pub(crate) fn has_children(&self, node: TrieNode) -> bool {
        self.ends[node.0 as usize] > node.0 + 1
    }

    /// Number of nodes below the node.
    pub(crate) fn below(&self, node: TrieNode) -> usize {
        (self.ends[node.0 as usize] - node.0 - 1) as usize
    }

    /// The child that a byte leads to.
    pub(crate) fn child(&self, node: TrieNode, byte: u8) -> Option<TrieNode> {
        self.children(node).find(|&child| self.byte(child) == byte)
    }

    /// The children in the order of their bytes.
    pub(crate) fn children(&self, node: TrieNode) -> impl Iterator<Item = TrieNode> + '_ {
        let end = self.ends[node.0 as usize];
        let mut next = node.0 + 1;
        std::iter::from_fn(move || {
            let child = TrieNode(next);
            (next < end).then(|| {
                next = self.ends[child.0 as usize];
                child
            })
        })
    }

    /// The bytes from the root to the node.
    pub(crate) fn path(&self, node: TrieNode) -> Vec<u8> {
        self.between(Self::ROOT, node)
    }

    /// The bytes from a node to one below it.
    pub(crate) fn between(&self, from: TrieNode, to: TrieNode) -> Vec<u8> {
        let mut path = Vec::new();
        let mut at = to.0;
        while at != from.0 {
            path.push(self.bytes[at as usize]);
            at = self.parents[at as usize];
        }
        path.reverse();
        path
    }
}
