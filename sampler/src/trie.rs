//! The tokens of a vocabulary as a trie.

use std::ops::Range;
use std::sync::OnceLock;

use smallvec::SmallVec;

use crate::kinds::{Kinds, Utf8Place};
use crate::mask::TokenMask;
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
    nodes: Vec<Node>,
    /// The node above each; the root's own is the root.
    parents: Vec<TrieNode>,
    /// The tokens in the order of their nodes,
    tokens: Vec<TokenId>,
    /// and as a mask.
    all: TokenMask,
    /// The greatest depth.
    height: u16,
    /// The children of all nodes, with their bytes beside: a node has up to 256, far from each
    /// other in preorder.
    children: Vec<TrieNode>,
    child_bytes: Vec<u8>,
    /// Where among them those of each node begin, and of what is behind the last.
    first_children: Vec<u32>,
    /// What lies below those nodes that have much below them.
    outlines: Vec<Outline>,
    /// See [`TokenTrie::at_depth`].
    by_depth: OnceLock<Box<[Box<[TrieNode]>]>>,
}

/// What a scan asks of a node.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// One past the last node of the subtree.
    end: u32,
    /// How many tokens end before the node.
    tokens: u32,
    /// Its [`Outline`], if it has one, by number.
    outline: u32,
    /// Number of bytes that lead to the node.
    depth: u16,
    byte: u8,
}

/// No outline has this number.
const NO_OUTLINE: u32 = u32::MAX;

/// What lies below a node between two characters.
#[derive(Debug)]
pub(crate) struct Outline {
    /// No path down from the node has more bytes.
    pub(crate) height: u16,
    /// The characters on these paths.
    pub(crate) kinds: Kinds,
}

/// A node while the trie is built, as long as something may come below it.
struct Open {
    node: u32,
    /// Where in a character it is, if all has been characters up to there.
    place: Option<Utf8Place>,
    /// The kind of its byte.
    kind: Kinds,
    /// See [`Outline`].
    height: u16,
    kinds: Kinds,
}

impl Default for Open {
    /// The root.
    fn default() -> Self {
        let (height, kinds) = (0, Kinds::default());
        Self { node: 0, place: Some(Utf8Place::BETWEEN), kind: kinds, height, kinds }
    }
}

/// The bytes from one node to another: mostly few.
pub(crate) type Path = SmallVec<[u8; 16]>;

/// With so many nodes below it a node has an outline.
const OUTLINED: usize = 12;

/// A subtree up to this height is scanned without a list for the way down.
const SHALLOW: usize = 16;

/// What a scan has met.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// Number of nodes that were visited.
    pub(crate) visited: u64,
    /// The tokens of all nodes that were reached: parts of the list of all, in order.
    reached: Vec<Range<u32>>,
    /// How many tokens these are.
    len: usize,
}

impl Scan {
    /// How many tokens it has reached.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    fn reach(&mut self, tokens: Range<u32>) {
        if !tokens.is_empty() {
            self.len += tokens.len();
            self.reached.push(tokens);
        }
    }
}

/// How far a terminal reaches at a node.
pub(crate) enum Reach<S> {
    /// Not to the node.
    Out,
    /// To the node, and from there on as this says.
    Into(S),
    /// To the node and to all that lie below it.
    All,
}

impl TokenTrie {
    /// The root: no byte read.
    pub(crate) const ROOT: TrieNode = TrieNode(0);

    pub(crate) fn new(vocabulary: &Vocabulary) -> Self {
        let mut trie = Self {
            nodes: vec![Node { end: 0, tokens: 0, outline: NO_OUTLINE, depth: 0, byte: 0 }],
            tokens: vocabulary.ordered().to_vec(),
            all: TokenMask::new(vocabulary.len()),
            parents: Vec::new(),
            height: vocabulary.longest() as u16,
            children: Vec::new(),
            child_bytes: Vec::new(),
            first_children: Vec::new(),
            outlines: Vec::new(),
            by_depth: OnceLock::new(),
        };
        let mut path = vec![Open::default()];
        let mut last: &[u8] = &[];
        for (before, &token) in (0..).zip(vocabulary.ordered()) {
            let bytes = vocabulary.bytes(token).unwrap_or_default();
            let common = last.iter().zip(bytes).take_while(|(a, b)| a == b).count();
            trie.close(&mut path, common + 1);
            for &byte in &bytes[common..] {
                let (node, depth) = (trie.len() as u32, path.len() as u16);
                let place = path.last().and_then(|above| above.place);
                path.push(Open {
                    node,
                    place: place.and_then(|place| place.after(byte)),
                    kind: place.map_or(Kinds::BROKEN, |place| place.kind(byte)),
                    ..Open::default()
                });
                trie.nodes.push(Node { end: 0, tokens: before, outline: NO_OUTLINE, depth, byte });
            }
            last = bytes;
        }
        trie.close(&mut path, 0);
        trie.all.extend(trie.tokens.iter().copied());
        trie.list_children();
        trie
    }

    /// Closes the nodes of a path from a depth on: nothing more comes below them.
    fn close(&mut self, path: &mut Vec<Open>, depth: usize) {
        while path.len() > depth
            && let Some(Open { node, place, kind, height, kinds }) = path.pop()
        {
            let len = self.len();
            let closed = &mut self.nodes[node as usize];
            closed.end = len as u32;
            if let Some(above) = path.last_mut() {
                above.height = above.height.max(height + 1);
                above.kinds |= kind | kinds;
            }
            if place == Some(Utf8Place::BETWEEN) && len - node as usize > OUTLINED {
                closed.outline = self.outlines.len() as u32;
                self.outlines.push(Outline { height, kinds });
            }
        }
    }

    fn list_children(&mut self) {
        let len = self.len();
        self.parents = vec![Self::ROOT];
        self.first_children = vec![0; len + 1];
        let mut path = vec![Self::ROOT; usize::from(self.height) + 1];
        for (node, &Node { depth, .. }) in (0..).zip(&self.nodes).skip(1) {
            path[usize::from(depth)] = TrieNode(node);
            let parent = path[usize::from(depth) - 1];
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
        for node in 1..len {
            let place = &mut next[self.parents[node].0 as usize];
            self.children[*place as usize] = TrieNode(node as u32);
            self.child_bytes[*place as usize] = self.nodes[node].byte;
            *place += 1;
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The tokens that end at the node: several if they spell the same.
    pub(crate) fn tokens_at(&self, node: TrieNode) -> impl Iterator<Item = TokenId> + '_ {
        self.tokens_of(node.0..node.0 + 1).iter().copied()
    }

    /// Whether some token ends at the node.
    pub(crate) fn has_token(&self, node: TrieNode) -> bool {
        !self.tokens_of(node.0..node.0 + 1).is_empty()
    }

    /// The tokens that end at some nodes.
    fn tokens_of(&self, nodes: Range<u32>) -> &[TokenId] {
        let [start, end] = [nodes.start, nodes.end].map(|node| self.tokens_before(node) as usize);
        &self.tokens[start..end]
    }

    /// How many tokens end before a node, which may be one past the last.
    fn tokens_before(&self, node: u32) -> u32 {
        self.nodes.get(node as usize).map_or(self.tokens.len() as u32, |node| node.tokens)
    }

    /// The tokens that a scan has reached, piece by piece.
    pub(crate) fn reached<'a>(&'a self, scan: &'a Scan) -> impl Iterator<Item = &'a [TokenId]> {
        scan.reached.iter().map(|part| &self.tokens[part.start as usize..part.end as usize])
    }

    /// The same as a mask if they are most of all: the others are taken out one by one.
    pub(crate) fn most_reached(&self, scan: &Scan) -> Option<TokenMask> {
        if scan.len <= self.tokens.len() / 2 {
            return None;
        }
        let (mut mask, mut from) = (self.all.clone(), 0);
        let end = self.tokens.len() as u32;
        for part in scan.reached.iter().chain([&(end..end)]) {
            let others = &self.tokens[from..part.start as usize];
            for &token in others {
                mask.remove(token);
            }
            from = part.end as usize;
        }
        Some(mask)
    }

    /// The tokens at a node and below it.
    pub(crate) fn tokens_from(&self, node: TrieNode) -> &[TokenId] {
        self.tokens_of(node.0..self.end(node))
    }

    /// One past the last node of a subtree.
    fn end(&self, node: TrieNode) -> u32 {
        self.nodes[node.0 as usize].end
    }

    pub(crate) fn has_children(&self, node: TrieNode) -> bool {
        !self.child_range(node).is_empty()
    }

    /// The nodes so many bytes below one that have children; of the great depths there are few. Those of
    /// all depths are looked for when the first ones are needed.
    pub(crate) fn at_depth(&self, top: TrieNode, below: usize) -> &[TrieNode] {
        let depth = below.saturating_add(self.nodes[top.0 as usize].depth.into());
        let by_depth = self.by_depth.get_or_init(|| {
            let mut by_depth = vec![Vec::new(); usize::from(self.height) + 1];
            let nodes = (0..self.len() as u32).map(TrieNode);
            for node in nodes.filter(|&node| self.has_children(node)) {
                by_depth[usize::from(self.nodes[node.0 as usize].depth)].push(node);
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
        usize::from(self.height - self.nodes[top.0 as usize].depth)
    }

    /// Number of bytes that lead from a node to one below it.
    pub(crate) fn bytes_between(&self, from: TrieNode, to: TrieNode) -> usize {
        usize::from(self.nodes[to.0 as usize].depth - self.nodes[from.0 as usize].depth)
    }

    /// The tokens below a node.
    pub(crate) fn tokens_below(&self, node: TrieNode) -> &[TokenId] {
        self.tokens_of(node.0 + 1..self.end(node))
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
        let nodes = top.0 + 1..self.end(top);
        let below = &self.nodes[nodes.start as usize..nodes.end as usize];
        nodes.zip(below).map(|(at, node)| (node.byte, (node.end - at) as usize, TrieNode(at)))
    }

    /// Visits what lies below a node in preorder: each node with what its parent has been given (the
    /// first ones: `start`), with its byte and, if much lies below it, with an outline of that.
    pub(crate) fn scan<S: Copy>(
        &self,
        top: TrieNode,
        start: S,
        mut visit: impl FnMut(TrieNode, S, u8, Option<&Outline>) -> Reach<S>,
    ) -> Scan {
        let Node { end, depth: above, .. } = self.nodes[top.0 as usize];
        let height = self.below(top).min(self.height(top));
        let mut path: SmallVec<[S; SHALLOW]> = SmallVec::from_elem(start, height + 1);
        let path = &mut path[..];
        let nodes = &self.nodes[..end as usize];
        let mut at = top.0 + 1;
        // The tokens from here up to those of this node are reached.
        let mut reached = self.tokens_before(at);
        let mut scan = Scan::default();
        while let Some(&Node { end, tokens, outline, depth, byte }) = nodes.get(at as usize) {
            scan.visited += 1;
            let depth = usize::from(depth - above);
            let outline = self.outlines.get(outline as usize);
            match visit(TrieNode(at), path[depth - 1], byte, outline) {
                Reach::Into(given) => {
                    path[depth] = given;
                    at += 1;
                }
                Reach::All => at = end,
                Reach::Out => {
                    scan.reach(reached..tokens);
                    at = end;
                    reached = self.tokens_before(at);
                }
            }
        }
        scan.reach(reached..self.tokens_before(at));
        scan
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
            *byte = self.nodes[at.0 as usize].byte;
            at = self.parents[at.0 as usize];
        }
        path
    }
}
