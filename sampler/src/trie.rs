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
    /// Where the children of each node begin among all children; they end where those of the next
    /// node begin.
    starts: Vec<u32>,
    /// The children of all nodes, with their bytes beside: a node has up to 256, far from each
    /// other in preorder.
    children: Vec<TrieNode>,
    child_bytes: Vec<u8>,
}

const NO_TOKEN: u32 = u32::MAX;

impl TokenTrie {
    /// The root: no byte read.
    pub(crate) const ROOT: TrieNode = TrieNode(0);

    pub(crate) fn new(vocabulary: &Vocabulary) -> Self {
        let mut trie = Self {
            bytes: vec![0],
            tokens: vec![NO_TOKEN],
            ends: vec![0],
            parents: vec![0],
            starts: Vec::new(),
            children: Vec::new(),
            child_bytes: Vec::new(),
        };
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
        trie.list_children();
        trie
    }

    fn list_children(&mut self) {
        let len = self.len();
        let mut starts = vec![0_u32; len + 1];
        for &parent in &self.parents[1..] {
            starts[parent as usize + 1] += 1;
        }
        for node in 0..len {
            starts[node + 1] += starts[node];
        }
        // Where the next child of each node goes.
        let mut next = starts.clone();
        self.children = vec![Self::ROOT; len - 1];
        self.child_bytes = vec![0; len - 1];
        for node in 1..len {
            let place = &mut next[self.parents[node] as usize];
            self.children[*place as usize] = TrieNode(node as u32);
            self.child_bytes[*place as usize] = self.bytes[node];
            *place += 1;
        }
        self.starts = starts;
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
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

    fn child_range(&self, node: TrieNode) -> std::ops::Range<usize> {
        self.starts[node.0 as usize] as usize..self.starts[node.0 as usize + 1] as usize
    }

    /// The child that a byte leads to.
    pub(crate) fn child(&self, node: TrieNode, byte: u8) -> Option<TrieNode> {
        let range = self.child_range(node);
        let at = self.child_bytes[range.clone()].binary_search(&byte).ok()?;
        Some(self.children[range.start + at])
    }

    /// The children, in the order of their bytes.
    pub(crate) fn children(&self, node: TrieNode) -> impl Iterator<Item = (u8, TrieNode)> + '_ {
        let range = self.child_range(node);
        self.child_bytes[range.clone()].iter().copied().zip(self.children[range].iter().copied())
    }

    /// Visits what lies below a node in preorder: each node with what its parent has been given (the
    /// first ones: `start`) and with its byte. What is below it is left out if `visit` gives nothing.
    pub(crate) fn scan<S: Copy>(
        &self,
        top: TrieNode,
        start: S,
        mut visit: impl FnMut(TrieNode, S, u8) -> Option<S>,
    ) {
        let end = self.ends[top.0 as usize];
        // What the nodes on the way have been given, each with the end of its subtree.
        let mut path = vec![(end, start)];
        let mut node = top.0 + 1;
        while node < end {
            while let Some(&(above, _)) = path.last()
                && above <= node
            {
                path.pop();
            }
            let Some(&(_, above)) = path.last() else { break };
            let behind = self.ends[node as usize];
            match visit(TrieNode(node), above, self.bytes[node as usize]) {
                Some(given) if behind > node + 1 => {
                    path.push((behind, given));
                    node += 1;
                }
                _ => node = behind,
            }
        }
    }

    /// Whether a node is `top` or lies below it.
    pub(crate) fn is_within(&self, node: TrieNode, top: TrieNode) -> bool {
        top <= node && node.0 < self.ends[top.0 as usize]
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
