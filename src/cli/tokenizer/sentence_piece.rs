//! The BPE of `SentencePiece`: the tokenizer that GGUF calls `llama`.

use std::cmp::Ordering;
use std::collections::HashMap;

use grammask::sampler::TokenId;

use super::EncodeError;
use super::merging::merge;

/// Merges the characters of a text in the order of the scores of what they become; what is no piece in
/// the end is written as bytes.
#[derive(Debug)]
pub(super) struct SentencePiece {
    pieces: HashMap<String, (TokenId, Score)>,
    /// The tokens of bytes.
    bytes: Box<[Option<TokenId>; 256]>,
}

/// A greater one is merged first; no two differ that C++ calls equal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Score(f32);

impl Score {
    pub(super) fn new(score: f32) -> Self {
        // There is only one zero.
        Self(score + 0.0)
    }
}

impl Ord for Score {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Score {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Score {}

impl SentencePiece {
    pub(super) fn new(pieces: HashMap<String, (TokenId, Score)>) -> Self {
        let mut bytes = Box::new([None; 256]);
        for (byte, id) in (0..=u8::MAX).zip(bytes.iter_mut()) {
            *id = pieces.get(&format!("<0x{byte:02X}>")).map(|&(id, _)| id);
        }
        Self { pieces, bytes }
    }

    /// The tokens of a text in which blanks are blanks.
    pub(super) fn encode(&self, text: &str, tokens: &mut Vec<TokenId>) -> Result<(), EncodeError> {
        let text = text.replace(' ', "▁");
        for part in merge(&text, |pair, _| self.pieces.get(pair).map(|&(_, score)| score)) {
            let part = &text[part];
            if let Some(&(id, _)) = self.pieces.get(part) {
                tokens.push(id);
                continue;
            }
            for byte in part.bytes() {
                let id = self.bytes[usize::from(byte)];
                tokens.push(id.ok_or(EncodeError::Unspellable { byte })?);
            }
        }
        Ok(())
    }
}
