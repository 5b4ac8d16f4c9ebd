//! The tokens of a vocabulary by their shapes: as they look if small letters are not told apart, nor are
//! capitals, digits, and bytes within characters beyond ASCII. Most terminals tell few of those apart, and read
//! tokens of the same shape all alike: `o200k_base` has 13 times fewer shapes than nodes of its trie.

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
/// place in a character. The first bytes of characters that regular expressions often leave out, which are blanks
/// and ends of lines, are no part of a class.
pub(crate) const CLASSES: [(u8, u8); 9] = [
    (b'0', b'9'),
    (b'A', b'Z'),
    (b'a', b'z'),
    (0x81, 0x8f),
    (0x90, 0x9f),
    (0xa0, 0xbf),
    (0xc3, 0xdf),
    (0xe4, 0xec),
    (0xf1, 0xf3),
];

/// The class of each byte, by number; no class has as great a number as [`CLASSES`] is long.
const OF_BYTE: [u8; 256] = {
    let mut of_byte = [CLASSES.len() as u8; 256];
    let mut class = 0;
    while class < CLASSES.len() {
        let (lo, hi) = CLASSES[class];
        let mut byte = lo as usize;
        while byte <= hi as usize {
            of_byte[byte] = class as u8;
            byte += 1;
        }
        class += 1;
    }
    of_byte
};

/// The number of the class that a byte is in, if it is in one with others.
pub(crate) fn class_of(byte: u8) -> Option<usize> {
    Some(OF_BYTE[usize::from(byte)].into()).filter(|&class| class < CLASSES.len())
}

/// The least and the greatest byte of the class of a byte.
pub(crate) fn bytes_like(byte: u8) -> (u8, u8) {
    class_of(byte).map_or((byte, byte), |class| CLASSES[class])
}

/// Where all bytes of a class lead, by where byte ranges do, sorted and disjoint: to `nowhere` if none does; nothing
/// if they may lead to several places.
pub(crate) fn next_of_class<S: Clone>(row: &[(u8, u8, S)], class: usize, nowhere: S) -> Option<S> {
    let (lo, hi) = CLASSES[class];
    match row.get(row.partition_point(|&(_, last, _)| last < lo)) {
        Some((first, last, next)) if *first <= lo && hi <= *last => Some(next.clone()),
        Some(&(first, ..)) if first <= hi => None,
        _ => Some(nowhere),
    }
}

impl Shapes {
    /// The shape of the empty text.
    const ROOT: Shape = Shape(0);

    /// The shapes of a trie; some children of its root are told apart from all others.
    pub(crate) fn new(trie: &TokenTrie, apart: &[TrieNode]) -> Self {
        let mut tree = Growing::new(trie.tree().tokens().len(), trie.tree().ids());
        trie.tokens_at(TokenTrie::ROOT).for_each(|token| tree.add_token(token));
        let (mut members, mut first_members) = (vec![TokenTrie::ROOT], vec![0, 1]);
        // The members of shapes that are still to be added, with what tells these apart, and where those of
        // each begin; the shape that comes next is last.
        let mut list: Vec<(u16, TrieNode)> = Vec::new();
        let mut pending: Vec<(u16, usize)> = Vec::new();
        let mut next = (0, 0..1);
        loop {
            let (depth, above) = next;
            let start = list.len();
            for &node in &members[above] {
                list.extend(trie.children(node).map(|(byte, child)| {
                    let is_apart = depth == 0 && apart.contains(&child);
                    let class = if is_apart { byte } else { bytes_like(byte).0 };
                    (u16::from(is_apart) << 8 | u16::from(class), child)
                }));
            }
            // They come in order, as no node lies below another of the same shape.
            list[start..].sort_by_key(|&(class, _)| class);
            let mut from = start;
            for same in list[start..].chunk_by(|(one, _), (other, _)| one == other) {
                pending.push((depth + 1, from));
                from += same.len();
            }
            let Some((depth, start)) = pending.pop() else { break };
            let from = members.len();
            members.extend(list.drain(start..).map(|(_, node)| node));
            first_members.push(members.len() as u32);
            let byte = trie.byte(members[from]);
            let is_one = members.len() == from + 1;
            tree.push(depth, if is_one { (byte, byte) } else { bytes_like(byte) });
            for &node in &members[from..] {
                trie.tokens_at(node).for_each(|token| tree.add_token(token));
            }
            next = (depth, from..members.len());
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Tables;
    use crate::token_set::Found;
    use crate::vocabulary::Vocabulary;
    use grammask_oracle::generate;
    use proptest::prelude::*;

    /// States that tell apart either all bytes or only classes of them.
    #[derive(Clone, Debug)]
    struct Machine(Vec<(bool, [Option<u8>; 7])>);

    impl Machine {
        /// Where a byte leads; nothing if nowhere.
        fn next(&self, state: u8, byte: u8) -> Option<u8> {
            let states = self.0.len();
            let (is_exact, row) = &self.0[usize::from(state) % states];
            let byte = if *is_exact { byte } else { bytes_like(byte).0 };
            row[usize::from(byte) % row.len()]
        }

        /// Whether all that nodes of one shape may have for a byte lead to the same state.
        fn is_one(&self, state: u8, nodes: &[TrieNode], byte: u8) -> bool {
            let (lo, hi) = if nodes.len() > 1 { bytes_like(byte) } else { (byte, byte) };
            (lo..=hi).all(|other| self.next(state, other) == self.next(state, byte))
        }
    }

    fn machines() -> impl Strategy<Value = Machine> {
        let to = prop_oneof![3 => any::<u8>().prop_map(Some), 1 => Just(None)];
        let state = (any::<bool>(), proptest::array::uniform7(to));
        prop::collection::vec(state, 1..5).prop_map(Machine)
    }

    /// What is met of the trie, by shapes or node by node: the tokens that are reached, where it goes on, and
    /// the nodes that are not reached.
    fn met(
        machine: &Machine,
        tables: &Tables,
        top: TrieNode,
        by_shapes: bool,
    ) -> impl PartialEq + use<> {
        let mut found = Found::new(tables.len);
        let (mut on, mut out) = (Vec::new(), Vec::new());
        let mut visit = |nodes: &[TrieNode], next: Option<u8>| {
            if let Some(next) = next {
                on.extend(nodes.iter().map(|&node| (node, next)));
                return Reach::Into(next);
            }
            out.extend_from_slice(nodes);
            Reach::Out
        };
        if by_shapes {
            tables.scan(top, 0, &mut found, |nodes, state, byte, _| {
                let is_one = machine.is_one(state, nodes, byte);
                is_one.then(|| visit(nodes, machine.next(state, byte)))
            });
        } else {
            let trie = &tables.trie;
            let scan =
                trie.scan(top, 0, |node, state, byte, _| visit(&[node], machine.next(state, byte)));
            found.add_reached(&scan, trie.tree());
        }
        on.sort_unstable();
        out.sort_unstable();
        (found.into_set().to_mask(tables.len), on, out)
    }

    proptest! {
        #[test]
        fn what_is_met_by_shapes_is_what_is_met_node_by_node(
            tokens in generate::vocabularies(),
            machine in machines(),
        ) {
            let tables = Tables::new(&Vocabulary::of(&tokens));
            let trie = &tables.trie;
            let below = trie.children(TokenTrie::ROOT).map(|(_, node)| node);
            for top in std::iter::once(TokenTrie::ROOT).chain(below) {
                let [by_shapes, plainly] =
                    [true, false].map(|by_shapes| met(&machine, &tables, top, by_shapes));
                prop_assert!(by_shapes == plainly);
            }
        }
    }

    #[test]
    fn shapes_are_few_and_have_each_node_once() {
        let vocabulary = Vocabulary::from_name("r50k_base").expect("a built-in vocabulary");
        let tables = Tables::new(&vocabulary);
        let shapes = Shapes::new(&tables.trie, &tables.crossroads);
        let mut members = shapes.members.clone();
        members.sort_unstable();
        let all: Vec<TrieNode> = std::iter::once(TokenTrie::ROOT)
            .chain(tables.trie.nodes_below(TokenTrie::ROOT).map(|(_, _, node)| node))
            .collect();
        assert_eq!(members, all);
        assert!(shapes.tree.len() * 5 < tables.trie.len());
        for &node in &tables.crossroads {
            assert_eq!(shapes.of(node).map(|shape| shapes.members(shape)), Some(&[node][..]));
        }
        // Outlines and walks count on it: the bytes of a class lead to one place in a character.
        let mut places = vec![crate::kinds::Utf8Place::BETWEEN];
        while let Some(place) = places.pop() {
            for (lo, hi) in CLASSES {
                let next = place.after(lo);
                assert!((lo..=hi).all(|byte| place.after(byte) == next), "{lo:x}-{hi:x}");
            }
            let next = (0..=u8::MAX).filter_map(|byte| place.after(byte));
            places.extend(next.filter(|next| next.missing() > 0));
        }
    }
}
