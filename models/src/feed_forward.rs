//! Feed-forward: what each position makes of itself.

use std::io::{Read, Seek};

use candle_core::{Result, Tensor};

use crate::LoadError;
use crate::config::{Config, FeedForwardConfig};
use crate::experts::Experts;
use crate::matrix::Matrix;
use crate::projections::Projections;
use crate::weights::Weights;

/// By one gated network, or by several from which each position chooses.
#[derive(Clone, Debug)]
pub(crate) enum FeedForward {
    Dense(Gated),
    Experts(Experts),
}

impl FeedForward {
    pub(crate) fn read<F: Read + Seek>(
        config: &Config,
        layer: &str,
        weights: &mut Weights<'_, F>,
    ) -> std::result::Result<Self, LoadError> {
        match config.feed_forward {
            FeedForwardConfig::Dense { width } => {
                Ok(Self::Dense(Gated::read(config, width, layer, weights)?))
            }
            FeedForwardConfig::Experts { count, used, width } => {
                let experts = Experts::read(config, count, used, width, layer, weights)?;
                Ok(Self::Experts(experts))
            }
        }
    }

    /// What each row becomes.
    pub(crate) fn forward(&self, rows: &Tensor) -> Result<Tensor> {
        match self {
            Self::Dense(gated) => gated.forward(rows),
            Self::Experts(experts) => experts.forward(rows),
        }
    }
}

/// A network of which one half is a gate for the other (Shazeer, "GLU Variants Improve Transformer",
/// 2020).
#[derive(Clone, Debug)]
pub(crate) struct Gated {
    /// Gate and up.
    pub(crate) projections: Projections,
    pub(crate) down: Matrix,
    pub(crate) gelu: bool,
}

impl Gated {
    fn read<F: Read + Seek>(
        config: &Config,
        width: usize,
        layer: &str,
        weights: &mut Weights<'_, F>,
    ) -> std::result::Result<Self, LoadError> {
        let traits = config.architecture.traits();
        let [gate, up, down] =
            ["gate", "up", "down"].map(|name| format!("{layer}.ffn_{name}.weight"));
        let projections = if traits.joined_gate {
            Projections::read_joined(weights, &up, &[width, width], config.width)?
        } else {
            Projections::read(weights, &[(&gate, width), (&up, width)], config.width)?
        };
        let down = weights.matrix(&down, config.width, width)?;
        Ok(Self { projections, down, gelu: traits.gelu })
    }

    pub(crate) fn forward(&self, rows: &Tensor) -> Result<Tensor> {
        let projected = self.projections.forward(rows)?;
        let gate = if self.gelu { projected[0].gelu()? } else { projected[0].silu()? };
        self.down.forward(&(gate * &projected[1])?)
    }
}
