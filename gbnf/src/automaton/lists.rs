//! Lists of unique items: how many there are, and which texts are taken.
//!
//! The items that have ended are a set in the frame of the list; what the item that is being read
//! has in common with them is its track ([`crate::automaton::tracks`]), which a configuration has
//! beside its terminal. So what lies below an item does not depend on its text, and what is known
//! of it is known for all items.

use crate::automaton::interner::Interner;
use crate::automaton::items::Supply;
use crate::automaton::possible::Supplies;
use crate::automaton::program::Position;
use crate::automaton::texts::{SetId, TextId, Texts, TextsMark};
use crate::automaton::tracks::{Tracks, TracksMark};

/// A list in the program.
#[derive(Debug)]
pub(crate) struct List {
    /// The starts of the first items, each by itself; of those that can be written.
    pub(crate) first: Vec<Position>,
    /// The start of any further one.
    pub(crate) rest: Option<Position>,
    pub(crate) min: u32,
    pub(crate) max: Option<u32>,
    pub(crate) separator: Position,
    pub(crate) separator_nullable: bool,
    /// Before an item.
    pub(crate) item: Position,
    /// Behind an item.
    pub(crate) end: Position,
    /// Where to go on behind the last item.
    pub(crate) next: Position,
    pub(crate) supplies: Supplies,
}

impl List {
    /// The start of the item that has so many before it; `None`: there is none.
    pub(crate) fn start(&self, count: u32) -> Option<Position> {
        if self.max.is_some_and(|max| count >= max) {
            return None;
        }
        self.first.get(count as usize).copied().or(self.rest)
    }

    /// The starts of all items.
    pub(crate) fn starts(&self) -> impl Iterator<Item = Position> + '_ {
        self.first.iter().copied().chain(self.rest)
    }

    /// Whether there are more items than those that the one with so many before it must differ from can
    /// be: those before it and those that are needed behind.
    pub(crate) fn has_plenty(&self, count: u32) -> bool {
        let most = u64::from(count).saturating_add(u64::from(self.min));
        self.supply(count).is_some_and(|supply| supply.count() > most)
    }

    /// What there is of the item that has so many before it.
    fn supply(&self, count: u32) -> Option<&Supply> {
        self.supplies.items.get((count as usize).min(self.supplies.items.len().checked_sub(1)?))
    }
}

/// Which items a list has so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ListState {
    pub(crate) count: u32,
    /// What counts of the items.
    items: SetId,
    last: Last,
}

/// The last item, which is none of the others yet: that it must be compared with is known when a
/// further one begins, and most texts are in more items than are ever compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Last {
    None,
    /// It began behind this text.
    Begun(TextId),
    Ended(TextId, TextId),
    /// It is forgotten, with all others.
    Forgotten(Behind),
}

/// How a list goes on behind an item, as far as that does not depend on the items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Behind {
    pub(crate) may_end: bool,
    pub(crate) may_go_on: bool,
}

/// The states of all lists of a session.
#[derive(Debug)]
pub(crate) struct ListTables {
    pub(crate) texts: Texts,
    pub(crate) tracks: Tracks,
    states: Interner<ListState>,
}

/// How much [`ListTables`] hold at some time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListsMark {
    texts: TextsMark,
    tracks: TracksMark,
    states: usize,
}

impl Default for ListTables {
    fn default() -> Self {
        let mut states = Interner::default();
        // Number 0, as an argument that nobody has given is.
        states.intern(ListState { count: 0, items: SetId::EMPTY, last: Last::None });
        Self { texts: Texts::default(), tracks: Tracks::default(), states }
    }
}

impl ListTables {
    /// In an item that is read by itself, to see whether there is one.
    pub(crate) const PROBE: u32 = u32::MAX;

    /// Number of interned values, a measure of memory.
    pub(crate) fn len(&self) -> usize {
        self.texts.len() + self.tracks.len() + self.states.len()
    }

    /// How much there is, for [`ListTables::forget_since`].
    pub(crate) fn mark(&self) -> ListsMark {
        let (texts, tracks) = (self.texts.mark(), self.tracks.mark());
        ListsMark { texts, tracks, states: self.states.len() }
    }

    /// Forgets all that has been made since.
    pub(crate) fn forget_since(&mut self, mark: ListsMark) {
        self.texts.forget_since(mark.texts);
        self.tracks.forget_since(mark.tracks);
        self.states.truncate(mark.states);
    }

    pub(crate) fn state(&self, state: u32) -> &ListState {
        self.states.get(state)
    }

    /// Whether a list has no items yet: a state in which they are forgotten counts none either.
    pub(crate) fn is_new(&self, state: u32) -> bool {
        matches!(self.states.get(state), ListState { count: 0, last: Last::None, .. })
    }

    /// In the next item of a list, which begins behind `text`; and what that item must not be.
    pub(crate) fn begin(&mut self, list: &List, state: u32, text: TextId) -> (u32, SetId) {
        let before = *self.states.get(state);
        let items = match before.last {
            Last::Ended(from, to) => {
                let item = self.texts.between(from, to);
                let item = self.texts.item(&item);
                self.texts.insert(before.items, item)
            }
            Last::None | Last::Begun(_) | Last::Forgotten(_) => before.items,
        };
        let last = Last::Begun(text);
        let state = self.states.intern(ListState { items, last, ..before });
        let mut others = items;
        for text in self.needed(list, before.count, items) {
            others = self.texts.insert(others, text);
        }
        (state, others)
    }

    /// What the item with `count` items before it must leave to those behind it.
    fn needed(&mut self, list: &List, count: u32, items: SetId) -> Vec<TextId> {
        let texts = &mut self.texts;
        let needed = list.supplies.scarce.needed(count, |text| {
            let item = texts.item(text);
            texts.contains(items, item)
        });
        needed.into_iter().map(|text| texts.item(text)).collect()
    }

    /// Whether some item with `count` items before it differs from `others`, where there are not plenty
    /// ([`List::has_plenty`]); `None`: that is not known.
    pub(crate) fn has_other_item(
        &mut self,
        list: &List,
        count: u32,
        others: SetId,
    ) -> Option<bool> {
        let Supply::Few(texts) = list.supply(count)? else { return None };
        Some(texts.iter().any(|text| {
            let item = self.texts.item(text);
            !self.texts.contains(others, item)
        }))
    }

    /// The state within an item, with the items forgotten; nothing if how the list goes on depends on them.
    pub(crate) fn forgotten(&mut self, list: &List, state: u32) -> Option<u32> {
        let &ListState { count, last, .. } = self.states.get(state);
        if matches!(last, Last::Forgotten(_)) {
            return Some(state);
        }
        let count = count.saturating_add(1);
        let has_start = list.start(count).is_some();
        if has_start && !list.has_plenty(count) {
            return None;
        }
        let behind = Behind { may_end: count >= list.min, may_go_on: has_start };
        let last = Last::Forgotten(behind);
        // As many as tell which item comes next.
        let count = count.min(list.first.len() as u32);
        Some(self.states.intern(ListState { count, items: SetId::EMPTY, last }))
    }

    /// How a list goes on behind an item of which, and of those before it, nothing else is known.
    pub(crate) fn behind_forgotten(&self, state: u32) -> Option<Behind> {
        match self.states.get(state).last {
            Last::Forgotten(behind) => Some(behind),
            Last::None | Last::Begun(_) | Last::Ended(..) => None,
        }
    }

    /// Behind an item that ends behind `text`.
    pub(crate) fn end(&mut self, state: u32, text: TextId) -> u32 {
        let before = *self.states.get(state);
        let last = match before.last {
            Last::Forgotten(_) => return state,
            Last::Begun(from) => Last::Ended(from, text),
            last @ (Last::None | Last::Ended(..)) => last,
        };
        self.states.intern(ListState { count: before.count.saturating_add(1), last, ..before })
    }
}
