//! Which keys and items keywords have spoken of: what `unevaluatedProperties` and
//! `unevaluatedItems` leave alone (JSON Schema 2020-12, core, section 11).

use std::collections::BTreeSet;

use super::{ArrayShape, Constraint, KeyId, ObjectShape, Regions, TermId, Terms};
use crate::language::LanguageId;

/// The evaluated keys and items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Evaluated {
    /// These keys.
    pub(crate) keys: BTreeSet<KeyId>,
    /// And those of this language.
    pub(crate) patterns: LanguageId,
    /// So many items from the first one on.
    pub(crate) first_items: u64,
    /// And all others.
    pub(crate) all_items: bool,
    /// And those that are of one of these terms.
    pub(crate) items: Vec<TermId>,
}

impl Default for Evaluated {
    /// None.
    fn default() -> Self {
        Self {
            keys: BTreeSet::new(),
            patterns: LanguageId::NOTHING,
            first_items: 0,
            all_items: false,
            items: Vec::new(),
        }
    }
}

impl Evaluated {
    /// What either has evaluated.
    pub(crate) fn join(&self, other: &Self, terms: &mut Terms) -> Self {
        let mut keys = self.keys.clone();
        keys.extend(&other.keys);
        let mut items = self.items.clone();
        items.extend(other.items.iter().filter(|item| !self.items.contains(item)));
        Self {
            keys,
            patterns: terms.either_key(self.patterns, other.patterns),
            first_items: self.first_items.max(other.first_items),
            all_items: self.all_items || other.all_items,
            items,
        }
        .normalised()
    }

    /// The same with what is said twice said once.
    fn normalised(mut self) -> Self {
        if self.patterns == LanguageId::EVERYTHING {
            self.keys.clear();
        }
        if self.all_items {
            self.first_items = 0;
            self.items.clear();
        }
        self
    }

    /// Objects whose other keys have such values.
    pub(crate) fn other_keys(&self, value: TermId, terms: &mut Terms) -> ObjectShape {
        let mut shape =
            ObjectShape::with_others(Regions::split(self.patterns, TermId::ANY, value, terms));
        for &key in &self.keys {
            shape.properties.set(key, TermId::ANY);
        }
        shape
    }

    /// Arrays whose other items are such.
    pub(crate) fn other_items(&self, value: TermId, terms: &mut Terms) -> ArrayShape {
        if self.all_items {
            return ArrayShape::any();
        }
        let mut items = self.items.clone();
        items.push(value);
        ArrayShape {
            prefix: vec![TermId::ANY; self.first_items as usize],
            items: terms.some(&items),
            ..ArrayShape::any()
        }
    }
}
