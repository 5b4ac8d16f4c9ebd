//! Bounds on lengths that few tokens reach, or none.
//!
//! In a string of at most 255 characters each character makes another state, and nearly all tokens are as
//! if there were no bound: those that leave the string are, and of those inside only some of the longest
//! are too long.

use std::sync::Arc;

use grammask_gbnf::{ByteSet, Entry, Label, Session, TrackId};

use crate::interior::Iterations;
use crate::lookahead::EntryMask;
use crate::tables::Tables;
use crate::token_set::TokenSet;
use crate::trie::TokenTrie;

/// A configuration without its bounds on lengths, the mask of which makes that of the configuration.
pub(crate) struct Unbounded {
    pub(crate) entry: Entry,
    /// The bound that tokens inside may reach, if there are such tokens.
    pub(crate) bound: Option<Bound>,
}

/// The bound of a loop, where no token that leaves the loop reaches it.
pub(crate) struct Bound {
    table: Arc<Iterations>,
    max: u32,
}

/// So many tokens may be too long; where more are, the mask is looked for with the bound.
const MOST_LONGER: usize = 1024;

impl Unbounded {
    /// Nothing if the configuration has no bounds that can be left out.
    pub(crate) fn new(entry: Entry, tables: &Tables, session: &mut Session) -> Option<Self> {
        if entry.track != TrackId::NONE {
            return None;
        }
        match entry.label {
            Label::Term(term) => {
                let longest = tables.longest(TokenTrie::ROOT);
                let (free, _) = session.terms().without_bounds(term, longest);
                let entry = Entry { label: Label::Term(free), ..entry };
                (free != term).then_some(Self { entry, bound: None })
            }
            Label::Counted { rest, item, min, max } => {
                let longer = tables.characters.longer(max).len();
                if max == u32::MAX || longer > MOST_LONGER {
                    return None;
                }
                let table = tables.iterations(TokenTrie::ROOT, (rest, item), session.terms());
                let last = table.last_left();
                // Where a byte may be read inside and behind the loop, the table does not say where it is left.
                let is_told = |first: ByteSet| !first.intersects(&table.ambiguous);
                if max < last || !session.first_behind(entry).is_some_and(is_told) {
                    return None;
                }
                // Tokens leave the loop behind so many iterations at most: more are all the same.
                let min = min.min(last + 1);
                let label = Label::Counted { rest, item, min, max: u32::MAX };
                let bound = (longer > 0).then_some(Bound { table, max });
                Some(Self { entry: Entry { label, ..entry }, bound })
            }
            _ => None,
        }
    }
}

impl Bound {
    /// The mask with the bound of one without it, if that was found by the loop's table.
    pub(crate) fn of(&self, free: &EntryMask, tables: &Tables) -> Option<EntryMask> {
        let beyond = self.table.beyond(self.max, tables.characters.longer(self.max));
        let without = free.only_in(&self.table, beyond)?;
        Some(free.without(&TokenSet::Few(without.into()), tables.len))
    }
}
