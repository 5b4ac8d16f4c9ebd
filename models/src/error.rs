//! What can go wrong with a model.

use std::path::Path;

use grammask_sampler::gguf::GgufError;
use grammask_sampler::{TokenId, VocabularyError};
use thiserror::Error;

/// Why a file is no model that can be run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A part of the head of the file is missing or wrong, or a value in it cannot be used.
    #[error(transparent)]
    Gguf(#[from] GgufError),
    /// The tokens in the file are no vocabulary.
    #[error(transparent)]
    Vocabulary(#[from] VocabularyError),
    /// Models of this architecture are not run.
    #[error(
        "GGUF: general.architecture: {name:?} is not run; there are {}",
        crate::Architecture::list()
    )]
    Architecture {
        /// What the file says.
        name: String,
    },
    /// A tensor is missing, too much, or not as it should be.
    #[error("tensor {name:?}: {message}")]
    Tensor {
        /// Which one.
        name: String,
        /// What is wrong.
        message: String,
    },
    /// The file cannot be read.
    #[error("cannot read it: {0}")]
    Unreadable(#[from] std::io::Error),
    /// The device refuses something.
    #[error("the device: {message}")]
    Device {
        /// What it says.
        message: String,
    },
    /// What is wrong with the file at a path.
    #[error("{path}: {error}")]
    File {
        /// The path.
        path: String,
        /// What is wrong.
        error: Box<LoadError>,
    },
}

impl LoadError {
    pub(crate) fn key(key: impl Into<String>, message: impl Into<String>) -> Self {
        GgufError::field(key, message).into()
    }

    pub(crate) fn tensor(name: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Tensor { name: name.into(), message: message.into() }
    }

    pub(crate) fn in_file(self, path: &Path) -> Self {
        Self::File { path: path.display().to_string(), error: Box::new(self) }
    }
}

impl From<candle_core::Error> for LoadError {
    fn from(error: candle_core::Error) -> Self {
        Self::Device { message: error.to_string() }
    }
}

/// Why there are no logits. The evaluation is as before, and can be asked for another text.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// No token follows nothing.
    #[error("there are no tokens: begin with the one that the vocabulary has for the beginning")]
    NoTokens,
    /// A token that the model does not have.
    #[error("the model has no token {token}: there are {count}")]
    UnknownToken {
        /// The token.
        token: TokenId,
        /// How many the model has.
        count: usize,
    },
    /// A text that is longer than the context before it is continued.
    #[error(
        "the prompt has {len} tokens, and the context {limit}: shorten it, or take a larger context"
    )]
    PromptTooLong {
        /// How many tokens the prompt has.
        len: usize,
        /// How many the context has.
        limit: usize,
    },
    /// The text fills the context, and nothing may be dropped.
    #[error("the context of {limit} tokens is full")]
    ContextFull {
        /// How many tokens the context has.
        limit: usize,
    },
    /// The device refuses something.
    #[error("the device: {message}")]
    Device {
        /// What it says.
        message: String,
    },
}

impl From<candle_core::Error> for EvaluateError {
    fn from(error: candle_core::Error) -> Self {
        Self::Device { message: error.to_string() }
    }
}

/// Why a state cannot be saved or restored.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PromptCacheError {
    /// The file cannot be read or written.
    #[error("cannot read or write the prompt cache: {0}")]
    Io(#[from] std::io::Error),
    /// The file is no prompt cache, or one of another version.
    #[error("it is no prompt cache of this version: {message}")]
    Format {
        /// What is wrong.
        message: String,
    },
    /// The state is that of another model.
    #[error("the prompt cache belongs to another model file: make it anew")]
    OtherModel,
    /// The text does not fit into the context.
    #[error("the prompt cache holds {len} tokens, and the context {limit}: take a larger context")]
    TooLong {
        /// How many tokens are in the file.
        len: usize,
        /// How many the context has.
        limit: usize,
    },
    /// A part of the file is wrong.
    #[error("prompt cache: {field}: {message}")]
    Field {
        /// Which part.
        field: &'static str,
        /// What is wrong.
        message: String,
    },
    /// The device refuses something.
    #[error("the device: {message}")]
    Device {
        /// What it says.
        message: String,
    },
}

impl From<candle_core::Error> for PromptCacheError {
    fn from(error: candle_core::Error) -> Self {
        Self::Device { message: error.to_string() }
    }
}
