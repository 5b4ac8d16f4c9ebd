//! From a pattern to the texts in which it is found.

use super::facts::Empty;
use super::store::{LanguageId, Languages, Result, Term};

impl Languages {
    /// The texts of which a part, or the whole, is in `found`. An anchor at the very start or end
    /// of an alternative decides what stands around it, and what the parts beside a boundary of a word have there
    /// decides that, so that most languages are left without assertions.
    pub(super) fn search(&mut self, found: LanguageId) -> Result<LanguageId> {
        let alternatives = self.alternatives(found);
        let mut texts = Vec::with_capacity(alternatives.len());
        for alternative in alternatives {
            texts.push(self.search_one(alternative)?);
        }
        self.alt(texts)
    }

    fn search_one(&mut self, found: LanguageId) -> Result<LanguageId> {
        let parts = self.parts(found)?;
        let (start, parts) = match &parts[..] {
            [first, parts @ ..] if *self.term(*first) == Term::Start => (LanguageId::EMPTY, parts),
            parts => (LanguageId::EVERYTHING, parts),
        };
        self.search_parts(parts, Some(start))
    }

    /// The texts that begin with a text of `found`, behind all that may lie before them, if that is known.
    fn beginning_with(
        &mut self,
        found: LanguageId,
        start: Option<LanguageId>,
    ) -> Result<LanguageId> {
        let alternatives = self.alternatives(found);
        let mut texts = Vec::with_capacity(alternatives.len());
        for alternative in alternatives {
            let parts = self.parts(alternative)?;
            let parts = match &parts[..] {
                [first, parts @ ..] if start.is_some() && *self.term(*first) == Term::Start => {
                    parts
                }
                parts => parts,
            };
            texts.push(self.search_parts(parts, start)?);
        }
        self.alt(texts)
    }

    fn alternatives(&self, found: LanguageId) -> Vec<LanguageId> {
        match &*self.term(found) {
            Term::Alt(items) => items.to_vec(),
            _ => vec![found],
        }
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

    /// The same of parts that lie one behind the other.
    fn search_parts(
        &mut self,
        parts: &[LanguageId],
        start: Option<LanguageId>,
    ) -> Result<LanguageId> {
        let (mut left, mut texts) = match parts {
            [inner @ .., end] if *self.term(*end) == Term::End => (inner, LanguageId::EMPTY),
            _ => (parts, LanguageId::EVERYTHING),
        };
        while let [before @ .., part] = left {
            left = before;
            match *self.term(*part) {
                Term::WordBoundary { negated } => {
                    if let Some((others, first)) = self.up_to_a_character(before, start)?
                        && let Some(decided) = self.at_boundary(first, texts, negated)?
                    {
                        let Some(others) = others else { return Ok(decided) };
                        (left, texts) = (others, decided);
                        continue;
                    }
                }
                Term::Ahead { language, negated } => {
                    let is_ahead =
                        |&part: &LanguageId| matches!(*self.term(part), Term::Ahead { .. });
                    let start = start.filter(|&start| start == LanguageId::EMPTY);
                    let start = start.filter(|_| before.iter().all(is_ahead));
                    let ahead = self.nested(|this| this.beginning_with(language, start))?;
                    if let Some(decided) =
                        self.with_ahead((ahead, negated), texts, start.is_some())?
                    {
                        texts = decided;
                        continue;
                    }
                }
                _ => {}
            }
            texts = self.concat(*part, texts)?;
        }
        self.concat(start.unwrap_or(LanguageId::EMPTY), texts)
    }

    /// The last of some parts, as many as read something in any case, and those before them; without others if all
    /// are needed, to the start of the text; nothing if what lies there is not known.
    fn up_to_a_character<'a>(
        &mut self,
        parts: &'a [LanguageId],
        start: Option<LanguageId>,
    ) -> Result<Option<(Option<&'a [LanguageId]>, LanguageId)>> {
        let mut last = LanguageId::EMPTY;
        for (at, &part) in parts.iter().enumerate().rev() {
            last = self.concat(part, last)?;
            if self.facts(part).empty == Empty::Never {
                return Ok(Some((Some(&parts[..at]), last)));
            }
        }
        let Some(start) = start else { return Ok(None) };
        Ok(Some((None, self.concat(start, last)?)))
    }
}
