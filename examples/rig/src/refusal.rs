//! Why a request is not answered.

use grammask::ConstrainError;
use grammask::agents::ToolError;
use grammask::sampler::{BudgetError, EncodeError, SettingsError};
use rig_core::error::ProviderError;
use thiserror::Error;

/// Why a request is refused, before the first token.
#[derive(Debug, Error)]
pub enum Refusal {
    /// What is asked for does not fit into the tokens that there may be.
    #[error("max_tokens: {0}")]
    Budget(#[from] BudgetError),
    /// A document or a call, as the model likes.
    #[error(
        "output_schema and tools that may be called: an answer can be held to one of them; give \
         tool_choice `None` or `Required`, or the output mode `Tool`"
    )]
    SchemaAndTools,
    /// The tools, or the choice among them.
    #[error(transparent)]
    Tools(#[from] ToolError),
    /// A choice of no tool.
    #[error("tool_choice names no tool; give `None` if none may be called")]
    NothingChosen,
    /// The schema.
    #[error("output_schema: {0}")]
    Schema(#[source] ConstrainError),
    /// The grammar of calls.
    #[error(transparent)]
    Calls(ConstrainError),
    /// A sampler cannot work with a setting.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The vocabulary cannot spell the prompt.
    #[error("the prompt: {0}")]
    Prompt(#[from] EncodeError),
    /// Images and the like.
    #[error("the conversation has other content than text, calls and their results")]
    Content,
    /// A call in the conversation.
    #[error("the format of calls cannot carry the call of {name:?} in the conversation")]
    Call {
        /// The tool.
        name: String,
    },
}

impl From<Refusal> for ProviderError {
    fn from(refusal: Refusal) -> Self {
        Self::request(refusal)
    }
}
