//! One use of an automaton: the states that have been reached, and what leads from one to another.

mod blurred;
mod closure;
mod frames;
mod items;
mod keys;
mod many;
mod needed;
mod plenty;
mod state;
mod values;

use std::collections::BinaryHeap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::automaton::counting::CountingSets;
use crate::automaton::label::{self, After, Label};
use crate::automaton::lists::{ListTables, ListsMark};
use crate::automaton::members::{
    ContextId, Guesses, KeyAfter, KeyEnds, KeyStateId, MemberTables, MembersMark,
};
use crate::automaton::program::Program;
use crate::automaton::stack::{Frame, NodeId, Stacks, StacksMark};
use crate::automaton::terms::{ByteSet, Fingerprint, TermId, Terms};
use crate::automaton::texts::TextId;
use crate::automaton::tracks::TrackId;
use crate::grammar::TokenReference;
use blurred::BlurredNode;
pub use blurred::{Blurred, Surroundings};
use closure::{Expansion, Item};
pub use frames::FrameId;
use needed::NodeNeeds;
use plenty::Plenty;
pub use state::{Entry, State};
pub use values::ValueId;

/// The tables of one use of an automaton, shared by a matcher and its clones.
///
/// States are only meaningful within the session that made them.
#[derive(Debug)]
pub struct Session {
    program: Arc<Program>,
    terms: Arc<Terms>,
    stacks: Stacks,
    counts: CountingSets,
    members: MemberTables,
    lists: ListTables,
    /// What popping a node leads to, by node.
    expanded: Vec<Option<Expansion>>,
    /// The nodes of which that is known, in the order in which it became known.
    expansions: Vec<NodeId>,
    /// So many nodes will not be forgotten.
    lasting: usize,
    /// See [`Session::blurred`], by node.
    blurred: Vec<BlurredNode>,
    /// See [`Session::fingerprint_of_value`].
    value_fingerprints: FxHashMap<ValueId, Option<Fingerprint>>,
    /// The counting set that each loop starts with.
    first_counts: Vec<u32>,
    pending: BinaryHeap<Item>,
    /// See [`Session::needed`].
    needed: NodeNeeds,
    /// See [`Session::has_plenty`].
    plenty: Plenty,
    /// How many more values may be kept of what is looked ahead at.
    room: usize,
    /// See [`Session::steps`].
    steps: u64,
    /// See [`Session::stopped`].
    stopped: u64,
}

/// So many values are kept of what is looked ahead at, each some hundred bytes with what is known of it.
const ROOM: usize = 4_096;

/// How much a session holds at some time.
#[derive(Clone, Copy, Debug)]
struct Mark {
    stacks: StacksMark,
    members: MembersMark,
    lists: ListsMark,
    expansions: usize,
    room: usize,
}

/// What a step has led to.
struct Reached {
    entries: SmallVec<[Entry; 8]>,
    complete: bool,
    text: TextId,
}

impl Reached {
    fn new(text: TextId) -> Self {
        Self { entries: SmallVec::new(), complete: false, text }
    }
}

/// The terminal that is a key, of which so much may still come.
fn key_label(shape: u32, (state, context): (KeyStateId, ContextId)) -> Label {
    Label::Key { shape, state, context }
}

impl Session {
    pub(crate) fn new(program: Arc<Program>, terms: Arc<Terms>) -> Self {
        let mut counts = CountingSets::default();
        let first_counts =
            program.loops.iter().map(|looped| counts.one(1, looped.bounds())).collect();
        let mut members = MemberTables::default();
        members.start();
        let bottom = State { complete: true, ..State::default() };
        Self {
            program,
            terms,
            stacks: Stacks::default(),
            counts,
            members,
            lists: ListTables::default(),
            expanded: vec![Some(Expansion {
                state: Arc::new(bottom),
                guesses: Guesses::default(),
            })],
            expansions: Vec::new(),
            lasting: usize::MAX,
            blurred: Vec::new(),
            value_fingerprints: FxHashMap::default(),
            first_counts,
            pending: BinaryHeap::new(),
            needed: NodeNeeds::default(),
            plenty: Plenty::default(),
            room: ROOM,
            steps: 0,
            stopped: 0,
        }
    }

    /// The state before the first byte.
    pub fn start(&mut self) -> State {
        let start = self.start_at(self.program.start);
        State { complete: start.complete | self.program.accepts_empty, ..start }
    }

    /// Number of interned values: what the session's memory is proportional to.
    pub fn size(&self) -> usize {
        self.stacks.len() + self.members.len() + self.lists.len()
    }

    /// Looks ahead: forgets afterwards the states that were made within, so that they leave no
    /// trace in memory. A state from within means nothing outside.
    ///
    /// ```
    /// use grammask_gbnf::{Automaton, parse};
    ///
    /// let automaton = Automaton::compile(&parse("root ::= \"(\" root? \")\"")?, "root")?;
    /// let mut session = automaton.session();
    /// let start = session.start();
    /// let size = session.size();
    /// let nested = session.look_ahead(|session| {
    ///     let mut state = start.clone();
    ///     (0..100).for_each(|_| state = session.step(&state, b'('));
    ///     !state.is_dead()
    /// });
    /// assert!(nested && session.size() == size);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn look_ahead<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.mark();
        let result = self.look(look);
        self.forget_since(mark);
        result
    }

    /// The same, but as long as there is room what has been made stays: what one mask looks ahead at is mostly
    /// what the next one does, or what is read next.
    ///
    /// ```
    /// use grammask_gbnf::{Automaton, parse};
    ///
    /// let automaton = Automaton::compile(&parse("root ::= \"(\" root? \")\"")?, "root")?;
    /// let mut session = automaton.session();
    /// let mut look = |depth| {
    ///     let start = session.start();
    ///     session.look_ahead_keeping(|session| {
    ///         let mut state = start;
    ///         (0..depth).for_each(|_| state = session.step(&state, b'('));
    ///     });
    ///     session.size()
    /// };
    /// assert!(look(10) < look(100));
    /// assert_eq!(look(10_000), look(100));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn look_ahead_keeping<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> T {
        let (mark, size) = (self.mark(), self.size());
        let result = self.look(look);
        match self.room.checked_sub(self.size() - size) {
            Some(room) => self.room = room,
            None => self.forget_since(mark),
        }
        result
    }

    /// Looks ahead at what may be forgotten afterwards.
    fn look<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> T {
        let lasting = self.lasting;
        self.lasting = lasting.min(self.stacks.len());
        let result = look(self);
        self.lasting = lasting;
        result
    }

    /// Does something, unless that takes too much work: nothing then, and what it has left is
    /// forgotten. The unit is a step or the like, some microseconds at most. Within something that is
    /// limited itself no more than that has left.
    ///
    /// ```
    /// use grammask_gbnf::{Automaton, parse};
    ///
    /// let automaton = Automaton::compile(&parse("root ::= [a-z]*")?, "root")?;
    /// let mut session = automaton.session();
    /// let start = session.start();
    /// assert!(session.limited(1, |session| session.step(&start, b'a')).is_some());
    /// assert!(session.limited(0, |session| session.step(&start, b'a')).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn limited<T>(&mut self, most: u64, run: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let mark = self.mark();
        let before = self.stacks.work.allow(most);
        let result = run(self);
        if self.stacks.work.allow_again(before) {
            self.pending.clear();
            self.forget_since(mark);
            return None;
        }
        Some(result)
    }

    /// Counts some work.
    pub fn spend(&mut self, work: u64) {
        self.stacks.work.spend(work);
    }

    /// How much work has been done so far, in the unit of [`Session::limited`].
    pub fn work(&self) -> u64 {
        self.stacks.work.done()
    }

    /// Whether there has been too much work for [`Session::limited`]: nothing leads on any more, and
    /// whatever is found will not be used.
    pub fn is_spent(&self) -> bool {
        self.stacks.work.is_too_much()
    }

    fn mark(&self) -> Mark {
        Mark {
            stacks: self.stacks.mark(),
            members: self.members.mark(),
            lists: self.lists.mark(),
            expansions: self.expansions.len(),
            room: self.room,
        }
    }

    fn forget_since(&mut self, mark: Mark) {
        for node in self.expansions.drain(mark.expansions..) {
            self.expanded[node.index()] = None;
        }
        self.stacks.forget_since(mark.stacks);
        self.members.forget_since(mark.members);
        self.lists.forget_since(mark.lists);
        self.expanded.truncate(self.stacks.len());
        self.needed.truncate(self.stacks.len());
        self.room = mark.room;
    }

    /// The store of terms of the automaton.
    pub fn terms(&self) -> &Arc<Terms> {
        &self.terms
    }

    /// The token reference of a [`Label::Token`].
    pub fn token(&self, token: u32) -> &TokenReference {
        &self.program.tokens[token as usize]
    }

    /// How many steps have been taken: what looking ahead costs.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The state after `byte`; dead if no text of the language goes on so.
    pub fn step(&mut self, state: &State, byte: u8) -> State {
        self.steps += 1;
        self.spend(state.entries.len() as u64);
        if self.is_spent() {
            return State::default();
        }
        if let Some(next) = self.step_inside(state, byte) {
            return next;
        }
        let text = self.text_after(state, &[byte]);
        let reached = self.read(state, byte, text);
        self.finish(reached)
    }

    /// How often a configuration has led no further because an item would be equal to another one.
    pub fn stopped(&self) -> u64 {
        self.stopped
    }

    /// The same where the byte stays inside the only terminal, as most bytes of a text do.
    fn step_inside(&mut self, state: &State, byte: u8) -> Option<State> {
        let &[entry @ Entry { label, track: TrackId::NONE, below }] = &state.entries[..] else {
            return None;
        };
        if !self.is_outside(state) {
            return None;
        }
        match label {
            Label::Term(term) => {
                let next = self.terms.next(term, byte);
                let stays = !self.terms.nullable(next) && next != TermId::NOTHING;
                stays.then(|| state.only(Entry { label: Label::Term(next), ..entry }))
            }
            Label::Key { shape, state: key, context } => {
                let after = self.after_key_byte(shape, (key, context), byte);
                if after.ends.is_empty() {
                    let on = |key| state.only(Entry { label: key_label(shape, key), ..entry });
                    return Some(after.goes_on.map_or_else(State::default, on));
                }
                let mut reached = Reached::new(TextId::EMPTY);
                self.reach_key(shape, after, (TrackId::NONE, below), &mut reached);
                Some(self.finish(reached))
            }
            _ => None,
        }
    }

    /// The state after `byte`, and bytes around it of which each leads there as well.
    pub fn step_around(&mut self, state: &State, byte: u8) -> (State, RangeInclusive<u8>) {
        let next = self.step(state, byte);
        if !self.is_outside(state) {
            // What has been read is part of the state.
            return (next, byte..=byte);
        }
        let labels = state.entries.iter().map(|entry| entry.label);
        let around = labels
            .map(|label| label::around(label, byte, &self.terms, &self.program.texts))
            .fold(0..=u8::MAX, |all, own| {
                *all.start().max(own.start())..=*all.end().min(own.end())
            });
        (next, around)
    }

    /// Whether what is read need not be kept, as the state lies outside of all items. With references to
    /// tokens all is kept: a token may be read as a text and as a token, and both go on with the same text.
    fn is_outside(&self, state: &State) -> bool {
        self.program.lists.is_empty()
            || self.program.tokens.is_empty()
                && state.entries.iter().all(|entry| entry.track == TrackId::NONE)
    }

    /// The text of a state with some more bytes, if texts matter.
    fn text_after(&mut self, state: &State, bytes: &[u8]) -> TextId {
        if self.is_outside(state) {
            return state.text;
        }
        self.text_with(state.text, bytes)
    }

    fn text_with(&mut self, text: TextId, bytes: &[u8]) -> TextId {
        bytes.iter().fold(text, |text, &byte| self.lists.texts.append(text, byte))
    }

    /// Reads `byte`, with which what has been read is `text`.
    fn read(&mut self, state: &State, byte: u8, text: TextId) -> Reached {
        let mut reached = Reached::new(text);
        let mut ended: SmallVec<[NodeId; 4]> = SmallVec::new();
        for &Entry { label, track, below } in &state.entries {
            let track = match track {
                TrackId::NONE => track,
                _ => self.lists.tracks.step(track, byte, &mut self.lists.texts),
            };
            if let Label::Key { shape, state, context } = label {
                let after = self.after_key_byte(shape, (state, context), byte);
                self.reach_key(shape, after, (track, below), &mut reached);
                continue;
            }
            let After { label, ends } = label::step(label, byte, &self.terms, &self.program.texts);
            if let Some(label) = label {
                reached.entries.push(Entry { label, track, below });
            }
            if ends && track == TrackId::NONE {
                ended.push(below);
            } else if ends {
                let popped = self.pop(below);
                self.reach(popped, track, &mut reached);
            }
        }
        for below in self.unite_many(ended) {
            let popped = self.pop(below);
            self.reach(popped, TrackId::NONE, &mut reached);
        }
        reached
    }

    /// The state of what has been reached.
    fn finish(&mut self, reached: Reached) -> State {
        let Reached { entries, complete, text } = reached;
        let state = State { entries: self.canonical(entries), complete, text };
        self.without_dead_ends(state)
    }

    /// What follows a byte of a key.
    fn after_key_byte(
        &mut self,
        index: u32,
        (state, context): (KeyStateId, ContextId),
        byte: u8,
    ) -> KeyAfter {
        let shape = &self.program.shapes[index as usize];
        self.members.step(shape, state, context, byte, &self.terms)
    }

    /// Adds what follows a byte of a key.
    fn reach_key(
        &mut self,
        index: u32,
        after: KeyAfter,
        (track, below): (TrackId, NodeId),
        reached: &mut Reached,
    ) {
        if let Some(key) = after.goes_on {
            reached.entries.push(Entry { label: key_label(index, key), track, below });
        }
        if !after.ends.is_empty() {
            let ended = self.after_keys(index, below, after.ends);
            self.reach(ended, track, reached);
        }
    }

    /// What follows keys that end, each with the member state behind it.
    fn after_keys(&mut self, index: u32, below: NodeId, ends: KeyEnds) -> State {
        let program = Arc::clone(&self.program);
        let shape = &program.shapes[index as usize];
        let mut found = Reached::new(TextId::EMPTY);
        self.spend(ends.len() as u64);
        for (member, seen) in ends {
            let member = &shape.members[member as usize];
            let frame = Frame { position: shape.after, argument: seen };
            let node = self.stacks.push(frame, below);
            self.add(member.value, node);
            if member.value_nullable {
                self.add_popped(node, &mut found);
            }
        }
        self.close_into(found)
    }

    /// The state after a token with these bytes, for the configurations that name one; `matches`
    /// says whether a token reference means this token.
    pub fn step_token(
        &mut self,
        state: &State,
        bytes: &[u8],
        matches: impl Fn(&TokenReference) -> bool,
    ) -> State {
        if !state.has_tokens() {
            return State::default();
        }
        let mut reached = Reached::new(self.text_after(state, bytes));
        for &Entry { label, track, below } in &state.entries {
            if let Label::Token(token) = label
                && matches(&self.program.tokens[token as usize])
            {
                let popped = self.pop(below);
                self.reach(popped, track, &mut reached);
            }
        }
        self.finish(reached)
    }

    /// The state after a token as a text, if it is one, and as the token that it is: see
    /// [`Session::step_token`].
    pub fn after_token(
        &mut self,
        state: &State,
        text: Option<&[u8]>,
        matches: impl Fn(&TokenReference) -> bool,
    ) -> State {
        let as_token = self.step_token(state, text.unwrap_or_default(), matches);
        let Some(text) = text else { return as_token };
        let as_text = text.iter().fold(state.clone(), |state, &byte| self.step(&state, byte));
        match (as_token.is_dead(), as_text.is_dead()) {
            (true, _) => as_text,
            (false, true) => as_token,
            (false, false) => self.union(&as_token, &as_text),
        }
    }

    /// The bytes that every text goes on with, at most `most` of them, and the state behind them: up
    /// to where a text may end, a token reference may come or there is a choice.
    pub fn forced(&mut self, state: &State, most: usize) -> (Vec<u8>, State) {
        let (mut bytes, mut state) = (Vec::new(), state.clone());
        while bytes.len() < most
            && let Some((byte, next)) = self.only_step(&state)
        {
            bytes.push(byte);
            state = next;
        }
        (bytes, state)
    }

    /// The only byte that may come next, and the state behind it.
    fn only_step(&mut self, state: &State) -> Option<(u8, State)> {
        if state.complete || state.has_tokens() {
            return None;
        }
        let mut steps = self.first(state).iter().collect::<SmallVec<[u8; 4]>>().into_iter();
        let mut live = steps.by_ref().map(|byte| (byte, self.step(state, byte)));
        let only = live.find(|(_, next)| !next.is_dead())?;
        live.all(|(_, next)| next.is_dead()).then_some(only)
    }

    /// The configurations of both, which have read the same text.
    pub fn union(&mut self, first: &State, second: &State) -> State {
        let mut entries: SmallVec<[Entry; 8]> = SmallVec::from_slice(&first.entries);
        entries.extend_from_slice(&second.entries);
        let complete = first.complete | second.complete;
        State { entries: self.canonical(entries), complete, text: first.text }
    }

    /// The bytes that may come next.
    pub fn first(&self, state: &State) -> ByteSet {
        let mut set = ByteSet::default();
        for entry in &state.entries {
            set.union_with(&self.first_of(entry.label));
        }
        set
    }

    /// The bytes with which a label may go on; for a key whose guard forbids some of them, more
    /// than those.
    pub fn first_of(&self, label: Label) -> ByteSet {
        match label {
            Label::Key { state, .. } => {
                let mut set = ByteSet::default();
                for &(rest, _) in self.members.tags(state) {
                    set.union_with(&self.terms.first(rest));
                }
                set
            }
            _ => label::first(label, &self.terms, &self.program.texts),
        }
    }

    /// The state behind the terminal of a configuration of `state` that ends with `bytes`.
    pub fn behind(&mut self, state: &State, entry: Entry, bytes: &[u8]) -> State {
        let popped = self.pop(entry.below);
        self.reached_by(state, entry, bytes, &popped)
    }

    /// The bytes that may follow the terminal of a configuration; `None` if an item may end with it:
    /// what comes then depends on the text.
    pub fn first_behind(&mut self, entry: Entry) -> Option<ByteSet> {
        let popped = self.pop(entry.below);
        self.first_unless_item(&popped)
    }

    /// The bytes with which a text goes on; `None` if an item may end first.
    fn first_unless_item(&self, state: &State) -> Option<ByteSet> {
        let ends =
            |entry: &Entry| matches!(entry.label, Label::Item { .. } | Label::ItemEnd { .. });
        (!state.entries.iter().any(ends)).then(|| self.first(state))
    }

    /// What follows, where the terminal of a configuration of `state` ends with `bytes` and that
    /// leads to `found`.
    fn reached_by(&mut self, state: &State, entry: Entry, bytes: &[u8], found: &State) -> State {
        let track = self.track_behind(entry.track, bytes);
        let mut reached = Reached::new(self.text_after(&state.only(entry), bytes));
        self.reach(found, track, &mut reached);
        self.finish(reached)
    }

    /// Whether an item that a configuration lies within is like one that it must differ from, also
    /// after a further byte.
    pub fn is_like_after(&mut self, state: &State, byte: u8) -> bool {
        state.entries.iter().any(|&entry| self.like_after(entry, byte).is_some())
    }

    /// The configuration with the items that it lies within behind a further byte, if one is still like one
    /// that it must differ from.
    pub fn like_after(&mut self, entry: Entry, byte: u8) -> Option<Entry> {
        let track = self.track_behind(entry.track, &[byte]);
        self.lists.tracks.is_like(track).then_some(Entry { track, ..entry })
    }

    fn track_behind(&mut self, track: TrackId, bytes: &[u8]) -> TrackId {
        let read = |track, &byte: &u8| self.lists.tracks.step(track, byte, &mut self.lists.texts);
        bytes.iter().fold(track, read)
    }

    /// Whether an item that a configuration lies within is like one that it must differ from.
    pub fn is_like(&self, entry: Entry) -> bool {
        self.lists.tracks.is_like(entry.track)
    }
}
