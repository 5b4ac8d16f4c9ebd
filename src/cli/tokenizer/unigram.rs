//! The Unigram model of `SentencePiece`: the tokenizer that GGUF calls `t5`.

use grammask::sampler::TokenId;
use grammask::sampler::gguf::{Array, GgufError, Header, Value};
use tokenizers::Model;

use super::EncodeError;

const UNKNOWN: &str = "tokenizer.ggml.unknown_token_id";
const CHARSMAP: &str = "tokenizer.ggml.precompiled_charsmap";
const REMOVE_EXTRA: &str = "tokenizer.ggml.remove_extra_whitespaces";

/// Cuts a text into the pieces whose scores add up to the most.
#[derive(Debug)]
pub(super) struct Unigram {
    pieces: tokenizers::models::unigram::Unigram,
    map: Option<CharacterMap>,
    /// Several blanks are one, and there are none at the ends.
    merges_blanks: bool,
}

impl Unigram {
    pub(super) fn new(
        header: &Header,
        texts: &[String],
        scores: &[f32],
    ) -> Result<Self, GgufError> {
        let unknown = header.integer(UNKNOWN)?.unwrap_or(2);
        let pieces = texts.iter().cloned().zip(scores.iter().map(|&score| score.into())).collect();
        let unknown = usize::try_from(unknown).unwrap_or(usize::MAX);
        let pieces = tokenizers::models::unigram::Unigram::from(pieces, Some(unknown), false)
            .map_err(|error| GgufError::field(UNKNOWN, error.to_string()))?;
        let map = match header.value(CHARSMAP) {
            None => None,
            Some(Value::Array(Array::U8(bytes))) => Some(CharacterMap::read(bytes)?),
            Some(Value::Array(Array::I8(bytes))) => {
                let bytes: Vec<u8> = bytes.iter().map(|byte| byte.cast_unsigned()).collect();
                Some(CharacterMap::read(&bytes)?)
            }
            Some(_) => return Err(GgufError::field(CHARSMAP, "is no list of bytes")),
        };
        let merges_blanks = header.flag(REMOVE_EXTRA)?.unwrap_or_default();
        Ok(Self { pieces, map, merges_blanks })
    }

    pub(super) fn encode(
        &self,
        text: &str,
        adds_prefix: bool,
        tokens: &mut Vec<TokenId>,
    ) -> Result<(), EncodeError> {
        let mapped = match &self.map {
            Some(map) => map.apply(text),
            None => text.to_owned(),
        };
        let text = self.with_marks(&mapped, adds_prefix);
        let pieces = self.pieces.tokenize(&text);
        let pieces = pieces.map_err(|error| EncodeError::Split(error.to_string()))?;
        tokens.extend(pieces.iter().map(|piece| TokenId(piece.id)));
        Ok(())
    }

    /// A text with `▁` for blanks, and one before the first word (`llm_tokenizer_ugm_session::normalize`).
    fn with_marks(&self, text: &str, adds_prefix: bool) -> String {
        let mut marked = String::with_capacity(text.len() + 3);
        let mut has_prefix = false;
        let mut in_word = false;
        for c in text.chars() {
            if c == ' ' {
                in_word = false;
                if !self.merges_blanks {
                    marked.push('▁');
                }
                continue;
            }
            if !in_word {
                in_word = true;
                if (adds_prefix && !has_prefix) || self.merges_blanks {
                    marked.push('▁');
                    has_prefix = true;
                }
            }
            marked.push(c);
        }
        marked
    }
}

/// What becomes of characters before anything is cut: a double array trie of texts, and what stands for
/// them (`Normalizer` of `SentencePiece`).
#[derive(Debug)]
struct CharacterMap {
    nodes: Vec<u32>,
    /// Texts that end with a zero byte.
    replacements: String,
}

impl CharacterMap {
    fn read(bytes: &[u8]) -> Result<Self, GgufError> {
        let wrong = |message: &str| GgufError::field(CHARSMAP, message);
        let (size, rest) =
            bytes.split_first_chunk().ok_or_else(|| wrong("is shorter than 4 bytes"))?;
        let size = u32::from_le_bytes(*size) as usize;
        let (nodes, replacements) = rest
            .split_at_checked(size)
            .ok_or_else(|| wrong("claims a longer table than it has"))?;
        let (nodes, left) = nodes.as_chunks();
        if !left.is_empty() {
            return Err(wrong("has a table that is no list of 32-bit numbers"));
        }
        let nodes = nodes.iter().map(|node| u32::from_le_bytes(*node)).collect();
        let replacements =
            str::from_utf8(replacements).map_err(|error| wrong(&error.to_string()))?;
        Ok(Self { nodes, replacements: replacements.to_owned() })
    }

    fn apply(&self, text: &str) -> String {
        let mut mapped = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let (len, replacement) = match self.longest_prefix(rest) {
                Some((len, replacement)) if rest.is_char_boundary(len) => (len, replacement),
                _ => (c.len_utf8(), &rest[..c.len_utf8()]),
            };
            mapped.push_str(replacement);
            rest = &rest[len..];
        }
        mapped
    }

    /// The longest beginning of a text that is replaced, and by what.
    fn longest_prefix(&self, text: &str) -> Option<(usize, &str)> {
        let node = |at: u32| self.nodes.get(at as usize).copied();
        let base = |node: u32| (node >> 10) << ((node & (1 << 9)) >> 6);
        let mut found = None;
        let mut at = base(node(0)?);
        for (index, byte) in text.bytes().enumerate().take_while(|(_, byte)| *byte != 0) {
            at ^= u32::from(byte);
            let Some(reached) =
                node(at).filter(|node| node & ((1 << 31) | 0xff) == u32::from(byte))
            else {
                break;
            };
            at ^= base(reached);
            if (reached >> 8) & 1 == 1 {
                found = node(at).map(|leaf| (index + 1, leaf & ((1 << 31) - 1)));
            }
        }
        let (len, start) = found?;
        let replacement = self.replacements.get(start as usize..)?;
        Some((len, replacement.split('\0').next().unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table in which each text that is replaced is one byte long.
    fn map(replaced: &[(u8, &str)]) -> CharacterMap {
        // The root's children lie at 256 and beyond, and each child's leaf at its own place plus 512.
        let mut nodes = vec![0_u32; 1024];
        nodes[0] = 256 << 10;
        let mut replacements = String::new();
        for &(byte, replacement) in replaced {
            let child = 256 ^ usize::from(byte);
            nodes[child] = (1 << 8) | (512 << 10) | u32::from(byte);
            nodes[child ^ 512] = (1 << 31) | replacements.len() as u32;
            replacements.push_str(replacement);
            replacements.push('\0');
        }
        let mut bytes = ((nodes.len() * 4) as u32).to_le_bytes().to_vec();
        bytes.extend(nodes.iter().flat_map(|node| node.to_le_bytes()));
        bytes.extend(replacements.bytes());
        CharacterMap::read(&bytes).expect("it is whole")
    }

    #[test]
    fn characters_are_replaced() {
        let map = map(&[(b'\t', " "), (b'x', "ks"), (b'-', "")]);
        assert_eq!(map.apply("a\tbox-é"), "a boksé");
        assert_eq!(map.apply(""), "");
    }

    #[test]
    fn broken_tables_replace_nothing_or_are_refused() {
        for bytes in [&[][..], &[1, 0, 0], &[8, 0, 0, 0, 1, 2, 3, 4], &[1, 0, 0, 0, 1]] {
            assert!(CharacterMap::read(bytes).is_err(), "{bytes:?}");
        }
        let wild = [[4, 0, 0, 0], [0xff; 4]].concat();
        assert_eq!(CharacterMap::read(&wild).expect("it is whole").apply("abc"), "abc");
    }
}
