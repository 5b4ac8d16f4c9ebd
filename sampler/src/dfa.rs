//! The states of an automaton as a table of transitions, by number: a walk through all of the trie asks
//! for them some hundred thousand times.

use std::hash::Hash;
use std::ops::RangeInclusive;

use grammask_gbnf::{TermId, Terms};
use rustc_hash::FxHashMap;

use crate::kinds::Kinds;
use crate::loops::kinds_to;
use crate::preorder::Outline;
use crate::shapes::{CLASSES, class_of};
use crate::similar::most;
use crate::trie::TrieNode;

/// What leads from state to state, byte by byte.
pub(crate) trait Automaton {
    type State: Clone + Eq + Hash;

    /// Where so many of the bytes that have been read from a state lead back to it, the others are asked
    /// for as well.
    const OFTEN: u32;

    /// The state from which nothing goes on.
    fn dead(&self) -> Self::State;

    /// Whether a match may end in a state.
    fn nullable(&self, state: &Self::State) -> bool;

    /// Where a byte leads, and bytes around it of which it is known that they lead there as well.
    fn next(&mut self, state: &Self::State, byte: u8) -> (Self::State, RangeInclusive<u8>);
}

/// The states of an automaton, numbered as they are met.
pub(crate) struct Dfa<A: Automaton> {
    automaton: A,
    numbers: FxHashMap<A::State, u32>,
    states: Vec<DfaState<A::State>>,
    /// Where each byte leads from the first [`MAX_ROWS`] states, or [`UNKNOWN`]: also where it leads to a
    /// state with a greater number.
    rows: Vec<u16>,
    /// The same for classes of bytes, [`MIXED`] where those lead to several.
    class_rows: Vec<[u16; CLASSES.len()]>,
}

/// A state of a [`Dfa`].
struct DfaState<S> {
    state: S,
    nullable: bool,
    /// Whether a byte has been looked up, and how many lead back to it.
    is_asked: bool,
    returns: u32,
    /// See [`Dfa::loops`].
    loops: Leading,
    /// See [`Dfa::run`].
    run: Option<(u32, Leading)>,
}

/// What is known of the characters that lead to one state.
#[derive(Clone, Copy, Default)]
struct Leading {
    /// The kinds of characters that have been asked for,
    asked: Kinds,
    /// and those of them of which all lead there.
    kinds: Kinds,
}

impl Leading {
    /// Whether all of some kinds lead there; `find` says that of those that have not been asked for.
    fn all(&mut self, kinds: Kinds, find: impl FnOnce(Kinds) -> Kinds) -> bool {
        let new = kinds.without(self.asked);
        // One that leads elsewhere is enough.
        if !new.is_empty() && self.kinds.contains(kinds.without(new)) {
            self.kinds |= find(new);
            self.asked |= new;
        }
        self.kinds.contains(kinds)
    }
}

/// The state from which nothing goes on.
pub(crate) const DEAD: u32 = 0;

/// Among the states of terms the one in which a match is at its end and cannot go on.
pub(crate) const END: u32 = 1;

const MAX_ROWS: usize = 4096;
const UNKNOWN: u16 = u16::MAX;
const MIXED: u16 = u16::MAX - 1;

impl<A: Automaton> Dfa<A> {
    /// Room for the states of an automaton.
    pub(crate) fn new(automaton: A) -> Self {
        let (numbers, states, rows) = (FxHashMap::default(), Vec::new(), Vec::new());
        let dead = automaton.dead();
        let mut dfa = Self { automaton, numbers, states, rows, class_rows: Vec::new() };
        dfa.number(dead);
        dfa
    }

    /// The number of a state.
    pub(crate) fn number(&mut self, state: A::State) -> u32 {
        if let Some(&known) = self.numbers.get(&state) {
            return known;
        }
        if self.states.len() < MAX_ROWS {
            self.rows.extend_from_slice(&[UNKNOWN; 256]);
        }
        let number = self.states.len() as u32;
        let nullable = self.automaton.nullable(&state);
        self.numbers.insert(state.clone(), number);
        self.states.push(DfaState {
            state,
            nullable,
            is_asked: false,
            returns: 0,
            loops: Leading::default(),
            run: None,
        });
        number
    }

    /// The state with a number.
    pub(crate) fn state(&self, number: u32) -> &A::State {
        &self.states[number as usize].state
    }

    /// All states that have a number, but the dead one.
    pub(crate) fn states(&self) -> impl Iterator<Item = A::State> + '_ {
        self.states[1..].iter().map(|known| known.state.clone())
    }

    /// Whether a match may end in a state.
    pub(crate) fn nullable(&self, number: u32) -> bool {
        self.states[number as usize].nullable
    }

    /// Where a byte leads.
    #[inline]
    pub(crate) fn next(&mut self, number: u32, byte: u8) -> u32 {
        let place = (number as usize) << 8 | usize::from(byte);
        match self.rows.get(place) {
            Some(&next) if next != UNKNOWN => next.into(),
            _ => self.find(number, byte, place),
        }
    }

    #[cold]
    fn find(&mut self, number: u32, byte: u8, place: usize) -> u32 {
        let from = &mut self.states[number as usize];
        from.is_asked = true;
        let (next, around) = self.automaton.next(&from.state, byte);
        let next = self.number(next);
        self.states[number as usize].returns += u32::from(next == number);
        let row = place & !0xff;
        let around = row | usize::from(*around.start())..=row | usize::from(*around.end());
        if let Some(known) = self.rows.get_mut(around)
            && let Ok(next) = next.try_into()
        {
            known.fill(next);
        }
        next
    }

    /// Where the bytes of some nodes of one shape lead, `byte` being that of the only one or the least of their
    /// class; nothing if those of the class lead to several states.
    #[inline]
    pub(crate) fn next_of(&mut self, number: u32, nodes: &[TrieNode], byte: u8) -> Option<u32> {
        let Some(class) = class_of(byte).filter(|_| nodes.len() > 1) else {
            return Some(self.next(number, byte));
        };
        let known = self.class_rows.get(number as usize).map_or(UNKNOWN, |row| row[class]);
        let next = if known == UNKNOWN { self.find_of_class(number, class) } else { known };
        (next != MIXED).then_some(next.into())
    }

    /// The same for a class, or [`MIXED`]: also where that is a state with a greater number.
    #[cold]
    fn find_of_class(&mut self, number: u32, class: usize) -> u16 {
        let (lo, hi) = CLASSES[class];
        let next = self.next(number, lo);
        let is_one = (lo..=hi).all(|byte| self.next(number, byte) == next);
        let known = u16::try_from(next).ok().filter(|&next| is_one && next < MIXED);
        let known = known.unwrap_or(MIXED);
        if self.class_rows.len() <= number as usize {
            self.class_rows.resize(number as usize + 1, [UNKNOWN; CLASSES.len()]);
        }
        self.class_rows[number as usize][class] = known;
        known
    }

    /// Whether all characters of some kinds lead from a state to itself; no, as long as too few bytes that
    /// do so have been read from it.
    pub(crate) fn loops(&mut self, number: u32, kinds: Kinds) -> bool {
        let DfaState { is_asked, returns, mut loops, .. } = self.states[number as usize];
        if !is_asked || returns < A::OFTEN {
            return false;
        }
        let find =
            |kinds| kinds_to(number, number, kinds, &mut |state, byte| self.next(state, byte));
        let all = loops.all(kinds, find);
        self.states[number as usize].loops = loops;
        all
    }
}

impl Dfa<Repeated<'_>> {
    /// Whether all that an outline stands for can be read from a state through states in none of which a
    /// match may end: one character leads on like any other, as where they are counted.
    pub(crate) fn runs_through(&mut self, number: u32, outline: &Outline) -> bool {
        let mut at = number;
        for _ in 0..outline.height {
            if self.nullable(at) {
                return false;
            }
            match self.run(at, outline.kinds) {
                Some(next) => at = next,
                None => return false,
            }
        }
        !self.nullable(at)
    }

    /// The state to which many characters lead from another one, if all of some kinds do.
    fn run(&mut self, number: u32, kinds: Kinds) -> Option<u32> {
        let state = self.states[number as usize].state;
        let (next, mut leading) = self.states[number as usize].run.unwrap_or_else(|| {
            let next = most(self.automaton.from(state), self.automaton.terms);
            (next.map_or(DEAD, |next| self.number(next)), Leading::default())
        });
        let find = |kinds| kinds_to(number, next, kinds, &mut |state, byte| self.next(state, byte));
        let all = next != DEAD && leading.all(kinds, find);
        self.states[number as usize].run = Some((next, leading));
        all.then_some(next)
    }
}

/// Terms, one after the other: where a match is at its end, `again` begins.
pub(crate) struct Repeated<'a> {
    pub(crate) again: TermId,
    pub(crate) terms: &'a Terms,
}

impl Repeated<'_> {
    fn from(&self, term: TermId) -> TermId {
        if term == TermId::EMPTY { self.again } else { term }
    }
}

impl Automaton for Repeated<'_> {
    type State = TermId;

    // A term has all its transitions as soon as it has one.
    const OFTEN: u32 = 0;

    fn dead(&self) -> TermId {
        TermId::NOTHING
    }

    fn nullable(&self, term: &TermId) -> bool {
        self.terms.nullable(*term)
    }

    fn next(&mut self, term: &TermId, byte: u8) -> (TermId, RangeInclusive<u8>) {
        self.terms.next_around(self.from(*term), byte)
    }
}

impl<'a> Dfa<Repeated<'a>> {
    /// Room for the states of terms, with those of `again` behind each end, if it has any.
    pub(crate) fn of_terms(again: TermId, terms: &'a Terms) -> Self {
        let mut dfa = Self::new(Repeated { again, terms });
        dfa.number(TermId::EMPTY);
        dfa
    }
}
