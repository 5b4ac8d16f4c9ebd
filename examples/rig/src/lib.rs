//! A local model for [rig](https://docs.rs/rig-core) that writes only what a request allows.
//!
//! Whatever implements [`LanguageModel`](grammask::LanguageModel) becomes a model of rig:
//!
//! - `output_schema` holds the answer to the schema, token by token.
//! - `tools` and `tool_choice` hold calls to the parameters of their tools; calls, reasoning and text
//!   are read back while they are written.
//! - `max_tokens` is kept: the answer is complete within it, or the request is refused.
//! - `temperature`, `top_p` and `seed`, and of `additional_params` also `top_k` and `min_p`, set up the
//!   chain of samplers. What has no meaning here is refused.

mod model;
mod prompt;
mod refusal;
mod turn;
mod wire;

pub use model::LocalModel;
pub use refusal::Refusal;
pub use wire::{Document, Events, Frame, Local, Payload, Reply};
