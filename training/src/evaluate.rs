//! How good a model is, on documents that it has not read.

use anyhow::Result;
use serde_json::Value;

use crate::corpus::{self, Kind};
use crate::network::{Batch, Network};
use crate::sample;
use crate::tokenizer::Tokenizer;

/// Documents of another stream than those of the training.
const HELD_OUT: u64 = 0x000B_ADCA_FE00;
/// Documents for the loss.
const DOCUMENTS: u64 = 400;
/// Sentences to take values out of.
const EXTRACTIONS: u64 = 100;

/// The mean loss of a token, in nats: over all documents, and for each kind.
pub(crate) fn losses(
    network: &Network,
    parameters: &[f32],
    tokenizer: &Tokenizer,
) -> Result<(f64, Vec<(Kind, f64)>)> {
    let mut sums = Kind::SHARES.map(|(kind, _)| (kind, 0.0, 0_usize));
    for number in 0..DOCUMENTS {
        let document = corpus::document(HELD_OUT, number);
        let mut tokens = tokenizer.document(&document.text)?;
        tokens.truncate(network.shape.context + 1);
        let mut batch = Batch::default();
        batch.push(&tokens);
        let losses = network.losses(parameters, &batch);
        for (kind, sum, count) in &mut sums {
            if *kind == document.kind {
                *sum += losses.iter().map(|&loss| f64::from(loss)).sum::<f64>();
                *count += losses.len();
            }
        }
    }
    let (total, count) =
        sums.iter().fold((0.0, 0), |(total, all), (_, sum, count)| (total + sum, all + count));
    let kinds = sums.map(|(kind, sum, count)| (kind, sum / count as f64)).to_vec();
    Ok((total / count as f64, kinds))
}

/// What the model makes of sentences, taking the likeliest token each time, without a grammar.
#[derive(Debug, Default)]
pub(crate) struct Extraction {
    /// Sentences.
    pub(crate) sentences: usize,
    /// Answers that are JSON.
    pub(crate) json: usize,
    /// Values that the sentences say.
    pub(crate) values: usize,
    /// Those that are members of the answers, whatever the keys.
    pub(crate) copied: usize,
}

/// Has the model take values out of sentences.
pub(crate) fn extraction(
    network: &Network,
    parameters: &[f32],
    tokenizer: &Tokenizer,
) -> Result<Extraction> {
    let mut result = Extraction::default();
    for number in 0..EXTRACTIONS {
        let (prompt, expected) = corpus::extraction(HELD_OUT, number);
        let options = sample::Options { prompt: &prompt, temperature: 0.0, seed: 0, tokens: 200 };
        let answer = sample::sample(network, parameters, tokenizer, &options)?;
        let members = |value: &Value| -> Vec<Value> {
            value.as_object().map(|object| object.values().cloned().collect()).unwrap_or_default()
        };
        let answer = serde_json::from_str::<Value>(&answer).ok();
        result.sentences += 1;
        result.json += usize::from(answer.is_some());
        let found = answer.as_ref().map(members).unwrap_or_default();
        let said = members(&expected);
        result.values += said.len();
        result.copied += said.iter().filter(|value| found.contains(value)).count();
    }
    Ok(result)
}
