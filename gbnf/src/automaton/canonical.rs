//! When the texts of two items are equal: what does not count of them is left out or put in order.
//!
//! Blanks outside of strings do not count. Where brackets match, neither does the order of the
//! parts that commas separate between a `{` and its `}`, whatever brackets these lie within
//! themselves.

/// What does not count outside of strings.
pub(crate) const BLANKS: [u8; 4] = *b" \t\r\n";

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
            (Self::Outside, blank) if BLANKS.contains(&blank) => return None,
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

/// A bracket that is still open.
enum Open {
    Array,
    /// With what comes before it, and the parts that it has so far.
    Object(Vec<u8>, Vec<Vec<u8>>),
}

/// What counts of an item, where `object` says how the parts between a `{` and its `}` are
/// written; `None` if brackets do not match.
pub(crate) fn canonical_with(
    text: &[u8],
    mut object: impl FnMut(Vec<Vec<u8>>) -> Vec<u8>,
) -> Option<Vec<u8>> {
    let mut place = Quoting::default();
    let mut open: Vec<Open> = Vec::new();
    let mut found = Vec::new();
    for &byte in text {
        let before = place;
        let Some(after) = place.after(byte) else { continue };
        place = after;
        match byte {
            _ if before != Quoting::Outside => found.push(byte),
            b'{' => open.push(Open::Object(std::mem::take(&mut found), Vec::new())),
            b'[' => {
                open.push(Open::Array);
                found.push(byte);
            }
            b',' => match open.last_mut() {
                Some(Open::Object(_, parts)) => parts.push(std::mem::take(&mut found)),
                _ => found.push(byte),
            },
            b']' => {
                let Some(Open::Array) = open.pop() else { return None };
                found.push(byte);
            }
            b'}' => {
                let Some(Open::Object(before, mut parts)) = open.pop() else { return None };
                parts.push(std::mem::replace(&mut found, before));
                found.extend(object(parts));
            }
            _ => found.push(byte),
        }
    }
    open.is_empty().then_some(found)
}

/// A text that two items have in common if and only if they are equal.
pub(crate) fn canonical(text: &[u8]) -> Vec<u8> {
    let sorted = |mut parts: Vec<Vec<u8>>| {
        parts.sort_unstable();
        [b"{", &parts.join(&b',')[..], b"}"].concat()
    };
    canonical_with(text, sorted).unwrap_or_else(|| Quoting::default().read(text.iter().copied()).0)
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

    #[test]
    fn the_order_of_members_does_not_count() {
        for (text, expected) in [
            (r#"{"b": [2, 1], "a": {"d": 1, "c": ","}}"#, r#"{"a":{"c":",","d":1},"b":[2,1]}"#),
            ("[{}, {b,a,}]", "[{},{,a,b}]"),
            (r#"{"}": 1, "{": 2}"#, r#"{"{":2,"}":1}"#),
            // Brackets that do not match.
            ("[{b, a}", "[{b,a}"),
            ("{b, a]}", "{b,a]}"),
            ("{b, a}}", "{b,a}}"),
        ] {
            assert_eq!(String::from_utf8_lossy(&canonical(text.as_bytes())), expected, "{text}");
        }
    }
}
