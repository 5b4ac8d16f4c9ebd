//! What the logits of a text are, number by number in 64 bits, without a cache and without candle.

use candle_core::Device;
use candle_core::quantized::GgmlDType;
use candle_core::quantized::gguf_file::Value;
use grammask_models::Architecture;
use grammask_sampler::TokenId;
use std::collections::BTreeMap;

use crate::tiny::{TOKENS, Tiny};

type Row = Vec<f64>;

/// A model as numbers.
pub(crate) struct Oracle<'t> {
    tiny: &'t Tiny,
    weights: BTreeMap<String, Row>,
}

fn norm(row: &[f64], weight: &[f64]) -> Row {
    let mean = row.iter().map(|x| x * x).sum::<f64>() / row.len() as f64;
    row.iter().zip(weight).map(|(x, w)| x * w / (mean + 1e-5).sqrt()).collect()
}

fn add(a: &[f64], b: &[f64]) -> Row {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn product(matrix: &[f64], row: &[f64]) -> Row {
    let dot = |weights: &[f64]| weights.iter().zip(row).map(|(w, x)| w * x).sum();
    matrix.chunks_exact(row.len()).map(dot).collect()
}

fn softmax(scores: &[f64]) -> Row {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Row = scores.iter().map(|score| (score - most).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.iter().map(|power| power / sum).collect()
}

impl<'t> Oracle<'t> {
    pub(crate) fn new(tiny: &'t Tiny, kind: GgmlDType) -> Self {
        let numbers = |(name, tensor): (String, candle_core::quantized::QTensor)| {
            let numbers = tensor.dequantize(&Device::Cpu).and_then(|numbers| numbers.flatten_all());
            let numbers: Vec<f32> = numbers.and_then(|numbers| numbers.to_vec1()).expect("numbers");
            (name, numbers.into_iter().map(f64::from).collect())
        };
        Self { tiny, weights: tiny.quantised(kind).into_iter().map(numbers).collect() }
    }

    fn layer(&self, layer: usize, name: &str) -> Option<&Row> {
        self.weights.get(&format!("blk.{layer}.{name}"))
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.tiny.metadata.get(&self.tiny.key(name)).map(|value| match value {
            Value::F32(number) => f64::from(*number),
            other => f64::from(other.to_u32().expect("a number")),
        })
    }

    pub(crate) fn logits(&self, tokens: &[TokenId], context: usize) -> Vec<f32> {
        let tiny = self.tiny;
        let width = tiny.width;
        let embeddings = &self.weights["token_embd.weight"];
        let is_gemma = tiny.architecture == Architecture::Gemma3;
        let scale = if is_gemma { (width as f64).sqrt() } else { 1.0 };
        let embed = |token: &TokenId| {
            let row = &embeddings[token.index() * width..][..width];
            row.iter().map(|x| x * scale).collect::<Row>()
        };
        let mut rows: Vec<Row> = tokens.iter().map(embed).collect();
        for layer in 0..tiny.layers {
            let weight = |name: &str| self.layer(layer, name).expect(name);
            let normed: Vec<Row> =
                rows.iter().map(|row| norm(row, weight("attn_norm.weight"))).collect();
            let mixed = if tiny.is_convolution(layer) {
                self.convolve(layer, &normed)
            } else {
                self.attend(layer, &normed, context)
            };
            for (row, mut mixed) in rows.iter_mut().zip(mixed) {
                if let Some(post) = self.layer(layer, "post_attention_norm.weight") {
                    mixed = norm(&mixed, post);
                }
                *row = add(row, &mixed);
                let mut thought = self.think(layer, &norm(row, weight("ffn_norm.weight")));
                if let Some(post) = self.layer(layer, "post_ffw_norm.weight") {
                    thought = norm(&thought, post);
                }
                *row = add(row, &thought);
            }
        }
        let end = self.weights.get("output_norm.weight");
        let end = end.or(self.weights.get("token_embd_norm.weight")).expect("a norm");
        let last = norm(rows.last().expect("a token"), end);
        let logits = product(self.weights.get("output.weight").unwrap_or(embeddings), &last);
        assert_eq!(logits.len(), TOKENS);
        let cap = self.number("final_logit_softcapping");
        let bend = |x: f64| cap.map_or(x, |cap| (x / cap).tanh() * cap);
        logits.into_iter().map(|x| bend(x) as f32).collect()
    }

    /// Turns a head to its position.
    fn turn(&self, head: &mut [f64], position: usize, is_windowed: bool, context: usize) {
        let dimensions = self.tiny.rope_dimensions;
        let base = if is_windowed { 10_000.0 } else { f64::from(self.tiny.rope_base) };
        let long = self.number("rope.scaling.original_context_length");
        let factors = match long {
            Some(long) if context as f64 > long => self.weights.get("rope_factors_long.weight"),
            Some(_) => self.weights.get("rope_factors_short.weight"),
            None => self.weights.get("rope_freqs.weight"),
        };
        let magnitude = self.number("rope.scaling.attn_factor").unwrap_or(1.0);
        let linear = self.number("rope.scaling.factor").filter(|_| !is_windowed && long.is_none());
        for pair in 0..dimensions / 2 {
            let mut frequency = base.powf(-2.0 * pair as f64 / dimensions as f64);
            frequency /= linear.unwrap_or(1.0);
            if let Some(factors) = factors {
                frequency /= factors[pair];
            }
            let (sin, cos) = (position as f64 * frequency).sin_cos();
            let (a, b) = match self.tiny.architecture {
                Architecture::Llama | Architecture::Glm4 => (2 * pair, 2 * pair + 1),
                _ => (pair, pair + dimensions / 2),
            };
            let (x, y) = (head[a], head[b]);
            head[a] = magnitude * (x * cos - y * sin);
            head[b] = magnitude * (x * sin + y * cos);
        }
    }

    fn attend(&self, layer: usize, rows: &[Row], context: usize) -> Vec<Row> {
        let tiny = self.tiny;
        let head_width = tiny.head_width;
        let (q, kv) = (tiny.heads * head_width, tiny.kv_heads * head_width);
        let window = tiny.window.filter(|_| !(layer + 1).is_multiple_of(6));
        // Each head of a row, normalised and turned.
        let heads = |row: Row, name: &str, position: usize| -> Vec<Row> {
            let norms = self.layer(layer, &format!("attn_{name}_norm.weight"));
            let each = |head: &[f64]| {
                let mut head = norms.map_or(head.to_vec(), |norms| norm(head, norms));
                if name != "v" {
                    self.turn(&mut head, position, window.is_some(), context);
                }
                head
            };
            row.chunks_exact(head_width).map(each).collect()
        };
        let project = |row: &Row, name: &str, start: usize, len: usize| -> Row {
            let plain = if let Some(matrix) = self.layer(layer, &format!("attn_{name}.weight")) {
                product(matrix, row)
            } else {
                let joined = self.layer(layer, "attn_qkv.weight").expect("one for all");
                product(&joined[start * row.len()..][..len * row.len()], row)
            };
            match self.layer(layer, &format!("attn_{name}.bias")) {
                Some(bias) => add(&plain, bias),
                None => plain,
            }
        };
        let all = |name: &str, start: usize, len: usize| -> Vec<Vec<Row>> {
            let at = |(position, row)| heads(project(row, name, start, len), name, position);
            rows.iter().enumerate().map(at).collect()
        };
        let (queries, keys, values) = (all("q", 0, q), all("k", q, kv), all("v", q + kv, kv));
        let output = self.layer(layer, "attn_output.weight").expect("an output");
        let at = |position: usize| {
            let first = window.map_or(0, |window| (position + 1).saturating_sub(window));
            let mut mixed = Vec::new();
            for (head, query) in queries[position].iter().enumerate() {
                let group = head * tiny.kv_heads / tiny.heads;
                let dot = |key: &Row| query.iter().zip(key).map(|(q, k)| q * k).sum::<f64>();
                let score = |at: usize| dot(&keys[at][group]) / (head_width as f64).sqrt();
                let shares = softmax(&(first..=position).map(score).collect::<Row>());
                let mut sum = vec![0.0; head_width];
                for (at, share) in (first..=position).zip(shares) {
                    sum = add(&sum, &values[at][group].iter().map(|x| x * share).collect::<Row>());
                }
                mixed.extend(sum);
            }
            product(output, &mixed)
        };
        (0..rows.len()).map(at).collect()
    }

    fn convolve(&self, layer: usize, rows: &[Row]) -> Vec<Row> {
        let weight =
            |name: &str| self.layer(layer, &format!("shortconv.{name}.weight")).expect(name);
        let width = self.tiny.width;
        let inputs: Vec<Row> = rows.iter().map(|row| product(weight("in_proj"), row)).collect();
        let gated =
            |position: usize, at: usize| inputs[position][at] * inputs[position][2 * width + at];
        let at = |position: usize| {
            let number = |at: usize| {
                let kernel = &weight("conv")[at * 3..][..3];
                let seen = (0..3_usize).filter(|back| *back <= position);
                let sum: f64 = seen.map(|back| kernel[2 - back] * gated(position - back, at)).sum();
                inputs[position][width + at] * sum
            };
            product(weight("out_proj"), &(0..width).map(number).collect::<Row>())
        };
        (0..rows.len()).map(at).collect()
    }

    fn gate(&self, gate: &[f64], up: &[f64]) -> Row {
        let is_gemma = self.tiny.architecture == Architecture::Gemma3;
        let root = (2.0 / std::f64::consts::PI).sqrt();
        let bend = |x: f64| {
            if is_gemma {
                0.5 * x * (1.0 + (root * (x + 0.044_715 * x.powi(3))).tanh())
            } else {
                x / (1.0 + (-x).exp())
            }
        };
        gate.iter().zip(up).map(|(&gate, up)| bend(gate) * up).collect()
    }

    fn think(&self, layer: usize, row: &Row) -> Row {
        let weight = |name: &str| self.layer(layer, &format!("ffn_{name}.weight")).expect(name);
        let ff = self.tiny.feed_forward;
        if let Some((count, used)) = self.tiny.experts {
            let shares = softmax(&product(weight("gate_inp"), row));
            let mut order: Vec<usize> = (0..count).collect();
            order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]));
            let sum: f64 = order[..used].iter().map(|&expert| shares[expert]).sum();
            let mut output = vec![0.0; row.len()];
            for &expert in &order[..used] {
                let part = |name| &weight(name)[expert * ff * row.len()..][..ff * row.len()];
                let inner =
                    self.gate(&product(part("gate_exps"), row), &product(part("up_exps"), row));
                let answer = product(part("down_exps"), &inner);
                let share = shares[expert] / sum;
                output = add(&output, &answer.iter().map(|x| x * share).collect::<Row>());
            }
            return output;
        }
        let up = product(weight("up"), row);
        let inner = match self.layer(layer, "ffn_gate.weight") {
            Some(gate) => self.gate(&product(gate, row), &up),
            None => self.gate(&up[..ff], &up[ff..]),
        };
        product(weight("down"), &inner)
    }
}
