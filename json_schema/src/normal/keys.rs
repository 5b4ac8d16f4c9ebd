//! Keys of objects: single ones in order of appearance, and all others by what they look like.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::{TermId, Terms};
use crate::language::LanguageId;

/// A map over keys in order of appearance.
#[derive(Clone, Debug)]
pub(crate) struct Keys<T> {
    entries: Vec<(Arc<str>, T)>,
    /// Where each key stands, if they are many.
    places: FxHashMap<Arc<str>, usize>,
}

/// Among so few keys one is found sooner by comparing than by hashing.
const FEW: usize = 8;

impl<T: PartialEq> PartialEq for Keys<T> {
    fn eq(&self, other: &Self) -> bool {
        // Values are compared sooner than keys, and mostly tell.
        let both = || self.entries.iter().zip(&other.entries);
        self.len() == other.len()
            && both().all(|((_, one), (_, other))| one == other)
            && both().all(|((one, _), (other, _))| one == other)
    }
}

impl<T: Eq> Eq for Keys<T> {}

impl<T> Default for Keys<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), places: FxHashMap::default() }
    }
}

impl<T> Keys<T> {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &T)> {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    fn place(&self, key: &str) -> Option<usize> {
        if self.entries.len() > FEW {
            return self.places.get(key).copied();
        }
        self.entries.iter().position(|(known, _)| **known == *key)
    }

    pub(crate) fn get(&self, key: &str) -> Option<&T> {
        self.place(key).map(|place| &self.entries[place].1)
    }

    pub(crate) fn contains(&self, key: &str) -> bool {
        self.place(key).is_some()
    }

    /// Adds a key at the end, or replaces its value where it stands.
    pub(crate) fn set(&mut self, key: &Arc<str>, value: T) {
        if let Some(place) = self.place(key) {
            self.entries[place].1 = value;
            return;
        }
        self.entries.push((key.clone(), value));
        if self.entries.len() > FEW {
            let new = self.places.len()..self.entries.len();
            self.places.extend(new.map(|place| (self.entries[place].0.clone(), place)));
        }
    }
}

/// What the value of a key must be, by what the key looks like: a partition of all keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Regions {
    parts: SmallVec<[Region; 1]>,
}

/// The keys of a language, and what their values must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) keys: LanguageId,
    pub(crate) value: TermId,
}

impl Regions {
    /// All keys alike.
    pub(crate) fn all(value: TermId) -> Self {
        Self { parts: smallvec![Region { keys: LanguageId::EVERYTHING, value }] }
    }

    /// These keys, and all others.
    pub(crate) fn split(
        keys: LanguageId,
        value: TermId,
        otherwise: TermId,
        terms: &mut Terms,
    ) -> Self {
        let rest = terms.other_keys(keys);
        let mut regions = Self { parts: SmallVec::new() };
        for (keys, value) in [(keys, value), (rest, otherwise)] {
            if terms.has_keys(keys) {
                regions.add(Region { keys, value }, terms);
            }
        }
        regions.simplified()
    }

    /// One part alone has all keys.
    fn simplified(mut self) -> Self {
        if let [only] = &mut self.parts[..] {
            only.keys = LanguageId::EVERYTHING;
        }
        self
    }

    /// The parts, in order of appearance.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Region> {
        self.parts.iter()
    }

    pub(crate) fn len(&self) -> usize {
        self.parts.len()
    }

    /// What all keys have in common, if all have the same.
    pub(crate) fn only(&self) -> Option<TermId> {
        match self.parts[..] {
            [Region { keys: LanguageId::EVERYTHING, value }] => Some(value),
            _ => None,
        }
    }

    /// What the value of this key must be.
    pub(crate) fn value(&self, key: &str, terms: &mut Terms) -> TermId {
        if let [Region { value, .. }] = self.parts[..] {
            return value;
        }
        let found = self.parts.iter().find(|region| terms.is_key(region.keys, key));
        found.map_or(TermId::NOTHING, |region| region.value)
    }

    /// Both.
    pub(crate) fn and(&self, other: &Self, terms: &mut Terms) -> Self {
        if let Some(value) = other.only() {
            return self.map(|mine| terms.all(&[mine, value]));
        }
        if let Some(value) = self.only() {
            return other.map(|theirs| terms.all(&[value, theirs]));
        }
        let mut both = Self { parts: SmallVec::new() };
        for a in &self.parts {
            for b in &other.parts {
                // The schema is refused then: the parts would only become more.
                if terms.patterns_too_large {
                    return self.clone();
                }
                let value = terms.all(&[a.value, b.value]);
                let keys = terms.common_keys(a.keys, b.keys);
                if terms.has_keys(keys) {
                    both.add(Region { keys, value }, terms);
                }
            }
        }
        both.simplified()
    }

    /// The same keys with other values.
    pub(crate) fn map(&self, mut value: impl FnMut(TermId) -> TermId) -> Self {
        let parts = self.parts.iter();
        Self { parts: parts.map(|one| Region { value: value(one.value), ..*one }).collect() }
    }

    /// Adds keys that no part has yet; to the part with the same value, if there is one.
    fn add(&mut self, region: Region, terms: &mut Terms) {
        match self.parts.iter_mut().find(|known| known.value == region.value) {
            Some(known) => known.keys = terms.either_key(known.keys, region.keys),
            None => self.parts.push(region),
        }
    }
}
