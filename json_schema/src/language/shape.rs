//! What a language is made of, for those who write it down.

use super::class::CharSet;
use super::store::{LanguageId, Languages, Term};

/// How a language without assertions is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Nothing,
    Empty,
    Class(CharSet),
    Concat(LanguageId, LanguageId),
    Alt(Vec<LanguageId>),
    Repeat {
        item: LanguageId,
        min: u32,
        max: Option<u32>,
    },
    /// What all of the first have in common and none of the others has.
    All {
        all: Vec<LanguageId>,
        none: Vec<LanguageId>,
    },
}

impl Languages {
    /// How the language is built; `None` if an assertion decides what is in it.
    pub(crate) fn shape(&self, id: LanguageId) -> Option<Shape> {
        Some(match &*self.term(id) {
            Term::Nothing => Shape::Nothing,
            Term::Empty => Shape::Empty,
            Term::Class(set) => Shape::Class(set.clone()),
            &Term::Concat(first, second) => Shape::Concat(first, second),
            Term::Alt(items) => Shape::Alt(items.to_vec()),
            &Term::Repeat { item, min, max } => Shape::Repeat { item, min, max },
            &Term::Not(inner) => {
                Shape::All { all: vec![LanguageId::EVERYTHING], none: vec![inner] }
            }
            Term::And(items) => {
                let (mut all, mut none) = (Vec::new(), Vec::new());
                for &item in items {
                    match *self.term(item) {
                        Term::Not(inner) => none.push(inner),
                        _ => all.push(item),
                    }
                }
                if all.is_empty() {
                    all.push(LanguageId::EVERYTHING);
                }
                Shape::All { all, none }
            }
            Term::Start | Term::End | Term::WordBoundary { .. } | Term::Ahead { .. } => {
                return None;
            }
        })
    }

    /// Whether the language is built of classes, one after the other, beside each other and
    /// repeated.
    pub(crate) fn is_plain(&self, id: LanguageId) -> bool {
        self.facts(id).plain
    }

    /// Whether there are assertions in the language.
    pub(crate) fn asserts(&self, id: LanguageId) -> bool {
        self.facts(id).asserts
    }

    /// Whether no text has fewer code points than `min` or more than `max`, as far as the parts of
    /// the language show it.
    pub(crate) fn keeps_lengths(&self, id: LanguageId, min: u64, max: Option<u64>) -> bool {
        let facts = self.facts(id);
        u64::from(facts.shortest) >= min
            && max.is_none_or(|max| facts.longest < u32::MAX && u64::from(facts.longest) <= max)
    }

    /// Whether there are infinitely many texts, as far as it is seen at once: all but some of bounded length.
    pub(crate) fn is_evidently_endless(&self, id: LanguageId) -> bool {
        let excludes_short_ones = |id: &LanguageId| match *self.term(*id) {
            Term::Not(excluded) => self.facts(excluded).longest < u32::MAX,
            _ => *id == LanguageId::EVERYTHING,
        };
        match &*self.term(id) {
            Term::And(all) => all.iter().all(excludes_short_ones),
            _ => excludes_short_ones(&id),
        }
    }

    /// Whether some text has at least `min` and at most `max` code points; nothing if the shortest and the
    /// longest text do not show it.
    pub(crate) fn has_length(&self, id: LanguageId, min: u64, max: Option<u64>) -> Option<bool> {
        let facts = self.facts(id);
        if !facts.plain {
            return None;
        }
        let (shortest, longest) = (u64::from(facts.shortest), u64::from(facts.longest));
        // The greatest number stands for all that are greater.
        let min = min.min(u32::MAX.into());
        let fits = |length: u64| length >= min && max.is_none_or(|max| length <= max);
        // Without any text the shortest one is longer than the longest.
        if longest < shortest.max(min) || max.is_some_and(|max| shortest > max) {
            return Some(false);
        }
        (fits(shortest) || fits(longest)).then_some(true)
    }
}
