//! Typical sampling by its definition, in double precision: what is right where llama.cpp's entropy is
//! no number.

use grammask_sampler::{Candidates, Sampler};

/// Keeps the candidates whose surprise is nearest to the entropy. What is ruled out has no part in the
/// entropy and comes last.
#[derive(Clone, Copy)]
pub struct TypicalByDefinition {
    pub p: f32,
    pub min_keep: usize,
}

impl Sampler for TypicalByDefinition {
    fn name(&self) -> &'static str {
        "typical"
    }

    fn apply(&mut self, candidates: &mut Candidates) {
        candidates.sort();
        candidates.softmax();
        let logits = || candidates.as_slice().iter().map(|c| f64::from(c.logit));
        let best = logits().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = logits().map(|l| (l - best).exp()).sum();
        let p: Vec<f64> = logits().map(|l| (l - best).exp() / sum).collect();
        let entropy: f64 = p.iter().filter(|&&p| p > 0.0).map(|p| -p * p.ln()).sum();
        let distance = |index: usize| (-p[index].ln() - entropy).abs();
        let mut order: Vec<usize> = (0..p.len()).collect();
        order.sort_by(|&one, &other| distance(one).total_cmp(&distance(other)));
        let mut mass = 0.0;
        let kept = order.iter().position(|&index| {
            mass += p[index];
            mass > f64::from(self.p)
        });
        let kept = kept.map_or(order.len(), |last| (last + 1).max(self.min_keep));
        let all = candidates.as_slice().to_vec();
        let kept: Vec<_> = order.iter().take(kept).map(|&index| all[index]).collect();
        candidates.truncate(kept.len());
        candidates.as_mut_slice().copy_from_slice(&kept);
        candidates.set_sorted(false);
    }

    fn clone_box(&self) -> Box<dyn Sampler> {
        Box::new(*self)
    }
}
