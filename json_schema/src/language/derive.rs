//! Derivatives: what may follow once a code point was read.
//!
//! A derivative is computed when it is first asked for, for all code points at once, and kept.
//! An assertion at the front of a concatenation is decided there, so its continuation is never
//! lost: a look-ahead is the conjunction of what it demands and what follows it. A repetition
//! with assertions in it is unrolled before what follows it for the same reason.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::class::{CharSet, following, preceding};
use super::facts::Before;
use super::store::{LanguageId, Languages, Result, Term};

/// Where each code point leads: sorted, disjoint ranges; those outside lead to nothing.
pub(super) type Row = Rc<[(char, char, LanguageId)]>;

/// A place in a text: what may follow and, if that matters, what was just read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State {
    language: LanguageId,
    before: Before,
}

/// How rows are combined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Combine {
    Alt,
    And,
}

impl State {
    /// What may still be read.
    pub(crate) fn language(self) -> LanguageId {
        self.language
    }
}

impl Languages {
    /// The state before anything is read.
    pub(crate) fn initial(&self, language: LanguageId) -> State {
        self.state(language, Before::Start)
    }

    /// Whether the text may end here.
    pub(crate) fn accepts(&self, state: State) -> bool {
        self.facts(state.language).nullable(state.before)
    }

    /// Where code points lead, but for those that lead to nothing; the sets are disjoint and the
    /// states all different.
    pub(crate) fn transitions(&mut self, state: State) -> Result<Vec<(CharSet, State)>> {
        let row = self.row(state.language, state.before)?;
        let word = CharSet::word();
        let other = word.complement();
        let mut order = Vec::new();
        let mut ranges: FxHashMap<State, Vec<(char, char)>> = FxHashMap::default();
        let mut add = |state: State, range| {
            let all = ranges.entry(state).or_default();
            if all.is_empty() {
                order.push(state);
            }
            all.push(range);
        };
        for &(lo, hi, to) in row.iter() {
            if self.facts(to).asks(Before::Word) {
                let range = CharSet::from_ranges([(lo, hi)]);
                for (set, before) in [(&word, Before::Word), (&other, Before::Other)] {
                    for &part in range.intersection(set).ranges() {
                        add(self.state(to, before), part);
                    }
                }
            } else {
                add(self.state(to, Before::Other), (lo, hi));
            }
        }
        let set_of = |state: &State| CharSet::from_ranges(ranges.remove(state).unwrap_or_default());
        Ok(order.iter().map(set_of).zip(order.iter().copied()).collect())
    }

    /// Whether the text is in the language.
    pub(crate) fn contains(&mut self, language: LanguageId, text: &str) -> Result<bool> {
        let word = CharSet::word();
        let mut state = self.initial(language);
        for c in text.chars() {
            let row = self.row(state.language, state.before)?;
            let at = row.partition_point(|&(_, hi, _)| hi < c);
            match row.get(at) {
                Some(&(lo, _, to)) if lo <= c => {
                    let before = if word.contains(c) { Before::Word } else { Before::Other };
                    state = self.state(to, before);
                }
                _ => return Ok(false),
            }
        }
        Ok(self.accepts(state))
    }

    /// A state that knows no more of what was read than matters.
    fn state(&self, language: LanguageId, before: Before) -> State {
        let known = self.facts(language).asks(before);
        State { language, before: if known { before } else { Before::Other } }
    }

    fn row(&mut self, language: LanguageId, before: Before) -> Result<Row> {
        let State { language, before } = self.state(language, before);
        if let Some(row) = self.rows.get(&(language, before)) {
            return Ok(Rc::clone(row));
        }
        let mut row = self.nested(|this| this.derive(language, before))?;
        self.spend(row.len())?;
        if row.iter().any(|&(_, _, to)| self.facts(to).has_start) {
            let mut steps = Vec::with_capacity(row.len());
            for &(lo, hi, to) in row.iter() {
                steps.push((lo, hi, self.past_start(to)?));
            }
            row = joined(steps);
        }
        self.rows.insert((language, before), Rc::clone(&row));
        Ok(row)
    }

    fn derive(&mut self, language: LanguageId, before: Before) -> Result<Row> {
        match &*self.term(language) {
            // What only asserts reads nothing.
            Term::Nothing
            | Term::Empty
            | Term::Start
            | Term::End
            | Term::WordBoundary { .. }
            | Term::Ahead { .. } => Ok(Row::default()),
            Term::Class(set) => {
                Ok(set.ranges().iter().map(|&(lo, hi)| (lo, hi, LanguageId::EMPTY)).collect())
            }
            Term::Concat(..) => self.derive_concat(language, before),
            Term::Alt(items) => {
                let rows = self.rows_of(items, before)?;
                self.merge(&rows, Combine::Alt)
            }
            Term::And(items) => {
                let rows = self.rows_of(items, before)?;
                self.merge(&rows, Combine::And)
            }
            &Term::Not(inner) => {
                let row = self.row(inner, before)?;
                self.negate(&row)
            }
            &Term::Repeat { item, min, max } if self.facts(item).asserts => {
                self.derive_asserted_run((item, min, max), LanguageId::EMPTY, before)
            }
            &Term::Repeat { item, min, max } => {
                let rest = self.one_less(item, min, max)?;
                self.followed(item, rest, before)
            }
        }
    }

    fn rows_of(&mut self, items: &[LanguageId], before: Before) -> Result<Vec<Row>> {
        items.iter().map(|&item| self.row(item, before)).collect()
    }

    /// Goes along a concatenation as far as it may match the empty text.
    fn derive_concat(&mut self, language: LanguageId, before: Before) -> Result<Row> {
        let mut rows = Vec::new();
        let mut rest = language;
        loop {
            match *self.term(rest) {
                Term::Concat(first, second) if !self.facts(first).asserts => {
                    rows.push(self.followed(first, second, before)?);
                    if !self.facts(first).always_empty() {
                        break;
                    }
                    rest = second;
                }
                Term::Concat(first, second) => {
                    rows.push(self.derive_asserted(first, second, before)?);
                    break;
                }
                _ => {
                    rows.push(self.row(rest, before)?);
                    break;
                }
            }
        }
        self.merge(&rows, Combine::Alt)
    }

    /// The derivatives of `first`, each followed by `second`.
    fn followed(&mut self, first: LanguageId, second: LanguageId, before: Before) -> Result<Row> {
        let row = self.row(first, before)?;
        let mut steps = Vec::with_capacity(row.len());
        for &(lo, hi, to) in row.iter() {
            steps.push((lo, hi, self.concat(to, second)?));
        }
        Ok(joined(steps))
    }

    /// The derivatives of a concatenation whose first part has assertions in it.
    fn derive_asserted(
        &mut self,
        first: LanguageId,
        second: LanguageId,
        before: Before,
    ) -> Result<Row> {
        match &*self.term(first) {
            Term::Start if before == Before::Start => self.row(second, before),
            Term::Start | Term::End => Ok(Row::default()),
            &Term::WordBoundary { negated } => {
                let row = self.row(second, before)?;
                let word = CharSet::word();
                let allowed =
                    if (before == Before::Word) == negated { word } else { word.complement() };
                Ok(restricted(&row, &allowed))
            }
            &Term::Ahead { language, negated } => {
                let mut demanded = self.concat(language, LanguageId::EVERYTHING)?;
                if negated {
                    demanded = self.not(demanded)?;
                }
                let both = self.and([demanded, second])?;
                self.row(both, before)
            }
            Term::Alt(items) => {
                let mut rows = Vec::with_capacity(items.len());
                for &item in items {
                    let whole = self.concat(item, second)?;
                    rows.push(self.row(whole, before)?);
                }
                self.merge(&rows, Combine::Alt)
            }
            &Term::Repeat { item, min, max } => {
                self.derive_asserted_run((item, min, max), second, before)
            }
            _ => self.followed(first, second, before),
        }
    }

    /// The derivatives of a repetition whose item has assertions in it and is never empty, and
    /// what follows it.
    fn derive_asserted_run(
        &mut self,
        (item, min, max): (LanguageId, u32, Option<u32>),
        second: LanguageId,
        before: Before,
    ) -> Result<Row> {
        let rest = self.one_less(item, min, max)?;
        let rest = self.concat(rest, second)?;
        let more = self.concat(item, rest)?;
        let mut rows = vec![self.row(more, before)?];
        if min == 0 {
            rows.push(self.row(second, before)?);
        }
        self.merge(&rows, Combine::Alt)
    }

    /// Rows to one: where some lead, or where all do.
    fn merge(&mut self, rows: &[Row], combine: Combine) -> Result<Row> {
        if let [row] = rows {
            return Ok(Rc::clone(row));
        }
        let mut pending: Vec<_> = rows.iter().flat_map(|row| row.iter()).copied().collect();
        let mut bounds: Vec<char> =
            pending.iter().flat_map(|&(lo, hi, _)| [Some(lo), following(hi)]).flatten().collect();
        // Stable because that makes use of the rows being sorted.
        pending.sort_by_key(|step| step.0);
        bounds.sort_unstable();
        bounds.dedup();
        let mut pending = pending.into_iter().peekable();
        // The steps over the code points from one bound to the next.
        let mut over: Vec<(char, LanguageId)> = Vec::new();
        let mut targets: Vec<LanguageId> = Vec::new();
        let mut known: FxHashMap<Vec<LanguageId>, LanguageId> = FxHashMap::default();
        let mut steps = Vec::with_capacity(bounds.len());
        for (index, &bound) in bounds.iter().enumerate() {
            over.retain(|&(hi, _)| hi >= bound);
            while let Some((_, hi, to)) = pending.next_if(|step| step.0 == bound) {
                over.push((hi, to));
            }
            self.spend(over.len())?;
            if over.is_empty() || combine == Combine::And && over.len() < rows.len() {
                continue;
            }
            targets.clear();
            targets.extend(over.iter().map(|&(_, to)| to));
            targets.sort_unstable();
            let to = if let Some(&to) = known.get(&targets[..]) {
                to
            } else {
                let items = targets.iter().copied();
                let to = match combine {
                    Combine::Alt => self.alt(items)?,
                    Combine::And => self.and(items)?,
                };
                known.insert(targets.clone(), to);
                to
            };
            let next = bounds.get(index + 1).copied().and_then(preceding);
            steps.push((bound, next.unwrap_or(char::MAX), to));
        }
        Ok(joined(steps))
    }

    /// The row of the complement.
    fn negate(&mut self, row: &Row) -> Result<Row> {
        let covered = CharSet::from_ranges(row.iter().map(|&(lo, hi, _)| (lo, hi)));
        let mut steps: Vec<_> = covered
            .complement()
            .ranges()
            .iter()
            .map(|&(lo, hi)| (lo, hi, LanguageId::EVERYTHING))
            .collect();
        for &(lo, hi, to) in row.iter() {
            steps.push((lo, hi, self.not(to)?));
        }
        steps.sort_unstable_by_key(|step| step.0);
        Ok(joined(steps))
    }
}

/// Only these code points of a row.
fn restricted(row: &Row, allowed: &CharSet) -> Row {
    let mut steps = Vec::new();
    for &(lo, hi, to) in row.iter() {
        let range = CharSet::from_ranges([(lo, hi)]);
        let parts = range.intersection(allowed);
        steps.extend(parts.ranges().iter().map(|&(lo, hi)| (lo, hi, to)));
    }
    joined(steps)
}

/// A row of sorted steps: without those to nothing, and neighbours with one target as one.
fn joined(mut steps: Vec<(char, char, LanguageId)>) -> Row {
    steps.retain(|step| step.2 != LanguageId::NOTHING);
    steps.dedup_by(|next, last| {
        let joined = last.2 == next.2 && following(last.1) == Some(next.0);
        if joined {
            last.1 = next.1;
        }
        joined
    });
    steps.into()
}
