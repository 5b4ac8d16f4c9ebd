//! What a caller chooses about the spelling of the documents and about strictness.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The choices of a translation. The default is the language of the project's conventions.
///
/// # Example
///
/// ```
/// use grammask_json_schema::{Options, Order, Whitespace};
///
/// let options = Options { order: Order::Declared, whitespace: Whitespace::Compact, ..Options::default() };
/// assert_eq!(options.digits.integer, 30);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// In which order the properties of an object come.
    pub order: Order,
    /// What may stand in a gap between two tokens of JSON.
    pub whitespace: Whitespace,
    /// Which spellings of a number are written.
    pub numbers: Numbers,
    /// How many digits a number may have.
    pub digits: DigitBounds,
    /// Which spellings of a string are written.
    pub strings: Strings,
    /// What the `format` keyword means.
    pub formats: Formats,
    /// What a `format` that nobody knows means.
    pub unknown_formats: UnknownFormats,
    /// What happens with a keyword that cannot be enforced.
    pub strictness: Strictness,
    /// Which constructs of the grammar notation may be used.
    pub notation: Notation,
    /// The draft of a schema that does not name a known one in `$schema`.
    pub draft: Draft,
    /// When to give up.
    pub limits: Limits,
}

/// In which order the properties of an object come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Every order; undeclared keys anywhere.
    #[default]
    Any,
    /// The order of the schema; undeclared keys last.
    Declared,
    /// The required ones first, each group in the order of the schema; undeclared keys last.
    RequiredFirst,
}

/// What may stand in a gap between two tokens of JSON. Never before or after the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Whitespace {
    /// Nothing, one space, or one or two line ends (`\n` or `\r\n`) followed by at most 64 spaces
    /// or tabs.
    #[default]
    Bounded,
    /// Nothing.
    Compact,
    /// One space after `,` and `:`, as Python's `json.dumps` writes.
    Python,
    /// All that JSON allows, without bound.
    Any,
}

/// Which spellings of a number are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Numbers {
    /// Integers without fraction or exponent; other numbers as Python's `json.dumps` and
    /// JavaScript's `JSON.stringify` may print them.
    #[default]
    Canonical,
    /// Every spelling within the digit bounds, `1.0` for an integer included.
    Any,
}

/// How many digits a number may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DigitBounds {
    /// Before the point; from 1 to 200.
    pub integer: u32,
    /// After the point; from 1 to 200.
    pub fraction: u32,
    /// In the exponent; from 0 to 4.
    pub exponent: u32,
}

impl Default for DigitBounds {
    fn default() -> Self {
        Self { integer: 30, fraction: 30, exponent: 3 }
    }
}

/// Which spellings of a string are written. Keys are always written raw, with an escape only
/// where JSON requires one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strings {
    /// Free strings accept every escape; constrained strings only the escapes that JSON requires.
    #[default]
    Default,
    /// Every string accepts every escape.
    AnyEscape,
    /// Every string accepts only the escapes that JSON requires.
    Minimal,
}

/// What the `format` keyword means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Formats {
    /// A known format constrains.
    #[default]
    Assert,
    /// It says something, but constrains nothing.
    Annotation,
}

/// What a `format` that nobody knows means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnknownFormats {
    /// It is listed in the report and constrains nothing.
    #[default]
    Annotation,
    /// It is refused.
    Error,
}

/// What happens with a keyword that cannot be enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strictness {
    /// It is an error.
    #[default]
    Strict,
    /// It is dropped and named in the report; the grammar is then wider than the schema.
    Lenient,
}

/// Which constructs of the grammar notation may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Notation {
    /// All.
    #[default]
    Extended,
    /// Only what plain GBNF has: declared order, and undeclared keys may repeat.
    Plain,
}

/// A draft of the JSON Schema specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub enum Draft {
    /// Draft 4.
    #[serde(rename = "4")]
    Draft4,
    /// Draft 6.
    #[serde(rename = "6")]
    Draft6,
    /// Draft 7.
    #[serde(rename = "7")]
    Draft7,
    /// Draft 2019-09.
    #[serde(rename = "2019-09")]
    Draft201909,
    /// Draft 2020-12.
    #[default]
    #[serde(rename = "2020-12")]
    Draft202012,
}

impl fmt::Display for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Draft4 => "4",
            Self::Draft6 => "6",
            Self::Draft7 => "7",
            Self::Draft201909 => "2019-09",
            Self::Draft202012 => "2020-12",
        })
    }
}

/// When to give up. Each limit is an error that names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Levels of nesting of the schema as a JSON value, and of applicators in one place.
    pub depth: usize,
    /// Objects, lists, strings, numbers and so on of a document.
    pub values: usize,
    /// Bytes of all strings of a document, names of members included.
    pub strings: usize,
    /// Subschemas and combinations of subschemas that are looked at.
    pub subschemas: usize,
    /// Alternatives into which the constraint of one place may split.
    pub alternatives: usize,
    /// Steps of putting constraints together, over the whole schema: keys, items and single values
    /// that are looked at.
    pub steps: usize,
    /// Nodes of the grammar.
    pub grammar: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: 256,
            values: 300_000,
            strings: 16_000_000,
            subschemas: 500_000,
            alternatives: 4_096,
            steps: 8_000_000,
            grammar: 3_000_000,
        }
    }
}
