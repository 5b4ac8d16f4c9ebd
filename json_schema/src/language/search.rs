//! From a pattern to the texts in which it is found.

use super::facts::Empty;
use super::store::{LanguageId, Languages, Result, Term};

impl Languages {
    /// The texts of which a part, or the whole, is in `found`. An anchor at the very start or end
    /// of an alternative decides what stands around it, and what the parts beside a boundary of a word have there
    /// decides that, so that most languages are left without assertions.
    pub(super) fn search(&mut self, found: LanguageId) -> Result<LanguageId> {
        let alternatives = match &*self.term(found) {
            Term::Alt(items) => items.to_vec(),
            _ => vec![found],
        };
        let mut texts = Vec::with_capacity(alternatives.len());
        for alternative in alternatives {
            texts.push(self.search_one(alternative)?);
        }
        self.alt(texts)
    }

    fn search_one(&mut self, found: LanguageId) -> Result<LanguageId> {
        let mut parts = Vec::new();
        let mut rest = found;
        while let Term::Concat(part, next) = *self.term(rest) {
            parts.push(part);
            rest = next;
        }
        parts.push(rest);
        self.spend(parts.len())?;
        let starts = *self.term(parts[0]) == Term::Start;
        let ends = parts.len() > 1 && *self.term(rest) == Term::End;
        let inner = &parts[usize::from(starts)..parts.len() - usize::from(ends)];
        let mut texts = if ends { LanguageId::EMPTY } else { LanguageId::EVERYTHING };
        let start = if starts { LanguageId::EMPTY } else { LanguageId::EVERYTHING };
        let mut left = inner;
        while let [before @ .., part] = left {
            left = before;
            if let Term::WordBoundary { negated } = *self.term(*part) {
                let (others, first) = self.up_to_a_character(before, start)?;
                if let Some(decided) = self.at_boundary(first, texts, negated)? {
                    match others {
                        Some(others) => left = others,
                        None => return Ok(decided),
                    }
                    texts = decided;
                    continue;
                }
            }
            texts = self.concat(*part, texts)?;
        }
        self.concat(start, texts)
    }

    /// The last of some parts, as many as read something in any case, and those before them; without others if all
    /// are needed, to the start of the text.
    fn up_to_a_character<'a>(
        &mut self,
        parts: &'a [LanguageId],
        start: LanguageId,
    ) -> Result<(Option<&'a [LanguageId]>, LanguageId)> {
        let mut last = LanguageId::EMPTY;
        for (at, &part) in parts.iter().enumerate().rev() {
            last = self.concat(part, last)?;
            if self.facts(part).empty == Empty::Never {
                return Ok((Some(&parts[..at]), last));
            }
        }
        Ok((None, self.concat(start, last)?))
    }
}
