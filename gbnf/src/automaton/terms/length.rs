//! Texts of at most so many characters: the bound told apart from what the text consists of.
//!
//! A text of a pattern and a length is another term for each number of characters that may still come. These terms
//! differ in nothing but that number, and in what is left of the pattern: that must not need more than so many.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{ByteSet, Term, TermId, Terms, locked};

/// A text of at most so many items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// What the text is without a greatest number of items. None where these may be any.
    pub pattern: Option<Pattern>,
    /// What is counted: each begins with a character, and none is empty or begins with another one.
    pub item: TermId,
    /// How many of them there may be at least, as far as the pattern does not say that,
    pub min: u32,
    /// and at most.
    pub most: u32,
    /// The bytes that end the text, with which no item begins.
    pub end: ByteSet,
}

/// What a text is without a bound on its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Without the byte that ends it,
    pub text: TermId,
    /// and with it.
    pub ended: TermId,
}

/// How many items must at least follow what has been read of a text that consists of items, so that it may end.
#[derive(Debug)]
pub struct Missing {
    /// By what is left of the text and of the item that has begun: how many besides that one.
    by_state: FxHashMap<(TermId, TermId), u32>,
    most: u32,
}

impl Missing {
    /// How many are missing where this is left of the text, and this of an item that has begun. Nothing if the text
    /// does not lead there.
    pub fn of(&self, text: TermId, item: TermId) -> Option<u32> {
        self.by_state.get(&(text, item)).copied()
    }

    /// The most that are missing anywhere.
    pub fn most(&self) -> u32 {
        self.most
    }
}

/// See [`Terms::length`].
pub(super) type LengthsKnown = FxHashMap<TermId, Option<Length>>;

/// See [`Terms::missing`].
pub(super) type MissingKnown = FxHashMap<(TermId, TermId), Option<Arc<Missing>>>;

/// A text with more states is not looked at,
const MOST_STATES: usize = 512;
/// nor one that makes more terms on the way, as where texts of conjunctions are hard to find,
const MOST_TERMS: usize = 1 << 12;
/// nor one of which more may be missing: few have a word in their midst that must be there.
const MOST_MISSING: u32 = 4;

impl Terms {
    /// What a term is but for the bound on its length: a loop or a conjunction with a loop, and a byte at the end.
    /// Nothing if it is something else.
    ///
    /// ```
    /// use grammask_gbnf::{Automaton, Label, parse};
    /// let grammar = parse(r#"root ::= @all([0-9]* [a-z]; [a-z0-9-]{0,9}) "\"""#)?;
    /// let automaton = Automaton::compile(&grammar, "root")?;
    /// let mut session = automaton.session();
    /// let start = session.start();
    /// let lengths = [start.clone(), session.step(&start, b'7')].map(|state| {
    ///     let Label::Term(term) = state.entries()[0].label else { panic!("it is a terminal") };
    ///     automaton.terms().length(term).expect("it has one")
    /// });
    /// assert_eq!(lengths.map(|length| length.most), [9, 8]);
    /// assert_eq!(lengths[0].pattern, lengths[1].pattern);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn length(&self, term: TermId) -> Option<Length> {
        if self.entry(term).levels_of_bounds == 0 {
            return None;
        }
        if let Some(known) = self.known_of(|terms| locked(&terms.lengths).get(&term).copied()) {
            return known;
        }
        let found = self.find_length(term);
        locked(&self.lengths).insert(term, found);
        found
    }

    fn find_length(&self, term: TermId) -> Option<Length> {
        let Term::Concat(text, last) = self.entry(term).term else { return None };
        let Term::Bytes(end) = self.entry(last).term else { return None };
        match &self.entry(text).term {
            &Term::Repeat { item, min, max: Some(most) } => self
                .is_told_from(item, &end)
                .then_some(Length { pattern: None, item, min, most, end }),
            Term::All { all, none } => (0..all.len()).find_map(|length| {
                let mut others = all.to_vec();
                let length = others.swap_remove(length);
                self.length_of_pattern((others, none), length, (last, end))
            }),
            _ => None,
        }
    }

    /// That of a conjunction with a loop that is its length.
    fn length_of_pattern(
        &self,
        (mut all, none): (Vec<TermId>, &[TermId]),
        length: TermId,
        (last, end): (TermId, ByteSet),
    ) -> Option<Length> {
        let Term::Repeat { item, min, max: Some(most) } = self.entry(length).term else {
            return None;
        };
        if !self.is_told_from(item, &end) {
            return None;
        }
        all.push(self.repeat(item, min, None));
        self.drop_any_lengths(&mut all);
        let text = match (&all[..], none) {
            (&[only], []) => only,
            _ => self.conjunction(all, none.iter().copied()),
        };
        let pattern = Some(Pattern { text, ended: self.concat(text, last) });
        Some(Length { pattern, item, min: 0, most, end })
    }

    /// Whether the items of a loop are told apart from one another and from what ends it.
    pub(super) fn is_told_from(&self, item: TermId, end: &ByteSet) -> bool {
        let first = self.first(item);
        let begins_within_character = first.iter().any(|byte| byte & 0xc0 == 0x80);
        !begins_within_character && !first.intersects(end) && self.is_prefix_free(item)
    }

    /// How many items may be missing of a text; nothing if it does not consist of items, has too many states, or
    /// too many may be missing.
    ///
    /// ```
    /// use grammask_gbnf::{TermId, Terms};
    /// let terms = Terms::default();
    /// let item = terms.class(&[(' ', '~')]);
    /// let text = terms.concat(terms.repeat(item, 0, None), terms.text(b"."));
    /// let missing = terms.missing(text, item).expect("all of them are items");
    /// assert_eq!((missing.most(), missing.of(text, TermId::EMPTY)), (1, Some(1)));
    /// ```
    pub fn missing(&self, text: TermId, item: TermId) -> Option<Arc<Missing>> {
        if let Some(known) =
            self.known_of(|terms| locked(&terms.missing).get(&(text, item)).cloned())
        {
            return known;
        }
        let mut states = vec![(text, TermId::EMPTY)];
        let found = self.find_missing(&mut states, item).map(Arc::new);
        // What is left of the text is mostly asked for next. Of what has been met where there is too much nothing is
        // known either.
        let between = states.into_iter().filter(|&(_, of_item)| of_item == TermId::EMPTY);
        locked(&self.missing).extend(between.map(|(text, _)| ((text, item), found.clone())));
        found
    }

    /// The same, with all states that are met: what is left of the text, and of an item that has begun.
    fn find_missing(&self, states: &mut Vec<(TermId, TermId)>, item: TermId) -> Option<Missing> {
        // What leads to each.
        let mut numbers = FxHashMap::from_iter([(states[0], 0)]);
        let mut sources: Vec<Vec<usize>> = vec![Vec::new()];
        let most_terms = self.size() + MOST_TERMS;
        let mut at = 0;
        while let Some(&(text, of_item)) = states.get(at) {
            let is_too_much = states.len() > MOST_STATES || self.size() > most_terms;
            if is_too_much || of_item != TermId::EMPTY && self.nullable(text) {
                return None;
            }
            let items = self.transitions(if of_item == TermId::EMPTY { item } else { of_item });
            for &(lo, hi, text) in self.transitions(text) {
                let mut covered = u32::from(lo);
                let from = items.partition_point(|&(_, last, _)| last < lo);
                for &(first, last, of_item) in items[from..].iter().take_while(|it| it.0 <= hi) {
                    if u32::from(first) > covered {
                        return None;
                    }
                    covered = u32::from(last) + 1;
                    let next = (text, of_item);
                    let number = *numbers.entry(next).or_insert_with(|| {
                        states.push(next);
                        sources.push(Vec::new());
                        states.len() - 1
                    });
                    sources[number].push(at);
                }
                if covered <= u32::from(hi) {
                    return None;
                }
            }
            at += 1;
        }
        let between: Vec<bool> =
            states.iter().map(|&(_, of_item)| of_item == TermId::EMPTY).collect();
        let may_end = |state: &usize| between[*state] && self.nullable(states[*state].0);
        let ends = (0..states.len()).filter(may_end);
        let missing = fewest_begun(&sources, &between, ends);
        let by_state: FxHashMap<_, _> = states.iter().copied().zip(missing).collect();
        let most = by_state.values().copied().max()?;
        (most <= MOST_MISSING).then_some(Missing { by_state, most })
    }
}

/// How many items must begin on the way from each state to one of `ends`: one does with each step from a state
/// `between` items. `sources` is what leads to each. The greatest number where no way leads there.
fn fewest_begun(
    sources: &[Vec<usize>],
    between: &[bool],
    ends: impl Iterator<Item = usize>,
) -> Vec<u32> {
    let mut fewest = vec![u32::MAX; sources.len()];
    let mut pending: VecDeque<(usize, u32)> = ends.map(|state| (state, 0)).collect();
    while let Some((state, begun)) = pending.pop_front() {
        if fewest[state] <= begun {
            continue;
        }
        fewest[state] = begun;
        for &source in &sources[state] {
            if between[source] {
                pending.push_back((source, begun + 1));
            } else {
                pending.push_front((source, begun));
            }
        }
    }
    fewest
}
