//! `--html FILE`: one page that shows every step and computes anew when a parameter is moved.

use std::iter;

use grammask::sampler::{Chain, ChainSettings, DryBreakers, SamplerKind, TokenId, Vocabulary};
use serde_json::{Value, json};

use super::report::decimal;
use super::trace::Trace;
use crate::cli::vocabulary;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// What computes, then what shows.
const SCRIPTS: [&str; 9] = [
    include_str!("random.js"),
    include_str!("sort.js"),
    include_str!("candidates.js"),
    include_str!("dry.js"),
    include_str!("infill.js"),
    include_str!("samplers.js"),
    include_str!("trace.js"),
    include_str!("explanations.js"),
    include_str!("page.js"),
];

/// What the page starts from, as `trace.js` takes it.
pub(super) struct Setup<'a> {
    pub(super) settings: &'a ChainSettings,
    pub(super) chain: &'a Chain,
    pub(super) vocabulary: &'a Vocabulary,
    pub(super) trace: &'a Trace,
    pub(super) allowed: Option<&'a [TokenId]>,
    pub(super) history: &'a [TokenId],
    /// How many candidates the numbers in the page list.
    pub(super) top: usize,
}

impl Setup<'_> {
    fn to_json(&self) -> Value {
        let Self { vocabulary, trace, .. } = *self;
        let tokens = trace.tokens.iter().map(|&token| vocabulary::to_json(vocabulary, token));
        let chain = self.chain.names().map(|name| name.trim_start_matches('?'));
        let logits = (0..trace.tokens.len()).map(|candidate| trace.steps[0].cell(candidate));
        let control = trace.tokens.iter().copied().filter(|&token| vocabulary.is_control(token));
        json!({
            "settings": self.settings(),
            "chain": chain.collect::<Vec<_>>(),
            "tokens": tokens.collect::<Vec<_>>(),
            "logits": logits.map(|cell| cell.map(|cell| decimal(cell.logit))).collect::<Vec<_>>(),
            "allowed": self.allowed.map(ids),
            "history": ids(self.history),
            "breakers": self.breakers(),
            "control": ids(&control.collect::<Vec<_>>()),
            "eog": ids(vocabulary.eog_ids()),
            "top": self.top,
        })
    }

    /// What the samplers in the page go by, by its name there.
    fn settings(&self) -> Value {
        let settings = self.settings;
        let ended = self.vocabulary.eog_ids().iter().filter(|_| settings.ignore_eos);
        let ended = ended.map(|&token| (token, f32::NEG_INFINITY));
        let biases = settings.logit_bias.iter().copied().chain(ended);
        json!({
            "seed": settings.seed,
            "min_keep": settings.min_keep,
            "vocabulary": self.vocabulary.len(),
            "logit_bias": biases.map(|(id, bias)| json!([id.0, decimal(bias)])).collect::<Vec<_>>(),
            "repeat_last_n": settings.penalties.last_n,
            "repeat_penalty": decimal(settings.penalties.repeat),
            "frequency_penalty": decimal(settings.penalties.frequency),
            "presence_penalty": decimal(settings.penalties.presence),
            "dry_multiplier": decimal(settings.dry.multiplier),
            "dry_base": decimal(settings.dry.base),
            "dry_allowed_length": settings.dry.allowed_length,
            "dry_last_n": settings.dry.last_n,
            "top_n_sigma": decimal(settings.top_n_sigma),
            "top_k": settings.top_k,
            "typical": decimal(settings.typical),
            "top_p": decimal(settings.top_p),
            "min_p": decimal(settings.min_p),
            "xtc_probability": decimal(settings.xtc.probability),
            "xtc_threshold": decimal(settings.xtc.threshold),
            "temperature": decimal(settings.temperature),
            "temperature_range": decimal(settings.temperature_range),
            "temperature_exponent": decimal(settings.temperature_exponent),
            "top_a": decimal(settings.top_a),
            "epsilon_cutoff": decimal(settings.epsilon_cutoff),
            "eta_cutoff": decimal(settings.eta_cutoff),
            "mirostat_tau": decimal(settings.mirostat_settings.tau),
            "adaptive_target": decimal(settings.adaptive.target),
            "adaptive_decay": decimal(settings.adaptive.decay),
        })
    }

    /// What may break a repeat: only tokens of the history matter.
    fn breakers(&self) -> Vec<Vec<u32>> {
        if self.history.is_empty() || !self.settings.samplers.contains(&SamplerKind::Dry) {
            return Vec::new();
        }
        let breakers = DryBreakers::from_texts(self.vocabulary, &self.settings.dry_breakers);
        let there = breakers.sequences().filter(|(head, _)| self.history.contains(head));
        there.map(|(head, tail)| iter::once(head.0).chain(ids(tail)).collect()).collect()
    }
}

fn ids(tokens: &[TokenId]) -> Vec<u32> {
    tokens.iter().map(|token| token.0).collect()
}

/// The page, complete in itself.
pub(super) fn html(setup: &Setup<'_>) -> String {
    // A `<` could end the element that holds it.
    let setup = setup.to_json().to_string().replace('<', "\\u003c");
    let script = SCRIPTS.concat();
    let parts =
        [("<!-- style -->", STYLE), ("<!-- setup -->", &setup), ("<!-- script -->", &script)];
    let mut page = String::new();
    let mut rest = TEMPLATE;
    for (mark, part) in parts {
        let (before, behind) = rest.split_once(mark).unwrap_or((rest, ""));
        page += before;
        page += part;
        rest = behind;
    }
    page + rest
}
