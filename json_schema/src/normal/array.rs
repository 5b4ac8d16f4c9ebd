//! Constraints on arrays.

use super::{Constraint, TermId, Terms, Trouble, least};

/// Arrays item by item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArrayShape {
    /// What the first items must be.
    pub(crate) prefix: Vec<TermId>,
    /// What each further item must be.
    pub(crate) items: TermId,
    /// How many items of some kind there must be; each holds.
    pub(crate) contains: Vec<Contains>,
    /// Whether no two items may be equal.
    pub(crate) unique: bool,
    pub(crate) min: u64,
    /// `None`: no bound.
    pub(crate) max: Option<u64>,
}

/// How many of the items from an index on are of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Contains {
    pub(crate) term: TermId,
    /// The index of the first item that counts.
    pub(crate) from: u64,
    pub(crate) min: u64,
    /// `None`: no bound.
    pub(crate) max: Option<u64>,
}

impl ArrayShape {
    /// What the item at this index must be.
    pub(crate) fn item(&self, index: usize) -> TermId {
        self.prefix.get(index).copied().unwrap_or(self.items)
    }

    /// Arrays of which so many items are of a term.
    pub(crate) fn containing(contains: Contains) -> Self {
        Self { contains: vec![contains], ..Self::any() }
    }

    /// Draws the conclusions from items that have no value; `None` if no array is left.
    pub(crate) fn pruned(mut self, is_nothing: impl Fn(TermId) -> bool) -> Option<Self> {
        if let Some(index) = self.prefix.iter().position(|&item| is_nothing(item)) {
            self.prefix.truncate(index);
            self.items = TermId::NOTHING;
        }
        for contains in std::mem::take(&mut self.contains) {
            if contains.term == TermId::NOTHING && contains.min > 0
                || contains.max.is_some_and(|max| max < contains.min)
            {
                return None;
            }
            if contains.term == TermId::ANY {
                // All items count.
                if contains.min > 0 {
                    self.min = self.min.max(contains.from.saturating_add(contains.min));
                }
                let most = contains.max.map(|max| contains.from.saturating_add(max));
                self.max = least(self.max, most);
            } else if contains.min > 0 || contains.max.is_some() && contains.term != TermId::NOTHING
            {
                self.min = self.min.max(match contains.min {
                    0 => 0,
                    min => contains.from.saturating_add(min),
                });
                self.contains.push(contains);
            }
        }
        if is_nothing(self.items) {
            self.items = TermId::NOTHING;
            self.max = least(self.max, Some(self.prefix.len() as u64));
        }
        if let Some(max) = self.max {
            if max < self.min {
                return None;
            }
            if (self.prefix.len() as u64) > max {
                self.prefix.truncate(max as usize);
            }
            if self.prefix.len() as u64 == max {
                self.items = TermId::NOTHING;
            }
        }
        while self.prefix.last() == Some(&self.items) && self.items != TermId::NOTHING {
            self.prefix.pop();
        }
        self.unique &= self.max.is_none_or(|max| max > 1);
        Some(self)
    }
}

impl Constraint for ArrayShape {
    fn any() -> Self {
        Self {
            prefix: Vec::new(),
            items: TermId::ANY,
            contains: Vec::new(),
            unique: false,
            min: 0,
            max: None,
        }
    }

    fn and(&self, other: &Self, terms: &mut Terms) -> Option<Self> {
        let length = self.prefix.len().max(other.prefix.len());
        let prefix =
            (0..length).map(|index| terms.all(&[self.item(index), other.item(index)])).collect();
        let mut contains = self.contains.clone();
        for &more in &other.contains {
            let same = |one: &&mut Contains| (one.term, one.from) == (more.term, more.from);
            match contains.iter_mut().find(same) {
                Some(known) => {
                    known.min = known.min.max(more.min);
                    known.max = least(known.max, more.max);
                }
                None => contains.push(more),
            }
        }
        let both = Self {
            prefix,
            items: terms.all(&[self.items, other.items]),
            contains,
            unique: self.unique || other.unique,
            min: self.min.max(other.min),
            max: least(self.max, other.max),
        };
        both.pruned(|term| term == TermId::NOTHING)
    }

    fn outside(&self, _: &Self, terms: &mut Terms) -> Result<Vec<Self>, Trouble> {
        if self.unique {
            return Err(Trouble::NoComplement("arrays with two equal items"));
        }
        let mut outside = Vec::new();
        if self.min > 0 {
            outside.push(Self { max: Some(self.min - 1), ..Self::any() });
        }
        if let Some(max) = self.max {
            outside.push(Self { min: max.saturating_add(1), ..Self::any() });
        }
        for (index, &item) in self.prefix.iter().enumerate() {
            if item != TermId::ANY {
                let mut prefix = vec![TermId::ANY; index];
                prefix.push(terms.not(item));
                let min = index as u64 + 1;
                outside
                    .extend(Self { prefix, min, ..Self::any() }.pruned(|t| t == TermId::NOTHING));
            }
        }
        let beyond = self.prefix.len() as u64;
        let some = |term, from, min, max| Self::containing(Contains { term, from, min, max });
        match self.items {
            TermId::ANY => {}
            TermId::NOTHING if self.max.is_some_and(|max| max <= beyond) => {}
            items => outside.push(some(terms.not(items), beyond, 1, None)),
        }
        for &Contains { term, from, min, max } in &self.contains {
            if min == 1 {
                let prefix = vec![TermId::ANY; from as usize];
                outside.push(Self { prefix, items: terms.not(term), ..Self::any() });
            } else if min > 1 {
                outside.push(some(term, from, 0, Some(min - 1)));
            }
            if let Some(max) = max {
                outside.push(some(term, from, max.saturating_add(1), None));
            }
        }
        Ok(outside.into_iter().filter_map(|shape| shape.pruned(|t| t == TermId::NOTHING)).collect())
    }

    fn size(&self) -> usize {
        1 + self.prefix.len() + self.contains.len()
    }

    fn covers(&self, other: &Self) -> bool {
        self == other
            || self.prefix.is_empty()
                && self.items == TermId::ANY
                && !self.unique
                && self.contains.iter().all(|one| other.contains.contains(one))
                && self.min <= other.min
                && self.max.is_none_or(|max| other.max.is_some_and(|theirs| theirs <= max))
    }
}
