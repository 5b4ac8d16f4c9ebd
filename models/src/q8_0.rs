//! Small matrices in blocks of 8 bits, applied by the thread that asks.
//!
//! Candle cuts each product of quantised matrices into parts for all processors, and spins until the
//! slowest is done. That pays for matrices of many millions of numbers only, and on a machine that has
//! other things to do a small one waits for a processor much longer than it computes.

use candle_core::{CpuStorage, CustomOp1, Device, Layout, Result, Shape, Tensor, bail};
use half::f16;

use crate::small;

/// So many numbers have one scale: `QK8_0` of ggml.
const BLOCK: usize = 32;

/// The bytes of a block in a file: its scale in 16 bits, then its numbers.
const BYTES: usize = 2 + BLOCK;

/// A row of the matrix is applied to so many rows of input while it is in the nearest cache, and so
/// are these.
const TILE: usize = 16;

/// A matrix of ggml's type `Q8_0`: blocks of 32 numbers of 8 bits with a scale each.
#[derive(Debug)]
pub(crate) struct Q8Matrix {
    /// One for each block.
    scales: Vec<f32>,
    numbers: Vec<i8>,
    columns: usize,
}

impl Q8Matrix {
    /// From the blocks of a file, row after row. A row has whole blocks.
    pub(crate) fn from_bytes(bytes: &[u8], columns: usize) -> Self {
        let (blocks, _) = bytes.as_chunks::<BYTES>();
        let scale = |block: &[u8; BYTES]| f16::from_le_bytes([block[0], block[1]]).to_f32();
        let numbers = blocks.iter().flat_map(|block| &block[2..]);
        Self {
            scales: blocks.iter().map(scale).collect(),
            numbers: numbers.map(|number| number.cast_signed()).collect(),
            columns,
        }
    }

    fn rows(&self) -> usize {
        self.numbers.len() / self.columns
    }

    /// The numbers of a row and its scales.
    fn row(&self, row: usize) -> (&[i8], &[f32]) {
        let (columns, blocks) = (self.columns, self.columns / BLOCK);
        (&self.numbers[row * columns..][..columns], &self.scales[row * blocks..][..blocks])
    }

    /// Some of its rows: `(ids, columns)`.
    pub(crate) fn embedding(&self, ids: &[u32]) -> Result<Tensor> {
        let mut table = Vec::with_capacity(ids.len() * self.columns);
        for &id in ids {
            let id = id as usize;
            if id >= self.rows() {
                bail!("there is no row {id} in a matrix of {}", self.rows());
            }
            let (numbers, scales) = self.row(id);
            let blocks = numbers.chunks_exact(BLOCK).zip(scales);
            table.extend(
                blocks.flat_map(|(block, scale)| block.iter().map(move |&n| f32::from(n) * scale)),
            );
        }
        Tensor::from_vec(table, (ids.len(), self.columns), &Device::Cpu)
    }

    /// What rows of input become: as many rows.
    fn apply(&self, input: &[f32]) -> Vec<f32> {
        let rows = self.rows();
        let mut output = vec![0.0; input.len() / self.columns * rows];
        let tiles = input.chunks(TILE * self.columns).zip(output.chunks_mut(TILE * rows));
        for (input, output) in tiles {
            let input = Rounded::new(input);
            let inputs: Vec<_> = input.rows(self.columns).collect();
            for row in 0..rows {
                let (numbers, scales) = self.row(row);
                for (at, (input, input_scales)) in inputs.iter().enumerate() {
                    output[at * rows + row] = dot(numbers, scales, input, input_scales);
                }
            }
        }
        output
    }
}

/// The sum of products of numbers: in integers within a block, which is exact.
fn dot(a: &[i8], a_scales: &[f32], b: &[i16], b_scales: &[f32]) -> f32 {
    let (a, b) = (a.as_chunks::<BLOCK>().0, b.as_chunks::<BLOCK>().0);
    let mut sum = 0.0;
    for ((a, b), (a_scale, b_scale)) in a.iter().zip(b).zip(a_scales.iter().zip(b_scales)) {
        let products = a.iter().zip(b).map(|(&a, &b)| i32::from(a) * i32::from(b));
        sum += products.sum::<i32>() as f32 * (a_scale * b_scale);
    }
    sum
}

/// Input rounded to blocks of 8 bits, as ggml's `quantize_row_q8_0_ref` and candle do it. Numbers have
/// 16 bits here, so that products need not widen them time after time.
struct Rounded {
    scales: Vec<f32>,
    numbers: Vec<i16>,
}

impl Rounded {
    fn new(input: &[f32]) -> Self {
        let (blocks, _) = input.as_chunks::<BLOCK>();
        let mut scales = Vec::with_capacity(blocks.len());
        let mut numbers = vec![0; input.len()];
        for (block, numbers) in blocks.iter().zip(numbers.as_chunks_mut::<BLOCK>().0) {
            // Several maxima at a time; what is not a number counts as nothing.
            let mut largest = [0.0_f32; 8];
            for part in block.as_chunks::<8>().0 {
                for (largest, number) in largest.iter_mut().zip(part) {
                    let number = number.abs();
                    *largest = if number > *largest { number } else { *largest };
                }
            }
            let scale = largest.into_iter().fold(0.0, f32::max) / 127.0;
            let inverse = if scale == 0.0 { 0.0 } else { 1.0 / scale };
            scales.push(f16::from_f32(scale).to_f32());
            for (rounded, number) in numbers.iter_mut().zip(block) {
                *rounded = round(number * inverse);
            }
        }
        Self { scales, numbers }
    }

    /// The numbers of each row and their scales.
    fn rows(&self, columns: usize) -> impl Iterator<Item = (&[i16], &[f32])> {
        self.numbers.chunks_exact(columns).zip(self.scales.chunks_exact(columns / BLOCK))
    }
}

/// To the nearest integer of 8 bits, halves away from zero: `f32::round`, which is a call where the
/// processor has no instruction for it, and none for several at a time anywhere.
fn round(number: f32) -> i16 {
    let number = number.clamp(-128.0, 127.0);
    let whole = number as i32;
    // Exact, as is its comparison.
    let rest = number - whole as f32;
    (whole + i32::from(rest >= 0.5) - i32::from(rest <= -0.5)) as i16
}

impl CustomOp1 for Q8Matrix {
    fn name(&self) -> &'static str {
        "product with a matrix of Q8_0"
    }

    fn cpu_fwd(&self, input: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let (count, columns) = layout.shape().dims2()?;
        if columns != self.columns {
            bail!("rows of {columns} numbers are multiplied with {} columns", self.columns);
        }
        let output = self.apply(small::slice(input, layout)?);
        Ok((CpuStorage::F32(output), (count, self.rows()).into()))
    }
}

#[cfg(test)]
mod tests {
    use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
    use candle_core::{Device, Module, Tensor};
    use proptest::prelude::*;

    use super::{Q8Matrix, round};

    /// Numbers of all magnitudes that activations have, and rows of zeros.
    fn numbers(count: usize) -> impl Strategy<Value = Vec<f32>> {
        let number = prop_oneof![8 => -1.0_f32..1.0, 1 => -1e3_f32..1e3, 1 => Just(0.0)];
        prop::collection::vec(number, count)
    }

    /// A matrix, rows of input, and their number of columns.
    fn product() -> impl Strategy<Value = (Vec<f32>, Vec<f32>, usize)> {
        (1..24_usize, 1..40_usize, 1..4_usize).prop_flat_map(|(rows, count, blocks)| {
            let columns = 32 * blocks;
            (numbers(rows * columns), numbers(count * columns), Just(columns))
        })
    }

    fn tensor(numbers: &[f32], columns: usize) -> Tensor {
        let shape = (numbers.len() / columns, columns);
        Tensor::from_slice(numbers, shape, &Device::Cpu).expect("they fit")
    }

    fn rows(tensor: &Tensor) -> Vec<Vec<f32>> {
        tensor.to_vec2().expect("rows")
    }

    proptest! {
        #[test]
        fn products_and_rows_are_those_of_candle((matrix, input, columns) in product()) {
            let quantised =
                QTensor::quantize(&tensor(&matrix, columns), GgmlDType::Q8_0).expect("whole blocks");
            let ours = Q8Matrix::from_bytes(&quantised.data().expect("bytes"), columns);
            let theirs = QMatMul::from_qtensor(quantised).expect("a matrix");

            let input = tensor(&input, columns);
            let input_rows = rows(&input);
            let found = rows(&input.apply_op1_no_bwd(&ours).expect("a product"));
            let expected = rows(&theirs.forward(&input).expect("a product"));
            prop_assert_eq!(found.len(), expected.len());
            // Both round the same numbers and may add them up in another order: what that changes is
            // some units in the last place of the terms, whatever is left of them in the end.
            let norm = |row: &[f32]| row.iter().map(|number| number * number).sum::<f32>().sqrt();
            for (row, (found, expected)) in input_rows.iter().zip(found.iter().zip(&expected)) {
                prop_assert_eq!(found.len(), expected.len());
                let pairs = found.iter().zip(expected);
                for ((found, expected), weights) in pairs.zip(matrix.chunks(columns)) {
                    let terms = norm(row) * norm(weights);
                    prop_assert!((found - expected).abs() <= 1e-6 * terms, "{found} {expected}");
                }
            }

            let ids: Vec<u32> = (0..ours.rows() as u32).rev().collect();
            let found = rows(&ours.embedding(&ids).expect("rows"));
            let ids = Tensor::new(ids, &Device::Cpu).expect("a list");
            prop_assert_eq!(found, rows(&theirs.embedding(&ids).expect("rows")));
            prop_assert!(ours.embedding(&[ours.rows() as u32]).is_err());
        }

        #[test]
        fn rounding_is_that_of_the_standard_library(bits: u32) {
            let number = f32::from_bits(bits);
            prop_assert_eq!(round(number), i16::from(number.round() as i8), "{}", number);
        }

        #[test]
        fn halves_are_rounded_away_from_zero(number in -130.0_f32..130.0, half: i8) {
            let half = f32::from(half) + 0.5;
            for number in [number, half, half.next_up(), half.next_down()] {
                prop_assert_eq!(round(number), i16::from(number.round() as i8), "{}", number);
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        let matrix = Q8Matrix::from_bytes(&[0; 34], 32);
        assert!(tensor(&[0.0; 64], 64).apply_op1_no_bwd(&matrix).is_err());
        let turned = tensor(&[0.0; 32 * 32], 32).t().expect("two dimensions");
        assert!(turned.apply_op1_no_bwd(&matrix).is_err());
    }
}
