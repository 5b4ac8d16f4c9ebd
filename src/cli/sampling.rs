//! From the arguments to a chain.

use anyhow::{Context, bail};
use grammask::sampler::{
    Chain, Dist, LogitBias, MinP, Mode, Penalties, PenaltySettings, Temperature, TokenId, TopK,
    TopP, Vocabulary,
};

use super::args::SamplingArgs;

/// The chain, in llama.cpp's order; only the samplers that a flag asks for.
pub(super) fn chain(args: &SamplingArgs, vocabulary: &Vocabulary) -> anyhow::Result<Chain> {
    let mut chain = Chain::new();
    if !args.logit_bias.is_empty() {
        let biases: Vec<_> =
            args.logit_bias.iter().map(|text| bias(text, vocabulary)).collect::<Result<_, _>>()?;
        chain.add(LogitBias::new(biases)?);
    }
    if let Some(penalties) = penalties(args)? {
        chain.add(penalties);
    }
    if let Some(k) = args.top_k {
        chain.add(TopK::new(k));
    }
    if let Some(p) = args.top_p {
        chain.add(TopP::new(p, 0)?);
    }
    if let Some(p) = args.min_p {
        chain.add(MinP::new(p, 0)?);
    }
    if let Some(t) = args.temp {
        chain.add(Temperature::new(t)?);
    }
    chain.add(Dist::new(args.seed));
    Ok(chain)
}

pub(super) fn mode(args: &SamplingArgs) -> Mode {
    if args.rejection {
        Mode::Rejection
    } else if args.exact {
        Mode::Exact
    } else {
        Mode::GrammarFirst
    }
}

fn penalties(args: &SamplingArgs) -> anyhow::Result<Option<Penalties>> {
    let settings = PenaltySettings::default();
    let asked = args.repeat_penalty.is_some()
        || args.presence_penalty.is_some()
        || args.frequency_penalty.is_some();
    if !asked {
        return Ok(None);
    }
    let last_n = match args.repeat_last_n {
        // llama.cpp: the size of the context.
        Some(-1) => i32::MAX,
        Some(n) => n,
        None => settings.last_n,
    };
    let settings = PenaltySettings {
        last_n,
        repeat: args.repeat_penalty.unwrap_or(settings.repeat),
        frequency: args.frequency_penalty.unwrap_or(settings.frequency),
        presence: args.presence_penalty.unwrap_or(settings.presence),
    };
    Ok(Some(Penalties::new(settings)?))
}

/// `15043+1`, `15043-1.5` or `15043-inf`.
fn bias(text: &str, vocabulary: &Vocabulary) -> anyhow::Result<(TokenId, f32)> {
    let wrong = || format!("--logit-bias {text}: a token id, + or -, and a number expected");
    let at = text.find(['+', '-']).with_context(wrong)?;
    let (id, bias) = text.split_at(at);
    let id = TokenId(id.parse().with_context(wrong)?);
    let bias: f32 = bias.parse().with_context(wrong)?;
    if vocabulary.bytes(id).is_none() {
        bail!("--logit-bias {text}: the vocabulary has no token {id}");
    }
    Ok((id, bias))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn biases() {
        let vocabulary = Vocabulary::from_json(r#"{"tokens": ["a", "b"]}"#).expect("valid");
        assert_eq!(bias("1+0.5", &vocabulary).ok(), Some((TokenId(1), 0.5)));
        assert_eq!(bias("0-inf", &vocabulary).ok(), Some((TokenId(0), f32::NEG_INFINITY)));
        for wrong in ["2+1", "1", "+1", "1+", "1+x", "a-1"] {
            assert!(bias(wrong, &vocabulary).is_err(), "{wrong}");
        }
    }
}
