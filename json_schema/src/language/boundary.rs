//! `\b` and `\B` without assertions: both sides are split by the characters that meet there.
//!
//! What is left has no states to be counted for that: `[a-z.]{1,256}\b[a-z.]*` is still a counted class.

use super::class::CharSet;
use super::facts::Empty;
use super::store::{LanguageId, Languages, Result, Term};

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

    fn split(&mut self, language: LanguageId, end: End) -> Result<Option<Split>> {
        let facts = self.facts(language);
        if facts.asserts && (facts.empty != Empty::Never || end == End::Last) {
            return Ok(None);
        }
        let word = CharSet::word();
        let Some(other) = self.with_end(language, end, &word.complement())? else {
            return Ok(None);
        };
        let Some(word) = self.with_end(language, end, &word)? else { return Ok(None) };
        let empty = if facts.always_empty() { LanguageId::EMPTY } else { LanguageId::NOTHING };
        Ok(Some(Split { word, other: self.alt([empty, other])? }))
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
