//! Where a token can leave a terminal although its next byte could be read inside, too: in
//! `[^ ]* "\\n"` at each backslash. A table of the terminal says what stays inside; these are the
//! other ways to go on.

use grammask_gbnf::{ByteSet, TermId, Terms};

use crate::below::Belows;
use crate::dfa::{DEAD, Dfa, END};
use crate::generations::Footprint;
use crate::preorder::Reach;
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
        let mut nodes = Vec::new();
        let at = (dfa.number(term), false);
        let scan = tables.trie.scan(start, at, |node, (state, has_read), byte, _| {
            let next = dfa.next(state, byte);
            if next == DEAD || nodes.len() > MOST_NODES {
                return Reach::Out;
            }
            // That the term may end at the start has been followed up already.
            if has_read && dfa.nullable(state) && bytes.contains(byte) {
                nodes.push((byte, node));
            }
            if next == END { Reach::Out } else { Reach::Into((next, true)) }
        });
        tables.count_visited(scan.visited);
        Self((nodes.len() <= MOST_NODES).then(|| tables.belows(nodes)))
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
