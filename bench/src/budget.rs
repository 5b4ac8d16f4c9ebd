//! `budget`: documents within budgets of tokens, each complete and valid, and what keeping them costs.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use cpu_time::ThreadTime;
use grammask::gbnf::{Automaton, Grammar};
use grammask::json_schema::translate;
use grammask::sampler::{BudgetError, ChainSettings, Constraint, Engine, Mode, Vocabulary};
use grammask::{Generation, RandomModel, Session, generate, parse_grammar};
use serde::Serialize;
use serde_json::{Value, json};

use crate::judge::Judge;
use crate::schema_options::SchemaOptions;
use crate::times::Distribution;
use crate::{input, output, work};

/// Options of `budget`.
#[derive(Args, Serialize)]
pub struct Options {
    /// Folders or archives of schemas and grammars (.gbnf); of a test file with the member "schema",
    /// that one
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// How many budgets, from the smallest that can be kept on
    #[arg(long, default_value_t = 20)]
    budgets: usize,
    /// The largest budget
    #[arg(long, default_value_t = 500)]
    most: usize,
    /// How many documents for each budget
    #[arg(long, default_value_t = 3)]
    seeds: u32,
    /// Every how many-th file
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// How many files to pass over at the start
    #[arg(long, default_value_t = 0)]
    offset: usize,
    /// How many files at a time; each thread takes its own processor time
    #[arg(long, default_value_t = 1)]
    threads: usize,
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

/// What became of one file.
#[derive(Default, Serialize)]
struct Outcome {
    name: String,
    /// Why there are no documents.
    refused: Option<String>,
    /// The smallest budget.
    needed: usize,
    /// Without a budget,
    plain: Side,
    /// and with one.
    kept: Side,
    /// How long the first budget took, in microseconds.
    setup_us: f64,
    failures: Vec<Value>,
}

/// The runs of one kind.
#[derive(Clone, Copy, Default, Serialize)]
struct Side {
    runs: usize,
    complete: usize,
    tokens: usize,
    seconds: f64,
}

impl Side {
    fn add(&mut self, other: Self) {
        self.runs += other.runs;
        self.complete += other.complete;
        self.tokens += other.tokens;
        self.seconds += other.seconds;
    }

    fn per_token_us(self) -> f64 {
        self.seconds * 1e6 / self.tokens.max(1) as f64
    }
}

/// Runs the command; whether nothing failed.
pub fn run(options: &Options) -> Result<bool> {
    let engine = Engine::new(Vocabulary::from_name(&options.vocab)?);
    let mut files = Vec::new();
    for folder in &options.folders {
        files.extend(input::read_folder(folder)?);
    }
    files.retain(|file| has_extension(&file.path, "json") || has_extension(&file.path, "gbnf"));
    let files: Vec<_> =
        files.into_iter().skip(options.offset).step_by(options.every.max(1)).collect();
    let outcomes = work::on_threads(options.threads, &files, "files", |file| {
        one(&engine, &file.path, &file.bytes, options).with_context(|| file.path.clone())
    })?;
    report(options, &outcomes)
}

fn has_extension(path: &str, wanted: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == wanted)
}

/// A grammar with what judges its texts.
struct Language {
    grammar: Grammar,
    /// Of a schema.
    judge: Option<Judge>,
}

fn read(name: &str, bytes: &[u8], options: &Options) -> Result<Result<Language, String>> {
    if has_extension(name, "gbnf") {
        let text = std::str::from_utf8(bytes)?;
        return Ok(match parse_grammar(text, "root") {
            Ok(grammar) => Ok(Language { grammar, judge: None }),
            Err(error) => Err(error.to_string()),
        });
    }
    let file: Value = serde_json::from_slice(bytes)?;
    let schema = input::schema_of(&file);
    Ok(match translate(schema, &options.spelling.options()) {
        Ok(translation) => {
            let judge = Some(Judge::new(schema));
            Ok(Language { grammar: translation.grammar, judge })
        }
        Err(error) => Err(error.reasons().join(", ")),
    })
}

fn one(engine: &Arc<Engine>, name: &str, bytes: &[u8], options: &Options) -> Result<Outcome> {
    let mut outcome = Outcome { name: name.to_owned(), ..Outcome::default() };
    let language = match read(name, bytes, options)? {
        Ok(language) => language,
        Err(reason) => {
            outcome.refused = Some(reason);
            return Ok(outcome);
        }
    };
    let automaton = match Automaton::compile(&language.grammar, "root") {
        Ok(automaton) => automaton,
        Err(error) => {
            outcome.refused = Some(error.to_string());
            return Ok(outcome);
        }
    };
    let constraint = match Constraint::with_automaton(engine, &automaton) {
        Ok(constraint) => constraint,
        Err(error) => {
            outcome.refused = Some(error.to_string());
            return Ok(outcome);
        }
    };
    let started = ThreadTime::now();
    match constraint.clone().set_budget(0) {
        Err(BudgetError::TooSmall { needed, .. }) => outcome.needed = needed,
        Err(error) => {
            if constraint.mask().count() > 0 {
                outcome.failures.push(json!({"name": name, "what": error.to_string()}));
            }
            outcome.refused = Some(error.to_string());
            return Ok(outcome);
        }
        Ok(()) => outcome.failures.push(json!({"name": name, "what": "a budget of 0"})),
    }
    outcome.setup_us = started.elapsed().as_secs_f64() * 1e6;
    let needed = outcome.needed;
    let most = options.most.max(needed);
    let steps = options.budgets.max(2) - 1;
    let model = |seed| RandomModel::new(engine, seed).with_words_of(&language.grammar);
    let mut models: Vec<RandomModel> = (0..options.seeds).map(model).collect();
    // If more is needed than the largest one, that alone is tried.
    let mut budgets: Vec<usize> =
        (0..=steps).map(|index| needed + (most - needed) * index / steps).collect();
    budgets.dedup();
    for (index, budget) in budgets.into_iter().enumerate() {
        for (seed, model) in (0..).zip(&mut models) {
            let mut write = |is_kept| document(engine, &automaton, model, (budget, seed), is_kept);
            let fail = |what: String, text: &[u8]| {
                let text = String::from_utf8_lossy(text).into_owned();
                json!({"name": name, "budget": budget, "seed": seed, "what": what, "text": text})
            };
            if constraint.clone().set_budget(needed - 1).is_ok() {
                outcome.failures.push(fail("less than is needed".to_owned(), &[]));
            }
            // Which one comes first changes, as the second one finds more that is known.
            let mut plain = None;
            if (index as u64 + u64::from(seed)).is_multiple_of(2) {
                plain = Some(write(false)?);
            }
            let (kept, time) = write(true)?;
            let (cut, cut_time) = match plain {
                Some(plain) => plain,
                None => write(false)?,
            };
            outcome.kept.add(side(&kept, time));
            outcome.plain.add(side(&cut, cut_time));
            let text = kept.text(engine.vocabulary());
            if kept.tokens.len() > budget || !kept.ending.is_complete() {
                outcome.failures.push(fail(format!("{:?}", kept.ending), &text));
            } else if let Some(what) = wrong(&language, &automaton, &text) {
                outcome.failures.push(fail(what, &text));
            }
            // As long as the budget is far, it changes nothing.
            if cut.ending.is_complete() && cut.tokens.len() + needed <= budget && cut != kept {
                let other = cut.text(engine.vocabulary());
                let other = String::from_utf8_lossy(&other).into_owned();
                outcome.failures.push(fail(format!("without a budget it is {other}"), &text));
            }
        }
    }
    Ok(outcome)
}

fn side(generation: &Generation, time: Duration) -> Side {
    Side {
        runs: 1,
        complete: usize::from(generation.ending.is_complete()),
        tokens: generation.tokens.len(),
        seconds: time.as_secs_f64(),
    }
}

/// A document of the random model, and how long it took.
fn document(
    engine: &Arc<Engine>,
    automaton: &Automaton,
    model: &mut RandomModel,
    (budget, seed): (usize, u32),
    is_kept: bool,
) -> Result<(Generation, Duration)> {
    let mut constraint = Constraint::with_automaton(engine, automaton)?;
    if is_kept {
        constraint.set_budget(budget)?;
    }
    let chain = ChainSettings { seed, ..ChainSettings::default() }.chain(engine.vocabulary())?;
    let mut session = Session::new(constraint, chain, Mode::GrammarFirst);
    let started = ThreadTime::now();
    let generation = generate(model, &mut session, budget, |_, _| ControlFlow::Continue(()))?;
    Ok((generation, started.elapsed()))
}

/// What is wrong with a document.
fn wrong(language: &Language, automaton: &Automaton, text: &[u8]) -> Option<String> {
    let Some(judge) = &language.judge else {
        let mut matcher = grammask::gbnf::Matcher::new(automaton);
        // Token references are no text.
        let is_text = automaton.tokens().is_empty();
        let is_whole = matcher.advance(text).is_ok() && matcher.is_complete();
        return (is_text && !is_whole).then(|| "it does not match".to_owned());
    };
    judge.wrong(text)
}

fn report(options: &Options, outcomes: &[Outcome]) -> Result<bool> {
    let (mut plain, mut kept) = (Side::default(), Side::default());
    for outcome in outcomes {
        plain.add(outcome.plain);
        kept.add(outcome.kept);
    }
    let tried: Vec<&Outcome> =
        outcomes.iter().filter(|outcome| outcome.refused.is_none()).collect();
    let failures: Vec<&Value> = outcomes.iter().flat_map(|outcome| &outcome.failures).collect();
    println!("{} of {} files have texts", tried.len(), outcomes.len());
    println!("with a budget: {} of {} runs are complete", kept.complete, kept.runs);
    println!("cut instead:   {} of {} runs are complete", plain.complete, plain.runs);
    let (with, without) = (kept.per_token_us(), plain.per_token_us());
    let more = 100.0 * (with / without - 1.0);
    println!("a token takes {with:.1} us with a budget, {without:.1} without: {more:+.1} %");
    let setups: Distribution =
        tried.iter().map(|outcome| Duration::from_secs_f64(outcome.setup_us / 1e6)).collect();
    println!("to count a grammar: {}", setups.line());
    let mut slowest: Vec<&Outcome> = outcomes.iter().collect();
    slowest.sort_by(|a, b| {
        let more = |outcome: &Outcome| outcome.kept.seconds - outcome.plain.seconds;
        more(b).total_cmp(&more(a))
    });
    for outcome in slowest.iter().take(8) {
        let (kept, plain) = (outcome.kept.per_token_us(), outcome.plain.per_token_us());
        println!("  {kept:.0} us in place of {plain:.0}: {}", outcome.name);
    }
    println!("{} failures", failures.len());
    for failure in failures.iter().take(20) {
        println!("  {failure}");
    }
    let report = json!({
        "files": outcomes.len(),
        "with_texts": tried.len(),
        "kept": kept,
        "cut": plain,
        "token_us": {"with": with, "without": without},
        "setup_us": setups.figures(),
        "failures": failures,
    });
    let passed = failures.is_empty();
    if let Value::Object(report) = report {
        output::write(options.json.as_deref(), serde_json::to_value(options)?, report)?;
    }
    Ok(passed)
}
