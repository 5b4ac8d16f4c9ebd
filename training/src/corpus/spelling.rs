//! How JSON is written: spaces, and the case of keys.

use std::io;

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};
use serde_json::{Map, Serializer, Value};

use super::draw::Draw;

/// White space between the parts of a document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Spacing {
    /// As Python's `json.dumps`: one space after `,` and `:`.
    Python,
    /// None.
    Compact,
    /// A line for each member, two spaces a level.
    Pretty,
}

impl Spacing {
    pub(super) fn draw(draw: &mut Draw) -> Self {
        match draw.int(0, 9) {
            0..=6 => Self::Python,
            7 => Self::Compact,
            _ => Self::Pretty,
        }
    }

    pub(super) fn write(self, value: &Value) -> String {
        fn with<F: Formatter>(value: &Value, formatter: F) -> String {
            let mut out = Vec::new();
            value
                .serialize(&mut Serializer::with_formatter(&mut out, formatter))
                .expect("a value in memory is written");
            String::from_utf8(out).expect("JSON is UTF-8")
        }
        match self {
            Self::Python => with(value, PythonFormatter),
            Self::Compact => with(value, CompactFormatter),
            Self::Pretty => with(value, PrettyFormatter::new()),
        }
    }
}

struct PythonFormatter;

impl Formatter for PythonFormatter {
    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> io::Result<()> {
        out.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> io::Result<()> {
        out.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }
}

/// The case of keys that have several words.
#[derive(Debug, Clone, Copy)]
pub(super) enum Case {
    Snake,
    Camel,
    Pascal,
    Kebab,
    Spaced,
}

impl Case {
    pub(super) fn draw(draw: &mut Draw) -> Self {
        match draw.int(0, 19) {
            0..=10 => Self::Snake,
            11..=16 => Self::Camel,
            17 => Self::Pascal,
            18 => Self::Kebab,
            _ => Self::Spaced,
        }
    }

    /// A key of words that are parted by spaces. What is not in lower case is a name and stays as it is.
    fn key(self, words: &str) -> String {
        if words.contains(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit() && c != ' ') {
            return words.to_owned();
        }
        let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
        match self {
            Self::Snake => words.replace(' ', "_"),
            Self::Kebab => words.replace(' ', "-"),
            Self::Spaced => words.to_owned(),
            Self::Pascal => words.split(' ').map(capital).collect(),
            Self::Camel => {
                let (first, rest) = words.split_once(' ').unwrap_or((words, ""));
                first.to_owned() + &rest.split_terminator(' ').map(capital).collect::<String>()
            }
        }
    }

    /// Spells all keys of a value.
    pub(super) fn apply(self, value: Value) -> Value {
        match value {
            Value::Object(members) => {
                let members =
                    members.into_iter().map(|(key, value)| (self.key(&key), self.apply(value)));
                Value::Object(members.collect::<Map<_, _>>())
            }
            Value::Array(items) => {
                Value::Array(items.into_iter().map(|item| self.apply(item)).collect())
            }
            scalar => scalar,
        }
    }
}
