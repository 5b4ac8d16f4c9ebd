//! Normalisation by the root of the mean square.

use std::io::{Read, Seek};

use candle_core::{Result, Tensor};

use crate::LoadError;
use crate::weights::Weights;

/// Divides rows by the root of their mean square, and multiplies them with weights (Zhang and
/// Sennrich, "Root Mean Square Layer Normalization", 2019).
#[derive(Clone, Debug)]
pub(crate) struct Norm {
    weight: Tensor,
    epsilon: f32,
}

impl Norm {
    pub(crate) fn read<F: Read + Seek>(
        weights: &mut Weights<'_, F>,
        name: &str,
        width: usize,
        epsilon: f32,
    ) -> std::result::Result<Self, LoadError> {
        Ok(Self { weight: weights.vector(name, width)?, epsilon })
    }

    /// Normalises along the last dimension.
    pub(crate) fn forward(&self, rows: &Tensor) -> Result<Tensor> {
        candle_nn::ops::rms_norm(rows, &self.weight, self.epsilon)
    }
}
