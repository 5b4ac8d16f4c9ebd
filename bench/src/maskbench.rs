//! `maskbench`: real schemas with valid and invalid instances, token by token through the masks of
//! one engine or of several side by side.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use grammask_bench_protocol::{Done, Reading, Refusal};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::engines::{Answer, Engine, Measures, OURS, VocabularyFile};
use crate::input::Instance;
use crate::mask_times::{self, Row};
use crate::schema_options::SchemaOptions;
use crate::{engines, input, output, vocabularies, work};

/// How often ours reads everything: what it has kept of the first time makes the second one warm.
const PASSES_OF_OURS: usize = 2;

/// Options of `maskbench`.
#[derive(Args, Serialize)]
pub struct Options {
    /// Folders or archives of files of `MaskBench`
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// The engines, each a folder of `bench/engines/`
    #[arg(long, value_delimiter = ',', default_value = OURS)]
    engine: Vec<String>,
    /// The vocabulary, by name or file
    #[arg(long, default_value = "o200k_base")]
    vocab: String,
    /// Every how many-th file
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// How many files are left out at the start
    #[arg(long, default_value_t = 0)]
    offset: usize,
    /// Nothing is kept from schema to schema but what is built from the vocabulary alone
    #[arg(long)]
    isolated: bool,
    #[command(flatten)]
    #[serde(flatten)]
    spelling: SchemaOptions,
    /// Where to write the result
    #[arg(long)]
    json: Option<PathBuf>,
}

/// What an engine made of a file.
enum Outcome {
    Judged {
        /// Instances that it accepts or refuses wrongly.
        false_accept: Vec<String>,
        false_reject: Vec<String>,
        reading: Reading,
    },
    Unsupported(Refusal),
    Crash(String),
    Timeout,
}

impl Outcome {
    /// The most memory that has been in use up to here; 0 if that is not known.
    fn peak_mb(&self) -> f64 {
        match self {
            Self::Judged { reading, .. } => reading.peak_rss_mb,
            Self::Unsupported(refusal) => refusal.peak_rss_mb,
            Self::Crash(_) | Self::Timeout => 0.0,
        }
    }
}

/// Runs every file through every engine; whether ours, or else each, judges none wrongly and does
/// not panic.
pub fn run(options: &Options) -> Result<bool> {
    let vocabulary = vocabularies::load(&options.vocab)?;
    let file = VocabularyFile::new(&vocabulary)?;
    let start = file.start(options.isolated, serde_json::to_value(&options.spelling)?);
    let engines = options.engine.iter().map(|name| Engine::start(name, &start, Measures::Times));
    let engines = Mutex::new((0, engines.collect::<Result<Vec<_>>>()?));
    let files = input::read_json_files(&options.folders)?;
    let files: Vec<_> =
        files.into_iter().skip(options.offset).step_by(options.every.max(1)).collect();

    let outcomes = work::in_turn(&files, "schemas", |file| {
        let row = file.schema()?;
        let texts: Vec<_> = row.tests.iter().map(Instance::text).collect();
        let mut job = engines::job(&vocabulary, row.schema.to_owned(), &texts)?;
        let (turn, engines) = &mut *engines.lock().expect("no panic inside");
        // Who comes first finds the caches as the last one left them.
        *turn += 1;
        let mut outcomes: Vec<_> = engines.iter().map(|_| None).collect();
        for at in 0..engines.len() {
            let at = (at + *turn) % engines.len();
            job.passes = if engines[at].name == OURS { PASSES_OF_OURS } else { 1 };
            outcomes[at] = Some(judge(engines[at].ask(&job)?, &row.tests, &texts));
        }
        Ok(outcomes.into_iter().flatten().collect::<Vec<_>>())
    })?;

    let (_, engines) = engines.into_inner().expect("no panic inside");
    let mut reports = Map::new();
    let mut is_right = true;
    for (at, engine) in engines.iter().enumerate() {
        let of_engine: Vec<_> = files
            .iter()
            .zip(&outcomes)
            .map(|(file, outcomes)| (&*file.path, &outcomes[at]))
            .collect();
        let (mut report, right) = verdicts(&engine.name, &of_engine)?;
        is_right &= right || (engine.name != OURS && engines.len() > 1);
        let rows: Vec<Row> = files
            .iter()
            .zip(&outcomes)
            .filter_map(|(file, all)| row(&file.path, all, at))
            .collect();
        let peak_mb = of_engine.iter().map(|(_, outcome)| outcome.peak_mb()).fold(0.0, f64::max);
        report.append(&mut mask_times::report(&engine.ready, &rows, peak_mb));
        mask_times::print(&engine.ready, &rows, peak_mb, engines.len() > 1);
        reports.insert(engine.name.clone(), Value::Object(report));
    }
    let report = Map::from_iter([("engines".to_owned(), Value::Object(reports))]);
    output::write(options.json.as_deref(), serde_json::to_value(options)?, report)?;
    Ok(is_right)
}

/// What an engine said, beside what is right.
fn judge(answer: Answer, tests: &[Instance], texts: &[String]) -> Outcome {
    let reading = match answer {
        Answer::Done(Done::Read(reading)) => reading,
        Answer::Done(Done::Refused(refusal)) => return Outcome::Unsupported(refusal),
        Answer::Done(Done::Panicked(message)) => return Outcome::Crash(message),
        Answer::Died => return Outcome::Crash("the process is gone".to_owned()),
        Answer::TooSlow => return Outcome::Timeout,
    };
    let (mut false_accept, mut false_reject) = (Vec::new(), Vec::new());
    for ((instance, test), text) in reading.passes[0].iter().zip(tests).zip(texts) {
        if instance.accepted != test.valid {
            if instance.accepted { &mut false_accept } else { &mut false_reject }
                .push(text.clone());
        }
    }
    Outcome::Judged { false_accept, false_reject, reading }
}

/// The times of a file, if the engine at this place has any.
fn row<'a>(path: &'a str, outcomes: &'a [Outcome], at: usize) -> Option<Row<'a>> {
    let readings: Vec<_> = outcomes
        .iter()
        .map(|outcome| match outcome {
            Outcome::Judged { reading, .. } => Some(reading),
            Outcome::Unsupported(_) | Outcome::Crash(_) | Outcome::Timeout => None,
        })
        .collect();
    let reading = readings[at]?;
    let all = readings.into_iter().collect::<Option<Vec<_>>>();
    let instances = 0..reading.passes[0].len();
    let common = all.map(|all| {
        let accepted = |&instance: &usize| all.iter().all(|of| of.passes[0][instance].accepted);
        instances.filter(accepted).collect()
    });
    Some(Row { path, reading, common })
}

/// Prints how an engine judges, and gives it as a report has it; whether all is right.
fn verdicts(name: &str, outcomes: &[(&str, &Outcome)]) -> Result<(Map<String, Value>, bool)> {
    let (mut passing, mut unsupported, mut crash, mut timeout) = (0, 0, 0, 0);
    let (mut accepting, mut rejecting) = (0, 0);
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut failures, mut refused) = (Vec::new(), Vec::new());
    let mut slowest: Option<(Duration, &str)> = None;
    for (file, outcome) in outcomes {
        match outcome {
            Outcome::Judged { false_accept, false_reject, .. } => {
                passing += usize::from(false_accept.is_empty() && false_reject.is_empty());
                accepting += usize::from(!false_accept.is_empty());
                rejecting += usize::from(!false_reject.is_empty());
                for (what, texts) in [("accept", false_accept), ("reject", false_reject)] {
                    failures.extend(texts.iter().map(
                        |text| json!({"file": file, "what": format!("false {what}"), "text": text}),
                    ));
                }
            }
            Outcome::Unsupported(Refusal { reasons: why, time, .. }) => {
                unsupported += 1;
                let time = Duration::from_nanos(time.cpu);
                slowest = slowest.max(Some((time, file)));
                refused.push(json!({"file": file, "reasons": why, "us": time.as_secs_f64() * 1e6}));
                for reason in why {
                    *reasons.entry(reason).or_default() += 1;
                }
            }
            Outcome::Crash(message) => {
                crash += 1;
                failures.push(json!({"file": file, "what": "panic", "text": message}));
            }
            Outcome::Timeout => {
                timeout += 1;
                failures.push(json!({"file": file, "what": "timeout"}));
            }
        }
    }
    let schemas = outcomes.len();
    println!(
        "{name}: {passing} of {schemas} schemas have every verdict right ({:.2} %)",
        100.0 * passing as f64 / schemas.max(1) as f64
    );
    println!(
        "  {accepting} accept an invalid instance, {rejecting} refuse a valid one, \
         {unsupported} are unsupported, {crash} panic, {timeout} take too long"
    );
    if name == OURS {
        for failure in &failures {
            println!("  WRONG {failure}");
        }
        println!("  unsupported because of: {}", serde_json::to_string(&reasons)?);
    }
    if let Some((time, file)) = slowest {
        println!("  the slowest that is unsupported takes {time:.1?}: {file}");
    }
    let report = json!({
        "schemas": schemas,
        "passing": passing,
        "unsupported": unsupported,
        "schemas_false_accept": accepting,
        "schemas_false_reject": rejecting,
        "crash": crash,
        "timeout": timeout,
        "reasons": reasons,
        "failures": failures,
        "refused": refused,
    });
    let Value::Object(report) = report else { unreachable!("it is an object") };
    Ok((report, accepting + rejecting + crash + timeout == 0))
}
