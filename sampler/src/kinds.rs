//! Kinds of characters, which tell roughly what lies below a node of the trie: where a terminal reads
//! all of them and stays where it is, nobody has to look below the node.

use std::ops::{BitOr, BitOrAssign};

/// A set of kinds of characters: small letters, capital letters, digits, the others of ASCII one by
/// one, and all beyond ASCII.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kinds(u64);

/// The number of each ASCII character's kind.
const KINDS: [u8; 128] = {
    let mut kinds = [0; 128];
    let mut others = 3;
    let mut byte = 0;
    while byte < 128 {
        let is_blank = matches!(byte as u8, b'\t' | b'\n' | b'\r');
        kinds[byte] = match byte as u8 {
            b'a'..=b'z' => 0,
            b'A'..=b'Z' => 1,
            b'0'..=b'9' => 2,
            control if control.is_ascii_control() && !is_blank => 3,
            _ => {
                others += 1;
                others
            }
        };
        byte += 1;
    }
    kinds
};

impl Kinds {
    /// All characters beyond ASCII.
    pub(crate) const NON_ASCII: Self = Self(1 << 62);
    /// Bytes that are no character.
    pub(crate) const BROKEN: Self = Self(1 << 63);
    const ALL: Self = Self(u64::MAX);

    /// The kind of an ASCII character.
    fn of_ascii(byte: u8) -> Self {
        Self(1 << KINDS[usize::from(byte)])
    }

    /// The kinds of ASCII characters of which all are `meant`.
    pub(crate) fn of_all_ascii(mut meant: impl FnMut(u8) -> bool) -> Self {
        let others = (0..128).filter(|&byte| !meant(byte));
        let others = others.fold(Self::NON_ASCII | Self::BROKEN, |all, b| all | Self::of_ascii(b));
        Self(Self::ALL.0 & !others.0)
    }

    pub(crate) fn contains(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }
}

impl BitOr for Kinds {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Kinds {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

/// A place in UTF-8: how many bytes of a character are missing, and what the next one can be (RFC
/// 3629, section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Utf8Place {
    missing: u8,
    lo: u8,
    hi: u8,
}

impl Utf8Place {
    /// Between two characters.
    pub(crate) const BETWEEN: Self = Self { missing: 0, lo: 0, hi: 0 };

    /// The place after a byte, if a character can have it there.
    pub(crate) fn after(self, byte: u8) -> Option<Self> {
        let (missing, lo, hi) = match (self.missing, byte) {
            (0, 0..=0x7f) => (0, 0, 0),
            (0, 0xc2..=0xdf) => (1, 0x80, 0xbf),
            (0, 0xe0) => (2, 0xa0, 0xbf),
            (0, 0xe1..=0xec | 0xee..=0xef) => (2, 0x80, 0xbf),
            (0, 0xed) => (2, 0x80, 0x9f),
            (0, 0xf0) => (3, 0x90, 0xbf),
            (0, 0xf1..=0xf3) => (3, 0x80, 0xbf),
            (0, 0xf4) => (3, 0x80, 0x8f),
            (1, byte) if (self.lo..=self.hi).contains(&byte) => (0, 0, 0),
            (missing, byte) if (self.lo..=self.hi).contains(&byte) && missing > 0 => {
                (missing - 1, 0x80, 0xbf)
            }
            _ => return None,
        };
        Some(Self { missing, lo, hi })
    }

    /// The kind of a byte at this place.
    pub(crate) fn kind(self, byte: u8) -> Kinds {
        match self.after(byte) {
            None => Kinds::BROKEN,
            Some(_) if byte.is_ascii() => Kinds::of_ascii(byte),
            Some(_) => Kinds::NON_ASCII,
        }
    }
}
