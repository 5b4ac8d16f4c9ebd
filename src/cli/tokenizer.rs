//! From the text of a prompt to the tokens of a model.

mod byte_pairs;
mod gguf;
mod hugging_face;
mod merging;
mod pre_tokenizer;
mod sentence_piece;
mod special_tokens;
#[cfg(test)]
mod tests;
mod unigram;

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use grammask::sampler::gguf::{Header, MAGIC};
use grammask::sampler::{Engine, TiktokenName, TokenId, Vocabulary};
use thiserror::Error;

pub(super) use gguf::GgufTokenizer;
use hugging_face::HuggingFace;

/// How texts become tokens.
#[derive(Debug)]
pub(super) enum Tokenizer {
    /// As the metadata of a GGUF file say.
    Gguf(Box<GgufTokenizer>),
    /// As a `tokenizer.json` says.
    HuggingFace(Box<HuggingFace>),
    /// As tiktoken does with a vocabulary that is built in.
    Tiktoken(Arc<Engine>),
    /// The longest token that fits, again and again: nobody says how it should be done.
    Longest(Arc<Engine>),
}

/// What texts begin and end with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ends {
    pub(super) bos: End,
    pub(super) eos: End,
}

/// A token at an end of texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct End {
    pub(super) token: Option<TokenId>,
    /// Whether it is put there.
    pub(super) is_added: bool,
}

impl Ends {
    /// Whether tokens have the token in front that is put there.
    pub(super) fn has_bos(&self, tokens: &[TokenId]) -> bool {
        self.bos.added().is_some_and(|bos| tokens.first() == Some(&bos))
    }

    /// Puts it there, unless they have it.
    pub(super) fn put_bos(&self, tokens: &mut Vec<TokenId>) {
        if let Some(bos) = self.bos.added()
            && !self.has_bos(tokens)
        {
            tokens.insert(0, bos);
        }
    }
}

impl End {
    /// The token, if it is put there.
    fn added(self) -> Option<TokenId> {
        self.token.filter(|_| self.is_added)
    }
}

/// Why a text has no tokens.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum EncodeError {
    /// The vocabulary lacks bytes.
    #[error("no token of the vocabulary spells the byte 0x{byte:02X} of the prompt")]
    Unspellable {
        /// The byte.
        byte: u8,
    },
    /// Its words or pieces were not found.
    #[error("the prompt cannot be split: {0}")]
    Split(String),
}

impl Tokenizer {
    /// The tokenizer of the vocabulary that `--vocab` names.
    pub(super) fn of_vocabulary(name: &str, engine: &Arc<Engine>) -> anyhow::Result<Self> {
        if name.parse::<TiktokenName>().is_ok() {
            return Ok(Self::Tiktoken(Arc::clone(engine)));
        }
        if name == "-" {
            return Ok(Self::Longest(Arc::clone(engine)));
        }
        let path = Vocabulary::locate(name)?;
        let shown = path.display().to_string();
        if starts_with(&path, MAGIC).context(shown.clone())? {
            let header = Header::read(File::open(&path)?).context(shown.clone())?;
            let tokenizer = GgufTokenizer::new(&header, engine.vocabulary()).context(shown)?;
            return Ok(Self::Gguf(Box::new(tokenizer)));
        }
        match HuggingFace::read(&path).context(shown)? {
            Some(tokenizer) => Ok(Self::HuggingFace(Box::new(tokenizer))),
            None => Ok(Self::Longest(Arc::clone(engine))),
        }
    }

    /// The tokens of a text; special tokens are written as their texts. `with_ends`: with what the
    /// tokenizer puts around texts.
    pub(super) fn encode(&self, text: &str, with_ends: bool) -> anyhow::Result<Vec<TokenId>> {
        let mut tokens = match self {
            Self::Gguf(tokenizer) => tokenizer.encode(text)?,
            Self::HuggingFace(tokenizer) => return Ok(tokenizer.encode(text, with_ends)?),
            Self::Tiktoken(engine) | Self::Longest(engine) => {
                let vocabulary = engine.vocabulary();
                return Ok(vocabulary.encode_with(text, vocabulary.control_ids())?);
            }
        };
        if with_ends {
            let ends = self.ends();
            ends.put_bos(&mut tokens);
            tokens.extend(ends.eos.added());
        }
        Ok(tokens)
    }

    /// What texts begin and end with, as far as it is known.
    pub(super) fn ends(&self) -> Ends {
        match self {
            Self::Gguf(tokenizer) => tokenizer.ends().clone(),
            _ => Ends::default(),
        }
    }

    /// What its user should know.
    pub(super) fn note(&self) -> Option<&str> {
        match self {
            Self::Gguf(tokenizer) => tokenizer.note.as_deref(),
            Self::Longest(_) => Some(
                "the vocabulary does not say how texts are split: the prompt is spelled by the longest \
                tokens that fit",
            ),
            Self::HuggingFace(_) | Self::Tiktoken(_) => None,
        }
    }
}

fn starts_with(path: &Path, magic: &[u8]) -> std::io::Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(magic.len() as u64).read_to_end(&mut start)?;
    Ok(start == magic)
}
