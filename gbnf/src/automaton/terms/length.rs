//! Texts of at most so many characters: the bound told apart from what the text consists of.
//!
//! A text of a pattern and a length is another term for each number of characters that may still come. Where it
//! may end wherever a character does, these terms differ in nothing but that number.

use rustc_hash::FxHashMap;

use super::slack::MAX_SEARCH;
use super::{ByteSet, Term, TermId, Terms, locked};

/// A text that may end behind each of the items that it consists of, up to some number of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// The same without a greatest number of items. None where these may be any items.
    pub free: Option<TermId>,
    /// What is counted: each begins with a character, and none is empty or begins with another one.
    pub item: TermId,
    /// How many of them there may be at least, as far as `free` does not say that,
    pub min: u32,
    /// and at most.
    pub most: u32,
    /// The bytes that end the text, with which no item begins.
    pub end: ByteSet,
}

/// See [`Terms::length`].
pub(super) type LengthsKnown = FxHashMap<TermId, Option<Length>>;

/// A text of more parts is not looked at.
const MOST_PARTS: u32 = 256;

impl Terms {
    /// What a term is but for the bound on its length: a loop or a conjunction with a loop, and a byte at the end.
    /// Nothing if it is something else, or there are items behind which it may not end.
    ///
    /// ```
    /// use grammask_gbnf::{Automaton, Label, parse};
    /// let grammar = parse(r#"root ::= @all([0-9]* [a-z]*; [a-z0-9-]{0,9}) "\"""#)?;
    /// let automaton = Automaton::compile(&grammar, "root")?;
    /// let mut session = automaton.session();
    /// let start = session.start();
    /// let lengths = [start.clone(), session.step(&start, b'7')].map(|state| {
    ///     let Label::Term(term) = state.entries()[0].label else { panic!("it is a terminal") };
    ///     automaton.terms().length(term).expect("it may end anywhere")
    /// });
    /// assert_eq!(lengths.map(|length| length.most), [9, 8]);
    /// assert_eq!(lengths[0].free, lengths[1].free);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn length(&self, term: TermId) -> Option<Length> {
        if self.entry(term).levels_of_bounds == 0 {
            return None;
        }
        let known = |terms: &Self| locked(&terms.lengths).get(&term).copied();
        if let Some(known) = self.frozen().and_then(known).or_else(|| known(self)) {
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
            &Term::Repeat { item, min, max: Some(most) } => {
                self.is_told_from(item, &end).then_some(Length { free: None, item, min, most, end })
            }
            Term::All { all, none } => {
                let (&[one, other], []) = (&all[..], &none[..]) else { return None };
                let of = |pattern, length| self.length_of_pattern(pattern, length, (last, end));
                of(one, other).or_else(|| of(other, one))
            }
            _ => None,
        }
    }

    /// That of a pattern with a loop that is its length.
    fn length_of_pattern(
        &self,
        pattern: TermId,
        length: TermId,
        (last, end): (TermId, ByteSet),
    ) -> Option<Length> {
        let Term::Repeat { item, min, max: Some(most) } = self.entry(length).term else {
            return None;
        };
        let is_found = self.is_told_from(item, &end)
            && self.is_within(pattern, self.repeat(item, 0, None))
            && self.ends_behind_each(pattern, item, &mut MOST_PARTS.clone());
        if !is_found {
            return None;
        }
        let says_nothing = min == 0 || min == 1 && !self.nullable(pattern);
        let text = if says_nothing {
            pattern
        } else {
            self.conjunction([pattern, self.repeat(item, min, None)], [])
        };
        Some(Length { free: Some(self.concat(text, last)), item, min: 0, most, end })
    }

    /// Whether the items of a loop are told apart from one another and from what ends it.
    fn is_told_from(&self, item: TermId, end: &ByteSet) -> bool {
        let first = self.first(item);
        let begins_within_character = first.iter().any(|byte| byte & 0xc0 == 0x80);
        !begins_within_character && !first.intersects(end) && self.is_prefix_free(item)
    }

    /// Whether a term that consists of items may end behind each of them: what of it is left, once it has begun, is
    /// never more than the rest of one item. `parts` is how many of its parts are looked at.
    fn ends_behind_each(&self, term: TermId, item: TermId, parts: &mut u32) -> bool {
        let Some(left) = parts.checked_sub(1) else { return false };
        *parts = left;
        let is_one = || {
            term == item || self.has_text(self.conjunction([term], [item]), MAX_SEARCH) == Ok(false)
        };
        match &self.entry(term).term {
            Term::Empty => true,
            &Term::Concat(first, second) if self.nullable(second) => {
                self.ends_behind_each(first, item, parts)
                    && self.ends_behind_each(second, item, parts)
            }
            &Term::Repeat { item: repeated, min: 0 | 1, .. } => {
                self.ends_behind_each(repeated, item, parts)
            }
            Term::Alt(terms) => {
                is_one() || terms.iter().all(|&term| self.ends_behind_each(term, item, parts))
            }
            _ => is_one(),
        }
    }
}
