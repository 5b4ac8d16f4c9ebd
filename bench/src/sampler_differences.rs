//! The listed differences from llama.cpp: which rows they are about, and what is right instead.

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::sampler_row::single;

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
                Some("biased") => biased(row)?,
                Some("typical") => typical(row)?,
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

/// The candidates of a row that are typical, by the definition: what is ruled out has no part in the
/// entropy and comes last.
fn typical(row: &Value) -> Result<Value> {
    let logits = row["logits"].as_array().context("logits")?.iter().map(single);
    let logits: Vec<f64> = logits.map(|l| l.map(f64::from)).collect::<Result<_>>()?;
    let best = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logits.iter().map(|l| (l - best).exp()).sum();
    let p = |index: usize| (logits[index] - best).exp() / sum;
    let surprises = (0..logits.len()).map(p).filter(|&p| p > 0.0).map(|p| -p * p.ln());
    let entropy: f64 = surprises.sum();
    let mut order: Vec<usize> = (0..logits.len()).collect();
    let distance = |index: usize| (-p(index).ln() - entropy).abs();
    order.sort_by(|&one, &other| distance(one).total_cmp(&distance(other)));
    let (most, min_keep) = (&row["params"]["p"], &row["params"]["min_keep"]);
    let most = most.as_f64().context("parameter p")?;
    let min_keep = usize::try_from(min_keep.as_u64().context("parameter min_keep")?)?;
    let (mut out, mut mass) = (Vec::new(), 0.0);
    for index in order {
        let logit = &row["logits"][index];
        out.push(serde_json::json!({ "id": id_at(row, index), "logit": logit, "p": p(index) }));
        mass += p(index);
        if mass > most && out.len() >= min_keep {
            break;
        }
    }
    Ok(out.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampler_row::{answer, compare};
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
            let ours = answer(row).unwrap().unwrap();
            assert!(compare(row, &ours, false).is_err(), "{id}");
            let corrected = difference.correct(row).unwrap();
            assert!(compare(&corrected, &ours, false).is_ok(), "{id}");
        }
    }
}
