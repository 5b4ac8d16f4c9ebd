//! `memory`: what an engine holds after many different schemas, each read with its instances through
//! masks.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Mutex;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use grammask_bench_protocol::{Done, Job};
use grammask_sampler::Vocabulary;
use serde::Serialize;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use crate::engines::{Answer, Engine, Measures, OURS, VocabularyFile};
use crate::input::{self, File};
use crate::schema_options::SchemaOptions;
use crate::variation::Variation;
use crate::{engines, output, python, vocabularies, work};

/// After so many schemas an engine is warm:
const WARM: usize = 2_000;
/// later it is to hold at most so many times what it holds then.
const MOST_GROWTH: f64 = 1.05;

/// Options of `memory`.
#[derive(Args, Serialize)]
pub struct Options {
    /// Folders or archives of files of `MaskBench`; what lacks of the schemas is made of these under
    /// other names
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// How many different schemas
    #[arg(long, default_value_t = 10_000)]
    schemas: usize,
    /// After every how many schemas the memory is noted, as the median over them
    #[arg(long, default_value_t = 250)]
    step: usize,
    /// The engine, a folder of `bench/engines/`
    #[arg(long, default_value = OURS)]
    engine: String,
    /// The vocabulary, by name or file
    #[arg(long, default_value = "o200k_base")]
    vocab: String,
    #[command(flatten)]
    #[serde(flatten)]
    spelling: SchemaOptions,
    /// Where to write the result
    #[arg(long)]
    #[serde(skip)]
    json: Option<PathBuf>,
}

/// What is known when a schema has been read.
#[derive(Default)]
struct Sample {
    rss_mb: f64,
    /// None if it is refused, or the engine does not say.
    table_bytes: Option<u64>,
    is_read: bool,
    instances: usize,
    accepted: usize,
    masks: usize,
}

/// What is held after so many schemas. What is read of a schema makes garbage, now and then much of
/// it, so that the memory is the median of what it was after each of the last ones.
#[derive(Serialize)]
struct Point {
    schemas: usize,
    rss_mb: f64,
    tables_mb: Option<f64>,
}

impl Point {
    fn new(schemas: usize, last: &[Sample]) -> Self {
        let mut resident: Vec<f64> = last.iter().map(|sample| sample.rss_mb).collect();
        resident.sort_unstable_by(f64::total_cmp);
        let tables = last.iter().rev().find_map(|sample| sample.table_bytes);
        Self {
            schemas,
            rss_mb: resident.get(resident.len() / 2).copied().unwrap_or_default(),
            tables_mb: tables.map(|bytes| bytes as f64 / f64::from(1 << 20)),
        }
    }
}

/// Reads the schemas; whether the memory stays.
pub fn run(options: &Options) -> Result<bool> {
    let vocabulary = vocabularies::load(&options.vocab)?;
    let file = VocabularyFile::new(&vocabulary)?;
    let start = file.start(false, serde_json::to_value(&options.spelling)?);
    let engine = Engine::start(&options.engine, &start, Measures::Memory)?;
    let at_start = engine.resident_mb();
    let files = input::read_json_files(&options.folders)?;
    let rest = Mutex::new((Schemas::new(&files), engine));
    let numbers: Vec<usize> = (1..=options.schemas).collect();
    let samples = work::in_turn(&numbers, "schemas", |_| {
        let (schemas, engine) = &mut *rest.lock().expect("no panic inside");
        sample(&schemas.next(&vocabulary)?, engine)
    })?;

    let step = options.step.max(1);
    let series: Vec<Point> = samples
        .chunks_exact(step)
        .zip(1..)
        .map(|(samples, number)| Point::new(number * step, samples))
        .collect();
    let warm = series.iter().find(|point| point.schemas >= WARM).map(|point| point.rss_mb);
    let last = series.last().map(|point| point.rss_mb);
    let ratio = warm.zip(last).map(|(warm, last)| last / warm);
    let report = json!({
        "engine": options.engine,
        "schemas": samples.len(),
        "refused": samples.iter().filter(|sample| !sample.is_read).count(),
        "instances": samples.iter().map(|sample| sample.instances).sum::<usize>(),
        "accepted": samples.iter().map(|sample| sample.accepted).sum::<usize>(),
        "masks": samples.iter().map(|sample| sample.masks).sum::<usize>(),
        "rss_mb_at_start": at_start,
        "rss_mb_warm": warm,
        "rss_mb": last,
        "ratio": ratio,
        "series": series,
    });
    println!("{report}");
    let Value::Object(report) = report else { return Ok(false) };
    output::write(options.json.as_deref(), serde_json::to_value(options)?, report)?;
    Ok(ratio.is_none_or(|ratio| ratio <= MOST_GROWTH))
}

/// Has an engine read a schema with its instances.
fn sample(job: &Job, engine: &mut Engine) -> Result<Sample> {
    let answer = engine.ask(job)?;
    let rss_mb = engine.resident_mb();
    let mut sample = Sample { rss_mb, instances: job.instances.len(), ..Sample::default() };
    match answer {
        Answer::Done(Done::Read(reading)) => {
            let instances = reading.passes.iter().flatten();
            sample.is_read = true;
            sample.table_bytes = reading.table_bytes;
            sample.accepted = instances.clone().filter(|instance| instance.accepted).count();
            sample.masks = instances.map(|instance| instance.tokens).sum();
        }
        Answer::Done(Done::Refused(_)) => {}
        Answer::Done(Done::Panicked(message)) => bail!("{message}: {}", job.schema),
        Answer::Died | Answer::TooSlow => bail!("the engine did not live through {}", job.schema),
    }
    Ok(sample)
}

/// Different schemas without end: those of files, and then the same under other names.
struct Schemas<'a> {
    files: &'a [File],
    next: usize,
    /// By their hashes: the texts would take more memory than an engine does.
    seen: BTreeSet<u64>,
}

/// From a file to the next one, so that each part of the schemas is like the whole; a prime.
const STRIDE: usize = 1009;

impl<'a> Schemas<'a> {
    fn new(files: &'a [File]) -> Self {
        Self { files, next: 0, seen: BTreeSet::new() }
    }

    /// One that there was not yet, with its instances.
    fn next(&mut self, vocabulary: &Vocabulary) -> Result<Job> {
        for _ in 0..2 * self.files.len() {
            let (at, number) = (self.next % self.files.len(), self.next / self.files.len());
            self.next += 1;
            let file = &self.files[at * STRIDE % self.files.len()];
            let row = file.schema()?;
            let schema: Value =
                serde_json::from_str(row.schema.get()).with_context(|| file.path.clone())?;
            let variation = Variation::new(&schema, number);
            let schema = to_raw_value(&variation.schema(&schema))?;
            let mut hasher = DefaultHasher::new();
            schema.get().hash(&mut hasher);
            if !self.seen.insert(hasher.finish()) {
                continue;
            }
            let texts = row.tests.iter().map(|test| python::dumps(&variation.instance(&test.data)));
            return Ok(Job { timed: false, ..engines::job(vocabulary, schema, texts)? });
        }
        ensure!(!self.files.is_empty(), "there are no schemas");
        bail!("there are no more than {} different schemas", self.seen.len())
    }
}
