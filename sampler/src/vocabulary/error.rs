//! What can be wrong with a vocabulary, and with a text for it.

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
    /// Two ordinary tokens spell the same.
    #[error("tokens {first} and {second} are the same: {}", show(.bytes))]
    DuplicateToken {
        /// The lower id.
        first: TokenId,
        /// The higher id.
        second: TokenId,
        /// What both spell.
        bytes: Vec<u8>,
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

/// Bytes for a message: text in quotes, escaped and cut where it is long.
fn show(bytes: &[u8]) -> String {
    const LONGEST: usize = 40;
    let (shown, more) =
        if bytes.len() > LONGEST { (&bytes[..LONGEST], "...") } else { (bytes, "") };
    format!("\"{}\"{more}", shown.escape_ascii())
}
