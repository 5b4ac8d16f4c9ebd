//! `plots`: what records say, as pictures.

mod bars;
mod lines;
mod svg;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::Value;

use bars::Bars;
use lines::Lines;

/// Options of `plots`.
#[derive(Args)]
pub struct Options {
    /// What `maskbench --json` and `profile --json` have written, in any order
    #[arg(required = true)]
    records: Vec<PathBuf>,
    /// The folder for the pictures
    #[arg(long)]
    out: PathBuf,
}

/// The quantiles of reports, as [`crate::times::Distribution::figures`] names them.
const QUANTILES: [&str; 8] = ["p25", "p50", "p75", "p90", "p95", "p99", "p99.9", "max"];

/// Draws every picture that there is a record for.
pub fn run(options: &Options) -> Result<bool> {
    fs::create_dir_all(&options.out)
        .with_context(|| format!("cannot make {}", options.out.display()))?;
    for path in &options.records {
        let text =
            fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let record: Value =
            serde_json::from_str(&text).with_context(|| path.display().to_string())?;
        let pictures = pictures(&record).with_context(|| path.display().to_string())?;
        ensure!(!pictures.is_empty(), "{}: there are no pictures of this", path.display());
        for (name, picture) in pictures {
            let path = options.out.join(name);
            fs::write(&path, picture)
                .with_context(|| format!("cannot write {}", path.display()))?;
            println!("{}", path.display());
        }
    }
    Ok(true)
}

/// The pictures of a record, with the names of their files.
fn pictures(record: &Value) -> Result<Vec<(&'static str, String)>> {
    let mut pictures = Vec::new();
    if record["engines"].is_object() {
        pictures.push(("engines.svg", engines(record)?));
    }
    if record["profile"].is_object() {
        let profile = &record["profile"];
        pictures.push(("places.svg", places(profile)?));
        pictures.push(("nodes.svg", nodes(profile)?));
        pictures.push(("density.svg", density(profile)?));
    }
    Ok(pictures)
}

fn engines(record: &Value) -> Result<String> {
    let engines = record["engines"].as_object().context("no engines")?;
    let curves = engines.iter().map(|(name, report)| {
        let times = QUANTILES.map(|quantile| report["tbm_us"][quantile].as_f64());
        (name.clone(), times.to_vec())
    });
    let lines = Lines {
        title: "Mask and commit of a token, by engine",
        across: "quantile of the tokens that an engine reads",
        upwards: "processor time",
        steps: QUANTILES.map(str::to_owned).to_vec(),
        curves: curves.collect(),
    };
    Ok(lines.draw())
}

fn places(profile: &Value) -> Result<String> {
    let (misses, time) = (number(&profile["all"]["misses"]["count"])?, sum(&profile["all"])?);
    let mut rows = Vec::new();
    for row in array(&profile["places"])? {
        let name = row["place"].as_str().context("a row without its place")?;
        rows.push(shares(name, row, (misses, time))?);
    }
    rows.retain(|(_, shares)| shares[0] > 0.0);
    rows.sort_by(|(_, one), (_, other)| other[0].total_cmp(&one[0]));
    let bars = Bars {
        title: "Masks that were not known, by their place in the document",
        across: "share",
        upwards: "place (number of masks)",
        wholes: vec!["of the masks that were not known", "of the time of all masks"],
        rows,
    };
    Ok(bars.draw())
}

fn nodes(profile: &Value) -> Result<String> {
    let all = &profile["all"]["misses"];
    let (misses, time) = (number(&all["count"])?, number(&all["sum_us"])?);
    let mut rows = Vec::new();
    for row in array(&profile["nodes"])? {
        let bucket = &row["bucket"];
        let name = format!("{} to {}", bucket["from"], bucket["to"]);
        rows.push(shares(&name, row, (misses, time))?);
    }
    let bars = Bars {
        title: "Masks that were not known, by the nodes they visit",
        across: "share",
        upwards: "nodes of the trie (number of masks)",
        wholes: vec!["of the masks that were not known", "of their time"],
        rows,
    };
    Ok(bars.draw())
}

fn density(profile: &Value) -> Result<String> {
    let rows = array(&profile["allowed"])?;
    let mut curves = Vec::new();
    for (side, quantile, name) in [
        ("hits", "p50", "known, median"),
        ("hits", "p99", "known, p99"),
        ("misses", "p50", "not known, median"),
        ("misses", "p99", "not known, p99"),
    ] {
        let times = rows.iter().map(|row| {
            let is_any = row[side]["count"].as_u64().is_some_and(|count| count > 0);
            row[side]["us"][quantile].as_f64().filter(|_| is_any)
        });
        curves.push((name.to_owned(), times.collect()));
    }
    let lines = Lines {
        title: "Time of a mask, by how many tokens it allows",
        across: "tokens that are allowed: from here up to the next step",
        upwards: "processor time",
        steps: rows.iter().map(|row| row["bucket"]["from"].to_string()).collect(),
        curves,
    };
    Ok(lines.draw())
}

/// What a row has of so many masks that were not known, and of a time.
fn shares(name: &str, row: &Value, (misses, time): (f64, f64)) -> Result<(String, Vec<f64>)> {
    let count = number(&row["misses"]["count"])?;
    let shares = vec![count / misses, number(&row["misses"]["sum_us"])? / time];
    Ok((format!("{name} ({count})"), shares))
}

/// The time of all masks.
fn sum(sides: &Value) -> Result<f64> {
    Ok(number(&sides["hits"]["sum_us"])? + number(&sides["misses"]["sum_us"])?)
}

fn number(value: &Value) -> Result<f64> {
    value.as_f64().context("a number is missing in the record")
}

fn array(value: &Value) -> Result<&[Value]> {
    Ok(value.as_array().context("a list is missing in the record")?)
}
