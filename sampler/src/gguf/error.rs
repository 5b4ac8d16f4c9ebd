//! What can be wrong with the head of a GGUF file.

use thiserror::Error;

/// Why the head of a GGUF file cannot be read, or a value in it not be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GgufError {
    /// A field is missing or wrong.
    #[error("GGUF: {field}: {message}")]
    Field {
        /// The key of the metadata, or a part of the header.
        field: String,
        /// What is wrong.
        message: String,
    },
    /// The file cannot be read.
    #[error("cannot read it: {message}")]
    Unreadable {
        /// What the system says.
        message: String,
    },
}

impl GgufError {
    /// What is wrong with a field.
    ///
    /// ```
    /// use grammask_sampler::gguf::GgufError;
    ///
    /// let error = GgufError::field("llama.block_count", "is 0");
    /// assert_eq!(error.to_string(), "GGUF: llama.block_count: is 0");
    /// ```
    pub fn field(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Field { field: field.into(), message: message.into() }
    }
}

impl From<std::io::Error> for GgufError {
    fn from(error: std::io::Error) -> Self {
        Self::Unreadable { message: error.to_string() }
    }
}
