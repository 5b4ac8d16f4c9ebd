//! Putting a vocabulary together.

use std::borrow::Cow;

use super::{Tokenizer, Vocabulary, VocabularyError};
use crate::TokenId;

/// Puts a vocabulary together, token by token; the ids are 0, 1, 2 and so on.
///
/// ```
/// use grammask_sampler::{TokenId, Vocabulary};
///
/// let mut builder = Vocabulary::builder();
/// builder.push("a").push([0xff]).push_gap().push_eog("</s>");
/// let vocabulary = builder.build()?;
/// assert_eq!(vocabulary.len(), 4);
/// assert_eq!(vocabulary.eog_ids(), [TokenId(3)]);
/// # Ok::<(), grammask_sampler::VocabularyError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct VocabularyBuilder {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    control: Vec<TokenId>,
    eog: Vec<TokenId>,
    gaps: Vec<TokenId>,
    fallbacks: Vec<TokenId>,
}

impl VocabularyBuilder {
    /// An ordinary token has at most so many bytes: walks through the vocabulary recurse as deep.
    pub const LONGEST_TOKEN: usize = 2_048;

    /// The id of the token that comes next. (Beyond 2^32 tokens `build` fails.)
    fn next_id(&self) -> TokenId {
        TokenId(u32::try_from(self.ends.len()).unwrap_or(u32::MAX))
    }

    /// Adds an ordinary token.
    pub fn push(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.bytes.extend_from_slice(bytes.as_ref());
        self.ends.push(self.bytes.len());
        self
    }

    /// Adds an ordinary token that stands behind all others that spell the same: tokenizers write a
    /// byte by itself only where no other token has it.
    pub(super) fn push_fallback(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.fallbacks.push(self.next_id());
        self.push(bytes)
    }

    /// Adds a control token: never part of a text, whatever its own text is (it may be empty).
    pub fn push_control(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.control.push(self.next_id());
        self.push(bytes)
    }

    /// Adds a control token that ends generation.
    pub fn push_eog(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.eog.push(self.next_id());
        self.push_control(bytes)
    }

    /// Adds an id that is no token and is never allowed.
    pub fn push_gap(&mut self) -> &mut Self {
        self.gaps.push(self.next_id());
        self.push([])
    }

    /// Makes control tokens of ids added before.
    ///
    /// # Errors
    ///
    /// [`VocabularyError::IdOutOfRange`].
    pub fn mark_control(
        &mut self,
        ids: impl IntoIterator<Item = u64>,
    ) -> Result<&mut Self, VocabularyError> {
        for id in ids {
            let token = self.check("control", id)?;
            self.control.push(token);
        }
        Ok(self)
    }

    /// Makes control tokens that end generation of ids added before.
    ///
    /// # Errors
    ///
    /// [`VocabularyError::IdOutOfRange`].
    pub fn mark_eog(
        &mut self,
        ids: impl IntoIterator<Item = u64>,
    ) -> Result<&mut Self, VocabularyError> {
        for id in ids {
            let token = self.check("eog", id)?;
            self.eog.push(token);
            self.control.push(token);
        }
        Ok(self)
    }

    fn check(&self, list: &'static str, id: u64) -> Result<TokenId, VocabularyError> {
        let len = self.ends.len();
        u32::try_from(id)
            .ok()
            .map(TokenId)
            .filter(|token| token.index() < len)
            .ok_or(VocabularyError::IdOutOfRange { list, id, len })
    }

    /// The vocabulary. A text is encoded by taking the longest token that fits, again and again.
    ///
    /// # Errors
    ///
    /// [`VocabularyError::NoTokens`], [`VocabularyError::EmptyToken`],
    /// [`VocabularyError::LongToken`] (these of ordinary tokens only), and [`VocabularyError::TooLarge`] beyond 2^32 - 1 tokens or bytes.
    pub fn build(self) -> Result<Vocabulary, VocabularyError> {
        let limit = u32::MAX;
        for (unit, value) in [("tokens", self.ends.len()), ("bytes", self.bytes.len())] {
            if value >= limit as usize {
                return Err(VocabularyError::TooLarge { unit, value, limit: limit - 1 });
            }
        }
        if self.ends.is_empty() {
            return Err(VocabularyError::NoTokens);
        }
        let sorted_set = |mut ids: Vec<TokenId>| {
            ids.sort_unstable();
            ids.dedup();
            ids
        };
        let mut vocabulary = Vocabulary {
            bytes: Cow::Owned(self.bytes),
            offsets: std::iter::once(0).chain(self.ends.iter().map(|&end| end as u32)).collect(),
            control: sorted_set(self.control),
            eog: sorted_set(self.eog),
            ordered: Vec::new(),
            longest: 0,
            tokenizer: Tokenizer::Greedy,
        };
        // A gap that was marked as a control token is one with an empty text.
        let gaps = sorted_set(self.gaps);
        let mut ordered = Vec::new();
        for token in vocabulary.ids().filter(|&token| !vocabulary.is_control(token)) {
            if gaps.binary_search(&token).is_ok() {
                continue;
            }
            match vocabulary.spelling(token).len() {
                0 => return Err(VocabularyError::EmptyToken { token }),
                len if len > Self::LONGEST_TOKEN => {
                    let limit = Self::LONGEST_TOKEN;
                    return Err(VocabularyError::LongToken { token, len, limit });
                }
                _ => ordered.push(token),
            }
        }
        let fallbacks = self.fallbacks;
        ordered.sort_unstable_by(|&one, &other| {
            let is_last = |token: TokenId| (fallbacks.binary_search(&token).is_ok(), token);
            vocabulary
                .spelling(one)
                .cmp(vocabulary.spelling(other))
                .then_with(|| is_last(one).cmp(&is_last(other)))
        });
        vocabulary.set_ordered(ordered);
        Ok(vocabulary)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Constraint, Engine};
    use grammask_gbnf::parse;

    #[test]
    fn long_tokens_have_a_limit_and_are_walked_through() {
        let vocabulary = |len: usize| {
            let mut builder = Vocabulary::builder();
            builder.push("a".repeat(len)).push("\"a").push("b").push_eog("</s>").clone().build()
        };
        let (token, limit) = (TokenId(0), VocabularyBuilder::LONGEST_TOKEN);
        assert_eq!(
            vocabulary(limit + 1).err(),
            Some(VocabularyError::LongToken { token, len: limit + 1, limit })
        );
        let engine = Engine::new(vocabulary(limit).unwrap());
        // Of a table, and step by step.
        for text in ["root ::= [a-z]+ \"!\"", "root ::= \"a\" (root | \"b\")"] {
            let constraint = Constraint::new(&engine, &parse(text).unwrap(), "root").unwrap();
            assert!(constraint.mask().contains(token), "{text}");
        }
    }
}
