//! The bytes of tokens to text, in whole characters.

/// Text as it comes, in whole characters: a token may end inside of one.
///
/// The beginning of a character waits for its rest. Bytes that can never become one are U+FFFD at
/// once, one for each maximal subpart (Unicode 16, section 3.9, "U+FFFD Substitution of Maximal
/// Subparts"), as [`String::from_utf8_lossy`] has it. What is kept between two calls is at most
/// three bytes.
///
/// ```
/// use grammask_agents::Pieces;
///
/// let mut pieces = Pieces::default();
/// let mut text = String::new();
/// pieces.push(b"caf\xC3", &mut text);
/// assert_eq!(text, "caf");
/// pieces.push(b"\xA9 \xFF!\xE2\x82", &mut text);
/// assert_eq!(text, "caf\u{e9} \u{fffd}!");
/// pieces.finish(&mut text);
/// assert_eq!(text, "caf\u{e9} \u{fffd}!\u{fffd}");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    incomplete: Incomplete,
}

impl Pieces {
    /// Reads the bytes of a token, and adds to `text` what is known by then.
    pub fn push(&mut self, bytes: &[u8], text: &mut String) {
        let mut rest = bytes;
        while let Some(piece) = self.incomplete.next(&mut rest) {
            match piece {
                Piece::Text(piece) => text.push_str(piece),
                Piece::Character(c) => text.push(c),
                Piece::Invalid => text.push(char::REPLACEMENT_CHARACTER),
            }
        }
    }

    /// The text is over: the beginning of a character that waits is none.
    pub fn finish(&mut self, text: &mut String) {
        if !self.incomplete.is_empty() {
            self.incomplete = Incomplete::default();
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
}

/// The beginning of a character at the end of what was read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Incomplete {
    bytes: Vec<u8>,
}

/// What bytes are.
pub(crate) enum Piece<'a> {
    Text(&'a str),
    /// One that has begun before.
    Character(char),
    /// A maximal subpart of no character.
    Invalid,
}

impl Incomplete {
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Takes what comes first from the bytes; `None`: nothing is known of what is left.
    pub(crate) fn next<'a>(&mut self, rest: &mut &'a [u8]) -> Option<Piece<'a>> {
        while !self.bytes.is_empty() {
            let (&byte, after) = rest.split_first()?;
            self.bytes.push(byte);
            match str::from_utf8(&self.bytes) {
                Ok(character) => {
                    let character = character.chars().next();
                    self.bytes.clear();
                    *rest = after;
                    return character.map(Piece::Character);
                }
                Err(error) if error.error_len().is_none() => *rest = after,
                // The byte does not belong to it.
                Err(_) => {
                    self.bytes.clear();
                    return Some(Piece::Invalid);
                }
            }
        }
        match str::from_utf8(rest) {
            Ok("") => None,
            Ok(text) => {
                *rest = &[];
                Some(Piece::Text(text))
            }
            Err(error) if error.valid_up_to() > 0 => {
                let (valid, after) = rest.split_at(error.valid_up_to());
                *rest = after;
                str::from_utf8(valid).ok().map(Piece::Text)
            }
            Err(error) => {
                let Some(length) = error.error_len() else {
                    self.bytes.extend_from_slice(rest);
                    *rest = &[];
                    return None;
                };
                *rest = &rest[length..];
                Some(Piece::Invalid)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// Bytes that are often nearly UTF-8.
    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let whole = any::<char>().prop_map(|c| c.to_string().into_bytes());
        let cut = (any::<char>(), 1..4_usize).prop_map(|(c, n)| {
            let bytes = c.to_string().into_bytes();
            bytes[..n.min(bytes.len())].to_vec()
        });
        vec(prop_oneof![whole, cut, vec(any::<u8>(), 0..3)], 0..12).prop_map(|all| all.concat())
    }

    proptest! {
        #[test]
        fn pieces_are_the_whole(bytes in bytes(), cuts in vec(0..40_usize, 0..20)) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|at| at.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let mut pieces = Pieces::default();
            let mut text = String::new();
            for pair in cuts.windows(2) {
                pieces.push(&bytes[pair[0]..pair[1]], &mut text);
                // Only the beginning of a character waits.
                let so_far = String::from_utf8_lossy(&bytes[..pair[1]]);
                prop_assert!(so_far.starts_with(&text));
                prop_assert!(so_far.len() <= text.len() + 3);
            }
            pieces.finish(&mut text);
            prop_assert_eq!(text, String::from_utf8_lossy(&bytes));
        }
    }
}
