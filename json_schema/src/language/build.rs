//! The ways to build languages.
//!
//! Constructors simplify as far as it is cheap: it keeps the number of derivatives small, and
//! languages that are built alike equal.

use super::class::CharSet;
use super::facts::Empty;
use super::store::{LanguageId, Languages, Result, Term};

/// A term that is a repetition and what follows it.
struct Run {
    id: LanguageId,
    item: LanguageId,
    rest: LanguageId,
    min: u32,
    max: Option<u32>,
}

impl Languages {
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

    /// A text of each, one after the other. None of them has assertions, which would speak of
    /// everything up to the end.
    pub(crate) fn sequence(&mut self, parts: impl AsRef<[LanguageId]>) -> Result<LanguageId> {
        let parts = parts.as_ref();
        debug_assert!(parts.iter().all(|&part| !self.facts(part).asserts));
        parts.iter().rev().try_fold(LanguageId::EMPTY, |rest, &part| self.concat(part, rest))
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
    fn pair(&mut self, first: LanguageId, mut second: LanguageId) -> Result<LanguageId> {
        loop {
            match (first, second) {
                (LanguageId::NOTHING, _) | (_, LanguageId::NOTHING) => {
                    return Ok(LanguageId::NOTHING);
                }
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
            if second == LanguageId::EVERYTHING
                && let Some(least) = self.least(first)?
            {
                return self.pair(least, second);
            }
            if first == LanguageId::EVERYTHING
                && let Some(least) = self.least(head)?
            {
                second = self.pair(least, rest)?;
                continue;
            }
            return self.intern(Term::Concat(first, second));
        }
    }

    /// Of a repetition the fewest times: beside all texts, which have the others in them, it is the same.
    fn least(&mut self, run: LanguageId) -> Result<Option<LanguageId>> {
        match *self.term(run) {
            Term::Repeat { item, min, max } if max != Some(min) && !self.facts(item).asserts => {
                self.repeat(item, min, Some(min)).map(Some)
            }
            _ => Ok(None),
        }
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
        let mut items = self.flattened(terms, |term| match term {
            Term::Alt(inner) => Some(inner),
            _ => None,
        })?;
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

    /// The terms, but of those that consist of others these.
    fn flattened(
        &mut self,
        terms: impl IntoIterator<Item = LanguageId>,
        parts: fn(&Term) -> Option<&[LanguageId]>,
    ) -> Result<Vec<LanguageId>> {
        let mut items = Vec::new();
        for id in terms {
            match parts(&self.term(id)) {
                Some(inner) => items.extend_from_slice(inner),
                None => items.push(id),
            }
        }
        self.spend(items.len())?;
        Ok(items)
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
        let mut runs: Vec<Run> = items.iter().filter_map(|&id| self.run(id)).collect();
        if runs.len() < 2 {
            return Ok(());
        }
        runs.sort_unstable_by_key(|run| (run.item, run.rest, run.min));
        let mut united = Vec::new();
        runs.dedup_by(|next, last| {
            let meets = (next.item, next.rest) == (last.item, last.rest)
                && last.max.is_none_or(|max| next.min <= max.saturating_add(1));
            if meets {
                united.extend([next.id, last.id]);
                last.max = last.max.zip(next.max).map(|(max, other)| max.max(other));
            }
            meets
        });
        if united.is_empty() {
            return Ok(());
        }
        united.sort_unstable();
        items.retain(|item| united.binary_search(item).is_err());
        for Run { id, item, rest, min, max } in runs {
            if united.binary_search(&id).is_ok() {
                let run = self.repeat(item, min, max)?;
                items.push(self.concat(run, rest)?);
            }
        }
        Ok(())
    }

    fn run(&self, id: LanguageId) -> Option<Run> {
        let (first, rest) = match *self.term(id) {
            Term::Concat(first, rest) => (first, rest),
            _ => (id, LanguageId::EMPTY),
        };
        match *self.term(first) {
            Term::Repeat { item, min, max } => Some(Run { id, item, rest, min, max }),
            _ => None,
        }
    }

    /// All of them.
    pub(crate) fn and(
        &mut self,
        terms: impl IntoIterator<Item = LanguageId>,
    ) -> Result<LanguageId> {
        let items = self.flattened(terms, |term| match term {
            Term::And(inner) => Some(inner),
            _ => None,
        })?;
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
            // As plain as these: a text is not to be searched for behind 100,000 states.
            (_, &Term::Repeat { item: LanguageId::ANY, min: 0, max: Some(max) })
                if max < u32::MAX =>
            {
                self.lengths(max + 1, None)
            }
            (_, &Term::Repeat { item: LanguageId::ANY, min, max: None }) => {
                self.lengths(0, Some(min - 1))
            }
            _ => self.intern(Term::Not(language)),
        }
    }

    /// `item` at least `min` and at most `max` times.
    pub(crate) fn repeat(
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

    /// What a repetition leaves after one iteration.
    pub(super) fn one_less(
        &mut self,
        item: LanguageId,
        min: u32,
        max: Option<u32>,
    ) -> Result<LanguageId> {
        self.repeat(item, min.saturating_sub(1), max.map(|max| max.saturating_sub(1)))
    }
}
