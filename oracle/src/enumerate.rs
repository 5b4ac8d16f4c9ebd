//! A language, text by text.

use crate::reference::{Chart, Reference};

/// The texts of the language of at most `max_bytes` bytes, all taken from `alphabet`: shorter ones
/// first, those of one length in the order of the alphabet. At most `max_texts` of them, so that
/// two equal languages give equal lists.
pub fn texts(
    reference: &Reference,
    alphabet: &[u8],
    max_bytes: usize,
    max_texts: usize,
) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for length in 0..=max_bytes {
        extend(&mut reference.start(), &mut Vec::new(), length, alphabet, max_texts, &mut found);
    }
    found
}

/// Adds the texts of exactly `length` bytes that start with `text`, which the chart has read.
fn extend(
    chart: &mut Chart<'_>,
    text: &mut Vec<u8>,
    length: usize,
    alphabet: &[u8],
    max_texts: usize,
    found: &mut Vec<Vec<u8>>,
) {
    if found.len() >= max_texts {
        return;
    }
    if text.len() == length {
        if chart.matches() {
            found.push(text.clone());
        }
        return;
    }
    for &byte in alphabet {
        if chart.push(byte) {
            text.push(byte);
            extend(chart, text, length, alphabet, max_texts, found);
            text.pop();
            chart.pop();
        }
    }
}
