//! `cases`: tables of grammars or schemas with texts, each read in three ways that must agree.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use grammask_gbnf::{ExprKind, Grammar};
use grammask_sampler::{Constraint, Engine};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::verdict::{self, Verdict};
use crate::{input, output, vocabularies};

/// The options of the subcommand.
#[derive(clap::Args)]
pub struct Options {
    /// Tables in JSON or JSON lines, or folders of them
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// A vocabulary, by name or file; needed for grammars that refer to tokens
    #[arg(long)]
    vocab: Option<String>,
    /// Where to write the result
    #[arg(long)]
    json: Option<PathBuf>,
}

/// The vocabulary of real tokens if no other is asked for.
const DEFAULT_VOCABULARY: &str = "o200k_base";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    grammar: Option<String>,
    schema: Option<Value>,
    root: Option<String>,
    #[serde(default)]
    options: Value,
    #[serde(default)]
    resources: BTreeMap<String, Value>,
    parses: Option<bool>,
    #[serde(default)]
    accept: Vec<String>,
    #[serde(default)]
    reject: Vec<String>,
    #[serde(default)]
    prefix: Vec<String>,
    #[serde(default, rename = "note")]
    _note: Value,
}

#[derive(Default)]
struct Totals {
    rows: usize,
    passing: usize,
    texts: usize,
    false_accept: usize,
    false_reject: usize,
    errors: usize,
    failures: Vec<Value>,
}

/// Runs every row; whether none failed.
pub fn run(options: &Options) -> Result<bool> {
    let name = options.vocab.as_deref().unwrap_or(DEFAULT_VOCABULARY);
    let engines = Engines {
        real: Engine::new(vocabularies::load(name)?),
        bytes: Engine::new(vocabularies::bytes()?),
        knows_tokens: options.vocab.is_some(),
    };
    let mut totals = Totals::default();
    for path in &options.files {
        for (place, row) in rows(path)? {
            let row: Row = serde_json::from_value(row).with_context(|| place.clone())?;
            let before = totals.failures.len();
            totals.rows += 1;
            engines.row(&row, &mut totals).with_context(|| format!("{place}: {}", row.name))?;
            totals.passing += usize::from(totals.failures.len() == before);
        }
    }

    println!(
        "{} of {} rows pass; {} texts, {} false accept, {} false reject, {} errors",
        totals.passing,
        totals.rows,
        totals.texts,
        totals.false_accept,
        totals.false_reject,
        totals.errors,
    );
    for failure in &totals.failures {
        println!("  FAIL {failure}");
    }
    let passed = totals.failures.is_empty();
    let report = json!({
        "rows": totals.rows,
        "rows_passing": totals.passing,
        "texts": totals.texts,
        "false_accept": totals.false_accept,
        "false_reject": totals.false_reject,
        "errors": totals.errors,
        "failures": totals.failures,
    });
    if let Value::Object(report) = report {
        let in_force = json!({
            "command": "cases",
            "files": options.files,
            "vocab": name,
        });
        output::write(options.json.as_deref(), in_force, report)?;
    }
    Ok(passed)
}

/// The rows of a table, or of all tables of a folder, each with its place.
fn rows(path: &Path) -> Result<Vec<(String, Value)>> {
    if is_table(path) {
        let rows = input::read_table(path)?;
        return Ok(rows.into_iter().map(|row| (path.display().to_string(), row)).collect());
    }
    let mut all = Vec::new();
    for file in input::read_folder(path)? {
        if is_table(Path::new(&file.path)) {
            let text = String::from_utf8(file.bytes).with_context(|| file.path.clone())?;
            let rows = input::table(&text).with_context(|| file.path.clone())?;
            all.extend(rows.into_iter().map(|row| (file.path.clone(), row)));
        }
    }
    Ok(all)
}

fn is_table(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json" || extension == "jsonl")
}

struct Engines {
    real: Arc<Engine>,
    bytes: Arc<Engine>,
    /// Whether the vocabulary was asked for.
    knows_tokens: bool,
}

impl Engines {
    fn row(&self, row: &Row, totals: &mut Totals) -> Result<()> {
        let root = row.root.as_deref().unwrap_or("root");
        let readers = match grammar(row)? {
            Ok(grammar) => {
                if refers_to_tokens(&grammar) && !self.knows_tokens {
                    bail!("the grammar refers to tokens of a vocabulary: say which with --vocab");
                }
                self.readers(&grammar, root)
            }
            Err(error) => Err(error),
        };
        let readers = match readers {
            Ok(_) if row.parses == Some(false) => {
                totals.failures.push(failure(row, None, "to be refused", "accepted"));
                return Ok(());
            }
            Ok(readers) => readers,
            Err(error) => {
                if row.parses != Some(false) {
                    totals.errors += 1;
                    totals.failures.push(failure(row, None, "to be accepted", &error));
                }
                return Ok(());
            }
        };
        for (texts, expected) in
            [(&row.accept, "complete"), (&row.reject, "not complete"), (&row.prefix, "prefix")]
        {
            for text in texts {
                totals.texts += 1;
                let got = match readers.read(text)? {
                    Ok(verdict) => verdict,
                    Err(differ) => {
                        totals.failures.push(failure(row, Some(text), expected, &differ));
                        continue;
                    }
                };
                let complete = got == Verdict::Complete;
                let fits = match expected {
                    "complete" => complete,
                    "prefix" => got == Verdict::Prefix,
                    _ => !complete,
                };
                if !fits {
                    totals.false_accept += usize::from(complete);
                    totals.false_reject += usize::from(!complete);
                    totals.failures.push(failure(row, Some(text), expected, &got.to_string()));
                }
            }
        }
        Ok(())
    }

    /// The three ways to read a text.
    fn readers(&self, grammar: &Grammar, root: &str) -> Result<Readers, String> {
        let constraint = |engine: &Arc<Engine>| {
            Constraint::new(engine, grammar, root).map_err(|error| error.to_string())
        };
        let real = constraint(&self.real)?;
        // Token references mean something only where these tokens are.
        let bytes = if refers_to_tokens(grammar) { real.clone() } else { constraint(&self.bytes)? };
        Ok(Readers { real, bytes })
    }
}

struct Readers {
    real: Constraint,
    bytes: Constraint,
}

impl Readers {
    /// The verdict, or how the ways differ.
    fn read(&self, text: &str) -> Result<Result<Verdict, String>> {
        let matcher = self.real.matcher().context("it is strict")?;
        let plain = verdict::by_matcher(matcher, text.as_bytes());
        let tokens = self.real.engine().vocabulary().encode(text)?;
        let real = verdict::by_masks(&self.real, &tokens);
        let tokens = vocabularies::byte_tokens(self.bytes.engine().vocabulary(), text.as_bytes())?;
        let bytes = verdict::by_masks(&self.bytes, &tokens);
        Ok(match (real, bytes) {
            (Ok((real, _)), Ok((bytes, _))) if real == plain && bytes == plain => Ok(plain),
            (real, bytes) => {
                let say = |way: Result<(Verdict, _), String>| match way {
                    Ok((verdict, _)) => verdict.to_string(),
                    Err(error) => error,
                };
                Err(format!(
                    "the ways differ: bytes: {plain}; real tokens: {}; tokens of a byte: {}",
                    say(real),
                    say(bytes)
                ))
            }
        })
    }
}

/// The grammar of a row; inside: why it is refused.
fn grammar(row: &Row) -> Result<Result<Grammar, String>> {
    match (&row.grammar, &row.schema) {
        (Some(text), None) => {
            if !row.options.is_null() || !row.resources.is_empty() {
                bail!("the options and resources of a row are those of a schema");
            }
            Ok(grammask_gbnf::parse(text).map_err(|error| error.to_string()))
        }
        (None, Some(schema)) => {
            let options = match &row.options {
                Value::Null => grammask_json_schema::Options::default(),
                options => serde_json::from_value(options.clone()).context("the options")?,
            };
            let mut resources = grammask_json_schema::Resources::new();
            for (uri, document) in &row.resources {
                resources.insert(uri, document.clone())?;
            }
            Ok(grammask_json_schema::translate_with(schema, &options, &resources)
                .map(|translation| translation.grammar)
                .map_err(|error| error.to_string()))
        }
        _ => bail!("a row has either a grammar or a schema"),
    }
}

fn refers_to_tokens(grammar: &Grammar) -> bool {
    grammar
        .rules
        .iter()
        .flat_map(|rule| rule.body.descendants())
        .any(|expr| matches!(expr.kind, ExprKind::Token(_)))
}

fn failure(row: &Row, text: Option<&str>, expected: &str, got: &str) -> Value {
    json!({ "name": row.name, "text": text, "expected": expected, "got": got })
}
