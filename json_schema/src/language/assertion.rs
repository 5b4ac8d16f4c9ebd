//! Terms with assertions in them, rewritten.

use super::facts::Empty;
use super::store::{LanguageId, Languages, Result, Term};

impl Languages {
    /// A repetition whose item may match the empty text if an assertion holds, written with
    /// items that never do: an iteration that reads nothing changes nothing, so it counts only
    /// towards the minimum, and then one place where the assertion holds is enough for all.
    pub(super) fn repeat_asserted(
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

    /// The same without `^`, which holds nowhere once something was read.
    pub(super) fn past_start(&mut self, id: LanguageId) -> Result<LanguageId> {
        if !self.facts(id).has_start {
            return Ok(id);
        }
        if let Some(&known) = self.without_start.get(&id) {
            return Ok(known);
        }
        let result = self.nested(|this| this.rewrite_without_start(id))?;
        self.without_start.insert(id, result);
        Ok(result)
    }

    fn rewrite_without_start(&mut self, id: LanguageId) -> Result<LanguageId> {
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
