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
    /// length; and the same tokens as masks where many are longer, each made when it is first needed.
    short: Box<[(u32, OnceLock<TokenMask>)]>,
    all: OnceLock<TokenMask>,
    /// Number of ids of the vocabulary.
    len: usize,
}

/// More than this share of all tokens are many: that few, which most lengths leave out, are quickly left out one
/// by one, and a mask for each length would take some megabytes.
const MANY: usize = 64;

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
        let short = next.into_iter().map(|fewer| (fewer, OnceLock::new())).collect();
        let all = OnceLock::new();
        Self { tokens: tokens.into(), short, all, len: vocabulary.len() }
    }

    /// All of them.
    fn all(&self) -> &TokenMask {
        self.all.get_or_init(|| self.mask_of(&self.tokens))
    }

    fn mask_of(&self, tokens: &[TokenId]) -> TokenMask {
        let mut mask = TokenMask::new(self.len);
        mask.extend(tokens.iter().copied());
        mask
    }

    /// The tokens of more than `max` characters.
    pub(crate) fn longer(&self, max: u32) -> &[TokenId] {
        let fewer = self.short.get(max as usize).map_or(self.tokens.len(), |it| it.0 as usize);
        &self.tokens[fewer..]
    }

    /// Those of some tokens that have at most `max` characters.
    pub(crate) fn at_most<'a>(
        &self,
        max: u32,
        tokens: &'a [TokenId],
    ) -> impl Iterator<Item = TokenId> + 'a {
        let mut mask = self.mask_of(tokens);
        self.take_out_longer(max, &mut mask);
        tokens.iter().copied().filter(move |&token| mask.contains(token))
    }

    /// Takes the tokens of more than `max` characters out of a mask.
    pub(crate) fn take_out_longer(&self, max: u32, mask: &mut TokenMask) {
        let longer = self.longer(max);
        let one_by_one = |mask: &mut TokenMask| {
            for &token in longer {
                mask.remove(token);
            }
        };
        if longer.len() <= self.tokens.len() / MANY {
            one_by_one(mask);
        } else if let Some((fewer, short)) = self.short.get(max as usize) {
            let shorter = &self.tokens[..*fewer as usize];
            mask.intersect_with(short.get_or_init(|| {
                if shorter.len() <= longer.len() {
                    return self.mask_of(shorter);
                }
                let mut mask = self.all().clone();
                one_by_one(&mut mask);
                mask
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_counted_in_characters() {
        let tokens: [&[u8]; 5] = [b"ab", "äö".as_bytes(), b"\x80a", b"x\xc3", b"abc"];
        // With so many others one long token is few.
        let short = (0..100_u8).map(|byte| vec![byte]);
        let all: Vec<Vec<u8>> = tokens.iter().map(|token| token.to_vec()).chain(short).collect();
        for tokens in [&all[..5], &all[..]] {
            let characters = Characters::new(&Vocabulary::of(tokens));
            let of = |max| {
                let mut mask = TokenMask::new(characters.len);
                mask.extend((0..5).map(TokenId));
                characters.take_out_longer(max, &mut mask);
                mask.tokens().map(|token| token.0).collect::<Vec<_>>()
            };
            assert!(of(0).is_empty());
            assert_eq!(of(1), [2]);
            assert_eq!(of(2), [0, 1, 2, 3]);
            assert_eq!(of(3), [0, 1, 2, 3, 4]);
            assert_eq!(of(u32::MAX), [0, 1, 2, 3, 4]);
        }
    }

    #[test]
    fn a_vocabulary_may_have_no_ordinary_tokens() {
        let mut builder = Vocabulary::builder();
        builder.push_eog("</s>");
        let characters = Characters::new(&builder.build().expect("it is a vocabulary"));
        assert!(characters.longer(0).is_empty());
    }
}
