//! The samplers, one file each, with llama.cpp's formulas, edge cases and draws.

mod adaptive_p;
mod dist;
mod draw;
mod dynamic_temperature;
mod greedy;
mod logit_bias;
mod min_p;
mod mirostat;
mod parameter;
mod penalties;
mod temperature;
mod top_k;
mod top_n_sigma;
mod top_p;
mod typical;
mod xtc;

pub use adaptive_p::{AdaptiveP, AdaptiveSettings};
pub use dist::Dist;
pub use dynamic_temperature::DynamicTemperature;
pub use greedy::Greedy;
pub use logit_bias::LogitBias;
pub use min_p::MinP;
pub use mirostat::{Mirostat, MirostatSettings, MirostatV2};
pub use parameter::ParameterError;
pub use penalties::{Penalties, PenaltySettings};
pub use temperature::Temperature;
pub use top_k::TopK;
pub use top_n_sigma::TopNSigma;
pub use top_p::TopP;
pub use typical::Typical;
pub use xtc::{Xtc, XtcSettings};
