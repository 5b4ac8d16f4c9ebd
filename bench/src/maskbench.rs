//! `maskbench`: real schemas with valid and invalid instances, token by token through masks.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use grammask::json_schema::{SchemaError, SchemaErrorKind, translate};
use grammask::sampler::{Constraint, Engine, TokenMask};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::schema_options::SchemaOptions;
use crate::times::{Distribution, TokenTime, timed};
use crate::verdict::{self, Verdict};
use crate::{input, output, process, python, vocabularies, work};

/// How many of the slowest files a report names.
const SLOWEST: usize = 10;

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
    /// Verdicts that are wrong, and how long it took to come to them.
    Judged {
        false_accept: Vec<String>,
        false_reject: Vec<String>,
        times: Times,
    },
    /// Why it has no grammar.
    Unsupported(Vec<String>),
    Crash,
}

/// How long a schema takes.
struct Times {
    /// From the schema to the grammar.
    translate: Duration,
    /// From the grammar to the constraint.
    compile: Duration,
    first_mask: Duration,
    /// The tokens of its instances, as far as they are accepted.
    tokens: Vec<TokenTime>,
}

impl Times {
    /// From the schema to the first mask.
    fn to_first_mask(&self) -> Duration {
        self.translate + self.compile + self.first_mask
    }
}

/// Runs every file; whether no verdict is wrong and nothing panicked.
pub fn run(options: &Options) -> Result<bool> {
    let engine = Engine::new(vocabularies::load(&options.vocab)?);
    let files = input::read_json_files(&options.folders)?;
    let files: Vec<_> =
        files.into_iter().skip(options.offset).step_by(options.every.max(1)).collect();
    let outcomes = work::in_turn(&files, "schemas", |file| {
        let row: File = serde_json::from_slice(&file.bytes).with_context(|| file.path.clone())?;
        let judged = catch_unwind(AssertUnwindSafe(|| judge(&engine, &row, options)));
        judged.unwrap_or(Ok(Outcome::Crash)).with_context(|| file.path.clone())
    })?;

    let (mut passing, mut unsupported, mut crash) = (0, 0, 0);
    let (mut accepting, mut rejecting) = (0, 0);
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let (mut failures, mut refused) = (Vec::new(), Vec::new());
    let mut times = Vec::new();
    for (file, outcome) in files.iter().zip(outcomes) {
        match outcome {
            Outcome::Judged { false_accept, false_reject, times: these } => {
                times.push((&*file.path, these));
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
                refused.push(json!({"file": file.path, "reasons": why}));
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
    let mut times = summary(&times);
    let mut report = json!({
        "schemas": schemas,
        "passing": passing,
        "unsupported": unsupported,
        "schemas_false_accept": accepting,
        "schemas_false_reject": rejecting,
        "crash": crash,
        "timeout": 0,
        "reasons": reasons,
        "failures": failures,
        "refused": refused,
    });
    if let (Value::Object(report), Value::Object(times)) = (&mut report, &mut times) {
        report.append(times);
    }
    if let Value::Object(report) = json!({"engines": {"grammask": report}}) {
        output::write(options.json.as_deref(), serde_json::to_value(options)?, report)?;
    }
    Ok(accepting + rejecting + crash == 0)
}

/// Prints the times, and gives them as a report has them.
fn summary(times: &[(&str, Times)]) -> Value {
    let starts = |of: fn(&Times) -> Duration| {
        times.iter().map(|(_, times)| of(times)).collect::<Distribution>()
    };
    let tokens = |of: fn(&TokenTime) -> Duration| {
        times.iter().flat_map(|(_, times)| &times.tokens).map(of).collect::<Distribution>()
    };
    let first = starts(Times::to_first_mask);
    let (mask, commit) = (tokens(|time| time.mask), tokens(|time| time.commit));
    let token = tokens(|time| time.mask + time.commit);
    println!("to the first mask: {}", first.line());
    println!("mask:              {}", mask.line());
    println!("commit:            {}", commit.line());
    json!({
        "tokens": times.iter().map(|(_, times)| times.tokens.len()).sum::<usize>(),
        "ttfm_us": first.figures(),
        "translate_us": starts(|times| times.translate).figures(),
        "compile_us": starts(|times| times.compile).figures(),
        "first_mask_us": starts(|times| times.first_mask).figures(),
        "tbm_us": token.figures(),
        "mask_us": mask.figures(),
        "commit_us": commit.figures(),
        "total_cpu_s": (first.sum() + token.sum()).as_secs_f64(),
        "peak_rss_mb": process::peak_mb("self"),
        "slowest_first_masks": slowest(times, Times::to_first_mask),
        "slowest_masks": slowest(times, |times| {
            times.tokens.iter().map(|token| token.mask).max().unwrap_or_default()
        }),
    })
}

/// The files that take longest, with the microseconds.
fn slowest(times: &[(&str, Times)], of: impl Fn(&Times) -> Duration) -> Vec<Value> {
    let mut times: Vec<_> = times.iter().map(|(path, times)| (of(times), path)).collect();
    times.sort_unstable_by(|one, other| other.cmp(one));
    let rows = times.into_iter().take(SLOWEST);
    rows.map(|(time, path)| json!({"file": path, "us": time.as_secs_f64() * 1e6})).collect()
}

fn judge(engine: &Arc<Engine>, row: &File, options: &Options) -> Result<Outcome> {
    let (translation, translate) = timed(|| translate(&row.schema, &options.spelling.options()));
    let translation = match translation {
        Ok(translation) => translation,
        Err(error) => return Ok(Outcome::Unsupported(reasons(&error))),
    };
    let (constraint, compile) = timed(|| Constraint::new(engine, &translation.grammar, "root"));
    let constraint = match constraint {
        Ok(constraint) => constraint,
        Err(error) => return Ok(Outcome::Unsupported(vec![error.to_string()])),
    };
    let mut mask = TokenMask::new(engine.vocabulary().len());
    let ((), first_mask) = timed(|| constraint.clone().fill_mask(&mut mask));
    let (mut false_accept, mut false_reject) = (Vec::new(), Vec::new());
    let mut times = Times { translate, compile, first_mask, tokens: Vec::new() };
    for test in &row.tests {
        let text = python::dumps(&test.data);
        let tokens = engine.vocabulary().encode(&text)?;
        let read = verdict::by_timed_masks(&constraint, &tokens, &mut times.tokens);
        let accepted = read.map_err(anyhow::Error::msg)?.0 == Verdict::Complete;
        if accepted != test.valid {
            if accepted { false_accept.push(text) } else { false_reject.push(text) }
        }
    }
    Ok(Outcome::Judged { false_accept, false_reject, times })
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
