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

pub(crate) use array::{ArrayShape, Contains};
pub(crate) use evaluated::Evaluated;
pub(crate) use keys::{Keys, Regions};
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

/// Why two normal forms have no combination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The union would have too many members.
    TooManyAlternatives,
    /// The complement has no normal form.
    NoComplement(&'static str),
}

/// A constraint on the values of one type.
pub(crate) trait Constraint: Clone + PartialEq + Sized {
    /// Everything of this type.
    fn any() -> Self;

    /// What satisfies both; `None` if nothing evidently does.
    fn and(&self, other: &Self, terms: &mut Terms) -> Option<Self>;

    /// A union whose intersection with `within` is what satisfies `within` but not `self`.
    fn outside(&self, within: &Self, terms: &mut Terms) -> Result<Vec<Self>, Trouble>;

    /// Whether everything in `other` evidently is in this too.
    fn covers(&self, other: &Self) -> bool;
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
            && self.numbers == [NumberSet::any()]
            && self.strings == [StringSet::any()]
            && self.arrays == [ArrayShape::any()]
            && self.objects == [ObjectShape::any()]
    }

    /// What is in both.
    pub(crate) fn and(
        &self,
        other: &Self,
        terms: &mut Terms,
        limit: usize,
    ) -> Result<Self, Trouble> {
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

/// The pairwise conjunction of two unions.
fn meet<C: Constraint>(
    left: &[C],
    right: &[C],
    terms: &mut Terms,
    limit: usize,
) -> Result<Vec<C>, Trouble> {
    let any = C::any();
    if let [only] = left
        && *only == any
    {
        return Ok(right.to_vec());
    }
    if let [only] = right
        && *only == any
    {
        return Ok(left.to_vec());
    }
    if left.len().saturating_mul(right.len()) > MAX_PAIRS {
        return Err(Trouble::TooManyAlternatives);
    }
    let mut both = Vec::new();
    for a in left {
        for b in right {
            if let Some(one) = a.and(b, terms) {
                insert(&mut both, one);
                if both.len() > limit {
                    return Err(Trouble::TooManyAlternatives);
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
        return Err(Trouble::TooManyAlternatives);
    }
    let mut rest = union.to_vec();
    for other in others {
        let mut left = Vec::with_capacity(rest.len() + 1);
        for one in rest {
            if other.covers(&one) {
                continue;
            }
            if one.and(other, terms).is_none() {
                left.push(one);
                continue;
            }
            for piece in other.outside(&one, terms)? {
                if let Some(both) = one.and(&piece, terms) {
                    insert(&mut left, both);
                }
            }
            if left.len() > limit {
                return Err(Trouble::TooManyAlternatives);
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
    if one == C::any() {
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
