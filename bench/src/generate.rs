//! `generate`: documents for every schema of a folder, judged by the jsonschema crate.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;
use grammask::json_schema::translate;
use grammask::sampler::{Chain, Constraint, Dist, Engine, Mode, Vocabulary};
use grammask::{Ending, RandomModel, Session, generate};
use serde::Serialize;
use serde_json::{Value, json};

use crate::judge::Judge;
use crate::schema_options::SchemaOptions;
use crate::{input, output, work};

/// Options of `generate`.
#[derive(Args, Serialize)]
pub struct Options {
    /// Folders or archives of schemas; of a test file with the member "schema", that one
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// How many documents per schema
    #[arg(long, default_value_t = 2)]
    seeds: u32,
    /// After how many tokens a document is cut
    #[arg(long, default_value_t = 400)]
    max_tokens: usize,
    /// Every how many-th schema
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// The vocabulary
    #[arg(long, default_value = "o200k_base")]
    vocab: String,
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
    /// The keywords that refused it, or the kind of error.
    refused: Vec<String>,
    runs: usize,
    ended: usize,
    /// Documents that came to no end.
    cut: Vec<Value>,
    /// Documents that the judge refuses, panics and errors.
    failures: Vec<Value>,
    unjudged: usize,
    seconds: f64,
    name: String,
}

/// Runs the command; whether nothing failed.
pub fn run(options: &Options) -> Result<bool> {
    let engine = Engine::new(Vocabulary::from_name(&options.vocab)?);
    let files = input::read_json_files(&options.folders)?;
    let files: Vec<_> = files.into_iter().step_by(options.every.max(1)).collect();
    let outcomes =
        work::each(&files, "schemas", |file| one(&engine, &file.path, &file.bytes, options))?;
    report(options, &outcomes)
}

fn one(engine: &Arc<Engine>, name: &str, bytes: &[u8], options: &Options) -> Result<Outcome> {
    let file: Value = serde_json::from_slice(bytes).with_context(|| name.to_owned())?;
    let schema = input::schema_of(&file);
    let started = Instant::now();
    let mut outcome = Outcome { name: name.to_owned(), ..Outcome::default() };
    let translation = match translate(schema, &options.spelling.options()) {
        Ok(translation) => translation,
        Err(error) => {
            outcome.refused = error.reasons();
            return Ok(outcome);
        }
    };
    let judge = Judge::new(schema);
    for seed in 0..options.seeds {
        outcome.runs += 1;
        let written = catch_unwind(AssertUnwindSafe(|| -> Result<_> {
            let constraint = Constraint::new(engine, &translation.grammar, "root")?;
            if constraint.mask().count() == 0 {
                return Ok(None);
            }
            let mut chain = Chain::new();
            chain.add(Dist::new(seed));
            let mut session = Session::new(constraint, chain, Mode::GrammarFirst);
            let mut model = RandomModel::new(engine, seed).with_words_of(&translation.grammar);
            let done = |_: &mut Session, _| ControlFlow::Continue(());
            Ok(Some(generate(&mut model, &mut session, options.max_tokens, done)?))
        }));
        let mut fail = |what: &str, text: String| {
            outcome.failures.push(json!({"name": name, "seed": seed, "what": what, "text": text}));
        };
        let generation = match written {
            Ok(Ok(Some(generation))) => generation,
            Ok(Ok(None)) => {
                // No document at all: right exactly if there is no valid instance.
                outcome.runs -= 1;
                continue;
            }
            Ok(Err(error)) => {
                fail("error", format!("{error:#}"));
                continue;
            }
            Err(_) => {
                fail("panic", String::new());
                continue;
            }
        };
        if generation.ending == Ending::MaxTokens {
            let text = generation.text(engine.vocabulary());
            let text = String::from_utf8_lossy(&text).into_owned();
            outcome.cut.push(json!({"name": name, "seed": seed, "text": text}));
            continue;
        }
        outcome.ended += 1;
        let text = generation.text(engine.vocabulary());
        let text = String::from_utf8_lossy(&text).into_owned();
        if let Some(what) = judge.wrong(text.as_bytes()) {
            fail(&what, text);
        } else if !judge.knows() {
            outcome.unjudged += 1;
        }
    }
    outcome.seconds = started.elapsed().as_secs_f64();
    Ok(outcome)
}

fn report(options: &Options, outcomes: &[Outcome]) -> Result<bool> {
    let schemas = outcomes.len();
    let translated = outcomes.iter().filter(|outcome| outcome.refused.is_empty()).count();
    let sum = |of: fn(&Outcome) -> usize| outcomes.iter().map(of).sum::<usize>();
    let (runs, ended) = (sum(|outcome| outcome.runs), sum(|outcome| outcome.ended));
    let failures: Vec<&Value> = outcomes.iter().flat_map(|outcome| &outcome.failures).collect();
    let mut keywords: BTreeMap<&str, usize> = BTreeMap::new();
    for keyword in outcomes.iter().flat_map(|outcome| &outcome.refused) {
        *keywords.entry(keyword).or_default() += 1;
    }
    let mut slowest: Vec<(f64, &str)> =
        outcomes.iter().map(|outcome| (outcome.seconds, &*outcome.name)).collect();
    slowest.sort_by(|a, b| b.0.total_cmp(&a.0));
    slowest.truncate(5);
    let share = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
    println!("{translated} of {schemas} schemas translate ({:.1} %)", share(translated, schemas));
    println!(
        "{ended} of {runs} runs end within {} tokens ({:.1} %)",
        options.max_tokens,
        share(ended, runs)
    );
    println!("{} failures", failures.len());
    for (seconds, name) in &slowest {
        println!("  {seconds:.2} s for {name}");
    }
    for failure in failures.iter().take(20) {
        println!("  {failure}");
    }
    println!("refused by keyword: {}", serde_json::to_string(&keywords)?);
    let report = json!({
        "schemas": schemas,
        "translated": translated,
        "refused_by_keyword": keywords,
        "runs": runs,
        "ended": ended,
        "cut": outcomes.iter().flat_map(|outcome| &outcome.cut).collect::<Vec<_>>(),
        "unjudged": sum(|outcome| outcome.unjudged),
        "slowest": slowest,
        "failures": failures,
    });
    let passed = failures.is_empty();
    if let Value::Object(report) = report {
        output::write(options.json.as_deref(), serde_json::to_value(options)?, report)?;
    }
    Ok(passed)
}
