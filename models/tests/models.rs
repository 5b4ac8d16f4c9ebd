//! Models of all architectures, small and random: they agree with what others compute, whatever
//! happened to the cache before, write documents of a schema, and what is no model is an error.

#![allow(clippy::cast_precision_loss)]

#[path = "models/agreement.rs"]
mod agreement;
#[path = "models/candle.rs"]
mod candle;
#[path = "models/documents.rs"]
mod documents;
#[path = "models/hostile.rs"]
mod hostile;
#[path = "models/oracle.rs"]
mod oracle;
#[path = "models/prompt_caches.rs"]
mod prompt_caches;
#[path = "models/texts.rs"]
mod texts;
#[path = "models/tiny.rs"]
mod tiny;

use grammask_models::{Evaluation, EvaluationOptions, Model};
use grammask_sampler::TokenId;

/// Tokens of a random text.
fn text(len: usize, seed: u64) -> Vec<TokenId> {
    let mut random = tiny::Random(seed);
    (0..len).map(|_| TokenId(random.next() % tiny::TOKENS as u32)).collect()
}

/// Logits of a text that nothing was known of.
fn fresh(model: &Model, tokens: &[TokenId]) -> Vec<f32> {
    let mut evaluation = Evaluation::new(model, EvaluationOptions::default());
    evaluation.logits(tokens).expect("there are logits").to_vec()
}

/// The largest difference between two lists of numbers.
fn difference(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    assert!(a.iter().chain(b).all(|number| number.is_finite()));
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}
