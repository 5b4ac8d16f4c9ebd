//! Which characters of an item count when items are compared: all but blanks outside of strings.

/// Where in the text of an item one is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Quoting {
    #[default]
    Outside,
    /// Between double quotes.
    Inside,
    /// Right behind a backslash between double quotes.
    Escaped,
}

impl Quoting {
    /// The place after a byte; `None` if it is a blank that does not count.
    pub(crate) fn after(self, byte: u8) -> Option<Self> {
        Some(match (self, byte) {
            (Self::Outside, b' ' | b'\t' | b'\r' | b'\n') => return None,
            (Self::Outside, b'"') | (Self::Escaped, _) => Self::Inside,
            (Self::Inside, b'\\') => Self::Escaped,
            (Self::Inside, b'"') => Self::Outside,
            (place, _) => place,
        })
    }

    /// What counts of a text that is read from here on, and the place after it.
    pub(crate) fn read(self, text: impl IntoIterator<Item = u8>) -> (Vec<u8>, Self) {
        let mut place = self;
        let counts = |byte: &u8| match place.after(*byte) {
            Some(after) => {
                place = after;
                true
            }
            None => false,
        };
        let kept = text.into_iter().filter(counts).collect();
        (kept, place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_count_in_strings() {
        let text = b" [ 1,\t\"a \\\" b\\\\\" ,\r\n\"\" \\ \"";
        let (kept, place) = Quoting::default().read(text.iter().copied());
        assert_eq!(String::from_utf8_lossy(&kept), "[1,\"a \\\" b\\\\\",\"\"\\\"");
        assert_eq!(place, Quoting::Inside);
    }
}
