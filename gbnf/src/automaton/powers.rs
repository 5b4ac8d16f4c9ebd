//! What is a number of matches of the same thing, however it is written.
//!
//! Counts that llama.cpp does not take are split: `x{5000}` is written as `y{2} x{1000}` with
//! `y ::= x{2000}`. Read back, all of that is one loop again, whose count is no state.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::automaton::lower::{Kind, Lowered, Part, TERMINAL_SIZE};
use crate::automaton::terms::{TermId, Terms};

/// How often something is to be matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Powers {
    /// What is matched; [`TermId::EMPTY`] if only the empty text is.
    pub(crate) base: TermId,
    pub(crate) counts: Counts,
}

impl Powers {
    /// One after the other, if both are of the same.
    pub(crate) fn then(&self, other: &Self) -> Option<Self> {
        let counts = self.counts.plus(&other.counts)?;
        Some(Self { base: common(self.base, other.base)?, counts })
    }
}

/// The powers of parts, as far as they have been asked for.
#[derive(Debug, Default)]
pub(crate) struct PowersMemo(FxHashMap<Part, Option<Powers>>);

impl PowersMemo {
    /// The powers that a productive part is, if it is regular and they are of a small terminal.
    pub(crate) fn of(
        &mut self,
        part: Part,
        lowered: &mut Lowered,
        terms: &Terms,
    ) -> Option<Powers> {
        if !lowered.extents[part as usize].regular {
            return None;
        }
        if let Some(known) = self.0.get(&part) {
            return known.clone();
        }
        // A rule that recurses has no powers: it is asked for them while they are looked for.
        self.0.insert(part, None);
        // As deep as groups and rules are nested.
        let powers = stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
            self.composed(part, lowered, terms).or_else(|| base(part, lowered, terms))
        });
        self.0.insert(part, powers.clone());
        powers
    }

    fn composed(&mut self, part: Part, lowered: &mut Lowered, terms: &Terms) -> Option<Powers> {
        // A loop over many characters and a literal are not of the same.
        let is_mixed = |items: &[Part]| {
            lowered.extents[part as usize].wide && items.iter().any(|&item| lowered.is_text(item))
        };
        match &lowered.kinds[part as usize] {
            &Kind::Sequence(items) | &Kind::Choice(items) if is_mixed(lowered.items(items)) => None,
            &Kind::Rule(rule) => {
                let body = lowered.rules[rule as usize];
                self.of(body, lowered, terms)
            }
            &Kind::Sequence(items) => {
                let items = lowered.items(items).to_vec();
                let mut all = items.into_iter().map(|item| self.of(item, lowered, terms));
                let first = all.next()??;
                all.try_fold(first, |sum, item| sum.then(&item?))
            }
            &Kind::Choice(items) => {
                let mut items = lowered.items(items).to_vec();
                items.retain(|&item| lowered.productive[item as usize]);
                let mut all = items.into_iter().map(|item| self.of(item, lowered, terms));
                let first = all.next()??;
                all.try_fold(first, |one, other| {
                    let other = other?;
                    let counts = one.counts.or(&other.counts)?;
                    Some(Powers { base: common(one.base, other.base)?, counts })
                })
            }
            &Kind::Repeat { item, min, max } => {
                let Powers { base, counts } = self.of(item, lowered, terms)?;
                Some(Powers { base, counts: counts.times(min, max)? })
            }
            Kind::Known(body) => body.powers.clone(),
            _ => None,
        }
    }
}

/// A small terminal is one of itself.
fn base(part: Part, lowered: &mut Lowered, terms: &Terms) -> Option<Powers> {
    let extent = lowered.extents[part as usize];
    if extent.wide || extent.size > TERMINAL_SIZE {
        return None;
    }
    match lowered.term(part, terms) {
        TermId::NOTHING => None,
        TermId::EMPTY => Some(Powers { base: TermId::EMPTY, counts: Counts::just(0) }),
        term if terms.nullable(term) => None,
        term => Some(Powers { base: term, counts: Counts::just(1) }),
    }
}

fn common(one: TermId, other: TermId) -> Option<TermId> {
    match (one, other) {
        (TermId::EMPTY, base) | (base, TermId::EMPTY) => Some(base),
        (one, other) => (one == other).then_some(one),
    }
}

/// A set of counts that has more intervals is none. On the way to `x{0,65535}` there are as many as
/// there are thousands.
const MOST_INTERVALS: usize = 4_096;

/// A set of counts: intervals, ascending, with others between them; without maximum: unbounded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Counts(SmallVec<[(u32, Option<u32>); 2]>);

impl Counts {
    fn just(count: u32) -> Self {
        Self(SmallVec::from_slice(&[(count, Some(count))]))
    }

    pub(crate) fn intervals(&self) -> &[(u32, Option<u32>)] {
        &self.0
    }

    fn from_intervals(mut all: Vec<(u32, Option<u32>)>) -> Option<Self> {
        all.sort_unstable();
        let mut joined: SmallVec<[(u32, Option<u32>); 2]> = SmallVec::new();
        for (min, max) in all {
            match joined.last_mut() {
                Some((_, None)) => break,
                Some((_, Some(last))) if min <= last.saturating_add(1) => {
                    let last = *last;
                    let max = max.map(|max| max.max(last));
                    joined.last_mut()?.1 = max;
                }
                _ => joined.push((min, max)),
            }
        }
        (joined.len() <= MOST_INTERVALS).then_some(Self(joined))
    }

    fn or(&self, other: &Self) -> Option<Self> {
        Self::from_intervals(self.0.iter().chain(&other.0).copied().collect())
    }

    fn plus(&self, other: &Self) -> Option<Self> {
        let sums = self.0.len() * other.0.len();
        if sums > 4 * MOST_INTERVALS {
            return None;
        }
        let mut all = Vec::with_capacity(sums);
        for &(min, max) in &self.0 {
            for &(least, most) in &other.0 {
                let max = match (max, most) {
                    (Some(max), Some(most)) => Some(max.checked_add(most)?),
                    _ => None,
                };
                all.push((min.checked_add(least)?, max));
            }
        }
        Self::from_intervals(all)
    }

    /// The sums of between `min` and `max` of the counts.
    fn times(&self, min: u32, max: Option<u32>) -> Option<Self> {
        if let &[(least, most)] = &self.0[..] {
            let product = |count: u32| {
                let most = match most {
                    _ if count == 0 => Some(0),
                    Some(most) => Some(most.checked_mul(count)?),
                    None => None,
                };
                Some((least.checked_mul(count)?, most))
            };
            let mut all = Vec::new();
            for count in (min..=max.unwrap_or(u32::MAX)).take(MOST_INTERVALS) {
                let (from, to) = product(count)?;
                all.push((from, to));
                // From here on the products of one more are not beyond the next number.
                let is_dense = count > 0
                    && to.is_none_or(|to| {
                        from.checked_add(least).is_some_and(|next| next <= to.saturating_add(1))
                    });
                if is_dense || Some(count) == max {
                    let to = match max {
                        Some(max) => product(max)?.1,
                        None if most == Some(0) => Some(0),
                        None => None,
                    };
                    all.push((from, to));
                    return Self::from_intervals(all);
                }
            }
            return None;
        }
        if min == 0 && max == Some(1) { Self::just(0).or(self) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Up to which number sets are compared.
    const MOST: u32 = 200;

    fn has(counts: &Counts, count: u32) -> bool {
        let within =
            |&(min, max): &(u32, Option<u32>)| min <= count && max.is_none_or(|max| count <= max);
        counts.0.iter().any(within)
    }

    /// All sums of up to [`MOST`] of between `min` and `max` counts, one more at a time.
    fn sums(counts: &Counts, min: u32, max: Option<u32>) -> Vec<bool> {
        let mut now = vec![false; MOST as usize + 1];
        now[0] = true;
        let mut all = vec![false; MOST as usize + 1];
        for times in 0..=max.unwrap_or(MOST).min(min + MOST) {
            if times >= min {
                all.iter_mut().zip(&now).for_each(|(all, now)| *all |= now);
            }
            let mut next = vec![false; MOST as usize + 1];
            for sum in (0..=MOST).filter(|&sum| now[sum as usize]) {
                for more in (0..=MOST - sum).filter(|&more| has(counts, more)) {
                    next[(sum + more) as usize] = true;
                }
            }
            now = next;
        }
        all
    }

    fn counts() -> impl Strategy<Value = Counts> {
        let interval = (0_u32..20, proptest::option::weighted(0.9, 0_u32..15));
        proptest::collection::vec(interval, 1..4).prop_map(|all| {
            let intervals = all.into_iter().map(|(min, more)| (min, more.map(|more| min + more)));
            Counts::from_intervals(intervals.collect()).expect("few intervals")
        })
    }

    proptest! {
        #[test]
        fn sums_and_products_are_those_of_all_counts(
            one in counts(),
            other in counts(),
            min in 0_u32..6,
            more in proptest::option::weighted(0.8, 0_u32..6),
        ) {
            let max = more.map(|more| min + more);
            if let Some(times) = one.times(min, max) {
                let expected = sums(&one, min, max);
                for count in 0..=MOST {
                    prop_assert_eq!(has(&times, count), expected[count as usize], "{}", count);
                }
                for pair in times.0.windows(2) {
                    prop_assert!(pair[0].1.is_some_and(|last| last + 1 < pair[1].0));
                }
            }
            let (both, either) = (one.plus(&other), one.or(&other));
            for count in 0..=MOST {
                let sum = (0..=count).any(|part| has(&one, part) && has(&other, count - part));
                prop_assert!(both.as_ref().is_none_or(|both| has(both, count) == sum));
                let any = has(&one, count) || has(&other, count);
                prop_assert!(either.as_ref().is_none_or(|either| has(either, count) == any));
            }
        }
    }
}
