//! Texts in which something may come behind any characters, as of patterns that are not anchored: they always go on
//! with any character, and differ from one another only in where they may end.

use super::{Term, TermId, Terms};

impl Terms {
    /// Any of the items of which a term consists, up to the byte at its end: if the term is a text that begins with a
    /// loop of items without a bound, or may do so, and has nothing else but that byte.
    ///
    /// ```
    /// use grammask_gbnf::Terms;
    /// let terms = Terms::default();
    /// let item = terms.class(&[(' ', '!'), ('#', '~')]);
    /// let any = terms.repeat(item, 0, None);
    /// let text = |first| terms.concat(first, terms.concat(terms.text(b"ab"), terms.text(b"\"")));
    /// assert_eq!(terms.unanchored(text(any)), Some(terms.concat(any, terms.text(b"\""))));
    /// assert_eq!(terms.unanchored(text(terms.text(b"c"))), None);
    /// ```
    pub fn unanchored(&self, term: TermId) -> Option<TermId> {
        let alternatives = match &self.entry(term).term {
            Term::Alt(items) => &items[..],
            _ => &[term],
        };
        // Behind any item the loop is left, and the text goes on.
        let (item, last) = alternatives.iter().find_map(|&text| self.begins_with_any(text))?;
        let any = self.repeat(item, 0, None);
        let is_found = alternatives.iter().all(|&text| self.is_within_ended(text, any, last))
            && matches!(self.entry(last).term, Term::Bytes(end) if self.is_told_from(item, &end));
        is_found.then(|| self.concat(any, last))
    }

    /// The item of the loop with which a sequence begins, however many there must be, and what ends it.
    fn begins_with_any(&self, text: TermId) -> Option<(TermId, TermId)> {
        let (mut single, mut found, mut rest) = (None, None, text);
        while let Term::Concat(first, second) = self.entry(rest).term {
            match self.entry(first).term {
                _ if found.is_some() => {}
                Term::Repeat { item, max: None, .. } => found = Some(item),
                // Some items more need not be told from those of the loop.
                _ if single.is_none_or(|item| item == first) => single = Some(first),
                _ => return None,
            }
            rest = second;
        }
        let item = found.filter(|&item| single.is_none_or(|single| single == item))?;
        Some((item, rest))
    }

    /// Whether a sequence is matches of the loop `any` and ends with `last`.
    fn is_within_ended(&self, text: TermId, any: TermId, last: TermId) -> bool {
        let mut rest = text;
        while let Term::Concat(first, second) = self.entry(rest).term {
            if !self.is_within(first, any) {
                return false;
            }
            rest = second;
        }
        rest == last
    }
}
