//! The listed differences from llama.cpp: which rows they are about, and what is right instead.

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::sampler_row::{answer, single};

/// Where we answer otherwise than llama.cpp, and why.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// A name for it.
    pub id: String,
    /// Why our answer is the right one. Only for readers.
    #[serde(rename = "reason")]
    _reason: String,
    /// What is true of the rows it is about: JSON Pointers, each with a condition.
    when: Map<String, Value>,
    /// The fields of the answer that are otherwise. A field is given as its value, or as
    /// `{"computed": NAME}`.
    expect: Map<String, Value>,
}

/// The list that the project keeps.
pub fn listed() -> Result<Vec<Difference>> {
    serde_json::from_str(include_str!("../differences/samplers.json"))
        .context("differences/samplers.json")
}

impl Difference {
    /// Whether it is about a row.
    pub fn is_about(&self, row: &Value) -> Result<bool> {
        for (pointer, condition) in &self.when {
            if !holds(condition, row, row.pointer(pointer))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The row with the answer that is right instead.
    pub fn correct(&self, row: &Value) -> Result<Value> {
        let mut corrected = row.clone();
        for (field, value) in &self.expect {
            corrected[field] = match value.get("computed").and_then(Value::as_str) {
                None => value.clone(),
                // What the row does not have is not compared.
                Some(_) if row.get(field).is_none() => continue,
                Some("biased") => biased(row)?,
                Some("typical") => typical(row, field)?,
                Some(other) => bail!("nothing is computed by the name {other}"),
            };
        }
        Ok(corrected)
    }
}

/// Whether a condition holds of a value: a plain one says what it is, an object asks something.
fn holds(condition: &Value, row: &Value, value: Option<&Value>) -> Result<bool> {
    let Some(asked) = condition.as_object() else { return Ok(value == Some(condition)) };
    let mut all = true;
    for (question, argument) in asked {
        let items = value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        all &= match question.as_str() {
            "present" => Some(value.is_some()) == argument.as_bool(),
            "longer_than" => Some(items.len() as u64) > argument.as_u64(),
            "has" => items.contains(argument),
            "below" => value.and_then(Value::as_f64) < argument.as_f64(),
            "at_least" => value.and_then(Value::as_f64) >= argument.as_f64(),
            "rules_out_before_typical" => Some(rules_out_before_typical(row)) == argument.as_bool(),
            "ends_with_sampler" => items.last().map(|link| &link["sampler"]) == Some(argument),
            // Two items of a list agree in a field.
            "repeats" => {
                let field = argument.as_str().context("a field")?;
                let value = |item: &Value| item[field].clone();
                items
                    .iter()
                    .enumerate()
                    .any(|(i, item)| items[..i].iter().any(|earlier| value(earlier) == value(item)))
            }
            // An infinite bias of a token whose logit is -inf.
            "biases_the_ruled_out" if argument == true => items.iter().any(|entry| {
                let ruled_out = (0..).zip(row["logits"].as_array().into_iter().flatten());
                entry["bias"] == "inf"
                    && ruled_out.into_iter().any(|(index, logit)| {
                        logit == "-inf" && id_at(row, index) == entry["token"]
                    })
            }),
            other => bail!("no condition is called {other}"),
        };
    }
    Ok(all)
}

/// The id of the candidate at an index.
fn id_at(row: &Value, index: usize) -> Value {
    row.get("ids").map_or_else(|| index.into(), |ids| ids[index].clone())
}

/// The candidates of a row with every bias added, except to those at -inf.
fn biased(row: &Value) -> Result<Value> {
    let mut out = Vec::new();
    for (index, logit) in row["logits"].as_array().context("logits")?.iter().enumerate() {
        let id = id_at(row, index);
        let mut sum = single(logit)?;
        for entry in row["params"]["bias"].as_array().context("bias")? {
            if entry["token"] == id && sum > f32::NEG_INFINITY {
                sum += single(&entry["bias"])?;
            }
        }
        let logit = if sum.is_finite() { sum.into() } else { Value::from(sum.to_string()) };
        out.push(serde_json::json!({ "id": id, "logit": logit, "p": 0 }));
    }
    Ok(out.into())
}

/// What we answer to a row with typical sampling by its definition, in a field.
fn typical(row: &Value, field: &str) -> Result<Value> {
    let by_definition = |link: &mut Value| {
        if link["sampler"] == "typical" {
            link["sampler"] = "typical_by_definition".into();
        }
    };
    let mut row = row.clone();
    by_definition(&mut row);
    row["params"]["chain"].as_array_mut().into_iter().flatten().for_each(by_definition);
    Ok(answer(&row)?[field].clone())
}

/// Whether a chain gives its typical sampler logits of -inf: they come so, or are made so by one before.
fn rules_out_before_typical(row: &Value) -> bool {
    let links = row["params"]["chain"].as_array().map_or(&[][..], Vec::as_slice);
    let is_typical =
        |link: &Value| link["sampler"] == "typical" && link["params"]["p"].as_f64() < Some(1.0);
    let rules_out =
        |link: &Value| link["sampler"] == "top_n_sigma" && link["params"]["n"].as_f64() > Some(0.0);
    let comes_so = row["logits"].as_array().into_iter().flatten().any(|logit| logit == "-inf");
    let typical = links.iter().position(is_typical);
    typical.is_some_and(|at| comes_so || links[..at].iter().any(rules_out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampler_row::compare;
    use serde_json::json;

    /// Rows as llama.cpp would answer them, one per entry of the list: the entry is about it, its
    /// answer is ours, and llama.cpp's is not.
    #[test]
    fn every_entry_is_about_a_row_that_we_answer_as_it_says() {
        let rows = [
            (
                "logit-bias-keeps-sorted-flag",
                json!({
                    "sampler": "logit_bias", "params": {"bias": [{"token": 1, "bias": 3}]},
                    "logits": [2, 1], "in_sorted": true, "ties": false, "name": "logit-bias",
                    "out": [{"id": 0, "logit": 2, "p": 0}, {"id": 1, "logit": 4, "p": 0}],
                    "out_sorted": true, "selected": -1,
                }),
            ),
            (
                "logit-bias-drops-repeated-bias",
                json!({
                    "sampler": "logit_bias",
                    "params": {"bias": [{"token": 7, "bias": 1}, {"token": 7, "bias": 2}]},
                    "logits": [2, 1], "ids": [3, 7], "in_sorted": false, "ties": false,
                    "name": "logit-bias",
                    "out": [{"id": 3, "logit": 2, "p": 0}, {"id": 7, "logit": 2, "p": 0}],
                    "out_sorted": false, "selected": -1,
                }),
            ),
            (
                "logit-bias-makes-nan",
                json!({
                    "sampler": "logit_bias", "params": {"bias": [{"token": 1, "bias": "inf"}]},
                    "logits": [2, "-inf"], "in_sorted": false, "ties": false, "name": "logit-bias",
                    "out": [{"id": 0, "logit": 2, "p": 0}, {"id": 1, "logit": "nan", "p": 0}],
                    "out_sorted": false, "selected": -1,
                }),
            ),
            (
                "adaptive-p-keeps-sorted-flag",
                json!({
                    "sampler": "adaptive_p", "params": {"target": 0.5, "decay": 0.9, "seed": 1},
                    "logits": [2], "in_sorted": true, "ties": false, "name": "adaptive-p",
                    "out_sorted": true, "selected": 0,
                }),
            ),
            (
                "adaptive-p-keeps-sorted-flag-in-chains",
                json!({
                    "sampler": "chain", "params": {"chain": [
                        {"sampler": "top_k", "params": {"k": 1}},
                        {"sampler": "adaptive_p", "params": {"target": 0.5, "decay": 0.9, "seed": 1}},
                    ]},
                    "logits": [2, 1], "in_sorted": false, "ties": false, "name": "chain",
                    "out_sorted": true, "selected": 0,
                }),
            ),
            (
                "typical-makes-nan-in-chains",
                json!({
                    "sampler": "chain", "params": {"chain": [
                        {"sampler": "top_n_sigma", "params": {"n": 1}},
                        {"sampler": "typical", "params": {"p": 0.2, "min_keep": 0}},
                    ]},
                    "logits": [2, -2, 1.5, 1], "in_sorted": false, "ties": false,
                    "name": "chain", "out": [{"id": 0, "logit": 2, "p": 0.506_480_4}],
                    "out_sorted": false, "selected": -1,
                }),
            ),
            (
                "typical-makes-nan",
                json!({
                    "sampler": "typical", "params": {"p": 0.2, "min_keep": 0},
                    "logits": [2, "-inf", 1.5, 0], "in_sorted": false, "ties": false,
                    "name": "typical", "out": [{"id": 0, "logit": 2, "p": 0.574_096_998}],
                    "out_sorted": false, "selected": -1,
                }),
            ),
        ];
        let differences = listed().unwrap();
        assert_eq!(differences.len(), rows.len());
        for (difference, (id, row)) in differences.iter().zip(&rows) {
            assert_eq!(&difference.id, id);
            for (_, other) in &rows {
                let same = std::ptr::eq(other, row);
                assert_eq!(difference.is_about(other).unwrap(), same, "{id}");
            }
            let ours = answer(row).unwrap();
            assert!(compare(row, &ours, false).is_err(), "{id}");
            let corrected = difference.correct(row).unwrap();
            assert!(compare(&corrected, &ours, false).is_ok(), "{id}");
        }
    }
}
