//! `maskbench`: real schemas with valid and invalid instances, token by token through masks.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::Args;
use grammask::json_schema::{SchemaError, SchemaErrorKind, translate};
use grammask::sampler::{Constraint, Engine};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::schema_options::SchemaOptions;
use crate::verdict::{self, Verdict};
use crate::{input, output, python, vocabularies, work};

/// Options of `maskbench`.
#[derive(Args, Serialize)]
pub struct Options {
    /// Folders or archives of files of `MaskBench`
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// The vocabulary, by name or file
    #[arg(long, default_value = "o200k_base")]
    vocab: String,
    /// Every how many-th file
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// How many files are left out at the start
    #[arg(long, default_value_t = 0)]
    offset: usize,
    #[command(flatten)]
    #[serde(flatten)]
    spelling: SchemaOptions,
    /// Where to write the result
    #[arg(long)]
    json: Option<PathBuf>,
}

#[derive(Deserialize)]
struct File {
    schema: Value,
    #[serde(default)]
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Test {
    valid: bool,
    data: Value,
}

/// What became of a schema.
enum Outcome {
    /// Verdicts that are wrong.
    Judged {
        false_accept: Vec<String>,
        false_reject: Vec<String>,
    },
    /// Why it has no grammar.
    Unsupported(Vec<String>),
    Crash,
}

/// Runs every file; whether no verdict is wrong and nothing panicked.
pub fn run(options: &Options) -> Result<bool> {
    let engine = Engine::new(vocabularies::load(&options.vocab)?);
    let files = input::read_json_files(&options.folders)?;
    let files: Vec<_> =
        files.into_iter().skip(options.offset).step_by(options.every.max(1)).collect();
    let outcomes = work::each(&files, "schemas", |file| {
        let row: File = serde_json::from_slice(&file.bytes).with_context(|| file.path.clone())?;
        let judged = catch_unwind(AssertUnwindSafe(|| judge(&engine, &row, options)));
        judged.unwrap_or(Ok(Outcome::Crash)).with_context(|| file.path.clone())
    })?;

    let (mut passing, mut unsupported, mut crash) = (0, 0, 0);
    let (mut accepting, mut rejecting) = (0, 0);
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    for (file, outcome) in files.iter().zip(outcomes) {
        match outcome {
            Outcome::Judged { false_accept, false_reject } => {
                passing += usize::from(false_accept.is_empty() && false_reject.is_empty());
                accepting += usize::from(!false_accept.is_empty());
                rejecting += usize::from(!false_reject.is_empty());
                for (what, texts) in [("accept", false_accept), ("reject", false_reject)] {
                    failures.extend(texts.into_iter().map(|text| {
                        json!({"file": file.path, "what": format!("false {what}"), "text": text})
                    }));
                }
            }
            Outcome::Unsupported(why) => {
                unsupported += 1;
                for reason in why {
                    *reasons.entry(reason).or_default() += 1;
                }
            }
            Outcome::Crash => {
                crash += 1;
                failures.push(json!({"file": file.path, "what": "panic"}));
            }
        }
    }
    let schemas = files.len();
    println!(
        "{passing} of {schemas} schemas have every verdict right ({:.2} %)",
        100.0 * passing as f64 / schemas.max(1) as f64
    );
    println!(
        "{accepting} accept an invalid instance, {rejecting} refuse a valid one, \
         {unsupported} are unsupported, {crash} panic"
    );
    for failure in &failures {
        println!("  WRONG {failure}");
    }
    println!("unsupported because of: {}", serde_json::to_string(&reasons)?);
    let report = json!({"engines": {"grammask": {
        "schemas": schemas,
        "passing": passing,
        "unsupported": unsupported,
        "schemas_false_accept": accepting,
        "schemas_false_reject": rejecting,
        "crash": crash,
        "timeout": 0,
        "reasons": reasons,
        "failures": failures,
    }}});
    if let Value::Object(report) = report {
        output::write(options.json.as_deref(), serde_json::to_value(options)?, report)?;
    }
    Ok(accepting + rejecting + crash == 0)
}

fn judge(engine: &Arc<Engine>, row: &File, options: &Options) -> Result<Outcome> {
    let translation = match translate(&row.schema, &options.spelling.options()) {
        Ok(translation) => translation,
        Err(error) => return Ok(Outcome::Unsupported(reasons(&error))),
    };
    let constraint = match Constraint::new(engine, &translation.grammar, "root") {
        Ok(constraint) => constraint,
        Err(error) => return Ok(Outcome::Unsupported(vec![error.to_string()])),
    };
    let (mut false_accept, mut false_reject) = (Vec::new(), Vec::new());
    for test in &row.tests {
        let text = python::dumps(&test.data);
        let tokens = engine.vocabulary().encode(&text)?;
        let read = verdict::by_masks(&constraint, &tokens).map_err(anyhow::Error::msg)?;
        let accepted = read.0 == Verdict::Complete;
        if accepted != test.valid {
            if accepted { false_accept.push(text) } else { false_reject.push(text) }
        }
    }
    Ok(Outcome::Judged { false_accept, false_reject })
}

/// The keywords that refuse a schema, each once, or what else is wrong with it.
pub fn reasons(error: &SchemaError) -> Vec<String> {
    let mut reasons: Vec<String> = match error.kind() {
        SchemaErrorKind::Unsupported(all) => {
            all.iter().map(|refused| refused.keyword.clone()).collect()
        }
        kind => vec![format!("{kind:?}").chars().take(60).collect()],
    };
    reasons.sort();
    reasons.dedup();
    reasons
}
