//! `golden-gbnf`: our grammars against what llama.cpp answered.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str;
use std::sync::Arc;

use anyhow::{Context, Result};
use grammask_gbnf::{Automaton, Dialect, Grammar, ParseConfig};
use grammask_sampler::{Constraint, Engine, TokenId};
use serde_json::{Value, json};

use crate::gbnf_differences::{self, Difference};
use crate::gbnf_language::Language;
use crate::verdict::{self, Verdict};
use crate::{gbnf_features, input, output, vocabularies};

/// The options of the subcommand.
#[derive(clap::Args)]
pub struct Options {
    /// Rows in the format of gbnf.jsonl
    file: PathBuf,
    /// Which notation to read, with its meaning
    #[arg(long, default_value = "grammask", value_parser = ["grammask", "llama.cpp"])]
    dialect: String,
    /// Where to write the result
    #[arg(long)]
    json: Option<PathBuf>,
}

/// Runs every row; whether none failed.
pub fn run(options: &Options) -> Result<bool> {
    let rows = input::read_rows(&options.file)?;
    let outcomes = Comparison::new(&rows, &options.dialect)?.rows(&rows)?;
    let mut by_difference: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut passing, mut listed, mut cases) = (0, 0, 0);
    let mut failures = Vec::new();
    for (index, (row, outcome)) in rows.iter().zip(&outcomes).enumerate() {
        cases += outcome.cases;
        for id in &outcome.listed {
            *by_difference.entry(id.as_str()).or_default() += 1;
        }
        for what in &outcome.failures {
            failures.push(json!({
                "row": index + 1,
                "grammar": row["grammar"],
                "note": row["note"],
                "what": what,
            }));
        }
        if outcome.failures.is_empty() {
            passing += usize::from(outcome.listed.is_empty());
            listed += usize::from(!outcome.listed.is_empty());
        }
    }

    println!(
        "{} rows with {cases} cases, dialect {}: {passing} pass, {listed} differ as listed, {} fail",
        rows.len(),
        options.dialect,
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
        "cases": cases,
        "failures": failures,
    });
    if let Value::Object(report) = report {
        let in_force = json!({
            "command": "golden-gbnf",
            "file": options.file,
            "dialect": options.dialect,
            "vocabulary": "r50k_think",
        });
        output::write(options.json.as_deref(), in_force, report)?;
    }
    Ok(passed)
}

/// What became of a row.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The differences that made us expect another answer, once per answer.
    pub listed: Vec<String>,
    /// What is otherwise than expected.
    pub failures: Vec<String>,
    cases: usize,
}

/// What a comparison is made with.
pub struct Comparison {
    engine: Arc<Engine>,
    dialect: Dialect,
    differences: Vec<Difference>,
}

impl Comparison {
    /// With a vocabulary in which each piece of these rows is a token.
    pub fn new(rows: &[Value], dialect: &str) -> Result<Self> {
        let mut pieces = Vec::new();
        for row in rows {
            for case in list(&row["cases"]) {
                if let Some(hex) = case["bytes_hex"].as_str() {
                    pieces.push(bytes_of(hex)?);
                }
            }
        }
        let vocabulary = vocabularies::think(pieces.iter().map(Vec::as_slice))?;
        Ok(Self {
            engine: Engine::new(vocabulary),
            dialect: if dialect == "llama.cpp" { Dialect::LlamaCpp } else { Dialect::Grammask },
            differences: gbnf_differences::listed()?,
        })
    }

    /// All rows.
    pub fn rows(&self, rows: &[Value]) -> Result<Vec<Outcome>> {
        rows.iter().map(|row| self.row(row)).collect()
    }

    fn row(&self, row: &Value) -> Result<Outcome> {
        let mut outcome = Outcome::default();
        let text = row["grammar"].as_str().context("a row has no grammar")?;
        let root = row["root"].as_str().unwrap_or("root");
        let mut facts = row.clone();
        facts["features"] = self.features(text, root)?;

        let says = row["parses"].as_bool().context("a row does not say whether it parses")?;
        let dialect = self.dialect.to_string();
        let listed = gbnf_differences::of_parsing(&self.differences, &dialect, &facts)?;
        let mut expected = says;
        if let Some((entry, parses)) = listed.filter(|&(_, parses)| parses != says) {
            expected = parses;
            outcome.listed.push(entry.id.clone());
        }
        let read = match self.read(text, root) {
            Ok(read) if expected => read,
            Ok(_) => {
                outcome.failures.push("accepted; expected to be refused".to_owned());
                return Ok(outcome);
            }
            Err(error) => {
                if expected {
                    outcome.failures.push(format!("refused: {error}"));
                }
                return Ok(outcome);
            }
        };
        let language = Language::new(&read.grammar, root, self.engine.vocabulary());
        for case in list(&row["cases"]) {
            outcome.cases += 1;
            self.case(case, &read, &language, &mut facts, &mut outcome)?;
        }
        Ok(outcome)
    }

    fn features(&self, text: &str, root: &str) -> Result<Value> {
        let features = gbnf_features::scan(text);
        let tokens = self.engine.vocabulary().len() as u64;
        let mut facts = serde_json::to_value(&features)?;
        facts["undefined"] =
            json!(features.used.iter().any(|name| !features.defined.contains(name)));
        facts["root_defined"] = json!(features.defined.iter().any(|name| name == root));
        facts["unknown_token"] = json!(features.token_ids.iter().any(|&id| id >= tokens));
        Ok(facts)
    }

    fn read(&self, text: &str, root: &str) -> Result<Read> {
        let exists = |text: &str| self.engine.vocabulary().token_by_text(text.as_bytes()).is_some();
        let config = ParseConfig::new().dialect(self.dialect).root(root).tokens(&exists);
        let grammar = config.parse(text)?;
        let automaton = Automaton::compile(&grammar, root)?;
        let constraint = Constraint::with_automaton(&self.engine, &automaton);
        let constraint = match self.dialect {
            Dialect::Grammask => Some(constraint?),
            // A token that does not exist is accepted there.
            Dialect::LlamaCpp => constraint.ok(),
        };
        Ok(Read { grammar, automaton, constraint })
    }

    fn case(
        &self,
        case: &Value,
        read: &Read,
        language: &Language<'_>,
        facts: &mut Value,
        outcome: &mut Outcome,
    ) -> Result<()> {
        let input = Input::of(case)?;
        facts["case"] = case.clone();
        match &input {
            Input::Bytes { bytes, .. } => {
                let utf8 = str::from_utf8(bytes);
                let valid = utf8.as_ref().err().is_none_or(|error| error.error_len().is_none());
                facts["case"]["valid_utf8"] = json!(valid);
                facts["case"]["splits_character"] = json!(valid && utf8.is_err());
                facts["case"]["has_nul"] = json!(bytes.contains(&0));
                facts["case"]["dead_end"] = json!(language.is_dead_end(bytes));
            }
            Input::Tokens(tokens) => {
                let as_text = language.of_tokens(tokens, true);
                facts["case"]["control_token_as_text"] =
                    json!(as_text != language.of_tokens(tokens, false));
            }
        }

        let mut expected = Answer::of(case)?;
        let dialect = self.dialect.to_string();
        if let Some(entry) = gbnf_differences::of_case(&self.differences, &dialect, facts)? {
            let (verdict, refused_at) = match &input {
                Input::Bytes { bytes, .. } => (language.of_text(bytes), None),
                Input::Tokens(tokens) => language.of_tokens(tokens, false),
            };
            let right = Answer { verdict, refused_at };
            if right != expected {
                expected = right;
                outcome.listed.push(entry.id.clone());
            }
        }
        for (way, got) in self.answers(&input, read)? {
            let wrong = match got {
                Ok(got) if got == expected => continue,
                Ok(got) => format!("{got:?}, expected {expected:?}"),
                Err(error) => error,
            };
            outcome.failures.push(format!("{} {way}: {wrong}", short(case)));
        }
        Ok(())
    }

    /// Our answers, in all ways that there are.
    fn answers(
        &self,
        input: &Input,
        read: &Read,
    ) -> Result<Vec<(&'static str, Result<Answer, String>)>> {
        let masks = |tokens: &[TokenId]| {
            read.constraint.as_ref().map(|constraint| {
                verdict::by_masks(constraint, tokens)
                    .map(|(verdict, refused_at)| Answer { verdict, refused_at })
            })
        };
        let verdict_of = |answer: Answer| Answer { refused_at: None, ..answer };
        let mut answers = Vec::new();
        match input {
            Input::Bytes { bytes, one_piece } => {
                let plain = |size| {
                    let verdict = verdict::by_bytes(&read.automaton, bytes, size);
                    Ok(Answer { verdict, refused_at: None })
                };
                answers.push(("by bytes", plain(1)));
                let tokens = vocabularies::byte_tokens(self.engine.vocabulary(), bytes)?;
                let of_tokens = masks(&tokens).map(|answer| answer.map(verdict_of));
                answers.extend(of_tokens.map(|answer| ("by tokens of a byte", answer)));
                if *one_piece {
                    answers.push(("as one piece", plain(bytes.len())));
                    let token = self.engine.vocabulary().token_by_text(bytes);
                    let of_token = masks(&[token.context("each piece is a token")?]);
                    let of_token = of_token.map(|answer| answer.map(verdict_of));
                    answers.extend(of_token.map(|answer| ("as one token", answer)));
                }
            }
            Input::Tokens(tokens) => {
                answers.extend(masks(tokens).map(|answer| ("by tokens", answer)));
            }
        }
        Ok(answers)
    }
}

/// A grammar that was accepted.
struct Read {
    grammar: Grammar,
    automaton: Automaton,
    constraint: Option<Constraint>,
}

/// What a case feeds.
enum Input {
    Bytes { bytes: Vec<u8>, one_piece: bool },
    Tokens(Vec<TokenId>),
}

impl Input {
    fn of(case: &Value) -> Result<Self> {
        if let Some(text) = case["text"].as_str().filter(|_| case["tokens"].is_null()) {
            return Ok(Self::Bytes { bytes: text.into(), one_piece: false });
        }
        if let Some(hex) = case["bytes_hex"].as_str() {
            let bytes = bytes_of(hex)?;
            return Ok(Self::Bytes { one_piece: !bytes.is_empty(), bytes });
        }
        let tokens = case["tokens"].as_array().context("a case has no input")?;
        let token = |id: &Value| Ok(TokenId(u32::try_from(id.as_u64().context("a token id")?)?));
        Ok(Self::Tokens(tokens.iter().map(token).collect::<Result<_>>()?))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Answer {
    verdict: Verdict,
    refused_at: Option<usize>,
}

impl Answer {
    fn of(case: &Value) -> Result<Self> {
        let full = case["full"].as_bool().context("a case has no `full`")?;
        let prefix = case["prefix"].as_bool().context("a case has no `prefix`")?;
        let refused_at = case["refused_at"].as_u64().map(|at| at as usize);
        Ok(Self { verdict: Verdict::of(prefix, full), refused_at })
    }
}

fn bytes_of(hex: &str) -> Result<Vec<u8>> {
    hex.as_bytes()
        .chunks(2)
        .map(|pair| Ok(u8::from_str_radix(str::from_utf8(pair)?, 16)?))
        .collect::<Result<_>>()
        .with_context(|| format!("{hex:?} is no hexadecimal number"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn short(case: &Value) -> String {
    case.to_string().chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows as llama.cpp would answer them by its source, for the differences that no shared row
    /// shows: `id` is the one that must be listed, null if there must be none.
    #[test]
    fn differences_are_about_the_rows_that_they_are_meant_for() {
        let rows: Vec<Value> = input::table(include_str!("../differences/gbnf_rows.jsonl"))
            .unwrap()
            .into_iter()
            .map(written_out)
            .collect();
        let outcomes = Comparison::new(&rows, "grammask").unwrap().rows(&rows).unwrap();
        for (row, outcome) in rows.iter().zip(&outcomes) {
            assert!(outcome.failures.is_empty(), "{row}: {outcome:?}");
            match row["id"].as_str() {
                None => assert!(outcome.listed.is_empty(), "{row}: {outcome:?}"),
                Some(id) => assert!(
                    !outcome.listed.is_empty() && outcome.listed.iter().all(|listed| listed == id),
                    "{row}: {outcome:?}"
                ),
            }
        }
    }

    /// Long texts are described in the file: `parens` and `repeat`.
    fn written_out(mut row: Value) -> Value {
        if let Some(depth) = row["parens"].as_u64() {
            let depth = depth as usize;
            let text = format!("root ::= {}\"a\"{}", "(".repeat(depth), ")".repeat(depth));
            row["grammar"] = text.into();
        }
        for case in row["cases"].as_array_mut().into_iter().flatten() {
            if let Some([what, times]) = case["repeat"].as_array().map(Vec::as_slice) {
                let times = times.as_u64().unwrap_or(0) as usize;
                case["text"] = what.as_str().unwrap_or("").repeat(times).into();
            }
        }
        row
    }

    #[test]
    fn a_wrong_answer_is_a_failure() {
        let row = |parses: bool, full: bool| {
            let case = json!({"text": "a", "full": full, "prefix": true});
            json!({"grammar": "root ::= \"a\"", "parses": parses, "error": "", "cases": [case]})
        };
        let rows = [row(true, true), row(true, false), row(false, true)];
        for dialect in ["grammask", "llama.cpp"] {
            let outcomes = Comparison::new(&rows, dialect).unwrap().rows(&rows).unwrap();
            let failures: Vec<_> = outcomes.iter().map(|it| it.failures.len()).collect();
            assert_eq!(failures, [0, 2, 1]);
        }
    }
}
