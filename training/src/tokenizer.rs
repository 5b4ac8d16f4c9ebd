//! The vocabulary: byte-level BPE, learnt from documents of the corpus.

use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};
use tokenizers::models::TrainerWrapper;
use tokenizers::models::bpe::{BPE, BpeTrainer};
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::{AddedToken, SplitDelimiterBehavior};

use crate::corpus;

/// How Qwen 2 parts a text before merges: the `qwen2` of `tokenizer.ggml.pre`. Each digit is by itself.
const SPLIT: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// Opens and ends every document.
pub(crate) const END_OF_TEXT: &str = "<|endoftext|>";
/// Ends a message.
pub(crate) const END_OF_TURN: &str = "<|im_end|>";
/// Tokens that no text spells.
const CONTROL: [&str; 3] = [END_OF_TEXT, "<|im_start|>", END_OF_TURN];
/// Tokens of their own that are part of the text.
const MARKS: [&str; 4] = ["<tool_call>", "</tool_call>", "<think>", "</think>"];

/// How many documents the merges are learnt from.
const DOCUMENTS: u64 = 30_000;

/// Text to tokens and back.
pub(crate) struct Tokenizer {
    inner: tokenizers::Tokenizer,
    end_of_text: u32,
}

/// What a GGUF file has of a vocabulary.
pub(crate) struct Listing {
    /// What the tokens spell, in the alphabet of GPT-2 for bytes.
    pub(crate) tokens: Vec<String>,
    /// Pairs with a space between them, in order of rank.
    pub(crate) merges: Vec<String>,
    /// `LLAMA_TOKEN_TYPE_*` of llama.cpp: 1 normal, 3 control, 4 user-defined.
    pub(crate) types: Vec<i32>,
}

impl Tokenizer {
    /// Learns `size` tokens from documents of the stream `seed`.
    pub(crate) fn train(seed: u64, size: usize) -> Result<Self> {
        Self::train_on(seed, size, DOCUMENTS)
    }

    /// As [`Tokenizer::train`], of so many documents.
    pub(crate) fn train_on(seed: u64, size: usize, documents: u64) -> Result<Self> {
        let fail = |error| anyhow!("training the tokenizer: {error}");
        let mut inner = tokenizers::Tokenizer::new(BPE::default());
        let split =
            Split::new(SplitPattern::Regex(SPLIT.into()), SplitDelimiterBehavior::Isolated, false)
                .map_err(fail)?;
        let bytes = ByteLevel::new(false, false, false);
        inner.with_pre_tokenizer(Some(Sequence::new(vec![split.into(), bytes.into()])));
        inner.with_decoder(Some(bytes));
        let mut trainer: TrainerWrapper = BpeTrainer::builder()
            .vocab_size(size - CONTROL.len() - MARKS.len())
            .initial_alphabet(ByteLevel::alphabet().into_iter().collect())
            .show_progress(false)
            .build()
            .into();
        let texts = (0..documents).map(|number| {
            let mut text = corpus::document(seed, number).text;
            for mark in CONTROL.iter().chain(&MARKS) {
                text = text.replace(mark, "\n");
            }
            text
        });
        inner.train(&mut trainer, texts).map_err(fail)?;
        inner.add_special_tokens(CONTROL.map(|text| AddedToken::from(text, true))).map_err(fail)?;
        inner
            .add_tokens(MARKS.map(|text| AddedToken::from(text, false).normalized(false)))
            .map_err(fail)?;
        ensure!(
            inner.get_vocab_size(true) == size,
            "the corpus gives {} tokens instead of {size}: train on more documents, or ask for fewer tokens",
            inner.get_vocab_size(true)
        );
        Self::new(inner)
    }

    fn new(inner: tokenizers::Tokenizer) -> Result<Self> {
        let end_of_text = inner
            .token_to_id(END_OF_TEXT)
            .with_context(|| format!("the tokenizer has no {END_OF_TEXT}"))?;
        Ok(Self { inner, end_of_text })
    }

    /// Reads what [`Tokenizer::save`] has written.
    pub(crate) fn load(path: &Path) -> Result<Self> {
        let inner = tokenizers::Tokenizer::from_file(path)
            .map_err(|error| anyhow!("{}: {error}", path.display()))?;
        Self::new(inner)
    }

    /// Writes a `tokenizer.json`.
    pub(crate) fn save(&self, path: &Path) -> Result<()> {
        self.inner.save(path, false).map_err(|error| anyhow!("{}: {error}", path.display()))
    }

    /// The tokens of a text; the spellings of control tokens stand for them.
    pub(crate) fn encode(&self, text: &str) -> Result<Vec<u32>> {
        let encoding = self
            .inner
            .encode_fast(text, false)
            .map_err(|error| anyhow!("encoding a text: {error}"))?;
        Ok(encoding.get_ids().to_vec())
    }

    /// A document with the token that opens and ends it.
    pub(crate) fn document(&self, text: &str) -> Result<Vec<u32>> {
        let mut tokens = vec![self.end_of_text];
        tokens.extend(self.encode(text)?);
        tokens.push(self.end_of_text);
        Ok(tokens)
    }

    /// The text of tokens, control tokens included.
    pub(crate) fn decode(&self, tokens: &[u32]) -> Result<String> {
        self.inner.decode(tokens, false).map_err(|error| anyhow!("decoding tokens: {error}"))
    }

    /// The token that opens and ends a document.
    pub(crate) fn end_of_text(&self) -> u32 {
        self.end_of_text
    }

    /// The number of a token.
    pub(crate) fn id(&self, token: &str) -> Result<u32> {
        self.inner.token_to_id(token).with_context(|| format!("the tokenizer has no token {token}"))
    }

    /// The vocabulary as lists.
    pub(crate) fn listing(&self) -> Result<Listing> {
        let size = self.inner.get_vocab_size(true) as u32;
        let tokens: Vec<String> = (0..size)
            .map(|id| self.inner.id_to_token(id).with_context(|| format!("token {id} has no text")))
            .collect::<Result<_>>()?;
        let types = tokens
            .iter()
            .map(|token| match token.as_str() {
                token if CONTROL.contains(&token) => 3,
                token if MARKS.contains(&token) => 4,
                _ => 1,
            })
            .collect();
        let json = serde_json::to_value(&self.inner)?;
        let merges = json["model"]["merges"].as_array().context("the tokenizer has no merges")?;
        let merges = merges
            .iter()
            .map(|pair| match (pair[0].as_str(), pair[1].as_str()) {
                (Some(left), Some(right)) => Ok(format!("{left} {right}")),
                _ => Err(anyhow!("a merge of the tokenizer is no pair: {pair}")),
            })
            .collect::<Result<_>>()?;
        Ok(Listing { tokens, merges, types })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_come_back_from_their_tokens() {
        let tokenizer = Tokenizer::train_on(1, 640, 300).unwrap();
        for number in 300..400 {
            let text = corpus::document(1, number).text;
            let tokens = tokenizer.encode(&text).unwrap();
            assert_eq!(tokenizer.decode(&tokens).unwrap(), text);
        }
        // Bytes that no document has.
        let text = "\u{0}\u{7f}ÿ€🦀\r\n\t'S";
        assert_eq!(tokenizer.decode(&tokenizer.encode(text).unwrap()).unwrap(), text);
    }

    #[test]
    fn digits_and_marks_are_tokens_of_their_own() {
        let tokenizer = Tokenizer::train_on(1, 640, 300).unwrap();
        assert_eq!(tokenizer.encode("2026").unwrap().len(), 4);
        for mark in CONTROL.iter().chain(&MARKS) {
            assert_eq!(tokenizer.encode(mark).unwrap(), [tokenizer.id(mark).unwrap()]);
        }
        let listing = tokenizer.listing().unwrap();
        assert_eq!(listing.tokens.len(), 640);
        assert_eq!(listing.types.iter().filter(|&&kind| kind == 3).count(), CONTROL.len());
        assert_eq!(listing.types.iter().filter(|&&kind| kind == 4).count(), MARKS.len());
        assert_eq!(listing.merges.len(), 640 - 256 - CONTROL.len() - MARKS.len());
    }
}
