//! The states of a term as a table of transitions: a walk through all of the trie asks for them some
//! hundred thousand times.

use grammask_gbnf::{TermId, Terms};
use rustc_hash::FxHashMap;

/// The states of a term, numbered.
pub(crate) struct Dfa<'a> {
    terms: &'a Terms,
    numbers: FxHashMap<TermId, u32>,
    states: Vec<TermId>,
    rows: Vec<Option<Box<[u32; 256]>>>,
    /// What goes on where a match is at its end.
    again: TermId,
}

impl<'a> Dfa<'a> {
    /// Where nothing goes on.
    pub(crate) const DEAD: u32 = 0;
    /// The term itself.
    pub(crate) const START: u32 = 1;

    /// The states of a term, with those of `again` behind each of its ends, if it has any.
    pub(crate) fn new(term: TermId, again: TermId, terms: &'a Terms) -> Self {
        let mut dfa = Self {
            terms,
            numbers: FxHashMap::default(),
            states: Vec::new(),
            rows: Vec::new(),
            again,
        };
        dfa.number(TermId::NOTHING);
        dfa.number(term);
        dfa
    }

    fn number(&mut self, term: TermId) -> u32 {
        *self.numbers.entry(term).or_insert_with(|| {
            self.states.push(term);
            self.rows.push(None);
            (self.states.len() - 1) as u32
        })
    }

    /// Whether a match is at its end.
    pub(crate) fn is_end(&self, state: u32) -> bool {
        self.states[state as usize] == TermId::EMPTY
    }

    pub(crate) fn next(&mut self, state: u32, byte: u8) -> u32 {
        if let Some(row) = &self.rows[state as usize] {
            return row[usize::from(byte)];
        }
        let mut row = Box::new([Self::DEAD; 256]);
        let term = self.states[state as usize];
        let from = if term == TermId::EMPTY { self.again } else { term };
        for &(lo, hi, to) in self.terms.transitions(from) {
            let to = self.number(to);
            row[usize::from(lo)..=usize::from(hi)].fill(to);
        }
        self.rows[state as usize].insert(row)[usize::from(byte)]
    }
}
