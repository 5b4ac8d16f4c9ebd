//! What can be wrong with a vocabulary, and with a text for it.

use std::path::Path;

use thiserror::Error;

use super::TiktokenName;
use crate::TokenId;

/// Why there is no vocabulary.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum VocabularyError {
    /// No built-in vocabulary has this name.
    #[error("unknown vocabulary '{name}'; there are {}", TiktokenName::list())]
    UnknownName {
        /// The name asked for.
        name: String,
    },
    /// The text is not JSON, or JSON of another shape.
    #[error("vocabulary is not {{\"tokens\": [..], \"control\": [..], \"eog\": [..]}}: {message}")]
    Format {
        /// What is wrong, with line and column.
        message: String,
    },
    /// A token is given in hexadecimal digits that are none, or an odd number of them.
    #[error("token {token}: '{hex}' is not an even number of hexadecimal digits")]
    Hex {
        /// The token.
        token: TokenId,
        /// What stands there.
        hex: String,
    },
    /// There are no tokens.
    #[error("the vocabulary has no tokens")]
    NoTokens,
    /// An ordinary token spells nothing.
    #[error("token {token} is empty")]
    EmptyToken {
        /// The token.
        token: TokenId,
    },
    /// An ordinary token is longer than those of any tokenizer.
    #[error("token {token} has {len} bytes, more than {limit}")]
    LongToken {
        /// The token.
        token: TokenId,
        /// How many bytes it has.
        len: usize,
        /// How many it may have.
        limit: usize,
    },
    /// A list of ids names one that does not exist.
    #[error("{list} token {id} is out of range: there are {len} tokens")]
    IdOutOfRange {
        /// `control` or `eog`.
        list: &'static str,
        /// The id.
        id: u64,
        /// How many tokens there are.
        len: usize,
    },
    /// A field of a file is missing or wrong.
    #[error("{format}: {}{message}", place(.field))]
    Field {
        /// What the file should be: `tokenizer.json`, `GGUF`, ...
        format: &'static str,
        /// Which field; empty if no field can be named.
        field: String,
        /// What is wrong.
        message: String,
    },
    /// A file or folder cannot be read.
    #[error("cannot read it: {message}")]
    Unreadable {
        /// What the system says.
        message: String,
    },
    /// A file is of no known format, or a folder has none or several that are.
    #[error("it is no vocabulary: {message}")]
    UnknownFormat {
        /// What was looked for.
        message: String,
    },
    /// What is wrong with the file at a path.
    #[error("{path}: {error}")]
    File {
        /// The path.
        path: String,
        /// What is wrong.
        error: Box<VocabularyError>,
    },
    /// The tokens do not fit into 32-bit numbers.
    #[error("the vocabulary has {value} {unit}, more than {limit}")]
    TooLarge {
        /// `tokens` or `bytes`.
        unit: &'static str,
        /// How many there are.
        value: usize,
        /// How many there may be.
        limit: u32,
    },
}

/// Why a text has no tokens.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// No token of the vocabulary continues the text here.
    #[error("no token of the vocabulary spells byte {byte:#04x} at offset {offset} of the text")]
    Unspellable {
        /// Where: a byte offset.
        offset: usize,
        /// The byte there.
        byte: u8,
    },
    /// The pattern that splits text into words gave up, as it does on a million blanks in a row.
    #[error("the text cannot be split into words: {message}")]
    Split {
        /// What the splitter says.
        message: String,
    },
    /// A token whose text should be recognised does not exist.
    #[error("the vocabulary has no token {token}")]
    UnknownToken {
        /// The token.
        token: TokenId,
    },
}

impl VocabularyError {
    /// What is wrong with a field of a file; no name means the whole file.
    pub(super) fn field(
        format: &'static str,
        field: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self::Field { format, field: field.into(), message: message.into() }
    }

    /// The same, with the file where it is.
    pub(super) fn in_file(self, path: &Path) -> Self {
        Self::File { path: path.display().to_string(), error: Box::new(self) }
    }
}

/// A field for a message, if there is one.
fn place(field: &str) -> String {
    if field.is_empty() { String::new() } else { format!("{field}: ") }
}
