//! What several terms match at once. The states of such a conjunction are made when they are
//! needed: the automaton of a pattern and that of a length, say, would have a state for each state
//! of the one beside each of the other.
//!
//! A conjunction of terms that match something may match nothing. So that a state that is reached
//! can always be completed, each new one is followed up until a text of it is found, unless one is
//! seen at once ([`super::witness`]).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::row::{join, side_by_side};
use super::{Term, TermId, Terms, locked};

/// So many states are followed up in search of a text. If none is found among them, a grammar that
/// begins there is refused, and a text does not go on there.
const MAX_SEARCH: usize = 100_000;

/// A letter and a digit: most texts that go on may do so with one of them.
const USUAL: [u8; 2] = *b"e0";

/// The search for a text of a conjunction took too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SearchTooLong;

/// Mostly these are few.
type Parts = SmallVec<[TermId; 4]>;

/// A way from a state to those behind it.
type Ranges = Vec<(u8, u8, TermId)>;

/// What several terms match at once, as it may be without being a term.
enum Common {
    Term(TermId),
    All(AllOf),
}

/// What all of the first match and none of the others, as [`Term::All`] has them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct AllOf {
    all: Parts,
    none: Parts,
}

/// Of which conjunctions a search has found out whether they have a text.
pub(super) type Searched = FxHashMap<AllOf, Result<bool, SearchTooLong>>;

impl Terms {
    /// What all of some terms match and none of some others, if it is found out whether there is a
    /// text.
    pub(crate) fn all(&self, all: Vec<TermId>, none: Vec<TermId>) -> Result<TermId, SearchTooLong> {
        let term = self.conjunction(all, none);
        Ok(if self.has_text(term, MAX_SEARCH)? { self.settled(term) } else { TermId::NOTHING })
    }

    /// The conjunction, whether or not it matches anything.
    pub(super) fn conjunction(
        &self,
        parts: impl IntoIterator<Item = TermId>,
        none: impl IntoIterator<Item = TermId>,
    ) -> TermId {
        match self.common(parts, none) {
            Common::Term(term) => term,
            Common::All(AllOf { all, none }) => {
                let (all, none) = (all.into_boxed_slice(), none.into_boxed_slice());
                self.intern(Term::All { all, none })
            }
        }
    }

    /// The same without a new term, for those that are only passed by.
    fn common(
        &self,
        parts: impl IntoIterator<Item = TermId>,
        none: impl IntoIterator<Item = TermId>,
    ) -> Common {
        let (mut all, mut none) = (Parts::new(), Parts::from_iter(none));
        for part in parts {
            match &self.entry(part).term {
                Term::All { all: inner, none: inner_none } => {
                    all.extend_from_slice(inner);
                    none.extend_from_slice(inner_none);
                }
                _ => all.push(part),
            }
        }
        none.retain(|&mut term| term != TermId::NOTHING);
        for terms in [&mut all, &mut none] {
            terms.sort_unstable();
            terms.dedup();
        }
        let is_empty = |term: &TermId| *term == TermId::EMPTY;
        let of = AllOf { all, none };
        if of.all.contains(&TermId::NOTHING) || of.none.iter().any(|term| of.all.contains(term)) {
            Common::Term(TermId::NOTHING)
        } else if of.all.iter().any(is_empty) {
            let is_match = self.is_nullable_conjunction(&of);
            Common::Term(if is_match { TermId::EMPTY } else { TermId::NOTHING })
        } else if let (&[term], []) = (&of.all[..], &of.none[..]) {
            Common::Term(term)
        } else {
            Common::All(of)
        }
    }

    fn is_nullable_conjunction(&self, of: &AllOf) -> bool {
        of.all.iter().all(|&term| self.nullable(term))
            && !of.none.iter().any(|&term| self.nullable(term))
    }

    /// Where the bytes lead from a conjunction, dead ends left out.
    pub(super) fn derive_all(&self, all: &[TermId], none: &[TermId]) -> Ranges {
        let mut ranges = self.ways(all, none);
        ranges.retain(|&(_, _, to)| self.may_follow(to));
        for (_, _, to) in &mut ranges {
            *to = self.settled(*to);
        }
        join(&mut ranges);
        ranges
    }

    /// Where one byte leads from a conjunction.
    pub(super) fn next_of_all(&self, all: &[TermId], none: &[TermId], byte: u8) -> TermId {
        self.proven(self.after(all, none, |term| self.next(term, byte)))
    }

    /// A conjunction of what comes after its parts.
    fn after(&self, all: &[TermId], none: &[TermId], next: impl Fn(TermId) -> TermId) -> TermId {
        let after = |terms: &[TermId]| -> Parts { terms.iter().map(|&term| next(term)).collect() };
        self.conjunction(after(all), after(none))
    }

    /// A conjunction, or nothing if it is a dead end.
    pub(super) fn proven(&self, term: TermId) -> TermId {
        if self.may_follow(term) { self.settled(term) } else { TermId::NOTHING }
    }

    /// A term that matches something, in its one spelling if that is the empty text alone.
    fn settled(&self, term: TermId) -> TermId {
        let Term::All { all, none } = &self.entry(term).term else { return term };
        let goes_on = || {
            self.goes_on_usually(all, none)
                || self.some_way(all, none, |_, _, to| self.may_follow(to))
        };
        if self.nullable(term) && !goes_on() { TermId::EMPTY } else { term }
    }

    /// Whether a conjunction goes on with a byte with which many texts do: that is found without the
    /// transitions by all others, which most states of a length are never asked for.
    fn goes_on_usually(&self, all: &[TermId], none: &[TermId]) -> bool {
        let beginnings = self.common_beginnings(all);
        let usual = USUAL.into_iter().find(|&byte| beginnings.contains(byte));
        usual.is_some_and(|byte| {
            self.may_follow(self.after(all, none, |term| self.only_next(term, byte)))
        })
    }

    /// Whether a way leads to no dead end, as far as is found out.
    fn may_follow(&self, to: TermId) -> bool {
        self.has_text(to, MAX_SEARCH).unwrap_or(false)
    }

    /// Where the bytes lead from a conjunction, perhaps to dead ends.
    fn ways(&self, all: &[TermId], none: &[TermId]) -> Ranges {
        let mut found = Ranges::new();
        self.some_way(all, none, |lo, hi, to| {
            found.push((lo, hi, to));
            false
        });
        join(&mut found);
        found
    }

    /// The same, one after the other, until one is what is looked for; whether one is.
    fn some_way(
        &self,
        all: &[TermId],
        none: &[TermId],
        mut is_it: impl FnMut(u8, u8, TermId) -> bool,
    ) -> bool {
        self.some_step(all, none, |lo, hi, targets, excluded| {
            let to = self.conjunction(targets.iter().copied(), excluded.iter().copied());
            to != TermId::NOTHING && is_it(lo, hi, to)
        })
    }

    /// Where the bytes lead from each of the parts, as long as all of the former lead anywhere, until one
    /// step is what is looked for; whether one is.
    fn some_step(
        &self,
        all: &[TermId],
        none: &[TermId],
        mut is_it: impl FnMut(u8, u8, &[TermId], &[TermId]) -> bool,
    ) -> bool {
        let terms = all.iter().chain(none);
        let mut rows: SmallVec<[_; 4]> = terms.map(|&term| self.transitions(term)).collect();
        side_by_side(&mut rows, |lo, hi, targets| {
            let (targets, excluded) = targets.split_at(all.len());
            !targets.contains(&TermId::NOTHING) && is_it(lo, hi, targets, excluded)
        })
    }

    /// Whether some text matches. A search goes through no more than `limit` states.
    pub(super) fn has_text(&self, term: TermId, limit: usize) -> Result<bool, SearchTooLong> {
        if let Some(known) = self.known_to_have_text(term) {
            return known;
        }
        let Term::All { all, none } = &self.entry(term).term else { return Ok(true) };
        let of = AllOf { all: all[..].into(), none: none[..].into() };
        let found = self.searched(&of).unwrap_or_else(|| {
            let is_seen = self.fits_length(all, none)
                || self.have_text_straight_on(all, none)
                || none.is_empty() && self.have_text_in_common(all);
            if is_seen {
                return Ok(true);
            }
            // Where there is nothing whatever is counted, nothing need be counted. What is noted of another term
            // must not come from a small limit.
            if limit == MAX_SEARCH {
                let relaxed = self.relaxed(term);
                if relaxed != term && self.has_text(relaxed, limit) == Ok(false) {
                    return Ok(false);
                }
            }
            self.search(of, limit)
        });
        self.note(term, found)
    }

    /// Looks for a text of a conjunction, first where the least is left to be read. The states that are
    /// passed by are no terms: most are never met again.
    fn search(&self, start: AllOf, limit: usize) -> Result<bool, SearchTooLong> {
        let mut has_text = self.is_nullable_conjunction(&start);
        let mut ahead = BinaryHeap::from([(Reverse(self.shortest_of_all(&start)), 0)]);
        let mut numbers = FxHashMap::from_iter([(start.clone(), 0)]);
        let mut met = vec![start];
        let mut edges: Vec<(u32, u32)> = Vec::new();
        // What is left if nothing is found.
        let mut none_found = Ok(false);
        let found = loop {
            let Some((_, at)) = ahead.pop() else { break None };
            let AllOf { all, none } = met[at as usize].clone();
            self.some_step(&all, &none, |_, _, targets, excluded| {
                let next = match self.common(targets.iter().copied(), excluded.iter().copied()) {
                    Common::Term(term) => {
                        has_text |= term != TermId::NOTHING;
                        return has_text;
                    }
                    Common::All(next) => next,
                };
                if let Some(&number) = numbers.get(&next) {
                    edges.push((at, number));
                } else if let Some(known) = self.searched(&next) {
                    has_text |= known == Ok(true);
                    none_found = none_found.and(known.and(Ok(false)));
                } else {
                    let number = met.len() as u32;
                    has_text |= self.is_nullable_conjunction(&next);
                    ahead.push((Reverse(self.shortest_of_all(&next)), number));
                    numbers.insert(next.clone(), number);
                    met.push(next);
                    edges.push((at, number));
                }
                has_text
            });
            if has_text {
                break Some(at);
            }
            if met.len() > limit {
                if limit < MAX_SEARCH {
                    // With a greater one there might be an answer.
                    return Err(SearchTooLong);
                }
                none_found = Err(SearchTooLong);
                break None;
            }
        };
        // What was met need not be searched again.
        let mut searched = locked(&self.searched);
        let Some(found) = found else {
            searched.extend(met.into_iter().map(|state| (state, none_found)));
            return none_found;
        };
        // What leads there has a text as well.
        let mut sources = vec![Vec::new(); met.len()];
        for (from, to) in edges {
            sources[to as usize].push(from);
        }
        let mut pending = vec![found];
        while let Some(at) = pending.pop() {
            if searched.insert(met[at as usize].clone(), Ok(true)).is_none() {
                pending.append(&mut sources[at as usize]);
            }
        }
        Ok(true)
    }

    /// What a search has found out.
    fn searched(&self, of: &AllOf) -> Option<Result<bool, SearchTooLong>> {
        self.known_of(|terms| locked(&terms.searched).get(of).copied())
    }

    fn shortest_of_all(&self, of: &AllOf) -> u32 {
        of.all.iter().map(|&term| self.shortest(term)).max().unwrap_or(0)
    }

    pub(super) fn known_to_have_text(&self, term: TermId) -> Option<Result<bool, SearchTooLong>> {
        match self.entry(term).term {
            Term::All { .. } => self.further(term).has_text.get().copied(),
            _ => Some(Ok(term != TermId::NOTHING)),
        }
    }

    /// Notes, and returns, whether a conjunction has a text.
    pub(super) fn note(
        &self,
        term: TermId,
        has_text: Result<bool, SearchTooLong>,
    ) -> Result<bool, SearchTooLong> {
        // Another thread may have found the same.
        let _ = self.further(term).has_text.set(has_text);
        has_text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dead_ends_are_nothing() {
        let terms = Terms::default();
        let class = terms.class(&[('a', 'z')]);
        let words = terms.repeat(class, 1, Some(3));
        let others = terms.all(vec![words], vec![terms.text(b"no")]).unwrap();
        let n = terms.next(others, b'n');
        assert!(terms.nullable(n) && !terms.nullable(terms.next(n, b'o')));
        let both = terms.all(vec![words, terms.text(b"four")], Vec::new());
        assert_eq!(both, Ok(TermId::NOTHING));
    }

    /// Digits that are divisible by a number, as a system of rules: one for each remainder.
    fn multiples(terms: &Terms, of: u32) -> TermId {
        let bodies: Vec<TermId> = (0..of)
            .map(|rest| {
                let digit = |digit: u32| {
                    let next = terms.hole((rest * 10 + digit) % of);
                    terms.concat(terms.text(&[b'0' + digit as u8]), next)
                };
                let end = (rest == 0).then_some(TermId::EMPTY);
                terms.alt((0..10).map(digit).chain(end))
            })
            .collect();
        let nullable: Vec<bool> = (0..of).map(|rest| rest == 0).collect();
        terms.system(&bodies, &nullable)[0]
    }

    #[test]
    fn a_search_finds_what_there_is_and_makes_no_terms() {
        let terms = Terms::default();
        let some = |of: &[u32]| of.iter().map(|&of| multiples(&terms, of)).collect::<Vec<_>>();
        let is_conjunction =
            |term: &u32| matches!(terms.entry(TermId(*term)).term, Term::All { .. });
        let conjunctions = || (0..terms.len() as u32).filter(is_conjunction).count();
        let digits = |most| terms.repeat(terms.class(&[('0', '9')]), 1, Some(most));
        // Of 7, 11 and 13 the least common multiple is 1001.
        for (all, none, digits_at_most) in
            [(&[7, 11, 13][..], &[2, 5][..], 4), (&[7, 11, 13], &[1001], 5), (&[8], &[2], 9)]
        {
            let has_any = |most: u32| {
                (0..10_u32.pow(most.min(6))).any(|number| {
                    all.iter().all(|of| number % of == 0) && none.iter().all(|of| number % of != 0)
                })
            };
            for most in 1..=digits_at_most {
                let parts = [some(all), vec![digits(most)]].concat();
                let conjunction = terms.conjunction(parts, some(none));
                // That which counts nothing is a term, as it serves for all numbers.
                terms.relaxed(conjunction);
                let before = conjunctions();
                assert_eq!(
                    terms.has_text(conjunction, MAX_SEARCH),
                    Ok(has_any(most)),
                    "{all:?} {most}"
                );
                assert_eq!(conjunctions(), before);
            }
        }
    }

    #[test]
    fn the_empty_text_alone_has_one_spelling() {
        let terms = Terms::default();
        let maybe = |text: &[u8]| terms.repeat(terms.text(text), 0, Some(1));
        assert_eq!(terms.all(vec![maybe(b"ab"), maybe(b"aa")], Vec::new()), Ok(TermId::EMPTY));
        let behind_x = |end: &[u8]| terms.concat(terms.text(b"x"), maybe(end));
        let both = terms.all(vec![behind_x(b"ab"), behind_x(b"aa")], Vec::new()).unwrap();
        assert_eq!(terms.next(both, b'x'), TermId::EMPTY);
    }
}
