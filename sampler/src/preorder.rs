//! Trees in preorder with the tokens of their nodes, and walks through them.

use std::ops::Range;

use smallvec::SmallVec;

use crate::kinds::{Kinds, Utf8Place};
use crate::mask::TokenMask;
use crate::token_id::TokenId;

/// A tree: the children of a node follow it, each behind the end of its sibling's subtree. The root is
/// node 0 and has no byte.
#[derive(Debug)]
pub(crate) struct Preorder {
    nodes: Vec<Node>,
    /// The tokens in the order of their nodes,
    tokens: Vec<TokenId>,
    /// and as a mask.
    all: TokenMask,
    /// What lies below those nodes that have much below them.
    outlines: Vec<Outline>,
    /// No path down from the root has more nodes.
    height: u16,
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

impl Preorder {
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Number of ids of the vocabulary.
    pub(crate) fn ids(&self) -> usize {
        self.all.len()
    }

    /// One past the last node of a subtree.
    pub(crate) fn end(&self, node: u32) -> u32 {
        self.nodes[node as usize].end
    }

    /// Some nodes, whole subtrees of children of one node, without what lies below those: each with its byte.
    pub(crate) fn siblings(&self, nodes: Range<u32>) -> impl Iterator<Item = (u8, u32)> {
        let Range { start: mut next, end } = nodes;
        std::iter::from_fn(move || {
            let node = next;
            (node < end).then(|| {
                next = self.end(node);
                (self.byte(node), node)
            })
        })
    }

    /// Number of bytes that lead to a node.
    pub(crate) fn depth(&self, node: u32) -> u16 {
        self.nodes[node as usize].depth
    }

    /// The last of these bytes; 0 for the root.
    pub(crate) fn byte(&self, node: u32) -> u8 {
        self.nodes[node as usize].byte
    }

    /// No path down from a node has more bytes.
    pub(crate) fn height(&self, top: u32) -> usize {
        usize::from(self.height - self.depth(top))
    }

    /// The nodes that have children and to which so many bytes lead or more, ascending, each with how many lead to it.
    pub(crate) fn far_down(&self, least: usize) -> impl Iterator<Item = (u32, usize)> {
        let mut next = 0;
        std::iter::from_fn(move || {
            while let Some(node) = self.nodes.get(next as usize) {
                let (at, depth) = (next, usize::from(node.depth));
                // With an outline it is known how far it goes down, without one not much lies below.
                let height = match self.outlines.get(node.outline as usize) {
                    Some(outline) => outline.height.into(),
                    None => (node.end - at - 1) as usize,
                };
                next = if depth + height > least { at + 1 } else { node.end };
                if height > 0 && depth >= least {
                    return Some((at, depth));
                }
            }
            None
        })
    }

    /// All tokens, in the order of their nodes.
    pub(crate) fn tokens(&self) -> &[TokenId] {
        &self.tokens
    }

    /// The tokens of some nodes.
    pub(crate) fn tokens_of(&self, nodes: Range<u32>) -> &[TokenId] {
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

    /// Visits some nodes, whole subtrees of children of one node, in preorder: each with what its parent has
    /// been given (the first ones: `start`), with its byte and, if much lies below it, with an outline of that.
    pub(crate) fn scan<S: Copy>(
        &self,
        nodes: Range<u32>,
        start: S,
        mut visit: impl FnMut(u32, S, u8, Option<&Outline>) -> Reach<S>,
    ) -> Scan {
        let mut scan = Scan::default();
        let Some(first) = self.nodes.get(nodes.start as usize).filter(|_| !nodes.is_empty()) else {
            return scan;
        };
        let above = first.depth - 1;
        let height = nodes.len().min(usize::from(self.height - above));
        let mut path: SmallVec<[S; SHALLOW]> = SmallVec::from_elem(start, height + 1);
        let path = &mut path[..];
        let mut at = nodes.start;
        let nodes = &self.nodes[..nodes.end as usize];
        // The tokens from here up to those of this node are reached.
        let mut reached = self.tokens_before(at);
        while let Some(&Node { end, tokens, outline, depth, byte }) = nodes.get(at as usize) {
            scan.visited += 1;
            let depth = usize::from(depth - above);
            let outline = self.outlines.get(outline as usize);
            match visit(at, path[depth - 1], byte, outline) {
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
}

/// A tree while it grows.
pub(crate) struct Growing {
    tree: Preorder,
    /// The nodes below which something may still come, the root first.
    path: Vec<Open>,
}

/// A node as long as something may come below it.
struct Open {
    node: u32,
    /// Where in a character it is, if all has been characters up to there.
    place: Option<Utf8Place>,
    /// The kinds of its bytes.
    kind: Kinds,
    /// See [`Outline`].
    height: u16,
    kinds: Kinds,
}

impl Open {
    fn new(node: u32, place: Option<Utf8Place>, kind: Kinds) -> Self {
        Self { node, place, kind, height: 0, kinds: Kinds::default() }
    }
}

impl Growing {
    /// The root, with room for some tokens of a vocabulary of so many ids.
    pub(crate) fn new(tokens: usize, len: usize) -> Self {
        let root = Node { end: 0, tokens: 0, outline: NO_OUTLINE, depth: 0, byte: 0 };
        Self {
            tree: Preorder {
                nodes: vec![root],
                tokens: Vec::with_capacity(tokens),
                all: TokenMask::new(len),
                outlines: Vec::new(),
                height: 0,
            },
            path: vec![Open::new(0, Some(Utf8Place::BETWEEN), Kinds::default())],
        }
    }

    /// Adds a node at a depth, below the last one above it. It stands for the bytes from one to another, which
    /// UTF-8 does not tell apart.
    #[inline]
    pub(crate) fn push(&mut self, depth: u16, (byte, last): (u8, u8)) {
        self.close(usize::from(depth));
        let place = self.path.last().and_then(|above| above.place);
        let kind_of = |byte| place.map_or(Kinds::BROKEN, |place| place.kind(byte));
        let mut kind = kind_of(byte);
        if last > byte {
            (byte..=last).for_each(|other| kind |= kind_of(other));
        }
        let tree = &mut self.tree;
        let (node, tokens) = (tree.len() as u32, tree.tokens.len() as u32);
        self.path.push(Open::new(node, place.and_then(|place| place.after(byte)), kind));
        tree.nodes.push(Node { end: 0, tokens, outline: NO_OUTLINE, depth, byte });
        tree.height = tree.height.max(depth);
    }

    /// The last node has a token.
    pub(crate) fn add_token(&mut self, token: TokenId) {
        self.tree.tokens.push(token);
    }

    /// Closes the nodes from a depth on: nothing more comes below them.
    fn close(&mut self, depth: usize) {
        let Self { tree, path } = self;
        while path.len() > depth
            && let Some(Open { node, place, kind, height, kinds }) = path.pop()
        {
            let len = tree.len();
            let closed = &mut tree.nodes[node as usize];
            closed.end = len as u32;
            if let Some(above) = path.last_mut() {
                above.height = above.height.max(height + 1);
                above.kinds |= kind | kinds;
            }
            if place == Some(Utf8Place::BETWEEN) && len - node as usize > OUTLINED {
                closed.outline = tree.outlines.len() as u32;
                tree.outlines.push(Outline { height, kinds });
            }
        }
    }

    pub(crate) fn finish(mut self) -> Preorder {
        self.close(0);
        self.tree.all.extend(self.tree.tokens.iter().copied());
        self.tree
    }
}
