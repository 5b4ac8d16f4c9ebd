//! Sets of numbers: intervals and multiples, compared by value.

use std::cmp::Ordering;

use super::{Constraint, Step, Terms, Trouble};
use crate::decimal::Decimal;

/// The numbers of an interval, perhaps only the integers or only the others, that are multiples of
/// some steps and not of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NumberSet {
    /// `None`: no bound.
    pub(crate) low: Option<Bound>,
    /// `None`: no bound.
    pub(crate) high: Option<Bound>,
    pub(crate) fraction: Fraction,
    /// Each member is a multiple of all of these: of one, but for steps with too many digits.
    pub(crate) multiples: Vec<Step>,
    /// No member is a multiple of any of these.
    pub(crate) indivisible: Vec<Step>,
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
        Self { fraction: Fraction::Without, ..Self::any() }
    }

    /// The multiples of a step.
    pub(crate) fn multiples(step: Step) -> Self {
        Self { multiples: vec![step], ..Self::any() }
    }

    /// The one number.
    pub(crate) fn point(value: Decimal) -> Self {
        let bound = Bound { value, inclusive: true };
        Self { low: Some(bound.clone()), high: Some(bound), ..Self::any() }
    }

    /// All from this bound on.
    pub(crate) fn from(bound: Bound) -> Self {
        Self { low: Some(bound), ..Self::any() }
    }

    /// All up to this bound.
    pub(crate) fn up_to(bound: Bound) -> Self {
        Self { high: Some(bound), ..Self::any() }
    }

    /// The one number that the bounds leave.
    fn only(&self) -> Option<&Decimal> {
        let (low, high) = (self.low.as_ref()?, self.high.as_ref()?);
        (low.value == high.value).then_some(&low.value)
    }

    /// Whether all its numbers are less than all of the other.
    fn is_below(&self, other: &Self) -> bool {
        let (Some(high), Some(low)) = (&self.high, &other.low) else { return false };
        match high.value.cmp(&low.value) {
            Ordering::Less => true,
            Ordering::Equal => !(high.inclusive && low.inclusive),
            Ordering::Greater => false,
        }
    }

    /// Leaves out what follows from the rest; `None` if evidently no number is left.
    fn simplified(mut self) -> Option<Self> {
        if self.is_below(&self) {
            return None;
        }
        if let Some(value) = self.only() {
            let fits = match self.fraction {
                Fraction::Any => true,
                Fraction::Without => value.is_integer(),
                Fraction::With => !value.is_integer(),
            };
            let divided = self.multiples.iter().all(|step| step.divides(value))
                && !self.indivisible.iter().any(|step| step.divides(value));
            self.multiples.clear();
            self.indivisible.clear();
            return (fits && divided).then_some(self);
        }
        match self.fraction {
            Fraction::Any => {}
            Fraction::Without => self.multiples.retain(|step| !step.covers(Step::ONE)),
            Fraction::With => self.indivisible.retain(|step| !Step::ONE.covers(*step)),
        }
        let mut multiples: Vec<Step> = Vec::new();
        for &step in &self.multiples {
            let merged = multiples.iter_mut().find_map(|known| Some((known.common(step)?, known)));
            match merged {
                Some((common, known)) => *known = common,
                None => multiples.push(step),
            }
        }
        self.multiples = multiples;
        let integers = (self.fraction == Fraction::Without).then_some(Step::ONE);
        let known = || self.multiples.iter().copied().chain(integers);
        let all = |step: &Step| known().any(|multiple| step.covers(multiple));
        // What is a multiple of one step, is it of another one as well.
        let within = |step: Step| known().try_fold(step, Step::common).unwrap_or(step);
        let mut indivisible: Vec<Step> = Vec::new();
        for &step in &self.indivisible {
            if !indivisible.iter().any(|known| known.covers(within(step))) {
                indivisible.retain(|known| !step.covers(within(*known)));
                indivisible.push(step);
            }
        }
        let none = self.fraction == Fraction::With
            && self.multiples.iter().any(|step| Step::ONE.covers(*step));
        let nothing = none || indivisible.iter().any(all);
        self.indivisible = indivisible;
        (!nothing).then_some(self)
    }
}

impl Bound {
    /// The bound of what lies on the other side.
    fn flipped(&self) -> Self {
        Self { value: self.value.clone(), inclusive: !self.inclusive }
    }
}

/// How two lower bounds (or two upper ones, if `greatest` is false) are ordered by tightness.
fn tightness(a: &Bound, b: &Bound, greatest: bool) -> Ordering {
    let order = a.value.cmp(&b.value);
    let order = if greatest { order } else { order.reverse() };
    // Of two equal values the exclusive bound is the tighter one.
    order.then(b.inclusive.cmp(&a.inclusive))
}

/// The tighter one of two lower or upper bounds.
fn tighter(left: Option<&Bound>, right: Option<&Bound>, greatest: bool) -> Option<Bound> {
    let (Some(a), Some(b)) = (left, right) else { return left.or(right).cloned() };
    Some(if tightness(a, b, greatest).is_ge() { a.clone() } else { b.clone() })
}

/// Whether the first of two lower or upper bounds leaves out nothing that the second one leaves.
fn is_looser(left: Option<&Bound>, right: Option<&Bound>, greatest: bool) -> bool {
    let Some(a) = left else { return true };
    right.is_some_and(|b| tightness(a, b, greatest).is_le())
}

impl Constraint for NumberSet {
    fn any() -> Self {
        Self {
            low: None,
            high: None,
            fraction: Fraction::Any,
            multiples: Vec::new(),
            indivisible: Vec::new(),
        }
    }

    fn and(&self, other: &Self, _: &mut Terms) -> Option<Self> {
        let fraction = match (self.fraction, other.fraction) {
            (a, b) if a == b => a,
            (Fraction::Any, one) | (one, Fraction::Any) => one,
            _ => return None,
        };
        if self.is_below(other) || other.is_below(self) {
            return None;
        }
        let both = Self {
            low: tighter(self.low.as_ref(), other.low.as_ref(), true),
            high: tighter(self.high.as_ref(), other.high.as_ref(), false),
            fraction,
            multiples: united(&self.multiples, &other.multiples),
            indivisible: united(&self.indivisible, &other.indivisible),
        };
        both.simplified()
    }

    fn outside(&self, _: &Self, _: &mut Terms) -> Result<Vec<Self>, Trouble> {
        let mut outside = Vec::new();
        if let Some(low) = &self.low {
            outside.push(Self::up_to(low.flipped()));
        }
        if let Some(high) = &self.high {
            outside.push(Self::from(high.flipped()));
        }
        let within = Self { low: self.low.clone(), high: self.high.clone(), ..Self::any() };
        match self.fraction {
            Fraction::Any => {}
            Fraction::Without => outside.push(Self { fraction: Fraction::With, ..within.clone() }),
            Fraction::With => outside.push(Self { fraction: Fraction::Without, ..within.clone() }),
        }
        let mut rest = Self { fraction: self.fraction, ..within };
        for &step in &self.multiples {
            let indivisible = united(&rest.indivisible, &[step]);
            outside.extend(Self { indivisible, ..rest.clone() }.simplified());
            rest.multiples.push(step);
        }
        for &step in &self.indivisible {
            let multiples = united(&rest.multiples, &[step]);
            outside.extend(Self { multiples, ..rest.clone() }.simplified());
            rest.indivisible.push(step);
        }
        Ok(outside)
    }

    fn size(&self) -> usize {
        1 + self.multiples.len() + self.indivisible.len()
    }

    fn covers(&self, other: &Self) -> bool {
        (self.fraction == Fraction::Any || self.fraction == other.fraction)
            && is_looser(self.high.as_ref(), other.high.as_ref(), false)
            && is_looser(self.low.as_ref(), other.low.as_ref(), true)
            && self.multiples.iter().all(|step| other.multiples.iter().any(|o| step.covers(*o)))
            && self.indivisible.iter().all(|step| other.indivisible.iter().any(|o| o.covers(*step)))
    }
}

fn united(left: &[Step], right: &[Step]) -> Vec<Step> {
    left.iter().chain(right.iter().filter(|step| !left.contains(step))).copied().collect()
}
