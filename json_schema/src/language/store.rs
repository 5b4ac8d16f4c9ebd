//! Languages as hash-consed terms, and the ways to build them.
//!
//! A term stands for the texts that may follow a place in a text, up to its end. Terms are closed
//! under union, intersection and complement because their derivatives are (Owens, Reppy, Turon,
//! "Regular-expression derivatives re-examined", 2009), see `derive.rs`. Assertions are terms
//! too; what they say about the text is decided where a derivative reaches them, with all that
//! follows at hand, so that they are exact wherever they stand.
//!
//! Constructors simplify as far as it is cheap: it keeps the number of derivatives small, and
//! languages that are built alike equal.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::class::CharSet;
use super::derive::Row;

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

/// What was read just before a place: all that an assertion knows about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Before {
    /// Nothing yet.
    Start,
    /// A word character.
    Word,
    /// Another one; or nothing that matters.
    Other,
}

impl Before {
    pub(super) const ALL: [Self; 3] = [Self::Start, Self::Word, Self::Other];
}

/// Whether a term matches the empty text at a place within a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Empty {
    Never,
    /// An assertion decides.
    Sometimes,
    Always,
}

/// What is known of a term from its parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    empty: Empty,
    /// By [`Before`]: whether it matches the empty text at the end of the text.
    nullable: [bool; 3],
    /// Whether there is an assertion in it.
    pub(super) asserts: bool,
    /// Whether there is a [`Term::Start`] in it.
    pub(super) has_start: bool,
    /// By [`Before`]: whether it is told from [`Before::Other`] before anything is read.
    asks: [bool; 3],
}

impl Facts {
    fn plain(nullable: bool) -> Self {
        Self {
            empty: if nullable { Empty::Always } else { Empty::Never },
            nullable: [nullable; 3],
            asserts: false,
            has_start: false,
            asks: [false; 3],
        }
    }

    /// Facts of an assertion that holds at the end of the text as given.
    fn assertion(nullable: [bool; 3]) -> Self {
        Self { empty: Empty::Sometimes, nullable, asserts: true, ..Self::plain(false) }
    }

    pub(super) fn nullable(self, before: Before) -> bool {
        self.nullable[before as usize]
    }

    /// Whether it matters that this, and not something else, lies before.
    pub(super) fn asks(self, before: Before) -> bool {
        self.asks[before as usize]
    }

    /// Whether it matches the empty text at every place.
    pub(super) fn always_empty(self) -> bool {
        self.empty == Empty::Always
    }

    /// The facts of two terms of which one or both are tried at a place.
    fn beside(self, other: Self, nullable: fn(bool, bool) -> bool) -> Self {
        let nullable = Before::ALL.map(|at| nullable(self.nullable(at), other.nullable(at)));
        Self {
            empty: self.empty,
            nullable,
            asserts: self.asserts || other.asserts,
            has_start: self.has_start || other.has_start,
            asks: Before::ALL.map(|at| self.asks(at) || other.asks(at)),
        }
    }

    /// The emptiness that conjunctions and complements have: known where nothing is asserted.
    fn settled(self) -> Self {
        let empty = match (self.asserts, self.nullable[0]) {
            (true, _) => Empty::Sometimes,
            (false, true) => Empty::Always,
            (false, false) => Empty::Never,
        };
        Self { empty, ..self }
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
const MOST_DEPTH: usize = 1_000;

/// A store of languages.
#[derive(Debug)]
pub(crate) struct Languages {
    entries: Vec<(Rc<Term>, Facts)>,
    ids: FxHashMap<Rc<Term>, LanguageId>,
    pub(super) rows: FxHashMap<(LanguageId, Before), Row>,
    past_start: FxHashMap<LanguageId, LanguageId>,
    budget: usize,
    depth: usize,
}

impl Default for Languages {
    fn default() -> Self {
        let mut languages = Self {
            entries: Vec::new(),
            ids: FxHashMap::default(),
            rows: FxHashMap::default(),
            past_start: FxHashMap::default(),
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

type Result<T> = std::result::Result<T, TooLarge>;

impl Languages {
    pub(super) fn term(&self, id: LanguageId) -> Rc<Term> {
        Rc::clone(&self.entries[id.0 as usize].0)
    }

    pub(super) fn facts(&self, id: LanguageId) -> Facts {
        self.entries[id.0 as usize].1
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
        let id = LanguageId(self.entries.len() as u32);
        let facts = self.facts_of(&term);
        self.entries.push((Rc::clone(&term), facts));
        self.ids.insert(term, id);
        id
    }

    fn intern(&mut self, term: Term) -> Result<LanguageId> {
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

    fn facts_of(&self, term: &Term) -> Facts {
        match term {
            Term::Nothing | Term::Class(_) => Facts::plain(false),
            Term::Empty => Facts::plain(true),
            &Term::Concat(first, second) => {
                let (first, second) = (self.facts(first), self.facts(second));
                let both = first.beside(second, |a, b| a && b);
                let goes_on = first.empty != Empty::Never;
                Facts {
                    empty: first.empty.min(second.empty),
                    asks: Before::ALL.map(|at| first.asks(at) || goes_on && second.asks(at)),
                    ..both
                }
            }
            Term::Alt(items) => items.iter().fold(Facts::plain(false), |all, &item| {
                let item = self.facts(item);
                Facts { empty: all.empty.max(item.empty), ..all.beside(item, |a, b| a || b) }
            }),
            Term::And(items) => items
                .iter()
                .fold(Facts::plain(true), |all, &item| all.beside(self.facts(item), |a, b| a && b))
                .settled(),
            &Term::Not(inner) => {
                let inner = self.facts(inner);
                Facts { nullable: inner.nullable.map(|nullable| !nullable), ..inner }.settled()
            }
            &Term::Repeat { item, min, .. } => {
                let item = self.facts(item);
                if min > 0 {
                    return item;
                }
                Facts { empty: Empty::Always, nullable: [true; 3], ..item }
            }
            Term::Start => Facts {
                has_start: true,
                asks: Before::ALL.map(|before| before == Before::Start),
                ..Facts::assertion(Before::ALL.map(|before| before == Before::Start))
            },
            Term::End => Facts::assertion([true; 3]),
            &Term::WordBoundary { negated } => Facts {
                asks: Before::ALL.map(|before| before == Before::Word),
                ..Facts::assertion(Before::ALL.map(|before| (before == Before::Word) != negated))
            },
            &Term::Ahead { language, negated } => {
                let ahead = self.facts(language);
                Facts {
                    empty: Empty::Sometimes,
                    nullable: ahead.nullable.map(|nullable| nullable != negated),
                    asserts: true,
                    ..ahead
                }
            }
        }
    }

    /// One code point of a set.
    pub(crate) fn class(&mut self, set: CharSet) -> Result<LanguageId> {
        if set.is_empty() { Ok(LanguageId::NOTHING) } else { self.intern(Term::Class(set)) }
    }

    /// Exactly this text.
    pub(crate) fn text(&mut self, text: &str) -> Result<LanguageId> {
        text.chars().rev().try_fold(LanguageId::EMPTY, |rest, c| {
            let first = self.class(CharSet::point(c))?;
            self.concat(first, rest)
        })
    }

    /// The texts of at least `min` and at most `max` code points.
    pub(crate) fn lengths(&mut self, min: u32, max: Option<u32>) -> Result<LanguageId> {
        self.repeat(LanguageId::ANY, min, max)
    }

    pub(super) fn start(&mut self) -> Result<LanguageId> {
        self.intern(Term::Start)
    }

    pub(super) fn end(&mut self) -> Result<LanguageId> {
        self.intern(Term::End)
    }

    pub(super) fn word_boundary(&mut self, negated: bool) -> Result<LanguageId> {
        self.intern(Term::WordBoundary { negated })
    }

    pub(super) fn ahead(&mut self, language: LanguageId, negated: bool) -> Result<LanguageId> {
        let holds = match self.facts(language).empty {
            Empty::Always => true,
            _ if language == LanguageId::NOTHING => false,
            _ => return self.intern(Term::Ahead { language, negated }),
        };
        Ok(if holds == negated { LanguageId::NOTHING } else { LanguageId::EMPTY })
    }

    /// `first` followed by `second`. Not for the crate: where one of them has assertions, it must
    /// be no conjunction or complement, for these speak of everything up to the end.
    pub(super) fn concat(&mut self, first: LanguageId, second: LanguageId) -> Result<LanguageId> {
        // Right-nested: pull the parts of the first side off, last one first.
        let mut parts = Vec::new();
        let mut head = first;
        while let Term::Concat(part, rest) = *self.term(head) {
            parts.push(part);
            head = rest;
        }
        self.spend(parts.len())?;
        let mut result = self.pair(head, second)?;
        for part in parts.into_iter().rev() {
            result = self.pair(part, result)?;
        }
        Ok(result)
    }

    /// A concatenation whose first part is none.
    fn pair(&mut self, first: LanguageId, second: LanguageId) -> Result<LanguageId> {
        match (first, second) {
            (LanguageId::NOTHING, _) | (_, LanguageId::NOTHING) => return Ok(LanguageId::NOTHING),
            (LanguageId::EMPTY, other) | (other, LanguageId::EMPTY) => return Ok(other),
            _ => {}
        }
        if *self.term(first) == Term::End {
            match self.facts(second).nullable {
                [true, true, true] => return Ok(first),
                [false, false, false] => return Ok(LanguageId::NOTHING),
                _ => {}
            }
        }
        let (head, rest) = match *self.term(second) {
            Term::Concat(head, rest) => (head, rest),
            _ => (second, LanguageId::EMPTY),
        };
        if let Some(joined) = self.successive(first, head)? {
            return self.pair(joined, rest);
        }
        self.intern(Term::Concat(first, second))
    }

    /// Two runs of the same as one.
    fn successive(&mut self, a: LanguageId, b: LanguageId) -> Result<Option<LanguageId>> {
        let (Term::Repeat { item, min, max }, Term::Repeat { item: item2, min: min2, max: max2 }) =
            (&*self.term(a), &*self.term(b))
        else {
            return Ok(None);
        };
        let max = match (max, max2) {
            (Some(max), Some(max2)) => max.checked_add(*max2).map(Some),
            _ => Some(None),
        };
        match (item == item2, min.checked_add(*min2), max) {
            (true, Some(min), Some(max)) => self.repeat(*item, min, max).map(Some),
            _ => Ok(None),
        }
    }

    /// One of them.
    pub(crate) fn alt(
        &mut self,
        terms: impl IntoIterator<Item = LanguageId>,
    ) -> Result<LanguageId> {
        let mut items = Vec::new();
        for id in terms {
            match &*self.term(id) {
                Term::Alt(inner) => items.extend_from_slice(inner),
                _ => items.push(id),
            }
        }
        self.spend(items.len())?;
        items.sort_unstable();
        items.dedup();
        if items.contains(&LanguageId::EVERYTHING) {
            return Ok(LanguageId::EVERYTHING);
        }
        let classes: Vec<_> = items.extract_if(.., |&mut id| self.is_class(id)).collect();
        if !classes.is_empty() {
            let ranges = classes.iter().flat_map(|&id| self.ranges(id)).collect::<Vec<_>>();
            items.push(self.class(CharSet::from_ranges(ranges))?);
        }
        self.unite_runs(&mut items)?;
        items.sort_unstable();
        items.dedup();
        let empty_is_in_another =
            items.iter().any(|&item| item != LanguageId::EMPTY && self.facts(item).always_empty());
        items.retain(|&item| match item {
            LanguageId::NOTHING => false,
            LanguageId::EMPTY => !empty_is_in_another,
            _ => true,
        });
        if self.has_opposites(&items) {
            return Ok(LanguageId::EVERYTHING);
        }
        match items[..] {
            [] => Ok(LanguageId::NOTHING),
            [item] => Ok(item),
            _ => self.intern(Term::Alt(items.into())),
        }
    }

    fn is_class(&self, id: LanguageId) -> bool {
        matches!(*self.term(id), Term::Class(_))
    }

    fn ranges(&self, class: LanguageId) -> Vec<(char, char)> {
        match &*self.term(class) {
            Term::Class(set) => set.ranges().to_vec(),
            _ => Vec::new(),
        }
    }

    /// Whether a term and its complement are among these.
    fn has_opposites(&self, sorted: &[LanguageId]) -> bool {
        sorted.iter().any(|&item| match *self.term(item) {
            Term::Not(inner) => sorted.binary_search(&inner).is_ok(),
            _ => false,
        })
    }

    /// Replaces runs of the same before the same, `x{1,3}y|x{2,5}y`, by one where their counts
    /// meet, `x{1,5}y`.
    fn unite_runs(&mut self, items: &mut Vec<LanguageId>) -> Result<()> {
        let run = |id: LanguageId| {
            let (first, rest) = match *self.term(id) {
                Term::Concat(first, rest) => (first, rest),
                _ => (id, LanguageId::EMPTY),
            };
            match *self.term(first) {
                Term::Repeat { item, min, max } => {
                    Some(((item, rest), min, max.unwrap_or(u32::MAX), max, id))
                }
                _ => None,
            }
        };
        let mut runs: Vec<_> = items.iter().filter_map(|&id| run(id)).collect();
        if runs.len() < 2 {
            return Ok(());
        }
        runs.sort_unstable();
        let mut united = Vec::new();
        runs.dedup_by(|next, last| {
            let meets = next.0 == last.0 && next.1 <= last.2.saturating_add(1);
            if meets {
                let max = if last.3.is_none() { None } else { next.3.map(|max| max.max(last.2)) };
                united.extend([next.4, last.4]);
                (last.2, last.3) = (max.unwrap_or(u32::MAX), max);
            }
            meets
        });
        if united.is_empty() {
            return Ok(());
        }
        united.sort_unstable();
        items.retain(|item| united.binary_search(item).is_err());
        for ((item, rest), min, _, max, id) in runs {
            if united.binary_search(&id).is_ok() {
                let run = self.repeat(item, min, max)?;
                items.push(self.concat(run, rest)?);
            }
        }
        Ok(())
    }

    /// All of them.
    pub(crate) fn and(
        &mut self,
        terms: impl IntoIterator<Item = LanguageId>,
    ) -> Result<LanguageId> {
        let mut items = Vec::new();
        for id in terms {
            match &*self.term(id) {
                Term::And(inner) => items.extend_from_slice(inner),
                _ => items.push(id),
            }
        }
        self.spend(items.len())?;
        let mut run: Option<(CharSet, u32, Option<u32>)> = None;
        let mut others = Vec::with_capacity(items.len());
        for item in items {
            match (self.as_run(item), &mut run) {
                (None, _) => others.push(item),
                (found, None) => run = found,
                (Some((set, min, max)), Some(all)) => {
                    let max = all.2.map_or(max, |most| Some(max.map_or(most, |max| max.min(most))));
                    *all = (all.0.intersection(&set), all.1.max(min), max);
                }
            }
        }
        if let Some((set, min, max)) = run {
            let item = self.class(set)?;
            others.push(self.repeat(item, min, max)?);
        }
        others.sort_unstable();
        others.dedup();
        if others.contains(&LanguageId::NOTHING) || self.has_opposites(&others) {
            return Ok(LanguageId::NOTHING);
        }
        others.retain(|&item| item != LanguageId::EVERYTHING);
        if others.contains(&LanguageId::EMPTY) {
            if others.iter().any(|&item| self.facts(item).nullable == [false; 3]) {
                return Ok(LanguageId::NOTHING);
            }
            let decided = |&item: &LanguageId| self.facts(item).nullable == [true; 3];
            others.retain(|item| *item == LanguageId::EMPTY || !decided(item));
        }
        match others[..] {
            [] => Ok(LanguageId::EVERYTHING),
            [item] => Ok(item),
            _ => self.intern(Term::And(others.into())),
        }
    }

    /// The code points and their number, if the language is all texts of so many of them.
    fn as_run(&self, id: LanguageId) -> Option<(CharSet, u32, Option<u32>)> {
        match &*self.term(id) {
            Term::Class(set) => Some((set.clone(), 1, Some(1))),
            Term::Repeat { item, min, max } => match &*self.term(*item) {
                Term::Class(set) => Some((set.clone(), *min, *max)),
                _ => None,
            },
            _ => None,
        }
    }

    /// All texts but these.
    pub(crate) fn not(&mut self, language: LanguageId) -> Result<LanguageId> {
        match (language, &*self.term(language)) {
            (LanguageId::NOTHING, _) => Ok(LanguageId::EVERYTHING),
            (LanguageId::EVERYTHING, _) => Ok(LanguageId::NOTHING),
            (_, &Term::Not(inner)) => Ok(inner),
            _ => self.intern(Term::Not(language)),
        }
    }

    /// `item` at least `min` and at most `max` times.
    pub(super) fn repeat(
        &mut self,
        item: LanguageId,
        min: u32,
        max: Option<u32>,
    ) -> Result<LanguageId> {
        let facts = self.facts(item);
        let min = if facts.always_empty() { 0 } else { min };
        match (item, max) {
            (_, Some(max)) if max < min => return Ok(LanguageId::NOTHING),
            (_, Some(0)) | (LanguageId::EMPTY, _) => return Ok(LanguageId::EMPTY),
            (LanguageId::NOTHING, _) if min == 0 => return Ok(LanguageId::EMPTY),
            (LanguageId::NOTHING, _) => return Ok(LanguageId::NOTHING),
            (_, Some(1)) if min == 1 => return Ok(item),
            _ => {}
        }
        if facts.asserts && facts.empty != Empty::Never {
            return self.repeat_asserted(item, min, max);
        }
        match *self.term(item) {
            Term::Repeat { item, min: 0, max: None } if max.is_none() => self.repeat(item, 0, None),
            Term::Repeat { item, min: 1, max: None } if max.is_none() => {
                self.repeat(item, min, None)
            }
            _ => self.intern(Term::Repeat { item, min, max }),
        }
    }

    /// A repetition whose item may match the empty text if an assertion holds, written with
    /// items that never do: an iteration that reads nothing changes nothing, so it counts only
    /// towards the minimum, and then one place where the assertion holds is enough for all.
    fn repeat_asserted(
        &mut self,
        item: LanguageId,
        min: u32,
        max: Option<u32>,
    ) -> Result<LanguageId> {
        let (assertion, reading) = self.split_empty(item)?;
        if min == 0 {
            return self.repeat(reading, 0, max);
        }
        if reading == LanguageId::NOTHING {
            return Ok(assertion);
        }
        let Some(max) = max else {
            let enough = self.repeat(reading, min, None)?;
            let some = self.repeat(reading, 0, None)?;
            let helped = self.concat(assertion, some)?;
            let helped = self.concat(some, helped)?;
            return self.alt([enough, helped]);
        };
        let mut result = self.repeat(reading, 0, Some(max - min))?;
        for more in (0..min).rev() {
            let freed = self.repeat(reading, 0, Some(max - more))?;
            let freed = self.concat(assertion, freed)?;
            let counted = self.concat(reading, result)?;
            result = self.alt([freed, counted])?;
        }
        Ok(result)
    }

    /// The part of a term that reads nothing, and the part that reads something.
    fn split_empty(&mut self, id: LanguageId) -> Result<(LanguageId, LanguageId)> {
        let facts = self.facts(id);
        let empty = if facts.always_empty() { LanguageId::EMPTY } else { LanguageId::NOTHING };
        if facts.empty == Empty::Never {
            return Ok((LanguageId::NOTHING, id));
        }
        match &*self.term(id) {
            Term::Nothing | Term::Empty | Term::Class(_) => Ok((empty, LanguageId::NOTHING)),
            Term::Start | Term::End | Term::WordBoundary { .. } | Term::Ahead { .. } => {
                Ok((id, LanguageId::NOTHING))
            }
            Term::Concat(..) => {
                let mut parts = Vec::new();
                let mut rest = id;
                while let Term::Concat(first, second) = *self.term(rest) {
                    parts.push((first, second));
                    rest = second;
                }
                let (mut empty, mut reading) = self.nested(|this| this.split_empty(rest))?;
                for (first, rest) in parts.into_iter().rev() {
                    let (first_empty, first_reading) =
                        self.nested(|this| this.split_empty(first))?;
                    let at_once = self.concat(first_reading, rest)?;
                    let later = self.concat(first_empty, reading)?;
                    reading = self.alt([at_once, later])?;
                    empty = self.concat(first_empty, empty)?;
                }
                Ok((empty, reading))
            }
            Term::Alt(items) => {
                let (mut empties, mut readings) = (Vec::new(), Vec::new());
                for &item in items {
                    let (empty, reading) = self.nested(|this| this.split_empty(item))?;
                    empties.push(empty);
                    readings.push(reading);
                }
                Ok((self.alt(empties)?, self.alt(readings)?))
            }
            &Term::Repeat { item, min, max } => {
                let (_, reading) = self.nested(|this| this.split_empty(item))?;
                let rest = self.one_less(item, min, max)?;
                Ok((empty, self.concat(reading, rest)?))
            }
            Term::And(_) | Term::Not(_) => {
                let some = self.lengths(1, None)?;
                Ok((empty, self.and([id, some])?))
            }
        }
    }

    /// What a repetition leaves after one iteration.
    pub(super) fn one_less(
        &mut self,
        item: LanguageId,
        min: u32,
        max: Option<u32>,
    ) -> Result<LanguageId> {
        self.repeat(item, min.saturating_sub(1), max.map(|max| max.saturating_sub(1)))
    }

    /// The same without `^`, which holds nowhere once something was read.
    pub(super) fn past_start(&mut self, id: LanguageId) -> Result<LanguageId> {
        if !self.facts(id).has_start {
            return Ok(id);
        }
        if let Some(&known) = self.past_start.get(&id) {
            return Ok(known);
        }
        let result = self.nested(|this| this.without_start(id))?;
        self.past_start.insert(id, result);
        Ok(result)
    }

    fn without_start(&mut self, id: LanguageId) -> Result<LanguageId> {
        match &*self.term(id) {
            Term::Concat(..) => {
                let mut parts = Vec::new();
                let mut rest = id;
                while let Term::Concat(first, second) = *self.term(rest) {
                    parts.push(self.past_start(first)?);
                    rest = second;
                }
                let mut result = self.past_start(rest)?;
                for part in parts.into_iter().rev() {
                    result = self.concat(part, result)?;
                }
                Ok(result)
            }
            Term::Alt(items) => {
                let items: Vec<_> =
                    items.iter().map(|&item| self.past_start(item)).collect::<Result<_>>()?;
                self.alt(items)
            }
            Term::And(items) => {
                let items: Vec<_> =
                    items.iter().map(|&item| self.past_start(item)).collect::<Result<_>>()?;
                self.and(items)
            }
            &Term::Not(inner) => {
                let inner = self.past_start(inner)?;
                self.not(inner)
            }
            &Term::Repeat { item, min, max } => {
                let item = self.past_start(item)?;
                self.repeat(item, min, max)
            }
            &Term::Ahead { language, negated } => {
                let language = self.past_start(language)?;
                self.ahead(language, negated)
            }
            Term::Start => Ok(LanguageId::NOTHING),
            Term::Nothing
            | Term::Empty
            | Term::Class(_)
            | Term::End
            | Term::WordBoundary { .. } => Ok(id),
        }
    }
}
