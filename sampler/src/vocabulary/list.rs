//! A vocabulary as a plain list: its JSON file, and the encoding by longest match.

use std::fmt;

use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::{EncodeError, Vocabulary, VocabularyError};
use crate::TokenId;

/// `{"tokens": ["text" or {"hex": ".."}], "control": [ids], "eog": [ids]}`
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    tokens: Vec<Entry>,
    #[serde(default)]
    control: Vec<u64>,
    #[serde(default)]
    eog: Vec<u64>,
}

enum Entry {
    Text(String),
    Hex(String),
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntryVisitor;

        impl<'de> Visitor<'de> for EntryVisitor {
            type Value = Entry;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(r#"a string or {"hex": ".."}"#)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Entry, E> {
                Ok(Entry::Text(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entry, A::Error> {
                let mut hex = None;
                while let Some(key) = map.next_key::<String>()? {
                    if key != "hex" {
                        return Err(de::Error::unknown_field(&key, &["hex"]));
                    }
                    if hex.replace(map.next_value()?).is_some() {
                        return Err(de::Error::duplicate_field("hex"));
                    }
                }
                hex.map(Entry::Hex).ok_or_else(|| de::Error::missing_field("hex"))
            }
        }

        deserializer.deserialize_any(EntryVisitor)
    }
}

/// The vocabulary of a JSON file.
pub(super) fn from_json(text: &str) -> Result<Vocabulary, VocabularyError> {
    let file: File = serde_json::from_str(text)
        .map_err(|error| VocabularyError::Format { message: error.to_string() })?;
    let mut builder = Vocabulary::builder();
    for (id, entry) in (0..).zip(file.tokens) {
        match entry {
            Entry::Text(text) => builder.push(text),
            Entry::Hex(hex) => match decode_hex(&hex) {
                Some(bytes) => builder.push(bytes),
                None => return Err(VocabularyError::Hex { token: TokenId(id), hex }),
            },
        };
    }
    builder.mark_control(file.control)?.mark_eog(file.eog)?;
    builder.build()
}

fn decode_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let (pairs, rest) = text.as_bytes().as_chunks();
    let bytes = pairs.iter().map(|&[high, low]| Some((digit(high)? * 16 + digit(low)?) as u8));
    if rest.is_empty() { bytes.collect() } else { None }
}

/// Appends the tokens of a text: at each place the longest one that fits.
pub(super) fn encode_greedy(
    vocabulary: &Vocabulary,
    text: &[u8],
    start: usize,
    tokens: &mut Vec<TokenId>,
) -> Result<(), EncodeError> {
    let mut at = 0;
    while at < text.len() {
        let token = longest_match(vocabulary, &text[at..])
            .ok_or(EncodeError::Unspellable { offset: start + at, byte: text[at] })?;
        tokens.push(token);
        at += vocabulary.spelling(token).len();
    }
    Ok(())
}

/// The longest ordinary token that `text` begins with.
fn longest_match(vocabulary: &Vocabulary, text: &[u8]) -> Option<TokenId> {
    let mut range = vocabulary.ordered();
    let mut longest = None;
    for (depth, &byte) in text.iter().enumerate() {
        // All tokens of the range agree with the text up to here and are longer, so that they are
        // ordered by their next byte.
        let next = |&token: &TokenId| vocabulary.spelling(token)[depth];
        range = &range[range.partition_point(|token| next(token) < byte)..];
        range = &range[..range.partition_point(|token| next(token) == byte)];
        let Some(&first) = range.first() else { break };
        if vocabulary.spelling(first).len() == depth + 1 {
            longest = Some(first);
            let is_whole = |token: &TokenId| vocabulary.spelling(*token).len() == depth + 1;
            range = &range[range.partition_point(is_whole)..];
        }
    }
    longest
}
