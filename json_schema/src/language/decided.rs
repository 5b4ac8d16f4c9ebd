//! Assertions that what lies beside them decides: at `\b` and `\B` both sides are split by the characters that meet
//! there, and what is looked ahead at is a conjunction with all that follows.
//!
//! What is counted beside them stays so: `[a-z.]{1,256}\b[a-z.]*` is still a counted class, and no automaton with a
//! state for each number of characters.

use super::class::CharSet;
use super::facts::{Empty, Facts};
use super::store::{LanguageId, Languages, Result, Term};

/// What is repeated up to so often, or more, is counted: an automaton has a state for each count.
pub(crate) const MANY_TIMES: u32 = 16;

/// The texts of a language by the character at one of its ends.
struct Split {
    /// It is a word character;
    word: LanguageId,
    /// another one, or there is none.
    other: LanguageId,
}

impl Languages {
    /// The texts of `first` and `rest`, one behind the other, between which is a boundary of a word, or, `negated`,
    /// none. `first` begins where that does not matter any more or at the start of the text, and `rest` goes up to the
    /// end. Nothing if there are assertions or conjunctions where they meet.
    pub(super) fn at_boundary(
        &mut self,
        first: LanguageId,
        rest: LanguageId,
        negated: bool,
    ) -> Result<Option<LanguageId>> {
        let (Some(before), Some(behind)) =
            (self.split(first, End::Last)?, self.split(rest, End::First)?)
        else {
            return Ok(None);
        };
        let pairs = if negated {
            [(before.word, behind.word), (before.other, behind.other)]
        } else {
            [(before.word, behind.other), (before.other, behind.word)]
        };
        let [one, other] = pairs.map(|(first, rest)| self.concat(first, rest));
        self.alt([one?, other?]).map(Some)
    }

    /// The texts of `rest`, which goes up to the end, that are among those of `ahead`, or, `negated`, are not: by their
    /// first character where that says it, otherwise as a conjunction. Nothing if there are assertions in them, and
    /// instead of a conjunction that is no better than an automaton: where it may begin at many places, unless
    /// `is_start`, or where there are no characters to be counted.
    pub(super) fn with_ahead(
        &mut self,
        (ahead, negated): (LanguageId, bool),
        rest: LanguageId,
        is_start: bool,
    ) -> Result<Option<LanguageId>> {
        if self.facts(ahead).asserts {
            return Ok(None);
        }
        if let Some((set, may_end)) = self.first_only(ahead) {
            let set = if negated { set.complement() } else { set };
            return self.ending(rest, End::First, &set, may_end != negated);
        }
        let counts = |facts: Facts| {
            facts.shortest >= MANY_TIMES || (MANY_TIMES..u32::MAX).contains(&facts.longest)
        };
        if !is_start || ![ahead, rest].iter().any(|&language| counts(self.facts(language))) {
            return Ok(None);
        }
        let ahead = if negated { self.not(ahead)? } else { ahead };
        self.and([ahead, rest]).map(Some)
    }

    /// The characters with which texts begin, and whether there may be none, if they are all texts that begin so.
    fn first_only(&self, language: LanguageId) -> Option<(CharSet, bool)> {
        match &*self.term(language) {
            Term::Empty => Some((CharSet::default(), true)),
            &Term::Concat(first, LanguageId::EVERYTHING) => match &*self.term(first) {
                Term::Class(set) => Some((set.clone(), false)),
                _ => None,
            },
            Term::Alt(items) => {
                let firsts: Option<Vec<_>> =
                    items.iter().map(|&item| self.first_only(item)).collect();
                let (sets, may_end): (Vec<CharSet>, Vec<bool>) = firsts?.into_iter().unzip();
                let ranges = sets.iter().flat_map(CharSet::ranges).copied();
                Some((CharSet::from_ranges(ranges), may_end.contains(&true)))
            }
            _ => None,
        }
    }

    fn split(&mut self, language: LanguageId, end: End) -> Result<Option<Split>> {
        let word = CharSet::word();
        let other = self.ending(language, end, &word.complement(), true)?;
        let word = self.ending(language, end, &word, false)?;
        Ok(word.zip(other).map(|(word, other)| Split { word, other }))
    }

    /// The texts of a language with a character of a set at one end, and the empty one if it is among
    /// them and `may_be_empty` says that it counts.
    fn ending(
        &mut self,
        language: LanguageId,
        end: End,
        set: &CharSet,
        may_be_empty: bool,
    ) -> Result<Option<LanguageId>> {
        let facts = self.facts(language);
        if facts.asserts && (facts.empty != Empty::Never || end == End::Last) {
            return Ok(None);
        }
        let Some(texts) = self.with_end(language, end, set)? else { return Ok(None) };
        let is_empty = may_be_empty && facts.always_empty();
        let empty = if is_empty { LanguageId::EMPTY } else { LanguageId::NOTHING };
        self.alt([empty, texts]).map(Some)
    }

    /// The texts of a language with a character of a set at one end.
    fn with_end(&mut self, id: LanguageId, end: End, set: &CharSet) -> Result<Option<LanguageId>> {
        self.nested(|this| this.find_with_end(id, end, set))
    }

    fn find_with_end(
        &mut self,
        id: LanguageId,
        end: End,
        set: &CharSet,
    ) -> Result<Option<LanguageId>> {
        match &*self.term(id) {
            Term::Nothing | Term::Empty => Ok(Some(LanguageId::NOTHING)),
            Term::Class(class) => self.class(class.intersection(set)).map(Some),
            &Term::Concat(first, second) => {
                let (near, far) = match end {
                    End::First => (first, second),
                    End::Last => (second, first),
                };
                let Some(part) = self.with_end(near, end, set)? else { return Ok(None) };
                let joined = self.joined(end, part, far)?;
                match self.facts(near).empty {
                    Empty::Never => Ok(Some(joined)),
                    Empty::Sometimes => Ok(None),
                    Empty::Always => {
                        let Some(other) = self.with_end(far, end, set)? else { return Ok(None) };
                        self.alt([joined, other]).map(Some)
                    }
                }
            }
            Term::Alt(items) => {
                let mut parts = Vec::with_capacity(items.len());
                for &item in items {
                    let Some(part) = self.with_end(item, end, set)? else { return Ok(None) };
                    parts.push(part);
                }
                self.alt(parts).map(Some)
            }
            // An iteration that reads nothing changes nothing: the one at the end is one that reads something.
            &Term::Repeat { item, min, max } if !self.facts(item).asserts => {
                let Some(part) = self.with_end(item, end, set)? else { return Ok(None) };
                let others = self.one_less(item, min, max)?;
                self.joined(end, part, others).map(Some)
            }
            Term::Repeat { .. }
            | Term::And(_)
            | Term::Not(_)
            | Term::Start
            | Term::End
            | Term::WordBoundary { .. }
            | Term::Ahead { .. } => Ok(None),
        }
    }

    /// A part at one end, and the others.
    fn joined(&mut self, end: End, part: LanguageId, others: LanguageId) -> Result<LanguageId> {
        match end {
            End::First => self.concat(part, others),
            End::Last => self.concat(others, part),
        }
    }
}

/// Which end of a text is meant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    First,
    Last,
}
