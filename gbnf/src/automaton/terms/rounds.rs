//! The number of rounds of a loop, told apart from the rest of a term.
//!
//! `(word blank){0,9} word` has states of its own for each number of words that are left. As long as there
//! are rounds left, they are all alike, and like those of the loop without a bound.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{Term, TermId, Terms, join, locked};

/// A term but for the bound of its loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// The term without the bound.
    pub free: TermId,
    /// What the bound is: the least, if what is left of the term has the loop several times. None without a loop
    /// that has one.
    pub left: Option<u32>,
    /// What is repeated.
    item: Option<TermId>,
}

/// See [`Terms::rounds`].
pub(super) type RoundsKnown = FxHashMap<TermId, Option<Rounds>>;

impl Rounds {
    /// Of a term that consists of parts, which are built anew without their bounds; nothing if these have several
    /// loops.
    fn of_parts(parts: &[Self], build: impl FnOnce(&[TermId]) -> TermId) -> Option<Self> {
        let item = parts.iter().find_map(|part| part.item);
        if parts.iter().any(|part| part.item.is_some() && part.item != item) {
            return None;
        }
        let free: SmallVec<[TermId; 8]> = parts.iter().map(|part| part.free).collect();
        let left = parts.iter().filter_map(|part| part.left).min();
        Some(Self { free: build(&free), left, item })
    }
}

impl Terms {
    /// A term without the bound of its loop. Nothing if it has several loops, or one within a conjunction or another
    /// loop; loops over few characters are none.
    ///
    /// ```
    /// use grammask_gbnf::Terms;
    /// let terms = Terms::default();
    /// let word = terms.repeat(terms.class(&[('!', '~')]), 1, None);
    /// let words = |most| {
    ///     terms.concat(terms.repeat(terms.concat(word, terms.text(b" ")), 0, most), word)
    /// };
    /// let rounds = terms.rounds(words(Some(9))).expect("there is one loop");
    /// assert_eq!((rounds.free, rounds.left), (words(None), Some(9)));
    /// assert_eq!(terms.rounds(word).expect("there is none").left, None);
    /// ```
    pub fn rounds(&self, term: TermId) -> Option<Rounds> {
        if self.entry(term).levels_of_bounds == 0 {
            return Some(Rounds { free: term, left: None, item: None });
        }
        if let Some(known) = self.known_of(|terms| locked(&terms.rounds).get(&term).copied()) {
            return known;
        }
        // Loops are not far down in a term: see [`Terms::levels_of_bounds`].
        let found = self.find_rounds(term);
        locked(&self.rounds).insert(term, found);
        found
    }

    /// Whether a term goes on with each byte as it does without the bound of its loop, but for what the bound is then. It
    /// does not where the last round begins.
    ///
    /// ```
    /// use grammask_gbnf::Terms;
    /// let terms = Terms::default();
    /// let item = terms.concat(terms.class(&[('!', '~')]), terms.text(b"\n"));
    /// assert!(terms.goes_on_without_bound(terms.repeat(item, 0, Some(2))));
    /// assert!(!terms.goes_on_without_bound(terms.repeat(item, 0, Some(1))));
    /// ```
    pub fn goes_on_without_bound(&self, term: TermId) -> bool {
        let Some(Rounds { free, .. }) = self.rounds(term) else { return false };
        let ways = self.transitions(term).iter();
        let ways = ways.map(|&(lo, hi, next)| Some((lo, hi, self.rounds(next)?.free)));
        ways.collect::<Option<Vec<_>>>().is_some_and(|mut ways| {
            join(&mut ways);
            ways == self.transitions(free)
        })
    }

    fn find_rounds(&self, term: TermId) -> Option<Rounds> {
        match &self.entry(term).term {
            &Term::Concat(first, second) => {
                let parts = [self.rounds(first)?, self.rounds(second)?];
                Rounds::of_parts(&parts, |free| self.concat(free[0], free[1]))
            }
            Term::Alt(items) => {
                let parts: Option<SmallVec<[Rounds; 4]>> =
                    items.iter().map(|&item| self.rounds(item)).collect();
                Rounds::of_parts(&parts?, |free| self.alt(free.iter().copied()))
            }
            &Term::Repeat { item, min, max: Some(max) } if self.is_loop(item) => {
                let has_loops = self.entry(item).levels_of_bounds > 0;
                let free = self.repeat(item, min, None);
                (!has_loops).then_some(Rounds { free, left: Some(max), item: Some(item) })
            }
            &Term::Repeat { item, min, max } => {
                Rounds::of_parts(&[self.rounds(item)?], |free| self.repeat(free[0], min, max))
            }
            Term::All { .. } => None,
            _ => Some(Rounds { free: term, left: None, item: None }),
        }
    }
}
