//! What is seen of a term without its transitions: the bytes with which it begins, and the derivative by
//! one of them without those by all others. Most terms that a text leads through lie on
//! the way of no other one, as with the lengths that are left of a long text.

use std::sync::atomic::Ordering;

use super::{ByteSet, Term, TermId, Terms};

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
                Term::All { all, .. } => {
                    let mut parts = all.iter().map(|&part| self.beginnings(part));
                    let first = parts.next().unwrap_or_default();
                    let common = parts.fold(first, |common, part| common.intersection(&part));
                    return bytes.union_with(&common);
                }
            };
        }
    }

    /// Whether a term is followed for the first time of which no transitions are known: for one byte
    /// they need not be. The next time they are made.
    pub(super) fn is_followed_first(&self, term: TermId) -> bool {
        !self.entry(term).is_followed.swap(true, Ordering::Relaxed)
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
