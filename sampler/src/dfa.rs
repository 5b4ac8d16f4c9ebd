//! The states of terms as a table of transitions: a walk through all of the trie asks for them some
//! hundred thousand times.

use grammask_gbnf::{TermId, Terms};
use rustc_hash::FxHashMap;

use crate::kinds::Kinds;
use crate::loops::kinds_leading;

/// The states of terms, numbered as they are met.
pub(crate) struct Dfa<'a> {
    terms: &'a Terms,
    numbers: FxHashMap<TermId, u32>,
    states: Vec<DfaState>,
    /// Where each byte leads from the first [`MAX_ROWS`] states, or [`UNKNOWN`].
    rows: Vec<u32>,
    /// What goes on where a match is at its end.
    again: TermId,
}

/// A state of a [`Dfa`].
#[derive(Clone, Copy)]
struct DfaState {
    term: TermId,
    nullable: bool,
    /// Whether it has been asked for a byte: only then the term's transitions are at hand.
    is_asked: bool,
    /// See [`Dfa::loops`].
    loops: Option<Kinds>,
}

const MAX_ROWS: usize = 4096;
const UNKNOWN: u32 = u32::MAX;

impl<'a> Dfa<'a> {
    /// Where nothing goes on.
    pub(crate) const DEAD: u32 = 0;
    /// Where a match is at its end and cannot go on.
    pub(crate) const END: u32 = 1;

    /// Room for the states of terms, with those of `again` behind each end, if it has any.
    pub(crate) fn new(again: TermId, terms: &'a Terms) -> Self {
        let (numbers, states, rows) = (FxHashMap::default(), Vec::new(), Vec::new());
        let mut dfa = Self { terms, numbers, states, rows, again };
        dfa.number(TermId::NOTHING);
        dfa.number(TermId::EMPTY);
        dfa
    }

    /// The state of a term.
    pub(crate) fn number(&mut self, term: TermId) -> u32 {
        *self.numbers.entry(term).or_insert_with(|| {
            if self.states.len() < MAX_ROWS {
                self.rows.extend_from_slice(&[UNKNOWN; 256]);
            }
            let nullable = self.terms.nullable(term);
            self.states.push(DfaState { term, nullable, is_asked: false, loops: None });
            (self.states.len() - 1) as u32
        })
    }

    /// The term of a state.
    pub(crate) fn term(&self, state: u32) -> TermId {
        self.states[state as usize].term
    }

    /// Whether a match may end in a state.
    pub(crate) fn nullable(&self, state: u32) -> bool {
        self.states[state as usize].nullable
    }

    /// Where a byte leads.
    #[inline]
    pub(crate) fn next(&mut self, state: u32, byte: u8) -> u32 {
        let place = (state as usize) << 8 | usize::from(byte);
        match self.rows.get(place) {
            Some(&next) if next != UNKNOWN => next,
            _ => self.find(state, byte, place),
        }
    }

    #[cold]
    fn find(&mut self, state: u32, byte: u8, place: usize) -> u32 {
        self.states[state as usize].is_asked = true;
        let term = if state == Self::END { self.again } else { self.term(state) };
        let next = self.number(self.terms.next(term, byte));
        if let Some(known) = self.rows.get_mut(place) {
            *known = next;
        }
        next
    }

    /// The kinds of characters that all lead from a state to itself; none as long as no byte has been
    /// read from it.
    pub(crate) fn loops(&mut self, state: u32) -> Kinds {
        let DfaState { term, is_asked, loops, .. } = self.states[state as usize];
        if let Some(known) = loops {
            return known;
        }
        if !is_asked {
            return Kinds::default();
        }
        let from = if state == Self::END { self.again } else { term };
        let loops = kinds_leading(from, term, &|term| self.terms.transitions(term));
        self.states[state as usize].loops = Some(loops);
        loops
    }
}
