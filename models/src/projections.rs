//! Matrices that are applied to the same input.

use std::io::{Read, Seek};

use candle_core::{D, Result, Tensor};

use crate::LoadError;
use crate::matrix::Matrix;
use crate::weights::Weights;

/// Several matrices that are applied to the same input: one below the other, where their types allow
/// it, since each operation costs as much as some ten thousand products.
#[derive(Clone, Debug)]
pub(crate) struct Projections {
    matrices: Matrices,
    biases: Vec<Option<Tensor>>,
}

#[derive(Clone, Debug)]
enum Matrices {
    Joined { matrix: Matrix, widths: Vec<usize> },
    Separate(Vec<Matrix>),
}

impl Projections {
    /// Reads the matrices of these names and numbers of rows.
    pub(crate) fn read<F: Read + Seek>(
        weights: &mut Weights<'_, F>,
        parts: &[(&str, usize)],
        columns: usize,
    ) -> std::result::Result<Self, LoadError> {
        let kind = weights.kind(parts[0].0);
        let matrices = if parts.iter().all(|(name, _)| weights.kind(name) == kind) {
            let matrix = weights.joined(parts, columns)?;
            Matrices::Joined { matrix, widths: parts.iter().map(|part| part.1).collect() }
        } else {
            let read = |&(name, rows): &(&str, usize)| weights.matrix(name, rows, columns);
            Matrices::Separate(parts.iter().map(read).collect::<std::result::Result<_, _>>()?)
        };
        Ok(Self { matrices, biases: vec![None; parts.len()] })
    }

    /// Reads one matrix that is several, one below the other.
    pub(crate) fn read_joined<F: Read + Seek>(
        weights: &mut Weights<'_, F>,
        name: &str,
        widths: &[usize],
        columns: usize,
    ) -> std::result::Result<Self, LoadError> {
        let matrix = weights.matrix(name, widths.iter().sum(), columns)?;
        let matrices = Matrices::Joined { matrix, widths: widths.to_vec() };
        Ok(Self { matrices, biases: vec![None; widths.len()] })
    }

    /// What is added to what each of them gives.
    pub(crate) fn with_biases(self, biases: Vec<Option<Tensor>>) -> Self {
        Self { biases, ..self }
    }

    /// Experts: from lists of matrices to one for each.
    pub(crate) fn of_experts(gates: Vec<Matrix>, ups: Vec<Matrix>) -> Vec<Self> {
        let both = |(gate, up)| Self {
            matrices: Matrices::Separate(vec![gate, up]),
            biases: vec![None; 2],
        };
        gates.into_iter().zip(ups).map(both).collect()
    }

    /// What each of them makes of rows of input: rows, and contiguous.
    pub(crate) fn forward(&self, rows: &Tensor) -> Result<Vec<Tensor>> {
        let mut outputs = match &self.matrices {
            Matrices::Joined { matrix, widths } => {
                let joined = matrix.forward(rows)?;
                let mut start = 0;
                let part = |&width: &usize| {
                    start += width;
                    joined.narrow(D::Minus1, start - width, width)?.contiguous()
                };
                widths.iter().map(part).collect::<Result<Vec<_>>>()?
            }
            Matrices::Separate(matrices) => {
                matrices.iter().map(|matrix| matrix.forward(rows)).collect::<Result<Vec<_>>>()?
            }
        };
        for (output, bias) in outputs.iter_mut().zip(&self.biases) {
            if let Some(bias) = bias {
                *output = output.broadcast_add(bias)?;
            }
        }
        Ok(outputs)
    }
}
