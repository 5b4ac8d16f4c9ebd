//! Texts in which something may come behind any characters, as of patterns that are not anchored: they always go on
//! with any character, and differ from one another only in where they may end.

use super::{ByteSet, Term, TermId, Terms};

/// What a text consists of, any of which may always come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unanchored {
    /// Each begins with a character, and none is empty or begins with another one.
    pub item: TermId,
    /// The bytes that end the text, with which no item begins.
    pub end: ByteSet,
}

impl Terms {
    /// What a term consists of, if it is a text that begins with a loop of items without a bound, or may do so, and
    /// has nothing else but the byte at its end.
    ///
    /// ```
    /// use grammask_gbnf::Terms;
    /// let terms = Terms::default();
    /// let item = terms.class(&[(' ', '!'), ('#', '~')]);
    /// let any = terms.repeat(item, 0, None);
    /// let text = |first| terms.concat(first, terms.concat(terms.text(b"ab"), terms.text(b"\"")));
    /// let unanchored = terms.unanchored(text(any)).expect("it may begin with anything");
    /// assert_eq!(unanchored.item, item);
    /// assert_eq!(terms.unanchored(text(terms.text(b"c"))), None);
    /// ```
    pub fn unanchored(&self, term: TermId) -> Option<Unanchored> {
        let alternatives = match &self.entry(term).term {
            Term::Alt(items) => &items[..],
            _ => &[term],
        };
        // Behind any item the loop is left, and the text goes on.
        let (item, end) = alternatives.iter().find_map(|&text| self.begins_with_any(text))?;
        let any = self.repeat(item, 0, None);
        let is_found = self.is_told_from(item, &end)
            && alternatives.iter().all(|&text| self.is_within_ended(text, any, &end));
        is_found.then_some(Unanchored { item, end })
    }

    /// The item of the loop with which a sequence begins, however many there must be, and the bytes that end it.
    fn begins_with_any(&self, text: TermId) -> Option<(TermId, ByteSet)> {
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
        match self.entry(rest).term {
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
