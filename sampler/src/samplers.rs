//! The samplers, one file each, with llama.cpp's formulas, edge cases and draws.

mod dist;
mod dry;
mod dry_breakers;
mod epsilon_cutoff;
mod eta_cutoff;
mod greedy;
mod infill;
mod logit_bias;
mod min_p;
mod parameter;
mod penalties;
mod temperature;
mod top_a;
mod top_k;
mod top_p;

pub use dist::Dist;
pub use dry::{Dry, DrySettings};
pub use dry_breakers::DryBreakers;
pub use epsilon_cutoff::EpsilonCutoff;
pub use eta_cutoff::EtaCutoff;
pub use greedy::Greedy;
pub use infill::Infill;
pub use logit_bias::LogitBias;
pub use min_p::MinP;
pub use parameter::ParameterError;
pub use penalties::{Penalties, PenaltySettings};
pub use temperature::Temperature;
pub use top_a::TopA;
pub use top_k::TopK;
pub use top_p::TopP;
