//! Byte pair encoding over bytes: the tokenizer that GGUF calls `gpt2`.

use std::cmp::Reverse;
use std::collections::HashMap;

use grammask::sampler::TokenId;

use super::EncodeError;
use super::merging::merge;
use super::pre_tokenizer::PreTokenizer;

/// Splits a text into words and merges the bytes of each, in the order of the list of merges.
#[derive(Debug)]
pub(super) struct BytePairs {
    pre_tokenizer: PreTokenizer,
    ids: HashMap<String, TokenId>,
    /// By both parts with a blank between them, as the list has them.
    ranks: HashMap<String, u32>,
}

impl BytePairs {
    pub(super) fn new(
        pre_tokenizer: PreTokenizer,
        ids: HashMap<String, TokenId>,
        merges: &[String],
    ) -> Self {
        let mut ranks = HashMap::with_capacity(merges.len());
        for (rank, merge) in (0..).zip(merges) {
            ranks.entry(merge.clone()).or_insert(rank);
        }
        Self { pre_tokenizer, ids, ranks }
    }

    pub(super) fn encode(&self, text: &str, tokens: &mut Vec<TokenId>) -> Result<(), EncodeError> {
        let mut word = String::new();
        let mut pair = String::new();
        for range in self.pre_tokenizer.split(text)? {
            word.clear();
            word.extend(text[range].bytes().map(character_of));
            if self.pre_tokenizer.keeps_whole_words()
                && let Some(&id) = self.ids.get(&word)
            {
                tokens.push(id);
                continue;
            }
            let parts = merge(&word, |both, middle| {
                pair.clear();
                pair.extend([&both[..middle], " ", &both[middle..]]);
                self.ranks.get(&pair).copied().map(Reverse)
            });
            for part in parts {
                self.push(&word[part], tokens)?;
            }
        }
        Ok(())
    }

    /// A part as a token; one that is none, as its bytes.
    fn push(&self, part: &str, tokens: &mut Vec<TokenId>) -> Result<(), EncodeError> {
        if let Some(&id) = self.ids.get(part) {
            tokens.push(id);
            return Ok(());
        }
        let mut buffer = [0; 4];
        for c in part.chars() {
            let id = self.ids.get(&*c.encode_utf8(&mut buffer));
            let byte = || (0..=255).find(|&byte| character_of(byte) == c).unwrap_or_default();
            tokens.push(*id.ok_or_else(|| EncodeError::Unspellable { byte: byte() })?);
        }
        Ok(())
    }
}

/// The printable character that stands for a byte: GPT-2's `bytes_to_unicode`.
fn character_of(byte: u8) -> char {
    let shifted = |from: u32| char::from_u32(from).unwrap_or(char::REPLACEMENT_CHARACTER);
    match byte {
        0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff => char::from(byte),
        0x00..=0x20 => shifted(0x100 + u32::from(byte)),
        0x7f..=0xa0 => shifted(0x121 + u32::from(byte - 0x7f)),
        0xad => '\u{143}',
    }
}
