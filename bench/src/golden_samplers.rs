//! `golden-samplers`: our samplers against what llama.cpp answered.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use serde_json::{Value, json};

use crate::sampler_row::{self, Agreement, TOLERANCE};
use crate::{input, output, sampler_differences};

/// The options of the subcommand.
#[derive(clap::Args)]
pub struct Options {
    /// Rows in the format of samplers.jsonl
    file: PathBuf,
    /// Where to write the result
    #[arg(long)]
    json: Option<PathBuf>,
}

/// Runs every row; whether none failed.
pub fn run(options: &Options) -> Result<bool> {
    let rows = input::read_rows(&options.file)?;
    let differences = sampler_differences::listed()?;
    let (mut passing, mut up_to_ties) = (0, 0);
    let mut by_sampler: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    let mut by_difference: BTreeMap<&str, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let sampler = row["sampler"].as_str().unwrap_or("").to_owned();
        let ours = match sampler_row::answer(row) {
            Ok(ours) => ours,
            Err(error) => {
                failures.push(failure(index, row, &format!("{error:#}")));
                continue;
            }
        };
        let counts = by_sampler.entry(sampler).or_default();
        counts[1] += 1;
        let mut expected = row.clone();
        let mut listed = Vec::new();
        for difference in &differences {
            if difference.is_about(row)? {
                expected = difference.correct(&expected)?;
                listed.push(difference.id.as_str());
            }
        }
        match sampler_row::compare(&expected, &ours, row["ties"] == true) {
            Err(what) => failures.push(failure(index, row, &what)),
            Ok(agreement) => {
                up_to_ties += usize::from(agreement == Agreement::UpToTies);
                counts[0] += 1;
                passing += usize::from(listed.is_empty());
                for id in listed {
                    *by_difference.entry(id).or_default() += 1;
                }
            }
        }
    }

    let listed = rows.len() - passing - failures.len();
    println!(
        "{} rows: {passing} pass ({up_to_ties} up to the order of ties), {listed} differ as listed, \
         {} fail",
        rows.len(),
        failures.len(),
    );
    for (sampler, [good, all]) in &by_sampler {
        println!("  {sampler}: {good} of {all}");
    }
    for failure in &failures {
        println!("  FAIL {failure}");
    }
    let passed = failures.is_empty();
    let report = json!({
        "rows": rows.len(),
        "rows_passing": passing,
        "rows_up_to_ties": up_to_ties,
        "listed_differences": listed,
        "differences": by_difference,
        "by_sampler": by_sampler,
        "failures": failures,
    });
    if let Value::Object(report) = report {
        let in_force = json!({
            "command": "golden-samplers",
            "file": options.file,
            "tolerance": TOLERANCE,
        });
        output::write(options.json.as_deref(), in_force, report)?;
    }
    Ok(passed)
}

fn failure(index: usize, row: &Value, what: &str) -> Value {
    json!({
        "row": index + 1,
        "sampler": row["sampler"],
        "params": row["params"],
        "cand": row["cand"],
        "what": what,
    })
}
