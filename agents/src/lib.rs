//! Tools to a grammar, and the output of a model back to calls, while it is written.
mod event;
mod format;
mod json_stream;
mod parser;
mod pieces;
mod plan;
mod reading;
mod tools;
mod write;

pub use event::{CallError, Event};
pub use format::Format;
pub use json_stream::{JsonError, JsonErrorKind, JsonStream};
pub use parser::Parser;
pub use pieces::Pieces;
pub use plan::{Activation, Mark, Plan, Trigger, plan};
pub use tools::{Tool, ToolChoice, ToolError, Tools};
pub use write::Call;
