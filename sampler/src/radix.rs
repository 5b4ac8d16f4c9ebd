//! Sorting many candidates, in a few passes over them instead of comparisons.
//!
//! Among equal logits the order is that in which they come: libstdc++'s, which [`crate::sort`] has, is
//! needed only where few are kept.

use crate::candidates::Candidate;

/// Bits that a pass goes by: three passes are enough.
const BITS: u32 = 11;
const VALUES: usize = 1 << BITS;
const PASSES: usize = 3;

/// What is needed besides, kept so that nothing is allocated.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Keys, each with the place of its candidate.
    from: Vec<(u32, u32)>,
    to: Vec<(u32, u32)>,
    /// How often each digit is there, pass after pass.
    counts: Vec<u32>,
}

/// Writes the candidates to `sorted`, the greatest logit first; there are fewer than 2^32.
pub(crate) fn sort(data: &[Candidate], sorted: &mut Vec<Candidate>, scratch: &mut Scratch) {
    let Scratch { from, to, counts } = scratch;
    counts.clear();
    counts.resize(PASSES * VALUES, 0);
    from.clear();
    from.extend((0..).zip(data).map(|(place, candidate)| {
        let key = key(candidate.logit);
        for (pass, counts) in counts.chunks_exact_mut(VALUES).enumerate() {
            counts[digit(key, pass)] += 1;
        }
        (key, place)
    }));
    to.resize(from.len(), (0, 0));
    for (pass, counts) in counts.chunks_exact_mut(VALUES).enumerate() {
        if counts[digit(from.first().map_or(0, |&(key, _)| key), pass)] as usize == from.len() {
            // All have the same digit.
            continue;
        }
        let mut start = 0;
        for count in counts.iter_mut() {
            start += std::mem::replace(count, start);
        }
        for &(key, place) in &*from {
            let next = &mut counts[digit(key, pass)];
            to[*next as usize] = (key, place);
            *next += 1;
        }
        std::mem::swap(from, to);
    }
    sorted.clear();
    sorted.extend(from.iter().map(|&(_, place)| data[place as usize]));
}

fn digit(key: u32, pass: usize) -> usize {
    (key >> (pass as u32 * BITS)) as usize & (VALUES - 1)
}

/// The greater the logit, the less; a NaN counts as -inf.
fn key(logit: f32) -> u32 {
    const SIGN: u32 = 1 << 31;
    let bits = logit.max(f32::NEG_INFINITY).to_bits();
    // The bits of negative numbers grow with their size.
    if bits & SIGN == 0 { !bits & !SIGN } else { bits }
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
        }
    }
}
