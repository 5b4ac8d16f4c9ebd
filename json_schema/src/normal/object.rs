//! Constraints on objects.

use super::{Constraint, KeyId, Keys, Regions, TermId, Terms, Trouble, least};
use crate::language::LanguageId;

/// Objects key by key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ObjectShape {
    /// What the values of the declared keys must be.
    pub(crate) properties: Keys<TermId>,
    /// Keys that must be there, declared or not, in order of appearance.
    pub(crate) required: Keys<()>,
    /// What the value of each other key must be.
    pub(crate) others: Regions,
    /// Members that there must be, one by one; one member may be several of them.
    pub(crate) witnesses: Vec<Witness>,
    pub(crate) min: u64,
    /// `None`: no bound.
    pub(crate) max: Option<u64>,
}

/// Some member: its key, declared or not, is one of the language, its value is of the term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Witness {
    pub(crate) keys: LanguageId,
    pub(crate) value: TermId,
}

impl ObjectShape {
    /// Objects whose undeclared keys are as said.
    pub(crate) fn with_others(others: Regions) -> Self {
        Self { others, ..Self::any() }
    }

    /// Objects with this key and such a value.
    fn with(key: KeyId, value: TermId) -> Self {
        let mut shape = Self::any();
        shape.properties.set(key, value);
        shape.required.set(key, ());
        shape
    }

    /// What the value of this key must be.
    pub(crate) fn value(&self, key: KeyId, terms: &mut Terms) -> TermId {
        match self.properties.get(key) {
            Some(&value) => value,
            None => self.others.value(key, terms),
        }
    }

    /// The keys of a language that are neither declared nor required.
    pub(crate) fn undeclared(&self, keys: LanguageId, terms: &mut Terms) -> LanguageId {
        let properties = self.properties.iter().map(|(key, _)| key);
        let required = self.required.iter().map(|(key, ())| key);
        let known: Vec<KeyId> = properties.chain(required).collect();
        terms.keys_without(keys, &known)
    }

    /// Draws the conclusions from keys that have no value; `None` if no object is left.
    pub(crate) fn pruned(
        mut self,
        terms: &mut Terms,
        is_nothing: impl Fn(TermId) -> bool,
    ) -> Option<Self> {
        (self.min, self.max) = self.bounds(terms, &is_nothing)?;
        self.others =
            self.others.map(|value| if is_nothing(value) { TermId::NOTHING } else { value });
        Some(self)
    }

    /// How many members there are, given which terms have no value; `None` if no object is left.
    pub(crate) fn bounds(
        &self,
        terms: &mut Terms,
        is_nothing: impl Fn(TermId) -> bool,
    ) -> Option<(u64, Option<u64>)> {
        for (key, ()) in self.required.iter() {
            if is_nothing(self.value(key, terms)) {
                return None;
            }
        }
        if self.witnesses.iter().any(|witness| is_nothing(witness.value)) {
            return None;
        }
        let needed = self.required.len().max(usize::from(!self.witnesses.is_empty()));
        let min = self.min.max(needed as u64);
        let mut max = self.max;
        if self.others.iter().all(|region| is_nothing(region.value)) {
            let most = self.properties.iter().filter(|&(_, &value)| !is_nothing(value)).count();
            max = least(max, Some(most as u64));
        }
        max.is_none_or(|max| min <= max).then_some((min, max))
    }

    /// Whether there are no keys but the declared ones.
    pub(crate) fn is_closed(&self) -> bool {
        self.others.iter().all(|region| region.value == TermId::NOTHING)
    }
}

impl Constraint for ObjectShape {
    fn any() -> Self {
        Self {
            properties: Keys::default(),
            required: Keys::default(),
            others: Regions::all(TermId::ANY),
            witnesses: Vec::new(),
            min: 0,
            max: None,
        }
    }

    fn is_any(&self) -> bool {
        let Self { properties, required, others, witnesses, min: 0, max: None } = self else {
            return false;
        };
        let is_free = properties.len() == 0 && required.len() == 0 && witnesses.is_empty();
        is_free && others.only() == Some(TermId::ANY)
    }

    fn and(&self, other: &Self, terms: &mut Terms) -> Option<Self> {
        let mut properties = Keys::default();
        for (key, _) in self.properties.iter().chain(other.properties.iter()) {
            if !properties.contains(key) {
                let values = [self.value(key, terms), other.value(key, terms)];
                let value = terms.all(&values);
                let is_required = || self.required.contains(key) || other.required.contains(key);
                // The end says so too, but what tells alternatives apart mostly comes first.
                if value == TermId::NOTHING && is_required() {
                    return None;
                }
                properties.set(key, value);
            }
        }
        let mut required = self.required.clone();
        for (key, ()) in other.required.iter() {
            required.set(key, ());
        }
        let mut witnesses = self.witnesses.clone();
        witnesses.extend(other.witnesses.iter().filter(|one| !self.witnesses.contains(one)));
        let both = Self {
            properties,
            required,
            others: self.others.and(&other.others, terms),
            witnesses,
            min: self.min.max(other.min),
            max: least(self.max, other.max),
        };
        both.pruned(terms, |term| term == TermId::NOTHING)
    }

    fn outside(&self, within: &Self, terms: &mut Terms) -> Result<Vec<Self>, Trouble> {
        let mut outside = Vec::new();
        for (key, ()) in self.required.iter() {
            // Without the key or with another value, in one: the key is optional.
            let value = self.value(key, terms);
            let mut shape = Self::any();
            shape.properties.set(key, terms.not(value));
            outside.push(shape);
        }
        for (key, &value) in self.properties.iter() {
            let value = terms.not(value);
            if value != TermId::NOTHING && !self.required.contains(key) {
                outside.push(Self::with(key, value));
            }
        }
        if self.min > self.required.len() as u64 {
            outside.push(Self { max: Some(self.min - 1), ..Self::any() });
        }
        for region in self.others.iter().filter(|region| region.value != TermId::ANY) {
            let value = terms.not(region.value);
            if within.is_closed() {
                // Only the keys that are possible at all can be the other key.
                for (key, _) in within.properties.iter() {
                    if !self.properties.contains(key) && terms.is_key(region.keys, key) {
                        outside.push(Self::with(key, value));
                    }
                }
                continue;
            }
            let declared: Vec<KeyId> = self.properties.iter().map(|(key, _)| key).collect();
            let keys = terms.keys_without(region.keys, &declared);
            if terms.has_keys(keys) {
                outside.push(Self { witnesses: vec![Witness { keys, value }], ..Self::any() });
            }
        }
        for witness in &self.witnesses {
            let value = terms.not(witness.value);
            let others = Regions::split(witness.keys, value, TermId::ANY, terms);
            outside.push(Self::with_others(others));
        }
        if let Some(max) = self.max {
            outside.push(Self { min: max.saturating_add(1), ..Self::any() });
        }
        Ok(outside)
    }

    fn size(&self) -> usize {
        let keys = self.properties.len() + self.required.len();
        1 + keys + self.others.len() + self.witnesses.len()
    }

    fn covers(&self, other: &Self) -> bool {
        self == other
            || self.others.only() == Some(TermId::ANY)
                && self.witnesses.iter().all(|witness| other.witnesses.contains(witness))
                && self.min <= other.min
                && self.max.is_none_or(|max| other.max.is_some_and(|theirs| theirs <= max))
                && self.required.iter().all(|(key, ())| other.required.contains(key))
                && self.properties.iter().all(|(key, &value)| {
                    value == TermId::ANY || other.properties.get(key) == Some(&value)
                })
    }
}
