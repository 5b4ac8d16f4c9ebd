//! Attention: each position looks at those before it.

use std::io::{Read, Seek};

use candle_core::{Device, Result, Tensor};

use crate::LoadError;
use crate::architecture::Biases;
use crate::cache::Buffer;
use crate::config::Config;
use crate::matrix::Matrix;
use crate::norm::Norm;
use crate::projections::Projections;
use crate::rope::{Rope, Rotations};
use crate::small;
use crate::weights::Weights;

/// Attention with groups of heads of queries that share one of keys and values (Ainslie et al.,
/// "GQA", 2023).
#[derive(Clone, Debug)]
pub(crate) struct Attention {
    projections: Projections,
    output: Matrix,
    output_bias: Option<Tensor>,
    /// Of queries and of keys, head by head.
    head_norms: Option<(Norm, Norm)>,
    heads: usize,
    kv_heads: usize,
    head_width: usize,
    scale: f64,
    window: Option<usize>,
}

impl Attention {
    pub(crate) fn read<F: Read + Seek>(
        config: &Config,
        kv_heads: usize,
        window: Option<usize>,
        layer: &str,
        weights: &mut Weights<'_, F>,
    ) -> std::result::Result<Self, LoadError> {
        let traits = config.architecture.traits();
        let (heads, head_width) = (config.heads, config.head_width);
        let widths = [heads, kv_heads, kv_heads].map(|heads| heads * head_width);
        let names = ["q", "k", "v"].map(|name| format!("{layer}.attn_{name}.weight"));
        let joined = format!("{layer}.attn_qkv.weight");
        let projections = if traits.joined_attention && weights.has(&joined) {
            Projections::read_joined(weights, &joined, &widths, config.width)?
        } else {
            let parts = [0, 1, 2].map(|part| (names[part].as_str(), widths[part]));
            Projections::read(weights, &parts, config.width)?
        };
        let mut bias = |name: &str, width: usize| {
            let name = format!("{layer}.attn_{name}.bias");
            let is_read = match traits.biases {
                Biases::Never => false,
                Biases::IfThere => weights.has(&name),
                Biases::Always => true,
            };
            is_read.then(|| weights.vector(&name, width)).transpose()
        };
        let mut biases = Vec::new();
        for (name, width) in ["q", "k", "v"].into_iter().zip(widths) {
            biases.push(bias(name, width)?);
        }
        // Qwen 2 has none behind attention.
        let output_bias =
            if traits.biases == Biases::IfThere { bias("output", config.width)? } else { None };
        let mut norm = |name: &str| {
            Norm::read(weights, &format!("{layer}.{name}.weight"), head_width, config.epsilon)
        };
        let head_norms = if traits.head_norms {
            Some((norm("attn_q_norm")?, norm("attn_k_norm")?))
        } else {
            None
        };
        let output = format!("{layer}.attn_output.weight");
        Ok(Self {
            projections: projections.with_biases(biases),
            output: weights.matrix(&output, config.width, heads * head_width)?,
            output_bias,
            head_norms,
            heads,
            kv_heads,
            head_width,
            scale: config.attention_scale,
            window,
        })
    }

    /// What the positions of a step make of what is before them; `rows` is one for each.
    pub(crate) fn forward(
        &self,
        rows: &Tensor,
        step: &mut Step<'_>,
        keys: &mut Buffer,
        values: &mut Buffer,
    ) -> Result<Tensor> {
        let Step { start, rope, rotations, masks } = step;
        let start = *start;
        let count = rows.dim(0)?;
        let projected = self.projections.forward(rows)?;
        let (q_norm, k_norm) = match &self.head_norms {
            Some((queries, keys)) => (Some(queries), Some(keys)),
            None => (None, None),
        };
        let queries = self.by_heads(&projected[0], self.heads, q_norm)?;
        let new_keys = self.by_heads(&projected[1], self.kv_heads, k_norm)?;
        let new_values = self.by_heads(&projected[2], self.kv_heads, None)?;
        let rotation = rotations.of(self.window);
        let queries = (rope.apply(&queries, rotation)? * self.scale)?;
        keys.write(start, &rope.apply(&new_keys, rotation)?)?;
        values.write(start, &new_values)?;

        // The first position that any of these sees, and the number of those up to the last.
        let first = self.window.map_or(0, |window| (start + 1).saturating_sub(window));
        let seen = start + count - first;
        let group = self.heads / self.kv_heads;
        let queries = queries.reshape((self.kv_heads, group * count, self.head_width))?;
        let (keys, values) = (keys.read(first, seen)?, values.read(first, seen)?);
        let mixed = if count == 1 {
            small::attend(&queries, &keys, &values)?
        } else {
            let mask = masks.get(start, count, first, self.window, rows.device())?;
            let shape = (self.kv_heads, group, count, seen);
            let scores = queries.matmul(&keys.t()?)?.reshape(shape)?.broadcast_add(mask)?;
            let scores = scores.reshape((self.kv_heads, group * count, seen))?;
            small::softmax(&scores)?.matmul(&values)?
        };
        let mixed = mixed.reshape((self.heads, count, self.head_width))?.transpose(0, 1)?;
        let mixed = mixed.contiguous()?.reshape((count, self.heads * self.head_width))?;
        let output = self.output.forward(&mixed)?;
        match &self.output_bias {
            Some(bias) => output.broadcast_add(bias),
            None => Ok(output),
        }
    }

    /// From rows to `(heads, positions, head width)`.
    fn by_heads(&self, rows: &Tensor, heads: usize, norm: Option<&Norm>) -> Result<Tensor> {
        let count = rows.dim(0)?;
        let rows = match norm {
            Some(norm) => norm.forward(&rows.reshape((count * heads, self.head_width))?)?,
            None => rows.clone(),
        };
        rows.reshape((count, heads, self.head_width))?.transpose(0, 1)?.contiguous()
    }
}

/// Positions that are evaluated at once, for all layers.
#[derive(Debug)]
pub(crate) struct Step<'a> {
    /// The first of them.
    pub(crate) start: usize,
    pub(crate) rope: &'a Rope,
    pub(crate) rotations: Rotations,
    pub(crate) masks: Masks,
}

/// What each of several positions must not see: those behind it, and those before its window. Made
/// once for all layers that have the same.
#[derive(Debug, Default)]
pub(crate) struct Masks {
    made: Vec<(Option<usize>, Tensor)>,
}

impl Masks {
    /// `(count, positions seen)` numbers to be added to scores, for positions from `start` on that see
    /// those from `first` on.
    fn get(
        &mut self,
        start: usize,
        count: usize,
        first: usize,
        window: Option<usize>,
        device: &Device,
    ) -> Result<&Tensor> {
        let place = self.made.iter().position(|(made, _)| *made == window);
        let place = place.unwrap_or(self.made.len());
        if place == self.made.len() {
            let seen = start + count - first;
            let mut numbers = vec![f32::NEG_INFINITY; count * seen];
            for (at, row) in numbers.chunks_exact_mut(seen).enumerate() {
                let position = start + at;
                let oldest = window.map_or(0, |window| (position + 1).saturating_sub(window));
                row[oldest.max(first) - first..=position - first].fill(0.0);
            }
            self.made.push((window, Tensor::from_vec(numbers, (count, seen), device)?));
        }
        Ok(&self.made[place].1)
    }
}
