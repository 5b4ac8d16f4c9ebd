//! Values by id and ids by value: each value once.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// A table of different values; an id is the number of values that were there before.
#[derive(Debug)]
pub(crate) struct Interner<T> {
    values: Vec<T>,
    ids: HashTable<u32>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { values: Vec::new(), ids: HashTable::new() }
    }
}

impl<T: Eq + Hash> Interner<T> {
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    pub(crate) fn get(&self, id: u32) -> &T {
        &self.values[id as usize]
    }

    pub(crate) fn find(&self, value: &T) -> Option<u32> {
        let hash = FxBuildHasher.hash_one(value);
        self.ids.find(hash, |&id| self.values[id as usize] == *value).copied()
    }

    /// The id of a value, which is added if it is new.
    pub(crate) fn intern(&mut self, value: T) -> u32 {
        let hash = FxBuildHasher.hash_one(&value);
        let values = &mut self.values;
        let place = self.ids.entry(
            hash,
            |&id| values[id as usize] == value,
            |&id| FxBuildHasher.hash_one(&values[id as usize]),
        );
        match place {
            hashbrown::hash_table::Entry::Occupied(known) => *known.get(),
            hashbrown::hash_table::Entry::Vacant(place) => {
                let id = values.len() as u32;
                place.insert(id);
                values.push(value);
                id
            }
        }
    }

    /// Forgets all values but the first `len`.
    pub(crate) fn truncate(&mut self, len: usize) {
        for id in (len..self.values.len()).rev() {
            let hash = FxBuildHasher.hash_one(&self.values[id]);
            if let Ok(place) = self.ids.find_entry(hash, |&known| known as usize == id) {
                place.remove();
            }
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
