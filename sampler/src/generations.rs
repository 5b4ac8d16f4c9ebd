//! What has been computed and is kept as long as there is room.

use std::hash::Hash;
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

impl<T: Footprint> Footprint for Option<T> {
    fn bytes(&self) -> usize {
        self.as_ref().map_or(0, T::bytes)
    }
}

/// So many generations there are: what goes at once is about one in as many bytes, so that the memory
/// that is held stays much the same.
const AGES: usize = 8;

/// A table of bounded size: when it is full, those go that have not been asked for the longest.
#[derive(Debug)]
pub(crate) struct Generations<K, V> {
    /// With the generation in which it has been asked for last.
    values: FxHashMap<K, (V, usize)>,
    /// The youngest generation.
    now: usize,
    /// How many bytes the values of a generation take, by its number modulo their number.
    bytes: [usize; AGES],
    /// How many bytes those take that are kept for good.
    kept: usize,
    /// How many bytes all may take.
    most: usize,
}

/// The age of what is kept for good.
const KEPT: usize = usize::MAX;

impl<K: Eq + Hash, V: Clone + Footprint> Generations<K, V> {
    /// No more than so many bytes are kept; but one value always is.
    pub(crate) fn new(most: usize) -> Self {
        Self { values: FxHashMap::default(), now: 0, bytes: [0; AGES], kept: 0, most }
    }

    pub(crate) fn get(&mut self, key: &K) -> Option<V> {
        let (value, age) = self.values.get_mut(key)?;
        let value = value.clone();
        if *age != self.now && *age != KEPT {
            let bytes = footprint::<K, V>(&value);
            self.bytes[*age % AGES] -= bytes;
            self.bytes[self.now % AGES] += bytes;
            *age = self.now;
            if self.bytes[self.now % AGES] > self.share() {
                self.turn();
            }
        }
        Some(value)
    }

    pub(crate) fn insert(&mut self, key: K, value: V) {
        let bytes = footprint::<K, V>(&value);
        if self.bytes[self.now % AGES] + bytes > self.share() {
            self.turn();
        }
        while self.bytes() > self.kept && self.bytes() + bytes > self.most {
            self.turn();
        }
        self.bytes[self.now % AGES] += bytes;
        if let Some((other, age)) = self.values.insert(key, (value, self.now)) {
            let bytes = footprint::<K, V>(&other);
            match age {
                KEPT => self.kept -= bytes,
                _ => self.bytes[age % AGES] -= bytes,
            }
        }
    }

    /// What is there now stays, or of that what has been asked for last, as much as takes three quarters of
    /// the room.
    pub(crate) fn keep(&mut self) {
        let most = self.most / 4 * 3;
        let mut oldest = self.now + 1;
        for age in (self.now.saturating_sub(AGES - 1)..=self.now).rev() {
            let bytes = &mut self.bytes[age % AGES];
            if self.kept + *bytes > most {
                break;
            }
            self.kept += std::mem::take(bytes);
            oldest = age;
        }
        for (_, age) in self.values.values_mut().filter(|(_, age)| *age >= oldest) {
            *age = KEPT;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.kept + self.bytes.iter().sum::<usize>()
    }

    /// How many bytes a generation may take.
    fn share(&self) -> usize {
        (self.most - self.kept) / AGES
    }

    /// A generation begins, and the oldest goes.
    fn turn(&mut self) {
        self.now += 1;
        let bytes = &mut self.bytes[self.now % AGES];
        if *bytes > 0 {
            *bytes = 0;
            let now = self.now;
            self.values.retain(|_, (_, age)| age.saturating_add(AGES) > now);
        }
    }
}

/// With its place in a hash table, half of which is empty at worst.
fn footprint<K, V: Footprint>(value: &V) -> usize {
    2 * size_of::<(K, (V, usize))>() + value.bytes()
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
        let mut kept = Generations::new(20_000);
        for key in 0..100 {
            kept.insert(key, vec![0; 1000]);
            assert!(kept.get(&0).is_some(), "{key}");
            assert!(kept.bytes() <= 20_000, "{key}");
        }
        assert!(kept.get(&50).is_none());
        assert!(kept.get(&99).is_some());
    }

    #[test]
    fn what_is_kept_stays() {
        let mut kept = Generations::new(20_000);
        (0..5).for_each(|key| kept.insert(key, vec![0; 1000]));
        kept.keep();
        for key in 5..100 {
            kept.insert(key, vec![0; 1000]);
            assert!(kept.bytes() <= 20_000, "{key}");
        }
        assert!((0..5).all(|key| kept.get(&key).is_some()));
        assert!(kept.get(&5).is_none());
        kept.insert(0, Vec::new());
        assert!(kept.bytes() <= 19_000);
        let mut full = Generations::new(20_000);
        (0..18).for_each(|key| full.insert(key, vec![0; 1000]));
        full.keep();
        (18..100).for_each(|key| {
            full.insert(key, vec![0; 1000]);
            assert!(full.bytes() <= 20_000, "{key}");
        });
        // Of what is too much, what was asked for last stays.
        assert!(full.get(&0).is_none() && full.get(&17).is_some());
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
