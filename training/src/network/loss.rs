//! Cross-entropy over the vocabulary, some rows at a time, so that the logits of a batch never lie in memory at once.

use super::math::{exp, matmul_nn, matmul_nt, matmul_tn, max, sum};

/// Rows of logits at a time.
const ROWS: usize = 256;

/// Turns the logits of a row into probabilities; returns the loss of the target.
fn softmax(row: &mut [f32], target: u32) -> f32 {
    let highest = max(row);
    let at_target = row[target as usize] - highest;
    for logit in row.iter_mut() {
        *logit = exp(*logit - highest);
    }
    let total = sum(row);
    let factor = total.recip();
    for value in row.iter_mut() {
        *value *= factor;
    }
    total.ln() - at_target
}

/// The loss of each row, in nats.
pub(super) fn losses(normed: &[f32], embedding: &[f32], targets: &[u32], width: usize) -> Vec<f32> {
    let vocabulary = embedding.len() / width;
    let mut logits = vec![0.0; ROWS * vocabulary];
    let mut losses = Vec::with_capacity(targets.len());
    for (normed, targets) in normed.chunks(ROWS * width).zip(targets.chunks(ROWS)) {
        let logits = &mut logits[..targets.len() * vocabulary];
        matmul_nt(normed, embedding, logits, width, 0.0);
        losses.extend(
            logits
                .chunks_exact_mut(vocabulary)
                .zip(targets)
                .map(|(row, &target)| softmax(row, target)),
        );
    }
    losses
}

/// The summed loss, and `scale` times its gradient by the rows; that by the embedding is added.
pub(super) fn backward(
    normed: &[f32],
    embedding: &[f32],
    targets: &[u32],
    width: usize,
    scale: f32,
    d_embedding: &mut [f32],
) -> (f64, Vec<f32>) {
    let vocabulary = embedding.len() / width;
    let mut logits = vec![0.0; ROWS * vocabulary];
    let mut d_normed = vec![0.0; normed.len()];
    let mut total = 0.0;
    let chunks = normed.chunks(ROWS * width).zip(d_normed.chunks_mut(ROWS * width));
    for ((normed, d_normed), targets) in chunks.zip(targets.chunks(ROWS)) {
        let logits = &mut logits[..targets.len() * vocabulary];
        matmul_nt(normed, embedding, logits, width, 0.0);
        for (row, &target) in logits.chunks_exact_mut(vocabulary).zip(targets) {
            total += f64::from(softmax(row, target));
            row[target as usize] -= 1.0;
            for value in row.iter_mut() {
                *value *= scale;
            }
        }
        matmul_nn(logits, embedding, d_normed, vocabulary);
        matmul_tn(logits, normed, d_embedding, targets.len());
    }
    (total, d_normed)
}
