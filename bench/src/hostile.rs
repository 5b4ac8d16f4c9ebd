//! `hostile`: grammars that were made to break something. Each runs in a process of its own with a
//! limit on memory and a watchdog.

use std::time::Instant;

use anyhow::{Context, Result, bail};
use grammask_bench_protocol::{peak_mb, processor_ms};
use grammask_gbnf::Automaton;
use grammask_oracle::hostile::{self, Figures, Hostile};
use grammask_sampler::{Constraint, Engine, TokenMask, Vocabulary};
use serde_json::{Value, json};

use crate::watched::{self, Limits, VOCABULARY};

/// The options of the subcommand.
#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    watched: watched::Options,
    /// Most processor time of a case, in milliseconds (loading the vocabulary is not counted)
    #[arg(long, default_value_t = 1000)]
    limit_ms: u64,
    /// When the watchdog bites, in seconds; more than the limit, for a machine that is busy
    #[arg(long, default_value_t = 6)]
    timeout: u64,
}

/// Cases that are known to take longer than they may, each with the reason.
const SLOW: [(&str, &str); 1] = [(
    "rules-that-lead-everywhere",
    "4 MB of 300,000 alternatives: a third of the time is pest's, the rest checks and compiles",
)];

/// Runs every case; whether none failed but those that are listed.
pub fn run(options: &Options) -> Result<bool> {
    let limits = Limits { limit_ms: options.limit_ms, timeout: options.timeout };
    let options = &options.watched;
    let mut cases = hostile::all();
    if let Some(part) = &options.only {
        cases.retain(|case| case.name.contains(part.as_str()));
    }
    if options.list {
        for case in &cases {
            println!("{}", case.name);
        }
        return Ok(true);
    }
    if let Some(name) = &options.run {
        let case = hostile::find(name).with_context(|| format!("no case is called {name}"))?;
        let report = alone(&case)?;
        println!("{report}");
        return Ok(report["outcome"] == "ok");
    }

    println!(
        "{:42} {:>9} {:>8} {:>8} {:>9} {:>9}  outcome",
        "case", "cpu ms", "peak MB", "mask ms", "positions", "session"
    );
    let mut reports = Vec::new();
    let mut failures = Vec::new();
    let mut listed_slow = 0;
    for case in &cases {
        let report = options.watch("hostile", case.name, limits)?;
        let number = |name: &str| report[name].as_f64().unwrap_or(0.0);
        println!(
            "{:42} {:>9.1} {:>8.0} {:>8.1} {:>9} {:>9}  {}",
            case.name,
            number("cpu_ms"),
            number("peak_mb"),
            number("mask_ms"),
            number("positions"),
            number("session"),
            report["outcome"].as_str().unwrap_or("?"),
        );
        let listed = SLOW.iter().find(|(name, _)| *name == case.name);
        if let (Some((_, reason)), Some("too slow")) = (listed, report["outcome"].as_str()) {
            println!("    listed: {reason}");
            listed_slow += 1;
        } else if report["outcome"] != "ok" {
            failures.push(json!({ "name": case.name, "what": report["outcome"] }));
        }
        reports.push(report);
    }
    let passing = cases.len() - failures.len() - listed_slow;
    println!(
        "{passing} of {} cases work, {listed_slow} are slow as listed, {} fail",
        cases.len(),
        failures.len()
    );
    options.write("hostile", limits, &reports, &failures, listed_slow)?;
    Ok(failures.is_empty())
}

/// Runs a case in this process.
fn alone(case: &Hostile) -> Result<Value> {
    let engine = Engine::new(Vocabulary::from_name(VOCABULARY)?);
    engine.vocabulary().encode("the encoder is loaded when it is first used")?;
    let before = processor_ms("self");
    let started = Instant::now();
    let mut masks = Masks::default();
    let (outcome, figures) = match case.run(|grammar| Automaton::compile(grammar, "root")) {
        Ok((None, figures)) => ("ok".to_owned(), figures),
        Ok((Some(automaton), figures)) => {
            let constraint = Constraint::with_automaton(&engine, &automaton)?;
            let outcome = masks.take(case, constraint).err();
            (outcome.map_or("ok".to_owned(), |error| error.to_string()), figures)
        }
        Err(what) => (what, Figures::default()),
    };
    let cpu_ms = processor_ms("self") - before;
    Ok(json!({
        "name": case.name,
        "outcome": outcome,
        "cpu_ms": cpu_ms,
        "wall_ms": started.elapsed().as_secs_f64() * 1000.0,
        "peak_mb": peak_mb("self"),
        "grammar_bytes": figures.grammar,
        "text_bytes": figures.texts,
        "positions": figures.positions,
        "session": figures.session,
        "parse_ms": figures.parse_ms,
        "check_ms": figures.check_ms,
        "compile_ms": figures.compile_ms,
        "match_ms": figures.match_ms,
        "masks": masks.taken,
        "mask_ms": masks.slowest_ms,
    }))
}

/// Masks of a case: at the start, and after the first tokens of its first text.
#[derive(Default)]
struct Masks {
    taken: usize,
    slowest_ms: f64,
}

impl Masks {
    /// How many tokens are read.
    const TOKENS: usize = 4;

    fn take(&mut self, case: &Hostile, mut constraint: Constraint) -> Result<()> {
        let texts = case.texts();
        let begin: String =
            texts.first().into_iter().flat_map(|it| it.text.chars()).take(40).collect();
        let vocabulary = constraint.engine().vocabulary();
        let tokens = vocabulary.encode(&begin)?;
        let mut mask = TokenMask::new(vocabulary.len());
        for (at, &token) in tokens.iter().take(Self::TOKENS).enumerate() {
            let start = Instant::now();
            constraint.fill_mask(&mut mask);
            self.slowest_ms = self.slowest_ms.max(start.elapsed().as_secs_f64() * 1000.0);
            self.taken += 1;
            // The last token may span more than the text has left at this place.
            let accepted = constraint.accept(token).is_ok();
            if accepted != mask.contains(token) {
                bail!("the mask and the answer to token {token} at {at} differ");
            }
            if !accepted {
                break;
            }
        }
        constraint.fill_mask(&mut mask);
        self.taken += 1;
        Ok(())
    }
}
