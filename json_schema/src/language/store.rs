//! Languages as hash-consed terms.
//!
//! A term stands for the texts that may follow a place in a text, up to its end. Terms are closed
//! under union, intersection and complement because their derivatives are (Owens, Reppy, Turon,
//! "Regular-expression derivatives re-examined", 2009), see `derive.rs`. Assertions are terms
//! too; what they say about the text is decided where a derivative reaches them, with all that
//! follows at hand, so that they are exact wherever they stand.

use std::rc::Rc;

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::class::CharSet;
use super::derive::Row;
use super::facts::{Before, Facts};

/// A language of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LanguageId(u32);

impl LanguageId {
    /// No text.
    pub(crate) const NOTHING: Self = Self(0);
    /// The empty text.
    pub(crate) const EMPTY: Self = Self(1);
    /// All texts of one code point.
    pub(crate) const ANY: Self = Self(2);
    /// All texts.
    pub(crate) const EVERYTHING: Self = Self(3);

    /// The one at a place.
    pub(super) fn at(place: usize) -> Self {
        Self(place as u32)
    }

    /// Its place.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Term {
    Nothing,
    Empty,
    Class(CharSet),
    /// Right-nested: the first part is never itself a concatenation.
    Concat(LanguageId, LanguageId),
    /// Sorted, at least two, no alternation inside, at most one class.
    Alt(Box<[LanguageId]>),
    /// Sorted, at least two, no conjunction inside.
    And(Box<[LanguageId]>),
    /// Never of a complement.
    Not(LanguageId),
    /// The item never matches the empty text where an assertion decides whether it does, and
    /// `min` is 0 if it always matches it.
    Repeat {
        item: LanguageId,
        min: u32,
        max: Option<u32>,
    },
    /// `^`
    Start,
    /// `$`
    End,
    /// `\b`, `\B`
    WordBoundary {
        negated: bool,
    },
    /// `(?=..)`, `(?!..)`
    Ahead {
        language: LanguageId,
        negated: bool,
    },
}

impl Term {
    /// The same of other parts; `of` is asked for one after the other.
    pub(super) fn with_parts(&self, mut of: impl FnMut(LanguageId) -> LanguageId) -> Self {
        match *self {
            Self::Concat(first, second) => Self::Concat(of(first), of(second)),
            Self::Alt(ref items) => Self::Alt(items.iter().map(|&part| of(part)).collect()),
            Self::And(ref items) => Self::And(items.iter().map(|&part| of(part)).collect()),
            Self::Not(part) => Self::Not(of(part)),
            Self::Repeat { item, min, max } => Self::Repeat { item: of(item), min, max },
            Self::Ahead { language, negated } => Self::Ahead { language: of(language), negated },
            ref other => other.clone(),
        }
    }
}

/// A language takes more terms, states or time than the limits allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the pattern is too large: shorten its counted repetitions or split it")]
pub(crate) struct TooLarge;

/// What a store may spend, in references to terms that it stores or looks through. Enough for
/// some 200,000 terms.
const BUDGET: usize = 8_000_000;

/// What a term costs beside the references in it.
const TERM_COST: usize = 32;

/// How deep the work on a term may nest: what the stack of a thread bears.
const MOST_DEPTH: usize = 500;

/// Room for so many terms is made at once: most schemas have fewer.
const ROOM: usize = 56;

/// A store of languages.
#[derive(Debug)]
pub(crate) struct Languages {
    entries: Vec<(Rc<Term>, Facts)>,
    ids: FxHashMap<Rc<Term>, LanguageId>,
    pub(super) rows: FxHashMap<(LanguageId, Before), Row>,
    pub(super) without_start: FxHashMap<LanguageId, LanguageId>,
    pub(super) has_text: FxHashMap<LanguageId, bool>,
    budget: usize,
    depth: usize,
}

impl Default for Languages {
    fn default() -> Self {
        let mut languages = Self {
            entries: Vec::with_capacity(ROOM),
            ids: FxHashMap::with_capacity_and_hasher(ROOM, FxBuildHasher),
            rows: FxHashMap::default(),
            without_start: FxHashMap::default(),
            has_text: FxHashMap::default(),
            budget: BUDGET,
            depth: 0,
        };
        languages.insert(Rc::new(Term::Nothing));
        languages.insert(Rc::new(Term::Empty));
        languages.insert(Rc::new(Term::Class(CharSet::any())));
        languages.insert(Rc::new(Term::Repeat { item: LanguageId::ANY, min: 0, max: None }));
        languages
    }
}

pub(super) type Result<T> = std::result::Result<T, TooLarge>;

impl Languages {
    pub(super) fn term(&self, id: LanguageId) -> Rc<Term> {
        Rc::clone(&self.entries[id.index()].0)
    }

    pub(super) fn facts(&self, id: LanguageId) -> Facts {
        self.entries[id.index()].1
    }

    /// Makes room for so many more.
    pub(super) fn reserve(&mut self, terms: usize) {
        self.entries.reserve(terms);
        self.ids.reserve(terms);
    }

    /// Pays for work that is proportional to `cells`.
    pub(super) fn spend(&mut self, cells: usize) -> Result<()> {
        self.budget = self.budget.checked_sub(cells).ok_or(TooLarge)?;
        Ok(())
    }

    /// Does something that may nest.
    pub(super) fn nested<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == MOST_DEPTH {
            return Err(TooLarge);
        }
        self.depth += 1;
        let result = work(self);
        self.depth -= 1;
        result
    }

    fn insert(&mut self, term: Rc<Term>) -> LanguageId {
        let id = LanguageId::at(self.entries.len());
        let facts = self.facts_of(&term);
        self.entries.push((Rc::clone(&term), facts));
        self.ids.insert(term, id);
        id
    }

    pub(super) fn intern(&mut self, term: Term) -> Result<LanguageId> {
        if let Some(&id) = self.ids.get(&term) {
            return Ok(id);
        }
        let references = match &term {
            Term::Alt(items) | Term::And(items) => items.len(),
            Term::Class(set) => set.ranges().len(),
            _ => 2,
        };
        self.spend(TERM_COST + references)?;
        Ok(self.insert(Rc::new(term)))
    }
}
