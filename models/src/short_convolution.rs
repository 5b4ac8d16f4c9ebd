//! Convolutions over the last few positions.

use std::io::{Read, Seek};

use candle_core::{Result, Tensor};

use crate::LoadError;
use crate::cache::Buffer;
use crate::config::Config;
use crate::matrix::Matrix;
use crate::projections::Projections;
use crate::weights::Weights;

/// The gated short convolution of LFM 2: llama.cpp's `build_shortconv_block`.
#[derive(Clone, Debug)]
pub(crate) struct ShortConvolution {
    /// A gate for what goes in, a gate for what comes out, and what goes in.
    projections: Projections,
    /// A row of weights for each position that is seen, the oldest first.
    kernel: Vec<Tensor>,
    output: Matrix,
}

impl ShortConvolution {
    pub(crate) fn read<F: Read + Seek>(
        config: &Config,
        layer: &str,
        weights: &mut Weights<'_, F>,
    ) -> std::result::Result<Self, LoadError> {
        let (width, length) = (config.width, config.convolution_length);
        let [input, kernel, output] =
            ["in_proj", "conv", "out_proj"].map(|name| format!("{layer}.shortconv.{name}.weight"));
        let table = weights.table(&kernel, width, length)?.t()?.contiguous()?;
        Ok(Self {
            projections: Projections::read_joined(weights, &input, &[width; 3], width)?,
            kernel: (0..length).map(|row| table.get(row)).collect::<Result<_>>()?,
            output: weights.matrix(&output, width, width)?,
        })
    }

    /// What positions from `start` on make of themselves and those just before them.
    pub(crate) fn forward(
        &self,
        rows: &Tensor,
        start: usize,
        inputs: &mut Buffer,
    ) -> Result<Tensor> {
        let (count, width) = rows.dims2()?;
        let projected = self.projections.forward(rows)?;
        inputs.write(start, &(&projected[0] * &projected[2])?.unsqueeze(0)?)?;
        let before = self.kernel.len() - 1;
        let known = before.min(start);
        let mut seen = inputs.read(start - known, known + count)?.squeeze(0)?;
        if known < before {
            // Before the text there is nothing.
            let nothing = Tensor::zeros((before - known, width), seen.dtype(), seen.device())?;
            seen = Tensor::cat(&[&nothing, &seen], 0)?;
        }
        let mut mixed = seen.narrow(0, 0, count)?.broadcast_mul(&self.kernel[0])?;
        for (at, weights) in self.kernel.iter().enumerate().skip(1) {
            mixed = (mixed + seen.narrow(0, at, count)?.broadcast_mul(weights)?)?;
        }
        self.output.forward(&(mixed * &projected[1])?)
    }
}
