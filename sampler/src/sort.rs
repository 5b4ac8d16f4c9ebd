//! Sorting in the exact order of libstdc++, also among equal logits.
//!
//! Which of two equal logits comes first decides which of them `top_k` keeps and which one a draw
//! hits. llama.cpp leaves that to `std::partial_sort` and `std::sort`; these are the same algorithms
//! (heap select and heap sort; introsort with a final insertion sort), comparison for comparison.

use std::mem;

use crate::block::Block;
use crate::candidates::Candidate;

/// The logit. A NaN counts as -inf, so that there is an order whatever the model computes.
fn rank(candidate: &Candidate) -> f32 {
    candidate.logit.max(f32::NEG_INFINITY)
}

/// Whether `a` belongs before `b`: the greater logit first.
fn before(a: &Candidate, b: &Candidate) -> bool {
    rank(a) > rank(b)
}

/// `std::partial_sort`: the `count` greatest logits at the front, sorted; the rest in some order.
pub(crate) fn partial_sort(data: &mut [Candidate], count: usize) {
    let (front, rest) = data.split_at_mut(count.min(data.len()));
    if front.is_empty() {
        return;
    }
    make_heap(front);
    let mut least = rank(&front[0]);
    for several in rest.chunks_mut(AT_ONCE) {
        if !any_above(several, least) {
            continue;
        }
        for candidate in several {
            if candidate.logit > least {
                let value = mem::replace(candidate, front[0]);
                sift(front, 0, value);
                least = rank(&front[0]);
            }
        }
    }
    sort_heap(front);
}

/// `std::partial_sort_copy`: the greatest logits of `source`, sorted, as many as `target` takes. It
/// takes no more than there are.
pub(crate) fn partial_sort_copy(source: &[Candidate], target: &mut [Candidate]) {
    let (front, rest) = source.split_at(target.len());
    if front.is_empty() {
        return;
    }
    target.copy_from_slice(front);
    make_heap(target);
    let mut least = rank(&target[0]);
    for several in rest.chunks(AT_ONCE) {
        if !any_above(several, least) {
            continue;
        }
        for candidate in several {
            if candidate.logit > least {
                sift(target, 0, *candidate);
                least = rank(&target[0]);
            }
        }
    }
    sort_heap(target);
}

/// The same of tokens that come in blocks, into an empty list: only what gets into the heap is written
/// down.
pub(crate) fn partial_sort_blocks<'a>(
    blocks: impl Iterator<Item = Block<'a>>,
    count: usize,
    best: &mut Vec<Candidate>,
) {
    if count == 0 {
        return;
    }
    let mut least = f32::NEG_INFINITY;
    for block in blocks {
        // A whole block first, which is most often all there is to see.
        if best.len() == count && !block.has_above(least) {
            continue;
        }
        for part in block.parts(AT_ONCE) {
            if best.len() == count && !part.has_above(least) {
                continue;
            }
            for candidate in part.candidates() {
                if best.len() < count {
                    best.push(candidate);
                    if best.len() < count {
                        continue;
                    }
                    make_heap(best);
                } else if candidate.logit > least {
                    sift(best, 0, candidate);
                } else {
                    continue;
                }
                least = rank(&best[0]);
            }
        }
    }
    if best.len() < count {
        make_heap(best);
    }
    sort_heap(best);
}

/// Few get into a heap: a look at so many at once is over sooner.
const AT_ONCE: usize = 16;

/// Whether one of several belongs before a logit.
fn any_above(several: &[Candidate], least: f32) -> bool {
    several.iter().map(|candidate| u32::from(candidate.logit > least)).sum::<u32>() > 0
}

/// `std::__make_heap`.
fn make_heap(data: &mut [Candidate]) {
    for parent in (0..data.len() / 2).rev() {
        let value = data[parent];
        sift(data, parent, value);
    }
}

/// `std::__sort_heap`.
fn sort_heap(heap: &mut [Candidate]) {
    for last in (1..heap.len()).rev() {
        let value = heap[last];
        heap[last] = heap[0];
        sift(&mut heap[..last], 0, value);
    }
}

/// `std::__adjust_heap`: walks the hole at `top` down to a leaf, then `value` up from there. The
/// least of the heap (in the order of `before`: the last) is at the root.
fn sift(heap: &mut [Candidate], top: usize, value: Candidate) {
    let mut hole = top;
    loop {
        let right = 2 * hole + 2;
        if right > heap.len() {
            break;
        }
        // The last left child may have no right brother.
        let left_wins = right == heap.len() || before(&heap[right], &heap[right - 1]);
        let child = if left_wins { right - 1 } else { right };
        heap[hole] = heap[child];
        hole = child;
    }
    while hole > top {
        let parent = (hole - 1) / 2;
        if !before(&heap[parent], &value) {
            break;
        }
        heap[hole] = heap[parent];
        hole = parent;
    }
    heap[hole] = value;
}

/// Below this length introsort leaves the work to the insertion sort. (libstdc++: `_S_threshold`)
const SMALL: usize = 16;

/// `std::sort`: all of `data`, the greatest logit first.
pub(crate) fn sort(data: &mut [Candidate]) {
    if data.len() > 1 {
        introsort(data, 2 * data.len().ilog2());
        insertion_sort(data);
    }
}

/// Splits until every part is small; heap sort where splitting goes wrong too often.
fn introsort(mut data: &mut [Candidate], mut depth: u32) {
    while data.len() > SMALL {
        if depth == 0 {
            let all = data.len();
            return partial_sort(data, all);
        }
        depth -= 1;
        let cut = partition(data);
        let (low, high) = data.split_at_mut(cut);
        introsort(high, depth);
        data = low;
    }
}

/// Splits around the median of the second, the middle and the last.
fn partition(data: &mut [Candidate]) -> usize {
    let (a, b, c) = (1, data.len() / 2, data.len() - 1);
    let less = |i: usize, j: usize| before(&data[i], &data[j]);
    let median = if less(a, b) {
        if less(b, c) {
            b
        } else if less(a, c) {
            c
        } else {
            a
        }
    } else if less(a, c) {
        a
    } else if less(b, c) {
        c
    } else {
        b
    };
    data.swap(0, median);
    let (mut low, mut high) = (1, data.len());
    loop {
        while before(&data[low], &data[0]) {
            low += 1;
        }
        high -= 1;
        while before(&data[0], &data[high]) {
            high -= 1;
        }
        if low >= high {
            return low;
        }
        data.swap(low, high);
        low += 1;
    }
}

/// Stable; quick because every candidate is already near its place.
fn insertion_sort(data: &mut [Candidate]) {
    for i in 1..data.len() {
        let value = data[i];
        let mut hole = i;
        while hole > 0 && before(&value, &data[hole - 1]) {
            data[hole] = data[hole - 1];
            hole -= 1;
        }
        data[hole] = value;
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::TokenId;
    use proptest::prelude::*;

    fn candidates(logits: &[f32]) -> Vec<Candidate> {
        (0..).zip(logits).map(|(id, &logit)| Candidate { id: TokenId(id), logit, p: 0.0 }).collect()
    }

    /// Mostly few distinct values, so that ties are frequent; also what is no number.
    pub(crate) fn logit() -> impl Strategy<Value = f32> {
        prop_oneof![
            8 => (-20_i8..20).prop_map(|i| f32::from(i) / 2.0),
            8 => -9.0_f32..9.0,
            1 => Just(f32::NEG_INFINITY),
            1 => Just(f32::INFINITY),
            1 => Just(f32::NAN),
        ]
    }

    fn logits() -> impl Strategy<Value = Vec<f32>> {
        prop::collection::vec(logit(), 0..200)
    }

    fn keys(data: &[Candidate]) -> Vec<f32> {
        data.iter().map(|c| c.logit.max(f32::NEG_INFINITY)).collect()
    }

    proptest! {
        #[test]
        fn the_front_is_what_a_plain_sort_puts_there(logits in logits(), count in 0_usize..220) {
            let mut data = candidates(&logits);
            partial_sort(&mut data, count);
            let mut expected = keys(&candidates(&logits));
            expected.sort_by(|a, b| b.total_cmp(a));
            let count = count.min(logits.len());
            prop_assert_eq!(&keys(&data)[..count], &expected[..count]);
            let mut ids: Vec<u32> = data.iter().map(|c| c.id.0).collect();
            ids.sort_unstable();
            prop_assert!(ids.into_iter().eq(0..logits.len() as u32));
            let mut copied = vec![Candidate::default(); count];
            partial_sort_copy(&candidates(&logits), &mut copied);
            prop_assert_eq!(keys(&copied), &expected[..count]);
        }

        #[test]
        fn sort_orders_everything(logits in logits()) {
            let mut data = candidates(&logits);
            sort(&mut data);
            let mut expected = keys(&candidates(&logits));
            expected.sort_by(|a, b| b.total_cmp(a));
            prop_assert_eq!(keys(&data), expected);
            let mut ids: Vec<u32> = data.iter().map(|c| c.id.0).collect();
            ids.sort_unstable();
            prop_assert!(ids.into_iter().eq(0..logits.len() as u32));
        }
    }

    #[test]
    fn equal_logits_come_in_the_order_of_a_heap() {
        // Worked out by hand. The heap of 0 1 2 is 2 1 0, since a hole sinks to the right on ties;
        // sorting it takes 2 to the end, then 1. With four, the heap is 2 3 0 1, then 0 3 1, then 3 1.
        for (count, expected) in [(3, vec![0, 1, 2]), (4, vec![1, 3, 0, 2])] {
            let mut data = candidates(&vec![1.0; count]);
            partial_sort(&mut data, count);
            let ids: Vec<u32> = data.iter().map(|c| c.id.0).collect();
            assert_eq!(ids, expected);
        }
    }
}
