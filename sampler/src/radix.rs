//! Sorting many candidates, in a few passes over them instead of comparisons.
//!
//! Among equal logits the order is that in which they come: libstdc++'s, which [`crate::sort`] has, is
//! needed only where few are kept.

use crate::TokenId;
use crate::candidates::Candidate;

/// Bits that a pass goes by: three passes are enough.
const BITS: u32 = 11;
const VALUES: usize = 1 << BITS;
const PASSES: usize = 3;
/// The bit of negative numbers.
const SIGN: u32 = 1 << 31;

/// What is needed besides, kept so that nothing is allocated.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Keys, each with what goes with it.
    from: Vec<(u32, u32)>,
    to: Vec<(u32, u32)>,
    /// How often each digit is there, pass after pass.
    counts: Vec<u32>,
}

/// Writes the candidates to `sorted`, the greatest logit first; there are fewer than 2^32.
pub(crate) fn sort(data: &[Candidate], sorted: &mut Vec<Candidate>, scratch: &mut Scratch) {
    sorted.resize(data.len(), Candidate::default());
    let keys = (0..).zip(data).map(|(place, candidate)| (key(candidate.logit), place));
    scratch.take(keys);
    scratch.sort(|place, (_, from)| sorted[place] = data[from as usize]);
}

/// The same in place, without the probabilities: they become 0, and a NaN among the logits -inf. What
/// is moved is less then, and nothing is looked up.
pub(crate) fn sort_logits(data: &mut [Candidate], scratch: &mut Scratch) {
    let keys = data.iter().map(|candidate| (key(candidate.logit), candidate.id.0));
    scratch.take(keys);
    scratch.sort(|place, (key, id)| {
        data[place] = Candidate { id: TokenId(id), logit: logit(key), p: 0.0 };
    });
}

impl Scratch {
    /// Takes keys, each with what goes with it.
    fn take(&mut self, keys: impl Iterator<Item = (u32, u32)>) {
        let Self { from, counts, .. } = self;
        counts.clear();
        counts.resize(PASSES * VALUES, 0);
        from.clear();
        from.extend(keys);
        for &(key, _) in &*from {
            for (pass, counts) in counts.chunks_exact_mut(VALUES).enumerate() {
                counts[digit(key, pass)] += 1;
            }
        }
    }

    /// Sorts what has been taken, equal keys in their order; `put` is given each with its place.
    fn sort(&mut self, mut put: impl FnMut(usize, (u32, u32))) {
        let Self { from, to, counts } = self;
        to.resize(from.len(), (0, 0));
        for (pass, counts) in counts.chunks_exact_mut(VALUES).enumerate() {
            let mut start = 0;
            for count in counts.iter_mut() {
                start += std::mem::replace(count, start);
            }
            let mut place = |key| {
                let next = &mut counts[digit(key, pass)];
                *next += 1;
                *next as usize - 1
            };
            if pass + 1 == PASSES {
                for &(key, with) in &*from {
                    put(place(key), (key, with));
                }
            } else {
                for &(key, with) in &*from {
                    to[place(key)] = (key, with);
                }
                std::mem::swap(from, to);
            }
        }
    }
}

fn digit(key: u32, pass: usize) -> usize {
    (key >> (pass as u32 * BITS)) as usize & (VALUES - 1)
}

/// The greater the logit, the less; a NaN counts as -inf.
fn key(logit: f32) -> u32 {
    let bits = logit.max(f32::NEG_INFINITY).to_bits();
    // The bits of negative numbers grow with their size.
    if bits & SIGN == 0 { !bits & !SIGN } else { bits }
}

/// The logit of a key.
fn logit(key: u32) -> f32 {
    f32::from_bits(if key & SIGN == 0 { !key & !SIGN } else { key })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Candidates;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sorts_as_a_stable_sort_does(
            logits in prop::collection::vec(
                prop_oneof![any::<f32>(), -2.0_f32..2.0, Just(f32::NEG_INFINITY), Just(0.0)], 0..300),
        ) {
            let data = Candidates::from_logits(&logits).as_slice().to_vec();
            let mut expected = data.clone();
            let plain = |logit: f32| logit.max(f32::NEG_INFINITY);
            expected.sort_by(|a, b| plain(b.logit).total_cmp(&plain(a.logit)));
            let mut sorted = Vec::new();
            sort(&data, &mut sorted, &mut Scratch::default());
            let ids = |list: &[Candidate]| list.iter().map(|c| c.id).collect::<Vec<_>>();
            prop_assert_eq!(ids(&sorted), ids(&expected));
            let mut in_place = data.clone();
            sort_logits(&mut in_place, &mut Scratch::default());
            prop_assert_eq!(ids(&in_place), ids(&expected));
            for (one, other) in in_place.iter().zip(&expected) {
                prop_assert_eq!(one.logit.to_bits(), plain(other.logit).to_bits());
            }
        }
    }
}
