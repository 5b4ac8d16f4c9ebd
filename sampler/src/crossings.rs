//! Where a token can leave a terminal although its next byte could be read inside, too: in
//! `[^ ]* "\\n"` at each backslash. A table of the terminal says what stays inside; these are the
//! other ways to go on.

use grammask_gbnf::{ByteSet, TermId, Terms};

use crate::below::Belows;
use crate::dfa::{DEAD, Dfa, END};
use crate::generations::Footprint;
use crate::kinds::Kinds;
use crate::preorder::{Outline, Reach};
use crate::tables::Tables;
use crate::trie::TrieNode;

/// Of more nodes no table is made: what lies below them is most of what there is.
const MOST_NODES: usize = 1 << 14;

/// The nodes of a term whose byte can be read inside although the term may end before it; by byte.
/// Nothing if there are too many.
#[derive(Debug)]
pub(crate) struct Crossings(Option<Belows<u8>>);

impl Crossings {
    /// Walks the trie below a node through one term, for some bytes.
    pub(crate) fn new(
        start: TrieNode,
        term: TermId,
        bytes: &ByteSet,
        tables: &Tables,
        terms: &Terms,
    ) -> Self {
        let mut dfa = Dfa::of_terms(TermId::NOTHING, terms);
        let kinds = Kinds::with(bytes);
        let mut found = Vec::new();
        let start_at = (dfa.number(term), false);
        let visit = |nodes: &[TrieNode], (state, has_read), byte, below: Option<&Outline>| {
            let next = dfa.next_of(state, nodes, byte)?;
            if next == DEAD || found.len() > MOST_NODES {
                return Some(Reach::Out);
            }
            // That the term may end at the start has been followed up already.
            if has_read && dfa.nullable(state) {
                let by_byte = nodes.iter().map(|&node| (tables.trie.byte(node), node));
                found.extend(by_byte.filter(|&(byte, _)| bytes.contains(byte)));
            }
            let is_last = next == END || below.is_some_and(|below| !below.kinds.intersects(kinds));
            Some(if is_last { Reach::Out } else { Reach::Into((next, true)) })
        };
        tables.visit(start, start_at, visit, |_, _| {});
        Self((found.len() <= MOST_NODES).then(|| tables.belows(found)))
    }

    /// The nodes by byte, unless there are too many.
    pub(crate) fn nodes(&self) -> Option<&Belows<u8>> {
        self.0.as_ref()
    }
}

impl Footprint for Crossings {
    fn bytes(&self) -> usize {
        self.0.as_ref().map_or(0, |nodes| size_of_val(&**nodes))
    }
}
