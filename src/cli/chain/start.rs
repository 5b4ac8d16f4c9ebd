//! What a chain starts from: logits from a file, or generated.

use std::sync::Arc;

use anyhow::{Context, bail};
use grammask::sampler::{Engine, Mt19937, TokenId, Vocabulary, uniform_f64};
use serde_json::Value;

use crate::cli::args::ChainArgs;
use crate::cli::input::Source;
use crate::cli::vocabulary;

/// Tokens with their logits, and what they spell.
pub(super) struct Start {
    pub(super) engine: Arc<Engine>,
    pub(super) logits: Vec<(TokenId, f32)>,
}

impl Start {
    pub(super) fn load(args: &ChainArgs) -> anyhow::Result<Self> {
        let engine = args.vocab.as_deref().map(vocabulary::load).transpose()?;
        let Some(path) = &args.logits else {
            let logits = generated(args.count, args.logits_seed);
            return Self::of_ids(engine, logits).context("--count");
        };
        let source = Source::read(path)?;
        let name = &source.name;
        let value = serde_json::from_slice(&source.bytes).with_context(|| name.clone())?;
        let start = match (value, engine) {
            (Value::Array(values), _) if values.is_empty() => bail!("{name}: there are no logits"),
            (Value::Object(entries), _) if entries.is_empty() => {
                bail!("{name}: there are no logits")
            }
            (Value::Array(values), engine) => {
                let logits = (0..).zip(&values).map(|(id, value): (usize, _)| {
                    logit(value).with_context(|| format!("the logit at index {id}"))
                });
                logits.collect::<Result<_, _>>().and_then(|logits| Self::of_ids(engine, logits))
            }
            (Value::Object(entries), engine) => Self::of_texts(engine, &entries),
            _ => bail!("{name}: an array of logits, or an object of tokens and logits, expected"),
        };
        start.with_context(|| name.clone())
    }

    /// The ids count from 0. Without a vocabulary the tokens have no texts.
    fn of_ids(engine: Option<Arc<Engine>>, logits: Vec<f32>) -> anyhow::Result<Self> {
        let engine = if let Some(engine) = engine {
            engine
        } else {
            let mut builder = Vocabulary::builder();
            for _ in &logits {
                builder.push_control("");
            }
            Engine::new(builder.build()?)
        };
        let of = engine.vocabulary().len();
        if logits.len() > of {
            bail!("{} logits, but the vocabulary has {of} tokens", logits.len());
        }
        Ok(Self { engine, logits: (0..).map(TokenId).zip(logits).collect() })
    }

    /// Without a vocabulary these texts are it.
    fn of_texts(
        engine: Option<Arc<Engine>>,
        entries: &serde_json::Map<String, Value>,
    ) -> anyhow::Result<Self> {
        let engine = if let Some(engine) = engine {
            engine
        } else {
            let mut builder = Vocabulary::builder();
            for text in entries.keys() {
                builder.push(text);
            }
            Engine::new(builder.build()?)
        };
        let vocabulary = engine.vocabulary();
        let logits = entries.iter().map(|(text, value)| {
            let token = token(vocabulary, text)
                .with_context(|| format!("the vocabulary has no token {text:?}"))?;
            let logit = logit(value).with_context(|| format!("the logit of {text:?}"))?;
            Ok((token, logit))
        });
        let logits = logits.collect::<anyhow::Result<_>>()?;
        Ok(Self { engine, logits })
    }
}

/// An ordinary token, or else a control token.
fn token(vocabulary: &Vocabulary, text: &str) -> Option<TokenId> {
    vocabulary.token_by_text(text.as_bytes()).or_else(|| {
        let mut control = vocabulary.control_ids().iter().copied();
        control.find(|&id| vocabulary.bytes(id) == Some(text.as_bytes()))
    })
}

/// A number, or what JSON cannot write as one: `"nan"`, `"inf"`, `"-inf"`.
fn logit(value: &Value) -> anyhow::Result<f32> {
    if let Some(number) = value.as_f64() {
        let logit = number as f32;
        return if logit.is_finite() { Ok(logit) } else { bail!("{value} is too great") };
    }
    match value.as_str().map(str::parse) {
        Some(Ok(logit)) => Ok(logit),
        _ => bail!("{value} is no number"),
    }
}

/// Normally distributed around 0 with a standard deviation of 2.5, which looks like a model's.
/// (Box and Muller 1958, with the Mersenne Twister)
fn generated(count: u32, seed: u32) -> Vec<f32> {
    const DEVIATION: f64 = 2.5;
    let mut generator = Mt19937::new(seed);
    let mut draw = || {
        // 1 minus what is in [0, 1) has a logarithm.
        let radius = (-2.0 * (1.0 - uniform_f64(&mut generator)).ln()).sqrt();
        let angle = std::f64::consts::TAU * uniform_f64(&mut generator);
        (DEVIATION * radius * angle.cos()) as f32
    };
    (0..count).map(|_| draw()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_logits_are_normal() {
        let logits = generated(100_000, 7);
        let within = |bound: f32| logits.iter().filter(|logit| logit.abs() < bound).count();
        // Of a normal distribution 68.27 % are within one standard deviation, 95.45 % within two.
        assert!(within(2.5).abs_diff(68_270) < 500, "{}", within(2.5));
        assert!(within(5.0).abs_diff(95_450) < 250, "{}", within(5.0));
        assert_eq!(logits[..10], generated(10, 7));
        assert_ne!(logits[..10], generated(10, 8));
    }
}
