//! From the arguments to a chain.

use anyhow::{Context, anyhow};
use grammask::sampler::{
    AdaptiveSettings, Chain, ChainSettings, DryBreakers, DrySettings, MirostatSettings,
    MirostatVersion, Mode, PenaltySettings, SamplerKind, SettingsError, TokenId, Vocabulary,
    XtcSettings,
};

use super::args::{ModeArgs, SamplingArgs};

/// The settings of the chain that the arguments ask for.
pub(super) fn settings(args: &SamplingArgs) -> anyhow::Result<ChainSettings> {
    let samplers = match &args.sampler_seq {
        Some(letters) => SamplerKind::sequence(letters).context("--sampler-seq")?,
        None => SamplerKind::list(&args.samplers).context("--samplers")?,
    };
    let biases = args.logit_bias.iter().map(|text| bias(text));
    Ok(ChainSettings {
        samplers,
        seed: args.seed.value,
        logit_bias: biases.collect::<Result<_, _>>()?,
        ignore_eos: args.ignore_eos,
        penalties: PenaltySettings {
            last_n: back(args.repeat_last_n),
            repeat: args.repeat_penalty,
            frequency: args.frequency_penalty,
            presence: args.presence_penalty,
        },
        dry: DrySettings {
            multiplier: args.dry_multiplier,
            base: args.dry_base,
            allowed_length: args.dry_allowed_length,
            last_n: back(args.dry_penalty_last_n),
        },
        dry_breakers: match &args.dry_sequence_breaker[..] {
            [] => DryBreakers::DEFAULT_TEXTS.map(str::to_owned).to_vec(),
            given => given.iter().filter(|text| *text != "none").cloned().collect(),
        },
        top_n_sigma: args.top_n_sigma,
        top_k: args.top_k,
        typical: args.typical,
        top_p: args.top_p,
        min_p: args.min_p,
        top_a: args.top_a,
        epsilon_cutoff: args.epsilon_cutoff,
        eta_cutoff: args.eta_cutoff,
        xtc: XtcSettings { probability: args.xtc_probability, threshold: args.xtc_threshold },
        // What is no number is refused later.
        temperature: if args.temp < 0.0 { 0.0 } else { args.temp },
        temperature_range: args.dynatemp_range,
        temperature_exponent: args.dynatemp_exp,
        mirostat: match args.mirostat {
            1 => MirostatVersion::One,
            2 => MirostatVersion::Two,
            _ => MirostatVersion::Off,
        },
        mirostat_settings: MirostatSettings { tau: args.mirostat_ent, eta: args.mirostat_lr },
        adaptive: AdaptiveSettings { target: args.adaptive_target, decay: args.adaptive_decay },
        ..ChainSettings::default()
    })
}

/// The chain of settings; an error names the flag.
pub(super) fn chain(settings: &ChainSettings, vocabulary: &Vocabulary) -> anyhow::Result<Chain> {
    settings.chain(vocabulary).map_err(|error| match error {
        SettingsError::NoSuchToken { token, .. } => {
            anyhow!("--logit-bias {token}: the vocabulary has no token {token}")
        }
        error => error.into(),
    })
}

pub(super) fn mode(args: &ModeArgs) -> Mode {
    if args.rejection {
        Mode::Rejection
    } else if args.exact {
        Mode::Exact
    } else {
        Mode::GrammarFirst
    }
}

/// How far something looks back: -1 stands for the size of the context in llama.cpp.
fn back(last_n: i32) -> i32 {
    if last_n < 0 { i32::MAX } else { last_n }
}

/// `15043+1`, `15043-1.5` or `15043-inf`.
fn bias(text: &str) -> anyhow::Result<(TokenId, f32)> {
    let wrong = || format!("--logit-bias {text}: a token id, + or -, and a number expected");
    let at = text.find(['+', '-']).with_context(wrong)?;
    let (id, bias) = text.split_at(at);
    Ok((TokenId(id.parse().with_context(wrong)?), bias.parse().with_context(wrong)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn biases() {
        assert_eq!(bias("1+0.5").ok(), Some((TokenId(1), 0.5)));
        assert_eq!(bias("0-inf").ok(), Some((TokenId(0), f32::NEG_INFINITY)));
        for wrong in ["1", "+1", "1+", "1+x", "a-1"] {
            assert!(bias(wrong).is_err(), "{wrong}");
        }
    }
}
