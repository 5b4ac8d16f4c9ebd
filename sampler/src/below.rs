//! Where tokens leave a terminal: what lies below several nodes of the trie, as one.
//!
//! Of the tokens that end a JSON string some hundred go on behind the quote, all of them in the
//! same few ways (`",`, `":`, `"}`). One walk through these tells all of them.

use std::sync::Arc;

use grammask_gbnf::ByteSet;

use crate::generations::Footprint;
use crate::tables::Tables;
use crate::token_id::TokenId;
use crate::trie::TrieNode;

/// Some nodes of the trie, and what lies below them as a trie of its own.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Below {
    /// The nodes, ascending.
    pub(crate) nodes: Box<[TrieNode]>,
    /// Those with a token.
    pub(crate) tokens: Box<[(TrieNode, TokenId)]>,
    /// Those below which so much lies that there are tables for it: they stay alone.
    pub(crate) large: Box<[TrieNode]>,
    /// The bytes with which tokens go on.
    pub(crate) first: ByteSet,
    /// The bytes of what lies below the others, in preorder; 0 for the root.
    bytes: Vec<u8>,
    /// One past the last node of each subtree.
    ends: Vec<u32>,
    /// Where the tokens of each node end; they begin where those of the node before it end.
    token_ends: Vec<u32>,
    merged: Vec<(TrieNode, TokenId)>,
}

/// What lies below nodes, by what leads to them.
pub(crate) type Belows<K> = Box<[(K, Arc<Below>)]>;

/// A node of what lies below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct BelowNode(u32);

impl Below {
    /// What they all stand on.
    pub(crate) const ROOT: BelowNode = BelowNode(0);

    /// Merges what lies below some nodes.
    pub(crate) fn new(nodes: &[TrieNode], tables: &Tables) -> Self {
        let trie = &tables.trie;
        let (large, small): (Vec<TrieNode>, Vec<TrieNode>) =
            nodes.iter().partition(|&&node| tables.is_large(node));
        let tokens = |node| trie.tokens_at(node).map(move |token| (node, token));
        let mut below = Self {
            nodes: nodes.into(),
            tokens: nodes.iter().flat_map(|&node| tokens(node)).collect(),
            large: large.clone().into(),
            ..Self::nothing()
        };
        below.add(&small, &|node| trie.children(node), &tokens);
        let first = large.iter().flat_map(|&node| trie.children(node)).map(|(byte, _)| byte);
        below.add_first(first);
        below
    }

    /// What lies behind some of its nodes; nothing of the trie is known any more.
    pub(crate) fn behind(&self, nodes: &[BelowNode]) -> Self {
        let mut below = Self::nothing();
        let tokens = |node| self.tokens_of(node).iter().copied();
        below.add(nodes, &|node| self.children(node), &tokens);
        below.add_first([]);
        below
    }

    /// The bytes with which tokens go on, besides those of large nodes.
    fn add_first(&mut self, large: impl IntoIterator<Item = u8>) {
        let small = self.children(Self::ROOT).map(|(byte, _)| byte);
        let mut first = ByteSet::default();
        small.chain(large).for_each(|byte| first.insert(byte));
        self.first = first;
    }

    /// The number of nodes from one on.
    pub(crate) fn len(&self, node: BelowNode) -> usize {
        (self.ends[node.0 as usize] - node.0) as usize
    }

    /// Whether anything lies below.
    pub(crate) fn is_inner(&self) -> bool {
        !self.first.is_empty()
    }

    fn nothing() -> Self {
        Self {
            nodes: Box::default(),
            tokens: Box::default(),
            large: Box::default(),
            first: ByteSet::default(),
            bytes: vec![0],
            ends: vec![1],
            token_ends: vec![0],
            merged: Vec::new(),
        }
    }

    /// Adds, below the node that came last, the children of some nodes with their tokens. The depth
    /// is that of a token.
    fn add<N, C, T>(&mut self, nodes: &[N], children: &impl Fn(N) -> C, tokens: &impl Fn(N) -> T)
    where
        N: Copy + Ord,
        C: Iterator<Item = (u8, N)>,
        T: Iterator<Item = (TrieNode, TokenId)>,
    {
        let above = self.bytes.len() - 1;
        if let &[node] = nodes {
            for (byte, child) in children(node) {
                self.add_child(byte, &[child], children, tokens);
            }
        } else {
            let mut all: Vec<_> = nodes.iter().flat_map(|&node| children(node)).collect();
            all.sort_unstable();
            for same in all.chunk_by(|(one, _), (other, _)| one == other) {
                let nodes: Vec<N> = same.iter().map(|&(_, node)| node).collect();
                self.add_child(same[0].0, &nodes, children, tokens);
            }
        }
        self.ends[above] = self.bytes.len() as u32;
    }

    /// Adds some nodes, to which the same byte leads, as one with the tokens of all, each once and in
    /// order; and what lies below them.
    fn add_child<N, C, T>(
        &mut self,
        byte: u8,
        nodes: &[N],
        children: &impl Fn(N) -> C,
        tokens: &impl Fn(N) -> T,
    ) where
        N: Copy + Ord,
        C: Iterator<Item = (u8, N)>,
        T: Iterator<Item = (TrieNode, TokenId)>,
    {
        self.bytes.push(byte);
        self.ends.push(0);
        let before = self.merged.len();
        self.merged.extend(nodes.iter().flat_map(|&node| tokens(node)));
        if !self.merged[before..].is_sorted_by(|one, other| one < other) {
            let mut added = self.merged.split_off(before);
            added.sort_unstable();
            added.dedup();
            self.merged.append(&mut added);
        }
        self.token_ends.push(self.merged.len() as u32);
        self.add(nodes, children, tokens);
    }

    /// The children of a node, by their bytes.
    pub(crate) fn children(&self, node: BelowNode) -> impl Iterator<Item = (u8, BelowNode)> + '_ {
        let end = self.ends[node.0 as usize];
        let mut next = node.0 + 1;
        std::iter::from_fn(move || {
            let child = next;
            (child < end).then(|| {
                next = self.ends[child as usize];
                (self.bytes[child as usize], BelowNode(child))
            })
        })
    }

    pub(crate) fn has_children(&self, node: BelowNode) -> bool {
        self.ends[node.0 as usize] > node.0 + 1
    }

    /// The tokens of a node, each with its place in the trie.
    pub(crate) fn tokens_of(&self, node: BelowNode) -> &[(TrieNode, TokenId)] {
        let (start, end) = (node.0 as usize - 1, node.0 as usize);
        &self.merged[self.token_ends[start] as usize..self.token_ends[end] as usize]
    }

    /// The tokens of a node and of all below it, each with its place in the trie.
    pub(crate) fn tokens_from(&self, node: BelowNode) -> &[(TrieNode, TokenId)] {
        let (start, end) =
            ((node.0 as usize).saturating_sub(1), self.ends[node.0 as usize] as usize - 1);
        &self.merged[self.token_ends[start] as usize..self.token_ends[end] as usize]
    }
}

impl Footprint for Below {
    fn bytes(&self) -> usize {
        // The nodes are the key as well.
        2 * size_of_val(&*self.nodes)
            + size_of_val(&*self.tokens)
            + size_of_val(&*self.large)
            + self.bytes.capacity()
            + self.ends.capacity() * size_of::<u32>()
            + self.token_ends.capacity() * size_of::<u32>()
            + self.merged.capacity() * size_of::<(TrieNode, TokenId)>()
    }
}
