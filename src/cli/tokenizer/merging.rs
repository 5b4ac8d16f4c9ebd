//! Greedy merging of neighbours, which both byte pair encoding and `SentencePiece`'s BPE are.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Stands for no neighbour.
const NONE: usize = usize::MAX;

/// A part of the text that may still be merged. It begins where its first character does.
struct Symbol {
    /// In bytes; 0 of what has been merged into the symbol before.
    len: usize,
    previous: usize,
    next: usize,
}

/// The parts that are left of a text when its characters have been merged pair by pair: always the
/// pair of neighbours with the greatest priority, the leftmost of several, until none has one.
/// `priority` is asked with the text of both and where the right one begins.
///
/// Takes time in the order of n log n, as llama.cpp's queues of bigrams do (`llm_tokenizer_spm_session`,
/// `llm_tokenizer_bpe_session`).
pub(super) fn merge<P: Ord>(
    text: &str,
    mut priority: impl FnMut(&str, usize) -> Option<P>,
) -> Vec<Range<usize>> {
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let last = starts.len().wrapping_sub(1);
    let mut symbols: Vec<Symbol> = starts
        .iter()
        .enumerate()
        .map(|(i, &start)| Symbol {
            len: starts.get(i + 1).unwrap_or(&text.len()) - start,
            previous: i.wrapping_sub(1),
            next: if i == last { NONE } else { i + 1 },
        })
        .collect();
    // A pair with the number of its bytes, by which it is seen whether it is still there.
    let mut queue = BinaryHeap::new();
    let mut add = |symbols: &[Symbol], queue: &mut BinaryHeap<_>, left: usize, right: usize| {
        if left != NONE && right != NONE {
            let (start, middle) = (starts[left], symbols[left].len);
            let len = middle + symbols[right].len;
            if let Some(priority) = priority(&text[start..start + len], middle) {
                queue.push((priority, Reverse(left), right, len));
            }
        }
    };
    for right in 1..symbols.len() {
        add(&symbols, &mut queue, right - 1, right);
    }
    while let Some((_, Reverse(left), right, len)) = queue.pop() {
        let (Symbol { len: l, .. }, Symbol { len: r, next, .. }) =
            (&symbols[left], &symbols[right]);
        if *l == 0 || *r == 0 || l + r != len {
            continue;
        }
        let next = *next;
        symbols[left].len = len;
        symbols[left].next = next;
        symbols[right].len = 0;
        if next != NONE {
            symbols[next].previous = left;
        }
        let previous = symbols[left].previous;
        add(&symbols, &mut queue, previous, left);
        add(&symbols, &mut queue, left, next);
    }
    let left = symbols.iter().zip(&starts).filter(|(symbol, _)| symbol.len > 0);
    left.map(|(symbol, &start)| start..start + symbol.len).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Looks at all pairs before each merge.
    fn plainly<P: Ord>(text: &str, priority: impl Fn(&str, usize) -> Option<P>) -> Vec<String> {
        let mut parts: Vec<String> = text.chars().map(String::from).collect();
        loop {
            let pairs = (1..parts.len()).filter_map(|right| {
                let (a, b) = (&parts[right - 1], &parts[right]);
                Some((priority(&format!("{a}{b}"), a.len())?, Reverse(right)))
            });
            let Some((_, Reverse(right))) = pairs.max() else { return parts };
            let merged = parts.remove(right);
            parts[right - 1].push_str(&merged);
        }
    }

    proptest! {
        #[test]
        fn merges_are_those_of_a_plain_search(text in "[abcé]{0,40}", scores in "[0-9]{1,60}") {
            // Which pairs merge, and in which order, is anything; equal priorities are frequent.
            let priority = |pair: &str, middle: usize| {
                let key = pair.bytes().fold(middle, |key, byte| key.wrapping_mul(31) ^ usize::from(byte));
                let score = scores.as_bytes()[key % scores.len()];
                (score > b'4' && pair.len() < 9).then_some(score)
            };
            let merged: Vec<&str> =
                merge(&text, priority).into_iter().map(|range| &text[range]).collect();
            prop_assert_eq!(merged, plainly(&text, priority));
        }
    }
}
