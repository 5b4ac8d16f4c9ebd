//! The terms of one store in others: what many grammars need is found out once, and stays known
//! when the store in which they are compiled is given up for a new one.

use std::sync::{Arc, OnceLock};

use super::{Entry, Row, Term, TermId, Terms};

/// The terms of a store to which no more are added: other stores go on from them.
///
/// ```
/// use grammask_gbnf::Terms;
/// let terms = Terms::default();
/// let ab = terms.text(b"ab");
/// let frozen = terms.freeze();
/// let [one, other] = [frozen.extend(), frozen.extend()];
/// assert_eq!([one.text(b"ab"), other.text(b"ab")], [ab; 2]);
/// assert_eq!(one.len(), frozen.len());
/// ```
#[derive(Clone, Debug)]
pub struct FrozenTerms(Arc<Terms>);

impl FrozenTerms {
    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Never: there are always the two constant terms.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// A store that has these terms, and room for others.
    pub fn extend(&self) -> Terms {
        Terms::new(Some(Frozen {
            transitions: (0..self.len()).map(|_| OnceLock::new()).collect(),
            terms: Arc::clone(&self.0),
        }))
    }
}

/// The terms with which a store begins.
#[derive(Debug)]
pub(super) struct Frozen {
    pub(super) terms: Arc<Terms>,
    /// Where those lead of which that was not known yet: to terms that others may not have.
    transitions: Box<[OnceLock<Box<Row>>]>,
}

impl Terms {
    /// The terms, to which no more are added. Of a store that goes on from others these are the others.
    #[must_use]
    pub fn freeze(self) -> FrozenTerms {
        match self.frozen {
            Some(frozen) => FrozenTerms(frozen.terms),
            None => FrozenTerms(Arc::new(self)),
        }
    }

    /// How many terms there were in the store from which this one goes on.
    pub(super) fn frozen_len(&self) -> usize {
        self.frozen.as_ref().map_or(0, |frozen| frozen.transitions.len())
    }

    /// The store from which this one goes on, if it does.
    pub(crate) fn frozen(&self) -> Option<&Terms> {
        self.frozen.as_ref().map(|frozen| &*frozen.terms)
    }

    /// What is known by the store from which this one goes on, or else by this one alone.
    pub(crate) fn known_of<T>(&self, known: impl Fn(&Self) -> Option<T>) -> Option<T> {
        self.frozen().and_then(&known).or_else(|| known(self))
    }

    pub(super) fn entry(&self, term: TermId) -> &Entry {
        match &self.frozen {
            Some(frozen) if term.index() < frozen.transitions.len() => {
                &frozen.terms.entries[term.index()]
            }
            _ => &self.entries[term.index() - self.frozen_len()],
        }
    }

    /// The term among those from which this store goes on.
    pub(super) fn find_frozen(&self, hash: u64, term: &Term) -> Option<TermId> {
        let frozen = self.frozen()?;
        // What comes behind a term that is not among them is not either.
        if matches!(term, Term::Concat(_, rest) if rest.index() >= self.frozen_len()) {
            return None;
        }
        frozen.find(&frozen.index(), hash, term)
    }

    /// The transitions of a term, if they are known.
    pub(super) fn known_row(&self, term: TermId) -> Option<&Row> {
        let of_all = self.entry(term).further.get().and_then(|further| further.row.get());
        of_all.or_else(|| Some(self.frozen.as_ref()?.transitions.get(term.index())?.get()?))
    }

    /// The same once they are found.
    pub(super) fn keep_row(&self, term: TermId, row: Row) -> &Row {
        match self.frozen.as_ref().and_then(|frozen| frozen.transitions.get(term.index())) {
            Some(kept) => kept.get_or_init(|| Box::new(row)),
            None => self.further(term).row.get_or_init(|| row),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Automaton, Grammar, Label, Matcher, parse};
    use grammask_oracle::generate;
    use proptest::prelude::*;

    proptest! {
        /// A grammar among frozen terms is the grammar, and what is found out in one store does not
        /// show in another one.
        #[test]
        fn a_grammar_is_the_same_among_frozen_terms(
            grammars in prop::collection::vec(generate::grammars(), 3),
            choices in generate::steps(12),
        ) {
            let grammars = grammars.iter().map(|grammar| parse(&grammar.to_string()));
            let grammars: Vec<Grammar> = grammars.collect::<Result<_, _>>().expect("it is printed");
            // The bytes that may come next all along a text.
            let read = |automaton: &Automaton| {
                let mut matcher = Matcher::new(automaton);
                let mut all = vec![(matcher.next_bytes(), matcher.is_complete())];
                for &choice in &choices {
                    let bytes: Vec<u8> = matcher.next_bytes().iter().collect();
                    if bytes.is_empty() {
                        break;
                    }
                    matcher.advance(&[bytes[choice as usize % bytes.len()]]).expect("it may come");
                    all.push((matcher.next_bytes(), matcher.is_complete()));
                }
                all
            };
            let first = Arc::new(Terms::default());
            let automaton = Automaton::compile_among(&grammars[0], "root", &first);
            read(&automaton.expect("it compiles"));
            let frozen = Arc::try_unwrap(first).expect("nobody has it").freeze();
            let len = frozen.len();
            for grammar in &grammars {
                let terms = Arc::new(frozen.extend());
                let among = Automaton::compile_among(grammar, "root", &terms).expect("it compiles");
                let alone = Automaton::compile(grammar, "root").expect("it compiles");
                prop_assert_eq!(read(&among), read(&alone));
                let fingerprints = |automaton: &Automaton| {
                    let terms = automaton.terms();
                    let of_label = |label| match label {
                        Label::Term(term) => Some(terms.fingerprint(term)),
                        _ => None,
                    };
                    automaton.terminals().filter_map(of_label).collect::<Vec<_>>()
                };
                prop_assert_eq!(fingerprints(&among), fingerprints(&alone));
                for at in 0..terms.len() as u32 {
                    terms.transitions(TermId(at));
                }
            }
            let again = frozen.extend();
            let known = (0..len as u32).filter_map(|at| again.known_row(TermId(at)));
            for &(.., next) in known.flat_map(|row| &row.ranges) {
                prop_assert!(next.index() < len);
            }
            prop_assert_eq!(frozen.len(), len);
        }
    }
}
