//! Where in a JSON text a reader is.

use serde::Serialize;

/// What the next token goes on with; a gap belongs to what is before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Place {
    #[serde(rename = "start of the text")]
    Start,
    #[serde(rename = "behind {")]
    Object,
    #[serde(rename = "behind a comma, before a key")]
    MemberComma,
    #[serde(rename = "start of a key")]
    KeyStart,
    #[serde(rename = "within a key")]
    Key,
    #[serde(rename = "behind a key")]
    KeyEnd,
    #[serde(rename = "behind a colon")]
    Colon,
    #[serde(rename = "behind [")]
    Array,
    #[serde(rename = "behind a comma, before an item")]
    ItemComma,
    #[serde(rename = "start of a string")]
    TextStart,
    #[serde(rename = "within a string")]
    Text,
    #[serde(rename = "within a number")]
    Number,
    #[serde(rename = "within a literal")]
    Literal,
    #[serde(rename = "behind a value")]
    Value,
}

/// Reads a text that is JSON, byte by byte.
pub struct Reader {
    place: Place,
    /// Of each array or object that is open, whether it is an object.
    open: Vec<bool>,
    /// Behind a backslash.
    is_escaped: bool,
    /// How many letters a literal lacks.
    letters: u8,
}

impl Default for Reader {
    fn default() -> Self {
        Self { place: Place::Start, open: Vec::new(), is_escaped: false, letters: 0 }
    }
}

impl Reader {
    pub fn place(&self) -> Place {
        self.place
    }

    pub fn read(&mut self, byte: u8) {
        self.place = match self.place {
            Place::KeyStart | Place::Key => self.in_string(byte, Place::Key, Place::KeyEnd),
            Place::TextStart | Place::Text => self.in_string(byte, Place::Text, Place::Value),
            Place::Literal => self.in_literal(self.letters - 1),
            place => match byte {
                b' ' | b'\t' | b'\n' | b'\r' if place == Place::Number => Place::Value,
                b' ' | b'\t' | b'\n' | b'\r' => place,
                b'"' if matches!(place, Place::Object | Place::MemberComma) => Place::KeyStart,
                b'"' => Place::TextStart,
                b'{' | b'[' => {
                    self.open.push(byte == b'{');
                    if byte == b'{' { Place::Object } else { Place::Array }
                }
                b'}' | b']' => {
                    self.open.pop();
                    Place::Value
                }
                b':' => Place::Colon,
                b',' if self.open.last() == Some(&true) => Place::MemberComma,
                b',' => Place::ItemComma,
                b't' | b'n' => self.in_literal(3),
                b'f' => self.in_literal(4),
                _ => Place::Number,
            },
        };
    }

    fn in_string(&mut self, byte: u8, within: Place, behind: Place) -> Place {
        let is_end = byte == b'"' && !self.is_escaped;
        self.is_escaped = byte == b'\\' && !self.is_escaped;
        if is_end { behind } else { within }
    }

    fn in_literal(&mut self, letters: u8) -> Place {
        self.letters = letters;
        if letters == 0 { Place::Value } else { Place::Literal }
    }
}

#[cfg(test)]
mod tests {
    use super::{Place, Reader};

    #[test]
    fn places_are_those_of_json() {
        use Place::{
            Array, Colon, ItemComma, Key, KeyEnd, KeyStart, Literal, MemberComma, Number, Object,
            Start, Text, TextStart, Value,
        };
        let mut reader = Reader::default();
        let mut places = vec![(reader.place(), 0)];
        for byte in br#"{"a\"b": [true, 1.5e3 , "x", ""], "c": {}}"# {
            reader.read(*byte);
            match places.last_mut() {
                Some((last, times)) if *last == reader.place() => *times += 1,
                _ => places.push((reader.place(), 1)),
            }
        }
        let key = [(KeyStart, 1), (Key, 4), (KeyEnd, 1), (Colon, 2)];
        let literal = [(Array, 1), (Literal, 3), (Value, 1)];
        let number = [(ItemComma, 2), (Number, 5), (Value, 1)];
        let text = [(ItemComma, 2), (TextStart, 1), (Text, 1), (Value, 1)];
        let empty = [(ItemComma, 2), (TextStart, 1), (Value, 2)];
        let member = [(MemberComma, 2), (KeyStart, 1), (Key, 1), (KeyEnd, 1), (Colon, 2)];
        let end = [(Object, 1), (Value, 2)];
        let expected =
            [&[(Start, 0), (Object, 1)][..], &key, &literal, &number, &text, &empty, &member, &end];
        assert_eq!(places, expected.concat());
    }
}
