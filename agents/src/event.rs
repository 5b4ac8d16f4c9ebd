//! What an output is made of, as it is read.

use serde::{Serialize, Serializer};
use serde_json::Value;
use thiserror::Error;

use crate::json_stream::JsonError;

/// A part of an output.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// Text for the user.
    Content {
        /// More of it.
        text: String,
    },
    /// Text that the model thinks.
    Reasoning {
        /// More of it.
        text: String,
    },
    /// A call begins: its name is known.
    CallStart {
        /// Its number, from 0.
        index: usize,
        /// The name of the tool.
        name: String,
        /// Its id, if the format has any and it is known by then.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
    },
    /// More of the arguments of a call, as JSON text.
    Arguments {
        /// The number of the call.
        index: usize,
        /// The text; those of a call together are its arguments.
        delta: String,
    },
    /// A call has ended.
    CallEnd {
        /// Its number.
        index: usize,
        /// Its id, if that came after the arguments.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// Its arguments: an object.
        arguments: Value,
    },
    /// A call is malformed; reading goes on behind it.
    Error {
        /// Its number, if it had begun: there is no other end of it.
        #[serde(skip_serializing_if = "Option::is_none")]
        index: Option<usize>,
        /// All of its text.
        text: String,
        /// What is wrong.
        reason: CallError,
    },
}

/// What is wrong with a call.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CallError {
    /// A part of the format is not there.
    #[error("{expected:?} expected")]
    Expected {
        /// The part.
        expected: String,
    },
    /// There is no tool of this name.
    #[error("no tool is named {name:?}")]
    UnknownTool {
        /// The name.
        name: String,
    },
    /// The arguments, or the call as an object, are no JSON.
    #[error("no JSON: {0}")]
    Json(#[from] JsonError),
    /// A member of a call that is an object is missing, there twice or of another type.
    #[error("no call: the member {key:?}")]
    Member {
        /// Its key.
        key: String,
    },
    /// The arguments are no object.
    #[error("the arguments are no object")]
    NoObject,
    /// The value of an argument is not as its schema wants it to be written.
    #[error("the argument {key:?} is no JSON")]
    Argument {
        /// Its key.
        key: String,
    },
    /// A control token has no place in the call.
    #[error("the control token {token} within the call")]
    Control {
        /// The token.
        token: String,
    },
    /// The output has ended within the call.
    #[error("the output has ended within the call")]
    Unfinished,
}

impl Serialize for CallError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
