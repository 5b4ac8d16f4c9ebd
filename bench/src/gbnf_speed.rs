//! `gbnf`: grammars with a text each, token by token through masks: programming languages, what
//! slows other engines down, and real schemas that are printed as plain GBNF and read back.

mod made;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Args;
use grammask::gbnf::Grammar;
use grammask::json_schema::{self, Notation, Order, translate};
use grammask_bench_protocol::is_allowed;
use grammask_sampler::{Constraint, Engine};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::input::{self, Instance};
use crate::times::Distribution;
use crate::{output, vocabularies, work};

/// What each grammar is to reach: to the first mask, the mask and the reading of a token that 99 of
/// 100 do not exceed, and the longest.
const GOALS: [Duration; 3] =
    [Duration::from_millis(50), Duration::from_micros(100), Duration::from_millis(2)];

/// Options of `gbnf`.
#[derive(Args, Serialize)]
pub struct Options {
    /// Folders of `NAME.gbnf` with a text `NAME.txt` each, folders or archives of files of
    /// `MaskBench`; grammars that the harness makes come besides
    folders: Vec<PathBuf>,
    /// The vocabulary, by name or file
    #[arg(long, default_value = "o200k_base")]
    vocab: String,
    /// Every how many-th file of `MaskBench`
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// Where to write the result
    #[arg(long)]
    json: Option<PathBuf>,
}

/// A grammar and texts of its language.
struct Case {
    name: String,
    source: Source,
    texts: Vec<String>,
}

/// What a grammar is made of.
enum Source {
    Gbnf(String),
    Schema(Value),
}

/// What was measured of a case.
struct Measured {
    to_first_mask: Duration,
    /// Of the mask and the reading of each token: the first time, and when all is known.
    masks: [Vec<Duration>; 2],
    commits: [Vec<Duration>; 2],
    /// The texts that the grammar does not have.
    refused: Vec<String>,
}

/// Runs every case; whether every grammar has its texts.
pub fn run(options: &Options) -> Result<bool> {
    let engine = Engine::new(vocabularies::load(&options.vocab)?);
    let (mut cases, mut schemas) = (Vec::new(), Vec::new());
    for folder in &options.folders {
        for file in input::read_folder(folder)? {
            match Path::new(&file.path).extension().and_then(|extension| extension.to_str()) {
                Some("gbnf") => cases.push(written(folder, &file)?),
                Some("json") => schemas.push(file),
                _ => {}
            }
        }
    }
    cases.extend(made::cases());
    let schemas: Vec<_> = schemas.into_iter().step_by(options.every.max(1)).collect();
    let printed = work::each(&schemas, "schemas", printed)?;
    let printed: Vec<Case> = printed.into_iter().flatten().collect();

    println!("{:30} {:>9} {:>7}   mask and commit", "grammar", "ms", "tokens");
    let mut reports = Vec::new();
    let mut refused = Vec::new();
    let measured = work::in_turn(&cases, "grammars", |case| measure(case, &engine))?;
    for (case, measured) in cases.iter().zip(&measured) {
        reports.push(report(&case.name, [measured]));
        refused
            .extend(measured.refused.iter().map(|text| json!({"name": case.name, "text": text})));
    }
    // In the order of schemas not every instance is one of the grammar's.
    let measured = work::in_turn(&printed, "printed schemas", |case| measure(case, &engine))?;
    if !measured.is_empty() {
        reports.push(report(&format!("{} schemas, printed", measured.len()), &measured));
    }
    for text in &refused {
        println!("NOT READ {text}");
    }
    let is_right = refused.is_empty();
    let report = Map::from_iter([
        ("grammars".to_owned(), reports.into()),
        ("refused".to_owned(), refused.into()),
    ]);
    output::write(options.json.as_deref(), serde_json::to_value(options)?, report)?;
    Ok(is_right)
}

/// A grammar in a folder, with its text.
fn written(folder: &Path, file: &input::File) -> Result<Case> {
    let name = Path::new(&file.path);
    let text = folder.join(name).with_extension("txt");
    Ok(Case {
        name: name.with_extension("").display().to_string(),
        source: Source::Gbnf(String::from_utf8(file.bytes.clone())?),
        texts: vec![std::fs::read_to_string(&text).with_context(|| text.display().to_string())?],
    })
}

/// The plain grammar of a schema, if it has one, and its valid instances.
fn printed(file: &input::File) -> Result<Option<Case>> {
    let row = file.schema()?;
    let options = json_schema::Options {
        notation: Notation::Plain,
        order: Order::Declared,
        ..json_schema::Options::default()
    };
    let Ok(translation) = translate(&serde_json::from_str(row.schema.get())?, &options) else {
        return Ok(None);
    };
    let valid = row.tests.iter().filter(|test| test.valid);
    Ok(Some(Case {
        name: file.path.clone(),
        source: Source::Gbnf(translation.grammar.to_string()),
        texts: valid.map(Instance::text).collect(),
    }))
}

fn measure(case: &Case, engine: &Arc<Engine>) -> Result<Measured> {
    let start = Instant::now();
    let grammar = match &case.source {
        Source::Gbnf(text) => Grammar::parse(text).with_context(|| case.name.clone())?,
        Source::Schema(schema) => {
            translate(schema, &json_schema::Options::default())
                .with_context(|| case.name.clone())?
                .grammar
        }
    };
    let constraint =
        Constraint::new(engine, &grammar, "root").with_context(|| case.name.clone())?;
    let vocabulary = engine.vocabulary();
    let mut words = vec![0; vocabulary.len().div_ceil(32)];
    constraint.fill_words(&mut words);
    let mut measured = Measured {
        to_first_mask: start.elapsed(),
        masks: [Vec::new(), Vec::new()],
        commits: [Vec::new(), Vec::new()],
        refused: Vec::new(),
    };
    for pass in 0..2 {
        for text in &case.texts {
            let mut constraint = constraint.clone();
            for token in vocabulary.encode(text)? {
                let start = Instant::now();
                constraint.fill_words(&mut words);
                let filled = start.elapsed();
                let start = Instant::now();
                if !is_allowed(&words, token.0) || constraint.accept(token).is_err() {
                    break;
                }
                measured.masks[pass].push(filled);
                measured.commits[pass].push(start.elapsed());
            }
            if pass == 0 && !constraint.is_complete() {
                measured.refused.push(text.chars().take(80).collect());
            }
        }
    }
    Ok(measured)
}

/// Prints a line about grammars, and gives it as a report has it.
fn report<'a>(name: &str, measured: impl IntoIterator<Item = &'a Measured>) -> Value {
    let measured: Vec<&Measured> = measured.into_iter().collect();
    let first: Distribution = measured.iter().map(|one| one.to_first_mask).collect();
    let all = |of: &dyn Fn(&Measured) -> Vec<Duration>| {
        measured.iter().flat_map(|one| of(one)).collect::<Distribution>()
    };
    let both = |pass: usize| {
        all(&|one| {
            let pairs = one.masks[pass].iter().zip(&one.commits[pass]);
            pairs.map(|(mask, commit)| *mask + *commit).collect()
        })
    };
    let masks = all(&|one| one.masks[0].clone());
    let (cold, warm) = (both(0), both(1));
    let reached = [first.quantile(990), cold.quantile(990), cold.quantile(1000)];
    let is_slow = reached.iter().zip(GOALS).any(|(reached, goal)| *reached > goal);
    println!(
        "{name:30} {:9.2} {:>7}   {}{}",
        first.quantile(500).as_secs_f64() * 1e3,
        cold.len(),
        cold.line(),
        if is_slow { "   SLOW" } else { "" }
    );
    json!({
        "name": name,
        "tokens": cold.len(),
        "ttfm_us": first.figures(),
        "tbm_us": cold.figures(),
        "mask_us": masks.figures(),
        "warm_tbm_us": warm.figures(),
        "slow": is_slow,
    })
}
