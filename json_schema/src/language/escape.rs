//! Escapes and classes of ECMA-262 patterns.

use regex_syntax::hir::{Class, HirKind};

use super::class::CharSet;
use super::ecma::{Parser, PatternError, PatternErrorKind, Result};

/// What an escape stands for.
pub(super) enum Escape {
    /// A code point, perhaps a surrogate.
    Point(u32),
    Set(CharSet),
}

impl Escape {
    /// The character; nothing if there is none.
    pub(super) fn character(c: Option<char>) -> Self {
        c.map_or_else(|| Self::Set(CharSet::default()), |c| Self::Point(c as u32))
    }

    /// The code points; a surrogate is none.
    pub(super) fn set(self) -> CharSet {
        match self {
            Self::Point(point) => range(point, point),
            Self::Set(set) => set,
        }
    }
}

/// The code points `lo..=hi`, of which those that are surrogates are none.
fn range(lo: u32, hi: u32) -> CharSet {
    let lo = char::from_u32(lo).unwrap_or('\u{e000}');
    let hi = char::from_u32(hi).unwrap_or('\u{d7ff}');
    CharSet::from_ranges([(lo, hi)])
}

/// `LineTerminator`: what `.` does not match.
pub(super) fn line_ends() -> CharSet {
    CharSet::from_ranges([('\n', '\n'), ('\r', '\r'), ('\u{2028}', '\u{2029}')])
}

/// `\s`: `WhiteSpace` and `LineTerminator`.
fn spaces() -> CharSet {
    CharSet::from_ranges([
        ('\t', '\r'),
        (' ', ' '),
        ('\u{a0}', '\u{a0}'),
        ('\u{1680}', '\u{1680}'),
        ('\u{2000}', '\u{200a}'),
        ('\u{2028}', '\u{2029}'),
        ('\u{202f}', '\u{202f}'),
        ('\u{205f}', '\u{205f}'),
        ('\u{3000}', '\u{3000}'),
        ('\u{feff}', '\u{feff}'),
    ])
}

/// The code points of `\p{name}`.
fn property(name: &str) -> Option<CharSet> {
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b"_=".contains(&b);
    if !name.bytes().all(is_name) {
        return None;
    }
    let hir = regex_syntax::parse(&format!(r"\p{{{name}}}")).ok()?;
    match hir.into_kind() {
        HirKind::Class(Class::Unicode(class)) => {
            Some(CharSet::from_ranges(class.iter().map(|range| (range.start(), range.end()))))
        }
        HirKind::Class(Class::Bytes(class)) => Some(CharSet::from_ranges(
            class.iter().map(|range| (char::from(range.start()), char::from(range.end()))),
        )),
        // A class of one code point.
        HirKind::Literal(literal) => {
            let mut chars = std::str::from_utf8(&literal.0).ok()?.chars();
            chars.next().filter(|_| chars.next().is_none()).map(CharSet::point)
        }
        _ => None,
    }
}

impl Parser<'_> {
    /// A backslash and what it says, outside of classes.
    pub(super) fn atom_escape(&mut self) -> Result<CharSet> {
        let digits = self.rest()[1..].find(|c: char| !c.is_ascii_digit());
        let digits = &self.rest()[1..=digits.unwrap_or(self.rest().len() - 1)];
        // A number too large for `u32` refers to no group.
        let group = digits.parse().ok().filter(|_| !digits.starts_with('0'));
        let refers = group.is_some_and(|group: u32| group <= self.groups.capturing)
            || self.groups.named && self.rest().starts_with("\\k");
        if refers {
            return Err(self.error(PatternErrorKind::Backreference));
        }
        Ok(self.escape(false)?.set())
    }

    /// A backslash and what it says.
    fn escape(&mut self, in_class: bool) -> Result<Escape> {
        let start = self.at;
        self.eat("\\");
        let Some(c) = self.bump() else {
            return Err(PatternError { offset: start, kind: PatternErrorKind::TrailingBackslash });
        };
        Ok(match c {
            'd' => Escape::Set(CharSet::from_ranges([('0', '9')])),
            'D' => Escape::Set(CharSet::from_ranges([('0', '9')]).complement()),
            'w' => Escape::Set(CharSet::word()),
            'W' => Escape::Set(CharSet::word().complement()),
            's' => Escape::Set(spaces()),
            'S' => Escape::Set(spaces().complement()),
            'p' | 'P' if self.eat("{") => {
                let unknown =
                    PatternError { offset: start, kind: PatternErrorKind::UnknownProperty };
                let Some(length) = self.rest().find('}') else { return Err(unknown) };
                let set = property(&self.rest()[..length]).ok_or(unknown)?;
                self.at += length + 1;
                Escape::Set(if c == 'P' { set.complement() } else { set })
            }
            'f' => Escape::Point(0x0c),
            'n' => Escape::Point(0x0a),
            'r' => Escape::Point(0x0d),
            't' => Escape::Point(0x09),
            'v' => Escape::Point(0x0b),
            'b' if in_class => Escape::Point(0x08),
            'c' => match self.peek() {
                Some(letter)
                    if letter.is_ascii_alphabetic()
                        || in_class && (letter.is_ascii_digit() || letter == '_') =>
                {
                    self.bump();
                    Escape::Point(letter as u32 % 32)
                }
                // The backslash stands for itself and the letter is read again.
                _ => {
                    self.at -= 1;
                    Escape::Point('\\' as u32)
                }
            },
            'x' => Escape::Point(self.hex_digits(2).unwrap_or(c as u32)),
            'u' => self.unicode_escape(start)?,
            '0'..='7' => {
                // Up to three digits and `\377`.
                let mut value = c as u32 - '0' as u32;
                for _ in 0..2 {
                    let Some(digit @ '0'..='7') = self.peek() else { break };
                    if value >= 0o40 {
                        break;
                    }
                    value = 8 * value + (digit as u32 - '0' as u32);
                    self.bump();
                }
                Escape::Point(value)
            }
            other => Escape::Point(other as u32),
        })
    }

    /// Exactly so many hexadecimal digits.
    fn hex_digits(&mut self, count: usize) -> Option<u32> {
        let digits = self.rest().get(..count)?;
        if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let value = u32::from_str_radix(digits, 16).ok()?;
        self.at += count;
        Some(value)
    }

    /// What follows `\u`, which stands for itself if it is not as it should be.
    fn unicode_escape(&mut self, start: usize) -> Result<Escape> {
        let braced = self.rest().strip_prefix('{').and_then(|rest| {
            let end = rest.find(|c: char| !c.is_ascii_hexdigit())?;
            (end > 0 && rest[end..].starts_with('}')).then(|| &rest[..end])
        });
        if let Some(digits) = braced {
            let invalid = PatternError { offset: start, kind: PatternErrorKind::InvalidCodePoint };
            let point = digits.chars().try_fold(0u32, |point, digit| {
                Some(point * 16 + digit.to_digit(16)?).filter(|&point| point <= 0x10_ffff)
            });
            let length = digits.len() + 2;
            let point = point.ok_or(invalid)?;
            self.at += length;
            return Ok(Escape::Point(point));
        }
        let Some(first) = self.hex_digits(4) else { return Ok(Escape::Point('u' as u32)) };
        let after_first = self.at;
        if (0xd800..0xdc00).contains(&first)
            && self.eat("\\u")
            && let Some(second @ 0xdc00..0xe000) = self.hex_digits(4)
        {
            return Ok(Escape::Point(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)));
        }
        self.at = after_first;
        Ok(Escape::Point(first))
    }

    /// A class in brackets.
    pub(super) fn class(&mut self) -> Result<CharSet> {
        let unclosed = self.error(PatternErrorKind::UnclosedClass);
        self.eat("[");
        let negated = self.eat("^");
        let mut ranges = Vec::new();
        while !self.eat("]") {
            let start = self.at;
            let first = self.class_atom(unclosed)?;
            // A minus before the bracket stands for itself.
            if !self.rest().starts_with('-') || self.rest().starts_with("-]") {
                ranges.extend_from_slice(first.set().ranges());
                continue;
            }
            self.eat("-");
            match (first, self.class_atom(unclosed)?) {
                (Escape::Point(lo), Escape::Point(hi)) if lo > hi => {
                    let kind = PatternErrorKind::ReversedRange;
                    return Err(PatternError { offset: start, kind });
                }
                (Escape::Point(lo), Escape::Point(hi)) => {
                    ranges.extend_from_slice(range(lo, hi).ranges());
                }
                // No range without two ends: the minus stands for itself.
                (first, last) => {
                    ranges.push(('-', '-'));
                    ranges.extend_from_slice(first.set().ranges());
                    ranges.extend_from_slice(last.set().ranges());
                }
            }
        }
        let set = CharSet::from_ranges(ranges);
        Ok(if negated { set.complement() } else { set })
    }

    fn class_atom(&mut self, unclosed: PatternError) -> Result<Escape> {
        match self.peek() {
            None => Err(unclosed),
            Some('\\') => self.escape(true),
            _ => Ok(Escape::character(self.bump())),
        }
    }
}
