//! The transformer that is trained: a decoder of the Llama family, forward and backward, in `f32`.
//!
//! The backward pass is written by hand. An autograd tape keeps and copies every small step of a model of this size,
//! and the copies cost more than the products of matrices.
//!
//! Names and order of the tensors are those that llama.cpp gives to the architecture `llama` in a GGUF file, and
//! rotary positions turn neighbours (0, 1), (2, 3), ... as there, so that the weights are stored as they are.

mod attention;
mod loss;
mod math;
mod shape;

pub(crate) use attention::Rotary;
pub(crate) use math::{exp, max, sum};
pub(crate) use shape::{Layout, Shape, Tensor};

use math::{add, dot, matmul_nn, matmul_nt, matmul_tn};

/// Documents one after the other, of which none sees another.
#[derive(Debug, Default, Clone)]
pub(crate) struct Batch {
    /// The tokens that are read.
    pub(crate) inputs: Vec<u32>,
    /// The token that follows each of them.
    pub(crate) targets: Vec<u32>,
    /// The length of each document, in tokens read.
    pub(crate) lengths: Vec<usize>,
}

impl Batch {
    /// Adds a document: its tokens, with what opens and what ends it.
    pub(crate) fn push(&mut self, document: &[u32]) {
        let last = document.len() - 1;
        self.inputs.extend_from_slice(&document[..last]);
        self.targets.extend_from_slice(&document[1..]);
        self.lengths.push(last);
    }
}

/// What the forward pass of one block leaves for the backward pass.
struct Block {
    /// The residual stream before attention, and the inverse root of its mean square at each position.
    before_attention: Vec<f32>,
    attention_scale: Vec<f32>,
    attention_normed: Vec<f32>,
    /// Queries, keys and values beside each other, the first two turned by their positions.
    qkv: Vec<f32>,
    /// The weights of attention, document by document and head by head.
    weights: Vec<f32>,
    attended: Vec<f32>,
    before_feed_forward: Vec<f32>,
    feed_forward_scale: Vec<f32>,
    feed_forward_normed: Vec<f32>,
    /// Gate and value beside each other.
    gated: Vec<f32>,
    activated: Vec<f32>,
}

/// A network with a shape; its parameters are the caller's.
pub(crate) struct Network {
    pub(crate) shape: Shape,
    pub(crate) layout: Layout,
    rotary: Rotary,
}

impl Network {
    pub(crate) fn new(shape: Shape) -> Self {
        Self { shape, layout: Layout::new(&shape), rotary: Rotary::new(&shape) }
    }

    /// The residual stream behind the last block, normed: one row of `width` for each token.
    fn run(
        &self,
        parameters: &[f32],
        batch: &Batch,
        mut keep: Option<&mut Vec<Block>>,
    ) -> Vec<f32> {
        let Shape { width, hidden, .. } = self.shape;
        let (count, qkv_width) = (batch.inputs.len(), self.shape.qkv_width());
        let embedding = &parameters[self.layout.embedding.clone()];
        let mut stream = Vec::with_capacity(count * width);
        for &token in &batch.inputs {
            let row = token as usize * width;
            stream.extend_from_slice(&embedding[row..row + width]);
        }
        for block in &self.layout.blocks {
            let (attention_normed, attention_scale) =
                rms_norm(&stream, &parameters[block.attention_norm.clone()], self.shape.epsilon);
            let mut qkv = vec![0.0; count * qkv_width];
            matmul_nt(&attention_normed, &parameters[block.qkv.clone()], &mut qkv, width, 0.0);
            self.rotary.turn(&mut qkv, &batch.lengths, &self.shape, 1.0);
            let (attended, weights) = attention::forward(&qkv, &batch.lengths, &self.shape);
            let mut after = stream.clone();
            matmul_nt(
                &attended,
                &parameters[block.attention_output.clone()],
                &mut after,
                width,
                1.0,
            );
            let before_attention = std::mem::replace(&mut stream, after);

            let (feed_forward_normed, feed_forward_scale) =
                rms_norm(&stream, &parameters[block.feed_forward_norm.clone()], self.shape.epsilon);
            let mut gated = vec![0.0; count * 2 * hidden];
            matmul_nt(
                &feed_forward_normed,
                &parameters[block.gate_up.clone()],
                &mut gated,
                width,
                0.0,
            );
            let activated = swiglu(&gated, hidden);
            let mut after = stream.clone();
            matmul_nt(&activated, &parameters[block.down.clone()], &mut after, hidden, 1.0);
            let before_feed_forward = std::mem::replace(&mut stream, after);
            if let Some(blocks) = keep.as_mut() {
                blocks.push(Block {
                    before_attention,
                    attention_scale,
                    attention_normed,
                    qkv,
                    weights,
                    attended,
                    before_feed_forward,
                    feed_forward_scale,
                    feed_forward_normed,
                    gated,
                    activated,
                });
            }
        }
        stream
    }

    /// The logits of the token that follows each of `tokens`: `tokens.len()` rows of `vocabulary`.
    pub(crate) fn logits(&self, parameters: &[f32], tokens: &[u32]) -> Vec<f32> {
        let batch =
            Batch { inputs: tokens.to_vec(), targets: Vec::new(), lengths: vec![tokens.len()] };
        let stream = self.run(parameters, &batch, None);
        let (normed, _) =
            rms_norm(&stream, &parameters[self.layout.output_norm.clone()], self.shape.epsilon);
        let mut logits = vec![0.0; tokens.len() * self.shape.vocabulary];
        matmul_nt(
            &normed,
            &parameters[self.layout.embedding.clone()],
            &mut logits,
            self.shape.width,
            0.0,
        );
        logits
    }

    /// The loss of each token of the batch, in nats.
    pub(crate) fn losses(&self, parameters: &[f32], batch: &Batch) -> Vec<f32> {
        let stream = self.run(parameters, batch, None);
        let (normed, _) =
            rms_norm(&stream, &parameters[self.layout.output_norm.clone()], self.shape.epsilon);
        loss::losses(
            &normed,
            &parameters[self.layout.embedding.clone()],
            &batch.targets,
            self.shape.width,
        )
    }

    /// Adds the gradient of the summed loss, times `scale`, to `gradient`; returns the summed loss.
    pub(crate) fn backward(
        &self,
        parameters: &[f32],
        batch: &Batch,
        scale: f32,
        gradient: &mut [f32],
    ) -> f64 {
        let Shape { width, hidden, .. } = self.shape;
        let (count, qkv_width) = (batch.inputs.len(), self.shape.qkv_width());
        let layout = &self.layout;
        let mut blocks = Vec::with_capacity(self.shape.layers);
        let stream = self.run(parameters, batch, Some(&mut blocks));
        let (normed, norm_scale) =
            rms_norm(&stream, &parameters[layout.output_norm.clone()], self.shape.epsilon);
        let (total, d_normed) = loss::backward(
            &normed,
            &parameters[layout.embedding.clone()],
            &batch.targets,
            width,
            scale,
            &mut gradient[layout.embedding.clone()],
        );
        let mut d_stream = vec![0.0; count * width];
        rms_norm_backward(
            &stream,
            &norm_scale,
            &parameters[layout.output_norm.clone()],
            &d_normed,
            &mut d_stream,
            &mut gradient[layout.output_norm.clone()],
        );
        let mut d_normed = d_normed;
        let mut d_gated = vec![0.0; count * 2 * hidden];
        let mut d_activated = vec![0.0; count * hidden];
        let mut d_attended = vec![0.0; count * width];
        let mut d_qkv = vec![0.0; count * qkv_width];
        for (block, kept) in layout.blocks.iter().zip(&blocks).rev() {
            matmul_tn(&d_stream, &kept.activated, &mut gradient[block.down.clone()], count);
            matmul_nn(&d_stream, &parameters[block.down.clone()], &mut d_activated, width);
            swiglu_backward(&kept.gated, &d_activated, hidden, &mut d_gated);
            matmul_tn(
                &d_gated,
                &kept.feed_forward_normed,
                &mut gradient[block.gate_up.clone()],
                count,
            );
            matmul_nn(&d_gated, &parameters[block.gate_up.clone()], &mut d_normed, 2 * hidden);
            rms_norm_backward(
                &kept.before_feed_forward,
                &kept.feed_forward_scale,
                &parameters[block.feed_forward_norm.clone()],
                &d_normed,
                &mut d_stream,
                &mut gradient[block.feed_forward_norm.clone()],
            );

            matmul_tn(
                &d_stream,
                &kept.attended,
                &mut gradient[block.attention_output.clone()],
                count,
            );
            matmul_nn(
                &d_stream,
                &parameters[block.attention_output.clone()],
                &mut d_attended,
                width,
            );
            attention::backward(
                &kept.qkv,
                &kept.weights,
                &d_attended,
                &batch.lengths,
                &self.shape,
                &mut d_qkv,
            );
            self.rotary.turn(&mut d_qkv, &batch.lengths, &self.shape, -1.0);
            matmul_tn(&d_qkv, &kept.attention_normed, &mut gradient[block.qkv.clone()], count);
            matmul_nn(&d_qkv, &parameters[block.qkv.clone()], &mut d_normed, qkv_width);
            rms_norm_backward(
                &kept.before_attention,
                &kept.attention_scale,
                &parameters[block.attention_norm.clone()],
                &d_normed,
                &mut d_stream,
                &mut gradient[block.attention_norm.clone()],
            );
        }
        let embedding = &mut gradient[layout.embedding.clone()];
        for (&token, row) in batch.inputs.iter().zip(d_stream.chunks_exact(width)) {
            let start = token as usize * width;
            add(&mut embedding[start..start + width], row);
        }
        total
    }
}

/// Each row divided by the root of its mean square and weighted; also the factor of each row.
fn rms_norm(rows: &[f32], weight: &[f32], epsilon: f32) -> (Vec<f32>, Vec<f32>) {
    let width = weight.len();
    let mut normed = vec![0.0; rows.len()];
    let mut scales = Vec::with_capacity(rows.len() / width);
    for (row, out) in rows.chunks_exact(width).zip(normed.chunks_exact_mut(width)) {
        let scale = (dot(row, row) / width as f32 + epsilon).sqrt().recip();
        for ((out, x), weight) in out.iter_mut().zip(row).zip(weight) {
            *out = x * scale * weight;
        }
        scales.push(scale);
    }
    (normed, scales)
}

/// Adds to the gradients of the rows and of the weight.
fn rms_norm_backward(
    rows: &[f32],
    scales: &[f32],
    weight: &[f32],
    d_normed: &[f32],
    d_rows: &mut [f32],
    d_weight: &mut [f32],
) {
    let width = weight.len();
    let mut weighted = vec![0.0; width];
    let chunks = rows
        .chunks_exact(width)
        .zip(d_normed.chunks_exact(width))
        .zip(d_rows.chunks_exact_mut(width));
    for (((row, d_out), d_row), scale) in chunks.zip(scales) {
        for i in 0..width {
            weighted[i] = d_out[i] * weight[i];
            d_weight[i] += d_out[i] * row[i] * scale;
        }
        let common = dot(&weighted, row) * scale * scale * scale / width as f32;
        for i in 0..width {
            d_row[i] += weighted[i] * scale - row[i] * common;
        }
    }
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// `silu(gate) * up` of each row of gates and ups.
fn swiglu(gated: &[f32], hidden: usize) -> Vec<f32> {
    let mut activated = vec![0.0; gated.len() / 2];
    for (row, out) in gated.chunks_exact(2 * hidden).zip(activated.chunks_exact_mut(hidden)) {
        let (gate, up) = row.split_at(hidden);
        for ((out, &gate), up) in out.iter_mut().zip(gate).zip(up) {
            *out = gate * sigmoid(gate) * up;
        }
    }
    activated
}

fn swiglu_backward(gated: &[f32], d_activated: &[f32], hidden: usize, d_gated: &mut [f32]) {
    let rows = gated.chunks_exact(2 * hidden).zip(d_activated.chunks_exact(hidden));
    for ((row, d_out), d_row) in rows.zip(d_gated.chunks_exact_mut(2 * hidden)) {
        let (gate, up) = row.split_at(hidden);
        let (d_gate, d_up) = d_row.split_at_mut(hidden);
        for i in 0..hidden {
            let s = sigmoid(gate[i]);
            d_gate[i] = d_out[i] * up[i] * s * (1.0 + gate[i] * (1.0 - s));
            d_up[i] = d_out[i] * gate[i] * s;
        }
    }
}

#[cfg(test)]
mod tests;
