//! Products of matrices and sums, on slices in row-major order.

use ndarray::linalg::general_mat_mul;
use ndarray::{ArrayView2, ArrayViewMut2};

/// Partial sums that a vector unit keeps side by side.
const LANES: usize = 16;

fn view(values: &[f32], columns: usize) -> ArrayView2<'_, f32> {
    ArrayView2::from_shape((values.len() / columns, columns), values).expect("whole rows")
}

fn view_mut(values: &mut [f32], columns: usize) -> ArrayViewMut2<'_, f32> {
    ArrayViewMut2::from_shape((values.len() / columns, columns), values).expect("whole rows")
}

/// `c = a bᵀ + keep c`, where rows of `a` and `b` have `inner` numbers.
pub(super) fn matmul_nt(a: &[f32], b: &[f32], c: &mut [f32], inner: usize, keep: f32) {
    let columns = b.len() / inner;
    general_mat_mul(
        1.0,
        &view(a, inner),
        &view(b, inner).reversed_axes(),
        keep,
        &mut view_mut(c, columns),
    );
}

/// `c = a b`, where rows of `a` have `inner` numbers.
pub(super) fn matmul_nn(a: &[f32], b: &[f32], c: &mut [f32], inner: usize) {
    let columns = b.len() / inner;
    general_mat_mul(1.0, &view(a, inner), &view(b, columns), 0.0, &mut view_mut(c, columns));
}

/// `c += aᵀ b`, where `a` and `b` have `inner` rows.
pub(super) fn matmul_tn(a: &[f32], b: &[f32], c: &mut [f32], inner: usize) {
    let (rows, columns) = (a.len() / inner, b.len() / inner);
    general_mat_mul(
        1.0,
        &view(a, rows).reversed_axes(),
        &view(b, columns),
        1.0,
        &mut view_mut(c, columns),
    );
}

pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0; LANES];
    let (a_chunks, b_chunks) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f32 = a_chunks.remainder().iter().zip(b_chunks.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a_chunks.zip(b_chunks) {
        for i in 0..LANES {
            lanes[i] += a[i] * b[i];
        }
    }
    lanes.iter().sum::<f32>() + rest
}

pub(crate) fn sum(values: &[f32]) -> f32 {
    let mut lanes = [0.0; LANES];
    let chunks = values.chunks_exact(LANES);
    let rest: f32 = chunks.remainder().iter().sum();
    for chunk in chunks {
        for i in 0..LANES {
            lanes[i] += chunk[i];
        }
    }
    lanes.iter().sum::<f32>() + rest
}

pub(crate) fn max(values: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; LANES];
    let chunks = values.chunks_exact(LANES);
    let rest = chunks.remainder().iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for chunk in chunks {
        for i in 0..LANES {
            lanes[i] = lanes[i].max(chunk[i]);
        }
    }
    lanes.iter().copied().fold(rest, f32::max)
}

pub(super) fn add(a: &mut [f32], b: &[f32]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += b;
    }
}

/// `e^x` to about 1e-7, without branches, so that loops over it are vectorised; outside of ±87 as at the bound.
pub(crate) fn exp(x: f32) -> f32 {
    // Adding it leaves round(t) + 127 in the lowest bits of the mantissa, where the exponent of 2^round(t) is taken from.
    const ROUND: f32 = 12_582_912.0 + 127.0;
    let t = x.clamp(-87.0, 87.0) * std::f32::consts::LOG2_E;
    let rounded = t + ROUND;
    let r = (t - (rounded - ROUND)) * std::f32::consts::LN_2;
    // Taylor's series on ±ln(2)/2.
    let series = 1.0
        + r * (1.0
            + r * (0.5 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * (1.0 / 120.0 + r / 720.0)))));
    series * f32::from_bits(rounded.to_bits() << 23)
}
