//! `samplers`: how long each sampler takes for the logits of a large vocabulary, beside what llama.cpp
//! takes.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use grammask::{LanguageModel, RandomModel, json_schema, schema_constraint};
use grammask_sampler::{
    AdaptiveP, AdaptiveSettings, Candidates, ChainSettings, Dist, Dry, DryBreakers, DrySettings,
    DynamicTemperature, Engine, GrammarSampler, Greedy, MinP, Mirostat, MirostatSettings,
    MirostatV2, Mode, Mt19937, Penalties, PenaltySettings, Sampler, Temperature, TokenId, TopK,
    TopNSigma, TopP, Typical, Xtc, XtcSettings, uniform_f64,
};
use serde_json::{Value, json};

use crate::{output, vocabularies};

/// The options of the subcommand.
#[derive(clap::Args)]
pub struct Options {
    /// How often each sampler is applied; the fastest counts
    #[arg(long, default_value_t = 31)]
    repeats: usize,
    /// Where to write the result
    #[arg(long)]
    json: Option<PathBuf>,
}

/// How many candidates there are: those of `o200k_base`.
const CANDIDATES: usize = 200_019;
/// Their logits are normal with this deviation.
const DEVIATION: f64 = 2.5;
/// Tokens that have come before, of which some repeat.
const HISTORY: u32 = 64;

/// A sampler, and what llama.cpp takes for it, in microseconds; how many times less we are to take.
struct Case {
    name: &'static str,
    sampler: Box<dyn Sampler>,
    theirs: f64,
    times_less: f64,
}

fn cases() -> Result<Vec<Case>> {
    let case = |name, sampler: Box<dyn Sampler>, theirs, times_less| Case {
        name,
        sampler,
        theirs,
        times_less,
    };
    let penalties = PenaltySettings {
        repeat: 1.1,
        frequency: 0.1,
        presence: 0.1,
        ..PenaltySettings::default()
    };
    let dry = DrySettings { multiplier: 0.8, ..DrySettings::default() };
    let xtc = XtcSettings { probability: 1.0, threshold: 0.1 };
    let adaptive = AdaptiveSettings { target: 0.3, ..AdaptiveSettings::default() };
    let mirostat = MirostatSettings::default();
    let vocabulary = vocabularies::load("o200k_base")?;
    let settings = ChainSettings::default();
    let everything = ChainSettings {
        penalties,
        dry,
        top_n_sigma: 2.0,
        typical: 0.95,
        xtc: XtcSettings { probability: 0.5, threshold: 0.1 },
        temperature_range: 0.3,
        ..settings.clone()
    };
    let only_dist = ChainSettings { samplers: Vec::new(), ..settings.clone() };
    Ok(vec![
        case("greedy", Box::new(Greedy), 158.0, 1.0),
        case("temperature", Box::new(Temperature::new(0.8)?), 116.0, 1.0),
        case("top_k 40", Box::new(TopK::new(40)), 164.0, 1.0),
        case("top_k 1000", Box::new(TopK::new(1000)), 965.0, 1.0),
        case("min_p", Box::new(MinP::new(0.05, 0)?), 507.0, 1.0),
        case("dist", Box::new(Dist::new(1)), 1_819.0, 1.0),
        case("dry", Box::new(Dry::new(dry, DryBreakers::default())?), 707.0, 1.0),
        case("penalties", Box::new(Penalties::new(penalties)?), 1_275.0, 1.0),
        case("top_n_sigma", Box::new(TopNSigma::new(1.0)?), 1_420.0, 1.0),
        case("adaptive_p", Box::new(AdaptiveP::new(adaptive, 1)?), 4_198.0, 1.0),
        case("top_p 0.95", Box::new(TopP::new(0.95, 0)?), 13_912.0, 5.0),
        case("typical", Box::new(Typical::new(0.95, 0)?), 22_488.0, 5.0),
        case("xtc", Box::new(Xtc::new(xtc, 0, 1)?), 15_598.0, 5.0),
        case(
            "dynamic temperature",
            Box::new(DynamicTemperature::new(0.8, 0.5, 1.0)?),
            14_673.0,
            5.0,
        ),
        case("mirostat", Box::new(Mirostat::new(mirostat, CANDIDATES, 1)?), 14_641.0, 5.0),
        case("mirostat 2", Box::new(MirostatV2::new(mirostat, 1)?), 14_158.0, 5.0),
        case("default chain", Box::new(settings.chain(&vocabulary)?), 121.0, 1.0),
        case("chain with all", Box::new(everything.chain(&vocabulary)?), 3_480.0, 1.0),
        case("chain with dist", Box::new(only_dist.chain(&vocabulary)?), 1_541.0, 1.0),
    ])
}

/// What a token takes in each mode, with the chain of default settings: the mask or test, and the chain.
fn modes() -> Result<Vec<Value>> {
    const TOKENS: usize = 400;
    /// Before these, buffers grow.
    const WARM_UP: usize = 20;
    const SCHEMA: &str = r#"{"type": "array", "items": {"type": "object",
        "properties": {"name": {"type": "string"}, "size": {"type": "number"}}, "required": ["name"]},
        "minItems": 50}"#;
    let engine = Engine::new(vocabularies::load("o200k_base")?);
    let mut report = Vec::new();
    println!("\n{:<22}{:>10}", "mode", "us a token");
    for (name, mode) in [
        ("grammar-first", Mode::GrammarFirst),
        ("rejection", Mode::Rejection),
        ("exact", Mode::Exact),
    ] {
        let constraint = schema_constraint(&engine, SCHEMA, &json_schema::Options::default())?;
        let chain = ChainSettings::default().chain(engine.vocabulary())?;
        let mut sampler = GrammarSampler::new(constraint, chain, mode);
        let mut model = RandomModel::new(&engine, 1);
        let (mut tokens, mut time) = (Vec::new(), Duration::ZERO);
        while tokens.len() < TOKENS && !sampler.constraint().is_ended() {
            let logits = model.logits(&tokens).map_err(anyhow::Error::from_boxed)?;
            let start = Instant::now();
            let token = sampler.sample(logits)?;
            if tokens.len() >= WARM_UP {
                time += start.elapsed();
            }
            sampler.accept(token)?;
            tokens.push(token);
        }
        let us = time.as_secs_f64() * 1e6 / tokens.len().saturating_sub(WARM_UP).max(1) as f64;
        println!("{name:<22}{us:>10.0}");
        report.push(json!({ "mode": name, "tokens": tokens.len(), "us": us }));
    }
    Ok(report)
}

/// Runs every case; whether none is too slow.
pub fn run(options: &Options) -> Result<bool> {
    let logits = normal(CANDIDATES);
    let (mut measured, mut slow) = (Vec::new(), 0);
    println!("{:<22}{:>10}{:>14}{:>10}", "sampler", "us", "llama.cpp us", "goal us");
    for mut case in cases()? {
        // Some of the best, twice.
        (0..HISTORY).for_each(|at| case.sampler.accept(TokenId(at % 24 * 311)));
        let time = fastest(&mut *case.sampler, &logits, options.repeats);
        let us = time.as_secs_f64() * 1e6;
        let goal = case.theirs / case.times_less;
        let is_slow = us > goal;
        slow += usize::from(is_slow);
        println!(
            "{:<22}{us:>10.0}{:>14.0}{goal:>10.0}{}",
            case.name,
            case.theirs,
            if is_slow { "   SLOW" } else { "" },
        );
        measured.push(json!({
            "sampler": case.name, "us": us, "llama_cpp_us": case.theirs, "goal_us": goal,
        }));
    }
    let report = json!({ "samplers": measured, "slow": slow, "modes": modes()? });
    if let Value::Object(report) = report {
        let in_force = json!({
            "command": "samplers", "candidates": CANDIDATES, "deviation": DEVIATION,
            "repeats": options.repeats,
        });
        output::write(options.json.as_deref(), in_force, report)?;
    }
    Ok(slow == 0)
}

/// The least time that a sampler takes for these logits.
fn fastest(sampler: &mut dyn Sampler, logits: &[f32], repeats: usize) -> Duration {
    let mut candidates = Candidates::default();
    let once = (0..repeats.max(1)).map(|_| {
        candidates.set_logits(logits);
        let start = Instant::now();
        sampler.apply(&mut candidates);
        start.elapsed()
    });
    once.min().unwrap_or_default()
}

/// Normal numbers, always the same.
fn normal(count: usize) -> Vec<f32> {
    let mut generator = Mt19937::new(1);
    let mut number = || uniform_f64(&mut generator).max(f64::MIN_POSITIVE);
    // Box and Muller.
    let mut one = || (-2.0 * number().ln()).sqrt() * (std::f64::consts::TAU * number()).cos();
    (0..count).map(|_| (DEVIATION * one()) as f32).collect()
}
