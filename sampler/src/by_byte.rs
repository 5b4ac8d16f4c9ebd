//! Nodes of the trie by the byte that leads to them.

use std::sync::{Arc, OnceLock};

use grammask_gbnf::ByteSet;

use crate::below::Below;
use crate::generations::Footprint;
use crate::tables::Tables;
use crate::trie::{TokenTrie, TrieNode};

/// Nodes by their bytes; those of a byte are in the order in which they have been found, and may have something
/// in common.
#[derive(Debug, Default)]
pub(crate) struct ByByte<T = ()> {
    nodes: Box<[TrieNode]>,
    /// The bytes, ascending, with where the nodes of each end and what they have in common.
    ends: Box<[(u8, u32, T)]>,
}

impl<T: Default> ByByte<T> {
    pub(crate) fn new(found: &[(u8, TrieNode)]) -> Self {
        let (mut bytes, mut places) = (ByteSet::default(), [0_usize; 256]);
        for &(byte, _) in found {
            bytes.insert(byte);
            places[usize::from(byte)] += 1;
        }
        let mut sum = 0;
        let ends = bytes.iter().map(|byte| {
            // Where they begin; each one that is put in moves it on.
            let place = &mut places[usize::from(byte)];
            sum += std::mem::replace(place, sum);
            (byte, sum as u32, T::default())
        });
        let ends = ends.collect();
        let mut nodes = vec![TokenTrie::ROOT; found.len()];
        for &(byte, node) in found {
            let place = &mut places[usize::from(byte)];
            nodes[*place] = node;
            *place += 1;
        }
        Self { nodes: nodes.into(), ends }
    }
}

impl<T> ByByte<T> {
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Each byte with its nodes.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u8, &[TrieNode])> {
        self.with_common().map(|(byte, nodes, _)| (byte, nodes))
    }

    /// The same, with what these have in common.
    fn with_common(&self) -> impl Iterator<Item = (u8, &[TrieNode], &T)> {
        let mut from = 0;
        self.ends.iter().map(move |&(byte, end, ref common)| {
            let start = std::mem::replace(&mut from, end as usize);
            (byte, &self.nodes[start..end as usize], common)
        })
    }
}

impl<T> Footprint for ByByte<T> {
    fn bytes(&self) -> usize {
        size_of_val(&*self.nodes) + size_of_val(&*self.ends)
    }
}

/// Nodes just before which a terminal is left. What lies below those of a byte is merged when something
/// may come behind the terminal that begins with it: mostly these are few bytes of many.
#[derive(Debug, Default)]
pub(crate) struct Exits(ByByte<OnceLock<Arc<Below>>>);

impl Exits {
    pub(crate) fn new(found: &[(u8, TrieNode)]) -> Self {
        Self(ByByte::new(found))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.0.nodes.len()
    }

    /// Each byte with its nodes.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u8, &[TrieNode])> {
        self.0.iter()
    }

    /// What lies below the nodes of some bytes, those that have any.
    pub(crate) fn belows<'a>(
        &'a self,
        bytes: &ByteSet,
        tables: &Tables,
    ) -> impl Iterator<Item = (u8, &'a Arc<Below>)> {
        let exits = self.0.with_common().filter(|(byte, ..)| bytes.contains(*byte));
        exits.map(|(byte, nodes, below)| (byte, below.get_or_init(|| tables.below(nodes))))
    }
}

#[cfg(test)]
impl Exits {
    /// The nodes with their bytes, ascending.
    pub(crate) fn sorted(&self) -> Vec<(u8, TrieNode)> {
        let nodes =
            self.iter().flat_map(|(byte, nodes)| nodes.iter().map(move |&node| (byte, node)));
        let mut nodes: Vec<_> = nodes.collect();
        nodes.sort_unstable();
        nodes
    }
}

impl Footprint for Exits {
    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::Vocabulary;
    use grammask_oracle::generate;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nodes_are_those_of_their_bytes(
            tokens in generate::vocabularies(),
            bytes in prop::collection::vec(any::<u8>(), 0..60),
        ) {
            let trie = TokenTrie::new(&Vocabulary::of(&tokens));
            let nodes: Vec<_> = trie.nodes_below(TokenTrie::ROOT).map(|(.., node)| node).collect();
            let nodes = nodes.into_iter().cycle();
            let found: Vec<_> = bytes.into_iter().map(|byte| byte % 7 * 40).zip(nodes).collect();
            let mut expected = found.clone();
            expected.sort_by_key(|&(byte, _)| byte);
            let by_byte = ByByte::<()>::new(&found);
            let nodes = by_byte.iter().flat_map(|(byte, nodes)| nodes.iter().map(move |&node| (byte, node)));
            prop_assert_eq!(nodes.collect::<Vec<_>>(), expected);
            prop_assert_eq!(by_byte.is_empty(), found.is_empty());
        }
    }
}
