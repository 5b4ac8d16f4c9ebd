//! Terms that match nothing but blanks, which make no difference between items, and terms that begin with such.

use rustc_hash::FxHashSet;

use super::{Term, TermId, Terms};
use crate::automaton::canonical::BLANKS;

/// Of a term with more states it is not found.
const MOST_STATES: usize = 256;

impl Terms {
    /// A term as some number of blanks and what comes behind them, which is not empty; `None` if it does not begin
    /// so.
    ///
    /// ```
    /// use grammask_gbnf::Terms;
    /// let terms = Terms::default();
    /// let blanks = terms.repeat(terms.text(b" "), 0, Some(3));
    /// let value = terms.text(b"true");
    /// assert_eq!(terms.behind_blanks(terms.concat(blanks, value)), Some((blanks, value)));
    /// assert_eq!(terms.behind_blanks(value), None);
    /// ```
    pub fn behind_blanks(&self, term: TermId) -> Option<(TermId, TermId)> {
        let &Term::Concat(blanks, behind) = &self.entry(term).term else { return None };
        let is_number = matches!(self.entry(blanks).term, Term::Repeat { .. });
        (is_number && !self.nullable(behind) && self.is_blank(blanks)).then_some((blanks, behind))
    }

    /// Whether the term matches nothing but blanks; not found where it has many states.
    pub(crate) fn is_blank(&self, term: TermId) -> bool {
        if let Some(&known) = self.further(term).blank.get() {
            return known;
        }
        let mut met = FxHashSet::from_iter([term]);
        let mut pending = vec![term];
        while let Some(state) = pending.pop() {
            for &(low, high, next) in self.transitions(state) {
                if met.len() > MOST_STATES || !(low..=high).all(|byte| BLANKS.contains(&byte)) {
                    return *self.further(term).blank.get_or_init(|| false);
                }
                if met.insert(next) {
                    pending.push(next);
                }
            }
        }
        // What was met on the way need not be looked at again.
        met.into_iter().all(|met| *self.further(met).blank.get_or_init(|| true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks() {
        let terms = Terms::default();
        let blank = terms.class(&[('\t', '\n'), (' ', ' ')]);
        let blanks = terms.repeat(blank, 0, Some(64));
        assert!(terms.is_blank(blank) && terms.is_blank(blanks) && terms.is_blank(TermId::EMPTY));
        assert!(terms.is_blank(terms.next(blanks, b' ')));
        let others = [
            terms.concat(blanks, terms.text(b"}")),
            terms.class(&[('\t', ' ')]),
            terms.class(&[('\u{a0}', '\u{a0}')]),
            terms.repeat(blank, 0, Some(1_000)),
        ];
        for term in others {
            assert!(!terms.is_blank(term), "{term:?}");
        }
    }
}
