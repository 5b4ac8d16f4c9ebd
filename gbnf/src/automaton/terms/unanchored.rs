//! Texts in which something may come behind any characters, as of patterns that are not anchored: they always go on
//! with any character, and differ from one another only in where they may end.

use super::{ByteSet, Term, TermId, Terms};

/// What a text consists of, any of which may always come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unanchored {
    /// What any number of may come first. Each begins with a character, and none is empty or begins with another one.
    pub item: TermId,
    /// The bytes that end the text, with which no item begins.
    pub end: ByteSet,
}

impl Terms {
    /// What a term consists of, if it is a text that begins with any number of items, or with something that does,
    /// and has nothing else but the byte at its end.
    ///
    /// ```
    /// use grammask_gbnf::Terms;
    /// let terms = Terms::default();
    /// let item = terms.class(&[(' ', '!'), ('#', '~')]);
    /// let any = terms.repeat(item, 0, None);
    /// let text = |first| terms.concat(first, terms.concat(terms.text(b"ab"), terms.text(b"\"")));
    /// let unanchored = terms.unanchored(text(any)).expect("it may begin with anything");
    /// assert_eq!(unanchored.item, item);
    /// assert_eq!(terms.unanchored(text(terms.repeat(item, 1, None))), None);
    /// ```
    pub fn unanchored(&self, term: TermId) -> Option<Unanchored> {
        let alternatives = match &self.entry(term).term {
            Term::Alt(items) => &items[..],
            _ => &[term],
        };
        // Behind any item this one is left as it is, and the text goes on.
        let (item, end) = alternatives.iter().find_map(|&text| self.begins_with_any(text))?;
        let any = self.repeat(item, 0, None);
        let is_found = self.is_told_from(item, &end)
            && alternatives.iter().all(|&text| self.is_within_ended(text, any, &end));
        is_found.then_some(Unanchored { item, end })
    }

    /// The item of the loop with which a sequence begins, and the bytes that end it.
    fn begins_with_any(&self, text: TermId) -> Option<(TermId, ByteSet)> {
        let Term::Concat(first, mut last) = self.entry(text).term else { return None };
        let Term::Repeat { item, min: 0, max: None } = self.entry(first).term else { return None };
        while let Term::Concat(_, rest) = self.entry(last).term {
            last = rest;
        }
        match self.entry(last).term {
            Term::Bytes(end) => Some((item, end)),
            _ => None,
        }
    }

    /// Whether a sequence is matches of the loop `any`, and one of the bytes that end it.
    fn is_within_ended(&self, text: TermId, any: TermId, end: &ByteSet) -> bool {
        let mut rest = text;
        while let Term::Concat(first, second) = self.entry(rest).term {
            if !self.is_within(first, any) {
                return false;
            }
            rest = second;
        }
        matches!(&self.entry(rest).term, Term::Bytes(last) if last == end)
    }
}
