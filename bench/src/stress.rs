//! `stress`: schemas that are made of others, under which documents are written at random; says what
//! is wrong and what is slow.

mod mutation;
mod pool;
mod walk;

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use serde::Serialize;
use serde_json::{Value, json};

use crate::schema_options::SchemaOptions;
use crate::{input, output, vocabularies, work};
use mutation::mutate;
use pool::Pool;
use walk::{Finding, Outcome, check};

/// What is drawn comes again on every machine.
type Random = Xoshiro256PlusPlus;

/// A schema of more nodes is not mutated: one of them would take the time of many.
const MOST_NODES: usize = 1_500;
/// At most so many mutations make a schema.
const MOST_MUTATIONS: usize = 4;

/// Options of `stress`.
#[derive(Args, Serialize)]
pub struct Options {
    /// Folders or archives of schemas; of a test file with the member "schema", that one
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// How many schemas are made
    #[arg(long, default_value_t = 500)]
    schemas: u32,
    /// Other seeds make other schemas
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// After how many tokens a document is cut
    #[arg(long, default_value_t = 120)]
    steps: usize,
    /// How many documents per schema
    #[arg(long, default_value_t = 2)]
    walks: usize,
    /// The vocabulary, by name or file
    #[arg(long, default_value = "o200k_base")]
    vocab: String,
    /// A mask that takes longer is listed
    #[arg(long, default_value_t = 8.0)]
    slow_mask_ms: f64,
    /// A commit of a token that takes longer is listed
    #[arg(long, default_value_t = 4.0)]
    slow_commit_ms: f64,
    /// A compilation, with the first mask, that takes longer is listed
    #[arg(long, default_value_t = 200.0)]
    slow_compile_ms: f64,
    #[command(flatten)]
    #[serde(flatten)]
    spelling: SchemaOptions,
    /// Where to write the result
    #[arg(long)]
    #[serde(skip)]
    json: Option<PathBuf>,
}

/// A schema of a file.
struct Base {
    path: String,
    schema: Value,
}

/// A schema that was made, and how.
#[derive(Serialize)]
struct Made {
    number: u32,
    base: String,
    mutations: Vec<String>,
    schema: Value,
}

/// What was found, with its schema.
#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    finding: &'a Finding,
    #[serde(flatten)]
    made: &'a Made,
}

/// Makes the schemas and checks each; whether nothing is wrong.
pub fn run(options: &Options) -> Result<bool> {
    let mut bases = input::read_json_files(&options.folders)?
        .into_iter()
        .map(|file| {
            let value: Value =
                serde_json::from_slice(&file.bytes).with_context(|| file.path.clone())?;
            Ok(Base { path: file.path, schema: input::schema_of(&value).clone() })
        })
        .collect::<Result<Vec<_>>>()?;
    let pool = Pool::new(bases.iter().map(|base| &base.schema));
    bases.retain(|base| pool::nodes(&base.schema) <= MOST_NODES);
    ensure!(!bases.is_empty(), "there are no schemas");
    let vocabulary = vocabularies::load(&options.vocab)?;
    let engine = grammask::engine_for_schemas(vocabulary, &options.spelling.options())?;

    let numbers: Vec<u32> = (0..options.schemas).collect();
    let outcomes = work::in_turn(&numbers, "schemas", |&number| {
        // From the number alone, so that one schema can be made without those before it.
        let seed = u64::from(options.seed) << 32 | u64::from(number);
        let mut random = Random::seed_from_u64(seed);
        let made = make(number, &bases, &pool, &mut random)?;
        let outcome = check(&engine, &made.schema.to_string(), options, &mut random);
        Ok((made, outcome))
    })?;
    report(options, &outcomes)
}

/// Makes a schema.
fn make(number: u32, bases: &[Base], pool: &Pool, random: &mut Random) -> Result<Made> {
    let base = bases.choose(random).context("there are no schemas")?;
    let mut schema = base.schema.clone();
    let mutations = (0..random.random_range(1..=MOST_MUTATIONS))
        .filter_map(|_| mutate(&mut schema, pool, random))
        .collect();
    Ok(Made { number, base: base.path.clone(), mutations, schema })
}

fn report(options: &Options, outcomes: &[(Made, Outcome)]) -> Result<bool> {
    let count = |is: fn(&Outcome) -> bool| outcomes.iter().filter(|(_, it)| is(it)).count();
    let wrong = findings(outcomes, |outcome| &outcome.wrong);
    let report = json!({
        "schemas": outcomes.len(),
        "refused": count(|outcome| outcome.is_refused),
        "without_instances": count(|outcome| outcome.is_without_instances),
        "masks": outcomes.iter().map(|(_, outcome)| outcome.masks).sum::<usize>(),
        "wrong": wrong,
        "slow": findings(outcomes, |outcome| &outcome.slow),
    });
    println!("{report}");
    let Value::Object(report) = report else { return Ok(false) };
    output::write(options.json.as_deref(), serde_json::to_value(options)?, report)?;
    Ok(wrong.is_empty())
}

fn findings(outcomes: &[(Made, Outcome)], of: fn(&Outcome) -> &Vec<Finding>) -> Vec<Report<'_>> {
    outcomes
        .iter()
        .flat_map(|(made, outcome)| of(outcome).iter().map(|finding| Report { finding, made }))
        .collect()
}
