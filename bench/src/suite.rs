//! `suite`: the JSON Schema Test Suite.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use grammask::gbnf::Automaton;
use grammask::json_schema::{Draft, Formats, Options as Translation, Resources, translate_with};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::schema_options::{SchemaOptions, by_name};
use crate::verdict::{self, Verdict};
use crate::{input, output, work};

/// Options of `suite`.
#[derive(Args, Serialize)]
pub struct Options {
    /// The suite: a folder or an archive with `tests/` and `remotes/`
    folder: PathBuf,
    /// The draft: 4, 6, 7, 2019-09, 2020-12
    #[arg(long, value_parser = by_name::<Draft>, default_value = "2020-12")]
    draft: Draft,
    /// Assert formats, and run the tests of formats instead of the required ones
    #[arg(long)]
    format_assertion: bool,
    #[command(flatten)]
    #[serde(flatten)]
    spelling: SchemaOptions,
    /// Where to write the result
    #[arg(long)]
    json: Option<PathBuf>,
}

/// A schema with instances.
#[derive(Deserialize)]
struct Group {
    description: String,
    schema: Value,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Test {
    description: String,
    data: Value,
    valid: bool,
}

#[derive(Clone, Default, Serialize)]
struct Counts {
    cases: usize,
    correct: usize,
    false_accept: usize,
    false_reject: usize,
    unsupported: usize,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.cases += other.cases;
        self.correct += other.correct;
        self.false_accept += other.false_accept;
        self.false_reject += other.false_reject;
        self.unsupported += other.unsupported;
    }
}

/// Runs the tests; whether no invalid instance was accepted and nothing panicked.
pub fn run(options: &Options) -> Result<bool> {
    let draft = serde_json::to_value(options.draft)?;
    let inside = if options.format_assertion { "optional/format/" } else { "" };
    let folder = format!("tests/draft{}/{inside}", draft.as_str().unwrap_or_default());
    let mut groups = Vec::new();
    let mut remotes = Resources::new();
    for file in input::read_folder(&options.folder)? {
        let path = format!("/{}", file.path);
        if let Some((_, name)) = path.split_once("/remotes/") {
            let document =
                serde_json::from_slice(&file.bytes).with_context(|| file.path.clone())?;
            remotes.insert(&format!("{REMOTES}/{name}"), document)?;
            continue;
        }
        let Some((_, name)) = path.split_once(&format!("/{folder}")) else { continue };
        if !name.contains('/') {
            let all: Vec<Group> =
                serde_json::from_slice(&file.bytes).with_context(|| file.path.clone())?;
            groups.extend(all.into_iter().map(|group| (name.to_owned(), group)));
        }
    }
    if groups.is_empty() {
        bail!("{} has no {folder}", options.folder.display());
    }
    let mut translation = options.spelling.options();
    translation.draft = options.draft;
    translation.formats =
        if options.format_assertion { Formats::Assert } else { Formats::Annotation };
    let results =
        work::each(&groups, "groups", |(_, group)| Ok(judge(group, &translation, &remotes)))?;

    let mut by_file: BTreeMap<&str, Counts> = BTreeMap::new();
    let mut total = Counts::default();
    let (mut failures, mut refused) = (Vec::new(), BTreeMap::<String, usize>::new());
    for ((file, group), result) in groups.iter().zip(results) {
        by_file.entry(file).or_default().add(&result.counts);
        total.add(&result.counts);
        for what in result.wrong {
            failures.push(json!({"file": file, "group": group.description, "what": what}));
        }
        if let Some(reason) = result.refused {
            *refused.entry(reason).or_default() += group.tests.len();
        }
    }
    println!(
        "{} of {} cases correct; {} false accept, {} false reject, {} unsupported",
        total.correct, total.cases, total.false_accept, total.false_reject, total.unsupported
    );
    for (file, counts) in &by_file {
        if counts.correct < counts.cases {
            println!(
                "  {file}: {} of {}; {} false accept, {} false reject, {} unsupported",
                counts.correct,
                counts.cases,
                counts.false_accept,
                counts.false_reject,
                counts.unsupported
            );
        }
    }
    for failure in &failures {
        println!("  WRONG {failure}");
    }
    let passed = total.false_accept == 0 && !failures.iter().any(|it| it["what"] == PANIC);
    let report = json!({
        "cases": total.cases,
        "correct": total.correct,
        "false_accept": total.false_accept,
        "false_reject": total.false_reject,
        "unsupported": total.unsupported,
        "by_file": by_file,
        "refused": refused,
        "failures": failures,
    });
    if let Value::Object(report) = report {
        output::write(options.json.as_deref(), serde_json::to_value(options)?, report)?;
    }
    Ok(passed)
}

const PANIC: &str = "panic";

/// Where the suite's tests expect its `remotes/`.
pub const REMOTES: &str = "http://localhost:1234";

#[derive(Default)]
struct Outcome {
    counts: Counts,
    /// Wrong verdicts.
    wrong: Vec<String>,
    /// Why there is no grammar.
    refused: Option<String>,
}

fn judge(group: &Group, options: &Translation, remotes: &Resources<'_>) -> Outcome {
    let mut outcome = Outcome::default();
    outcome.counts.cases = group.tests.len();
    let automaton = catch_unwind(AssertUnwindSafe(|| {
        let translation =
            translate_with(&group.schema, options, remotes).map_err(|error| error.to_string())?;
        Automaton::compile(&translation.grammar, "root").map_err(|error| error.to_string())
    }));
    let automaton = match automaton {
        Ok(Ok(automaton)) => automaton,
        Ok(Err(reason)) => {
            outcome.counts.unsupported = group.tests.len();
            outcome.refused = Some(reason);
            return outcome;
        }
        Err(_) => {
            outcome.counts.unsupported = group.tests.len();
            outcome.wrong.push(PANIC.to_owned());
            return outcome;
        }
    };
    for test in &group.tests {
        let text = test.data.to_string();
        let accepted = verdict::by_bytes(&automaton, text.as_bytes(), 1024) == Verdict::Complete;
        let counts = &mut outcome.counts;
        match (accepted, test.valid) {
            (true, false) => counts.false_accept += 1,
            (false, true) => counts.false_reject += 1,
            _ => {
                counts.correct += 1;
                continue;
            }
        }
        let what = if accepted { "false accept" } else { "false reject" };
        outcome.wrong.push(format!("{what}: {}: {text}", test.description));
    }
    outcome
}
