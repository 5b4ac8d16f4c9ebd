//! Runs over a class of characters, the inside of most strings: one table for every terminal that
//! reads the characters of a class one after the other, wherever it goes with all others.

use grammask_gbnf::{TermId, Terms};

use crate::dfa::Dfa;
use crate::mask::TokenMask;
use crate::tables::Tables;
use crate::token_set::TokenSet;
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
        let mut dfa = Dfa::new(terms.repeat(class, 0, None), TermId::NOTHING, terms);
        let mut inside = TokenMask::new(tables.len);
        let mut ends = Vec::new();
        let mut exits: Vec<(Exit, TrieNode)> = Vec::new();
        // The state, and what has been read of a character.
        trie.scan(start, (Dfa::START, Exit::default()), |node, (state, at), byte| {
            let next = dfa.next(state, byte);
            let mut at = at.then(byte);
            if next == Dfa::DEAD {
                exits.push((at, node));
                return None;
            }
            if next == Dfa::START {
                at = Exit { read: at.read + u32::from(most.is_some()), ..Exit::default() };
                if most == Some(at.read) {
                    ends.push(node);
                    return None;
                }
            }
            if let Some(token) = trie.token(node) {
                inside.insert(token);
            }
            Some((next, at))
        });
        exits.sort_unstable();
        let groups = exits.chunk_by(|(a, _), (b, _)| a == b).scan(0, |end, group| {
            *end += group.len() as u32;
            Some((group[0].0, *end))
        });
        Self {
            inside: TokenSet::from(inside),
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
