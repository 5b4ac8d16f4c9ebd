//! Tokens by the number of characters that begin in them: what a bound on a length asks for.

use std::sync::OnceLock;

use crate::mask::TokenMask;
use crate::token_id::TokenId;
use crate::vocabulary::Vocabulary;

/// The ordinary tokens of a vocabulary in the order of their lengths in characters.
#[derive(Debug)]
pub(crate) struct Characters {
    tokens: Box<[TokenId]>,
    /// How many of them have at most 0, 1, 2 and so on characters, up to one below the greatest
    /// length; and the same tokens as masks, each made when it is first needed.
    at_most: Box<[(u32, OnceLock<TokenMask>)]>,
    all: OnceLock<TokenMask>,
    /// Number of ids of the vocabulary.
    len: usize,
}

/// Whether a byte is the first one of a character. The others count for nothing, those at the
/// beginning of a token too.
pub(crate) fn begins_character(byte: u8) -> bool {
    byte & 0xc0 != 0x80
}

impl Characters {
    pub(crate) fn new(vocabulary: &Vocabulary) -> Self {
        let length = |token| {
            let bytes = vocabulary.bytes(token).unwrap_or_default();
            bytes.iter().filter(|&&byte| begins_character(byte)).count()
        };
        let lengths: Vec<usize> = vocabulary.ordered().iter().map(|&token| length(token)).collect();
        // A sort by counting. First, where the tokens of each length begin.
        let mut next = vec![0_u32; lengths.iter().max().map_or(0, |most| most + 2)];
        for &length in &lengths {
            next[length + 1] += 1;
        }
        for length in 1..next.len() {
            next[length] += next[length - 1];
        }
        let mut tokens = vec![TokenId(0); lengths.len()];
        for (&token, &length) in vocabulary.ordered().iter().zip(&lengths) {
            tokens[next[length] as usize] = token;
            next[length] += 1;
        }
        // Now it is where they end.
        next.truncate(next.len().saturating_sub(2));
        let at_most = next.into_iter().map(|fewer| (fewer, OnceLock::new())).collect();
        let all = OnceLock::new();
        Self { tokens: tokens.into(), at_most, all, len: vocabulary.len() }
    }

    /// All of them.
    fn all(&self) -> &TokenMask {
        self.all.get_or_init(|| {
            let mut all = TokenMask::new(self.len);
            all.extend(self.tokens.iter().copied());
            all
        })
    }

    /// The tokens of more than `max` characters.
    pub(crate) fn longer(&self, max: u32) -> &[TokenId] {
        let fewer = self.at_most.get(max as usize).map_or(self.tokens.len(), |it| it.0 as usize);
        &self.tokens[fewer..]
    }

    /// The tokens of at most `max` characters; nothing if that is all.
    pub(crate) fn at_most(&self, max: u32) -> Option<&TokenMask> {
        let (fewer, mask) = self.at_most.get(max as usize)?;
        let (short, long) = self.tokens.split_at(*fewer as usize);
        Some(mask.get_or_init(|| {
            // Mostly few are longer.
            if short.len() <= long.len() {
                let mut mask = TokenMask::new(self.len);
                mask.extend(short.iter().copied());
                return mask;
            }
            let mut mask = self.all().clone();
            for &token in long {
                mask.remove(token);
            }
            mask
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_counted_in_characters() {
        let tokens: [&[u8]; 5] = [b"ab", "äö".as_bytes(), b"\x80a", b"x\xc3", b"abc"];
        let characters = Characters::new(&Vocabulary::of(tokens));
        let of = |max| characters.at_most(max).map(|mask| mask.tokens().map(|t| t.0).collect());
        assert_eq!(of(0), Some(vec![]));
        assert_eq!(of(1), Some(vec![2]));
        assert_eq!(of(2), Some(vec![0, 1, 2, 3]), "all but a few");
        assert_eq!(of(3), None);
        assert_eq!(of(u32::MAX), None);
    }

    #[test]
    fn a_vocabulary_may_have_no_ordinary_tokens() {
        let mut builder = Vocabulary::builder();
        builder.push_eog("</s>");
        let characters = Characters::new(&builder.build().expect("it is a vocabulary"));
        assert_eq!(characters.at_most(0), None);
    }
}
