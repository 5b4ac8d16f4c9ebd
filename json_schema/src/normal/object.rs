//! Constraints on objects.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Constraint, TermId, Terms, Trouble};

/// Objects key by key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ObjectShape {
    /// What the values of the declared keys must be.
    pub(crate) properties: Keys<TermId>,
    /// Keys that must be there, declared or not, in order of appearance.
    pub(crate) required: Keys<()>,
    /// What the value of each other key must be.
    pub(crate) additional: TermId,
    pub(crate) min: u64,
    /// `None`: no bound.
    pub(crate) max: Option<u64>,
}

/// A map over keys in order of appearance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Keys<T> {
    entries: Vec<(Arc<str>, T)>,
    places: HashMap<Arc<str>, usize>,
}

impl<T> Default for Keys<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), places: HashMap::new() }
    }
}

impl<T> Keys<T> {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &T)> {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    pub(crate) fn get(&self, key: &str) -> Option<&T> {
        self.places.get(key).map(|&place| &self.entries[place].1)
    }

    pub(crate) fn contains(&self, key: &str) -> bool {
        self.places.contains_key(key)
    }

    /// Adds a key at the end, or replaces its value where it stands.
    pub(crate) fn set(&mut self, key: &Arc<str>, value: T) {
        if let Some(&place) = self.places.get(key) {
            self.entries[place].1 = value;
        } else {
            self.places.insert(key.clone(), self.entries.len());
            self.entries.push((key.clone(), value));
        }
    }
}

impl ObjectShape {
    /// What the value of this key must be.
    pub(crate) fn value(&self, key: &str) -> TermId {
        self.properties.get(key).copied().unwrap_or(self.additional)
    }

    /// Draws the conclusions from keys that have no value; `None` if no object is left.
    pub(crate) fn pruned(mut self, is_nothing: impl Fn(TermId) -> bool) -> Option<Self> {
        if is_nothing(self.additional) {
            self.additional = TermId::NOTHING;
        }
        if self.required.iter().any(|(key, ())| is_nothing(self.value(key))) {
            return None;
        }
        self.min = self.min.max(self.required.len() as u64);
        if self.additional == TermId::NOTHING {
            let most = self.properties.iter().filter(|&(_, &value)| !is_nothing(value)).count()
                + self.required.iter().filter(|(key, ())| !self.properties.contains(key)).count();
            let most = most as u64;
            self.max = Some(self.max.map_or(most, |max| max.min(most)));
        }
        if self.max.is_some_and(|max| max < self.min) {
            return None;
        }
        Some(self)
    }
}

impl Constraint for ObjectShape {
    fn any() -> Self {
        Self {
            properties: Keys::default(),
            required: Keys::default(),
            additional: TermId::ANY,
            min: 0,
            max: None,
        }
    }

    fn and(&self, other: &Self, terms: &mut Terms) -> Option<Self> {
        let mut properties = Keys::default();
        for (key, _) in self.properties.iter().chain(other.properties.iter()) {
            if !properties.contains(key) {
                properties.set(key, terms.all(&[self.value(key), other.value(key)]));
            }
        }
        let mut required = self.required.clone();
        for (key, ()) in other.required.iter() {
            required.set(key, ());
        }
        let both = Self {
            properties,
            required,
            additional: terms.all(&[self.additional, other.additional]),
            min: self.min.max(other.min),
            max: match (self.max, other.max) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            },
        };
        both.pruned(|term| term == TermId::NOTHING)
    }

    fn outside(&self, within: &Self, terms: &mut Terms) -> Result<Vec<Self>, Trouble> {
        let mut outside = Vec::new();
        for (key, ()) in self.required.iter() {
            // Without the key or with another value, in one: the key is optional.
            let mut shape = Self::any();
            shape.properties.set(key, terms.not(self.value(key)));
            outside.push(shape);
        }
        for (key, &value) in self.properties.iter() {
            let value = terms.not(value);
            if value != TermId::NOTHING && !self.required.contains(key) {
                let mut shape = Self::any();
                shape.properties.set(key, value);
                shape.required.set(key, ());
                outside.push(shape);
            }
        }
        let required = self.required.len() as u64;
        if self.min > required {
            outside.push(Self { max: Some(self.min - 1), ..Self::any() });
        }
        if self.additional != TermId::ANY {
            if within.additional != TermId::NOTHING {
                return Err(Trouble::NoComplement("objects with some other key"));
            }
            // Only the keys that are possible at all can be the other key.
            let value = terms.not(self.additional);
            let keys = within.properties.iter().map(|(key, _)| key);
            for key in keys.filter(|key| !self.properties.contains(key)) {
                let mut shape = Self::any();
                shape.properties.set(key, value);
                shape.required.set(key, ());
                outside.push(shape);
            }
        }
        if let Some(max) = self.max {
            outside.push(Self { min: max.saturating_add(1), ..Self::any() });
        }
        Ok(outside)
    }

    fn covers(&self, other: &Self) -> bool {
        self == other
            || self.additional == TermId::ANY
                && self.min <= other.min
                && self.max.is_none_or(|max| other.max.is_some_and(|theirs| theirs <= max))
                && self.required.iter().all(|(key, ())| other.required.contains(key))
                && self
                    .properties
                    .iter()
                    .all(|(key, &value)| value == TermId::ANY || value == other.value(key))
    }
}
