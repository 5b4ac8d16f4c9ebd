//! `golden-lazy`: our lazy grammars against what llama.cpp answered.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use grammask_gbnf::{Dialect, ParseConfig};
use grammask_sampler::{Constraint, ConstraintError, Engine, LazyGrammar, TokenId, Trigger};
use serde_json::{Value, json};

use crate::lazy_differences::{self, Plain};
use crate::{input, output, vocabularies};

/// The options of the subcommand.
#[derive(clap::Args)]
pub struct Options {
    /// Rows in the format of lazy.jsonl
    file: PathBuf,
    /// Where to write the result
    #[arg(long)]
    json: Option<PathBuf>,
}

/// Runs every row; whether none failed.
pub fn run(options: &Options) -> Result<bool> {
    let rows = input::read_rows(&options.file)?;
    let comparison = Comparison::new()?;
    let mut by_difference: BTreeMap<String, usize> = BTreeMap::new();
    let (mut passing, mut listed) = (0, 0);
    let mut failures = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let outcome = comparison.row(row)?;
        for what in &outcome.failures {
            failures.push(json!({"row": index + 1, "note": row["note"], "what": what}));
        }
        if outcome.failures.is_empty() {
            passing += usize::from(outcome.listed.is_empty());
            listed += usize::from(!outcome.listed.is_empty());
        }
        for id in outcome.listed {
            *by_difference.entry(id).or_default() += 1;
        }
    }

    println!(
        "{} rows: {passing} pass, {listed} differ as listed, {} fail",
        rows.len(),
        rows.len() - passing - listed,
    );
    for (id, count) in &by_difference {
        println!("  {id}: {count}");
    }
    for failure in &failures {
        println!("  FAIL {failure}");
    }
    let passed = failures.is_empty();
    let report = json!({
        "rows": rows.len(),
        "rows_passing": passing,
        "listed_differences": listed,
        "differences": by_difference,
        "failures": failures,
    });
    if let Value::Object(report) = report {
        let in_force = json!({"command": "golden-lazy", "file": options.file});
        output::write(options.json.as_deref(), in_force, report)?;
    }
    Ok(passed)
}

/// What became of a row.
#[derive(Debug, Default)]
struct Outcome {
    /// The differences that made us expect another answer, once per answer.
    listed: Vec<String>,
    /// What is otherwise than expected.
    failures: Vec<String>,
}

/// What a comparison is made with.
struct Comparison {
    base: Arc<Engine>,
    think: Arc<Engine>,
    differences: Vec<lazy_differences::Difference>,
}

impl Comparison {
    fn new() -> Result<Self> {
        Ok(Self {
            base: Engine::new(vocabularies::load("r50k_base")?),
            think: Engine::new(vocabularies::think([])?),
            differences: lazy_differences::listed()?,
        })
    }

    /// Goes through the steps of a row, up to one that is refused.
    fn row(&self, row: &Value) -> Result<Outcome> {
        let engine = match row["vocab"].as_str() {
            Some("r50k_base") => &self.base,
            Some("r50k_think") | None => &self.think,
            Some(other) => bail!("no vocabulary is called {other}"),
        };
        let mut outcome = Outcome::default();
        let target = target(engine, row)?;
        let matcher = target.matcher().context("it is strict")?.clone();
        let triggers = tokens(&row["trigger_tokens"])?;
        let plain = Plain::new(engine, matcher, row, &triggers)?;
        let mut constraint = constraint(&target, row)?;
        let probes = tokens(&row["probes"])?;
        let mut read = Vec::new();
        for step in row["steps"].as_array().context("a row has no steps")? {
            read.extend(token_of(step)?);
            let mut expected = Answer::of(step)?;
            for difference in &self.differences {
                let correct = difference.correct(&plain, &read, &expected);
                if correct != expected {
                    expected = correct;
                    outcome.listed.push(difference.id.clone());
                }
            }
            let got = answer(&mut constraint, step, &probes)?;
            if got != expected {
                outcome.failures.push(format!("{}: {got:?}, expected {expected:?}", step["token"]));
            }
            if got == Answer::Refused || expected == Answer::Refused {
                break;
            }
        }
        Ok(outcome)
    }
}

/// What is said after a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A typed error, with the state as before.
    Refused,
    /// The token was read.
    Read {
        /// Whether the text is a grammar's now.
        constrained: bool,
        /// The probes that the mask leaves.
        allowed: Vec<TokenId>,
    },
}

impl Answer {
    fn of(step: &Value) -> Result<Self> {
        if !step["throws"].is_null() {
            return Ok(Self::Refused);
        }
        Ok(Self::Read {
            constrained: step["constrained"].as_bool().context("a step has no `constrained`")?,
            allowed: tokens(&step["allowed_probes"])?,
        })
    }
}

/// Our answer to a step.
fn answer(constraint: &mut Constraint, step: &Value, probes: &[TokenId]) -> Result<Answer> {
    if let Some(token) = token_of(step)? {
        let before = constraint.mask();
        let len = constraint.len();
        let is_allowed = before.contains(token);
        match constraint.accept(token) {
            Ok(()) if !is_allowed => bail!("token {token} is read, but not in the mask"),
            Ok(()) => {}
            Err(ConstraintError::Refused { .. } | ConstraintError::Misfit { .. })
                if !is_allowed =>
            {
                let is_as_before = constraint.mask() == before && constraint.len() == len;
                if !is_as_before {
                    bail!("the refusal of token {token} left a trace");
                }
                return Ok(Answer::Refused);
            }
            Err(error) => return Err(error).context("a token is refused, but in the mask"),
        }
    }
    let mask = constraint.mask();
    Ok(Answer::Read {
        constrained: constraint.matcher().is_some(),
        allowed: probes.iter().copied().filter(|&probe| mask.contains(probe)).collect(),
    })
}

/// The grammar of a row.
fn target(engine: &Arc<Engine>, row: &Value) -> Result<Constraint> {
    let text = row["grammar"].as_str().context("a row has no grammar")?;
    let exists = |text: &str| engine.vocabulary().token_by_text(text.as_bytes()).is_some();
    let root = row["root"].as_str().unwrap_or("root");
    let config = ParseConfig::new().dialect(Dialect::Grammask).root(root).tokens(&exists);
    Ok(Constraint::new(engine, &config.parse(text)?, root)?)
}

/// The grammar of a row behind its triggers.
fn constraint(target: &Constraint, row: &Value) -> Result<Constraint> {
    let patterns = row["trigger_patterns"].as_array().into_iter().flatten();
    let patterns = patterns.map(|pattern| Ok(Trigger::pattern(pattern.as_str().context("text")?)));
    let patterns: Vec<Trigger> = patterns.collect::<Result<_>>()?;
    let tokens = tokens(&row["trigger_tokens"])?.into_iter().map(Trigger::token);
    let triggers = tokens.chain(patterns);
    let lazy =
        triggers.fold(LazyGrammar::new(), |lazy, trigger| lazy.trigger(trigger, target.clone()));
    Ok(lazy.build(target.engine())?)
}

/// The token of a step; the first has none.
fn token_of(step: &Value) -> Result<Option<TokenId>> {
    step["token"].as_u64().map(|id| Ok(TokenId(u32::try_from(id)?))).transpose()
}

fn tokens(ids: &Value) -> Result<Vec<TokenId>> {
    let id = |id: &Value| Ok(TokenId(u32::try_from(id.as_u64().context("a token id")?)?));
    ids.as_array().into_iter().flatten().map(id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows as llama.cpp would answer them by its source, for what no shared row shows: `id` is the
    /// difference that must be listed, null if there must be none.
    #[test]
    fn differences_are_about_the_rows_that_they_are_meant_for() {
        let rows = input::table(include_str!("../differences/lazy_rows.jsonl")).unwrap();
        let comparison = Comparison::new().unwrap();
        for row in &rows {
            let outcome = comparison.row(row).unwrap();
            assert!(outcome.failures.is_empty(), "{row}: {outcome:?}");
            let expected = row["id"].as_str();
            assert!(outcome.listed.iter().all(|id| Some(id.as_str()) == expected), "{outcome:?}");
            assert_eq!(outcome.listed.is_empty(), expected.is_none(), "{row}: {outcome:?}");
        }
    }

    #[test]
    fn a_wrong_answer_is_a_failure() {
        let row = |step: Value| {
            let start = json!({"token": null, "constrained": false, "allowed_probes": [64, 90]});
            json!({"grammar": "root ::= \"{\" [a-z]", "trigger_patterns": ["\\{"], "probes": [64, 90],
                "steps": [start, step]})
        };
        let comparison = Comparison::new().unwrap();
        let failures = |step| comparison.row(&row(step)).unwrap().failures.len();
        assert_eq!(failures(json!({"token": 90, "constrained": true, "allowed_probes": [64]})), 0);
        assert_eq!(failures(json!({"token": 90, "constrained": true, "allowed_probes": []})), 1);
        assert_eq!(failures(json!({"token": 90, "constrained": false, "allowed_probes": [64]})), 1);
        assert_eq!(failures(json!({"token": 90, "throws": "no"})), 1);
    }
}
