//! What a GGUF file says of itself in front of its tensors: metadata, and where each tensor lies.
//!
//! Versions 2 and 3, which are the same for little-endian files: the letters `GGUF`, a version, the
//! number of tensors, the number of values; then the values (key, type, itself); then the
//! descriptions of the tensors (name, dimensions, type, offset); then, from the next multiple of the
//! alignment on, the tensors. All numbers are little-endian; lengths have 64 bits. The format is
//! described at <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>.

mod error;
mod header;
mod reader;
mod value;

pub use error::GgufError;
pub use header::{Header, TensorDescription};
pub use value::{Array, Value};

/// The first bytes of each file.
pub const MAGIC: &[u8; 4] = b"GGUF";
