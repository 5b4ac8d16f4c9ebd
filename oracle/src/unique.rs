//! Lists of items of which no two are equal.

use std::collections::BTreeSet;

use crate::bnf::Name;

/// The items so far, blanks outside of strings left out.
pub(crate) type Items = BTreeSet<Vec<u8>>;

/// `@unique(...)` with its items and its separator as names of plain BNF.
#[derive(Debug)]
pub(crate) struct UniqueRule {
    pub(crate) first: Vec<Name>,
    pub(crate) rest: Option<Name>,
    pub(crate) separator: Name,
    pub(crate) min: usize,
    pub(crate) max: Option<usize>,
}

impl UniqueRule {
    /// The item that comes after so many others; `None`: there is none.
    pub(crate) fn item(&self, count: usize, productive: &[bool]) -> Option<Name> {
        if self.max.is_some_and(|max| count >= max) {
            return None;
        }
        let item = self.first.get(count).copied().or(self.rest);
        item.filter(|&item| productive[item] && (count == 0 || productive[self.separator]))
    }

    /// Whether some text may match, as far as the items need not differ.
    pub(crate) fn can_start(&self, productive: &[bool]) -> bool {
        (0..self.min).all(|count| self.item(count, productive).is_some())
    }

    /// The least number of bytes of the items behind the first `count`, if there are at least
    /// `least` in all, with the separators before them; `shortest` is that of each name.
    pub(crate) fn shortest(&self, count: usize, least: usize, shortest: &[usize]) -> usize {
        (count..self.min.max(least)).fold(0, |sum: usize, at| {
            let item = self.first.get(at).copied().or(self.rest);
            let item = item.map_or(usize::MAX, |item| shortest[item]);
            let separator = if at == 0 { 0 } else { shortest[self.separator] };
            sum.saturating_add(separator).saturating_add(item)
        })
    }
}

/// The text of an item without the blanks outside of strings.
pub(crate) fn without_blanks(text: &[u8]) -> Vec<u8> {
    let mut kept = Vec::new();
    let (mut in_string, mut escaped) = (false, false);
    for &byte in text {
        if !in_string && b" \t\r\n".contains(&byte) {
            continue;
        }
        kept.push(byte);
        if escaped {
            escaped = false;
        } else if in_string && byte == b'\\' {
            escaped = true;
        } else if byte == b'"' {
            in_string = !in_string;
        }
    }
    kept
}
