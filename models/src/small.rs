//! What is small is computed where it is: to hand it to other threads takes longer than to do it, and
//! as long as it takes until one of them is free if the machine has other things to do.

use candle_core::{CpuStorage, CustomOp1, CustomOp3, Layout, Result, Shape, Tensor, bail};
use candle_nn::{ops, rotary_emb};

/// Up to so many numbers are not worth other threads.
const FEW: usize = 1 << 16;

/// Up to so many products are not worth other threads.
const PRODUCTS: usize = 1 << 22;

fn is_small(numbers: &Tensor) -> bool {
    numbers.device().is_cpu() && numbers.elem_count() <= FEW
}

/// Makes rows add up to 1: the same numbers as [`ops::softmax_last_dim`].
pub(crate) fn softmax(rows: &Tensor) -> Result<Tensor> {
    if is_small(rows) { rows.apply_op1_no_bwd(&Softmax) } else { ops::softmax_last_dim(rows) }
}

struct Softmax;

impl CustomOp1 for Softmax {
    fn name(&self) -> &'static str {
        "softmax"
    }

    fn cpu_fwd(&self, rows: &CpuStorage, shape: &Layout) -> Result<(CpuStorage, Shape)> {
        let mut shares = slice(rows, shape)?.to_vec();
        let width = shape.dims().last().copied().unwrap_or(1);
        shares.chunks_exact_mut(width).for_each(to_shares);
        Ok((CpuStorage::F32(shares), shape.shape().clone()))
    }
}

/// Powers of e that add up to 1.
fn to_shares(scores: &mut [f32]) {
    let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for score in &mut *scores {
        *score = (*score - largest).exp();
        sum += *score;
    }
    for score in scores {
        *score /= sum;
    }
}

/// Attention of one position: `(groups, heads, width)` queries look at all of `(groups, positions,
/// width)` keys, and mix as many values. Products of tensors ask for the number of processors each
/// time, which takes longer than a small product.
pub(crate) fn attend(queries: &Tensor, keys: &Tensor, values: &Tensor) -> Result<Tensor> {
    let products = queries.elem_count().saturating_mul(keys.dim(1)?);
    if queries.device().is_cpu() && products <= PRODUCTS {
        return queries.apply_op3_no_bwd(keys, values, &Attend);
    }
    softmax(&queries.matmul(&keys.t()?)?)?.matmul(values)
}

struct Attend;

impl CustomOp3 for Attend {
    fn name(&self) -> &'static str {
        "attend"
    }

    fn cpu_fwd(
        &self,
        queries: &CpuStorage,
        shape: &Layout,
        keys: &CpuStorage,
        keys_shape: &Layout,
        values: &CpuStorage,
        values_shape: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let queries = slice(queries, shape)?;
        let (groups, heads, width) = shape.shape().dims3()?;
        let mut mixed = vec![0.0; queries.len()];
        let heads = queries.chunks_exact(heads * width).zip(mixed.chunks_exact_mut(heads * width));
        for (group, (queries, mixed)) in (0..groups).zip(heads) {
            let keys = rows(keys, keys_shape, group, width)?;
            let values = rows(values, values_shape, group, width)?;
            for (query, mixed) in queries.chunks_exact(width).zip(mixed.chunks_exact_mut(width)) {
                let keys = keys.chunks_exact(width);
                let mut shares: Vec<f32> = keys.map(|key| dot(query, key)).collect();
                to_shares(&mut shares);
                for (share, value) in shares.iter().zip(values.chunks_exact(width)) {
                    for (mixed, value) in mixed.iter_mut().zip(value) {
                        *mixed += share * value;
                    }
                }
            }
        }
        Ok((CpuStorage::F32(mixed), shape.shape().clone()))
    }
}

/// The sum of products, of which several are summed up at a time.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

/// The rows of a group of `(groups, positions, width)` numbers, of which groups may lie apart.
fn rows<'s>(
    storage: &'s CpuStorage,
    layout: &Layout,
    group: usize,
    width: usize,
) -> Result<&'s [f32]> {
    let (groups, positions, its_width) = layout.shape().dims3()?;
    match *layout.stride() {
        [apart, row, 1] if row == width && its_width == width && group < groups => {
            let start = layout.start_offset() + group * apart;
            Ok(&storage.as_slice::<f32>()?[start..start + positions * width])
        }
        _ => bail!("rows of {width} numbers have to be contiguous"),
    }
}

/// Rotates `(1, heads, positions, width)` by angles of `(positions, width / 2)`: the same numbers as
/// [`rotary_emb::rope_i`] or [`rotary_emb::rope`].
pub(crate) fn rotate(
    heads: &Tensor,
    cos: &Tensor,
    sin: &Tensor,
    interleaved: bool,
) -> Result<Tensor> {
    match (is_small(heads), interleaved) {
        (true, _) => heads.apply_op3_no_bwd(cos, sin, &Rotate { interleaved }),
        (false, true) => rotary_emb::rope_i(heads, cos, sin),
        (false, false) => rotary_emb::rope(heads, cos, sin),
    }
}

struct Rotate {
    interleaved: bool,
}

impl CustomOp3 for Rotate {
    fn name(&self) -> &'static str {
        "rotate"
    }

    fn cpu_fwd(
        &self,
        heads: &CpuStorage,
        shape: &Layout,
        cos: &CpuStorage,
        cos_shape: &Layout,
        sin: &CpuStorage,
        sin_shape: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let (heads, cos, sin) =
            (slice(heads, shape)?, slice(cos, cos_shape)?, slice(sin, sin_shape)?);
        let (_, _, positions, width) = shape.shape().dims4()?;
        let pairs = width / 2;
        let mut turned = vec![0.0; heads.len()];
        let rows = heads.chunks_exact(width).zip(turned.chunks_exact_mut(width));
        for (at, (row, turned)) in rows.enumerate() {
            let angles = at % positions * pairs;
            for pair in 0..pairs {
                let (a, b) =
                    if self.interleaved { (2 * pair, 2 * pair + 1) } else { (pair, pair + pairs) };
                let (cos, sin) = (cos[angles + pair], sin[angles + pair]);
                turned[a] = row[a] * cos - row[b] * sin;
                turned[b] = row[a] * sin + row[b] * cos;
            }
        }
        Ok((CpuStorage::F32(turned), shape.shape().clone()))
    }
}

/// The numbers of a tensor, if they lie next to each other.
pub(crate) fn slice<'s>(storage: &'s CpuStorage, layout: &Layout) -> Result<&'s [f32]> {
    match layout.contiguous_offsets() {
        Some((start, end)) => Ok(&storage.as_slice::<f32>()?[start..end]),
        None => bail!("the numbers have to be contiguous"),
    }
}
