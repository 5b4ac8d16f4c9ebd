//! The times of an engine over many schemas, as reports have them.

use std::time::Duration;

use grammask_bench_protocol::{Instance, Reading, Ready, Time, TokenTime};
use serde_json::{Map, Value, json};

use crate::times::Distribution;

/// How many of the slowest files a report names.
const SLOWEST: usize = 10;

/// What an engine said of a file.
pub struct Row<'a> {
    pub path: &'a str,
    pub reading: &'a Reading,
    /// The instances that all engines accept, by their places; none if not all have a constraint.
    pub common: Option<Vec<usize>>,
}

/// What the report of an engine says of its times.
pub fn report(ready: &Ready, rows: &[Row], peak_mb: f64) -> Map<String, Value> {
    let mut report = figures(rows, 0, Choice::All, cpu);
    report.extend(object(json!({
        "startup_ms": ready.startup_ms,
        "rss_mb": ready.rss_mb,
        "peak_rss_mb": peak_mb,
        "copy_us": ready.copy_us,
        "clock_us": ready.clock_us,
        "notes": ready.notes,
        "wall": figures(rows, 0, Choice::All, wall),
        "common": figures(rows, 0, Choice::Common, cpu),
        "slowest_first_masks": slowest(rows, |row| to_first_mask(row, cpu)),
        "slowest_masks": slowest(rows, |row| {
            tokens(row, 0, Choice::All).map(|token| cpu(token.mask)).max().unwrap_or_default()
        }),
    })));
    if rows.iter().any(|row| row.reading.passes.len() > 1) {
        let mut warm = figures(rows, 1, Choice::All, cpu);
        warm.append(&mut misses(rows, 1));
        report.insert("warm".to_owned(), Value::Object(warm));
        report.append(&mut misses(rows, 0));
    }
    report
}

/// Prints the most important ones; `beside` others also over what all engines accept.
pub fn print(ready: &Ready, rows: &[Row], peak_mb: f64, beside: bool) {
    let mut blocks = vec![("", Choice::All)];
    if beside {
        blocks.push((", what all accept", Choice::Common));
    }
    for (what, choice) in blocks {
        let tokens = |of: fn(&TokenTime) -> Duration| {
            let all = rows.iter().flat_map(move |row| tokens(row, 0, choice));
            all.map(of).collect::<Distribution>()
        };
        let first: Distribution = rows
            .iter()
            .filter(|row| choice.of(row).is_some())
            .map(|row| to_first_mask(row, cpu))
            .collect();
        let both = tokens(|token| cpu(token.mask) + cpu(token.commit));
        println!("  mask + commit{what}: {}", both.line());
        println!("  mask{what}: {}", tokens(|token| cpu(token.mask)).line());
        println!("  commit{what}: {}", tokens(|token| cpu(token.commit)).line());
        println!("  to the first mask{what}: {}", first.line());
        println!("  all together{what}: {:.1} s", (first.sum() + both.sum()).as_secs_f64());
    }
    println!(
        "  ready after {:.0} ms with {:.0} MB, at most {peak_mb:.0} MB; a copy of a mask takes {:.2} us",
        ready.startup_ms, ready.rss_mb, ready.copy_us
    );
    for note in &ready.notes {
        println!("  note: {note}");
    }
}

/// Which instances count.
#[derive(Clone, Copy)]
enum Choice {
    All,
    /// Those that all engines accept.
    Common,
}

impl Choice {
    /// Those of a file, by their places; none if the file does not count.
    fn of(self, row: &Row) -> Option<Vec<usize>> {
        match self {
            Self::All => Some((0..row.reading.passes[0].len()).collect()),
            Self::Common => row.common.clone(),
        }
    }
}

type Clock = fn(Time) -> Duration;

fn cpu(time: Time) -> Duration {
    Duration::from_nanos(time.cpu)
}

fn wall(time: Time) -> Duration {
    Duration::from_nanos(time.wall)
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

fn to_first_mask(row: &Row, clock: Clock) -> Duration {
    row.reading.stages.iter().map(|&(_, time)| clock(time)).sum()
}

fn tokens<'a>(row: &'a Row, pass: usize, choice: Choice) -> impl Iterator<Item = &'a TokenTime> {
    let pass: &[Instance] = row.reading.passes.get(pass).map_or(&[], |pass| pass);
    let chosen = choice.of(row).unwrap_or_default();
    chosen.into_iter().filter_map(|at| pass.get(at)).flat_map(|instance| &instance.times)
}

/// The distributions of times over some of the tokens.
fn figures(rows: &[Row], pass: usize, choice: Choice, clock: Clock) -> Map<String, Value> {
    let of_tokens = |of: &dyn Fn(&TokenTime) -> Duration| {
        let all = rows.iter().flat_map(|row| tokens(row, pass, choice));
        all.map(of).collect::<Distribution>()
    };
    let counted = || rows.iter().filter(|row| choice.of(row).is_some());
    let both = of_tokens(&|token| clock(token.mask) + clock(token.commit));
    let first: Distribution = counted().map(|row| to_first_mask(row, clock)).collect();
    let mut figures = object(json!({
        "schemas_timed": counted().count(),
        "tokens": both.len(),
        "tbm_us": both.figures(),
        "mask_us": of_tokens(&|token| clock(token.mask)).figures(),
        "commit_us": of_tokens(&|token| clock(token.commit)).figures(),
    }));
    // It is made once, whatever is read then.
    if pass == 0 {
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in counted().flat_map(|row| &row.reading.stages) {
            if !names.contains(&&**name) {
                names.push(name);
            }
        }
        let stages = names.into_iter().map(|name| {
            let times = counted().flat_map(|row| &row.reading.stages);
            let times = times.filter(|(of, _)| of == name).map(|&(_, time)| clock(time));
            (name.to_owned(), times.collect::<Distribution>().figures())
        });
        let stages: Map<String, Value> = stages.collect();
        figures.extend(object(json!({
            "ttfm_us": first.figures(),
            "stages_us": stages,
            "total_cpu_s": (first.sum() + both.sum()).as_secs_f64(),
        })));
    }
    figures
}

/// How many masks were not known, and what they cost.
fn misses(rows: &[Row], pass: usize) -> Map<String, Value> {
    let masks = || rows.iter().flat_map(|row| tokens(row, pass, Choice::All));
    let missed: Vec<u64> = masks().filter_map(|token| token.nodes).collect();
    let times = masks().filter(|token| token.nodes.is_some()).map(|token| cpu(token.mask));
    object(json!({"misses": {
        "share": missed.len() as f64 / masks().count().max(1) as f64,
        "mean_nodes": missed.iter().sum::<u64>() as f64 / missed.len().max(1) as f64,
        "max_nodes": missed.iter().max(),
        "mask_us": times.collect::<Distribution>().figures(),
    }}))
}

/// The files that take longest, with the microseconds.
fn slowest(rows: &[Row], of: impl Fn(&Row) -> Duration) -> Vec<Value> {
    let mut times: Vec<_> = rows.iter().map(|row| (of(row), row.path)).collect();
    times.sort_unstable_by(|one, other| other.cmp(one));
    let rows = times.into_iter().take(SLOWEST);
    rows.map(|(time, path)| json!({"file": path, "us": time.as_secs_f64() * 1e6})).collect()
}
