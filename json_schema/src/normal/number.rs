//! Sets of numbers: intervals, compared by value.

use super::{Constraint, Terms, Trouble};
use crate::decimal::Decimal;

/// The numbers of an interval, perhaps only the integers or only the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NumberSet {
    /// `None`: no bound.
    pub(crate) low: Option<Bound>,
    /// `None`: no bound.
    pub(crate) high: Option<Bound>,
    pub(crate) fraction: Fraction,
}

/// One end of an interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bound {
    pub(crate) value: Decimal,
    pub(crate) inclusive: bool,
}

/// Which numbers by their fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fraction {
    /// Integers and others.
    Any,
    /// Integers.
    Without,
    /// All but integers.
    With,
}

impl NumberSet {
    /// The integers.
    pub(crate) fn integers() -> Self {
        Self { low: None, high: None, fraction: Fraction::Without }
    }

    /// The one number.
    pub(crate) fn point(value: Decimal) -> Self {
        let bound = Bound { value, inclusive: true };
        Self { low: Some(bound.clone()), high: Some(bound), fraction: Fraction::Any }
    }

    /// All from this bound on.
    pub(crate) fn from(bound: Bound) -> Self {
        Self { low: Some(bound), high: None, fraction: Fraction::Any }
    }

    /// All up to this bound.
    pub(crate) fn up_to(bound: Bound) -> Self {
        Self { low: None, high: Some(bound), fraction: Fraction::Any }
    }

    /// Whether it has no member at all.
    fn is_empty(&self) -> bool {
        let (Some(low), Some(high)) = (&self.low, &self.high) else { return false };
        match low.value.cmp(&high.value) {
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Greater => true,
            std::cmp::Ordering::Equal => {
                !(low.inclusive && high.inclusive)
                    || match self.fraction {
                        Fraction::Any => false,
                        Fraction::Without => !low.value.is_integer(),
                        Fraction::With => low.value.is_integer(),
                    }
            }
        }
    }
}

impl Bound {
    /// The bound of what lies on the other side.
    fn flipped(&self) -> Self {
        Self { value: self.value.clone(), inclusive: !self.inclusive }
    }
}

/// The tighter of two lower bounds (or of two upper ones, if `greatest` is false).
fn tighter(left: Option<&Bound>, right: Option<&Bound>, greatest: bool) -> Option<Bound> {
    let (Some(a), Some(b)) = (left, right) else { return left.or(right).cloned() };
    let order = a.value.cmp(&b.value);
    let order = if greatest { order } else { order.reverse() };
    // Of two equal values the exclusive bound is the tighter one.
    let a_wins = order.then(b.inclusive.cmp(&a.inclusive)).is_ge();
    Some(if a_wins { a.clone() } else { b.clone() })
}

impl Constraint for NumberSet {
    fn any() -> Self {
        Self { low: None, high: None, fraction: Fraction::Any }
    }

    fn and(&self, other: &Self, _: &mut Terms) -> Option<Self> {
        let fraction = match (self.fraction, other.fraction) {
            (a, b) if a == b => a,
            (Fraction::Any, one) | (one, Fraction::Any) => one,
            _ => return None,
        };
        let both = Self {
            low: tighter(self.low.as_ref(), other.low.as_ref(), true),
            high: tighter(self.high.as_ref(), other.high.as_ref(), false),
            fraction,
        };
        (!both.is_empty()).then_some(both)
    }

    fn outside(&self, _: &Self, _: &mut Terms) -> Result<Vec<Self>, Trouble> {
        let mut outside = Vec::new();
        if let Some(low) = &self.low {
            outside.push(Self::up_to(low.flipped()));
        }
        if let Some(high) = &self.high {
            outside.push(Self::from(high.flipped()));
        }
        match self.fraction {
            Fraction::Any => {}
            Fraction::Without => outside.push(Self { fraction: Fraction::With, ..self.clone() }),
            Fraction::With => outside.push(Self { fraction: Fraction::Without, ..self.clone() }),
        }
        Ok(outside)
    }

    fn covers(&self, other: &Self) -> bool {
        (self.fraction == Fraction::Any || self.fraction == other.fraction)
            && tighter(self.low.as_ref(), other.low.as_ref(), true) == other.low
            && tighter(self.high.as_ref(), other.high.as_ref(), false) == other.high
    }
}
