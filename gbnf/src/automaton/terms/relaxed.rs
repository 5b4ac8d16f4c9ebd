//! Terms without the numbers that they count: what matches is no less, and has far fewer states.
//!
//! That several terms have nothing in common would take a look at all that they count side by side: of an
//! address, whose parts have at most 64, 63 and 253 characters, beside the end that it must have, a hundred thousand
//! states. Mostly they have nothing in common whatever is counted.

use super::{Term, TermId, Terms, locked};

impl Terms {
    /// A term that matches all that this one does, in which nothing is counted; it is its own. Rules of a system stay
    /// as they are.
    pub(super) fn relaxed(&self, term: TermId) -> TermId {
        if let Some(known) = locked(&self.relaxed).get(&term).copied() {
            return known;
        }
        // As deep as the term is nested.
        let relaxed = stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.relax(term));
        let mut known = locked(&self.relaxed);
        known.insert(term, relaxed);
        known.insert(relaxed, relaxed);
        relaxed
    }

    fn relax(&self, term: TermId) -> TermId {
        let relaxed = |&part: &TermId| self.relaxed(part);
        match &self.entry(term).term {
            Term::Concat(first, second) => self.concat(relaxed(first), relaxed(second)),
            Term::Alt(items) => self.alt(items.iter().map(relaxed)),
            Term::Repeat { item, min, max } => {
                let max = max.filter(|&max| max == 1);
                self.repeat(relaxed(item), (*min).min(1), max)
            }
            Term::All { all, none } => {
                // Less is excluded without those that count.
                let none = none.iter().copied().filter(|none| relaxed(none) == *none);
                self.conjunction(all.iter().map(relaxed), none)
            }
            Term::Nothing | Term::Empty | Term::Bytes(_) | Term::Rule { .. } | Term::Hole(_) => {
                term
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_a_term_matches_is_a_match_without_counting() {
        let terms = Terms::default();
        let (a, b) = (terms.text(b"a"), terms.text(b"b"));
        let ab = terms.alt([a, b]);
        let some = |item, min, max| terms.repeat(item, min, max);
        let not_long =
            terms.conjunction([some(ab, 1, Some(4))], [some(a, 2, Some(3)), some(b, 0, None)]);
        let counted = [
            some(ab, 2, Some(3)),
            terms.concat(some(a, 0, Some(2)), some(b, 3, None)),
            terms.alt([some(a, 2, Some(2)), terms.concat(b, some(ab, 0, Some(1)))]),
            some(terms.concat(a, some(b, 1, Some(2))), 2, Some(2)),
            not_long,
            terms.concat(not_long, b),
        ];
        for term in counted {
            let relaxed = terms.relaxed(term);
            assert_eq!(terms.relaxed(relaxed), relaxed);
            for text in
                (0..8).flat_map(|length| (0..1_u32 << length).map(move |bits| (length, bits)))
            {
                let (length, bits) = text;
                let read = |term| {
                    (0..length).fold(term, |term, at| {
                        terms.next(term, if bits >> at & 1 == 1 { b'a' } else { b'b' })
                    })
                };
                let (before, after) = (read(term), read(relaxed));
                assert!(!terms.nullable(before) || terms.nullable(after), "{term:?} {text:?}");
            }
        }
        assert_ne!(terms.relaxed(not_long), not_long);
    }

    #[test]
    fn what_has_nothing_in_common_is_not_counted_out() {
        let terms = Terms::default();
        let (letter, at) = (terms.class(&[('a', 'z'), ('.', '.')]), terms.text(b"@"));
        let parts = |most| terms.repeat(letter, 1, Some(most));
        let label = terms.repeat(terms.class(&[('a', 'z')]), 1, Some(63));
        let more = terms.repeat(terms.concat(terms.text(b"."), label), 0, None);
        let host = terms.conjunction([terms.concat(label, more), parts(253)], []);
        let address = terms.concat(parts(64), terms.concat(at, host));
        let any = terms.class(&[('a', 'z'), ('.', '.'), ('@', '@')]);
        let end = terms.concat(terms.repeat(any, 0, None), terms.text(b"@b.c"));
        let both = terms.all(vec![address, end], Vec::new()).expect("it is found");
        let behind = b"joe@a".iter().fold(both, |term, &byte| terms.next(term, byte));
        assert_eq!(behind, TermId::NOTHING);
        assert!(terms.size() < 2_000, "{}", terms.size());
        let ended = b"joe@b.c".iter().fold(both, |term, &byte| terms.next(term, byte));
        assert!(terms.nullable(ended));
    }
}
