//! How a token is picked: the flags are llama.cpp's, with its defaults.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use clap::{ArgAction, Args as Arguments};
use grammask::sampler::SamplerKind;

/// How the grammar and the samplers work together.
#[derive(Debug, Arguments)]
pub(crate) struct ModeArgs {
    /// Mask, then pick among what is allowed (default)
    #[arg(long, conflicts_with_all = ["rejection", "exact"])]
    pub(crate) grammar_first: bool,
    /// Pick among all tokens, and mask only if the grammar refuses the one
    #[arg(long, conflicts_with = "exact")]
    pub(crate) rejection: bool,
    /// Pick as --grammar-first does, and mask only if the likeliest tokens do not decide
    #[arg(long)]
    pub(crate) exact: bool,
}

/// Where draws start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seed {
    pub(crate) value: u32,
    /// Nobody has chosen it.
    pub(crate) by_chance: bool,
}

impl Seed {
    fn read(text: &str) -> Result<Self, String> {
        if text == "-1" {
            // The standard library keys each hasher by chance.
            let value = RandomState::new().build_hasher().finish() as u32;
            return Ok(Self { value, by_chance: true });
        }
        match text.parse() {
            Ok(value) => Ok(Self { value, by_chance: false }),
            Err(_) => Err(format!("a whole number from -1 to {} expected", u32::MAX)),
        }
    }
}

/// The samplers and their settings.
#[derive(Debug, Arguments)]
#[command(next_help_heading = "Sampling (flags and defaults of llama.cpp)")]
pub(crate) struct SamplingArgs {
    /// The seed of the model and of the draws; -1: one by chance
    #[arg(short, long, allow_negative_numbers = true, default_value = "1", value_parser = Seed::read)]
    pub(crate) seed: Seed,
    /// The samplers, in order: names with `;` between them
    #[arg(long, value_name = "NAMES", default_value_t = names())]
    pub(crate) samplers: String,
    /// The same by letters: `edskypmxt` is the default
    #[arg(
        long,
        visible_alias = "sampling-seq",
        value_name = "LETTERS",
        conflicts_with = "samplers"
    )]
    pub(crate) sampler_seq: Option<String>,
    /// Temperature; 0: always the likeliest token
    #[arg(
        long,
        visible_alias = "temperature",
        value_name = "T",
        allow_negative_numbers = true,
        default_value_t = 0.8
    )]
    pub(crate) temp: f32,
    /// How far the temperature may go up and down with the entropy
    #[arg(long, value_name = "X", default_value_t = 0.0)]
    pub(crate) dynatemp_range: f32,
    /// How the temperature follows the entropy
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    pub(crate) dynatemp_exp: f32,
    /// Keep the N likeliest tokens; 0: all
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 40)]
    pub(crate) top_k: i32,
    /// Keep the likeliest tokens that together have probability P; 1: all
    #[arg(long, value_name = "P", default_value_t = 0.95)]
    pub(crate) top_p: f32,
    /// Keep tokens that are at least P times as likely as the likeliest one; 0: all
    #[arg(long, value_name = "P", default_value_t = 0.05)]
    pub(crate) min_p: f32,
    /// Keep tokens within N standard deviations of the likeliest one; -1: all
    #[arg(
        long,
        visible_alias = "top-nsigma",
        value_name = "N",
        allow_negative_numbers = true,
        default_value_t = -1.0
    )]
    pub(crate) top_n_sigma: f32,
    /// Keep tokens that are about as surprising as the average, up to probability P; 1: all
    #[arg(long, visible_alias = "typical-p", value_name = "P", default_value_t = 1.0)]
    pub(crate) typical: f32,
    /// Keep tokens of probability A times the square of the greatest one or more; 0: all. Needs top_a
    /// among the samplers
    #[arg(long, value_name = "A", default_value_t = 0.0)]
    pub(crate) top_a: f32,
    /// Keep tokens of probability P or more; 0: all. Needs epsilon_cutoff among the samplers
    #[arg(long, value_name = "P", default_value_t = 0.0)]
    pub(crate) epsilon_cutoff: f32,
    /// The same with less where the model is unsure; 0: all. Needs eta_cutoff among the samplers
    #[arg(long, value_name = "P", default_value_t = 0.0)]
    pub(crate) eta_cutoff: f32,
    /// How often the likeliest tokens are dropped; 0: never
    #[arg(long, value_name = "P", default_value_t = 0.0)]
    pub(crate) xtc_probability: f32,
    /// From which probability on they are; more than 0.5: never
    #[arg(long, value_name = "P", default_value_t = 0.1)]
    pub(crate) xtc_threshold: f32,
    /// Divide the logits of tokens that came lately; 1: off
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    pub(crate) repeat_penalty: f32,
    /// How many tokens the penalties look back; -1: all
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        default_value_t = 64,
        value_parser = clap::value_parser!(i32).range(-1..)
    )]
    pub(crate) repeat_last_n: i32,
    /// Subtract from the logits of tokens that came lately
    #[arg(long, value_name = "X", allow_negative_numbers = true, default_value_t = 0.0)]
    pub(crate) presence_penalty: f32,
    /// The same once per occurrence
    #[arg(long, value_name = "X", allow_negative_numbers = true, default_value_t = 0.0)]
    pub(crate) frequency_penalty: f32,
    /// Subtract from the logits of tokens that would go on with a repeat; 0: off
    #[arg(long, value_name = "X", allow_negative_numbers = true, default_value_t = 0.0)]
    pub(crate) dry_multiplier: f32,
    /// How much more for each token by which the repeat is too long, as a factor
    #[arg(long, value_name = "X", default_value_t = 1.75)]
    pub(crate) dry_base: f32,
    /// How many tokens may be repeated
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) dry_allowed_length: i32,
    /// How many tokens are looked back for repeats; -1: all
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        default_value_t = 64,
        value_parser = clap::value_parser!(i32).range(-1..)
    )]
    pub(crate) dry_penalty_last_n: i32,
    /// A text over which no repeat goes, in place of line end, `:`, `"` and `*`; may be repeated;
    /// `none`: there are none
    #[arg(long, value_name = "TEXT", action = ArgAction::Append)]
    pub(crate) dry_sequence_breaker: Vec<String>,
    /// Probability that tokens are to have on average; -1: off. Needs adaptive_p among the samplers
    #[arg(long, value_name = "P", allow_negative_numbers = true, default_value_t = -1.0)]
    pub(crate) adaptive_target: f32,
    /// How much of that average each token leaves, up to 0.99
    #[arg(long, value_name = "X", default_value_t = 0.9)]
    pub(crate) adaptive_decay: f32,
    /// 1 or 2: mirostat of that version, in place of all samplers but bias and temperature
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        value_parser = clap::value_parser!(u8).range(0..=2)
    )]
    pub(crate) mirostat: u8,
    /// The surprise that mirostat holds, in bits per token
    #[arg(long, value_name = "X", default_value_t = 5.0)]
    pub(crate) mirostat_ent: f32,
    /// How fast mirostat learns
    #[arg(long, value_name = "X", default_value_t = 0.1)]
    pub(crate) mirostat_lr: f32,
    /// Add to the logit of a token: `15043+1` or `15043-1`; may be repeated
    #[arg(short, long, value_name = "ID(+|-)BIAS")]
    pub(crate) logit_bias: Vec<String>,
    /// Never end the generation before the text has to
    #[arg(long)]
    pub(crate) ignore_eos: bool,
}

fn names() -> String {
    SamplerKind::DEFAULT.map(SamplerKind::name).join(";")
}
