//! The normal form of a schema: for each JSON type a union of constraints.
//!
//! The form is closed under [and](Normal::and) and [or](Normal::join), and under
//! [and not](Normal::minus) wherever one type's constraint is. What an array's item or a property must
//! be is a [`TermId`], brought into normal form only when somebody looks at it; that is how
//! recursion ends.

mod array;
mod evaluated;
mod keys;
mod number;
mod object;
mod step;
mod string;
mod term;

use std::collections::BTreeSet;

use crate::error::SchemaError;
use crate::options::Limits;

pub(crate) use array::{ArrayShape, Contains};
pub(crate) use evaluated::Evaluated;
pub(crate) use keys::{KeyId, KeyTexts, Keys, Regions};
pub(crate) use number::{Bound, Fraction, NumberSet};
pub(crate) use object::{ObjectShape, Witness};
pub(crate) use step::Step;
pub(crate) use string::StringSet;
pub(crate) use term::{MAX_STATES, Term, TermId, Terms};

/// A union over the types; the default is the empty one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Normal {
    /// Whether `null` is in it.
    pub(crate) null: bool,
    /// Whether `false` and `true` are in it.
    pub(crate) booleans: [bool; 2],
    pub(crate) numbers: Vec<NumberSet>,
    pub(crate) strings: Vec<StringSet>,
    pub(crate) arrays: Vec<ArrayShape>,
    pub(crate) objects: Vec<ObjectShape>,
    /// Keywords that were dropped on the way here, as numbers of refusals: if there are any, the
    /// real constraint may be tighter.
    pub(crate) refused: BTreeSet<usize>,
}

/// What there would be too many of in a combination of two normal forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TooMany {
    /// Members of the union.
    Alternatives,
    /// Steps that the whole translation has taken.
    Steps,
}

/// Why one normal form without another is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    TooMany(TooMany),
    /// The complement has no normal form.
    NoComplement(&'static str),
}

impl TooMany {
    pub(crate) fn error(self, pointer: impl Into<String>, limits: &Limits) -> SchemaError {
        let (name, limit) = match self {
            Self::Alternatives => ("alternatives", limits.alternatives),
            Self::Steps => ("steps of combining constraints", limits.steps),
        };
        SchemaError::limit(pointer, name, limit)
    }
}

impl From<TooMany> for Trouble {
    fn from(what: TooMany) -> Self {
        Self::TooMany(what)
    }
}

/// A constraint on the values of one type.
pub(crate) trait Constraint: Clone + PartialEq + Sized {
    /// Everything of this type.
    fn any() -> Self;

    /// Whether it is [`Constraint::any`].
    fn is_any(&self) -> bool {
        *self == Self::any()
    }

    /// What satisfies both; `None` if nothing evidently does.
    fn and(&self, other: &Self, terms: &mut Terms) -> Option<Self>;

    /// A union whose intersection with `within` is what satisfies `within` but not `self`.
    fn outside(&self, within: &Self, terms: &mut Terms) -> Result<Vec<Self>, Trouble>;

    /// Whether everything in `other` evidently is in this too.
    fn covers(&self, other: &Self) -> bool;

    /// How many parts there are to look at, one at least.
    fn size(&self) -> usize;
}

impl Normal {
    /// Every value.
    pub(crate) fn any() -> Self {
        Self {
            null: true,
            booleans: [true; 2],
            numbers: vec![NumberSet::any()],
            strings: vec![StringSet::any()],
            arrays: vec![ArrayShape::any()],
            objects: vec![ObjectShape::any()],
            refused: BTreeSet::new(),
        }
    }

    /// No value.
    pub(crate) fn nothing() -> Self {
        Self::default()
    }

    /// Whether it is evidently empty; it may still turn out to be.
    pub(crate) fn is_nothing(&self) -> bool {
        let scalars = self.null || self.booleans != [false; 2] || !self.numbers.is_empty();
        !scalars && self.strings.is_empty() && self.arrays.is_empty() && self.objects.is_empty()
    }

    pub(crate) fn is_any(&self) -> bool {
        self.null
            && self.booleans == [true; 2]
            && is_any(&self.numbers)
            && is_any(&self.strings)
            && is_any(&self.arrays)
            && is_any(&self.objects)
    }

    /// How many parts there are to look at.
    pub(crate) fn size(&self) -> usize {
        fn total<C: Constraint>(union: &[C]) -> usize {
            union.iter().map(C::size).sum()
        }
        let scalars = total(&self.numbers) + total(&self.strings);
        scalars + total(&self.arrays) + total(&self.objects)
    }

    /// What is in both.
    pub(crate) fn and(
        &self,
        other: &Self,
        terms: &mut Terms,
        limit: usize,
    ) -> Result<Self, TooMany> {
        Ok(Self {
            null: self.null && other.null,
            booleans: std::array::from_fn(|i| self.booleans[i] && other.booleans[i]),
            numbers: meet(&self.numbers, &other.numbers, terms, limit)?,
            strings: meet(&self.strings, &other.strings, terms, limit)?,
            arrays: meet(&self.arrays, &other.arrays, terms, limit)?,
            objects: meet(&self.objects, &other.objects, terms, limit)?,
            refused: &self.refused | &other.refused,
        })
    }

    /// Takes in what is in the other.
    pub(crate) fn join(&mut self, other: Self) {
        self.null |= other.null;
        for (mine, theirs) in self.booleans.iter_mut().zip(other.booleans) {
            *mine |= theirs;
        }
        insert_all(&mut self.numbers, other.numbers);
        insert_all(&mut self.strings, other.strings);
        insert_all(&mut self.arrays, other.arrays);
        insert_all(&mut self.objects, other.objects);
        self.refused.extend(other.refused);
    }

    /// What is in it and not in the other.
    pub(crate) fn minus(
        &self,
        other: &Self,
        terms: &mut Terms,
        limit: usize,
    ) -> Result<Self, Trouble> {
        if !other.refused.is_empty() {
            return Err(Trouble::NoComplement("something inside is not enforced"));
        }
        Ok(Self {
            null: self.null && !other.null,
            booleans: std::array::from_fn(|i| self.booleans[i] && !other.booleans[i]),
            numbers: difference(&self.numbers, &other.numbers, terms, limit)?,
            strings: difference(&self.strings, &other.strings, terms, limit)?,
            arrays: difference(&self.arrays, &other.arrays, terms, limit)?,
            objects: difference(&self.objects, &other.objects, terms, limit)?,
            refused: self.refused.clone(),
        })
    }
}

/// The lesser of two upper bounds.
pub(crate) fn least(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Whether a union is everything of its type.
pub(crate) fn is_any<C: Constraint>(union: &[C]) -> bool {
    matches!(union, [only] if only.is_any())
}

/// Leaves of a union what satisfies a constraint, if anything does.
pub(crate) fn restrict<C: Constraint>(
    union: &mut Vec<C>,
    to: Option<C>,
    terms: &mut Terms,
    limit: usize,
) -> Result<(), TooMany> {
    match to {
        None => union.clear(),
        Some(one) if one.is_any() => {}
        Some(one) => *union = meet(union, &[one], terms, limit)?,
    }
    Ok(())
}

/// The pairwise conjunction of two unions.
fn meet<C: Constraint>(
    left: &[C],
    right: &[C],
    terms: &mut Terms,
    limit: usize,
) -> Result<Vec<C>, TooMany> {
    if is_any(left) {
        return Ok(right.to_vec());
    }
    if is_any(right) {
        return Ok(left.to_vec());
    }
    if left.len().saturating_mul(right.len()) > MAX_PAIRS {
        return Err(TooMany::Alternatives);
    }
    let mut both = Vec::new();
    for a in left {
        for b in right {
            if !terms.spend(a.size() + b.size()) {
                return Err(TooMany::Steps);
            }
            if let Some(one) = a.and(b, terms) {
                insert(&mut both, one);
                if both.len() > limit {
                    return Err(TooMany::Alternatives);
                }
            }
        }
    }
    Ok(both)
}

/// What is in the first union and not in the second.
fn difference<C: Constraint>(
    union: &[C],
    others: &[C],
    terms: &mut Terms,
    limit: usize,
) -> Result<Vec<C>, Trouble> {
    if others.len() > limit {
        return Err(TooMany::Alternatives.into());
    }
    let mut rest = union.to_vec();
    for other in others {
        let mut left = Vec::with_capacity(rest.len() + 1);
        for one in rest {
            if !terms.spend(one.size() + other.size()) {
                return Err(TooMany::Steps.into());
            }
            if other.covers(&one) {
                continue;
            }
            if one.and(other, terms).is_none() {
                left.push(one);
                continue;
            }
            for piece in other.outside(&one, terms)? {
                if !terms.spend(one.size() + piece.size()) {
                    return Err(TooMany::Steps.into());
                }
                if let Some(both) = one.and(&piece, terms) {
                    insert(&mut left, both);
                }
            }
            if left.len() > limit {
                return Err(TooMany::Alternatives.into());
            }
        }
        rest = left;
    }
    Ok(rest)
}

/// So many pairs of alternatives are combined at most.
const MAX_PAIRS: usize = 1 << 20;

/// Above this many alternatives only a few are compared: keeping a union free of covered members is
/// quadratic.
const MAX_COMPARED: usize = 64;
/// So many then, the last ones: what is alike comes one after the other.
const COMPARED_OF_MANY: usize = 8;

fn insert<C: Constraint>(union: &mut Vec<C>, one: C) {
    let compared = if union.len() > MAX_COMPARED { COMPARED_OF_MANY } else { union.len() };
    if union[union.len() - compared..].iter().chain(union.first()).any(|member| member.covers(&one))
    {
        return;
    }
    if one.is_any() {
        union.clear();
    } else if union.len() <= MAX_COMPARED {
        union.retain(|member| !one.covers(member));
    }
    union.push(one);
}

fn insert_all<C: Constraint>(union: &mut Vec<C>, more: Vec<C>) {
    if union.is_empty() {
        *union = more;
        return;
    }
    for one in more {
        insert(union, one);
    }
}
