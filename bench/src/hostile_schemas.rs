//! `hostile-schemas`: schemas that were made to break something. Each runs in a process of its own
//! with a limit on memory and a watchdog: it gives an error that says what and where, or the right
//! answers.

mod cases;

use std::time::Instant;

use anyhow::{Context, Result};
use grammask::ConstrainError;
use grammask::json_schema::{Options as Translation, SchemaErrorKind};
use grammask::sampler::{Constraint, Engine, TokenMask, Vocabulary};
use grammask_bench_protocol::{peak_mb, processor_ms};
use serde_json::{Value, json};

use crate::verdict::{self, Verdict};
use crate::watched::{self, Limits, VOCABULARY};
use cases::Case;

/// The options of the subcommand.
#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    watched: watched::Options,
    /// Most processor time of a case, in milliseconds (loading the vocabulary is not counted)
    #[arg(long, default_value_t = 2000)]
    limit_ms: u64,
    /// When the watchdog bites, in seconds; more than the limit, for a machine that is busy
    #[arg(long, default_value_t = 20)]
    timeout: u64,
}

/// Runs every case; whether none failed.
pub fn run(options: &Options) -> Result<bool> {
    let limits = Limits { limit_ms: options.limit_ms, timeout: options.timeout };
    let options = &options.watched;
    let mut cases = cases::all();
    if let Some(part) = &options.only {
        cases.retain(|case| case.name.contains(part.as_str()));
    }
    if options.list {
        for case in &cases {
            println!("{}", case.name);
        }
        return Ok(true);
    }
    if let Some(name) = &options.run {
        let case = cases.iter().find(|case| case.name == name);
        let report = alone(case.with_context(|| format!("no case is called {name}"))?)?;
        println!("{report}");
        return Ok(report["outcome"] == "ok");
    }

    println!(
        "{:34} {:>8} {:>8} {:>8} {:>8}  outcome",
        "case", "MB", "cpu ms", "peak MB", "mask ms"
    );
    let mut reports = Vec::new();
    let mut failures = Vec::new();
    for case in &cases {
        let report = options.watch("hostile-schemas", case.name, limits)?;
        let number = |name: &str| report[name].as_f64().unwrap_or(0.0);
        println!(
            "{:34} {:>8.1} {:>8.0} {:>8.0} {:>8.1}  {}: {}",
            case.name,
            number("schema_mb"),
            number("cpu_ms"),
            number("peak_mb"),
            number("mask_ms"),
            report["outcome"].as_str().unwrap_or("?"),
            report["answer"].as_str().unwrap_or("?"),
        );
        if report["outcome"] != "ok" {
            failures.push(json!({ "name": case.name, "what": report["outcome"] }));
        }
        reports.push(report);
    }
    println!("{} of {} cases work", cases.len() - failures.len(), cases.len());
    options.write("hostile-schemas", limits, &reports, &failures, 0)?;
    Ok(failures.is_empty())
}

/// Runs a case in this process.
fn alone(case: &Case) -> Result<Value> {
    let engine = Engine::new(Vocabulary::from_name(VOCABULARY)?);
    let text = (case.schema)();
    let before = processor_ms("self");
    let started = Instant::now();
    let mut mask_ms = 0.0;
    let found = match grammask::schema_constraint(&engine, &text, &Translation::default()) {
        Ok(constraint) => {
            let mut mask = TokenMask::new(engine.vocabulary().len());
            let start = Instant::now();
            constraint.fill_mask(&mut mask);
            mask_ms = start.elapsed().as_secs_f64() * 1000.0;
            wrong_verdict(case, &constraint).map_or(Ok("right answers".to_owned()), Err)
        }
        Err(error) => {
            let answer = format!("{:.120}", error.to_string());
            if case.refused.contains(&kind(&error)) { Ok(answer) } else { Err(answer) }
        }
    };
    let cpu_ms = processor_ms("self") - before;
    let (outcome, answer) = match found {
        Ok(answer) => ("ok", answer),
        Err(answer) => ("wrong", answer),
    };
    Ok(json!({
        "name": case.name,
        "outcome": outcome,
        "answer": answer,
        "schema_mb": text.len() as f64 / 1e6,
        "cpu_ms": cpu_ms,
        "wall_ms": started.elapsed().as_secs_f64() * 1000.0,
        "mask_ms": mask_ms,
        "peak_mb": peak_mb("self"),
    }))
}

fn wrong_verdict(case: &Case, constraint: &Constraint) -> Option<String> {
    let texts = (case.accept)().into_iter().map(|text| (text, true));
    let mut texts = texts.chain((case.reject)().into_iter().map(|text| (text, false)));
    texts.find_map(|(text, expected)| {
        let matcher = constraint.matcher().expect("it is strict");
        let found = verdict::by_matcher(matcher, text.as_bytes());
        let wrong = (found == Verdict::Complete) != expected;
        wrong.then(|| format!("{found}: {text:.60}"))
    })
}

/// The kind of an error, as the cases name it.
fn kind(error: &ConstrainError) -> &'static str {
    match error {
        ConstrainError::Json(_) => "json",
        ConstrainError::Schema(error) => match error.kind() {
            SchemaErrorKind::Invalid { .. } => "invalid",
            SchemaErrorKind::UnresolvedReference { .. } => "unresolved",
            SchemaErrorKind::ReferenceLoop => "loop",
            SchemaErrorKind::Unsupported(_) => "unsupported",
            SchemaErrorKind::Limit { .. } => "limit",
            _ => "other",
        },
        _ => "other",
    }
}
