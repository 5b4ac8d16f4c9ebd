//! From a pattern to the texts in which it is found.

use super::store::{LanguageId, Languages, Result, Term};

impl Languages {
    /// The texts of which a part, or the whole, is in `found`. An anchor at the very start or end
    /// of an alternative decides what stands around it, so that most languages are left without
    /// assertions.
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
        for &part in inner.iter().rev() {
            texts = self.concat(part, texts)?;
        }
        if starts { Ok(texts) } else { self.concat(LanguageId::EVERYTHING, texts) }
    }
}
