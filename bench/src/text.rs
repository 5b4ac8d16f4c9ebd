//! `text`: grammars of schemas that are printed and parsed again, and plain ones as llama.cpp reads
//! them.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use clap::Args;
use grammask::gbnf::{Automaton, Dialect, Grammar, ParseConfig};
use grammask::json_schema::{
    Draft, Notation, Options as Translation, Order, Resources, SchemaErrorKind, translate_with,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::schema_options::{SchemaOptions, by_name};
use crate::suite::REMOTES;
use crate::verdict::{self, Verdict};
use crate::{input, output, python, work};

/// Options of `text`.
#[derive(Args, Serialize)]
pub struct Options {
    /// Folders or archives of files of `MaskBench` or of the JSON Schema Test Suite
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// Every how many-th schema
    #[arg(long, default_value_t = 1)]
    every: usize,
    #[command(flatten)]
    #[serde(flatten)]
    spelling: SchemaOptions,
    /// Where to write the result
    #[arg(long)]
    json: Option<PathBuf>,
}

/// A schema with instances; in the suite a group, in `MaskBench` a file.
#[derive(Deserialize)]
struct Row {
    #[serde(skip)]
    place: String,
    #[serde(skip)]
    draft: Draft,
    schema: Value,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Test {
    data: Value,
}

#[derive(Default)]
struct Outcome {
    /// Whether the extended grammar was printed and read.
    extended: bool,
    /// Whether llama.cpp's dialect read the plain grammar.
    plain: bool,
    instances: usize,
    /// Why there is no plain grammar although there is an extended one.
    unsaid: Vec<String>,
    failures: Vec<Value>,
}

/// Runs every schema; whether all verdicts are the same and llama.cpp's dialect reads every plain
/// grammar.
pub fn run(options: &Options) -> Result<bool> {
    let mut rows = Vec::new();
    let mut remotes = Resources::new();
    for file in input::read_json_files(&options.folders)? {
        let path = format!("/{}", file.path);
        let document: Value =
            serde_json::from_slice(&file.bytes).with_context(|| file.path.clone())?;
        if let Some((_, name)) = path.split_once("/remotes/") {
            remotes.insert(&format!("{REMOTES}/{name}"), document)?;
        } else {
            add_rows(document, &file.path, &mut rows).with_context(|| file.path.clone())?;
        }
    }
    let rows: Vec<_> = rows.into_iter().step_by(options.every.max(1)).collect();
    let outcomes = work::each(&rows, "schemas", |row| {
        let judged = catch_unwind(AssertUnwindSafe(|| judge(row, options, &remotes)));
        let outcome = judged.unwrap_or_else(|_| Err(anyhow!("panic")));
        Ok(outcome.unwrap_or_else(|error| Outcome {
            failures: vec![failure(row, &format!("{error:#}"))],
            ..Outcome::default()
        }))
    })?;
    report(options, &outcomes)
}

/// The rows of a file. Those of the suite are in a folder named after their draft.
fn add_rows(document: Value, path: &str, rows: &mut Vec<Row>) -> Result<()> {
    let groups = match document {
        Value::Array(groups) => groups,
        file => vec![file],
    };
    let mut drafts = path.split('/').filter_map(|part| part.strip_prefix("draft"));
    let draft = drafts.find_map(|name| by_name::<Draft>(name).ok()).unwrap_or_default();
    for (index, group) in groups.into_iter().enumerate() {
        let row: Row = serde_json::from_value(group)?;
        rows.push(Row { place: format!("{path}#{index}"), draft, ..row });
    }
    Ok(())
}

fn failure(row: &Row, what: &str) -> Value {
    json!({"name": row.place, "what": what})
}

fn judge(row: &Row, options: &Options, remotes: &Resources<'_>) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let translation = Translation { draft: row.draft, ..options.spelling.options() };
    let translated = |order: Order, notation: Notation| {
        let translation = Translation { order, notation, ..translation.clone() };
        translate_with(&row.schema, &translation, remotes)
    };
    let Ok(extended) = translated(translation.order, Notation::Extended) else {
        return Ok(outcome);
    };
    outcome.extended = true;
    let again = Grammar::parse(&extended.grammar.to_string())?;
    compare(row, "read again", [&extended.grammar, &again], &mut outcome)?;

    let order = match translation.order {
        Order::Any => Order::Declared,
        order => order,
    };
    let plain = match translated(order, Notation::Plain) {
        Ok(plain) => plain,
        Err(error) => {
            match error.kind() {
                SchemaErrorKind::Unsupported(all) => {
                    let said = all.iter().map(|one| format!("{}: {}", one.keyword, one.reason));
                    outcome.unsaid = said.collect();
                }
                _ => outcome.unsaid = error.reasons(),
            }
            return Ok(outcome);
        }
    };
    let printed = plain.grammar.to_string();
    let read = ParseConfig::new().dialect(Dialect::LlamaCpp).parse(&printed);
    let again = match read {
        Ok(again) => again,
        Err(found) => {
            outcome.failures.push(failure(row, &format!("llama.cpp refuses it: {found}")));
            return Ok(outcome);
        }
    };
    outcome.plain = true;
    let ordered = translated(order, Notation::Extended)?;
    compare(row, "plain", [&ordered.grammar, &again], &mut outcome)?;
    Ok(outcome)
}

/// Has two grammars judge all instances.
fn compare(row: &Row, what: &str, grammars: [&Grammar; 2], outcome: &mut Outcome) -> Result<()> {
    let [one, other] = grammars.map(|grammar| Automaton::compile(grammar, "root"));
    let automata = [one?, other?];
    for test in &row.tests {
        outcome.instances += 1;
        let text = python::dumps(&test.data);
        let [expected, found] = [&automata[0], &automata[1]].map(|automaton| {
            verdict::by_bytes(automaton, text.as_bytes(), 1024) == Verdict::Complete
        });
        if expected != found {
            let what = format!("{what}: {found} instead of {expected}: {text}");
            outcome.failures.push(failure(row, &what));
        }
    }
    Ok(())
}

fn report(options: &Options, outcomes: &[Outcome]) -> Result<bool> {
    let count = |of: fn(&Outcome) -> usize| outcomes.iter().map(of).sum::<usize>();
    let extended = count(|outcome| usize::from(outcome.extended));
    let plain = count(|outcome| usize::from(outcome.plain));
    let instances = count(|outcome| outcome.instances);
    let mut unsaid: BTreeMap<&str, usize> = BTreeMap::new();
    for reason in outcomes.iter().flat_map(|outcome| &outcome.unsaid) {
        *unsaid.entry(reason).or_default() += 1;
    }
    let failures: Vec<&Value> = outcomes.iter().flat_map(|outcome| &outcome.failures).collect();
    println!(
        "{extended} of {} schemas have a grammar, {plain} a plain one that llama.cpp reads",
        outcomes.len()
    );
    println!("{instances} pairs of verdicts; {} failures", failures.len());
    for failure in &failures {
        println!("  FAIL {failure}");
    }
    println!("no plain grammar because of: {}", serde_json::to_string(&unsaid)?);
    let report = json!({
        "schemas": outcomes.len(),
        "extended": extended,
        "plain": plain,
        "instances": instances,
        "no_plain_grammar": unsaid,
        "failures": failures,
    });
    let passed = failures.is_empty();
    if let Value::Object(report) = report {
        output::write(options.json.as_deref(), serde_json::to_value(options)?, report)?;
    }
    Ok(passed)
}
