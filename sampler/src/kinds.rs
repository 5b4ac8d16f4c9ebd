//! Kinds of characters, which tell roughly what lies below a node of the trie: where a terminal reads
//! all of them and stays where it is, nobody has to look below the node.

use std::ops::{BitOr, BitOrAssign};

use grammask_gbnf::ByteSet;

/// A set of kinds of characters: those of ASCII one by one, but for most that control, and those
/// beyond ASCII by their first byte, which is roughly by script.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Kinds(u128);

/// The number of each ASCII character's kind, and how many kinds there are.
const KINDS: ([u8; 128], u32) = {
    let mut kinds = [0; 128];
    let mut last = 0;
    let mut byte = 0;
    while byte < 128 {
        let is_blank = matches!(byte as u8, b'\t' | b'\n' | b'\r');
        if is_blank || !(byte as u8).is_ascii_control() {
            last += 1;
            kinds[byte] = last;
        }
        byte += 1;
    }
    (kinds, last as u32 + 1)
};

/// The first bytes of characters beyond ASCII, by kind.
const FIRST_BYTES: [(u8, u8); 22] = [
    (0xc2, 0xc2),
    (0xc3, 0xc3),
    (0xc4, 0xc9),
    (0xca, 0xcb),
    (0xcc, 0xcd),
    (0xce, 0xcf),
    (0xd0, 0xd3),
    (0xd4, 0xd7),
    (0xd8, 0xdb),
    (0xdc, 0xdf),
    (0xe0, 0xe0),
    (0xe1, 0xe1),
    (0xe2, 0xe2),
    (0xe3, 0xe3),
    (0xe4, 0xe9),
    (0xea, 0xea),
    (0xeb, 0xec),
    (0xed, 0xed),
    (0xee, 0xee),
    (0xef, 0xef),
    (0xf0, 0xf0),
    (0xf1, 0xf4),
];

impl Kinds {
    /// Bytes that are no character.
    pub(crate) const BROKEN: Self = Self(1 << 127);

    /// The kind of the characters that begin with each byte; none if there are no such characters.
    const OF_FIRST: [Self; 256] = {
        let mut of_first = [Self(0); 256];
        let mut byte = 0;
        while byte < KINDS.0.len() {
            of_first[byte] = Self(1 << KINDS.0[byte]);
            byte += 1;
        }
        let mut kind = 0;
        while kind < FIRST_BYTES.len() {
            let (lo, hi) = FIRST_BYTES[kind];
            let mut byte = lo as usize;
            while byte <= hi as usize {
                of_first[byte] = Self(1 << (KINDS.1 + kind as u32));
                byte += 1;
            }
            kind += 1;
        }
        of_first
    };

    /// All kinds.
    pub(crate) const ALL: Self = {
        let mut all = 0;
        let mut byte = 0;
        while byte < Self::OF_FIRST.len() {
            all |= Self::OF_FIRST[byte].0;
            byte += 1;
        }
        Self(all)
    };

    /// The least and the greatest byte with which characters of each kind begin.
    const BYTES: [(u8, u8); 128] = {
        let mut bytes = [(u8::MAX, u8::MIN); 128];
        let mut byte = Self::OF_FIRST.len();
        while byte > 0 {
            byte -= 1;
            if Self::OF_FIRST[byte].0 != 0 {
                let known = &mut bytes[Self::OF_FIRST[byte].0.trailing_zeros() as usize];
                known.0 = byte as u8;
                if known.1 < byte as u8 {
                    known.1 = byte as u8;
                }
            }
        }
        bytes
    };

    /// The kind of the characters that begin with a byte; none if there are no such characters.
    fn of(first: u8) -> Self {
        Self::OF_FIRST[usize::from(first)]
    }

    /// The kinds of what may have one of some bytes.
    pub(crate) fn with(bytes: &ByteSet) -> Self {
        let beyond_ascii = bytes.iter().any(|byte| !byte.is_ascii());
        let beyond_ascii = (0x80..=u8::MAX).filter(|_| beyond_ascii);
        let first = bytes.iter().chain(beyond_ascii).map(Self::of);
        first.fold(Self::BROKEN, |all, kind| all | kind)
    }

    /// Those of the kinds of which all characters begin with bytes that are `meant`.
    pub(crate) fn beginning_with(self, mut meant: impl FnMut(u8) -> bool) -> Self {
        let mut all = Self(self.0 & Self::ALL.0);
        let mut left = all.0;
        while left != 0 {
            let kind = Self(left & left.wrapping_neg());
            left ^= kind.0;
            let (lo, hi) = Self::BYTES[kind.0.trailing_zeros() as usize];
            if (lo..=hi).any(|byte| Self::of(byte) == kind && !meant(byte)) {
                all.0 ^= kind.0;
            }
        }
        all
    }

    /// Those that are not among others.
    pub(crate) fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
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

    /// No character is longer than its first byte by more bytes.
    pub(crate) const MOST_MISSING: usize = 3;

    /// How many bytes of a character are still to come.
    pub(crate) fn missing(self) -> usize {
        self.missing.into()
    }

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

    /// The least and the greatest byte with which a character goes on at this place.
    pub(crate) fn bytes(self) -> (u8, u8) {
        (self.lo, self.hi)
    }

    /// The kind of the character that begins with a byte at this place; none within a character.
    pub(crate) fn kind(self, byte: u8) -> Kinds {
        match self.after(byte) {
            None => Kinds::BROKEN,
            Some(_) if self == Self::BETWEEN => Kinds::of(byte),
            Some(_) => Kinds::default(),
        }
    }
}
