//! What became of each keyword.

use std::borrow::Cow;
use std::fmt;

use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::options::{
    DigitBounds, Formats, Notation, Numbers, Options, Order, Strings, Whitespace,
};
use crate::pointer::unescaped;

/// What a translation enforces: the spelling in force, then each keyword by JSON Pointer.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Report {
    /// The spelling in force.
    pub spelling: Spelling,
    /// Whether the grammar has any document at all.
    pub satisfiable: bool,
    /// Each keyword that was read, a subschema before what is inside it.
    pub entries: Vec<Entry>,
    /// What else a reader has to know about the language.
    pub notes: Vec<String>,
}

/// The spelling in force.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Spelling {
    /// The order of properties.
    pub order: Order,
    /// The gaps.
    pub whitespace: Whitespace,
    /// The spellings of numbers.
    pub numbers: Numbers,
    /// The bounds on the digits of a number.
    pub digits: DigitBounds,
    /// The spellings of strings.
    pub strings: Strings,
    /// What `format` means.
    pub formats: Formats,
    /// The notation.
    pub notation: Notation,
}

/// One keyword of one subschema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The JSON Pointer of the keyword; where a subschema is refused as a whole, of that.
    pub pointer: String,
    /// The keyword that asks for such a subschema.
    pub(crate) asking: Option<String>,
    /// What became of it.
    pub status: Status,
    /// Why, where there is more to say.
    pub note: Option<Cow<'static, str>>,
}

impl Entry {
    /// The keyword: mostly the last part of its pointer.
    pub fn keyword(&self) -> Cow<'_, str> {
        match &self.asking {
            Some(keyword) => keyword.into(),
            None => unescaped(self.pointer.rsplit('/').next().unwrap_or_default()),
        }
    }
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { pointer, status, note, .. } = self;
        let len = 3 + usize::from(note.is_some());
        let mut entry = serializer.serialize_struct("Entry", len)?;
        entry.serialize_field("pointer", pointer)?;
        entry.serialize_field("keyword", &self.keyword())?;
        entry.serialize_field("status", status)?;
        if note.is_some() {
            entry.serialize_field("note", note)?;
        }
        entry.end()
    }
}

/// What became of a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The grammar holds it exactly.
    Enforced,
    /// It asserts nothing.
    Annotation,
    /// It asserts something that the grammar does not hold.
    Refused,
}

impl Spelling {
    pub(crate) fn of(options: &Options) -> Self {
        let order = match (options.notation, options.order) {
            (Notation::Plain, Order::Any) => Order::Declared,
            (_, order) => order,
        };
        Self {
            order,
            whitespace: options.whitespace,
            numbers: options.numbers,
            digits: options.digits,
            strings: options.strings,
            formats: options.formats,
            notation: options.notation,
        }
    }
}

impl Report {
    /// The entries of keywords that are not enforced although they assert something.
    pub fn refused(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.status == Status::Refused)
    }
}

impl fmt::Display for Spelling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = match self.order {
            Order::Any => "any order, undeclared keys anywhere",
            Order::Declared => "the order of the schema, undeclared keys last",
            Order::RequiredFirst => "required ones first, undeclared keys last",
        };
        let whitespace = match self.whitespace {
            Whitespace::Bounded => {
                "per gap nothing, one space, or one or two line ends and at most 64 spaces or tabs"
            }
            Whitespace::Compact => "none",
            Whitespace::Python => "one space after `,` and `:`",
            Whitespace::Any => "any, without bound",
        };
        let DigitBounds { integer, fraction, exponent } = self.digits;
        let numbers = match self.numbers {
            Numbers::Canonical => {
                "integers without fraction or exponent, others as json.dumps and JSON.stringify \
                 print them"
            }
            Numbers::Any => "any spelling",
        };
        let exponents = match self.numbers {
            Numbers::Canonical => {
                "from +16 up and from -5 down; above 1.79e+308 only the greatest 64-bit float"
            }
            Numbers::Any => {
                "any; beside bounds or `integer` with one digit before the point that is not 0"
            }
        };
        let strings = match self.strings {
            Strings::Default => {
                "any escape in free strings, in others only where JSON requires one"
            }
            Strings::AnyEscape => "any escape",
            Strings::Minimal => "an escape only where JSON requires one",
        };
        let formats = match self.formats {
            Formats::Assert => "asserted",
            Formats::Annotation => "annotation",
        };
        writeln!(f, "properties: {order}")?;
        writeln!(f, "keys: an escape only where JSON requires one")?;
        writeln!(f, "whitespace: {whitespace}")?;
        writeln!(
            f,
            "numbers: {numbers}; at most {integer} integer, {fraction} fraction and {exponent} \
             exponent digits"
        )?;
        writeln!(f, "exponents: {exponents}")?;
        writeln!(f, "strings: {strings}")?;
        writeln!(f, "formats: {formats}")?;
        let duplicates = match self.notation {
            Notation::Extended => "never",
            Notation::Plain => "never for declared keys, possible for undeclared ones",
        };
        writeln!(f, "duplicate keys: {duplicates}")
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.spelling)?;
        for note in &self.notes {
            writeln!(f, "note: {note}")?;
        }
        if !self.satisfiable {
            writeln!(f, "note: no document is valid; the grammar is empty")?;
        }
        for entry in &self.entries {
            let status = match entry.status {
                Status::Enforced => "enforced",
                Status::Annotation => "annotation",
                Status::Refused => "not enforced",
            };
            write!(f, "{status}: {}", entry.pointer)?;
            match &entry.note {
                Some(note) => writeln!(f, " ({note})")?,
                None => writeln!(f)?,
            }
        }
        Ok(())
    }
}
