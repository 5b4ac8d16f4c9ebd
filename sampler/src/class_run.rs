//! Runs over a class of characters, the inside of most strings: one table for every terminal that
//! reads the characters of a class one after the other, wherever it goes with all others.

use grammask_gbnf::{TermId, Terms};

use crate::tables::Tables;
use crate::token_set::{Found, TokenSet};
use crate::trie::TrieNode;

/// What is below a node of the trie, for a run over a class that begins there.
#[derive(Debug)]
pub(crate) struct ClassRun {
    /// Tokens of nothing but characters of the class, as many as the run has at most; the last may
    /// be incomplete.
    pub(crate) inside: TokenSet,
    /// Where the run ends, with all its characters read.
    pub(crate) ends: Box<[TrieNode]>,
    /// The first nodes outside: what is read there behind how many characters, and where in the
    /// list of nodes those of the next exit begin.
    exits: Box<[(Exit, u32)]>,
    nodes: Box<[TrieNode]>,
}

/// The beginning of a character that is not in the class, behind some that are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Exit {
    /// How many characters have been read before.
    pub(crate) read: u32,
    bytes: [u8; Terms::CHARACTER],
    len: u8,
}

impl Exit {
    /// The bytes of the beginning: all but the last could still become a character of the class.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    fn then(mut self, byte: u8) -> Self {
        self.bytes[usize::from(self.len)] = byte;
        self.len += 1;
        self
    }
}

impl ClassRun {
    /// Walks the trie below a node through at most `most` characters of a class. If there is no
    /// such bound, nobody needs to know after how many characters tokens leave the run.
    pub(crate) fn new(
        start: TrieNode,
        class: TermId,
        most: Option<u32>,
        tables: &Tables,
        terms: &Terms,
    ) -> Self {
        let trie = &tables.trie;
        let again = terms.repeat(class, 0, None);
        let mut inside = Found::new(tables.len);
        let mut ends = Vec::new();
        let mut exits: Vec<(Exit, TrieNode)> = Vec::new();
        // Each with what has been read of a character.
        let mut pending = vec![(start, again, Exit::default())];
        while let Some((node, term, at)) = pending.pop() {
            for (byte, child) in trie.children(node) {
                let next = terms.next(term, byte);
                let mut at = at.then(byte);
                if next == TermId::NOTHING {
                    exits.push((at, child));
                    continue;
                }
                if next == again {
                    let read = if most.is_some() { at.read + 1 } else { 0 };
                    at = Exit { read, ..Exit::default() };
                    if most == Some(read) {
                        ends.push(child);
                        continue;
                    }
                }
                inside.extend(trie.token(child));
                if trie.has_children(child) {
                    pending.push((child, next, at));
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
            ends: ends.into(),
            exits: groups.collect(),
            nodes: exits.iter().map(|&(_, node)| node).collect(),
        }
    }

    /// The first nodes outside, by how tokens come there.
    pub(crate) fn exits(&self) -> impl Iterator<Item = (&Exit, &[TrieNode])> {
        let mut start = 0;
        self.exits.iter().map(move |(exit, end)| {
            let nodes = &self.nodes[start..*end as usize];
            start = *end as usize;
            (exit, nodes)
        })
    }
}
