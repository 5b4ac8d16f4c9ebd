//! Alternatives that a loop beside or around them reads as well: behind the first match of an unanchored
//! pattern, where all may come, what is left of the pattern says nothing any more.
//!
//! Where a state is spelled in several ways, walks go from one spelling to the other and never find
//! that they are where they were.

use rustc_hash::FxHashMap;

use super::{ByteSet, Term, TermId, Terms, locked};

/// So many pairs of states are compared to see that a class contains another one.
const MAX_PAIRS: usize = 64;
/// So many parts of a term are looked at to see of which bytes its matches consist.
const MAX_PARTS: usize = 64;
/// Among more alternatives none is compared with all others.
const MAX_ALTERNATIVES: usize = 256;
/// So many answers are kept.
const MAX_KNOWN: usize = 1024;

/// Of two classes whether the first is seen to be within the other: an unanchored pattern asks this of the same
/// few in each of its states.
pub(super) type ClassesWithin = FxHashMap<(TermId, TermId), bool>;

impl Terms {
    /// Drops the alternatives that are seen to be contained in another one `x* rest`: those of parts
    /// that repetitions of `x` match, followed by the same rest.
    pub(super) fn absorb_by_loops(&self, items: &mut Vec<TermId>) {
        if items.len() > MAX_ALTERNATIVES {
            return;
        }
        let mut at = 0;
        while let Some(&absorbing) = items.get(at) {
            if let Some((item, rest)) = self.as_loop(absorbing) {
                items.retain(|&other| {
                    other == absorbing || !self.is_read_by(other, (absorbing, item, rest))
                });
                at = items.partition_point(|&other| other < absorbing);
            }
            at += 1;
        }
    }

    /// What as often repeated without bounds matches the same as a choice does: without the alternatives
    /// whose texts consist of single bytes that it has as well.
    pub(super) fn without_repeated_bytes(&self, choice: TermId) -> TermId {
        let Term::Alt(items) = &self.entry(choice).term else { return choice };
        let bytes = items.iter().find_map(|&item| match &self.entry(item).term {
            Term::Bytes(set) => Some((item, set)),
            _ => None,
        });
        let Some((bytes, set)) = bytes else { return choice };
        let is_kept = |&item: &TermId| item == bytes || !self.consists_of(item, set);
        if items.iter().all(is_kept) {
            return choice;
        }
        self.alt(items.iter().copied().filter(is_kept))
    }

    /// Whether all matches of a term are seen to consist of bytes of a set.
    fn consists_of(&self, term: TermId, set: &ByteSet) -> bool {
        let mut parts = vec![term];
        let mut at = 0;
        while let Some(&part) = parts.get(at) {
            at += 1;
            match &self.entry(part).term {
                Term::Empty => {}
                Term::Bytes(bytes) if bytes.is_subset(set) => {}
                &Term::Concat(first, second) => parts.extend([first, second]),
                Term::Alt(items) => parts.extend(items),
                &Term::Repeat { item, .. } => parts.push(item),
                _ => return false,
            }
            if parts.len() > MAX_PARTS {
                return false;
            }
        }
        true
    }

    /// What a term repeats without bounds, and what follows.
    fn as_loop(&self, term: TermId) -> Option<(TermId, TermId)> {
        let (first, rest) = self.split(term);
        match self.entry(first).term {
            Term::Repeat { item, min: 0, max: None } => Some((item, rest)),
            _ => None,
        }
    }

    /// What a term repeats up to how often, and what follows.
    pub(crate) fn as_optional(&self, term: TermId) -> Option<(TermId, u32, TermId)> {
        let (first, rest) = self.split(term);
        match self.entry(first).term {
            Term::Repeat { item, min: 0, max: Some(max) } => Some((item, max, rest)),
            _ => None,
        }
    }

    /// The first part of a term, and what follows.
    fn split(&self, term: TermId) -> (TermId, TermId) {
        match self.entry(term).term {
            Term::Concat(first, rest) => (first, rest),
            _ => (term, TermId::EMPTY),
        }
    }

    /// Whether a term is seen to be contained in the loop `all`, which is `item* rest`.
    fn is_read_by(&self, term: TermId, (all, item, rest): (TermId, TermId, TermId)) -> bool {
        let mut left = term;
        loop {
            if left == all || left == rest {
                return true;
            }
            match self.entry(left).term {
                Term::Concat(first, second) if self.is_repeated(first, item) => left = second,
                _ => return rest == TermId::EMPTY && self.is_repeated(left, item),
            }
        }
    }

    /// Whether each match of a term is seen to be some matches of `item`.
    fn is_repeated(&self, term: TermId, item: TermId) -> bool {
        if term == item {
            return true;
        }
        match self.entry(term).term {
            Term::Empty => true,
            Term::Repeat { item: repeated, .. } => self.is_repeated(repeated, item),
            Term::Bytes(_) | Term::Concat(..) | Term::Alt(_) => self.is_class_within(term, item),
            _ => false,
        }
    }

    /// Whether each match of a term is seen to be a match of another one, both without loops, as
    /// classes of characters are.
    fn is_class_within(&self, class: TermId, other: TermId) -> bool {
        let [bytes, others] = [class, other].map(|term| &self.entry(term).term);
        if let (Term::Bytes(bytes), Term::Bytes(others)) = (bytes, others) {
            return bytes.is_subset(others);
        }
        if let Some(&known) = locked(&self.within).get(&(class, other)) {
            return known;
        }
        let is_within = self.compare_classes(class, other);
        let mut within = locked(&self.within);
        if within.len() >= MAX_KNOWN {
            within.clear();
        }
        within.insert((class, other), is_within);
        is_within
    }

    /// The same by their transitions.
    fn compare_classes(&self, class: TermId, other: TermId) -> bool {
        let mut pairs = vec![(class, other)];
        let mut at = 0;
        while let Some(&(class, other)) = pairs.get(at) {
            at += 1;
            if !self.is_shallow(class) || !self.is_shallow(other) || pairs.len() > MAX_PAIRS {
                return false;
            }
            if self.nullable(class) && !self.nullable(other) {
                return false;
            }
            for &(lo, hi, to) in self.transitions(class) {
                // The first byte that leads nowhere in the other one, as far as is seen.
                let mut missed = u16::from(lo);
                for &(from, up_to, other) in self.transitions(other) {
                    if u16::from(up_to) < missed || from > hi {
                        continue;
                    }
                    if u16::from(from) > missed {
                        return false;
                    }
                    missed = u16::from(up_to) + 1;
                    if !pairs.contains(&(to, other)) {
                        pairs.push((to, other));
                    }
                }
                if missed <= u16::from(hi) {
                    return false;
                }
            }
        }
        true
    }

    /// Whether a term begins with bytes only, so that what follows them is a part of it.
    fn is_shallow(&self, term: TermId) -> bool {
        let begins_with_bytes = |term: TermId| self.after_bytes(term).is_some();
        match &self.entry(term).term {
            Term::Empty => true,
            Term::Alt(items) => {
                items.iter().all(|&item| item == TermId::EMPTY || begins_with_bytes(item))
            }
            _ => begins_with_bytes(term),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behind_the_first_match_of_a_pattern_all_is_one_state() {
        let terms = Terms::default();
        let any = terms.class(&[(' ', '!'), ('#', '~'), ('à', 'ü')]);
        let all = terms.repeat(any, 0, None);
        let quote = terms.text(b"\"");
        let rest = terms.concat(all, quote);
        for (pattern, text) in [
            (terms.text(b"ab"), "ab"),
            (terms.repeat(terms.class(&[('a', 'z'), ('é', 'ê')]), 1, None), "xé"),
            (terms.repeat(terms.class(&[('0', '9')]), 2, Some(4)), "007"),
        ] {
            let found = terms.concat(all, terms.concat(pattern, rest));
            assert_eq!(terms.reading(found, text.as_bytes()).after, rest);
            assert_ne!(found, rest);
        }
        let quoted = terms.alt([terms.concat(terms.text(b"x\"y"), rest), rest]);
        assert_eq!(terms.alternatives(quoted), 2, "the loop does not read a quote");
    }

    #[test]
    fn what_bytes_beside_it_repeat_is_no_choice_of_a_loop() {
        let terms = Terms::default();
        let letters = terms.class(&[('a', 'z')]);
        let few = terms.repeat(terms.text(b"no"), 0, Some(3));
        let words = [terms.text(b"a"), terms.text(b"abc"), few, terms.repeat(letters, 2, None)];
        for min in [0, 1, 3] {
            let loops = |item| terms.repeat(item, min, None);
            let choice = terms.alt(words.into_iter().chain([letters]));
            // As one of them may be empty, so may all of them.
            assert_eq!(loops(choice), terms.repeat(letters, 0, None));
            let choice = terms.alt([terms.text(b"abc"), letters]);
            assert_eq!(loops(choice), loops(letters));
            let other = terms.alt([terms.text(b"a-b"), letters]);
            assert_ne!(loops(other), loops(letters));
        }
        let twice = terms.alt([terms.text(b"ab"), letters]);
        assert_ne!(terms.repeat(twice, 0, Some(2)), terms.repeat(letters, 0, Some(2)));
        let long = terms.text(&vec![b'x'; 100_000]);
        assert_ne!(terms.repeat(terms.alt([long, letters]), 0, None), TermId::NOTHING);
    }

    #[test]
    fn of_two_loops_that_read_the_same_one_stays() {
        let terms = Terms::default();
        let [a, b] = [[('a', 'f'), ('g', 'z')], [('a', 'm'), ('n', 'z')]]
            .map(|class| terms.repeat(terms.repeat(terms.class(&class), 1, Some(1)), 0, None));
        assert_eq!(a, b);
        let vowels = terms.repeat(terms.class(&[('a', 'a'), ('e', 'e')]), 0, None);
        let twice = terms.concat(vowels, a);
        assert_eq!(terms.alt([twice, a, vowels]), a);
    }
}
