//! Language models from GGUF files, run in the process.
//!
//! A [`Model`] is what a file says: weights, hyperparameters, vocabulary. An [`Evaluation`] is one text
//! that it continues: tokens in, logits of the next token out, with a cache that can go back, be saved
//! to disk and forget its middle. Llama, Qwen 2 and 3, Gemma 3, Phi 3, GLM 4 and LFM 2 are run, with
//! weights of all types that candle knows, on the processor or, with the features `cuda` and `metal`,
//! on a graphics card. Nothing is fetched.

// Sizes and positions are far below what a float can tell apart.
#![allow(clippy::cast_precision_loss)]

mod architecture;
mod attention;
mod cache;
mod config;
mod decoder;
mod digest;
mod error;
mod evaluation;
mod experts;
mod feed_forward;
mod matrix;
mod model;
mod norm;
mod projections;
mod prompt_cache;
mod q8_0;
mod rope;
mod short_convolution;
mod small;
mod weights;

pub use architecture::Architecture;
pub use candle_core::Device;
pub use error::{EvaluateError, LoadError, PromptCacheError};
pub use evaluation::{Evaluation, EvaluationOptions};
pub use model::{Model, Progress};
