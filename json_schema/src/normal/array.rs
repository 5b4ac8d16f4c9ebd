//! Constraints on arrays.

use super::{Constraint, TermId, Terms, Trouble};

/// Arrays item by item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArrayShape {
    /// What the first items must be.
    pub(crate) prefix: Vec<TermId>,
    /// What each further item must be.
    pub(crate) items: TermId,
    pub(crate) min: u64,
    /// `None`: no bound.
    pub(crate) max: Option<u64>,
}

/// An item "somewhere" is split over its places up to this many.
const MOST_SPLITS: u64 = 32;

impl ArrayShape {
    /// What the item at this index must be.
    pub(crate) fn item(&self, index: usize) -> TermId {
        self.prefix.get(index).copied().unwrap_or(self.items)
    }

    /// Draws the conclusions from items that have no value; `None` if no array is left.
    pub(crate) fn pruned(mut self, is_nothing: impl Fn(TermId) -> bool) -> Option<Self> {
        if let Some(index) = self.prefix.iter().position(|&item| is_nothing(item)) {
            self.prefix.truncate(index);
            self.items = TermId::NOTHING;
        }
        if is_nothing(self.items) {
            self.items = TermId::NOTHING;
            let length = self.prefix.len() as u64;
            self.max = Some(self.max.map_or(length, |max| max.min(length)));
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
        Some(self)
    }
}

impl Constraint for ArrayShape {
    fn any() -> Self {
        Self { prefix: Vec::new(), items: TermId::ANY, min: 0, max: None }
    }

    fn and(&self, other: &Self, terms: &mut Terms) -> Option<Self> {
        let length = self.prefix.len().max(other.prefix.len());
        let prefix =
            (0..length).map(|index| terms.all(&[self.item(index), other.item(index)])).collect();
        let max = match (self.max, other.max) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let both = Self {
            prefix,
            items: terms.all(&[self.items, other.items]),
            min: self.min.max(other.min),
            max,
        };
        both.pruned(|term| term == TermId::NOTHING)
    }

    fn outside(&self, within: &Self, terms: &mut Terms) -> Result<Vec<Self>, Trouble> {
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
        if self.items == TermId::NOTHING {
            if self.max.is_none_or(|max| max > beyond) {
                outside.push(Self { min: beyond + 1, ..Self::any() });
            }
        } else if self.items != TermId::ANY {
            let most = within.max.filter(|max| max.saturating_sub(beyond) <= MOST_SPLITS);
            if let Some(most) = most {
                let item = terms.not(self.items);
                for index in beyond..most {
                    let mut prefix = vec![TermId::ANY; index as usize];
                    prefix.push(item);
                    outside.push(Self { prefix, min: index + 1, ..Self::any() });
                }
                return Ok(outside);
            }
            return Err(Trouble::NoComplement("arrays with some item that is not of the schema"));
        }
        Ok(outside)
    }

    fn covers(&self, other: &Self) -> bool {
        self == other
            || self.prefix.is_empty()
                && self.items == TermId::ANY
                && self.min <= other.min
                && self.max.is_none_or(|max| other.max.is_some_and(|theirs| theirs <= max))
    }
}
