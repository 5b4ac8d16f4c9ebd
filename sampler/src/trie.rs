//! The tokens of a vocabulary as a trie.

use std::ops::Range;

use grammask_gbnf::ByteSet;
use rustc_hash::FxHashMap;
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
    /// The children of nodes with much below them, with their bytes beside: a node has up to 256, far
    /// from each other in preorder.
    children: Vec<TrieNode>,
    child_bytes: Vec<u8>,
    /// Where among them those of each such node are.
    child_ranges: FxHashMap<TrieNode, Range<u32>>,
    /// The nodes with children behind as many bytes as short tokens have, one less and more, by their number.
    far_down: Box<[Box<[TrieNode]>]>,
    /// The byte of each node: where only that is asked for, a list of bytes is read much sooner than the nodes.
    bytes: Box<[u8]>,
}

/// The bytes from one node to another: mostly few.
pub(crate) type Path = SmallVec<[u8; 16]>;

/// Tokens of this share of the longest one's bytes are short.
const SHORT: usize = 5;

/// Of no more nodes below one the children are looked for where they lie.
const NEAR: usize = 64;

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
            child_ranges: FxHashMap::default(),
            far_down: Box::default(),
            bytes: Box::default(),
        };
        trie.list_children();
        trie.list_far_down();
        trie
    }

    fn list_far_down(&mut self) {
        let least = self.short() - 1;
        let mut far_down = vec![Vec::new(); self.height(Self::ROOT) + 1 - least];
        for (node, depth) in self.tree.far_down(least) {
            far_down[depth - least].push(TrieNode(node));
        }
        self.far_down = far_down.into_iter().map(Vec::into_boxed_slice).collect();
    }

    /// Tokens of so many bytes are short.
    pub(crate) fn short(&self) -> usize {
        (self.height(Self::ROOT) / SHORT).max(1)
    }

    fn list_children(&mut self) {
        let len = self.len();
        self.parents = Vec::with_capacity(len);
        self.bytes = (0..len as u32).map(|node| self.tree.byte(node)).collect();
        let mut path = vec![Self::ROOT; self.height(Self::ROOT) + 1];
        for node in (0..len as u32).map(TrieNode) {
            let depth = usize::from(self.tree.depth(node.0));
            path[depth] = node;
            self.parents.push(path[depth.saturating_sub(1)]);
            if self.is_far(node) {
                let start = self.children.len();
                for (byte, child) in self.tree.siblings(node.0 + 1..self.end(node)) {
                    self.child_bytes.push(byte);
                    self.children.push(TrieNode(child));
                }
                self.child_ranges.insert(node, start as u32..self.children.len() as u32);
            }
        }
    }

    /// Whether the children of a node may be far from each other in preorder.
    fn is_far(&self, node: TrieNode) -> bool {
        self.below(node) > NEAR
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
        self.below(node) > 0
    }

    /// The nodes so many bytes below one that have children. Nothing where tokens with fewer bytes than short ones
    /// are that long: there are many.
    pub(crate) fn at_depth(&self, top: TrieNode, below: usize) -> Option<&[TrieNode]> {
        let depth = below.saturating_add(self.tree.depth(top.0).into());
        let at = depth.checked_sub(self.short() - 1)?;
        let nodes = self.far_down.get(at).map_or(&[][..], |nodes| nodes);
        let start = nodes.partition_point(|&node| node < top);
        let end = nodes.partition_point(|node| node.0 < self.end(top));
        Some(&nodes[start..end])
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

    /// The child that a byte leads to.
    pub(crate) fn child(&self, node: TrieNode, byte: u8) -> Option<TrieNode> {
        if self.is_far(node) {
            let range = self.child_range(node);
            let at = self.child_bytes[range.clone()].binary_search(&byte).ok()?;
            return Some(self.children[range.start + at]);
        }
        let mut children = self.tree.siblings(node.0 + 1..self.end(node));
        let (found, child) = children.find(|&(other, _)| other >= byte)?;
        (found == byte).then_some(TrieNode(child))
    }

    /// The children, in the order of their bytes.
    pub(crate) fn children(&self, node: TrieNode) -> impl Iterator<Item = (u8, TrieNode)> + '_ {
        let end = self.end(node);
        let (far, near) = if self.is_far(node) {
            (self.child_range(node), end..end)
        } else {
            (0..0, node.0 + 1..end)
        };
        let mut far = self.child_bytes[far.clone()].iter().zip(&self.children[far]);
        let mut near = self.tree.siblings(near);
        std::iter::from_fn(move || match far.next() {
            Some((&byte, &child)) => Some((byte, child)),
            None => near.next().map(|(byte, child)| (byte, TrieNode(child))),
        })
    }

    fn child_range(&self, node: TrieNode) -> Range<usize> {
        self.child_ranges.get(&node).map_or(0..0, |range| range.start as usize..range.end as usize)
    }

    /// All nodes below one, in preorder: with the byte of each and the number of nodes from it on.
    pub(crate) fn nodes_below(
        &self,
        top: TrieNode,
    ) -> impl Iterator<Item = (u8, usize, TrieNode)> + '_ {
        let nodes = (top.0 + 1..self.end(top)).map(TrieNode);
        nodes.map(|node| (self.byte(node), (self.end(node) - node.0) as usize, node))
    }

    /// The nodes below one that have one of some bytes, in preorder.
    pub(crate) fn nodes_with(
        &self,
        top: TrieNode,
        bytes: ByteSet,
    ) -> impl Iterator<Item = TrieNode> + '_ {
        let mut is_one = [false; 256];
        bytes.iter().for_each(|byte| is_one[usize::from(byte)] = true);
        let below = (top.0 + 1..self.end(top)).zip(&self.bytes[top.0 as usize + 1..]);
        below.filter(move |&(_, &byte)| is_one[usize::from(byte)]).map(|(node, _)| TrieNode(node))
    }

    /// The node above one; the root itself for the root.
    pub(crate) fn parent(&self, node: TrieNode) -> TrieNode {
        self.parents[node.0 as usize]
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

    /// The byte of the child of a node that has one only.
    pub(crate) fn only_byte(&self, node: TrieNode) -> Option<u8> {
        self.chain(node).next().map(|child| self.byte(child))
    }

    /// The nodes below one as long as nothing else is below the one before.
    pub(crate) fn chain(&self, node: TrieNode) -> impl Iterator<Item = TrieNode> + '_ {
        let end = self.end(node);
        (node.0 + 1..end).take_while(move |&below| self.tree.end(below) == end).map(TrieNode)
    }

    /// The bytes from a node to one below it.
    pub(crate) fn between(&self, from: TrieNode, to: TrieNode) -> Path {
        let mut path = Path::from_elem(0, self.bytes_between(from, to));
        let mut at = to;
        for byte in path.iter_mut().rev() {
            *byte = self.byte(at);
            at = self.parent(at);
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use grammask_oracle::generate;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nodes_far_down_are_those_of_a_plain_search(tokens in generate::vocabularies()) {
            let trie = TokenTrie::new(&Vocabulary::of(&tokens));
            for top in (0..trie.len() as u32).map(TrieNode) {
                for below in 0..=trie.height(TokenTrie::ROOT) + 1 {
                    let Some(found) = trie.at_depth(top, below) else {
                        prop_assert!(usize::from(trie.tree.depth(top.0)) + below + 1 < trie.short());
                        continue;
                    };
                    let nodes = (top.0..trie.end(top)).map(TrieNode);
                    let so_far_down = |node: &TrieNode| trie.bytes_between(top, *node) == below;
                    let expected: Vec<TrieNode> =
                        nodes.filter(|node| so_far_down(node) && trie.has_children(*node)).collect();
                    prop_assert_eq!(found, expected);
                }
            }
        }
    }
}
