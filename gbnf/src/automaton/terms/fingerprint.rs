//! What a term is, in whatever store it lies.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use super::{Term, TermId, Terms};

/// A hash of all that a term, or the value of a member, is made of, the same in every store of one
/// process: what has been found out about that of one grammar can be looked up for another. Its 128 bits are
/// mixed with keys that nobody knows, so that two with one fingerprint are not to be met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fingerprint([u64; 2]);

static KEYS: LazyLock<[u64; 4]> = LazyLock::new(|| {
    let random = RandomState::new();
    std::array::from_fn(|index| random.hash_one(index) | 1)
});

/// Each half is a hash of 64 bits of its own, by folded multiplications with a key of its own.
impl Fingerprint {
    fn new(kind: u64) -> Self {
        Self([KEYS[2], KEYS[3]]).word(kind)
    }

    /// That with which the fingerprint of the tree of a body begins.
    pub(crate) fn of_tree() -> Self {
        Self::new(12)
    }

    /// That with which the fingerprint of what is read from a position begins.
    pub(crate) fn of_position() -> Self {
        Self::new(14)
    }

    /// That with which the fingerprint of so many literals begins.
    pub(super) fn of_literals(count: usize) -> Self {
        Self::new(13).word(count as u64)
    }

    /// With the kind and the length of a list that comes next.
    pub(crate) fn list(self, kind: u64, length: usize) -> Self {
        self.word(kind << 60 | length as u64)
    }

    /// With a text.
    pub(crate) fn text(self, text: &[u8]) -> Self {
        text.chunks(8).fold(self.word(text.len() as u64), |found, chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            found.word(u64::from_le_bytes(word))
        })
    }

    pub(crate) fn word(self, word: u64) -> Self {
        self.part(Self([word; 2]))
    }

    pub(crate) fn part(self, part: Self) -> Self {
        let fold = |half: usize| {
            let product = u128::from(self.0[half] ^ part.0[half]) * u128::from(KEYS[half]);
            product as u64 ^ (product >> 64) as u64
        };
        Self([fold(0), fold(1)])
    }

    /// Of a list of terms, in their order.
    fn of_list(kind: u64, parts: impl IntoIterator<Item = Self>) -> Self {
        parts.into_iter().fold(Self::new(kind), Self::part)
    }

    /// Of a set of terms, whose order says nothing.
    fn of_set(kind: u64, parts: impl IntoIterator<Item = Self>) -> Self {
        let sum = parts.into_iter().fold([0; 2], |sum: [u64; 2], part| {
            let Self(mixed) = Self::new(kind).part(part);
            [sum[0].wrapping_add(mixed[0]), sum[1].wrapping_add(mixed[1])]
        });
        Self::new(kind).part(Self(sum))
    }
}

impl Terms {
    /// The fingerprint of a term.
    ///
    /// ```
    /// use grammask_gbnf::Terms;
    /// let (some, others) = (Terms::default(), Terms::default());
    /// let (a, b) = (some.text(b"a"), some.text(b"b"));
    /// let (c, d) = (others.text(b"b"), others.text(b"a"));
    /// let ab = some.fingerprint(some.concat(a, b));
    /// assert_eq!(others.fingerprint(others.concat(d, c)), ab);
    /// assert_ne!(others.fingerprint(others.concat(c, d)), ab);
    /// ```
    pub fn fingerprint(&self, term: TermId) -> Fingerprint {
        self.entry(term).fingerprint
    }

    /// The fingerprint of what a term is made of.
    pub(super) fn fingerprint_of(&self, term: &Term) -> Fingerprint {
        let of = |term: &TermId| self.fingerprint(*term);
        match term {
            Term::Nothing => Fingerprint::new(0),
            Term::Empty => Fingerprint::new(1),
            Term::Bytes(set) => set.0.into_iter().fold(Fingerprint::new(2), Fingerprint::word),
            Term::Concat(first, second) => Fingerprint::of_list(3, [of(first), of(second)]),
            Term::Alt(items) => Fingerprint::of_set(4, items.iter().map(of)),
            Term::Repeat { item, min, max } => {
                let max = max.map_or(u64::MAX, u64::from);
                Fingerprint::new(5).part(of(item)).word(u64::from(*min)).word(max)
            }
            Term::Rule { system, index } => Fingerprint::new(6)
                .part(self.system_of(*system).fingerprint())
                .word((*index).into()),
            Term::Hole(index) => Fingerprint::new(7).word((*index).into()),
            Term::All { all, none } => {
                let all = Fingerprint::of_set(8, all.iter().map(of));
                Fingerprint::of_list(9, [all, Fingerprint::of_set(10, none.iter().map(of))])
            }
        }
    }

    /// The fingerprint of a system with these bodies.
    pub(super) fn fingerprint_of_system(&self, bodies: &[TermId]) -> Fingerprint {
        Fingerprint::of_list(11, bodies.iter().map(|&body| self.fingerprint(body)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_counts_only_where_it_means_something() {
        let (some, others) = (Terms::default(), Terms::default());
        let make = |terms: &Terms, texts: [&str; 3]| {
            let [a, b, c] = texts.map(|text| terms.text(text.as_bytes()));
            let choice = terms.alt([a, b, c]);
            (terms.fingerprint(choice), terms.fingerprint(terms.repeat(choice, 2, None)))
        };
        let (choice, looped) = make(&some, ["one", "two", "three"]);
        assert_eq!(make(&others, ["three", "one", "two"]), (choice, looped));
        assert_ne!(choice, looped);
        assert_ne!(make(&others, ["three", "one", "owt"]).0, choice);
    }
}
