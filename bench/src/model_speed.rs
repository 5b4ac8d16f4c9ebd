//! `models`: how long models take to load, to read a prompt and to write a token.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use grammask_models::{Device, Evaluation, EvaluationOptions, Model};
use grammask_sampler::TokenId;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::output;
use crate::times::Distribution;

/// Options of `models`.
#[derive(Args, Serialize)]
pub struct Options {
    /// GGUF files
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// How many tokens the prompt has
    #[arg(long, default_value_t = 256)]
    prompt: usize,
    /// How many tokens follow, one by one
    #[arg(long, default_value_t = 512)]
    tokens: usize,
    /// Where to write the result
    #[arg(long)]
    #[serde(skip)]
    json: Option<PathBuf>,
}

pub fn run(options: &Options) -> Result<bool> {
    let rows = options.paths.iter().map(|path| measure(path, options));
    let rows = rows.collect::<Result<Vec<Value>>>()?;
    for row in &rows {
        println!(
            "{}: loaded in {} ms, prompt {} us a token, then {} us a token (median)",
            row["name"].as_str().unwrap_or(""),
            row["load_ms"],
            row["prompt_us"],
            row["token_us"]["p50"],
        );
    }
    let report = Map::from_iter([("rows".to_owned(), rows.into())]);
    output::write(options.json.as_deref(), serde_json::to_value(options)?, report)?;
    Ok(true)
}

fn measure(path: &Path, options: &Options) -> Result<Value> {
    let start = Instant::now();
    let model = Model::open(path, &Device::Cpu, |_| {})?;
    let load = start.elapsed();
    let count = model.vocabulary().len();
    // Any tokens: what they are makes no difference to how long they take.
    let token = |at: usize| TokenId((at * 7_919 % count) as u32);
    let mut text: Vec<TokenId> = (0..options.prompt.max(1)).map(token).collect();
    let mut evaluation = Evaluation::new(&model, EvaluationOptions::default());
    let start = Instant::now();
    evaluation.logits(&text)?;
    let prompt = start.elapsed();
    let mut times = Vec::new();
    for at in 0..options.tokens {
        text.push(token(at));
        let start = Instant::now();
        evaluation.logits(&text)?;
        times.push(start.elapsed());
    }
    let times: Distribution = times.into_iter().collect();
    let prompt = prompt.as_secs_f64() / options.prompt.max(1) as f64;
    Ok(json!({
        "name": path.display().to_string(),
        "load_ms": load.as_secs_f64() * 1e3,
        "prompt_us": prompt * 1e6,
        "token_us": times.figures(),
    }))
}
