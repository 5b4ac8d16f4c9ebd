//! Patterns as ECMAScript writes them, the notation of `std::regex` and so of llama.cpp's triggers.
//!
//! What is read is bytes, as there: `.` is any byte but a line end, `[^a]` any byte but that, `\w` is
//! of ASCII. Two things go by whole characters where llama.cpp takes their bytes one by one: what a
//! count behind a character beyond ASCII repeats, and a class that has such characters.

use regex_syntax::hir::{
    Capture, Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, Look,
    Repetition,
};

use super::error::{PatternError, PatternProblem};

/// Groups within groups.
const MOST_DEPTH: usize = 100;
/// The greatest count of a repetition; what repeats much is refused by its size.
const MOST_TIMES: u32 = 100_000;

/// Reads a pattern.
pub(super) fn parse(pattern: &str) -> Result<Hir, PatternError> {
    let mut parser = Parser { pattern, at: 0, groups: 0, depth: 0 };
    let hir = parser.alternatives()?;
    match parser.peek() {
        None => Ok(hir),
        Some(_) => Err(parser.error(parser.at, PatternProblem::Unbalanced)),
    }
}

struct Parser<'p> {
    pattern: &'p str,
    /// The byte that is read next.
    at: usize,
    groups: u32,
    depth: usize,
}

/// What an escape stands for.
enum Escape {
    /// A character.
    Character(char),
    /// A byte, beyond ASCII.
    Byte(u8),
    Class(ClassBytes),
    Look(Look),
}

/// The bytes and characters of a class.
#[derive(Default)]
struct Members {
    bytes: Vec<ClassBytesRange>,
    characters: Vec<ClassUnicodeRange>,
}

impl Parser<'_> {
    fn error(&self, at: usize, problem: PatternProblem) -> PatternError {
        PatternError { pattern: self.pattern.to_owned(), at, problem }
    }

    fn peek(&self) -> Option<char> {
        self.pattern[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.at += character.len_utf8();
        Some(character)
    }

    fn take(&mut self, text: &str) -> bool {
        let is_there = self.pattern[self.at..].starts_with(text);
        self.at += if is_there { text.len() } else { 0 };
        is_there
    }

    fn alternatives(&mut self) -> Result<Hir, PatternError> {
        let mut alternatives = vec![self.sequence()?];
        while self.take("|") {
            alternatives.push(self.sequence()?);
        }
        Ok(Hir::alternation(alternatives))
    }

    fn sequence(&mut self) -> Result<Hir, PatternError> {
        let mut terms = Vec::new();
        while self.peek().is_some_and(|next| next != '|' && next != ')') {
            let start = self.at;
            let term = self.term()?;
            let written = &self.pattern[start..];
            let is_place = ["^", "$", "\\b", "\\B"].iter().any(|place| written.starts_with(place));
            let Some((min, max)) = self.count()? else {
                terms.push(term);
                continue;
            };
            if is_place {
                return Err(self.error(start, PatternProblem::NothingToRepeat));
            }
            let greedy = !self.take("?");
            terms.push(Hir::repetition(Repetition { min, max, greedy, sub: Box::new(term) }));
        }
        Ok(Hir::concat(terms))
    }

    fn term(&mut self) -> Result<Hir, PatternError> {
        let start = self.at;
        let Some(character) = self.next() else {
            return Err(self.error(start, PatternProblem::Unbalanced));
        };
        match character {
            '^' => Ok(Hir::look(Look::Start)),
            '$' => Ok(Hir::look(Look::End)),
            '.' => {
                let mut line_ends = bytes([(b'\n', b'\n'), (b'\r', b'\r')]);
                line_ends.negate();
                Ok(Hir::class(Class::Bytes(line_ends)))
            }
            '(' => self.group(start),
            '[' => self.class(start),
            '*' | '+' | '?' => Err(self.error(start, PatternProblem::NothingToRepeat)),
            '{' => Err(self.error(start, PatternProblem::Brace)),
            '\\' => Ok(match self.escape(start)? {
                Escape::Character(character) => literal(character),
                Escape::Byte(byte) => Hir::literal([byte]),
                Escape::Class(class) => Hir::class(Class::Bytes(class)),
                Escape::Look(look) => Hir::look(look),
            }),
            other => Ok(literal(other)),
        }
    }

    fn group(&mut self, start: usize) -> Result<Hir, PatternError> {
        let look_around = ["?=", "?!", "?<=", "?<!"];
        if look_around.into_iter().any(|look| self.take(look)) {
            return Err(self.error(start, PatternProblem::LookAround));
        }
        let index = if self.take("?:") {
            None
        } else if self.peek() == Some('?') {
            return Err(self.error(start, PatternProblem::Group));
        } else {
            self.groups += 1;
            Some(self.groups)
        };
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(self.error(start, PatternProblem::TooDeep { limit: MOST_DEPTH }));
        }
        let inside = self.alternatives()?;
        self.depth -= 1;
        if !self.take(")") {
            return Err(self.error(start, PatternProblem::Unbalanced));
        }
        Ok(match index {
            Some(index) => Hir::capture(Capture { index, name: None, sub: Box::new(inside) }),
            None => inside,
        })
    }

    /// How often the last term comes, if that is said.
    fn count(&mut self) -> Result<Option<(u32, Option<u32>)>, PatternError> {
        let start = self.at;
        let count = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                self.at += 1;
                let min = self.number()?;
                let max = match (self.take(","), self.peek()) {
                    (false, _) => Some(min),
                    (true, Some('}')) => None,
                    (true, _) => Some(self.number()?),
                };
                if self.peek() != Some('}') {
                    return Err(self.error(start, PatternProblem::Brace));
                }
                if max.is_some_and(|max| max < min) {
                    return Err(self.error(start, PatternProblem::ReversedCount));
                }
                (min, max)
            }
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(count))
    }

    fn number(&mut self) -> Result<u32, PatternError> {
        let start = self.at;
        while self.peek().is_some_and(|digit| digit.is_ascii_digit()) {
            self.at += 1;
        }
        let digits = &self.pattern[start..self.at];
        if digits.is_empty() {
            return Err(self.error(start, PatternProblem::Brace));
        }
        let number = digits.parse().ok().filter(|&number: &u32| number <= MOST_TIMES);
        number.ok_or_else(|| self.error(start, PatternProblem::TooManyTimes { limit: MOST_TIMES }))
    }

    /// Behind a backslash, which is at `start`.
    fn escape(&mut self, start: usize) -> Result<Escape, PatternError> {
        let unknown = PatternProblem::Escape;
        let Some(character) = self.next() else { return Err(self.error(start, unknown)) };
        let class = |name, negated| Escape::Class(named(name, negated));
        Ok(match character {
            'b' => Escape::Look(Look::WordAscii),
            'B' => Escape::Look(Look::WordAsciiNegate),
            'd' => class("digit", false),
            'D' => class("digit", true),
            's' => class("space", false),
            'S' => class("space", true),
            'w' => class("w", false),
            'W' => class("w", true),
            'f' => Escape::Character('\x0c'),
            'n' => Escape::Character('\n'),
            'r' => Escape::Character('\r'),
            't' => Escape::Character('\t'),
            'v' => Escape::Character('\x0b'),
            '0' if !self.peek().is_some_and(|next| next.is_ascii_digit()) => {
                Escape::Character('\0')
            }
            'c' => match self.next() {
                Some(letter) if letter.is_ascii_alphabetic() => {
                    Escape::Character(char::from(letter as u8 % 32))
                }
                _ => return Err(self.error(start, unknown)),
            },
            'x' => match self.hexadecimal(start, 2)? {
                byte @ 0x80.. => Escape::Byte(byte as u8),
                code => Escape::Character(char::from(code as u8)),
            },
            'u' => {
                let code = self.hexadecimal(start, 4)?;
                let character = char::from_u32(code).ok_or_else(|| self.error(start, unknown))?;
                Escape::Character(character)
            }
            '1'..='9' => return Err(self.error(start, PatternProblem::BackReference)),
            other if other.is_ascii_alphanumeric() => return Err(self.error(start, unknown)),
            other => Escape::Character(other),
        })
    }

    fn hexadecimal(&mut self, start: usize, digits: usize) -> Result<u32, PatternError> {
        let text = self.pattern.get(self.at..self.at + digits);
        let text = text.filter(|text| text.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let code = text.and_then(|text| u32::from_str_radix(text, 16).ok());
        self.at += digits;
        code.ok_or_else(|| self.error(start, PatternProblem::Escape))
    }

    /// Behind the bracket, which is at `start`.
    fn class(&mut self, start: usize) -> Result<Hir, PatternError> {
        let negated = self.take("^");
        let mut members = Members::default();
        while !self.take("]") {
            let from = self.at;
            let first = self.member(start)?;
            // A hyphen at the end is one.
            let is_range = self.peek() == Some('-') && !self.pattern[self.at..].starts_with("-]");
            if !is_range {
                members.add(first);
                continue;
            }
            self.at += 1;
            let last = self.member(start)?;
            match (first, last) {
                (Escape::Character(lo), Escape::Character(hi)) if lo <= hi => {
                    members.add_characters(lo, hi);
                }
                (Escape::Character(lo), Escape::Byte(hi)) if lo.is_ascii() => {
                    members.bytes.push(ClassBytesRange::new(lo as u8, hi));
                }
                (Escape::Byte(lo), Escape::Byte(hi)) if lo <= hi => {
                    members.bytes.push(ClassBytesRange::new(lo, hi));
                }
                _ => return Err(self.error(from, PatternProblem::Range)),
            }
        }
        let problem = |problem| self.error(start, problem);
        members.into_class(negated).map(Hir::class).map_err(problem)
    }

    /// A character or a class within the class that begins at `start`.
    fn member(&mut self, start: usize) -> Result<Escape, PatternError> {
        let at = self.at;
        if self.take("[:") {
            let rest = &self.pattern[self.at..];
            let name = rest.find(":]").map(|end| &rest[..end]);
            let Some(name) = name.filter(|name| is_name(name)) else {
                return Err(self.error(at, PatternProblem::ClassName));
            };
            self.at += name.len() + 2;
            return Ok(Escape::Class(named(name, false)));
        }
        if self.take("[.") || self.take("[=") {
            return Err(self.error(at, PatternProblem::ClassName));
        }
        match self.next() {
            None => Err(self.error(start, PatternProblem::Unbalanced)),
            Some('\\') => match self.escape(at)? {
                // Inside a class it is the backspace.
                Escape::Look(Look::WordAscii) => Ok(Escape::Character('\x08')),
                Escape::Look(_) => Err(self.error(at, PatternProblem::Escape)),
                other => Ok(other),
            },
            Some(character) => Ok(Escape::Character(character)),
        }
    }
}

impl Members {
    fn add(&mut self, member: Escape) {
        match member {
            Escape::Character(character) => self.add_characters(character, character),
            Escape::Byte(byte) => self.bytes.push(ClassBytesRange::new(byte, byte)),
            Escape::Class(class) => self.bytes.extend(class.iter().copied()),
            Escape::Look(_) => {}
        }
    }

    fn add_characters(&mut self, lo: char, hi: char) {
        if hi.is_ascii() {
            self.bytes.push(ClassBytesRange::new(lo as u8, hi as u8));
        } else {
            self.characters.push(ClassUnicodeRange::new(lo, hi));
        }
    }

    /// A class of bytes, unless it has characters beyond ASCII.
    fn into_class(self, negated: bool) -> Result<Class, PatternProblem> {
        if self.characters.is_empty() {
            let mut class = ClassBytes::new(self.bytes);
            if negated {
                class.negate();
            }
            let is_empty = class.ranges().is_empty();
            return if is_empty {
                Err(PatternProblem::EmptyClass)
            } else {
                Ok(Class::Bytes(class))
            };
        }
        let mut class = ClassUnicode::new(self.characters);
        for range in &self.bytes {
            // All others beyond ASCII: what `\S` and its like have.
            let end = match range.end() {
                0xff => char::MAX,
                end if end.is_ascii() => char::from(end),
                _ => return Err(PatternProblem::BytesAndCharacters),
            };
            if !range.start().is_ascii() && range.start() != 0x80 {
                return Err(PatternProblem::BytesAndCharacters);
            }
            class.push(ClassUnicodeRange::new(char::from(range.start()), end));
        }
        if negated {
            class.negate();
        }
        let is_empty = class.ranges().is_empty();
        if is_empty { Err(PatternProblem::EmptyClass) } else { Ok(Class::Unicode(class)) }
    }
}

fn literal(character: char) -> Hir {
    Hir::literal(character.encode_utf8(&mut [0; 4]).as_bytes())
}

fn bytes(ranges: impl IntoIterator<Item = (u8, u8)>) -> ClassBytes {
    ClassBytes::new(ranges.into_iter().map(|(lo, hi)| ClassBytesRange::new(lo, hi)))
}

/// Whether a character is of a class, by its name in POSIX.
fn is_of(name: &str, byte: u8) -> bool {
    match name {
        "alnum" => byte.is_ascii_alphanumeric(),
        "alpha" => byte.is_ascii_alphabetic(),
        "blank" => matches!(byte, b' ' | b'\t'),
        "cntrl" => byte.is_ascii_control(),
        "d" | "digit" => byte.is_ascii_digit(),
        "graph" => byte.is_ascii_graphic(),
        "lower" => byte.is_ascii_lowercase(),
        "print" => byte.is_ascii_graphic() || byte == b' ',
        "punct" => byte.is_ascii_punctuation(),
        "s" | "space" => matches!(byte, b' ' | b'\t'..=b'\r'),
        "upper" => byte.is_ascii_uppercase(),
        "w" => byte.is_ascii_alphanumeric() || byte == b'_',
        "xdigit" => byte.is_ascii_hexdigit(),
        _ => false,
    }
}

fn is_name(name: &str) -> bool {
    (0..=0x7f).any(|byte| is_of(name, byte))
}

fn named(name: &str, negated: bool) -> ClassBytes {
    bytes((0..=0xff).filter(|&byte| is_of(name, byte) != negated).map(|byte| (byte, byte)))
}
