//! Where tokens leave a terminal: what lies below several nodes of the trie, as one.
//!
//! Of the tokens that end a JSON string some hundred go on behind the quote, all of them in the
//! same few ways (`",`, `":`, `"}`). One walk through these tells all of them.

use std::sync::Arc;

use grammask_gbnf::ByteSet;

use crate::by_byte::Exits;
use crate::generations::Footprint;
use crate::tables::Tables;
use crate::token_id::TokenId;
use crate::trie::{TokenTrie, TrieNode};

/// Some nodes of the trie, and what lies below them as a trie of its own.
#[derive(Debug)]
pub(crate) struct Below {
    /// The nodes, ascending.
    pub(crate) nodes: Box<[TrieNode]>,
    /// Those with a token.
    pub(crate) tokens: Box<[(TrieNode, TokenId)]>,
    /// Those below which so much lies that there are tables for it: they stay alone.
    pub(crate) large: Box<[TrieNode]>,
    /// The bytes with which tokens go on.
    pub(crate) first: ByteSet,
    /// What lies below the others, if that is much: the nodes just below them, by their bytes.
    apart: Option<Box<Exits>>,
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

    /// Merges what lies below some nodes; where that is much, when it is read: mostly with few bytes of many.
    pub(crate) fn new(nodes: &[TrieNode], tables: &Tables) -> Self {
        Self::of(nodes, tables, true)
    }

    /// The same, however much lies below them.
    pub(crate) fn whole(self: &Arc<Self>, tables: &Tables) -> Arc<Self> {
        match self.apart {
            Some(_) => Arc::new(Self::of(&self.nodes, tables, false)),
            None => Arc::clone(self),
        }
    }

    fn of(nodes: &[TrieNode], tables: &Tables, may_wait: bool) -> Self {
        let trie = &tables.trie;
        let (large, small): (Vec<TrieNode>, Vec<TrieNode>) =
            nodes.iter().partition(|&&node| tables.is_large(node));
        let mut below = Self {
            nodes: nodes.into(),
            tokens: nodes.iter().flat_map(|&node| Forest::tokens(trie, node)).collect(),
            large: large.clone().into(),
            ..Self::nothing()
        };
        let len = small.iter().map(|&node| trie.below(node)).sum();
        if may_wait && tables.is_much(len) {
            let children: Vec<_> = small.iter().flat_map(|&node| trie.children(node)).collect();
            below.apart = Some(Box::new(Exits::new(&children)));
        } else {
            below.add(&small, trie);
        }
        let first = large.iter().flat_map(|&node| trie.children(node)).map(|(byte, _)| byte);
        below.add_first(first);
        below
    }

    /// What lies behind some of its nodes; nothing of the trie is known any more.
    pub(crate) fn behind(&self, nodes: &[BelowNode]) -> Self {
        let mut below = Self::nothing();
        below.add(nodes, self);
        below.add_first([]);
        below
    }

    /// The bytes with which tokens go on, besides those of large nodes.
    fn add_first(&mut self, large: impl IntoIterator<Item = u8>) {
        let small = self.children(Self::ROOT).map(|(byte, _)| byte);
        let apart = self.apart.iter().flat_map(|apart| apart.iter().map(|(byte, _)| byte));
        let mut first = ByteSet::default();
        small.chain(apart).chain(large).for_each(|byte| first.insert(byte));
        self.first = first;
    }

    /// The number of nodes from one on, as far as they have been merged or lie just below those that have not.
    pub(crate) fn len(&self, node: BelowNode) -> usize {
        let apart = self.apart(node).map_or(0, Exits::len);
        (self.ends[node.0 as usize] - node.0) as usize + apart
    }

    /// The nodes just below one, if what lies below them is merged when it is read.
    pub(crate) fn apart(&self, node: BelowNode) -> Option<&Exits> {
        if node == Self::ROOT { self.apart.as_deref() } else { None }
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
            apart: None,
            bytes: vec![0],
            ends: vec![1],
            token_ends: vec![0],
            merged: Vec::new(),
        }
    }

    /// Adds, below the node that came last, the children of some nodes with their tokens.
    fn add<F: Forest>(&mut self, nodes: &[F::Node], forest: &F) {
        let above = self.bytes.len() - 1;
        if let &[node] = nodes {
            self.copy(node, forest);
        } else {
            let mut children = Vec::new();
            children.extend(nodes.iter().flat_map(|&node| forest.children(node)));
            self.merge(&mut children, 0, forest);
        }
        self.ends[above] = self.bytes.len() as u32;
    }

    /// Adds what lies below one node as it is.
    fn copy<F: Forest>(&mut self, node: F::Node, forest: &F) {
        for (byte, len, node) in forest.below(node) {
            self.ends.push((self.bytes.len() + len) as u32);
            self.bytes.push(byte);
            self.merged.extend(forest.tokens(node));
            self.token_ends.push(self.merged.len() as u32);
        }
    }

    /// Adds the nodes of a list from `start` on, those to which the same byte leads as one with the tokens
    /// of all, each once and in order; and what lies below them, for which the list is used as well. The
    /// depth is that of a token.
    fn merge<F: Forest>(&mut self, list: &mut Vec<(u8, F::Node)>, start: usize, forest: &F) {
        list[start..].sort_unstable();
        let (mut from, end) = (start, list.len());
        while from < end {
            let byte = list[from].0;
            let to = from + list[from..end].partition_point(|&(other, _)| other == byte);
            let (at, before) = (self.bytes.len(), self.merged.len());
            self.bytes.push(byte);
            self.ends.push(0);
            for &(_, node) in &list[from..to] {
                self.merged.extend(forest.tokens(node));
            }
            if !self.merged[before..].is_sorted_by(|one, other| one < other) {
                let mut added = self.merged.split_off(before);
                added.sort_unstable();
                added.dedup();
                self.merged.append(&mut added);
            }
            self.token_ends.push(self.merged.len() as u32);
            if to - from == 1 {
                self.copy(list[from].1, forest);
            } else {
                for same in from..to {
                    list.extend(forest.children(list[same].1));
                }
                self.merge(list, end, forest);
                list.truncate(end);
            }
            self.ends[at] = self.bytes.len() as u32;
            from = to;
        }
    }

    /// The children of a node that have been merged, by their bytes.
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
        self.ends[node.0 as usize] > node.0 + 1 || self.apart(node).is_some()
    }

    /// The tokens of a node, each with its place in the trie.
    pub(crate) fn tokens_of(&self, node: BelowNode) -> &[(TrieNode, TokenId)] {
        let (start, end) = (node.0 as usize - 1, node.0 as usize);
        &self.merged[self.token_ends[start] as usize..self.token_ends[end] as usize]
    }

    /// Gives the tokens of a node and of all below it, each with its place in the trie; at the root without those of
    /// the nodes themselves and below large ones.
    pub(crate) fn tokens_from(
        &self,
        node: BelowNode,
        trie: &TokenTrie,
        mut give: impl FnMut(&[(TrieNode, TokenId)]),
    ) {
        let (start, end) =
            ((node.0 as usize).saturating_sub(1), self.ends[node.0 as usize] as usize - 1);
        give(&self.merged[self.token_ends[start] as usize..self.token_ends[end] as usize]);
        let apart = self.apart(node).into_iter().flat_map(Exits::iter);
        for &node in apart.flat_map(|(_, nodes)| nodes) {
            let nodes = std::iter::once(node).chain(trie.nodes_below(node).map(|(.., node)| node));
            let tokens: Vec<_> = nodes.flat_map(|node| Forest::tokens(trie, node)).collect();
            give(&tokens);
        }
    }
}

/// What nodes lie in that are merged: the trie, or what has been merged of it.
trait Forest {
    type Node: Copy + Ord;

    /// The children of a node, by their bytes.
    fn children(&self, node: Self::Node) -> impl Iterator<Item = (u8, Self::Node)>;

    /// All nodes below one, in preorder: with the byte of each and the number of nodes from it on.
    fn below(&self, node: Self::Node) -> impl Iterator<Item = (u8, usize, Self::Node)>;

    /// The tokens of a node, each with its place in the trie.
    fn tokens(&self, node: Self::Node) -> impl Iterator<Item = (TrieNode, TokenId)>;
}

impl Forest for TokenTrie {
    type Node = TrieNode;

    fn children(&self, node: TrieNode) -> impl Iterator<Item = (u8, TrieNode)> {
        self.children(node)
    }

    fn below(&self, node: TrieNode) -> impl Iterator<Item = (u8, usize, TrieNode)> {
        self.nodes_below(node)
    }

    fn tokens(&self, node: TrieNode) -> impl Iterator<Item = (TrieNode, TokenId)> {
        self.tokens_at(node).map(move |token| (node, token))
    }
}

impl Forest for Below {
    type Node = BelowNode;

    fn children(&self, node: BelowNode) -> impl Iterator<Item = (u8, BelowNode)> {
        self.children(node)
    }

    fn below(&self, node: BelowNode) -> impl Iterator<Item = (u8, usize, BelowNode)> {
        let nodes = (node.0 + 1..self.ends[node.0 as usize]).map(BelowNode);
        nodes.map(|node| (self.bytes[node.0 as usize], self.len(node), node))
    }

    fn tokens(&self, node: BelowNode) -> impl Iterator<Item = (TrieNode, TokenId)> {
        self.tokens_of(node).iter().copied()
    }
}

impl Footprint for Below {
    fn bytes(&self) -> usize {
        // The nodes are the key as well.
        2 * size_of_val(&*self.nodes)
            + size_of_val(&*self.tokens)
            + size_of_val(&*self.large)
            + self.apart.as_ref().map_or(0, |apart| apart.bytes())
            + self.bytes.capacity()
            + self.ends.capacity() * size_of::<u32>()
            + self.token_ends.capacity() * size_of::<u32>()
            + self.merged.capacity() * size_of::<(TrieNode, TokenId)>()
    }
}
