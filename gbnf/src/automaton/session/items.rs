//! Where items of lists begin and end, and which of those that are read can still come to differ
//! from the others.

use std::borrow::Borrow;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::{Entry, Reached, Session, State};
use crate::automaton::canonical::BLANKS;
use crate::automaton::label::{self, Label};
use crate::automaton::lists::{List, ListTables};
use crate::automaton::members::Guesses;
use crate::automaton::program::Position;
use crate::automaton::stack::{Frame, NodeId};
use crate::automaton::texts::TextId;
use crate::automaton::tracks::{Ended, TrackId};

/// So many states are looked at to find a way out. More can only be needed where an item may grow
/// by blanks alone, through recursion.
const MAX_SEARCH: usize = 10_000;

impl Session {
    /// Adds what popping has led to within the items `track`, with what follows where items begin
    /// and end.
    pub(super) fn reach(
        &mut self,
        found: impl Borrow<State>,
        track: TrackId,
        reached: &mut Reached,
    ) {
        let found = found.borrow();
        reached.complete |= found.complete;
        let mut ahead: SmallVec<[(Entry, TrackId); 4]> = SmallVec::new();
        let add = |found: &State, track, ahead: &mut SmallVec<_>, reached: &mut Reached| {
            for &entry in &found.entries {
                if matches!(entry.label, Label::Item { .. } | Label::ItemEnd { .. }) {
                    ahead.push((entry, track));
                } else {
                    reached.entries.push(Entry { track, ..entry });
                }
            }
        };
        add(found, track, &mut ahead, reached);
        while let Some((entry, track)) = ahead.pop() {
            let Some((found, track)) = self.pass(entry, track, reached.text) else { continue };
            reached.complete |= found.complete;
            add(&found, track, &mut ahead, reached);
        }
    }

    /// What follows the beginning or the end of an item, where the text read is `text`, and the
    /// items that it lies within; `None` if the item may not end.
    fn pass(&mut self, entry: Entry, track: TrackId, text: TextId) -> Option<(State, TrackId)> {
        let program = Arc::clone(&self.program);
        match entry.label {
            Label::Item { list: index, state } if self.lists.behind_forgotten(state).is_some() => {
                let list = &program.lists[index as usize];
                let start = list.start(self.lists.state(state).count)?;
                let track = self.lists.tracks.open_unknown(track);
                Some((self.begin_item(list, start, state, entry.below), track))
            }
            Label::Item { list: index, state } => {
                let list = &program.lists[index as usize];
                let start = list.start(self.lists.state(state).count)?;
                let (state, others) = self.lists.begin(list, state, text);
                let track = self.lists.tracks.open(track, others, &self.lists.texts);
                Some((self.begin_item(list, start, state, entry.below), track))
            }
            Label::ItemEnd { state: ListTables::PROBE, .. } => {
                let track = self.end_item(track)?;
                Some((State { complete: true, ..State::default() }, track))
            }
            Label::ItemEnd { list: index, state } => {
                let list = &program.lists[index as usize];
                let track = self.end_item(track)?;
                let state = self.lists.end(state, text);
                Some((self.after_item(list, state, entry.below), track))
            }
            _ => None,
        }
    }

    /// Behind the innermost item; nothing if it is equal to another one, which is a guess where these have
    /// been forgotten.
    fn end_item(&mut self, track: TrackId) -> Option<TrackId> {
        match self.lists.tracks.close(track, &self.lists.texts) {
            Ended::Different(track) => Some(track),
            Ended::Equal => {
                self.stopped += 1;
                None
            }
            Ended::Unknown => {
                self.members.guess(Guesses::ITEM);
                None
            }
        }
    }

    fn begin_item(&mut self, list: &List, start: Position, state: u32, below: NodeId) -> State {
        let node = self.stacks.push(Frame { position: list.end, argument: state }, below);
        self.add(start, node);
        self.close()
    }

    /// What follows an item, with the list's state behind it.
    fn after_item(&mut self, list: &List, state: u32, below: NodeId) -> State {
        let more = self.has_further_item(list, state);
        let mut found = Reached::new(TextId::EMPTY);
        let forgotten = self.lists.behind_forgotten(state);
        if forgotten.map_or(self.lists.state(state).count >= list.min, |behind| behind.may_end) {
            if self.program.returns[list.next.index()] {
                self.add_popped(below, &mut found);
            }
            self.add(list.next, below);
        }
        if more {
            let item = Frame { position: list.item, argument: state };
            let node = self.stacks.push(item, below);
            self.add(list.separator, node);
            if list.separator_nullable {
                self.add_frame(item, below);
            }
        }
        self.close_into(found)
    }

    /// Whether there is an item that may come next and differs from those before it.
    fn has_further_item(&mut self, list: &List, state: u32) -> bool {
        if let Some(behind) = self.lists.behind_forgotten(state) {
            return behind.may_go_on;
        }
        let count = self.lists.state(state).count;
        let Some(start) = list.start(count) else { return false };
        // Mostly it is not needed which texts are taken.
        if list.has_plenty(count) {
            return true;
        }
        self.look_ahead(|session| {
            let (_, others) = session.lists.begin(list, state, TextId::EMPTY);
            if let Some(known) = session.lists.has_other_item(list, count, others) {
                return known;
            }
            let track = session.lists.tracks.open(TrackId::NONE, others, &session.lists.texts);
            let begun = session.begin_item(list, start, ListTables::PROBE, NodeId::BOTTOM);
            let mut reached = Reached::new(TextId::EMPTY);
            session.reach(begun, track, &mut reached);
            // As deep as lists nest in the items that must be left.
            stacker::maybe_grow(64 * 1024, 1024 * 1024, || session.has_way_out(reached))
        })
    }

    /// Without the configurations all of whose texts lead to an item that equals another one. Where it is not
    /// known which ones there are, they stay: if nothing else does, that is a guess.
    pub(super) fn without_dead_ends(&mut self, mut state: State) -> State {
        let mut at = 0;
        let mut is_certain = state.complete;
        let mut is_doubtful = false;
        while let Some(&entry) = state.entries.get(at) {
            if self.is_doubtful(entry) {
                is_doubtful = true;
                at += 1;
                continue;
            }
            if self.lists.tracks.is_like(entry.track) && !self.is_live(entry, state.text) {
                self.stopped += 1;
                state.entries.remove(at);
            } else {
                is_certain = true;
                at += 1;
            }
        }
        if is_doubtful && !is_certain {
            self.members.guess(Guesses::ITEM);
        }
        state
    }

    /// Whether all texts of a configuration might lead to an item that equals another one, as these have been
    /// forgotten: there are not plenty of texts.
    pub fn is_doubtful(&mut self, entry: Entry) -> bool {
        self.lists.tracks.is_unknown(entry.track) && !self.has_plenty(entry)
    }

    /// Whether some text of a configuration leads to an item that differs from all others.
    fn is_live(&mut self, entry: Entry, text: TextId) -> bool {
        if self.may_differ_at_once(entry) || self.has_plenty(entry) {
            return true;
        }
        let mut reached = Reached::new(text);
        reached.entries.push(entry);
        let stopped = self.stopped;
        let is_live = self.look_ahead(|session| session.has_way_out(reached));
        self.stopped = stopped;
        is_live
    }

    /// Whether the items differ behind some byte that stays inside the terminal.
    fn may_differ_at_once(&mut self, entry: Entry) -> bool {
        if matches!(entry.label, Label::Key { .. }) {
            return false;
        }
        label::first(entry.label, &self.terms, &self.program.texts).iter().any(|byte| {
            let on = label::step(entry.label, byte, &self.terms, &self.program.texts).label;
            on.is_some() && self.like_after(entry, byte).is_none()
        })
    }

    /// Whether some text leads on to where each item has ended or differs from all others: from
    /// there on, there is always one. As long as that is not so, what is read is one of finitely
    /// many texts, but for blanks.
    fn has_way_out(&mut self, start: Reached) -> bool {
        let mut seen: FxHashSet<SmallVec<[Entry; 2]>> = FxHashSet::default();
        // What only blanks lead to comes last: they make nothing differ.
        if self.is_out(&start) {
            return true;
        }
        let (mut ahead, mut behind_blanks) = (vec![start], Vec::new());
        while let Some(reached) = ahead.pop().or_else(|| behind_blanks.pop()) {
            if seen.len() >= MAX_SEARCH {
                return true;
            }
            let Reached { entries, text, .. } = reached;
            let mut state = State { entries: self.canonical(entries), complete: false, text };
            if !seen.insert(state.entries.clone()) {
                continue;
            }
            let outside = |entry: &Entry| self.lists.tracks.is_outside(entry.track);
            let outside = state.entries.iter().all(outside);
            let behind = self.behind_blanks(&mut state);
            if self.is_out(&behind) {
                return true;
            }
            behind_blanks.extend((!behind.entries.is_empty()).then_some(behind));
            for byte in self.first(&state).iter() {
                let is_blank = BLANKS.contains(&byte);
                // The text stays as it is: blanks that make no difference lead to the same states.
                let stays = is_blank && outside;
                let text = if stays { text } else { self.text_with(text, &[byte]) };
                let after = self.read(&state, byte, text);
                // Mostly the first byte leads out already.
                if self.is_out(&after) {
                    return true;
                }
                if stays { behind_blanks.push(after) } else { ahead.push(after) }
            }
        }
        false
    }

    /// Whether a configuration reads nothing but blanks up to the end of its terminal, which count in no item:
    /// what follows is the same whichever they are.
    pub fn is_blank(&self, entry: Entry) -> bool {
        matches!(entry.label, Label::Term(term) if self.terms.is_blank(term))
            && self.lists.tracks.is_outside(entry.track)
    }

    /// What follows the configurations of a state that read nothing but blanks, which are taken out.
    fn behind_blanks(&mut self, state: &mut State) -> Reached {
        let mut behind = Reached::new(state.text);
        let entries = std::mem::take(&mut state.entries);
        for entry in entries {
            if self.is_blank(entry) {
                let popped = self.pop(entry.below);
                self.reach(popped, entry.track, &mut behind);
            } else {
                state.entries.push(entry);
            }
        }
        behind
    }

    /// Whether each item has ended, or some configuration lies in items that all differ.
    fn is_out(&self, reached: &Reached) -> bool {
        let differs = |entry: &Entry| !self.lists.tracks.is_like(entry.track);
        reached.complete || reached.entries.iter().any(differs)
    }
}
