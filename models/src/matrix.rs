//! Matrices that are applied to rows of numbers.

use std::borrow::Cow;
use std::sync::Arc;

use candle_core::quantized::{GgmlDType, QMatMul, QStorage, QTensor};
use candle_core::{DType, Device, Module, Result, Tensor};

use crate::q8_0::Q8Matrix;

/// Matrices of at most so many numbers are applied by one thread.
const SMALL: usize = 1 << 20;

/// A matrix as the file has it. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) enum Matrix {
    /// Applied by candle, which shares the work among all processors.
    Shared(QMatMul),
    /// Applied where it is: to wait for other threads would take longer.
    Local(Arc<Q8Matrix>),
}

impl Matrix {
    /// From `columns` to `rows` numbers; `bytes` are its blocks, row after row.
    pub(crate) fn new(
        kind: GgmlDType,
        bytes: Vec<u8>,
        rows: usize,
        columns: usize,
        device: &Device,
    ) -> Result<Self> {
        if kind == GgmlDType::Q8_0 && device.is_cpu() && rows * columns <= SMALL {
            return Ok(Self::Local(Arc::new(Q8Matrix::from_bytes(&bytes, columns))));
        }
        let storage = QStorage::from_data(Cow::Owned(bytes), device, kind)?;
        let tensor = QTensor::new(storage, (rows, columns))?;
        Ok(Self::Shared(QMatMul::from_qtensor(tensor)?))
    }

    /// What `(count, columns)` numbers become: `(count, rows)`, 32 bits each.
    pub(crate) fn forward(&self, rows: &Tensor) -> Result<Tensor> {
        match self {
            Self::Shared(matrix) => matrix.forward(rows),
            Self::Local(matrix) => rows.apply_op1_no_bwd(&**matrix),
        }
    }

    /// Some rows of the matrix itself: `(ids, columns)`, 32 bits each.
    pub(crate) fn embedding(&self, ids: Vec<u32>, device: &Device) -> Result<Tensor> {
        match self {
            Self::Shared(matrix) => {
                let count = ids.len();
                let rows = matrix.embedding(&Tensor::from_vec(ids, count, device)?)?;
                rows.to_dtype(DType::F32)
            }
            Self::Local(matrix) => matrix.embedding(&ids),
        }
    }
}
