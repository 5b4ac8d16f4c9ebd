//! From byte offsets to lines and columns.

use std::fmt;

/// A place as an editor shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Where the lines of a text begin. A line ends with LF, CR LF or CR.
///
/// ```
/// use grammask_gbnf::LineIndex;
///
/// let index = LineIndex::new("root ::= a\na ::= \"é\" b");
/// assert_eq!(index.position(22).to_string(), "2:11");
/// ```
#[derive(Clone, Debug)]
pub struct LineIndex<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    /// Indexes `text`, in time linear in its length.
    pub fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (at, &byte) in bytes.iter().enumerate() {
            if byte == b'\n' || (byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')) {
                starts.push(at + 1);
            }
        }
        Self { text, starts }
    }

    /// Line and column of byte `offset`. An offset past the end is taken for the end, one inside a
    /// character for its beginning.
    pub fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|&start| start <= offset);
        let start = self.starts[line - 1];
        Position { line, column: self.text[start..offset].chars().count() + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_end() {
        let text = "a\nb\r\nc\rd é x";
        let index = LineIndex::new(text);
        for (what, expected) in
            [("a", "1:1"), ("b", "2:1"), ("\r\n", "2:2"), ("c", "3:1"), ("d", "4:1"), ("x", "4:5")]
        {
            let offset = text.find(what).unwrap_or_default();
            assert_eq!(index.position(offset).to_string(), expected, "{what:?}");
        }
        assert_eq!(index.position(text.len() + 7).to_string(), "4:6");
        assert_eq!(index.position(text.len() - 3).to_string(), "4:3", "inside a character");
        assert_eq!(LineIndex::new("").position(0).to_string(), "1:1");
    }
}
