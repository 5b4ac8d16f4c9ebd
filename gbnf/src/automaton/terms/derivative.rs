//! What is seen of a term without its transitions: the bytes with which it begins, and the derivative by
//! one of them without those by all others. Most terms that a text leads through lie on
//! the way of no other one, as with the lengths that are left of a long text.

use std::sync::atomic::Ordering;

use super::{ByteSet, Term, TermId, Terms};

/// So often a term is followed before its transitions by all bytes are made: they take as long as some
/// derivatives.
const SELDOM: u8 = 8;

impl Terms {
    /// The bytes with which matches of a term begin; of a conjunction perhaps more.
    pub(super) fn beginnings(&self, term: TermId) -> ByteSet {
        let mut bytes = ByteSet::default();
        self.add_beginnings(term, &mut bytes);
        bytes
    }

    fn add_beginnings(&self, mut term: TermId, bytes: &mut ByteSet) {
        loop {
            if let Some(row) = self.known_row(term) {
                return bytes.union_with(&row.first);
            }
            // As deep as the term is nested.
            let mut add = |part| {
                stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.add_beginnings(part, bytes));
            };
            term = match &self.entry(term).term {
                Term::Nothing | Term::Empty | Term::Hole(_) => return,
                Term::Bytes(set) => return bytes.union_with(set),
                &Term::Rule { system, index } => self.body(system, index),
                &Term::Concat(first, second) => {
                    add(first);
                    if !self.nullable(first) {
                        return;
                    }
                    second
                }
                Term::Alt(items) => return items.iter().for_each(|&item| add(item)),
                &Term::Repeat { item, .. } => item,
                Term::All { all, .. } => return bytes.union_with(&self.common_beginnings(all)),
            };
        }
    }

    /// The bytes with which matches of all of some terms begin, perhaps with more.
    pub(super) fn common_beginnings(&self, terms: &[TermId]) -> ByteSet {
        let mut beginnings = terms.iter().map(|&term| self.beginnings(term));
        let first = beginnings.next().unwrap_or_default();
        beginnings.fold(first, |common, other| common.intersection(&other))
    }

    /// Counts that a term is followed of which no transitions are known, and says whether that has seldom been so:
    /// for one byte they need not be.
    pub(super) fn is_seldom_followed(&self, term: TermId) -> bool {
        self.entry(term).followed.fetch_add(1, Ordering::Relaxed) < SELDOM
    }

    /// The term after `byte`, whose transitions by other bytes are not made for it.
    pub(super) fn only_next(&self, term: TermId, byte: u8) -> TermId {
        match self.known_row(term) {
            Some(row) => row.next(byte),
            None => self.derivative(term, byte),
        }
    }

    /// The term after `byte`, as the transitions have it.
    pub(super) fn derivative(&self, term: TermId, byte: u8) -> TermId {
        // As deep as the term is nested.
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || match &self.entry(term).term {
            Term::Bytes(set) if set.contains(byte) => TermId::EMPTY,
            // Only what stands in a system's bodies has holes, and those are filled before.
            Term::Nothing | Term::Empty | Term::Bytes(_) | Term::Hole(_) => TermId::NOTHING,
            &Term::Rule { system, index } => self.next(self.body(system, index), byte),
            &Term::Concat(first, second) => {
                let inside = self.concat(self.next(first, byte), second);
                if self.nullable(first) {
                    self.alt([inside, self.next(second, byte)])
                } else {
                    inside
                }
            }
            Term::Alt(items) => self.alt(items.iter().map(|&item| self.next(item, byte))),
            Term::All { all, none } => self.next_of_all(all, none, byte),
            &Term::Repeat { item, min, max } => {
                let rest = self.repeat(item, min.saturating_sub(1), max.map(|max| max - 1));
                self.concat(self.next(item, byte), rest)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Automaton, Label, parse};
    use grammask_oracle::generate;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_byte_leads_where_the_transitions_say(
            grammar in prop_oneof![generate::grammars(), generate::grammars_of_many_parts()],
        ) {
            let grammar = parse(&grammar.to_string()).expect("what is printed can be read");
            let automaton = Automaton::compile(&grammar, "root").expect("it compiles");
            let terms = automaton.terms();
            let mut pending: Vec<TermId> = automaton
                .terminals()
                .filter_map(|label| if let Label::Term(term) = label { Some(term) } else { None })
                .collect();
            for _ in 0..30 {
                let Some(term) = pending.pop() else { break };
                let beginnings = terms.beginnings(term);
                let derivatives = (0..=u8::MAX).map(|byte| terms.derivative(term, byte));
                let derivatives: Vec<TermId> = derivatives.collect();
                let first = terms.first(term);
                prop_assert_eq!(beginnings.intersection(&first), first);
                for (byte, derivative) in (0..=u8::MAX).zip(derivatives) {
                    let is_around = |&&(lo, hi, _): &&(u8, u8, TermId)| (lo..=hi).contains(&byte);
                    let next = terms.transitions(term).iter().find(is_around);
                    prop_assert_eq!(derivative, next.map_or(TermId::NOTHING, |&(.., next)| next));
                }
                pending.extend(terms.transitions(term).iter().map(|&(.., next)| next));
            }
        }
    }
}
