//! The vocabularies of tiktoken.

use std::borrow::Cow;
use std::collections::HashSet;

use tiktoken_rs::CoreBPE;

use super::{EncodeError, Tokenizer, Vocabulary, VocabularyError};
use crate::TokenId;

/// A vocabulary that is built in.
///
/// ```
/// use grammask_sampler::TiktokenName;
///
/// let name: TiktokenName = "cl100k_base".parse()?;
/// assert_eq!((name, name.as_str()), (TiktokenName::Cl100kBase, "cl100k_base"));
/// # Ok::<(), grammask_sampler::VocabularyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TiktokenName {
    /// `o200k_base`: 199,998 ordinary tokens, ids up to 200,018 with gaps from 199,998.
    O200kBase,
    /// `cl100k_base`: 100,256 ordinary tokens, ids up to 100,276 with gaps.
    Cl100kBase,
    /// `r50k_base`: 50,256 ordinary tokens, no gaps. GPT-2's.
    R50kBase,
}

impl TiktokenName {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::O200kBase, Self::Cl100kBase, Self::R50kBase];

    /// The name as tiktoken writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::Cl100kBase => "cl100k_base",
            Self::R50kBase => "r50k_base",
        }
    }

    /// All names, for a message.
    pub(super) fn list() -> String {
        Self::ALL.map(Self::as_str).join(", ")
    }

    /// The table written by the build script.
    fn table(self) -> &'static [u8] {
        macro_rules! table {
            ($name:literal) => {
                include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".table"))
            };
        }
        match self {
            Self::O200kBase => table!("o200k_base"),
            Self::Cl100kBase => table!("cl100k_base"),
            Self::R50kBase => table!("r50k_base"),
        }
    }

    /// `<|endoftext|>`, which ends generation.
    fn end_of_text(self) -> TokenId {
        TokenId(match self {
            Self::O200kBase => 199_999,
            Self::Cl100kBase => 100_257,
            Self::R50kBase => 50_256,
        })
    }

    /// The encoder: built on first use, then kept.
    fn encoder(self) -> &'static CoreBPE {
        match self {
            Self::O200kBase => tiktoken_rs::o200k_base_singleton(),
            Self::Cl100kBase => tiktoken_rs::cl100k_base_singleton(),
            Self::R50kBase => tiktoken_rs::r50k_base_singleton(),
        }
    }

    /// Appends the tokens of a text, in which special tokens are mere text.
    pub(super) fn encode(self, text: &str, tokens: &mut Vec<TokenId>) -> Result<(), EncodeError> {
        // `encode_ordinary` would panic where this reports.
        let (ids, _) = self
            .encoder()
            .encode(text, &HashSet::new())
            .map_err(|error| EncodeError::Split { message: error.to_string() })?;
        tokens.extend(ids.into_iter().map(TokenId));
        Ok(())
    }
}

impl std::str::FromStr for TiktokenName {
    type Err = VocabularyError;

    fn from_str(name: &str) -> Result<Self, VocabularyError> {
        Self::ALL
            .into_iter()
            .find(|known| known.as_str() == name)
            .ok_or_else(|| VocabularyError::UnknownName { name: name.to_owned() })
    }
}

/// Reads the table of a built-in vocabulary (layout: build.rs).
pub(super) fn load(name: TiktokenName) -> Vocabulary {
    let (words, _) = name.table().as_chunks();
    let word = |at: usize| u32::from_le_bytes(words[at]) as usize;
    let (ids, ordinary) = (word(0), word(1));
    let read = |start: usize, count: usize| {
        words[start..start + count].iter().map(|&word| u32::from_le_bytes(word))
    };
    let offsets: Vec<u32> = read(2, ids + 1).collect();
    let ordered: Vec<TokenId> = read(3 + ids, ordinary).map(TokenId).collect();
    let bytes = &name.table()[4 * (3 + ids + ordinary)..];

    // What spells something and is not ordinary is special.
    let mut is_ordinary = vec![false; ids];
    for token in &ordered {
        is_ordinary[token.index()] = true;
    }
    let control = (0..ids as u32)
        .map(TokenId)
        .filter(|id| !is_ordinary[id.index()] && offsets[id.index()] < offsets[id.index() + 1])
        .collect();
    let mut vocabulary = Vocabulary {
        bytes: Cow::Borrowed(bytes),
        offsets,
        control,
        eog: vec![name.end_of_text()],
        ordered: Vec::new(),
        longest: 0,
        tokenizer: Tokenizer::Tiktoken(name),
    };
    vocabulary.set_ordered(ordered);
    vocabulary
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_says_what_the_encoder_says() {
        for name in TiktokenName::ALL {
            let vocabulary = load(name);
            let encoder = name.encoder();
            let special = encoder.special_tokens();
            for token in vocabulary.ids() {
                let expected = encoder.decode_bytes(&[token.0]).ok();
                assert_eq!(vocabulary.bytes(token), expected.as_deref(), "{name:?} {token}");
                let text = expected.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok());
                let is_special = text.is_some_and(|text| special.contains(text));
                assert_eq!(vocabulary.is_control(token), is_special, "{name:?} {token}");
            }
            let beyond = vocabulary.len() as u32;
            assert!((beyond..beyond + 2000).all(|id| encoder.decode_bytes(&[id]).is_err()));
            assert_eq!(vocabulary.bytes(name.end_of_text()), Some(&b"<|endoftext|>"[..]));
            assert!(vocabulary.ordered().is_sorted_by_key(|&token| vocabulary.spelling(token)));
        }
    }
}
