//! The chain that llama.cpp's `common_sampler_init` builds from settings.

use anyhow::{Context, Result, bail};
use grammask_sampler::{Chain, ChainSettings, MirostatVersion, Vocabulary};
use serde_json::Value;

use crate::sampler_row::single;
use crate::vocabularies;

/// The chain of a row, with the names that are expected; settings that are not given are the defaults.
pub fn chain(params: &Value) -> Result<Chain> {
    let mut settings = ChainSettings::default();
    let mut singles = [
        ("penalty_repeat", &mut settings.penalties.repeat),
        ("penalty_freq", &mut settings.penalties.frequency),
        ("penalty_present", &mut settings.penalties.presence),
        ("dry_multiplier", &mut settings.dry.multiplier),
        ("dry_base", &mut settings.dry.base),
        ("xtc_probability", &mut settings.xtc.probability),
        ("xtc_threshold", &mut settings.xtc.threshold),
        ("top_n_sigma", &mut settings.top_n_sigma),
        ("typ_p", &mut settings.typical),
        ("dynatemp_range", &mut settings.temperature_range),
        ("dynatemp_exponent", &mut settings.temperature_exponent),
        ("top_p", &mut settings.top_p),
        ("min_p", &mut settings.min_p),
        ("temp", &mut settings.temperature),
        ("mirostat_tau", &mut settings.mirostat_settings.tau),
        ("mirostat_eta", &mut settings.mirostat_settings.eta),
        ("adaptive_target", &mut settings.adaptive.target),
        ("adaptive_decay", &mut settings.adaptive.decay),
    ];
    for (name, setting) in &mut singles {
        if let Some(value) = params.get(*name) {
            **setting = single(value).with_context(|| format!("parameter {name}"))?;
        }
    }
    let integer = |name: &str| params.get(name).and_then(Value::as_i64);
    settings.seed = u32::try_from(integer("seed").context("parameter seed")?)?;
    settings.top_k = integer("top_k").map_or(Ok(settings.top_k), i32::try_from)?;
    settings.min_keep = integer("min_keep").map_or(Ok(0), usize::try_from)?;
    settings.mirostat = match integer("mirostat") {
        None | Some(0) => MirostatVersion::Off,
        Some(1) => MirostatVersion::One,
        Some(2) => MirostatVersion::Two,
        Some(other) => bail!("there is no mirostat {other}"),
    };
    let chain = settings.chain(&vocabulary(integer("n_vocab"))?)?;
    let expected: Vec<_> = params["names"].as_array().context("names")?.iter().collect();
    let names: Vec<_> = chain.names().map(Value::from).collect();
    if !expected.iter().copied().eq(&names) {
        bail!("the chain is {chain}");
    }
    Ok(chain)
}

/// The built-in vocabulary with so many ids.
fn vocabulary(len: Option<i64>) -> Result<Vocabulary> {
    vocabularies::load(match len {
        Some(50_257) => "r50k_base",
        other => bail!("no vocabulary has {other:?} ids"),
    })
}
