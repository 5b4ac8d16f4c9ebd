//! From a pattern to the texts in which it is found.

use super::facts::Empty;
use super::store::{LanguageId, Languages, Result, Term};

impl Languages {
    /// The texts of which a part, or the whole, is in `found`. Anchors, boundaries of words and what is looked ahead
    /// at are decided by what stands around them, unless they are repeated, so that most languages are left without
    /// assertions.
    pub(super) fn search(&mut self, found: LanguageId) -> Result<LanguageId> {
        self.before(found, LanguageId::EVERYTHING, Some(LanguageId::EVERYTHING))
    }

    /// The texts of a term and `rest`, which goes up to the end, one behind the other, behind all that may lie before
    /// them, if that is known.
    fn before(
        &mut self,
        term: LanguageId,
        mut rest: LanguageId,
        start: Option<LanguageId>,
    ) -> Result<LanguageId> {
        let parts = self.parts(term)?;
        let (start, mut left) = match (start, &parts[..]) {
            (Some(_), [first, parts @ ..]) if *self.term(*first) == Term::Start => {
                (Some(LanguageId::EMPTY), parts)
            }
            (start, parts) => (start, parts),
        };
        while let [before @ .., part] = left {
            left = before;
            let decided = match &*self.term(*part) {
                Term::End if self.facts(rest).nullable == [true; 3] => Some(LanguageId::EMPTY),
                &Term::WordBoundary { negated } => {
                    if let Some((others, first)) = self.up_to_a_character(before, start)?
                        && let Some(decided) = self.at_boundary(first, rest, negated)?
                    {
                        let Some(others) = others else { return Ok(decided) };
                        left = &before[..others];
                        Some(decided)
                    } else {
                        None
                    }
                }
                &Term::Ahead { language, negated } => {
                    let is_ahead =
                        |&part: &LanguageId| matches!(*self.term(part), Term::Ahead { .. });
                    let is_start = start == Some(LanguageId::EMPTY) && before.iter().all(is_ahead);
                    let start = is_start.then_some(LanguageId::EMPTY);
                    let every = LanguageId::EVERYTHING;
                    let ahead = self.nested(|this| this.before(language, every, start))?;
                    self.with_ahead((ahead, negated), rest, is_start)?
                }
                Term::Alt(items) if self.facts(*part).asserts || parts.len() == 1 => {
                    let start = start.filter(|_| before.is_empty());
                    let mut texts = Vec::with_capacity(items.len());
                    for &item in items {
                        texts.push(self.nested(|this| this.before(item, rest, start))?);
                    }
                    let texts = self.alt(texts)?;
                    if start.is_some() {
                        return Ok(texts);
                    }
                    Some(texts)
                }
                _ => None,
            };
            rest = match decided {
                Some(decided) => decided,
                None => self.concat(*part, rest)?,
            };
        }
        self.concat(start.unwrap_or(LanguageId::EMPTY), rest)
    }

    /// What a term consists of.
    fn parts(&mut self, term: LanguageId) -> Result<Vec<LanguageId>> {
        let mut parts = Vec::new();
        let mut rest = term;
        while let Term::Concat(part, next) = *self.term(rest) {
            parts.push(part);
            rest = next;
        }
        parts.push(rest);
        self.spend(parts.len())?;
        Ok(parts)
    }

    /// The last of some parts, as many as read something in any case, with the number of those before them; without
    /// a number if all are needed, to the start of the text; nothing if what lies there is not known.
    fn up_to_a_character(
        &mut self,
        parts: &[LanguageId],
        start: Option<LanguageId>,
    ) -> Result<Option<(Option<usize>, LanguageId)>> {
        let mut last = LanguageId::EMPTY;
        for (at, &part) in parts.iter().enumerate().rev() {
            last = self.concat(part, last)?;
            if self.facts(part).empty == Empty::Never {
                return Ok(Some((Some(at), last)));
            }
        }
        let Some(start) = start else { return Ok(None) };
        Ok(Some((None, self.concat(start, last)?)))
    }
}
