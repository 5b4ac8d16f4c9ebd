//! The tokens of a vocabulary as a trie.

use std::ops::Range;
use std::sync::OnceLock;

use smallvec::SmallVec;

use crate::preorder::{Growing, Outline, Preorder, Reach, Scan};
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
    tree: Preorder,
    /// The node above each; the root's own is the root.
    parents: Vec<TrieNode>,
    /// The children of all nodes, with their bytes beside: a node has up to 256, far from each
    /// other in preorder.
    children: Vec<TrieNode>,
    child_bytes: Vec<u8>,
    /// Where among them those of each node begin, and of what is behind the last.
    first_children: Vec<u32>,
    /// See [`TokenTrie::at_depth`].
    by_depth: OnceLock<Box<[Box<[TrieNode]>]>>,
}

/// The bytes from one node to another: mostly few.
pub(crate) type Path = SmallVec<[u8; 16]>;

impl TokenTrie {
    /// The root: no byte read.
    pub(crate) const ROOT: TrieNode = TrieNode(0);

    pub(crate) fn new(vocabulary: &Vocabulary) -> Self {
        let mut tree = Growing::new(vocabulary.ordered().len(), vocabulary.len());
        let mut last: &[u8] = &[];
        for &token in vocabulary.ordered() {
            let bytes = vocabulary.bytes(token).unwrap_or_default();
            let common = last.iter().zip(bytes).take_while(|(a, b)| a == b).count();
            for (depth, &byte) in (1..).zip(bytes).skip(common) {
                tree.push(depth, (byte, byte));
            }
            tree.add_token(token);
            last = bytes;
        }
        let mut trie = Self {
            tree: tree.finish(),
            parents: Vec::new(),
            children: Vec::new(),
            child_bytes: Vec::new(),
            first_children: Vec::new(),
            by_depth: OnceLock::new(),
        };
        trie.list_children();
        trie
    }

    fn list_children(&mut self) {
        let len = self.len();
        self.parents = vec![Self::ROOT];
        self.first_children = vec![0; len + 1];
        let mut path = vec![Self::ROOT; self.height(Self::ROOT) + 1];
        for node in 1..len as u32 {
            let depth = usize::from(self.tree.depth(node));
            path[depth] = TrieNode(node);
            let parent = path[depth - 1];
            self.parents.push(parent);
            self.first_children[parent.0 as usize + 1] += 1;
        }
        for node in 0..len {
            self.first_children[node + 1] += self.first_children[node];
        }
        // Where the next child of each node goes.
        let mut next = self.first_children.clone();
        self.children = vec![Self::ROOT; len - 1];
        self.child_bytes = vec![0; len - 1];
        for node in (1..len as u32).map(TrieNode) {
            let place = &mut next[self.parents[node.0 as usize].0 as usize];
            self.children[*place as usize] = node;
            self.child_bytes[*place as usize] = self.byte(node);
            *place += 1;
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.tree.len()
    }

    /// The tokens that end at the node: several if they spell the same.
    pub(crate) fn tokens_at(&self, node: TrieNode) -> impl Iterator<Item = TokenId> + '_ {
        self.tree.tokens_of(node.0..node.0 + 1).iter().copied()
    }

    /// Whether some token ends at the node.
    pub(crate) fn has_token(&self, node: TrieNode) -> bool {
        !self.tree.tokens_of(node.0..node.0 + 1).is_empty()
    }

    /// The last byte that leads to a node; 0 for the root.
    pub(crate) fn byte(&self, node: TrieNode) -> u8 {
        self.tree.byte(node.0)
    }

    /// The nodes with their tokens.
    pub(crate) fn tree(&self) -> &Preorder {
        &self.tree
    }

    /// The tokens at a node and below it.
    pub(crate) fn tokens_from(&self, node: TrieNode) -> &[TokenId] {
        self.tree.tokens_of(node.0..self.end(node))
    }

    /// One past the last node of a subtree.
    fn end(&self, node: TrieNode) -> u32 {
        self.tree.end(node.0)
    }

    pub(crate) fn has_children(&self, node: TrieNode) -> bool {
        !self.child_range(node).is_empty()
    }

    /// The nodes so many bytes below one that have children; of the great depths there are few. Those of
    /// all depths are looked for when the first ones are needed.
    pub(crate) fn at_depth(&self, top: TrieNode, below: usize) -> &[TrieNode] {
        let depth = below.saturating_add(self.tree.depth(top.0).into());
        let by_depth = self.by_depth.get_or_init(|| {
            let mut by_depth = vec![Vec::new(); self.height(Self::ROOT) + 1];
            let nodes = (0..self.len() as u32).map(TrieNode);
            for node in nodes.filter(|&node| self.has_children(node)) {
                by_depth[usize::from(self.tree.depth(node.0))].push(node);
            }
            by_depth.into_iter().map(Vec::into_boxed_slice).collect()
        });
        let Some(nodes) = by_depth.get(depth) else { return &[] };
        let start = nodes.partition_point(|&node| node < top);
        let end = nodes.partition_point(|node| node.0 < self.end(top));
        &nodes[start..end]
    }

    /// No path down from a node has more bytes.
    pub(crate) fn height(&self, top: TrieNode) -> usize {
        self.tree.height(top.0)
    }

    /// Number of bytes that lead from a node to one below it.
    pub(crate) fn bytes_between(&self, from: TrieNode, to: TrieNode) -> usize {
        usize::from(self.tree.depth(to.0) - self.tree.depth(from.0))
    }

    /// The tokens below a node.
    pub(crate) fn tokens_below(&self, node: TrieNode) -> &[TokenId] {
        self.tree.tokens_of(node.0 + 1..self.end(node))
    }

    /// Number of nodes below the node.
    pub(crate) fn below(&self, node: TrieNode) -> usize {
        (self.end(node) - node.0 - 1) as usize
    }

    fn child_range(&self, node: TrieNode) -> Range<usize> {
        let first = |node: u32| self.first_children[node as usize] as usize;
        first(node.0)..first(node.0 + 1)
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

    /// All nodes below one, in preorder: with the byte of each and the number of nodes from it on.
    pub(crate) fn nodes_below(
        &self,
        top: TrieNode,
    ) -> impl Iterator<Item = (u8, usize, TrieNode)> + '_ {
        let nodes = (top.0 + 1..self.end(top)).map(TrieNode);
        nodes.map(|node| (self.byte(node), (self.end(node) - node.0) as usize, node))
    }

    /// Visits what lies below a node in preorder; see [`Preorder::scan`].
    pub(crate) fn scan<S: Copy>(
        &self,
        top: TrieNode,
        start: S,
        mut visit: impl FnMut(TrieNode, S, u8, Option<&Outline>) -> Reach<S>,
    ) -> Scan {
        let nodes = top.0 + 1..self.end(top);
        self.tree.scan(nodes, start, |node, at, byte, below| visit(TrieNode(node), at, byte, below))
    }

    /// Visits a node and what lies below it.
    pub(crate) fn scan_from<S: Copy>(
        &self,
        node: TrieNode,
        start: S,
        mut visit: impl FnMut(TrieNode, S, u8, Option<&Outline>) -> Reach<S>,
    ) -> Scan {
        self.tree.scan(node.0..self.end(node), start, |node, at, byte, below| {
            visit(TrieNode(node), at, byte, below)
        })
    }

    /// The node that follows what lies below a node; perhaps there is none.
    pub(crate) fn behind(&self, node: TrieNode) -> TrieNode {
        TrieNode(self.end(node))
    }

    /// Whether a node is `top` or lies below it.
    pub(crate) fn is_within(&self, node: TrieNode, top: TrieNode) -> bool {
        top <= node && node.0 < self.end(top)
    }

    /// The bytes from the root to the node.
    pub(crate) fn path(&self, node: TrieNode) -> Path {
        self.between(Self::ROOT, node)
    }

    /// The bytes from a node to one below it.
    pub(crate) fn between(&self, from: TrieNode, to: TrieNode) -> Path {
        let mut path = Path::from_elem(0, self.bytes_between(from, to));
        let mut at = to;
        for byte in path.iter_mut().rev() {
            *byte = self.byte(at);
            at = self.parents[at.0 as usize];
        }
        path
    }
}
