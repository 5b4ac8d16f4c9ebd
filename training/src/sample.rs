//! Texts that a model writes, without a grammar.

use anyhow::Result;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::network::{Network, exp, max, sum};
use crate::tokenizer::Tokenizer;

/// Draws out of the softmax of logits divided by a temperature; the highest when that is 0.
fn draw(logits: &[f32], temperature: f32, rng: &mut ChaCha8Rng) -> u32 {
    let highest = max(logits);
    if temperature == 0.0 {
        return logits.iter().position(|&logit| logit >= highest).unwrap_or(0) as u32;
    }
    let weights: Vec<f32> =
        logits.iter().map(|logit| exp((logit - highest) / temperature)).collect();
    let mut rest = rng.random::<f32>() * sum(&weights);
    for (token, weight) in weights.iter().enumerate() {
        rest -= weight;
        if rest <= 0.0 {
            return token as u32;
        }
    }
    weights.len() as u32 - 1
}

/// How to write a text.
pub(crate) struct Options<'a> {
    pub(crate) prompt: &'a str,
    pub(crate) temperature: f32,
    pub(crate) seed: u64,
    /// The most tokens that are written.
    pub(crate) tokens: usize,
}

/// What the model writes after the prompt, until it ends the document.
pub(crate) fn sample(
    network: &Network,
    parameters: &[f32],
    tokenizer: &Tokenizer,
    options: &Options,
) -> Result<String> {
    let mut rng = ChaCha8Rng::seed_from_u64(options.seed);
    let mut tokens = vec![tokenizer.end_of_text()];
    tokens.extend(tokenizer.encode(options.prompt)?);
    let prompt = tokens.len();
    let most = network.shape.context.min(prompt + options.tokens);
    while tokens.len() < most {
        let logits = network.logits(parameters, &tokens);
        let token =
            draw(&logits[logits.len() - network.shape.vocabulary..], options.temperature, &mut rng);
        if token == tokenizer.end_of_text() {
            break;
        }
        tokens.push(token);
    }
    tokenizer.decode(&tokens[prompt..])
}
