//! The tokens of a vocabulary by their shapes: as they look if small letters are not told apart, nor are
//! capitals, digits, and bytes within characters beyond ASCII. Most terminals tell few of those apart, and read
//! tokens of the same shape all alike: there are some twenty times fewer shapes than nodes of the trie.

use crate::preorder::{Growing, Outline, Preorder, Reach, Scan};
use crate::trie::{TokenTrie, TrieNode};

/// A node of [`Shapes`], by its place in preorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape(u32);

/// Shapes as a tree, each with the nodes of the trie that have it.
#[derive(Debug)]
pub(crate) struct Shapes {
    tree: Preorder,
    /// The nodes of the trie, ascending for each shape,
    members: Vec<TrieNode>,
    /// and where those of each shape begin, and of what is behind the last.
    first_members: Vec<u32>,
}

/// The bytes that are not told apart. UTF-8 does not do so either (RFC 3629, section 4): they lead to the same
/// place in a character.
pub(crate) const CLASSES: [(u8, u8); 10] = [
    (b'0', b'9'),
    (b'A', b'Z'),
    (b'a', b'z'),
    (0x80, 0x8f),
    (0x90, 0x9f),
    (0xa0, 0xbf),
    (0xc2, 0xdf),
    (0xe1, 0xec),
    (0xee, 0xef),
    (0xf1, 0xf3),
];

/// The least and the greatest byte of the class of each byte.
const OF_BYTE: [(u8, u8); 256] = {
    let mut of_byte = [(0, 0); 256];
    let mut byte = 0;
    while byte < 256 {
        of_byte[byte] = (byte as u8, byte as u8);
        let mut class = 0;
        while class < CLASSES.len() {
            let (lo, hi) = CLASSES[class];
            if lo as usize <= byte && byte <= hi as usize {
                of_byte[byte] = (lo, hi);
            }
            class += 1;
        }
        byte += 1;
    }
    of_byte
};

/// The least and the greatest byte of the class of a byte.
pub(crate) fn class_of(byte: u8) -> (u8, u8) {
    OF_BYTE[usize::from(byte)]
}

impl Shapes {
    /// The shape of the empty text.
    const ROOT: Shape = Shape(0);

    /// The shapes of a trie; some children of its root are told apart from all others.
    pub(crate) fn new(trie: &TokenTrie, apart: &[TrieNode]) -> Self {
        let mut tree = Growing::new(trie.tree().tokens().len(), trie.tree().ids());
        trie.tokens_at(TokenTrie::ROOT).for_each(|token| tree.add_token(token));
        let mut shapes = (vec![TokenTrie::ROOT], vec![0, 1]);
        let (members, first_members) = (&mut shapes.0, &mut shapes.1);
        // The members of shapes that are still to be added, with what tells these apart, and where those of
        // each begin; the shape that comes next is last.
        let mut list: Vec<((u8, bool), TrieNode)> = Vec::new();
        let mut pending: Vec<(u16, usize)> = Vec::new();
        let mut next = (0, 0..1);
        loop {
            let (depth, above) = next;
            let start = list.len();
            for &node in &members[above] {
                list.extend(trie.children(node).map(|(byte, child)| {
                    let is_apart = apart.contains(&child);
                    let byte = if is_apart { byte } else { class_of(byte).0 };
                    ((byte, is_apart), child)
                }));
            }
            list[start..].sort_unstable();
            let mut from = start;
            for same in list[start..].chunk_by(|(one, _), (other, _)| one == other) {
                pending.push((depth + 1, from));
                from += same.len();
            }
            let Some((depth, start)) = pending.pop() else { break };
            let from = members.len();
            members.extend(list.drain(start..).map(|(_, node)| node));
            first_members.push(members.len() as u32);
            match &members[from..] {
                &[node] => tree.push(depth, trie.byte(node)..=trie.byte(node)),
                all => {
                    let (lo, hi) = class_of(trie.byte(all[0]));
                    tree.push(depth, lo..=hi);
                }
            }
            for &node in &members[from..] {
                trie.tokens_at(node).for_each(|token| tree.add_token(token));
            }
            next = (depth, from..members.len());
        }
        let (members, first_members) = shapes;
        Self { tree: tree.finish(), members, first_members }
    }

    /// The shape that only this node has, as far as it is known: of the root and of nodes just below it.
    pub(crate) fn of(&self, node: TrieNode) -> Option<Shape> {
        if node == TokenTrie::ROOT {
            return Some(Self::ROOT);
        }
        let mut shape = 1;
        while (shape as usize) < self.tree.len() {
            if self.members(Shape(shape)) == [node] {
                return Some(Shape(shape));
            }
            shape = self.tree.end(shape);
        }
        None
    }

    /// The nodes of the trie that have a shape, ascending; their bytes are all of the same class.
    pub(crate) fn members(&self, shape: Shape) -> &[TrieNode] {
        let [start, end] = [0, 1].map(|next| self.first_members[shape.0 as usize + next] as usize);
        &self.members[start..end]
    }

    /// The shapes with their tokens.
    pub(crate) fn tree(&self) -> &Preorder {
        &self.tree
    }

    /// Visits what lies below a shape in preorder; see [`Preorder::scan`]. The byte is that of a shape which one
    /// node has, or the least of its class.
    pub(crate) fn scan<'a, S: Copy>(
        &'a self,
        top: Shape,
        start: S,
        mut visit: impl FnMut(&'a [TrieNode], S, u8, Option<&Outline>) -> Reach<S>,
    ) -> Scan {
        let shapes = top.0 + 1..self.tree.end(top.0);
        self.tree.scan(shapes, start, |shape, at, byte, below| {
            visit(self.members(Shape(shape)), at, byte, below)
        })
    }
}
