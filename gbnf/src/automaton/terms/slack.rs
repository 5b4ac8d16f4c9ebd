//! Bounds on lengths that a short text cannot reach.
//!
//! A pattern beside a length is a conjunction with a state for each state of the pattern beside
//! each number of characters that are left; a loop that is counted has a state for each count. As
//! long as many are left, what may come next is what the pattern alone says, or the loop without a
//! bound, and whatever is known of that holds for all of them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{ByteSet, Term, TermId, Terms, locked};
use crate::graph::Graph;

/// Among so many states it is found out whether a part of a pattern is made of the characters of a
/// length.
const MAX_SEARCH: usize = 1_000;

/// Of a conjunction with more states nobody knows how long its ways out are.
const MAX_STATES: usize = 512;

/// The same where so many terms are made on the way, as where texts of conjunctions are hard to find.
const MOST_TERMS: usize = 1 << 14;

/// So many iterations make few enough states, as in a label of a host name.
const FEW_TIMES: u32 = 64;

/// A loop over so few bytes has few texts, and is quick to walk through with its bound. Those over digits are met
/// the most, as numbers have as many digits as can be told apart.
const FEW_BYTES: usize = 32;

/// A loop that is further down in a term is not looked for: an automaton that is written as a rule for each
/// state is as deep as its way is long, and would be walked through for what comes at its end.
const MOST_LEVELS: u8 = 32;

/// See [`Terms::without_bounds`].
pub(super) type BoundsLeftOut = FxHashMap<(TermId, Longest), (TermId, usize)>;

/// How long texts are that may reach a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Longest {
    /// They have at most so many bytes.
    pub bytes: usize,
    /// At most so many digits are in a row within one. Where that is not known, it is the greatest number.
    pub digits: usize,
}

impl From<usize> for Longest {
    /// Texts of at most so many bytes, of which more is not known.
    fn from(bytes: usize) -> Self {
        Self { bytes, digits: usize::MAX }
    }
}

/// See [`Terms::prolonged`].
pub(super) type TextsProlonged = FxHashMap<(TermId, TermId), Option<Prolonged>>;

impl Terms {
    /// The term without those bounds on numbers of iterations and characters that no text of such a length
    /// reaches, and up to how many bytes no text with as few digits in a row tells the two apart: neither in what
    /// may follow it nor in whether it is a match. Loops over few characters keep their bounds, but for digits. If
    /// none is left out, the term is the same and the number the greatest.
    ///
    /// ```
    /// use grammask_gbnf::{Automaton, Label, parse};
    /// let grammar = parse(r#"root ::= @all([a-z]+ "-" [0-9]; [a-z0-9-]{0,100})"#)?;
    /// let automaton = Automaton::compile(&grammar, "root")?;
    /// let mut session = automaton.session();
    /// let start = session.start();
    /// let Label::Term(term) = start.entries()[0].label else { panic!("it is a terminal") };
    /// let (free, bytes) = automaton.terms().without_bounds(term, 90.into());
    /// assert_ne!(free, term);
    /// assert!((90..100).contains(&bytes));
    /// assert_eq!(automaton.terms().without_bounds(term, 100.into()), (term, usize::MAX));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn without_bounds(&self, term: TermId, longest: Longest) -> (TermId, usize) {
        if self.entry(term).levels_of_bounds == 0 {
            return (term, usize::MAX);
        }
        let key = (term, longest);
        if let Some(known) = self.known_of(|terms| locked(&terms.without_bounds).get(&key).copied())
        {
            return known;
        }
        // As deep as the term is nested.
        let found =
            stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.find_without_bounds(term, longest));
        locked(&self.without_bounds).insert(key, found);
        found
    }

    /// How many levels there are from a term down to the lowest of the loops in it whose bounds may be
    /// left out, itself among them: none if there is no such loop, or they are too far down.
    pub(super) fn levels_of_bounds(&self, term: &Term, parts: &[TermId]) -> u8 {
        let levels = parts.iter().map(|part| self.entry(*part).levels_of_bounds);
        match levels.max().unwrap_or(0) {
            0 => self.may_leave_bound_out(term).into(),
            MOST_LEVELS => 0,
            below => below + 1,
        }
    }

    /// Whether a term may be a loop whose bound is left out for some number of bytes, its parts aside.
    fn may_leave_bound_out(&self, term: &Term) -> bool {
        let &Term::Repeat { item, max: Some(_), .. } = term else { return false };
        match &self.entry(item).term {
            Term::Bytes(set) => set.len() > FEW_BYTES || are_digits(set),
            _ => !self.nullable(item),
        }
    }

    /// Whether what is repeated makes a loop whose bound may be left out.
    pub(super) fn is_loop(&self, item: TermId) -> bool {
        !self.nullable(item) && self.first(item).len() > FEW_BYTES
    }

    fn find_without_bounds(&self, term: TermId, longest: Longest) -> (TermId, usize) {
        let same = (term, usize::MAX);
        match &self.entry(term).term {
            &Term::Concat(first, second) => {
                let (first, short) = self.without_bounds(first, longest);
                let (second, shorter) = self.without_bounds(second, longest);
                (self.concat(first, second), short.min(shorter))
            }
            Term::Alt(items) => {
                let free = items.iter().map(|&item| self.without_bounds(item, longest));
                let (items, short): (Vec<TermId>, Vec<usize>) = free.unzip();
                (self.alt(items), short.into_iter().min().unwrap_or(usize::MAX))
            }
            &Term::Repeat { item, min, mut max } => {
                let (free, mut short) = self.without_bounds(item, longest);
                if let Some(most) = max {
                    // The last iteration but one is over.
                    let rounds = most as usize - 1;
                    if self.is_loop(item) {
                        let reached = rounds.saturating_mul(self.shortest(item) as usize);
                        if reached >= longest.bytes {
                            max = None;
                            short = short.min(reached);
                        }
                    } else if let Term::Bytes(set) = &self.entry(item).term
                        && are_digits(set)
                        && rounds >= longest.digits
                    {
                        max = None;
                    }
                }
                (self.repeat(free, min, max), short)
            }
            Term::All { all, none } => {
                self.free_conjunction(all, none, longest.bytes).unwrap_or(same)
            }
            Term::Nothing | Term::Empty | Term::Bytes(_) | Term::Rule { .. } | Term::Hole(_) => {
                same
            }
        }
    }

    /// A conjunction without bounds, and up to how many bytes a text and what completes it in the shortest
    /// way reach none of them.
    fn free_conjunction(
        &self,
        all: &[TermId],
        none: &[TermId],
        bytes: usize,
    ) -> Option<(TermId, usize)> {
        // What completes a text may have more digits in a row than the text.
        let free = all.iter().map(|&part| self.without_bounds(part, bytes.into()));
        let (mut parts, short): (Vec<TermId>, Vec<usize>) = free.unzip();
        if parts == all {
            return None;
        }
        let reached = short.into_iter().min()?;
        self.drop_any_lengths(&mut parts);
        let free = self.conjunction(parts, none.iter().copied());
        let way_out = self.way_out_by_states(free)?;
        let short = reached.checked_sub(way_out as usize)?;
        (short >= bytes).then_some((free, short))
    }

    /// Drops the parts of a conjunction that are lengths without bounds, and say nothing about what is made of their
    /// characters anyway.
    pub(super) fn drop_any_lengths(&self, parts: &mut Vec<TermId>) {
        let mut at = 0;
        while let Some(&part) = parts.get(at) {
            let others = || parts.iter().enumerate().filter(|&(other, _)| other != at);
            let says_nothing = match self.entry(part).term {
                Term::Repeat { item, min: min @ (0 | 1), max: None } => {
                    let any_length = self.repeat(item, 0, None);
                    others().any(|(_, &other)| {
                        (min == 0 || !self.nullable(other)) && self.is_within(other, any_length)
                    })
                }
                _ => false,
            };
            if says_nothing {
                parts.swap_remove(at);
            } else {
                at += 1;
            }
        }
    }

    /// The term without a conjunction with a length that has no bound, where it is one: what has been looked for at the
    /// beginning of a text has been found, and anything may follow it.
    ///
    /// ```
    /// use grammask_gbnf::{Automaton, Label, parse};
    /// let grammar = parse(r#"root ::= @all([a-z]{2,}; [a-y]* "z"?) ".""#)?;
    /// let automaton = Automaton::compile(&grammar, "root")?;
    /// let mut session = automaton.session();
    /// let start = session.start();
    /// let one = session.step(&start, b'a');
    /// let two = session.step(&one, b'a');
    /// let [one, two] = [one, two].map(|state| {
    ///     let Label::Term(term) = state.entries()[0].label else { panic!("it is a terminal") };
    ///     term
    /// });
    /// let terms = automaton.terms();
    /// assert_eq!(terms.without_any_lengths(one), one);
    /// assert_ne!(terms.without_any_lengths(two), two);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn without_any_lengths(&self, term: TermId) -> TermId {
        let Term::Concat(first, rest) = self.entry(term).term else { return term };
        let Term::All { all, none } = &self.entry(first).term else { return term };
        let mut parts = all.to_vec();
        self.drop_any_lengths(&mut parts);
        if parts.len() == all.len() {
            return term;
        }
        self.concat(self.conjunction(parts, none.iter().copied()), rest)
    }

    /// Whether it is seen at once that a conjunction matches something: a pattern beside a length, where
    /// what completes the pattern in the shortest way is not too long.
    pub(super) fn fits_length(&self, all: &[TermId], none: &[TermId]) -> bool {
        let (&[first, second], []) = (all, none) else { return false };
        let fits = |pattern, length: TermId| {
            let Term::Repeat { item, min, max } = self.entry(length).term else {
                return false;
            };
            let Some(way_out) = self.way_out(pattern) else { return false };
            let any_length = || self.repeat(item, 0, None);
            let is_below = |length: u32| max.is_none_or(|max| length <= max);
            if min == 0 || min == 1 && !self.nullable(pattern) {
                return is_below(way_out) && self.is_within(pattern, any_length());
            }
            // Rounds of a loop are added as long as there are too few items.
            self.prolonged(pattern, any_length()).is_some_and(|Prolonged { shortest, round }| {
                is_below(shortest.max((min - 1).saturating_add(round)))
            })
        };
        fits(first, second) || fits(second, first)
    }

    /// The shortest text with which a term goes through a loop without a bound, if it has one and consists of parts
    /// that are each known to match items of `any_length` only. All of its parts must have a way out (see
    /// [`Terms::way_out`]).
    fn prolonged(&self, term: TermId, any_length: TermId) -> Option<Prolonged> {
        let key = (term, any_length);
        if let Some(&known) = locked(&self.prolonged).get(&key) {
            return known;
        }
        // As deep as the term is nested.
        let find = || self.find_prolonged(term, any_length);
        let found = stacker::maybe_grow(64 * 1024, 1024 * 1024, find);
        locked(&self.prolonged).insert(key, found);
        found
    }

    fn find_prolonged(&self, term: TermId, any_length: TermId) -> Option<Prolonged> {
        match &self.entry(term).term {
            &Term::Repeat { item, min, max: None } => {
                let round = self.shortest(item);
                let shortest = round.saturating_mul(min);
                (round > 0 && self.is_within(item, any_length))
                    .then_some(Prolonged { shortest, round })
            }
            &Term::Concat(first, second) => {
                let (prolonged, other) = match self.prolonged(first, any_length) {
                    Some(found) => (found, second),
                    None => (self.prolonged(second, any_length)?, first),
                };
                let shortest = prolonged.shortest.saturating_add(self.shortest(other));
                self.is_within(other, any_length).then_some(Prolonged { shortest, ..prolonged })
            }
            Term::Alt(items) => {
                let found = items.iter().filter_map(|&item| self.prolonged(item, any_length));
                found.min_by_key(|found| found.round)
            }
            _ => None,
        }
    }

    /// Whether all that a term matches is known to be a match of the loop `any_length`: if that is
    /// so of its parts, or none is found that is not.
    pub(super) fn is_within(&self, term: TermId, any_length: TermId) -> bool {
        let outside = self.conjunction([term], [any_length]);
        if let Some(known) = self.known_to_have_text(outside) {
            return known == Ok(false);
        }
        // As deep as the term is nested.
        let is_within = |&part: &TermId| {
            stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.is_within(part, any_length))
        };
        let parts_are = match &self.entry(term).term {
            Term::Concat(first, second) => is_within(first) && is_within(second),
            Term::Alt(items) => items.iter().all(is_within),
            Term::Repeat { item, .. } => is_within(item),
            Term::All { all, .. } => all.iter().any(is_within),
            _ => false,
        };
        let outside_has_text = if parts_are {
            self.note(outside, Ok(false))
        } else {
            self.has_text(outside, MAX_SEARCH)
        };
        outside_has_text == Ok(false)
    }

    /// So many bytes complete whatever a match of the term begins with; `None` if that is not seen
    /// at once.
    fn way_out(&self, term: TermId) -> Option<u32> {
        *self.further(term).way_out.get_or_init(|| {
            // As deep as the term is nested.
            let parts = |part| stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.way_out(part));
            self.find_way_out(term, &parts)
        })
    }

    /// The same, also if it takes a look at all states of conjunctions; `None` if these are too many.
    fn way_out_by_states(&self, term: TermId) -> Option<u32> {
        if let Some(&known) = self.further(term).way_out_by_states.get() {
            return known;
        }
        // As deep as the term is nested.
        let found = stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
            match self.entry(term).term {
                // A bound has a state for each number that is left.
                Term::All { .. } if self.has_bounds(term) => None,
                Term::All { .. } => self.follow_ways_out(term),
                _ => self.find_way_out(term, &|part| self.way_out_by_states(part)),
            }
        });
        *self.further(term).way_out_by_states.get_or_init(|| found)
    }

    /// `way_out` tells that of the parts.
    fn find_way_out(&self, term: TermId, way_out: &dyn Fn(TermId) -> Option<u32>) -> Option<u32> {
        match &self.entry(term).term {
            Term::Nothing | Term::Empty => Some(0),
            Term::Bytes(_) => Some(1),
            &Term::Concat(first, second) => {
                let inside = way_out(first)?.checked_add(self.shortest(second))?;
                Some(inside.max(way_out(second)?))
            }
            // What is left of a choice is a choice of what is left of some.
            Term::Alt(items) => {
                items.iter().try_fold(0, |most, &item| Some(way_out(item)?.max(most)))
            }
            &Term::Repeat { item, min, .. } => {
                way_out(item)?.checked_add(self.shortest(item).checked_mul(min)?)
            }
            Term::Rule { .. } | Term::Hole(_) | Term::All { .. } => None,
        }
    }

    /// Whether there are loops with a great bound in a term, or it has so many parts that there may be.
    fn has_bounds(&self, term: TermId) -> bool {
        let mut met = FxHashSet::from_iter([term]);
        let mut pending = vec![term];
        while let Some(term) = pending.pop() {
            let parts = match &self.entry(term).term {
                &Term::Repeat { max: Some(max), .. } if max > FEW_TIMES => return true,
                Term::Repeat { item, .. } => &[*item][..],
                &Term::Concat(first, second) => &[first, second],
                Term::Alt(items) => items,
                Term::All { all, none } => &[&all[..], none].concat(),
                Term::Nothing
                | Term::Empty
                | Term::Bytes(_)
                | Term::Rule { .. }
                | Term::Hole(_) => &[],
            };
            pending.extend(parts.iter().filter(|&&part| met.insert(part)));
            if met.len() > MAX_STATES {
                return true;
            }
        }
        false
    }

    /// The longest of the shortest ways out of the states of a term, unless these are too many. Whatever
    /// is met on the way has none that is longer, and nothing is known of it either if they are.
    fn follow_ways_out(&self, term: TermId) -> Option<u32> {
        let mut met = vec![term];
        let mut numbers = FxHashMap::from_iter([(term, 0)]);
        let mut at = 0;
        let most_terms = self.size() + MOST_TERMS;
        while at < met.len() && met.len() <= MAX_STATES && self.size() <= most_terms {
            for &(_, _, to) in self.transitions(met[at]) {
                numbers.entry(to).or_insert_with(|| {
                    met.push(to);
                    met.len() as u32 - 1
                });
            }
            at += 1;
        }
        let longest = (at == met.len()).then(|| {
            let ways = Graph::new(&met, |&term, edges| {
                edges.extend(self.transitions(term).iter().map(|(_, _, to)| numbers[to]));
            });
            ways.farthest(met.iter().map(|&term| self.nullable(term)).collect())
        });
        let longest = longest.flatten();
        for met in met {
            // Another one may have found a shorter one for it.
            let _ = self.further(met).way_out_by_states.set(longest);
        }
        longest
    }
}

/// A text that can be made longer: see [`Terms::prolonged`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Prolonged {
    /// Its bytes,
    shortest: u32,
    /// and those that each round of the loop adds.
    round: u32,
}

/// Whether all of some bytes are digits.
fn are_digits(set: &ByteSet) -> bool {
    set.iter().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What addresses are built like: a name, labels with a bound each, and bounds on all of it.
    fn address(terms: &Terms, [name, label, host, all]: [u32; 4]) -> TermId {
        let character = terms.class(&[('.', '.'), ('0', '9'), ('A', 'Z'), ('a', 'z')]);
        let in_label = terms.class(&[('0', '9'), ('A', 'Z'), ('a', 'z')]);
        let dot = terms.text(b".");
        let labels = |label: TermId| {
            let more = terms.repeat(terms.concat(dot, label), 0, None);
            terms.concat(label, more)
        };
        let names = terms.concat(labels(terms.repeat(in_label, 1, None)), terms.text(b".00"));
        let both = |one: TermId, other: TermId| terms.all(vec![one, other], Vec::new()).unwrap();
        let name = both(names, terms.repeat(character, 1, Some(name)));
        let no_a = terms.concat(terms.text(b"a"), terms.repeat(character, 0, None));
        let host = terms.all(
            vec![
                names,
                labels(terms.repeat(in_label, 1, Some(label))),
                terms.repeat(character, 2, Some(host)),
            ],
            vec![no_a],
        );
        let at = terms.text(b"@");
        let address = terms.concat(name, terms.concat(at, host.unwrap()));
        let any = terms.class(&[('.', '.'), ('0', '9'), ('@', 'Z'), ('a', 'z')]);
        both(address, terms.repeat(any, 0, Some(all)))
    }

    /// Compares a term with the same without bounds behind each text of some bytes. `count` has what is counted of a
    /// text behind one more byte, which is 0 at the beginning; nothing if the text becomes too long.
    fn lead_on_alike(
        terms: &Terms,
        (bound, free): (TermId, TermId),
        bytes: &[u8],
        what: &str,
        count: impl Fn(usize, u8) -> Option<usize>,
    ) {
        let mut pending = vec![(bound, free, 0)];
        let mut met = FxHashSet::default();
        while let Some((bound, free, counted)) = pending.pop() {
            let lives = |term| term != TermId::NOTHING;
            assert_eq!(lives(bound), lives(free), "{what} {counted}");
            assert_eq!(terms.nullable(bound), terms.nullable(free), "{what} {counted}");
            if lives(bound) && met.insert((bound, free, counted)) {
                pending.extend(bytes.iter().filter_map(|&byte| {
                    let counted = count(counted, byte)?;
                    Some((terms.next(bound, byte), terms.next(free, byte), counted))
                }));
            }
        }
    }

    /// A text that is short enough leads on without the bounds if and only if it does with them, and
    /// is a match if and only if it is one.
    #[test]
    fn short_texts_do_not_reach_bounds() {
        let terms = Terms::default();
        let mut freed = 0;
        for bounds in [[40, 30, 60, 80], [33, 34, 35, 70], [20, 60, 60, 45], [4, 60, 60, 9]] {
            let address = address(&terms, bounds);
            for start in ["", "0.0", "b@", "b@0.", "0@b.b.b"] {
                let start = terms.reading(address, start.as_bytes()).after;
                for bytes in 1..30 {
                    let (free, short) = terms.without_bounds(start, bytes.into());
                    if free == start {
                        continue;
                    }
                    freed += 1;
                    assert!(short >= bytes);
                    let what = format!("{bounds:?} {bytes}");
                    let count = |length, _| (length < short).then_some(length + 1);
                    lead_on_alike(&terms, (start, free), b"a0.@", &what, count);
                }
            }
        }
        assert!(freed > 100, "{freed}");
    }

    /// The same for texts of which only the digits in a row are few.
    #[test]
    fn few_digits_do_not_reach_bounds() {
        let terms = Terms::default();
        let class = |lo, hi| terms.class(&[(lo, hi)]);
        let [digit, positive] = [class('0', '9'), class('1', '9')];
        let upto = |max| terms.repeat(digit, 0, Some(max));
        let concat = |parts: &[TermId]| {
            parts.iter().rev().fold(TermId::EMPTY, |rest, &part| terms.concat(part, rest))
        };
        let dot = terms.text(b".");
        let numbers = [
            concat(&[positive, upto(8), terms.repeat(concat(&[dot, upto(7), positive]), 0, None)]),
            concat(&[terms.repeat(digit, 5, Some(9)), dot, terms.repeat(digit, 4, Some(4)), dot]),
            terms.alt([concat(&[upto(6), dot]), terms.repeat(positive, 1, Some(8)), upto(3)]),
        ];
        let mut freed = 0;
        for number in numbers {
            for digits in 1..6 {
                for start in ["", "7", "700", "70000", "77777.7"] {
                    let start = terms.reading(number, start.as_bytes()).after;
                    let longest = Longest { bytes: 1_000, digits };
                    let (free, short) = terms.without_bounds(start, longest);
                    freed += usize::from(free != start);
                    assert_eq!(short, usize::MAX);
                    let count = |in_a_row, byte| match byte {
                        b'.' => Some(0),
                        _ => (in_a_row < digits).then_some(in_a_row + 1),
                    };
                    lead_on_alike(&terms, (start, free), b".07", &digits.to_string(), count);
                }
            }
        }
        assert!(freed > 30, "{freed}");
    }

    /// Whether a search through all states finds a text of both.
    fn have_common_text(terms: &Terms, one: TermId, other: TermId) -> bool {
        let mut met = FxHashSet::from_iter([(one, other)]);
        let mut pending = vec![(one, other)];
        while let Some((one, other)) = pending.pop() {
            if terms.nullable(one) && terms.nullable(other) {
                return true;
            }
            let next = (0..=u8::MAX).map(|byte| (terms.next(one, byte), terms.next(other, byte)));
            pending.extend(next.filter(|&next| met.insert(next)));
        }
        false
    }

    #[test]
    fn a_length_is_seen_to_fit_only_where_it_does() {
        let terms = Terms::default();
        let text = |text: &str| terms.text(text.as_bytes());
        let item = terms.alt([text("a"), text("b"), text("\\n")]);
        let many = |text: &str, min| terms.repeat(terms.text(text.as_bytes()), min, None);
        let patterns = [
            many("ab", 1),
            many("aba", 0),
            terms.concat(text("ba"), many("\\n\\na", 2)),
            terms.concat(many("ab", 0), terms.concat(text("b"), many("aab", 1))),
            terms.alt([text("ab"), terms.concat(text("b"), many("aaaa", 0))]),
            terms.concat(terms.repeat(many("ab", 1), 0, Some(2)), text("a")),
            // Not within: half of a pair.
            terms.concat(text("\\"), many("n\\", 1)),
            terms.concat(text("c"), many("ab", 0)),
        ];
        let (mut fitting, mut others) = (0, 0);
        for pattern in patterns {
            for min in 0..9 {
                for max in [None].into_iter().chain((min.max(1)..12).map(Some)) {
                    let length = terms.repeat(item, min, max);
                    let expected = have_common_text(&terms, pattern, length);
                    let fits = terms.fits_length(&[pattern, length], &[]);
                    assert!(expected || !fits, "{pattern:?} of {min} to {max:?} items");
                    fitting += usize::from(fits);
                    others += usize::from(expected && !fits);
                }
            }
        }
        assert!(fitting > others, "{fitting} of {}", fitting + others);
    }

    #[test]
    fn what_is_known_of_frozen_terms_is_known_in_one_store_only() {
        let terms = Terms::default();
        let pattern = terms.repeat(terms.text(b"ab"), 1, None);
        let frozen = terms.freeze();
        // The items have the same number in both stores.
        let fits = [[('a', 'b')], [('c', 'd')]].map(|item| {
            let terms = frozen.extend();
            let length = terms.repeat(terms.class(&item), 4, None);
            (length, terms.fits_length(&[pattern, length], &[]))
        });
        assert_eq!(fits[0].0, fits[1].0);
        assert_eq!(fits.map(|(_, fits)| fits), [true, false]);
    }

    /// A term of which a part is met again and again is looked through once for each kind of item.
    #[test]
    fn parts_that_are_met_again_are_known() {
        let terms = Terms::default();
        let text = |text: &str| terms.text(text.as_bytes());
        let mut part = terms.alt([text("a"), text("b")]);
        for _ in 0..60 {
            let [one, other] =
                ["a", "b"].map(|end| terms.alt([terms.concat(text("ab"), part), text(end)]));
            part = terms.concat(one, other);
        }
        for item in [[('a', 'z')], [('a', 'y')]] {
            let length = terms.repeat(terms.class(&item), 4, None);
            // There is no loop in it.
            assert!(!terms.fits_length(&[part, length], &[]));
        }
    }
}
