//! Lists of items of which no two are equal.

use std::collections::BTreeSet;

use crate::bnf::Name;

/// The items so far.
pub(crate) type Items = BTreeSet<Value>;

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

/// What two items have in common if and only if they are equal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Value {
    /// Brackets match: characters and what lies between braces.
    Matched(Vec<Piece>),
    /// They do not: the text without blanks.
    Plain(Vec<u8>),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Piece {
    Byte(u8),
    /// What stands between the commas, sorted.
    Braces(Vec<Vec<Piece>>),
}

impl Value {
    /// What an item is.
    pub(crate) fn new(text: &[u8]) -> Self {
        let kept = without_blanks(text);
        let mut at = 0;
        match pieces(&kept, &mut at, false) {
            Some(found) if at == kept.len() => Self::Matched(found),
            _ => Self::Plain(kept.into_iter().map(|(byte, _)| byte).collect()),
        }
    }
}

/// The pieces up to the next closing bracket, or the next comma if these count.
fn pieces(text: &[(u8, bool)], at: &mut usize, in_braces: bool) -> Option<Vec<Piece>> {
    let mut found = Vec::new();
    while let Some(&(byte, in_string)) = text.get(*at) {
        match byte {
            b'}' | b']' if !in_string => break,
            b',' if in_braces && !in_string => break,
            b'[' if !in_string => {
                *at += 1;
                found.push(Piece::Byte(b'['));
                found.extend(pieces(text, at, false)?);
                closed(b']', text, *at)?;
                found.push(Piece::Byte(b']'));
            }
            b'{' if !in_string => {
                let mut members = Vec::new();
                while members.is_empty() || text.get(*at) == Some(&(b',', false)) {
                    *at += 1;
                    members.push(pieces(text, at, true)?);
                }
                closed(b'}', text, *at)?;
                members.sort();
                found.push(Piece::Braces(members));
            }
            _ => found.push(Piece::Byte(byte)),
        }
        *at += 1;
    }
    Some(found)
}

/// That this bracket stands here.
fn closed(bracket: u8, text: &[(u8, bool)], at: usize) -> Option<()> {
    (text.get(at) == Some(&(bracket, false))).then_some(())
}

/// The bytes without the blanks outside of strings, each with whether it is part of a string.
fn without_blanks(text: &[u8]) -> Vec<(u8, bool)> {
    let mut kept = Vec::new();
    let (mut in_string, mut escaped) = (false, false);
    for &byte in text {
        if !in_string && b" \t\r\n".contains(&byte) {
            continue;
        }
        kept.push((byte, in_string));
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
