//! Settings that no sampler can work with.

use thiserror::Error;

use crate::TokenId;

/// A setting that a sampler cannot work with.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// A setting that has to be a finite number.
    #[error("{parameter} of sampler {sampler} must be a finite number, not {value}")]
    NotFinite {
        /// The name of the sampler.
        sampler: &'static str,
        /// The name of the setting.
        parameter: &'static str,
        /// Its value.
        value: f32,
    },
    /// A setting that has to be a finite number above zero.
    #[error("{parameter} of sampler {sampler} must be a finite number above 0, not {value}")]
    NotPositive {
        /// The name of the sampler.
        sampler: &'static str,
        /// The name of the setting.
        parameter: &'static str,
        /// Its value.
        value: f32,
    },
    /// A bias that is no number.
    #[error("the bias of token {token} is not a number")]
    BiasNotANumber {
        /// The token.
        token: TokenId,
    },
    /// One token with a bias of +inf and one of -inf.
    #[error("token {token} has a bias of inf and a bias of -inf")]
    BiasContradicts {
        /// The token.
        token: TokenId,
    },
}

/// The value, if it is a finite number.
pub(super) fn finite(
    sampler: &'static str,
    parameter: &'static str,
    value: f32,
) -> Result<f32, ParameterError> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(ParameterError::NotFinite { sampler, parameter, value })
    }
}
