//! Members in any order: which keys have been written, and what a key may still be.
//!
//! What a key may be is a determinised state over *all* keys of a shape, shared by every state of
//! its members; which of them are still allowed is a guard that the member state decides. So an
//! object with 600 keys has one trie, not one for each set of keys seen.

mod blurred;
mod guesses;
mod known;
mod present;

use std::cell::Cell;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::automaton::counting::Bounds;
use crate::automaton::interner::Interner;
use crate::automaton::program::Position;
use crate::automaton::terms::{ByteSet, TermId, Terms};
use crate::automaton::texts::{SetId, TextId, Texts, TextsMark};

pub(crate) use blurred::Outlook;
pub(crate) use guesses::Guesses;
pub use known::{KnownKeys, WrittenKeys};

/// What a key may still be: a set of (rest of the key, member).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyStateId(u32);

/// A member state and the part of a key that has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContextId(u32);

/// How often a member may occur, once unsatisfiable ones are gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Required,
    Optional,
    /// Each time with another key. If there is a least number, the keys are infinitely many: so
    /// there is always one left.
    Many(Bounds),
    Never,
}

impl Kind {
    /// Least number of times.
    pub(crate) fn min(self) -> u32 {
        match self {
            Self::Required => 1,
            Self::Optional | Self::Never => 0,
            Self::Many(bounds) => bounds.min,
        }
    }

    pub(crate) fn is_many(self) -> bool {
        matches!(self, Self::Many(_))
    }

    /// The bounds of an entry whose members must be counted.
    fn counted(self) -> Option<Bounds> {
        match self {
            Self::Many(bounds) if bounds.min > 0 || bounds.max.is_some() => Some(bounds),
            _ => None,
        }
    }
}

#[derive(Debug)]
pub(crate) struct ShapeMember {
    pub(crate) kind: Kind,
    pub(crate) key: TermId,
    /// The start of the value; [`Position::RETURN`] if there is none.
    pub(crate) value: Position,
    pub(crate) value_nullable: bool,
}

/// The members of one object.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) members: Vec<ShapeMember>,
    pub(crate) min: u32,
    pub(crate) max: Option<u32>,
    /// How many members the entries ask for in all.
    pub(crate) least: u32,
    /// Whether undeclared keys must be remembered.
    pub(crate) has_many: bool,
    pub(crate) separator: Position,
    pub(crate) separator_nullable: bool,
    pub(crate) key: Position,
    pub(crate) after: Position,
    /// Where to go on behind the last member.
    pub(crate) next: Position,
}

impl Shape {
    /// Whether a member is one of many.
    pub(crate) fn is_many(&self, member: u32) -> bool {
        self.members[member as usize].kind.is_many()
    }

    /// All keys, whole.
    fn tags(&self) -> impl Iterator<Item = (TermId, u32)> + Clone {
        self.members.iter().enumerate().map(|(member, key)| (key.key, member as u32))
    }
}

/// What is left of some keys, each with its member.
type Tags = Arc<[(TermId, u32)]>;

/// Of most keys so many are left at most behind the first bytes.
const FEW_TAGS: usize = 8;

/// What a key may still be. What is known of it is known of one shape: a member of the same number is
/// declared in one and one of many in another.
#[derive(Debug, PartialEq, Eq, Hash)]
struct KeyState {
    shape: u32,
    /// Sorted by member.
    tags: Tags,
}

type SeenId = u32;
/// How many members there are of each entry whose members are counted.
type CountsId = u32;

/// Which of the keys that have been written and must be remembered have been forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Forgotten {
    Nothing,
    /// Some of at least so many bytes: see [`MemberTables::with_some_key`].
    Some {
        at_least: u32,
    },
    /// One of at least so many bytes: see [`MemberTables::long_key`].
    Long {
        at_least: u32,
    },
    /// See [`MemberTables::blurred_key`].
    All,
}

/// Which members an object has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct MemberState {
    seen: SeenId,
    counts: CountsId,
    /// How many of the members that the entries ask for there are.
    needed: u32,
    /// Clamped to the minimum where there is no maximum.
    count: u32,
    /// The keys that have been written, as far as they must be remembered.
    written: SetId,
    forgotten: Forgotten,
    /// Nothing else is known than this: see [`MemberTables::blurred`].
    blurred: Option<Outlook>,
}

impl MemberState {
    /// No member yet.
    const START: Self = Self {
        seen: 0,
        counts: 0,
        needed: 0,
        count: 0,
        written: SetId::EMPTY,
        forgotten: Forgotten::Nothing,
        blurred: None,
    };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Context {
    state: u32,
    /// What the written keys have behind what has been read of this one; `None`: it differs from
    /// all of them.
    written: Option<SetId>,
    /// What has been read of the key.
    path: TextId,
    /// How many bytes that are, where undeclared keys must be remembered.
    length: u32,
    /// All that is known of this key is that it differs from those before it: see
    /// [`MemberTables::blurred_key`] and [`MemberTables::long_key`].
    is_blurred: bool,
}

impl Context {
    /// Before a key.
    fn start(state: u32, written: Option<SetId>) -> Self {
        Self { state, written, path: TextId::EMPTY, length: 0, is_blurred: false }
    }
}

/// The states of all members of a session.
#[derive(Debug)]
pub(crate) struct MemberTables {
    seen: Interner<Box<[u32]>>,
    /// By entry; those behind the last one that is not 0 are left out.
    counts: Interner<Box<[u32]>>,
    states: Interner<MemberState>,
    contexts: Interner<Context>,
    texts: Texts,
    keys: Interner<KeyState>,
    key_starts: FxHashMap<u32, KeyStateId>,
    key_steps: FxHashMap<(KeyStateId, u8), KeyStateId>,
    /// The keys of a state that may end there, but for those where that is soon seen.
    complete: FxHashMap<KeyStateId, Tags>,
    /// The bytes with which the declared keys of a state go on.
    declared_first: FxHashMap<KeyStateId, ByteSet>,
    /// How many endings a rest of an undeclared key has, if finitely many.
    endings: FxHashMap<TermId, Option<u64>>,
    /// The undeclared keys of a state of which more than a few are left.
    many: FxHashMap<KeyStateId, Tags>,
    /// The keys of a state that are not also matches of such rests.
    uncovered: FxHashMap<(KeyStateId, Arc<[TermId]>), Tags>,
    guesses: Cell<Guesses>,
}

/// How much [`MemberTables`] hold at some time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MembersMark {
    seen: usize,
    counts: usize,
    states: usize,
    contexts: usize,
    texts: TextsMark,
}

impl Default for MemberTables {
    fn default() -> Self {
        let mut tables = Self {
            seen: Interner::default(),
            counts: Interner::default(),
            states: Interner::default(),
            contexts: Interner::default(),
            texts: Texts::default(),
            keys: Interner::default(),
            key_starts: FxHashMap::default(),
            complete: FxHashMap::default(),
            declared_first: FxHashMap::default(),
            key_steps: FxHashMap::default(),
            endings: FxHashMap::default(),
            many: FxHashMap::default(),
            uncovered: FxHashMap::default(),
            guesses: Cell::default(),
        };
        tables.seen.intern(Box::new([]));
        tables.counts.intern(Box::new([]));
        tables
    }
}

/// What is left of keys, by what is known of them.
#[derive(Clone, Debug)]
pub struct KeyTerms {
    /// Of undeclared keys, where such keys are possible and there are more than a few. A text that is inside
    /// of such a key is allowed, whatever keys have been written, as long as plenty of keys begin with it
    /// ([`Terms::has_plenty`]), or no known one does.
    pub free: Arc<[TermId]>,
    /// Of the other keys, unless they are matches of those.
    pub others: Vec<TermId>,
    /// The entry of all undeclared keys, if it is only one.
    pub only: Option<u32>,
}

/// What a key is that ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyEnd {
    /// Not allowed, or no key.
    None,
    /// The declared one of this member.
    Declared(u32),
    /// One that is not declared, of these members.
    Free(smallvec::SmallVec<[u32; 2]>),
}

/// Members with the member state behind each.
pub(crate) type KeyEnds = SmallVec<[(u32, u32); 2]>;

/// What follows a byte of a key.
#[derive(Debug, Default)]
pub(crate) struct KeyAfter {
    /// The key may go on.
    pub(crate) goes_on: Option<(KeyStateId, ContextId)>,
    /// Members whose key may end here, with the member state behind it.
    pub(crate) ends: KeyEnds,
}

impl MemberTables {
    /// Number of interned values, a measure of memory.
    pub(crate) fn len(&self) -> usize {
        self.states.len() + self.contexts.len() + self.texts.len() + self.keys.len()
    }

    /// How much there is, for [`MemberTables::forget_since`].
    pub(crate) fn mark(&self) -> MembersMark {
        MembersMark {
            seen: self.seen.len(),
            counts: self.counts.len(),
            states: self.states.len(),
            contexts: self.contexts.len(),
            texts: self.texts.mark(),
        }
    }

    /// Forgets all that has been written since; what keys may be is no more than the grammar has.
    pub(crate) fn forget_since(&mut self, mark: MembersMark) {
        self.seen.truncate(mark.seen);
        self.counts.truncate(mark.counts);
        self.states.truncate(mark.states);
        self.contexts.truncate(mark.contexts);
        self.texts.forget_since(mark.texts);
    }

    /// The state before the first member.
    pub(crate) fn start(&mut self) -> u32 {
        self.states.intern(MemberState::START)
    }

    /// An undeclared key of so many bytes is compared with those that have been written.
    fn compare(&mut self, state: u32, length: u32) {
        match self.states.get(state).forgotten {
            // It is shorter.
            Forgotten::Some { at_least } | Forgotten::Long { at_least } if length < at_least => {}
            Forgotten::Nothing => {}
            Forgotten::Some { .. } => self.guess(Guesses::KEY),
            Forgotten::Long { .. } | Forgotten::All => self.guess(Guesses::MEMBER),
        }
    }

    /// The same, of any length, in a context.
    pub(crate) fn compare_key(&mut self, context: ContextId) {
        self.compare(self.contexts.get(context.0).state, u32::MAX);
    }

    fn has_seen(&self, state: &MemberState, member: u32) -> bool {
        let words = self.seen.get(state.seen);
        words.get(member as usize / 32).is_some_and(|word| word >> (member % 32) & 1 == 1)
    }

    /// How many members of an entry there are.
    fn count_of(&self, state: &MemberState, member: u32) -> u32 {
        self.counts.get(state.counts).get(member as usize).copied().unwrap_or(0)
    }

    /// Whether no further member is needed.
    pub(crate) fn may_close(&self, shape: &Shape, state: u32) -> bool {
        let state = self.states.get(state);
        if let Some(outlook) = state.blurred {
            return self.ask(outlook.may_close);
        }
        state.needed == shape.least && state.count >= shape.min
    }

    /// Whether a further member may come.
    pub(crate) fn may_go_on(&mut self, shape: &Shape, state: u32, terms: &Terms) -> bool {
        if let Some(outlook) = self.states.get(state).blurred {
            return self.ask(outlook.may_go_on);
        }
        let room = self.room(shape, state);
        let written = self.states.get(state).written;
        let context = Context::start(state, Some(written));
        self.goes_on(shape, &shape.tags(), &context, room, terms)
    }

    /// How many members may still come beyond those that the entries ask for and are missing.
    fn room(&self, shape: &Shape, state: u32) -> u32 {
        let state = self.states.get(state);
        let missing = shape.least - state.needed;
        shape.max.map_or(u32::MAX, |max| max.saturating_sub(state.count).saturating_sub(missing))
    }

    fn allowed(&self, shape: &Shape, state: u32, member: u32, room: u32) -> bool {
        if self.states.get(state).blurred.is_some() {
            return self.ask(None);
        }
        match shape.members[member as usize].kind {
            Kind::Never => false,
            Kind::Required => !self.has_seen(self.states.get(state), member),
            Kind::Optional => room > 0 && !self.has_seen(self.states.get(state), member),
            kind @ Kind::Many(Bounds { min, max }) => {
                let count = match kind.counted() {
                    Some(_) => self.count_of(self.states.get(state), member),
                    None => 0,
                };
                max.is_none_or(|max| count < max) && (room > 0 || count < min)
            }
        }
    }

    /// Before a key.
    pub(crate) fn key_start(
        &mut self,
        index: u32,
        shape: &Shape,
        state: u32,
    ) -> (KeyStateId, ContextId) {
        let start = if let Some(&start) = self.key_starts.get(&index) {
            start
        } else {
            let state = KeyState { shape: index, tags: shape.tags().collect() };
            let start = KeyStateId(self.keys.intern(state));
            self.key_starts.insert(index, start);
            start
        };
        let written = self.states.get(state).written;
        let written = Some(written).filter(|&keys| shape.has_many && keys != SetId::EMPTY);
        let context = Context::start(state, written);
        (start, ContextId(self.contexts.intern(context)))
    }

    /// The tags of a key's state: what is left of the key, and for which member.
    pub(crate) fn tags(&self, state: KeyStateId) -> &[(TermId, u32)] {
        &self.keys.get(state.0).tags
    }

    /// See [`crate::Session::key_terms`].
    pub(crate) fn key_terms(
        &mut self,
        shape: &Shape,
        state: KeyStateId,
        context: ContextId,
        terms: &Terms,
    ) -> Option<KeyTerms> {
        let members = self.contexts.get(context.0).state;
        let room = self.room(shape, members);
        let tags = Arc::clone(&self.keys.get(state.0).tags);
        let many = self.many.entry(state).or_insert_with(|| {
            let tags = tags.iter().copied();
            tags.filter(|&(rest, member)| shape.is_many(member) && terms.has_many(rest)).collect()
        });
        let many = Arc::clone(many);
        let is_allowed =
            |&&(_, member): &&(TermId, u32)| self.allowed(shape, members, member, room);
        let free: Arc<[TermId]> = many.iter().filter(is_allowed).map(|&(rest, _)| rest).collect();
        if free.is_empty() {
            return None;
        }
        let uncovered = self.uncovered.entry((state, Arc::clone(&free))).or_insert_with(|| {
            let is_covered = |rest, member| {
                if shape.is_many(member) {
                    free.contains(&rest)
                } else {
                    free.iter().any(|&free| terms.is_match(rest, free))
                }
            };
            let tags = tags.iter().copied();
            tags.filter(|&(rest, member)| !is_covered(rest, member)).collect()
        });
        let uncovered = Arc::clone(uncovered);
        let others = uncovered
            .iter()
            .filter(|&&(_, member)| self.allowed(shape, members, member, room))
            .map(|&(other, _)| other)
            .collect();
        let mut many =
            tags.iter().map(|&(_, member)| member).filter(|&member| shape.is_many(member));
        let only = many.next().filter(|_| many.next().is_none());
        Some(KeyTerms { free, others, only })
    }

    fn key_step(&mut self, state: KeyStateId, byte: u8, terms: &Terms) -> KeyStateId {
        if let Some(&to) = self.key_steps.get(&(state, byte)) {
            return to;
        }
        let tags: SmallVec<[(TermId, u32); FEW_TAGS]> = self
            .tags(state)
            .iter()
            .map(|&(rest, member)| (terms.next(rest, byte), member))
            .filter(|&(rest, _)| rest != TermId::NOTHING)
            .collect();
        let shape = self.keys.get(state.0).shape;
        let tags = Tags::from(&tags[..]);
        let to = KeyStateId(self.keys.intern(KeyState { shape, tags }));
        self.key_steps.insert((state, byte), to);
        to
    }

    /// The byte `byte` of a key.
    pub(crate) fn step(
        &mut self,
        shape: &Shape,
        state: KeyStateId,
        context: ContextId,
        byte: u8,
        terms: &Terms,
    ) -> KeyAfter {
        let to = self.key_step(state, byte, terms);
        if self.tags(to).is_empty() {
            return KeyAfter::default();
        }
        let before = *self.contexts.get(context.0);
        if let Some(outlook) = self.states.get(before.state).blurred {
            return self.step_blurred(shape, (state, to), context, outlook, terms);
        }
        let mut now = before;
        now.written = before.written.and_then(|keys| self.texts.child(keys, byte));
        if shape.has_many && !before.is_blurred {
            now.path = self.texts.append(before.path, byte);
            now.length = before.length.saturating_add(1);
        }
        let mut after = KeyAfter::default();
        let room = self.room(shape, now.state);
        let complete = self.complete(to, terms);
        let complete = complete.as_deref().unwrap_or_default();
        let is_literal = |&&(_, member): &&(TermId, u32)| !shape.is_many(member);
        if let Some(&(_, member)) = complete.iter().find(is_literal) {
            if self.allowed(shape, now.state, member, room) {
                let state = self.with_member(shape, now.state, member);
                after.ends.push((member, state));
            }
        } else if now.written.is_none_or(|keys| self.texts.ends(keys).is_none()) {
            for &(_, member) in complete {
                if !now.is_blurred {
                    self.compare(now.state, now.length);
                }
                if self.allowed(shape, now.state, member, room) {
                    let state = if now.is_blurred {
                        self.with_some_key(shape, context, member)
                    } else {
                        self.with_key(shape, now.state, member, now.path)
                    };
                    after.ends.push((member, state));
                }
            }
        }
        let goes_on = match *self.tags(to) {
            // As of most keys behind their first bytes.
            [(rest, member)] if !shape.is_many(member) => {
                rest != TermId::EMPTY && self.allowed(shape, now.state, member, room)
            }
            _ => {
                let tags = Arc::clone(&self.keys.get(to.0).tags);
                self.goes_on(shape, &tags.iter().copied(), &now, room, terms)
            }
        };
        if goes_on {
            let is_same = now == before;
            let now = if is_same { context } else { ContextId(self.contexts.intern(now)) };
            after.goes_on = Some((to, now));
        }
        after
    }

    /// The keys of a state that may end there, if there are any.
    fn complete(&mut self, state: KeyStateId, terms: &Terms) -> Option<Tags> {
        let keys = &self.keys;
        let tags = &keys.get(state.0).tags;
        // Of most states no key ends there, and so many are soon looked at.
        if tags.len() <= FEW_TAGS && !tags.iter().any(|&(rest, _)| terms.nullable(rest)) {
            return None;
        }
        let complete = self.complete.entry(state).or_insert_with(|| {
            let tags = keys.get(state.0).tags.iter().copied();
            tags.filter(|&(rest, _)| terms.nullable(rest)).collect()
        });
        (!complete.is_empty()).then(|| Arc::clone(complete))
    }

    /// What a key is if it ends after these bytes.
    pub(crate) fn end(
        &mut self,
        shape: &Shape,
        state: KeyStateId,
        context: ContextId,
        bytes: &[u8],
        terms: &Terms,
    ) -> KeyEnd {
        let Context { state: members, mut written, .. } = *self.contexts.get(context.0);
        let mut to = state;
        for &byte in bytes {
            to = self.key_step(to, byte, terms);
            written = written.and_then(|keys| self.texts.child(keys, byte));
        }
        let room = self.room(shape, members);
        let Some(complete) = self.complete(to, terms) else { return KeyEnd::None };
        if let Some(&(_, member)) = complete.iter().find(|&&(_, member)| !shape.is_many(member)) {
            let allowed = self.allowed(shape, members, member, room);
            return if allowed { KeyEnd::Declared(member) } else { KeyEnd::None };
        }
        if written.is_some_and(|keys| self.texts.ends(keys).is_some()) {
            return KeyEnd::None;
        }
        let mut free = complete
            .iter()
            .map(|&(_, member)| member)
            .filter(|&member| self.allowed(shape, members, member, room))
            .peekable();
        if free.peek().is_none() { KeyEnd::None } else { KeyEnd::Free(free.collect()) }
    }

    /// The state after a member of the entry `member`, its undeclared key forgotten: good for as
    /// long as no further key is compared with it.
    pub(crate) fn with_some_key(&mut self, shape: &Shape, context: ContextId, member: u32) -> u32 {
        let Context { state, length, is_blurred, .. } = *self.contexts.get(context.0);
        if !is_blurred {
            self.compare(state, u32::MAX);
        }
        let state = self.counted(shape, state, member);
        let forgotten = match state.forgotten {
            Forgotten::Nothing => Forgotten::Some { at_least: length },
            Forgotten::Some { at_least } => Forgotten::Some { at_least: at_least.min(length) },
            // A blurred key is among these.
            before @ (Forgotten::Long { .. } | Forgotten::All) => before,
        };
        self.states.intern(MemberState { forgotten, ..state })
    }

    /// The state after a member of the entry `member`; an undeclared key is forgotten.
    pub(crate) fn behind_key(&mut self, shape: &Shape, context: ContextId, member: u32) -> u32 {
        if shape.is_many(member) {
            return self.with_some_key(shape, context, member);
        }
        self.with_member(shape, self.contexts.get(context.0).state, member)
    }

    /// The state with one more member of an entry that may occur repeatedly, without its key.
    fn counted(&mut self, shape: &Shape, state: u32, member: u32) -> MemberState {
        let before = *self.states.get(state);
        let after = MemberState { count: more(shape, before.count), ..before };
        let Some(Bounds { min, max }) = shape.members[member as usize].kind.counted() else {
            return after;
        };
        let count = self.count_of(&before, member);
        let mut counts = self.counts.get(before.counts).to_vec();
        if counts.len() <= member as usize {
            counts.resize(member as usize + 1, 0);
        }
        // Without a maximum, more than the minimum is as good as the minimum.
        counts[member as usize] = if max.is_some() { count + 1 } else { min.min(count + 1) };
        let counts = self.counts.intern(counts.into());
        MemberState { counts, needed: before.needed + u32::from(count < min), ..after }
    }

    /// Whether some allowed key begins with what has been read, and is longer.
    fn goes_on(
        &mut self,
        shape: &Shape,
        tags: &(impl Iterator<Item = (TermId, u32)> + Clone),
        context: &Context,
        room: u32,
        terms: &Terms,
    ) -> bool {
        // Those of which there are finitely many come last: they are compared with the keys that have been written.
        [false, true].into_iter().any(|finite| {
            tags.clone().any(|(rest, member)| {
                rest != TermId::EMPTY
                    && (shape.is_many(member) && self.endings(rest, terms).is_some()) == finite
                    && self.allowed(shape, context.state, member, room)
                    && (!finite || self.some_key_left(shape, rest, tags.clone(), context, terms))
            })
        })
    }

    /// Whether an undeclared key that ends in a match of `rest` is neither declared nor written.
    fn some_key_left(
        &mut self,
        shape: &Shape,
        rest: TermId,
        tags: impl Iterator<Item = (TermId, u32)> + Clone,
        context: &Context,
        terms: &Terms,
    ) -> bool {
        let Some(count) = self.longer_endings(rest, terms) else { return true };
        let forgotten = match self.states.get(context.state).forgotten {
            Forgotten::Nothing => 0,
            Forgotten::Some { .. } | Forgotten::Long { .. } => MOST_KEYS_OF_TOKEN as u64,
            Forgotten::All => MOST_FORGOTTEN,
        };
        // More than all others together are: which of these they are makes no difference.
        if count > self.most_known(tags.clone().count(), context.written) + forgotten {
            return true;
        }
        let mut excluded = 0;
        for (literal, member) in tags {
            if !shape.is_many(member) && literal != TermId::EMPTY {
                excluded += u64::from(terms.is_match(literal, rest));
            }
        }
        if let Some(written) = context.written {
            excluded += self.written_matches(written, rest, terms);
        }
        if count <= excluded + forgotten {
            self.compare(context.state, u32::MAX);
        }
        count > excluded
    }

    /// How many texts a rest of an undeclared key matches, if finitely many.
    fn endings(&mut self, rest: TermId, terms: &Terms) -> Option<u64> {
        *self.endings.entry(rest).or_insert_with(|| terms.count(rest))
    }

    /// The same but for the empty text: a key that ends here is not longer.
    fn longer_endings(&mut self, rest: TermId, terms: &Terms) -> Option<u64> {
        Some(self.endings(rest, terms)? - u64::from(terms.nullable(rest)))
    }

    /// So many keys are declared or written at most, where so many are left of them.
    fn most_known(&self, tags: usize, written: Option<SetId>) -> u64 {
        tags as u64 + written.map_or(0, |written| self.texts.len_of(written).into())
    }

    /// How many of the written keys below a node are matches of `rest` (not the node itself).
    fn written_matches(&self, node: SetId, rest: TermId, terms: &Terms) -> u64 {
        let mut sum = 0;
        let mut pending = vec![(node, rest, true)];
        while let Some((node, rest, first)) = pending.pop() {
            sum += u64::from(!first && self.texts.ends(node).is_some() && terms.nullable(rest));
            for &(byte, child) in self.texts.children(node) {
                match terms.next(rest, byte) {
                    TermId::NOTHING => {}
                    next => pending.push((child, next, false)),
                }
            }
        }
        sum
    }

    /// The state after the declared member `member`.
    fn with_member(&mut self, shape: &Shape, state: u32, member: u32) -> u32 {
        let before = *self.states.get(state);
        let mut words = self.seen.get(before.seen).to_vec();
        let word = member as usize / 32;
        if words.len() <= word {
            words.resize(word + 1, 0);
        }
        words[word] |= 1 << (member % 32);
        let seen = self.seen.intern(words.into());
        self.states.intern(MemberState {
            seen,
            needed: before.needed + shape.members[member as usize].kind.min(),
            count: more(shape, before.count),
            ..before
        })
    }

    /// The state after a member of the entry `member` with the undeclared key `path`.
    fn with_key(&mut self, shape: &Shape, state: u32, member: u32, path: TextId) -> u32 {
        let after = self.counted(shape, state, member);
        let written = self.texts.insert(after.written, path);
        self.states.intern(MemberState { written, ..after })
    }
}

/// Fewer keys than this are forgotten at a time,
const MOST_FORGOTTEN: u64 = 1 << 16;
/// and no more of those that end within one token: see [`crate::Session::MOST_KEYS_OF_TOKEN`].
pub(crate) const MOST_KEYS_OF_TOKEN: usize = 1 << 12;

/// One more member in all.
fn more(shape: &Shape, count: u32) -> u32 {
    match shape.max {
        None => shape.min.min(count.saturating_add(1)),
        Some(_) => count + 1,
    }
}
