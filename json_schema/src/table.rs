//! Maps whose keys are numbers without great gaps.

use std::marker::PhantomData;
use std::ops::Index;

/// A map from the ids of something; it has a place for each of them.
#[derive(Debug)]
pub(crate) struct Table<K, T> {
    entries: Vec<Option<T>>,
    keys: PhantomData<K>,
}

/// A number of something, counted from 0.
pub(crate) trait Id: Copy {
    fn index(self) -> usize;
}

impl<K, T> Default for Table<K, T> {
    fn default() -> Self {
        Self { entries: Vec::new(), keys: PhantomData }
    }
}

impl<K: Id, T> Table<K, T> {
    /// No entries, and room for so many.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self { entries: Vec::with_capacity(capacity), keys: PhantomData }
    }

    pub(crate) fn get(&self, key: K) -> Option<&T> {
        self.entries.get(key.index())?.as_ref()
    }

    pub(crate) fn contains(&self, key: K) -> bool {
        self.get(key).is_some()
    }

    /// What was there before.
    pub(crate) fn insert(&mut self, key: K, value: T) -> Option<T> {
        let index = key.index();
        if index >= self.entries.len() {
            self.entries.resize_with(index + 1, || None);
        }
        self.entries[index].replace(value)
    }
}

impl<K: Id, T> Index<K> for Table<K, T> {
    type Output = T;

    fn index(&self, key: K) -> &T {
        self.get(key).expect("it is there")
    }
}
