//! `write`: documents that a language model writes, each complete and valid, and what the constraint
//! takes of the time.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Args;
use grammask::json_schema::translate;
use grammask::sampler::{
    BudgetError, Candidates, Chain, ChainSettings, Constraint, Engine, Mode, TokenId, Vocabulary,
};
use grammask::{
    Generation, LanguageModel, ModelError, Session, engine_for_schemas, generate, model_in_the_box,
};
use grammask_models::{Device, Evaluation, EvaluationOptions, Model};
use serde::Serialize;
use serde_json::{Value, json};

use crate::judge::Judge;
use crate::schema_options::SchemaOptions;
use crate::times::Distribution;
use crate::{input, output, work};

/// Options of `write`.
#[derive(Args, Serialize)]
pub struct Options {
    /// Folders or archives of schemas; of a test file with the member "schema", that one
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// A GGUF file; by default the model in the box
    #[arg(short, long)]
    model: Option<PathBuf>,
    /// How many documents per schema
    #[arg(long, default_value_t = 3)]
    seeds: u32,
    /// The budget of each document
    #[arg(long, default_value_t = 500)]
    max_tokens: usize,
    /// Every how many-th schema
    #[arg(long, default_value_t = 1)]
    every: usize,
    #[command(flatten)]
    #[serde(flatten)]
    spelling: SchemaOptions,
    /// Where to write the results
    #[arg(long)]
    json: Option<PathBuf>,
}

/// What became of one schema.
#[derive(Default)]
struct Outcome {
    /// Why there are no documents.
    refused: Option<String>,
    /// The budget is too small for it.
    needed: Option<usize>,
    runs: usize,
    unjudged: usize,
    failures: Vec<Value>,
    steps: Steps,
    /// Steps that nothing constrains.
    free: Vec<Duration>,
}

/// The steps of documents, one a token.
#[derive(Default)]
struct Steps {
    model: Vec<Duration>,
    /// The mask, and reading the token; what a chain needs that does not begin with the best tokens.
    constraint: Vec<Duration>,
    chain: Duration,
    /// How many had only one token that may come.
    forced: usize,
}

impl Steps {
    fn add(&mut self, other: Self) {
        self.model.extend(other.model);
        self.constraint.extend(other.constraint);
        self.chain += other.chain;
        self.forced += other.forced;
    }
}

/// Runs the command; whether nothing failed.
pub fn run(options: &Options) -> Result<bool> {
    let model = match &options.model {
        Some(path) => Model::open(path, &Device::Cpu, |_| {})?,
        None => model_in_the_box()?,
    };
    let engine = engine_for_schemas(model.vocabulary().clone(), &options.spelling.options())?;
    let files = input::read_json_files(&options.folders)?;
    let files: Vec<_> = files.into_iter().step_by(options.every.max(1)).collect();
    // Times are taken: one after the other.
    let outcomes = work::in_turn(&files, "schemas", |file| {
        one(&model, &engine, &file.path, &file.bytes, options).with_context(|| file.path.clone())
    })?;
    report(options, &outcomes)
}

fn one(
    model: &Model,
    engine: &Arc<Engine>,
    name: &str,
    bytes: &[u8],
    options: &Options,
) -> Result<Outcome> {
    let file: Value = serde_json::from_slice(bytes)?;
    let schema = input::schema_of(&file);
    let mut outcome = Outcome::default();
    let translation = match translate(schema, &options.spelling.options()) {
        Ok(translation) => translation,
        Err(error) => {
            outcome.refused = Some(error.reasons().join(", "));
            return Ok(outcome);
        }
    };
    let mut constraint = Constraint::new(engine, &translation.grammar, "root")?;
    match constraint.set_budget(options.max_tokens) {
        Ok(()) => {}
        Err(BudgetError::TooSmall { needed, .. }) => {
            outcome.needed = Some(needed);
            return Ok(outcome);
        }
        Err(error) => {
            outcome.refused = Some(error.to_string());
            return Ok(outcome);
        }
    }
    let judge = Judge::new(schema);
    for seed in 0..options.seeds {
        let settings = ChainSettings { seed, ..ChainSettings::default() };
        let chain = settings.chain(engine.vocabulary())?;
        let mut session = Session::new(constraint.clone(), chain, Mode::GrammarFirst);
        let (generation, steps) = document(model, &mut session, options.max_tokens)?;
        outcome.steps.add(steps);
        outcome.runs += 1;
        let text = generation.text(engine.vocabulary());
        let wrong = if generation.ending.is_complete() {
            judge.wrong(&text)
        } else {
            Some("it is not complete".to_owned())
        };
        if let Some(what) = wrong {
            let text = String::from_utf8_lossy(&text);
            outcome.failures.push(json!({"name": name, "seed": seed, "what": what, "text": text}));
        }
        outcome.unjudged += usize::from(!judge.knows());
        if seed == 0 {
            let chain = settings.chain(engine.vocabulary())?;
            outcome.free = free(model, chain, generation.tokens.len())?;
        }
    }
    Ok(outcome)
}

/// A language model, with how long each of its steps took.
struct Clocked {
    model: Evaluation,
    steps: Vec<Duration>,
}

impl LanguageModel for Clocked {
    fn vocabulary(&self) -> &Vocabulary {
        LanguageModel::vocabulary(&self.model)
    }

    fn logits(&mut self, tokens: &[TokenId]) -> Result<&[f32], ModelError> {
        let started = Instant::now();
        let logits = LanguageModel::logits(&mut self.model, tokens);
        self.steps.push(started.elapsed());
        logits
    }
}

/// What stands in front of a document.
fn start(model: &impl LanguageModel) -> Result<TokenId> {
    let end = model.vocabulary().eog_ids().first().copied();
    end.context("the vocabulary has no token that ends generation")
}

/// A document, with its times.
fn document(model: &Model, session: &mut Session, most: usize) -> Result<(Generation, Steps)> {
    let evaluation = Evaluation::new(model, EvaluationOptions::default());
    let mut model = Clocked { model: evaluation, steps: Vec::new() };
    session.accept_prompt(start(&model)?);
    let mut steps = Steps::default();
    let mut constraint = session.constraint().clone();
    let mut ends = Vec::new();
    let started = Instant::now();
    let generation = generate(&mut model, session, most, |session, _| {
        ends.push((started.elapsed(), chain_time(session.chain())));
        ControlFlow::Continue(())
    })?;
    // What is left of a step without the model and the chain.
    let mut before = (Duration::ZERO, Duration::ZERO);
    for (&(end, chain), &model) in ends.iter().zip(&model.steps) {
        let others = chain.saturating_sub(before.1) + model;
        steps.constraint.push(end.saturating_sub(before.0).saturating_sub(others));
        before = (end, chain);
    }
    steps.chain = before.1;
    steps.model = model.steps;
    for &token in &generation.tokens {
        steps.forced += usize::from(constraint.mask().count() == 1);
        constraint.accept(token)?;
    }
    Ok((generation, steps))
}

fn chain_time(chain: &Chain) -> Duration {
    chain.timings().map(|timing| timing.total).sum()
}

/// The times of so many tokens that nothing constrains.
fn free(model: &Model, mut chain: Chain, tokens: usize) -> Result<Vec<Duration>> {
    let mut evaluation = Evaluation::new(model, EvaluationOptions::default());
    let mut text = vec![start(&evaluation)?];
    let mut candidates = Candidates::default();
    let mut steps = Vec::new();
    for _ in 0..tokens {
        let started = Instant::now();
        let token = chain.sample_logits(evaluation.logits(&text)?, &mut candidates);
        let token = token.context("the chain picks nothing")?;
        chain.accept(token);
        steps.push(started.elapsed());
        text.push(token);
    }
    Ok(steps)
}

fn report(options: &Options, outcomes: &[Outcome]) -> Result<bool> {
    let sum = |of: fn(&Outcome) -> usize| outcomes.iter().map(of).sum::<usize>();
    let written = sum(|outcome| usize::from(outcome.runs > 0));
    let too_small = sum(|outcome| usize::from(outcome.needed.is_some()));
    let runs = sum(|outcome| outcome.runs);
    let failures: Vec<&Value> = outcomes.iter().flat_map(|outcome| &outcome.failures).collect();
    let forced = sum(|outcome| outcome.steps.forced);
    let times = |of: fn(&Outcome) -> &[Duration]| -> Distribution {
        outcomes.iter().flat_map(of).copied().collect()
    };
    let (model, constraint) = (times(|o| &o.steps.model), times(|o| &o.steps.constraint));
    let free = times(|outcome| &outcome.free);
    let chain: Duration = outcomes.iter().map(|outcome| outcome.steps.chain).sum();
    let all = model.sum() + constraint.sum() + chain;
    let tokens = model.len();
    let per_second = |count: usize, time: Duration| count as f64 / time.as_secs_f64().max(1e-9);
    let share = |part: f64, all: f64| 100.0 * part / all.max(1e-9);
    let of_forced = share(forced as f64, tokens as f64);
    let of_constraint = share(constraint.sum().as_secs_f64(), all.as_secs_f64());
    let (with, without) = (per_second(tokens, all), per_second(free.len(), free.sum()));
    println!(
        "{written} of {} schemas have documents; {too_small} need more tokens",
        outcomes.len()
    );
    println!("{} of {runs} documents are complete and valid", runs - failures.len());
    println!("{tokens} tokens, {of_forced:.1} % of them forced");
    println!("{with:.0} tokens a second with the constraint, {without:.0} without");
    println!("the constraint takes {of_constraint:.2} % of a step");
    println!("model:      {}", model.line());
    println!("constraint: {}", constraint.line());
    println!("{} failures", failures.len());
    for failure in failures.iter().take(20) {
        println!("  {failure}");
    }
    let passed = failures.is_empty();
    let report = json!({
        "schemas": outcomes.len(),
        "written": written,
        "refused": outcomes.iter().filter_map(|outcome| outcome.refused.as_ref()).collect::<Vec<_>>(),
        "needed": outcomes.iter().filter_map(|outcome| outcome.needed).collect::<Vec<_>>(),
        "runs": runs,
        "unjudged": sum(|outcome| outcome.unjudged),
        "tokens": tokens,
        "forced_percent": of_forced,
        "tokens_per_second": {"constrained": with, "free": without},
        "constraint_percent": of_constraint,
        "model_us": model.figures(),
        "constraint_us": constraint.figures(),
        "failures": failures,
    });
    if let Value::Object(report) = report {
        output::write(options.json.as_deref(), serde_json::to_value(options)?, report)?;
    }
    Ok(passed)
}
