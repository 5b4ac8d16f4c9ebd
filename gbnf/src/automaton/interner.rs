//! Values by id and ids by value: each value once.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// A table of different values; an id is the number of values that were there before.
///
/// ```
/// use grammask_gbnf::Interner;
///
/// let mut words = Interner::default();
/// assert_eq!((words.intern("a"), words.intern("b"), words.intern("a")), (0, 1, 0));
/// assert_eq!((words.find(&"b"), words.get(1), words.len()), (Some(1), &"b", 2));
/// ```
#[derive(Debug)]
pub struct Interner<T> {
    values: Vec<T>,
    ids: Ids,
}

/// Ids by the hashes of their values, which are kept: what lets the table grow is the same code for
/// values of all types, and a grammar has tables of many.
#[derive(Debug, Default)]
struct Ids(HashTable<(Hashed, u32)>);

/// As much of a hash as is kept: a text may have millions of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hashed(u32);

impl Hashed {
    fn of(value: &impl Hash) -> Self {
        let hash = FxBuildHasher.hash_one(value);
        Self((hash ^ hash >> 32) as u32)
    }

    /// A hash for a table, which looks at the highest and at the lowest bits.
    fn wide(self) -> u64 {
        u64::from(self.0) << 32 | u64::from(self.0)
    }
}

impl Ids {
    fn find(&self, hashed: Hashed, mut is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        let found = self.0.find(hashed.wide(), |&(other, id)| other == hashed && is_it(id));
        found.map(|&(_, id)| id)
    }

    #[inline(never)]
    fn insert(&mut self, hashed: Hashed, id: u32) {
        self.0.insert_unique(hashed.wide(), (hashed, id), |&(hashed, _)| hashed.wide());
    }

    #[inline(never)]
    fn remove(&mut self, hashed: Hashed, id: u32) {
        if let Ok(place) = self.0.find_entry(hashed.wide(), |&(_, other)| other == id) {
            place.remove();
        }
    }
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { values: Vec::new(), ids: Ids::default() }
    }
}

impl<T: Eq + Hash> Interner<T> {
    /// How many values there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The value of an id that was given.
    pub fn get(&self, id: u32) -> &T {
        &self.values[id as usize]
    }

    /// The id of a value, if it is there.
    pub fn find(&self, value: &T) -> Option<u32> {
        self.find_hashed(Hashed::of(value), value)
    }

    fn find_hashed(&self, hashed: Hashed, value: &T) -> Option<u32> {
        self.ids.find(hashed, |id| self.values[id as usize] == *value)
    }

    /// The id of a value, which is added if it is new.
    pub fn intern(&mut self, value: T) -> u32 {
        let hashed = Hashed::of(&value);
        self.find_hashed(hashed, &value).unwrap_or_else(|| {
            let id = self.values.len() as u32;
            self.ids.insert(hashed, id);
            self.values.push(value);
            id
        })
    }

    /// Forgets all values but the first `len`.
    pub(crate) fn truncate(&mut self, len: usize) {
        for id in (len..self.values.len()).rev() {
            self.ids.remove(Hashed::of(&self.values[id]), id as u32);
        }
        self.values.truncate(len);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_forgotten_gets_a_new_id() {
        let mut texts = Interner::default();
        for (id, text) in (0..).zip(["a", "b", "c"]) {
            assert_eq!(texts.intern(text), id);
        }
        assert_eq!(texts.intern("b"), 1);
        texts.truncate(1);
        assert_eq!((texts.len(), texts.find(&"c")), (1, None));
        assert_eq!((texts.intern("c"), texts.intern("a")), (1, 0));
    }
}
