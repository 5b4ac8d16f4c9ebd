//! What ends a repetition.

use std::sync::Arc;

use crate::{TokenId, Vocabulary};

/// The sequences that end a repetition for [`Dry`](crate::Dry): no repeat is counted across one.
///
/// The default is none. A copy shares them. Source: `get_overlapping_token_sequences` of llama.cpp.
///
/// ```
/// use grammask_sampler::{DryBreakers, TokenId, Vocabulary};
///
/// let vocabulary = Vocabulary::from_json(r#"{"tokens": ["a", "a:", "b"]}"#)?;
/// let breakers = DryBreakers::from_texts(&vocabulary, &DryBreakers::DEFAULT_TEXTS);
/// assert_eq!(breakers, DryBreakers::from_tokens(&[[TokenId(1)]]));
/// # Ok::<(), grammask_sampler::VocabularyError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DryBreakers {
    /// The first token of each and the tokens behind it, in order and each once.
    sequences: Arc<[(TokenId, Box<[TokenId]>)]>,
}

/// What is longer in a text is cut off, in bytes.
const LONGEST_TEXT: usize = 40;

/// How many of the tokens behind the first one count.
const LONGEST_TAIL: usize = 20;

/// A text, and for each of its ends from the second byte on the tokens that spell it, if any do.
struct Text<'t> {
    bytes: &'t [u8],
    tails: Vec<Option<Box<[TokenId]>>>,
}

impl DryBreakers {
    /// The texts that llama.cpp takes unless it is told others.
    pub const DEFAULT_TEXTS: [&str; 4] = ["\n", ":", "\"", "*"];

    /// Breakers that are sequences of tokens. Empty ones are passed over.
    pub fn from_tokens(sequences: &[impl AsRef<[TokenId]>]) -> Self {
        let split = sequences.iter().filter_map(|sequence| sequence.as_ref().split_first());
        Self::new(split.map(|(&head, tail)| (head, tail.into())).collect())
    }

    /// Breakers that are texts, of which only the first 40 bytes count. Empty ones are passed over.
    ///
    /// A token that contains the text is a breaker by itself. Where a token ends in the beginning of
    /// the text, the breaker is that token and the tokens that spell the rest, at most 20 of them.
    /// A rest is spelled as [`Vocabulary::encode`] does it, or, if it begins or ends within a
    /// character, as [`Vocabulary::encode_longest`] does. (llama.cpp then looks for replacement
    /// characters instead.)
    ///
    /// All texts are looked for in one pass over the vocabulary. Those of more than one byte need the
    /// encoder of a built-in vocabulary as well, which takes a while to build.
    pub fn from_texts(vocabulary: &Vocabulary, texts: &[impl AsRef<str>]) -> Self {
        let texts: Vec<Text<'_>> = texts
            .iter()
            .map(|text| text.as_ref().as_bytes())
            .filter(|bytes| !bytes.is_empty())
            .map(|bytes| Text::new(vocabulary, &bytes[..bytes.len().min(LONGEST_TEXT)]))
            .collect();
        let mut begins = [false; 256];
        for text in &texts {
            begins[usize::from(text.bytes[0])] = true;
        }
        let mut sequences = Vec::new();
        for token in vocabulary.ids() {
            let spelling = vocabulary.bytes(token).unwrap_or_default();
            // Few tokens have such a byte.
            if spelling.iter().any(|&byte| begins[usize::from(byte)]) {
                for text in &texts {
                    sequences.extend(text.tails_behind(spelling).map(|tail| (token, tail.into())));
                }
            }
        }
        Self::new(sequences)
    }

    fn new(mut sequences: Vec<(TokenId, Box<[TokenId]>)>) -> Self {
        sequences.sort_unstable();
        sequences.dedup();
        Self { sequences: sequences.into() }
    }

    /// The sequences in order: the first token of each, and the tokens behind it.
    ///
    /// ```
    /// use grammask_sampler::{DryBreakers, TokenId};
    ///
    /// let breakers = DryBreakers::from_tokens(&[[TokenId(7), TokenId(3)]]);
    /// assert!(breakers.sequences().eq([(TokenId(7), &[TokenId(3)][..])]));
    /// ```
    pub fn sequences(&self) -> impl Iterator<Item = (TokenId, &[TokenId])> {
        self.sequences.iter().map(|(head, tail)| (*head, &**tail))
    }

    /// Whether a token is a breaker by itself.
    pub(super) fn is_breaker(&self, token: TokenId) -> bool {
        self.tails(token).next().is_some_and(<[TokenId]>::is_empty)
    }

    /// How many tokens have come behind the last breaker, or at all if there is none. The newest
    /// token is the first; of several breakers that begin with one token the longest counts.
    pub(super) fn behind_last(&self, recent: &[TokenId]) -> usize {
        (0..recent.len())
            .find_map(|head| {
                let next = &recent[..head];
                let fits = |tail: &&[TokenId]| next.iter().rev().take(tail.len()).eq(*tail);
                let longest = self.tails(recent[head]).filter(fits).map(<[TokenId]>::len).max()?;
                Some(head - longest)
            })
            .unwrap_or(recent.len())
    }

    /// What the breakers that begin with a token have behind it, nothing first.
    fn tails(&self, head: TokenId) -> impl Iterator<Item = &[TokenId]> {
        let start = self.sequences.partition_point(|(token, _)| *token < head);
        let from_there = self.sequences[start..].iter();
        from_there.take_while(move |(token, _)| *token == head).map(|(_, tail)| &**tail)
    }
}

impl<'t> Text<'t> {
    fn new(vocabulary: &Vocabulary, bytes: &'t [u8]) -> Self {
        let tokens = |tail: &[u8]| match str::from_utf8(tail) {
            Ok(text) => vocabulary.encode(text),
            Err(_) => vocabulary.encode_longest(tail),
        };
        let tails = (1..bytes.len()).map(|start| {
            // What cannot be spelled is never written.
            let tokens = tokens(&bytes[start..]).ok()?;
            Some(tokens[..tokens.len().min(LONGEST_TAIL)].into())
        });
        Self { bytes, tails: tails.collect() }
    }

    /// What has to come behind a token to make it a breaker: nothing if it contains the text, else
    /// the rest of the text for each beginning that the token ends in.
    fn tails_behind(&self, spelling: &[u8]) -> impl Iterator<Item = &[TokenId]> {
        let is_inside = spelling.windows(self.bytes.len()).any(|part| part == self.bytes);
        let inside = is_inside.then_some(&[][..]);
        let tails = (1..).zip(&self.tails).filter_map(move |(start, tail)| {
            let overlaps = !is_inside && spelling.ends_with(&self.bytes[..start]);
            tail.as_deref().filter(|_| overlaps)
        });
        inside.into_iter().chain(tails)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ids(ids: &[u32]) -> Vec<TokenId> {
        ids.iter().copied().map(TokenId).collect()
    }

    fn from_texts(vocabulary: &Vocabulary, texts: &[&str]) -> Vec<(u32, Vec<u32>)> {
        let breakers = DryBreakers::from_texts(vocabulary, texts);
        let plain = |(head, tail): &(TokenId, Box<[TokenId]>)| {
            (head.0, tail.iter().map(|token| token.0).collect())
        };
        breakers.sequences.iter().map(plain).collect()
    }

    #[test]
    fn a_text_is_found_within_tokens_and_across_them() {
        let json = r#"{"tokens": ["a", "b", "ab", "xaba", "aa", "<ab>", "c"], "control": [5]}"#;
        let vocabulary = Vocabulary::from_json(json).unwrap();
        // Of a token with the text inside, the beginning of another one at its end is of no use.
        assert_eq!(
            from_texts(&vocabulary, &["ab"]),
            [(0, vec![1]), (2, vec![]), (3, vec![]), (4, vec![1]), (5, vec![])]
        );
        assert_eq!(
            from_texts(&vocabulary, &["aab"]),
            [(0, vec![2]), (3, vec![2]), (4, vec![1]), (4, vec![2])]
        );
        assert_eq!(from_texts(&vocabulary, &["", "c"]), [(6, vec![])]);
        // No token spells what comes behind.
        assert_eq!(from_texts(&vocabulary, &["a?"]), []);
    }

    #[test]
    fn long_texts_are_cut() {
        let vocabulary = Vocabulary::from_json(r#"{"tokens": ["x", "y", "z"]}"#).unwrap();
        let text = format!("x{}z", "y".repeat(60));
        assert_eq!(from_texts(&vocabulary, &[&text]), [(0, vec![1; 20])]);
        let text = format!("{}z", "y".repeat(40));
        let cut = DryBreakers::from_texts(&vocabulary, &[&text]);
        assert_eq!(cut, DryBreakers::from_texts(&vocabulary, &["y".repeat(40)]));
    }

    #[test]
    fn a_rest_may_begin_within_a_character() {
        let json = r#"{"tokens": [{"hex": "c3"}, {"hex": "a9"}, "x"]}"#;
        let vocabulary = Vocabulary::from_json(json).unwrap();
        assert_eq!(from_texts(&vocabulary, &["éx"]), [(0, vec![1, 2])]);
    }

    #[test]
    fn the_encoder_of_a_built_in_vocabulary_spells_the_rest() {
        let vocabulary = Vocabulary::from_name("r50k_base").unwrap();
        let breakers = DryBreakers::from_texts(&vocabulary, &[".\n\nThe end"]);
        let expected = vocabulary.encode("\n\nThe end").unwrap();
        let dot = vocabulary.token_by_text(b".").unwrap();
        assert_eq!(breakers.tails(dot).collect::<Vec<_>>(), [expected]);
    }

    proptest! {
        #[test]
        fn default_texts_are_single_tokens_that_contain_one(
            tokens in prop::collection::btree_set("[a:*\n\"]{1,4}", 1..40),
        ) {
            let mut builder = Vocabulary::builder();
            for token in &tokens {
                builder.push(token);
            }
            let vocabulary = builder.build().unwrap();
            let breakers = DryBreakers::from_texts(&vocabulary, &DryBreakers::DEFAULT_TEXTS);
            for (token, id) in tokens.iter().zip(vocabulary.ids()) {
                prop_assert_eq!(breakers.is_breaker(id), token.contains([':', '*', '\n', '"']));
                prop_assert_eq!(breakers.tails(id).count(), usize::from(breakers.is_breaker(id)));
            }
        }
    }

    #[test]
    fn the_last_breaker_counts_and_of_those_that_begin_there_the_longest() {
        let breakers =
            DryBreakers::from_tokens(&[ids(&[7]), ids(&[7, 8]), ids(&[7, 8, 9]), ids(&[])]);
        let behind = |history: &[u32]| {
            breakers.behind_last(&ids(history).into_iter().rev().collect::<Vec<_>>())
        };
        assert_eq!(behind(&[]), 0);
        assert_eq!(behind(&[1, 2, 8, 9]), 4);
        assert_eq!(behind(&[1, 7, 2, 8, 9]), 3);
        assert_eq!(behind(&[1, 7, 8, 2]), 1);
        assert_eq!(behind(&[7, 8, 9, 1, 2, 3]), 3);
        assert_eq!(behind(&[7, 8, 9, 7]), 0);
        assert!(breakers.is_breaker(TokenId(7)) && !breakers.is_breaker(TokenId(8)));
    }
}
