//! What can be seen of a grammar's text: read with a scanner of its own, so that a difference from
//! llama.cpp is recognised independently of the parser that is being measured.

use serde::Serialize;

/// What a grammar's text has in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact on its own")]
pub struct Features {
    /// The names before `::=`.
    pub defined: Vec<String>,
    /// The names in bodies.
    pub used: Vec<String>,
    /// A `_` in the name of a rule.
    pub underscore: bool,
    /// A line that begins with `|`, outside parentheses, behind a line that does not end with one.
    pub leading_bar: bool,
    /// `[]` or `[^]`.
    pub empty_class: bool,
    /// A class that begins with `^`.
    pub negated_class: bool,
    /// `[z-a]`.
    pub reversed_range: bool,
    /// `{5,2}`.
    pub reversed_count: bool,
    /// An escape for a surrogate or a number above U+10FFFF.
    pub no_character: bool,
    /// The greatest maximum of a repetition.
    pub greatest_maximum: u64,
    /// The greatest minimum of a repetition.
    pub greatest_minimum: u64,
    /// Two quantifiers, one right after the other.
    pub stacked_quantifiers: bool,
    /// A quantifier behind `""`, or behind what is repeated no times.
    pub quantified_nothing: bool,
    /// How deep parentheses nest.
    pub depth: u64,
    /// The ids of token references.
    pub token_ids: Vec<u64>,
    /// `@members`.
    pub members: bool,
    /// A byte order mark at the beginning.
    pub byte_order_mark: bool,
    /// U+0000 somewhere.
    pub nul: bool,
}

/// The last thing that was read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Other,
    Bar,
    Define,
    Nothing,
    Quantifier,
    ZeroTimes,
    Name,
}

struct Scanner<'a> {
    rest: &'a str,
    last: Last,
    depth: u64,
    line_begins: bool,
    name: &'a str,
    features: Features,
}

/// Scans a grammar. Texts that are no GBNF give what can be seen of them.
pub fn scan(text: &str) -> Features {
    let mut scanner = Scanner {
        rest: text.trim_start_matches('\u{FEFF}'),
        last: Last::Define,
        depth: 0,
        line_begins: true,
        name: "",
        features: Features {
            byte_order_mark: text.starts_with('\u{FEFF}'),
            nul: text.contains('\0'),
            ..Features::default()
        },
    };
    while scanner.step() {}
    scanner.features
}

impl Scanner<'_> {
    fn step(&mut self) -> bool {
        let Some(first) = self.rest.chars().next() else { return false };
        let line_begins = self.line_begins;
        if !matches!(first, ' ' | '\t' | '\n' | '\r' | '#') {
            self.line_begins = false;
        }
        match first {
            '\n' | '\r' => {
                self.line_begins = true;
                self.skip(1);
            }
            ' ' | '\t' => self.skip(1),
            '#' => {
                let end = self.rest.find(['\n', '\r']).unwrap_or(self.rest.len());
                self.skip(end);
            }
            '"' => self.literal(),
            '[' => self.class(),
            '<' => self.token(),
            '|' => {
                let fresh = !matches!(self.last, Last::Bar | Last::Define);
                self.features.leading_bar |= line_begins && self.depth == 0 && fresh;
                self.take(1, Last::Bar);
            }
            '(' => {
                self.depth += 1;
                self.features.depth = self.features.depth.max(self.depth);
                self.take(1, Last::Other);
            }
            ')' => {
                self.depth = self.depth.saturating_sub(1);
                self.take(1, Last::Other);
            }
            '*' => self.quantifier(1, 0, None),
            '+' => self.quantifier(1, 1, None),
            '?' => self.quantifier(1, 0, Some(1)),
            '{' => self.braces(),
            ':' if self.rest.starts_with("::=") => {
                self.features.used.pop();
                self.features.defined.push(self.name.to_owned());
                self.take(3, Last::Define);
            }
            '@' if self.rest.starts_with("@members") => {
                self.features.members = true;
                self.take(8, Last::Other);
            }
            first if is_name(first) => {
                let end = self.rest.find(|c| !is_name(c)).unwrap_or(self.rest.len());
                self.name = &self.rest[..end];
                self.features.used.push(self.name.to_owned());
                self.features.underscore |= self.name.contains('_');
                self.take(end, Last::Name);
            }
            other => self.take(other.len_utf8(), Last::Other),
        }
        true
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = &self.rest[bytes..];
    }

    fn take(&mut self, bytes: usize, last: Last) {
        self.skip(bytes);
        self.last = last;
    }

    /// One character of a literal or class. (What is no escape stands for itself.)
    fn character(&mut self) -> Option<u32> {
        let mut chars = self.rest.chars();
        let first = chars.next()?;
        let digits = match (first, chars.next()) {
            ('\\', Some('x')) => 2,
            ('\\', Some('u')) => 4,
            ('\\', Some('U')) => 8,
            ('\\', Some(escaped)) => {
                self.skip(1 + escaped.len_utf8());
                return Some(match escaped {
                    't' => 9,
                    'n' => 10,
                    'r' => 13,
                    other => other as u32,
                });
            }
            _ => {
                self.skip(first.len_utf8());
                return Some(first as u32);
            }
        };
        let number = self.rest.get(2..2 + digits).and_then(|hex| u32::from_str_radix(hex, 16).ok());
        self.skip(if number.is_some() { 2 + digits } else { 2 });
        let number = number?;
        self.features.no_character |= char::from_u32(number).is_none();
        Some(number)
    }

    fn literal(&mut self) {
        self.skip(1);
        self.last = Last::Nothing;
        while !self.rest.is_empty() && !self.rest.starts_with('"') {
            self.character();
            self.last = Last::Other;
        }
        self.skip(usize::from(!self.rest.is_empty()));
    }

    fn class(&mut self) {
        self.skip(1);
        if self.rest.starts_with('^') {
            self.features.negated_class = true;
            self.skip(1);
        }
        self.features.empty_class |= self.rest.starts_with(']');
        while !self.rest.is_empty() && !self.rest.starts_with(']') {
            let low = self.character();
            let ranges = self.rest.starts_with('-') && !self.rest.starts_with("-]");
            if ranges && self.rest.len() > 1 {
                self.skip(1);
                let high = self.character();
                self.features.reversed_range |=
                    matches!((low, high), (Some(low), Some(high)) if low > high);
            }
        }
        self.take(usize::from(!self.rest.is_empty()), Last::Other);
    }

    fn token(&mut self) {
        let end = self.rest.find('>').map_or(self.rest.len(), |end| end + 1);
        let inside = self.rest[..end].trim_start_matches("<[").trim_end_matches("]>");
        if let Ok(id) = inside.parse() {
            self.features.token_ids.push(id);
        }
        self.take(end, Last::Other);
    }

    fn quantifier(&mut self, bytes: usize, min: u64, max: Option<u64>) {
        let features = &mut self.features;
        features.stacked_quantifiers |= matches!(self.last, Last::Quantifier | Last::ZeroTimes);
        features.quantified_nothing |= matches!(self.last, Last::Nothing | Last::ZeroTimes);
        features.greatest_minimum = features.greatest_minimum.max(min);
        features.greatest_maximum = features.greatest_maximum.max(max.unwrap_or(0));
        features.reversed_count |= max.is_some_and(|max| max < min);
        let last = if max == Some(0) { Last::ZeroTimes } else { Last::Quantifier };
        self.take(bytes, last);
    }

    fn braces(&mut self) {
        let Some(end) = self.rest.find('}') else { return self.take(1, Last::Other) };
        let mut numbers = self.rest[1..end].split(',').map(|part| part.trim().parse().ok());
        match (numbers.next().flatten(), numbers.next()) {
            (Some(min), None) => self.quantifier(end + 1, min, Some(min)),
            (Some(min), Some(max)) => self.quantifier(end + 1, min, max),
            (None, _) => self.take(1, Last::Other),
        }
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_literals_classes_and_comments_does_not_count() {
        let text = "root ::= \"|_{5,2}[]\" [|_{}\"(] # [] {5,2}\n | \"a\"*\n";
        let features = scan(text);
        let expected =
            Features { defined: vec!["root".to_owned()], leading_bar: true, ..Features::default() };
        assert_eq!(features, expected);
    }

    #[test]
    fn quantifiers() {
        let features = scan("root ::= \"a\"{0}* \"\"+ (x{2,3000} | \n | y {5,2})?");
        assert!(features.stacked_quantifiers && features.quantified_nothing);
        assert!(features.reversed_count && !features.leading_bar);
        assert_eq!((features.greatest_minimum, features.greatest_maximum), (5, 3000));
        assert_eq!((features.depth, features.used), (1, vec!["x".to_owned(), "y".to_owned()]));
        let features =
            scan("root ::= \"a\"* (\"b\"?)+ |\n | \"c\"\na_b ::= [^z-a] <[7]> \"\\uD800\"");
        assert!(!features.stacked_quantifiers && !features.quantified_nothing);
        assert!(features.underscore && features.reversed_range && features.no_character);
        assert!(features.negated_class && !features.leading_bar);
        assert_eq!(features.token_ids, [7]);
        assert_eq!(features.defined, ["root", "a_b"]);
        assert!(features.used.is_empty());
    }
}
