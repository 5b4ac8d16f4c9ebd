//! Many configurations at once, as behind a hundred parts that may all be empty: what says the same as
//! others beside it is left out, so that there are as many as there are parts, and not as there are pairs
//! of them.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{Entry, Session};
use crate::automaton::label::Label;
use crate::automaton::stack::NodeId;

/// So many are many: of fewer all are soon read.
const MANY: usize = 32;

impl Session {
    /// Drops those of many configurations that others beside them contain: `x{0,m}` beside `x{0,n}` with
    /// m < n, if the same lies below the two.
    pub(super) fn drop_contained(&self, entries: &mut SmallVec<[Entry; 8]>) {
        if entries.len() <= MANY {
            return;
        }
        let as_optional = |entry: &Entry| match entry.label {
            Label::Term(term) => {
                let (item, max, rest) = self.terms.as_optional(term)?;
                Some(((item, rest, entry.track, entry.below), max))
            }
            _ => None,
        };
        let mut longest = FxHashMap::default();
        for (key, max) in entries.iter().filter_map(as_optional) {
            let known = longest.entry(key).or_insert(max);
            *known = max.max(*known);
        }
        entries.retain(|entry| as_optional(entry).is_none_or(|(key, max)| longest[&key] == max));
    }

    /// Each of some stacks once; many as one set of them, popping which visits each position behind them
    /// once.
    pub(super) fn unite_many(&mut self, mut nodes: SmallVec<[NodeId; 4]>) -> SmallVec<[NodeId; 4]> {
        nodes.sort_unstable();
        nodes.dedup();
        if nodes.len() <= MANY {
            return nodes;
        }
        SmallVec::from_slice(&[self.unite(nodes)])
    }
}
