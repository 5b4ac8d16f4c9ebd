//! The listed differences from llama.cpp's answers to grammars: which rows and cases they are
//! about, and what is right instead.

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{Map, Value};

/// Where we answer otherwise than llama.cpp, and why.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// A name for it.
    pub id: String,
    /// Why our answer is the right one. Only for readers.
    #[serde(rename = "reason")]
    _reason: String,
    /// In which dialects.
    #[serde(default = "only_ours")]
    dialects: Vec<String>,
    /// What is true of the rows or cases it is about: JSON Pointers into the row, into what
    /// [`crate::gbnf_features`] finds in its grammar (`/features`) and into the case (`/case`),
    /// each with a condition.
    when: Map<String, Value>,
    expect: Expect,
}

fn only_ours() -> Vec<String> {
    vec!["grammask".to_owned()]
}

/// What is right instead.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Expect {
    /// Whether the grammar is accepted.
    Parses(bool),
    /// The verdict of a case is that of the reference matcher.
    Language,
}

/// The list that the project keeps.
pub fn listed() -> Result<Vec<Difference>> {
    serde_json::from_str(include_str!("../differences/gbnf.json")).context("differences/gbnf.json")
}

/// The first entry about whether the row's grammar is accepted, and what it says.
pub fn of_parsing<'d>(
    list: &'d [Difference],
    dialect: &str,
    facts: &Value,
) -> Result<Option<(&'d Difference, bool)>> {
    for entry in list {
        if let Expect::Parses(parses) = entry.expect
            && entry.is_about(dialect, facts)?
        {
            return Ok(Some((entry, parses)));
        }
    }
    Ok(None)
}

/// The first entry about the verdict of a case.
pub fn of_case<'d>(
    list: &'d [Difference],
    dialect: &str,
    facts: &Value,
) -> Result<Option<&'d Difference>> {
    for entry in list {
        if entry.expect == Expect::Language && entry.is_about(dialect, facts)? {
            return Ok(Some(entry));
        }
    }
    Ok(None)
}

impl Difference {
    fn is_about(&self, dialect: &str, facts: &Value) -> Result<bool> {
        if !self.dialects.iter().any(|name| name == dialect) {
            return Ok(false);
        }
        for (pointer, condition) in &self.when {
            if !holds(condition, facts.pointer(pointer))? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether a condition holds of a value: a plain one says what it is, an object asks something.
fn holds(condition: &Value, value: Option<&Value>) -> Result<bool> {
    let Some(asked) = condition.as_object() else { return Ok(value == Some(condition)) };
    let mut all = true;
    for (question, argument) in asked {
        all &= match question.as_str() {
            "above" => value.and_then(Value::as_u64) > argument.as_u64(),
            "at_most" => value.and_then(Value::as_u64) <= argument.as_u64(),
            "contains" => {
                let part = argument.as_str().context("a text")?;
                value.and_then(Value::as_str).is_some_and(|text| text.contains(part))
            }
            other => bail!("no condition is called {other}"),
        };
    }
    Ok(all)
}
