//! One golden row of a sampler: what goes in, what we answer, and whether two answers agree.

use std::iter;

use anyhow::{Context, Result, bail};
use grammask_sampler::{
    AdaptiveP, AdaptiveSettings, Candidates, Chain, Discrete, Dist, Dry, DryBreakers, DrySettings,
    DynamicTemperature, Greedy, Infill, LogitBias, MinP, Mirostat, MirostatSettings, MirostatV2,
    Mt19937, Penalties, PenaltySettings, Sampler, Temperature, TokenId, TopK, TopNSigma, TopP,
    Typical, Xtc, XtcSettings, uniform_f32, uniform_f64,
};
use serde_json::{Value, json};

use crate::typical::TypicalByDefinition;
use crate::{sampler_chain, vocabularies};

/// Relative tolerance between two logits or probabilities.
pub const TOLERANCE: f64 = 1e-6;

/// The fields of an answer.
pub const ANSWER: [&str; 14] = [
    "name",
    "out",
    "out_sorted",
    "selected",
    "selected_id",
    "draw_ids",
    "draw_indices",
    "draw_p",
    "draw_sizes",
    "draw_first_ids",
    "mt19937_u32",
    "uniform_real_double",
    "uniform_real_float",
    "discrete_draws",
];

/// A number of a row: also "inf", "-inf", "nan".
pub fn number(value: &Value) -> Result<f64> {
    match value {
        Value::String(text) => text.parse().with_context(|| format!("{text:?} is no number")),
        _ => value.as_f64().with_context(|| format!("{value} is no number")),
    }
}

/// A number in single precision. (Nine digits, as written there, name exactly one.)
pub fn single(value: &Value) -> Result<f32> {
    Ok(number(value)? as f32)
}

fn write(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { json!(value.to_string().to_lowercase()) }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// What we answer to a row.
pub fn answer(row: &Value) -> Result<Value> {
    let name = row["sampler"].as_str().context("a row has no sampler")?;
    if name == "rng" {
        return random_numbers(row);
    }
    let mut sampler = sampler(name, &row["params"], &row["vocab"])?;
    for token in list(&row["history"]) {
        sampler.accept(token_id(token)?);
    }
    let input = input(row)?;
    let mut candidates = Candidates::default();
    let draws = row["n_draws"].as_u64();
    let accepts = row["accept_selected"] == true;
    let mut answer = json!({ "name": sampler.name() });
    let mut columns = ["draw_ids", "draw_indices", "draw_p", "draw_sizes", "draw_first_ids"]
        .map(|name| (name, Vec::new()));
    for draw in 0..draws.unwrap_or(1) {
        candidates.copy_from(&input);
        sampler.apply(&mut candidates);
        let selected = candidates.selected_candidate();
        let index = candidates.selected().map_or(-1, usize::cast_signed);
        if draw == 0 {
            let out = candidates.as_slice().iter().map(|candidate| {
                json!({
                    "id": candidate.id.0,
                    "logit": write(f64::from(candidate.logit)),
                    "p": write(f64::from(candidate.p)),
                })
            });
            answer["out"] = out.collect();
            answer["out_sorted"] = json!(candidates.is_sorted());
            answer["selected"] = json!(index);
            if let Some(selected) = selected {
                answer["selected_id"] = json!(selected.id.0);
            }
        }
        let cells = [
            selected.map(|candidate| json!(candidate.id.0)),
            selected.map(|_| json!(index)),
            selected.map(|candidate| write(f64::from(candidate.p))),
            Some(json!(candidates.len())),
            Some(json!(candidates.as_slice().first().map_or(-1, |first| i64::from(first.id.0)))),
        ];
        // A sampler that only cuts selects nothing.
        for ((_, column), cell) in columns.iter_mut().zip(cells) {
            column.extend(cell);
        }
        if let (true, Some(selected)) = (accepts, selected) {
            sampler.accept(selected.id);
        }
    }
    if draws.is_some() {
        for (name, column) in columns {
            answer[name] = Value::Array(column);
        }
    }
    Ok(answer)
}

/// A token id; the absent token -1 becomes an id that no candidate has.
fn token_id(value: &Value) -> Result<TokenId> {
    match value.as_i64() {
        Some(-1) => Ok(TokenId(u32::MAX)),
        Some(id) => Ok(TokenId(u32::try_from(id)?)),
        None => bail!("{value} is no token"),
    }
}

/// The candidates that a row starts from.
fn input(row: &Value) -> Result<Candidates> {
    let logits: Vec<f32> = list(&row["logits"]).iter().map(single).collect::<Result<_>>()?;
    let mut candidates = Candidates::from_logits(&logits);
    if let Some(ids) = row["ids"].as_array() {
        let ids: Vec<TokenId> = ids.iter().map(token_id).collect::<Result<_>>()?;
        candidates.set(iter::zip(ids, logits));
    }
    candidates.set_sorted(row["in_sorted"] == true);
    Ok(candidates)
}

/// The sampler with a name and settings, for a vocabulary if it needs one.
fn sampler(name: &str, params: &Value, vocabulary: &Value) -> Result<Box<dyn Sampler>> {
    let float = |name: &str| single(&params[name]).with_context(|| format!("parameter {name}"));
    let integer = |name: &str| -> Result<i32> {
        Ok(i32::try_from(params[name].as_i64().with_context(|| format!("parameter {name}"))?)?)
    };
    let vocabulary_of_row =
        || vocabularies::load(vocabulary.as_str().context("a row has no vocabulary")?);
    let min_keep = || -> Result<usize> { Ok(usize::try_from(integer("min_keep")?)?) };
    let seed = || -> Result<u32> {
        Ok(u32::try_from(params["seed"].as_u64().context("parameter seed")?)?)
    };
    let mirostat = || -> Result<MirostatSettings> {
        Ok(MirostatSettings { tau: float("tau")?, eta: float("eta")? })
    };
    let sampler: Box<dyn Sampler> = match name {
        "chain" => {
            let mut chain = Chain::untimed();
            for link in list(&params["chain"]) {
                let name = link["sampler"].as_str().context("a link has no sampler")?;
                chain.add_boxed(sampler(name, &link["params"], vocabulary)?);
            }
            Box::new(chain)
        }
        "logit_bias" => {
            let biases = list(&params["bias"])
                .iter()
                .map(|entry| Ok((token_id(&entry["token"])?, single(&entry["bias"])?)));
            Box::new(LogitBias::new(biases.collect::<Result<Vec<_>>>()?)?)
        }
        "penalties" => Box::new(Penalties::new(PenaltySettings {
            last_n: integer("penalty_last_n")?,
            repeat: float("penalty_repeat")?,
            frequency: float("penalty_freq")?,
            presence: float("penalty_present")?,
        })?),
        "dry" => {
            let breakers = if let Some(texts) = params["seq_breakers"].as_array() {
                let texts: Vec<&str> = texts.iter().filter_map(Value::as_str).collect();
                DryBreakers::from_texts(&vocabulary_of_row()?, &texts)
            } else {
                let sequences = list(&params["seq_breakers_tokens"]).iter();
                let tokens = |sequence: &Value| list(sequence).iter().map(token_id).collect();
                DryBreakers::from_tokens(&sequences.map(tokens).collect::<Result<Vec<Vec<_>>>>()?)
            };
            let settings = DrySettings {
                multiplier: float("multiplier")?,
                base: float("base")?,
                allowed_length: integer("allowed_length")?,
                last_n: integer("penalty_last_n")?,
            };
            Box::new(Dry::new(settings, breakers)?)
        }
        "infill" => Box::new(Infill::new(&vocabulary_of_row()?)),
        "top_k" => Box::new(TopK::new(integer("k")?)),
        "top_p" => Box::new(TopP::new(float("p")?, min_keep()?)?),
        "min_p" => Box::new(MinP::new(float("p")?, min_keep()?)?),
        "temp" => Box::new(Temperature::new(float("t")?)?),
        "temp_ext" => {
            Box::new(DynamicTemperature::new(float("t")?, float("delta")?, float("exponent")?)?)
        }
        "top_n_sigma" => Box::new(TopNSigma::new(float("n")?)?),
        "common_sampler_chain" => Box::new(sampler_chain::chain(params)?),
        "typical_by_definition" => {
            Box::new(TypicalByDefinition { p: float("p")?, min_keep: min_keep()? })
        }
        "typical" => Box::new(Typical::new(float("p")?, min_keep()?)?),
        "xtc" => {
            let settings = XtcSettings { probability: float("p")?, threshold: float("t")? };
            Box::new(Xtc::new(settings, min_keep()?, seed()?)?)
        }
        "mirostat" => {
            let vocabulary = usize::try_from(integer("n_vocab")?)?;
            let m = usize::try_from(integer("m")?)?;
            Box::new(Mirostat::new(mirostat()?, vocabulary, seed()?)?.with_m(m))
        }
        "mirostat_v2" => Box::new(MirostatV2::new(mirostat()?, seed()?)?),
        "adaptive_p" => {
            let settings = AdaptiveSettings { target: float("target")?, decay: float("decay")? };
            Box::new(AdaptiveP::new(settings, seed()?)?)
        }
        "greedy" => Box::new(Greedy),
        "dist" => Box::new(Dist::new(seed()?)),
        _ => bail!("there is no sampler {name}"),
    };
    Ok(sampler)
}

/// The answer to a row of random numbers: each list from a fresh generator.
fn random_numbers(row: &Value) -> Result<Value> {
    let seed = u32::try_from(row["seed"].as_u64().context("a row has no seed")?)?;
    let weights: Vec<f64> =
        list(&row["discrete_weights"]).iter().map(number).collect::<Result<_>>()?;
    let mut discrete = Discrete::default();
    discrete.set_weights(weights);
    let draw = |field: &str, next: &mut dyn FnMut(&mut Mt19937) -> Value| -> Value {
        let mut generator = Mt19937::new(seed);
        list(&row[field]).iter().map(|_| next(&mut generator)).collect()
    };
    Ok(json!({
        "mt19937_u32": draw("mt19937_u32", &mut |g| json!(rand::Rng::next_u32(g))),
        "uniform_real_double": draw("uniform_real_double", &mut |g| json!(uniform_f64(g))),
        "uniform_real_float": draw("uniform_real_float", &mut |g| json!(uniform_f32(g))),
        "discrete_draws": draw("discrete_draws", &mut |g| json!(discrete.draw(g))),
    }))
}

/// How two answers agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// In everything.
    Exact,
    /// In everything but the order of equal logits.
    UpToTies,
}

/// Compares the fields that are expected; what differs, if anything does.
pub fn compare(expected: &Value, got: &Value, ties: bool) -> Result<Agreement, String> {
    let mut agreement = Agreement::Exact;
    for field in ANSWER {
        let (Some(expected), Some(got)) = (expected.get(field), got.get(field)) else {
            match (expected.get(field), got.get(field)) {
                (Some(_), None) => return Err(format!("{field}: there is none")),
                _ => continue,
            }
        };
        if alike(expected, got) {
            continue;
        }
        if ties && field == "out" && alike(&by_value(expected), &by_value(got)) {
            agreement = Agreement::UpToTies;
            continue;
        }
        // Which of several equal candidates is at an index is open; their logits are compared.
        if ties && agreement == Agreement::UpToTies && field.ends_with("id") {
            continue;
        }
        return Err(format!("{field}: expected {}, got {}", short(expected), short(got)));
    }
    Ok(agreement)
}

/// The candidates without their ids, in an order of their own.
fn by_value(out: &Value) -> Value {
    let key = |candidate: &Value| {
        (number(&candidate["logit"]).unwrap_or(0.0), number(&candidate["p"]).unwrap_or(0.0))
    };
    let mut values: Vec<(f64, f64)> = list(out).iter().map(key).collect();
    values.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)));
    values.into_iter().map(|(logit, p)| json!([write(logit), write(p)])).collect()
}

/// Equal, numbers up to the tolerance; NaN equals NaN.
fn alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && iter::zip(a, b).all(|(a, b)| alike(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| alike(a, b)))
        }
        (Value::Number(a), Value::Number(b)) => {
            if let (Some(a), Some(b)) = (a.as_i64(), b.as_i64()) {
                return a == b;
            }
            let (a, b) = (a.as_f64().unwrap_or(f64::NAN), b.as_f64().unwrap_or(f64::NAN));
            (a - b).abs() <= TOLERANCE * a.abs().max(b.abs())
        }
        _ => a == b,
    }
}

fn short(value: &Value) -> String {
    const LONGEST: usize = 300;
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_agree_up_to_the_tolerance() {
        assert!(alike(&json!([1.0, "nan", "-inf"]), &json!([1.000_000_5, "nan", "-inf"])));
        assert!(!alike(&json!(1.0), &json!(1.000_01)));
        assert!(!alike(&json!(3), &json!(4)));
        assert!(!alike(&json!("inf"), &json!("-inf")));
        assert!(alike(&json!(0), &json!(0.0)));
    }

    #[test]
    fn order_among_equal_logits_is_forgiven_only_with_ties() {
        let out =
            |ids: [u32; 2]| json!({ "out": ids.map(|id| json!({"id": id, "logit": 1, "p": 0})) });
        let (a, b) = (out([0, 1]), out([1, 0]));
        assert_eq!(compare(&a, &b, true), Ok(Agreement::UpToTies));
        assert!(compare(&a, &b, false).is_err());
        assert_eq!(compare(&a, &a, false), Ok(Agreement::Exact));
    }

    #[test]
    fn samplers_that_do_not_exist_have_no_answer() {
        let row = json!({"sampler": "chain", "params": {"chain": [{"sampler": "nothing", "params": {}}]}});
        assert!(answer(&row).is_err());
    }
}
