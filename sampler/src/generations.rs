//! What has been computed and is kept as long as there is room.

use std::hash::Hash;
use std::mem;
use std::sync::Arc;

use rustc_hash::FxHashMap;

/// What takes room.
pub(crate) trait Footprint {
    /// About how many bytes it takes besides its own, those that it shares left out.
    fn bytes(&self) -> usize;
}

impl<T: Footprint> Footprint for Arc<T> {
    fn bytes(&self) -> usize {
        size_of::<T>() + T::bytes(self)
    }
}

/// A table of bounded size: when it is full, the older half goes.
#[derive(Debug)]
pub(crate) struct Generations<K, V> {
    young: Generation<K, V>,
    old: Generation<K, V>,
    /// How many bytes a generation has.
    room: usize,
}

#[derive(Debug)]
struct Generation<K, V> {
    values: FxHashMap<K, V>,
    bytes: usize,
}

impl<K, V> Default for Generation<K, V> {
    fn default() -> Self {
        Self { values: FxHashMap::default(), bytes: 0 }
    }
}

impl<K: Clone + Eq + Hash, V: Clone + Footprint> Generations<K, V> {
    /// No more than twice as many bytes as `room` are kept; but one value always is.
    pub(crate) fn new(room: usize) -> Self {
        Self { young: Generation::default(), old: Generation::default(), room }
    }

    pub(crate) fn get(&mut self, key: &K) -> Option<V> {
        if let Some(value) = self.young.values.get(key) {
            return Some(value.clone());
        }
        let value = self.old.values.remove(key)?;
        self.old.bytes -= footprint::<K, V>(&value);
        self.insert(key.clone(), value.clone());
        Some(value)
    }

    pub(crate) fn insert(&mut self, key: K, value: V) {
        let bytes = footprint::<K, V>(&value);
        if self.young.bytes + bytes > self.room {
            self.old = mem::take(&mut self.young);
        }
        if let Some(other) = self.young.values.insert(key, value) {
            self.young.bytes -= footprint::<K, V>(&other);
        }
        self.young.bytes += bytes;
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.young.bytes + self.old.bytes
    }
}

/// With its place in a hash table, half of which is empty at worst.
fn footprint<K, V: Footprint>(value: &V) -> usize {
    2 * size_of::<(K, V)>() + value.bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Footprint for Vec<u8> {
        fn bytes(&self) -> usize {
            self.capacity()
        }
    }

    #[test]
    fn what_is_asked_for_stays() {
        let mut kept = Generations::new(10_000);
        for key in 0..100 {
            kept.insert(key, vec![0; 1000]);
            assert!(kept.get(&0).is_some(), "{key}");
            assert!(kept.bytes() <= 20_000, "{key}");
        }
        assert!(kept.get(&50).is_none());
        assert!(kept.get(&99).is_some());
    }

    #[test]
    fn one_value_may_be_too_large() {
        let mut kept = Generations::new(100);
        for key in 0..3 {
            kept.insert(key, vec![0; 1000]);
            assert!(kept.get(&key).is_some());
        }
        assert!(kept.bytes() < 2500);
        kept.insert(3, Vec::new());
        kept.insert(3, Vec::new());
        assert!(kept.bytes() < 1500);
    }
}
