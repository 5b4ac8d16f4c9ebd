//! What a generation was like, as JSON.

use std::time::Duration;

use grammask::sampler::{Chain, Constraint, TokenId, Vocabulary};
use grammask::{Ending, Generation, LanguageModel, ModelError};
use serde_json::{Value, json};

/// How long it took.
#[derive(Debug, Default)]
pub(super) struct Times {
    pub(super) load: Duration,
    pub(super) compile: Duration,
    pub(super) prompt: Duration,
    pub(super) generate: Duration,
    /// What the model took of that.
    pub(super) model: Duration,
}

/// A model whose time is taken.
pub(super) struct Clocked<'a> {
    pub(super) model: &'a mut dyn LanguageModel,
    pub(super) spent: Duration,
}

impl LanguageModel for Clocked<'_> {
    fn vocabulary(&self) -> &Vocabulary {
        self.model.vocabulary()
    }

    fn logits(&mut self, tokens: &[TokenId]) -> Result<&[f32], ModelError> {
        let start = std::time::Instant::now();
        let logits = self.model.logits(tokens);
        self.spent += start.elapsed();
        logits
    }
}

/// A text and what is known about it.
pub(super) struct Report<'a> {
    pub(super) generation: &'a Generation,
    /// What was allowed from the start on.
    pub(super) constraint: Constraint,
    pub(super) chain: &'a Chain,
    pub(super) is_complete: bool,
    pub(super) model: &'a str,
    /// How many tokens the prompt has, and how many of them the model had to evaluate.
    pub(super) prompt: usize,
    pub(super) evaluated: usize,
    pub(super) times: &'a Times,
}

impl Report<'_> {
    pub(super) fn to_json(&self) -> Value {
        let Self { generation, times, .. } = self;
        let text = generation.text(self.constraint.engine().vocabulary());
        let samplers = self.chain.names().zip(self.chain.timings()).map(|(name, timing)| {
            json!({"name": name, "ms": milliseconds(timing.total), "calls": timing.calls})
        });
        let sampling: Duration = self.chain.timings().map(|timing| timing.total).sum();
        // What is left of a step when model and samplers are taken out: the mask, the candidates that it
        // leaves, and the token that is read.
        let constraint = times.generate.saturating_sub(times.model).saturating_sub(sampling);
        let count = generation.tokens.len();
        json!({
            "text": String::from_utf8_lossy(&text),
            "tokens": generation.tokens.iter().map(|token| token.0).collect::<Vec<_>>(),
            "complete": self.is_complete,
            "ending": match generation.ending {
                Ending::EndOfGeneration => "end-of-generation",
                Ending::Finished => "finished",
                Ending::MaxTokens => "max-tokens",
                _ => "stopped",
            },
            "model": self.model,
            "prompt_tokens": self.prompt,
            "evaluated_prompt_tokens": self.evaluated,
            "forced_tokens": self.forced(),
            "timings": {
                "load_ms": milliseconds(times.load),
                "compile_ms": milliseconds(times.compile),
                "prompt_ms": milliseconds(times.prompt),
                "generate_ms": milliseconds(times.generate),
                "model_ms": milliseconds(times.model),
                "constraint_ms": milliseconds(constraint),
                "constraint_share": share(constraint, times.generate),
                "constraint_ms_per_token": milliseconds(constraint / (count.max(1) as u32)),
                "tokens_per_second": rate(count, times.generate),
                "prompt_tokens_per_second": rate(self.evaluated, times.prompt),
                "samplers": samplers.collect::<Vec<_>>(),
            },
        })
    }

    /// How many tokens were the only ones that were allowed.
    fn forced(&self) -> usize {
        let mut constraint = self.constraint.clone();
        let mut forced = 0;
        for &token in &self.generation.tokens {
            forced += usize::from(constraint.mask().count() == 1);
            if constraint.accept(token).is_err() {
                break;
            }
        }
        forced
    }
}

fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

/// Nothing takes no time.
fn share(part: Duration, of: Duration) -> Option<f64> {
    let share = part.as_secs_f64() / of.as_secs_f64();
    share.is_finite().then(|| (share * 1e4).round() / 1e4)
}

#[allow(clippy::cast_precision_loss)] // For people to look at.
fn rate(count: usize, time: Duration) -> Option<f64> {
    let rate = count as f64 / time.as_secs_f64();
    rate.is_finite().then(|| rate.round())
}
