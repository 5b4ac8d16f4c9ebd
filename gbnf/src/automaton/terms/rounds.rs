//! The number of rounds of a loop, told apart from the rest of a term.
//!
//! `(word blank){0,9} word` has states of its own for each number of words that are left. As long as there
//! are rounds left, they are all alike, and like those of the loop without a bound.

use super::{Term, TermId, Terms};

/// A term but for the bound of its loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// The term without the bound.
    pub free: TermId,
    /// What the bound is: the least, if what is left of the term has the loop several times. None without a loop
    /// that has one.
    pub left: Option<u32>,
}

/// The loop that has been met.
#[derive(Default)]
struct Met {
    item: Option<TermId>,
    left: Option<u32>,
}

impl Terms {
    /// A term without the bound of its loop. Nothing if it has several loops, or one within a conjunction;
    /// loops over few characters are none.
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
        let mut met = Met::default();
        let free = self.without_rounds(term, &mut met)?;
        Some(Rounds { free, left: met.left })
    }

    /// Loops are not far down in a term: see [`Terms::levels_of_bounds`].
    fn without_rounds(&self, term: TermId, met: &mut Met) -> Option<TermId> {
        if self.entry(term).levels_of_bounds == 0 {
            return Some(term);
        }
        Some(match &self.entry(term).term {
            &Term::Concat(first, second) => {
                let first = self.without_rounds(first, met)?;
                self.concat(first, self.without_rounds(second, met)?)
            }
            Term::Alt(items) => {
                let items = items.iter().map(|&item| self.without_rounds(item, met));
                self.alt(items.collect::<Option<Vec<_>>>()?)
            }
            &Term::Repeat { item, min, max: Some(max) } if self.is_loop(item) => {
                let has_loops = self.entry(item).levels_of_bounds > 0;
                if has_loops || *met.item.get_or_insert(item) != item {
                    return None;
                }
                met.left = Some(met.left.map_or(max, |left| left.min(max)));
                self.repeat(item, min, None)
            }
            &Term::Repeat { item, min, max } => {
                let item = self.without_rounds(item, met)?;
                self.repeat(item, min, max)
            }
            Term::All { .. } => return None,
            _ => term,
        })
    }
}
