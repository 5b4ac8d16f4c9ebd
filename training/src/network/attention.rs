//! Causal attention within documents, and the rotary positions of queries and keys.

use std::ops::Range;

use ndarray::linalg::general_mat_mul;
use ndarray::{ArrayView2, ArrayViewMut2, Axis, Slice};

use super::math::{dot, exp, max, sum};
use super::shape::Shape;

/// Cosine and sine of each position and pair of neighbours (Su et al., `RoFormer`, 2021).
pub(crate) struct Rotary {
    turns: Vec<(f32, f32)>,
    pairs: usize,
}

impl Rotary {
    pub(super) fn new(shape: &Shape) -> Self {
        let head = shape.head();
        let turns = (0..shape.context)
            .flat_map(|position| {
                (0..head / 2).map(move |pair| {
                    let angle =
                        position as f32 * shape.rope_base.powf(-2.0 * pair as f32 / head as f32);
                    (angle.cos(), angle.sin())
                })
            })
            .collect();
        Self { turns, pairs: head / 2 }
    }

    /// Turns queries and keys by their positions in their documents; backwards with `sign` -1.
    pub(super) fn turn(&self, qkv: &mut [f32], lengths: &[usize], shape: &Shape, sign: f32) {
        let turned = shape.width + shape.kv_width();
        let positions = lengths.iter().flat_map(|&length| 0..length);
        for (row, position) in qkv.chunks_exact_mut(shape.qkv_width()).zip(positions) {
            let turns = &self.turns[position * self.pairs..(position + 1) * self.pairs];
            for head in row[..turned].chunks_exact_mut(shape.head()) {
                for (pair, &(cos, sin)) in head.chunks_exact_mut(2).zip(turns) {
                    let sin = sin * sign;
                    (pair[0], pair[1]) =
                        (pair[0] * cos - pair[1] * sin, pair[0] * sin + pair[1] * cos);
                }
            }
        }
    }
}

/// Where in a row the queries, keys and values of a head are.
struct Columns {
    query: Range<usize>,
    key: Range<usize>,
    value: Range<usize>,
}

fn columns(shape: &Shape, head: usize) -> Columns {
    let size = shape.head();
    let group = head / (shape.heads / shape.kv_heads);
    let at = |start: usize, index: usize| start + index * size..start + (index + 1) * size;
    Columns {
        query: at(0, head),
        key: at(shape.width, group),
        value: at(shape.width + shape.kv_width(), group),
    }
}

/// Some rows and columns of a matrix.
fn cut<'a>(
    matrix: &ArrayView2<'a, f32>,
    rows: Range<usize>,
    columns: Range<usize>,
) -> ArrayView2<'a, f32> {
    let mut part = *matrix;
    part.slice_axis_inplace(Axis(0), Slice::from(rows));
    part.slice_axis_inplace(Axis(1), Slice::from(columns));
    part
}

fn cut_mut<'a>(
    matrix: &'a mut ArrayViewMut2<f32>,
    rows: Range<usize>,
    columns: Range<usize>,
) -> ArrayViewMut2<'a, f32> {
    let mut part = matrix.view_mut();
    part.slice_axis_inplace(Axis(0), Slice::from(rows));
    part.slice_axis_inplace(Axis(1), Slice::from(columns));
    part
}

/// What each position attends to, and the weights: for each document and head a square matrix.
pub(super) fn forward(qkv: &[f32], lengths: &[usize], shape: &Shape) -> (Vec<f32>, Vec<f32>) {
    let count = qkv.len() / shape.qkv_width();
    let rows = ArrayView2::from_shape((count, shape.qkv_width()), qkv).expect("whole rows");
    let mut attended = vec![0.0; count * shape.width];
    let mut out =
        ArrayViewMut2::from_shape((count, shape.width), &mut attended).expect("whole rows");
    let mut weights = vec![0.0; lengths.iter().map(|length| length * length * shape.heads).sum()];
    let scale = (shape.head() as f32).sqrt().recip();
    let (mut start, mut square) = (0, 0);
    for &length in lengths {
        let here = start..start + length;
        for head in 0..shape.heads {
            let columns = columns(shape, head);
            let scores = &mut weights[square..square + length * length];
            square += length * length;
            let mut view =
                ArrayViewMut2::from_shape((length, length), &mut *scores).expect("a square");
            let (query, key) = (
                cut(&rows, here.clone(), columns.query.clone()),
                cut(&rows, here.clone(), columns.key),
            );
            general_mat_mul(scale, &query, &key.reversed_axes(), 0.0, &mut view);
            for (position, row) in scores.chunks_exact_mut(length).enumerate() {
                let (past, future) = row.split_at_mut(position + 1);
                let highest = max(past);
                for score in past.iter_mut() {
                    *score = exp(*score - highest);
                }
                let total = sum(past).recip();
                for score in past.iter_mut() {
                    *score *= total;
                }
                future.fill(0.0);
            }
            let view = ArrayView2::from_shape((length, length), &*scores).expect("a square");
            let mut target = cut_mut(&mut out, here.clone(), columns.query);
            general_mat_mul(1.0, &view, &cut(&rows, here.clone(), columns.value), 0.0, &mut target);
        }
        start += length;
    }
    (attended, weights)
}

/// The gradients of queries, keys and values; `d_qkv` is overwritten.
pub(super) fn backward(
    qkv: &[f32],
    weights: &[f32],
    d_attended: &[f32],
    lengths: &[usize],
    shape: &Shape,
    d_qkv: &mut [f32],
) {
    let width = shape.qkv_width();
    let count = qkv.len() / width;
    let rows = ArrayView2::from_shape((count, width), qkv).expect("whole rows");
    let d_out = ArrayView2::from_shape((count, shape.width), d_attended).expect("whole rows");
    d_qkv.fill(0.0);
    let mut d_rows = ArrayViewMut2::from_shape((count, width), d_qkv).expect("whole rows");
    let scale = (shape.head() as f32).sqrt().recip();
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let mut d_scores = vec![0.0; longest * longest];
    let (mut start, mut square) = (0, 0);
    for &length in lengths {
        let here = start..start + length;
        for head in 0..shape.heads {
            let columns = columns(shape, head);
            let kept = &weights[square..square + length * length];
            square += length * length;
            let kept_view = ArrayView2::from_shape((length, length), kept).expect("a square");
            let d_out = cut(&d_out, here.clone(), columns.query.clone());
            let value = cut(&rows, here.clone(), columns.value.clone());
            // Heads of a group add up in the keys and values that they share.
            let mut d_value = cut_mut(&mut d_rows, here.clone(), columns.value.clone());
            general_mat_mul(1.0, &kept_view.reversed_axes(), &d_out, 1.0, &mut d_value);

            let d_scores = &mut d_scores[..length * length];
            let mut view =
                ArrayViewMut2::from_shape((length, length), &mut *d_scores).expect("a square");
            general_mat_mul(1.0, &d_out, &value.reversed_axes(), 0.0, &mut view);
            for (d_row, weights) in d_scores.chunks_exact_mut(length).zip(kept.chunks_exact(length))
            {
                let common = dot(d_row, weights);
                for (d, weight) in d_row.iter_mut().zip(weights) {
                    *d = weight * (*d - common);
                }
            }
            let view = ArrayView2::from_shape((length, length), &*d_scores).expect("a square");
            let (query, key) = (
                cut(&rows, here.clone(), columns.query.clone()),
                cut(&rows, here.clone(), columns.key.clone()),
            );
            let mut d_query = cut_mut(&mut d_rows, here.clone(), columns.query.clone());
            general_mat_mul(scale, &view, &key, 0.0, &mut d_query);
            let mut d_key = cut_mut(&mut d_rows, here.clone(), columns.key.clone());
            general_mat_mul(scale, &view.reversed_axes(), &query, 1.0, &mut d_key);
        }
        start += length;
    }
}
