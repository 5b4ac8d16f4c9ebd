//! placeholder
mod pieces;
mod json_stream;
pub use pieces::Pieces;
pub use json_stream::{JsonError, JsonErrorKind, JsonStream};
