//! The failures that end with exit code 1; all other errors end with 2.

use std::fmt;

/// The input is invalid.
#[derive(Debug)]
pub(super) enum Invalid {
    /// And the user has been told why.
    Said,
    /// For this reason.
    Unsaid(String),
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Said => f.write_str("the input is invalid"),
            Self::Unsaid(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Invalid {}
