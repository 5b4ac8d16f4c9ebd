//! `profile`: where the time of our masks goes: by the place in the document, by the nodes that are
//! visited, by how many tokens are allowed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use grammask_bench_protocol::{Done, TokenTime};
use grammask_sampler::{TokenId, Vocabulary};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::engines::{Answer, Engine, Measures, OURS, VocabularyFile};
use crate::input::Instance;
use crate::json_place::{Place, Reader};
use crate::schema_options::SchemaOptions;
use crate::times::Distribution;
use crate::{engines, input, output, vocabularies, work};

/// Options of `profile`.
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
    #[serde(skip)]
    json: Option<PathBuf>,
}

/// Buckets of nodes and of tokens grow by this factor.
const FACTOR: u64 = 4;

/// A mask, and what it is for.
struct Mask {
    place: Place,
    time: Duration,
    allowed: u64,
    /// None if it was known.
    nodes: Option<u64>,
}

/// Reads the instances once and tells the masks apart.
pub fn run(options: &Options) -> Result<bool> {
    let vocabulary = vocabularies::load(&options.vocab)?;
    let file = VocabularyFile::new(&vocabulary)?;
    let start = file.start(false, serde_json::to_value(&options.spelling)?);
    let engine = Mutex::new(Engine::start(OURS, &start, Measures::Times)?);
    let files = input::read_json_files(&options.folders)?;
    let files: Vec<_> =
        files.into_iter().skip(options.offset).step_by(options.every.max(1)).collect();

    let masks = work::in_turn(&files, "schemas", |file| {
        let row = file.schema()?;
        let texts = row.tests.iter().map(Instance::text);
        let job = engines::job(&vocabulary, row.schema.to_owned(), texts)?;
        match engine.lock().expect("no panic inside").ask(&job)? {
            Answer::Done(Done::Read(reading)) => {
                let read = job.instances.iter().zip(reading.passes.iter().flatten());
                let masks = read.flat_map(|(ids, read)| masks(&vocabulary, ids, &read.times));
                Ok(masks.collect::<Vec<_>>())
            }
            Answer::Done(Done::Refused(_)) => Ok(Vec::new()),
            Answer::Done(Done::Panicked(message)) => bail!("{}: {message}", file.path),
            Answer::Died | Answer::TooSlow => bail!("{}: the engine is gone", file.path),
        }
    })?;
    let masks: Vec<Mask> = masks.into_iter().flatten().collect();
    let misses: Vec<&Mask> = masks.iter().filter(|mask| mask.nodes.is_some()).collect();

    let places = grouped(&masks, |mask| mask.place);
    let nodes = grouped(misses.iter().copied(), |mask| Bucket::of(mask.nodes.unwrap_or_default()));
    let allowed = grouped(&masks, |mask| Bucket::of(mask.allowed));
    let all: Vec<&Mask> = masks.iter().collect();
    println!("{} schemas, {} masks, {} of them not known", files.len(), masks.len(), misses.len());
    for (name, is_hit) in [("hits", true), ("misses", false)] {
        let of_side = masks.iter().filter(|mask| mask.nodes.is_none() == is_hit);
        let times = of_side.map(|mask| mask.time);
        println!("  {name}: {}", times.collect::<Distribution>().line());
    }
    println!("{:32} {:>8} {:>8} {:>9} {:>9}", "place", "masks", "misses", "ms", "of misses");
    for (place, masks) in &places {
        let missed = masks.iter().filter(|mask| mask.nodes.is_some());
        println!(
            "{:32} {:>8} {:>8} {:>9.2} {:>9.2}",
            serde_json::to_value(place)?.as_str().unwrap_or_default(),
            masks.len(),
            missed.clone().count(),
            sum_us(masks.iter().copied()) / 1e3,
            sum_us(missed.copied()) / 1e3,
        );
    }
    let report = json!({"profile": {
        "schemas": files.len(),
        "all": sides(&all),
        "places": labelled("place", &places),
        "nodes": labelled("bucket", &nodes),
        "allowed": labelled("bucket", &allowed),
    }});
    let Value::Object(report) = report else { return Ok(false) };
    output::write(options.json.as_deref(), serde_json::to_value(options)?, report)?;
    Ok(true)
}

/// The masks before the tokens of a text that were read.
fn masks(vocabulary: &Vocabulary, ids: &[u32], times: &[TokenTime]) -> Vec<Mask> {
    let mut reader = Reader::default();
    let before = ids.iter().zip(times).map(|(&id, time)| {
        let place = reader.place();
        let bytes = vocabulary.bytes(TokenId(id)).unwrap_or_default();
        for &byte in bytes {
            reader.read(byte);
        }
        Mask {
            place,
            time: Duration::from_nanos(time.mask.cpu),
            allowed: u64::from(time.allowed),
            nodes: time.nodes,
        }
    });
    before.collect()
}

/// Numbers of about the same magnitude.
#[derive(PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Bucket {
    from: u64,
    to: u64,
}

impl Bucket {
    fn of(number: u64) -> Self {
        let from = number.checked_ilog(FACTOR).map_or(0, |power| FACTOR.pow(power));
        Self { from, to: (FACTOR * from).saturating_sub(1) }
    }
}

type Groups<'a, K> = BTreeMap<K, Vec<&'a Mask>>;

fn grouped<'a, K: Ord>(
    masks: impl IntoIterator<Item = &'a Mask>,
    key: impl Fn(&Mask) -> K,
) -> Groups<'a, K> {
    let mut groups: Groups<K> = BTreeMap::new();
    for mask in masks {
        groups.entry(key(mask)).or_default().push(mask);
    }
    groups
}

/// Groups as a report has them.
fn labelled<K: Serialize>(label: &str, groups: &Groups<K>) -> Vec<Value> {
    let rows = groups.iter().map(|(key, masks)| {
        let mut row = sides(masks);
        row.insert(label.to_owned(), json!(key));
        Value::Object(row)
    });
    rows.collect()
}

/// Hits and misses apart.
fn sides(masks: &[&Mask]) -> Map<String, Value> {
    let side = |is_hit: bool| {
        let masks = masks.iter().filter(move |mask| mask.nodes.is_none() == is_hit).copied();
        json!({
            "count": masks.clone().count(),
            "sum_us": sum_us(masks.clone()),
            "us": masks.map(|mask| mask.time).collect::<Distribution>().figures(),
        })
    };
    Map::from_iter([("hits".to_owned(), side(true)), ("misses".to_owned(), side(false))])
}

fn sum_us<'a>(masks: impl Iterator<Item = &'a Mask>) -> f64 {
    masks.map(|mask| mask.time).sum::<Duration>().as_secs_f64() * 1e6
}
