//! Sets of byte values.

use std::ops::RangeInclusive;

/// A set of byte values.
///
/// ```
/// use grammask_gbnf::ByteSet;
/// let mut set = ByteSet::default();
/// set.insert(b'_');
/// set.insert_range(b'0', b'9');
/// assert!(set.contains(b'7') && set.len() == 11);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ByteSet(pub(super) [u64; 4]);

impl ByteSet {
    /// All bytes.
    pub(super) const ALL: Self = Self([u64::MAX; 4]);

    /// Adds a byte.
    pub fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    /// Adds the bytes `lo..=hi`.
    pub fn insert_range(&mut self, lo: u8, hi: u8) {
        for (index, word) in self.0.iter_mut().enumerate() {
            let start = 64 * index;
            let (from, to) = (usize::from(lo).max(start), usize::from(hi).min(start + 63));
            if from <= to {
                *word |= (u64::MAX >> (63 - (to - from))) << (from - start);
            }
        }
    }

    /// Whether `byte` is in the set.
    pub fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// The byte, if there is just one.
    pub(super) fn only(&self) -> Option<u8> {
        let mut words = (0_u8..).zip(self.0).filter(|&(_, word)| word != 0);
        let (index, word) = words.next().filter(|(_, word)| word.is_power_of_two())?;
        words.next().is_none().then(|| 64 * index + word.trailing_zeros() as u8)
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Adds all of `other`.
    pub fn union_with(&mut self, other: &Self) {
        for (word, more) in self.0.iter_mut().zip(other.0) {
            *word |= more;
        }
    }

    /// The bytes of both.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let mut words = self.0;
        words.iter_mut().zip(other.0).for_each(|(word, other)| *word &= other);
        Self(words)
    }

    /// Whether the two have a byte in common.
    pub fn intersects(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).any(|(word, more)| word & more != 0)
    }

    /// Whether `other` has all of them.
    pub(super) fn is_subset(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).all(|(word, more)| word & !more == 0)
    }

    /// The bytes in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        (0_u8..).zip(self.0).flat_map(|(index, mut word)| {
            std::iter::from_fn(move || {
                let bit = u8::try_from(word.trailing_zeros()).ok().filter(|&bit| bit < 64)?;
                word &= word - 1;
                Some(64 * index + bit)
            })
        })
    }

    /// The bytes around one that are all in the set, or all not, like that one.
    pub(super) fn around(&self, byte: u8) -> RangeInclusive<u8> {
        let flip = if self.contains(byte) { u64::MAX } else { 0 };
        // The others are one in these words.
        let others = self.0.map(|word| word ^ flip);
        let (index, bit) = (usize::from(byte >> 6), byte & 63);
        let [below, above] = [!(u64::MAX << bit), u64::MAX << bit].map(|part| others[index] & part);
        let word_before = (0..index).rev().map(|at| (at, others[at]));
        let last_below =
            std::iter::once((index, below)).chain(word_before).find(|&(_, word)| word != 0);
        let word_behind = (index + 1..4).map(|at| (at, others[at]));
        let first_above =
            std::iter::once((index, above)).chain(word_behind).find(|&(_, word)| word != 0);
        let lo = last_below.map_or(0, |(at, word)| 64 * at + 64 - word.leading_zeros() as usize);
        let hi = first_above.map_or(255, |(at, word)| 64 * at + word.trailing_zeros() as usize - 1);
        lo as u8..=hi as u8
    }

    pub(super) fn ranges(&self) -> Vec<(u8, u8)> {
        let mut ranges: Vec<(u8, u8)> = Vec::new();
        for byte in self.iter() {
            match ranges.last_mut() {
                Some(last) if last.1 + 1 == byte => last.1 = byte,
                _ => ranges.push((byte, byte)),
            }
        }
        ranges
    }
}
