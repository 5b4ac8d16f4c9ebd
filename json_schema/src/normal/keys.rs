//! Keys of objects: single ones in order of appearance, and all others by what they look like.

use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::{TermId, Terms};
use crate::language::LanguageId;

/// A key, by its number among [`KeyTexts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct KeyId(u32);

/// The keys that have appeared, each once.
#[derive(Debug, Default)]
pub(crate) struct KeyTexts {
    texts: Vec<Arc<str>>,
    /// Keys that a schema may have made to collide are hashed with a secret.
    numbers: HashMap<Arc<str>, KeyId>,
}

impl KeyTexts {
    /// The key of this text.
    pub(crate) fn id(&mut self, text: &str) -> KeyId {
        if let Some(&known) = self.numbers.get(text) {
            return known;
        }
        let id = KeyId(self.texts.len() as u32);
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.numbers.insert(text, id);
        id
    }

    pub(crate) fn text(&self, key: KeyId) -> &Arc<str> {
        &self.texts[key.0 as usize]
    }
}

/// A map over keys in order of appearance.
#[derive(Clone, Debug)]
pub(crate) struct Keys<T> {
    entries: Vec<(KeyId, T)>,
    /// Where each key stands, if they are many.
    places: FxHashMap<KeyId, u32>,
}

/// Among so few keys one is found sooner by comparing than by hashing.
const FEW: usize = 16;

impl<T: PartialEq> PartialEq for Keys<T> {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl<T: Eq> Eq for Keys<T> {}

impl<T> Default for Keys<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), places: FxHashMap::default() }
    }
}

impl<T> Keys<T> {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (KeyId, &T)> {
        self.entries.iter().map(|(key, value)| (*key, value))
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    fn place(&self, key: KeyId) -> Option<usize> {
        if self.entries.len() > FEW {
            return self.places.get(&key).map(|&place| place as usize);
        }
        self.entries.iter().position(|(known, _)| *known == key)
    }

    pub(crate) fn get(&self, key: KeyId) -> Option<&T> {
        self.place(key).map(|place| &self.entries[place].1)
    }

    pub(crate) fn contains(&self, key: KeyId) -> bool {
        self.place(key).is_some()
    }

    /// Adds a key at the end, or replaces its value where it stands.
    pub(crate) fn set(&mut self, key: KeyId, value: T) {
        if let Some(place) = self.place(key) {
            self.entries[place].1 = value;
            return;
        }
        self.entries.push((key, value));
        if self.entries.len() > FEW {
            let new = self.places.len()..self.entries.len();
            self.places.extend(new.map(|place| (self.entries[place].0, place as u32)));
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
    pub(crate) fn value(&self, key: KeyId, terms: &mut Terms) -> TermId {
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
