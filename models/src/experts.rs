//! Feed-forward by experts, of which each position chooses some.

use std::io::{Read, Seek};

use candle_core::{Result, Tensor};

use crate::LoadError;
use crate::config::Config;
use crate::feed_forward::Gated;
use crate::matrix::Matrix;
use crate::projections::Projections;
use crate::small;
use crate::weights::Weights;

/// A mixture of experts: those with the highest probabilities, weighted by these as if they were all
/// (Jiang et al., "Mixtral of Experts", 2024; llama.cpp's `build_moe_ffn`).
#[derive(Clone, Debug)]
pub(crate) struct Experts {
    router: Matrix,
    networks: Vec<Gated>,
    used: usize,
}

impl Experts {
    pub(crate) fn read<F: Read + Seek>(
        config: &Config,
        count: usize,
        used: usize,
        width: usize,
        layer: &str,
        weights: &mut Weights<'_, F>,
    ) -> std::result::Result<Self, LoadError> {
        let name = |name: &str| format!("{layer}.ffn_{name}.weight");
        let router = weights.matrix(&name("gate_inp"), count, config.width)?;
        let gates = weights.experts(&name("gate_exps"), count, width, config.width)?;
        let ups = weights.experts(&name("up_exps"), count, width, config.width)?;
        let downs = weights.experts(&name("down_exps"), count, config.width, width)?;
        let gelu = config.architecture.traits().gelu;
        let networks = Projections::of_experts(gates, ups)
            .into_iter()
            .zip(downs)
            .map(|(projections, down)| Gated { projections, down, gelu })
            .collect();
        Ok(Self { router, networks, used })
    }

    pub(crate) fn forward(&self, rows: &Tensor) -> Result<Tensor> {
        let probabilities = small::softmax(&self.router.forward(rows)?)?;
        // For each expert the rows that choose it, and how much it counts there.
        let mut chosen = vec![(Vec::new(), Vec::new()); self.networks.len()];
        for (row, probabilities) in (0_u32..).zip(probabilities.to_vec2::<f32>()?) {
            let mut order: Vec<usize> = (0..probabilities.len()).collect();
            order.sort_by(|&a, &b| probabilities[b].total_cmp(&probabilities[a]));
            let sum: f32 = order[..self.used].iter().map(|&expert| probabilities[expert]).sum();
            for &expert in &order[..self.used] {
                chosen[expert].0.push(row);
                chosen[expert].1.push(probabilities[expert] / sum);
            }
        }
        let mut output = rows.zeros_like()?;
        for (expert, (its_rows, shares)) in self.networks.iter().zip(chosen) {
            if its_rows.is_empty() {
                continue;
            }
            let count = its_rows.len();
            let its_rows = Tensor::from_vec(its_rows, count, rows.device())?;
            let shares = Tensor::from_vec(shares, (count, 1), rows.device())?;
            let answer = expert.forward(&rows.index_select(&its_rows, 0)?)?;
            output = output.index_add(&its_rows, &answer.broadcast_mul(&shares)?, 0)?;
        }
        Ok(output)
    }
}
