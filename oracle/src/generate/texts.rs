//! Random texts and vocabularies: of what grammars are made of, and of what occurs in none.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::select;
use proptest::strategy::BoxedStrategy;

use crate::reference::Reference;

/// The bytes of the characters that grammars are made of, and some that occur in none.
pub const ALPHABET: &[u8] = "abcx07,= éжÿ漢😀".as_bytes();

/// Steps of a walk for [`walk`].
pub fn steps(most: usize) -> BoxedStrategy<Vec<u16>> {
    vec(any::<u16>(), 0..=most).boxed()
}

/// A text of which every prefix is alive: each step chooses among the bytes that may come next;
/// those of [`ALPHABET`] come more often. Ends early where nothing may come.
pub fn walk(reference: &Reference, steps: &[u16]) -> Vec<u8> {
    let mut chart = reference.start();
    let mut text = Vec::new();
    for &step in steps {
        let mut next = chart.next_bytes();
        let usual: Vec<u8> = next.iter().copied().filter(|byte| ALPHABET.contains(byte)).collect();
        if !usual.is_empty() && step % 16 != 15 {
            next = usual;
        }
        if next.is_empty() {
            break;
        }
        let byte = next[usize::from(step / 16) % next.len()];
        chart.push(byte);
        text.push(byte);
    }
    text
}

/// The text with one change for each number: a byte replaced, taken out, put in or doubled, or the
/// rest cut off.
pub fn mutate(text: &[u8], changes: &[u32]) -> Vec<u8> {
    let mut text = text.to_vec();
    for &change in changes {
        let [kind, place, value, _] = change.to_le_bytes();
        let place = usize::from(place) % (text.len() + 1);
        let value =
            ALPHABET.get(usize::from(value) % (ALPHABET.len() + 1)).copied().unwrap_or(value);
        match kind % 5 {
            0 if place < text.len() => text[place] = value,
            1 if place < text.len() => {
                text.remove(place);
            }
            2 if place < text.len() => text.insert(place, text[place]),
            3 => text.truncate(place),
            _ => text.insert(place, value),
        }
    }
    text
}

/// Changes for [`mutate`].
pub fn changes() -> BoxedStrategy<Vec<u32>> {
    vec(any::<u32>(), 0..=3).boxed()
}

/// Texts that know no grammar: characters of [`ALPHABET`], and a few that are not UTF-8.
pub fn texts() -> BoxedStrategy<Vec<u8>> {
    vec(piece(), 0..=12).prop_map(|pieces| pieces.concat()).boxed()
}

/// Non-empty byte strings, in no order, of which some may be the same: characters, parts of
/// characters, runs that cross what grammars take for one thing, and strings that are not UTF-8. Any
/// prefix of a token may be a token too. Most vocabularies hold every byte of [`ALPHABET`] alone;
/// some do not.
pub fn vocabularies() -> BoxedStrategy<Vec<Vec<u8>>> {
    let long = vec(piece(), 1..=5).prop_map(|pieces| pieces.concat());
    let cut = (vec(piece(), 1..=4), any::<u8>(), any::<u8>()).prop_map(|(pieces, from, to)| {
        let text = pieces.concat();
        let from = usize::from(from) % text.len();
        let to = from + 1 + usize::from(to) % (text.len() - from);
        text[from..to].to_vec()
    });
    let run = vec(select(vec!["a", "a", "b", "c", "é", "漢"]), 4..=12)
        .prop_map(|letters| letters.concat().into_bytes());
    let tokens = vec(prop_oneof![8 => long, 8 => cut, 1 => run], 1..=40);
    let twins = prop_oneof![3 => Just(0), 1 => 1..=5_usize];
    (tokens, proptest::bool::weighted(0.8), twins)
        .prop_map(|(mut tokens, complete, twins)| {
            if complete {
                tokens.extend(ALPHABET.iter().map(|&byte| vec![byte]));
            }
            let mut known = BTreeSet::new();
            tokens.retain(|token| known.insert(token.clone()));
            tokens.extend_from_within(..twins.min(tokens.len()));
            tokens
        })
        .boxed()
}

/// A character, or bytes that are none.
fn piece() -> BoxedStrategy<Vec<u8>> {
    let characters =
        ["a", "b", "c", "a", "b", "c", "x", ",", "=", "a=", " ", "é", "ÿ", "ж", "漢", "😀"]
            .into_iter()
            .chain(["{", "}", "[", "]", "\"", "},", "0", "70"]);
    let broken: [&[u8]; 7] =
        [b"\xC3", b"\xA9", b"\xE6\xBC", b"\xF0\x9F", b"\xED\xA0\x80", b"\xFF", b"\0"];
    prop_oneof![
        12 => select(characters.map(|text| text.as_bytes().to_vec()).collect::<Vec<_>>()),
        1 => select(broken.map(<[u8]>::to_vec).to_vec()),
    ]
    .boxed()
}
