//! Tools to a grammar of calls, and the output of a model back to calls, while it is written.
//!
//! This crate knows neither vocabularies nor models: which marks of a format are control tokens is
//! asked for, and an output comes as text and control tokens.
//!
//! # Example
//!
//! ```
//! use grammask_agents::{Event, Format, ToolChoice, Tools, plan};
//! use grammask_json_schema::Options;
//! use serde_json::json;
//!
//! let tools = Tools::from_openai(&json!([{"type": "function", "function": {
//!     "name": "get_weather",
//!     "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
//! }}]))?;
//! let format = Format::named("qwen3-coder").expect("a known format");
//! let plan = plan(&tools, &ToolChoice::Auto, false, format, &|_| false, &Options::default())?;
//!
//! let mut parser = plan.parser();
//! let mut events = parser.push_text("Let me see.\n<tool_call>\n<function=get_weather>\n<para");
//! events.extend(parser.push_text("meter=city>\nParis\n</parameter>\n</function>\n</tool_call>"));
//! events.extend(parser.finish());
//! assert_eq!(events[0], Event::Content { text: "Let me see.".into() });
//! let arguments = json!({"city": "Paris"});
//! assert_eq!(events.last(), Some(&Event::CallEnd { index: 0, id: None, arguments }));
//! # Ok::<(), grammask_agents::ToolError>(())
//! ```
//!
//! # Main types
//!
//! - [`Tools`], [`ToolChoice`]: what a request to the chat API of `OpenAI` has.
//! - [`Format`]: how a family of models writes calls.
//! - [`plan`], [`Plan`]: the grammar of calls, and when it comes into force.
//! - [`Parser`], [`Event`]: an output to content, reasoning and calls.
//! - [`JsonStream`]: JSON that is read while it is written. [`Pieces`]: the bytes of tokens to text.

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
