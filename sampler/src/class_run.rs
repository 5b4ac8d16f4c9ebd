//! Runs over a class of characters, the inside of most strings: one table for every terminal that
//! reads the characters of a class one after the other, wherever it goes with all others.

use grammask_gbnf::{TermId, Terms};

use crate::dfa::{DEAD, Dfa, Repeated};
use crate::generations::Footprint;
use crate::tables::Tables;
use crate::token_set::{Found, TokenSet};
use crate::trie::{Reach, TokenTrie, TrieNode};

/// What is below a node of the trie, for a run over a class that begins there.
#[derive(Debug)]
pub(crate) struct ClassRun {
    /// Tokens of nothing but characters of the class, as many as the run has at most; the last may
    /// be incomplete.
    pub(crate) inside: TokenSet,
    /// The first nodes outside: what is read there behind how many characters, and where in the
    /// list of nodes those of the next exit begin. Behind as many as the run has at most all nodes are
    /// outside.
    exits: Box<[(Exit, u32)]>,
    nodes: Box<[TrieNode]>,
}

/// The beginning of a character that is not in the class, behind some that are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Exit {
    /// How many characters have been read before.
    pub(crate) read: u32,
    /// The bytes as the digits of a number: a scan writes them often, and a register is quick.
    bytes: u32,
    len: u32,
}

impl Exit {
    /// The bytes of the beginning: all but the last could still become a character of the class.
    pub(crate) fn bytes(&self) -> impl ExactSizeIterator<Item = u8> + use<> {
        let bytes = self.bytes.to_be_bytes().into_iter();
        bytes.skip(Terms::CHARACTER - self.len as usize)
    }

    fn then(self, byte: u8) -> Self {
        Self { bytes: self.bytes << 8 | u32::from(byte), len: self.len + 1, ..self }
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
        let mut walk = Walk::new(class, most, tables, terms);
        walk.through(start);
        walk.into_run()
    }

    /// The same for a class of ASCII characters and a run without a bound, from the run over a part of the
    /// class: only what leaves that one with another character of the class is walked through.
    pub(crate) fn of_larger(part: &Self, class: TermId, tables: &Tables, terms: &Terms) -> Self {
        let mut walk = Walk::new(class, None, tables, terms);
        walk.inside.add(&part.inside);
        for (&exit, nodes) in part.exits() {
            // It is one byte: no character of ASCII has two.
            if exit.bytes().all(|byte| walk.dfa.next(walk.first, byte) == walk.first) {
                for &node in nodes {
                    walk.inside.extend(tables.trie.tokens_at(node));
                    walk.through(node);
                }
            } else {
                walk.exits.extend(nodes.iter().map(|&node| (exit, node)));
            }
        }
        walk.exits.sort_unstable_by_key(|&(_, node)| node);
        walk.into_run()
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

/// A walk through the trie and a class: a run while it is made.
struct Walk<'a> {
    tables: &'a Tables,
    dfa: Dfa<Repeated<'a>>,
    /// The state between two characters.
    first: u32,
    most: Option<u32>,
    inside: Found,
    /// In preorder at last.
    exits: Vec<(Exit, TrieNode)>,
}

impl<'a> Walk<'a> {
    fn new(class: TermId, most: Option<u32>, tables: &'a Tables, terms: &'a Terms) -> Self {
        let mut dfa = Dfa::of_terms(TermId::NOTHING, terms);
        let first = dfa.number(terms.repeat(class, 0, None));
        Self { tables, dfa, first, most, inside: Found::new(tables.len), exits: Vec::new() }
    }

    /// Walks through what lies below a node at which no character has been read.
    fn through(&mut self, start: TrieNode) {
        let Self { tables, dfa, exits, .. } = self;
        let (trie, first, most) = (&tables.trie, self.first, self.most);
        // The state, and what has been read of a character.
        let start_at = (first, Exit::default());
        let scan = trie.scan(start, start_at, |node, (state, at), byte, below| {
            let is_over = most == Some(at.read);
            let next = if is_over { DEAD } else { dfa.next(state, byte) };
            if next != first {
                let at = at.then(byte);
                if next == DEAD {
                    exits.push((at, node));
                    return Reach::Out;
                }
                return Reach::Into((next, at));
            }
            let read = at.read + u32::from(most.is_some());
            let is_all = below.is_some_and(|below| {
                let is_short = most.is_none_or(|most| read + u32::from(below.height) <= most);
                is_short && dfa.loops(first, below.kinds)
            });
            if is_all {
                return Reach::All;
            }
            Reach::Into((next, Exit { read, ..Exit::default() }))
        });
        tables.count_visited(scan.visited);
        self.inside.add_reached(&scan, trie);
    }

    fn into_run(mut self) -> ClassRun {
        sort_by_exit(&mut self.exits);
        let groups = self.exits.chunk_by(|(a, _), (b, _)| a == b).scan(0, |end, group| {
            *end += group.len() as u32;
            Some((group[0].0, *end))
        });
        ClassRun {
            exits: groups.collect(),
            nodes: self.exits.iter().map(|&(_, node)| node).collect(),
            inside: self.inside.into_set(),
        }
    }
}

/// Sorts nodes in preorder by how tokens come there, those that come there in the same way in their order. Nearly
/// all exits are one byte: those are counted, which is quicker than to compare them.
fn sort_by_exit(exits: &mut Vec<(Exit, TrieNode)>) {
    let place = |exit: &Exit| (exit.read << 8 | exit.bytes & 0xff) as usize;
    let (single, mut longer): (Vec<_>, Vec<_>) =
        exits.drain(..).partition(|(exit, _)| exit.len == 1);
    let mut ends = Vec::new();
    for (exit, _) in &single {
        let place = place(exit);
        if ends.len() <= place {
            ends.resize(place + 1, 0_u32);
        }
        ends[place] += 1;
    }
    let mut sum = 0;
    for end in &mut ends {
        // Where they begin; each one that is put in moves it on.
        sum += std::mem::replace(end, sum);
    }
    exits.resize(single.len(), (Exit::default(), TokenTrie::ROOT));
    for (exit, node) in single {
        let end = &mut ends[place(&exit)];
        exits[*end as usize] = (exit, node);
        *end += 1;
    }
    longer.sort_unstable();
    exits.append(&mut longer);
}

impl Footprint for ClassRun {
    fn bytes(&self) -> usize {
        self.inside.bytes() + size_of_val(&*self.exits) + size_of_val(&*self.nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::Vocabulary;
    use grammask_gbnf::ByteSet;
    use grammask_oracle::generate;
    use proptest::prelude::*;

    /// Whether the run over some bytes is the same from that over some of them.
    fn is_same(part: &[u8], others: &[u8], tables: &Tables) -> bool {
        let terms = Terms::default();
        let set = |bytes: &mut dyn Iterator<Item = &u8>| {
            let mut set = ByteSet::default();
            bytes.for_each(|&byte| set.insert(byte));
            set
        };
        let (part, class) = (set(&mut part.iter()), set(&mut part.iter().chain(others)));
        let class = terms.bytes(class);
        let run = |class| ClassRun::new(TokenTrie::ROOT, class, None, tables, &terms);
        let parts = |run: &ClassRun| {
            let exits = run.exits().map(|(&exit, nodes)| (exit, nodes.to_vec()));
            (run.inside.to_mask(tables.len), exits.collect::<Vec<_>>())
        };
        let larger = ClassRun::of_larger(&run(terms.bytes(part)), class, tables, &terms);
        parts(&larger) == parts(&run(class))
    }

    proptest! {
        #[test]
        fn runs_over_larger_classes_go_on_from_smaller_ones(
            tokens in generate::vocabularies(),
            part in prop::collection::vec(any::<prop::sample::Index>(), 1..4),
            others in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
        ) {
            let bytes: Vec<u8> = tokens.concat().into_iter().filter(u8::is_ascii).collect();
            prop_assume!(!bytes.is_empty());
            let some = |at: &[prop::sample::Index]| -> Vec<u8> {
                at.iter().map(|at| *at.get(&bytes)).collect()
            };
            let tables = Tables::new(&Vocabulary::of(&tokens));
            prop_assert!(is_same(&some(&part), &some(&others), &tables));
        }
    }

    #[test]
    fn runs_over_larger_classes_are_the_same_in_a_large_vocabulary() {
        let vocabulary = Vocabulary::from_name("r50k_base").expect("a built-in vocabulary");
        let tables = Tables::new(&vocabulary);
        let letters: Vec<u8> = (b'a'..=b'z').chain(b'A'..=b'Z').collect();
        let all: Vec<u8> = (0..0x80).collect();
        for others in [&b"."[..], b"0123456789_-", b" \"\\/", b"\n\t\x01", &all] {
            assert!(is_same(&letters, others, &tables), "{others:?}");
        }
    }
}
