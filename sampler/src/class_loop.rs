//! Loops over a class of characters, the inside of most strings: one table for every terminal
//! that can stay where it is with the same characters, whatever else it reads and wherever it
//! goes with that.

use grammask_gbnf::{TermId, Terms};

use crate::tables::Tables;
use crate::token_set::{Found, TokenSet};
use crate::trie::TrieNode;

/// What is below a node of the trie, for a loop over a class that begins there.
#[derive(Debug)]
pub(crate) struct ClassLoop {
    /// Tokens of nothing but characters of the class; the last may be incomplete.
    pub(crate) inside: TokenSet,
    /// The first nodes that are no longer inside, by the bytes behind the last character of the
    /// class; and where the nodes of the next bytes begin.
    exits: Box<[(Exit, u32)]>,
    nodes: Box<[TrieNode]>,
}

/// The beginning of a character that is not in the class: all bytes but the last could still
/// become one that is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Exit {
    bytes: [u8; Terms::CHARACTER],
    len: u8,
}

impl Exit {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    fn then(mut self, byte: u8) -> Self {
        self.bytes[usize::from(self.len)] = byte;
        self.len += 1;
        self
    }
}

impl ClassLoop {
    /// Walks the trie below a node through a loop over a class.
    pub(crate) fn new(start: TrieNode, class: TermId, tables: &Tables) -> Self {
        let (trie, terms) = (&tables.trie, &*tables.terms);
        let again = terms.repeat(class, 0, None);
        let mut inside = Found::new(tables.len);
        let mut exits: Vec<(Exit, TrieNode)> = Vec::new();
        // Each with what has been read of a character.
        let mut pending = vec![(start, again, Exit::default())];
        while let Some((node, term, read)) = pending.pop() {
            for child in trie.children(node) {
                let byte = trie.byte(child);
                let next = terms.next(term, byte);
                let read = read.then(byte);
                if next == TermId::NOTHING {
                    exits.push((read, child));
                    continue;
                }
                inside.extend(trie.token(child));
                if trie.has_children(child) {
                    pending.push((child, next, if next == again { Exit::default() } else { read }));
                }
            }
        }
        exits.sort_unstable();
        let groups = exits.chunk_by(|(a, _), (b, _)| a == b).scan(0, |end, group| {
            *end += group.len() as u32;
            Some((group[0].0, *end))
        });
        Self {
            inside: inside.into_set(),
            exits: groups.collect(),
            nodes: exits.iter().map(|&(_, node)| node).collect(),
        }
    }

    /// The first nodes outside, by what is read there behind the last character of the class.
    pub(crate) fn exits(&self) -> impl Iterator<Item = (&Exit, &[TrieNode])> {
        let mut start = 0;
        self.exits.iter().map(move |(exit, end)| {
            let nodes = &self.nodes[start..*end as usize];
            start = *end as usize;
            (exit, nodes)
        })
    }
}
