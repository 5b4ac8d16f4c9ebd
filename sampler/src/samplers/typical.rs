//! The candidates that are about as surprising as the average.

use super::parameter::{ParameterError, finite};
use crate::{Candidate, Candidates, Reach, Sampler};

/// Keeps the candidates whose surprise, `-ln p`, is nearest to the entropy, until their probabilities
/// exceed `p`, and at least `min_keep`.
///
/// Default: `p` 1, switched off as is everything above. The candidates come out by how near they are,
/// so that they no longer count as sorted; probabilities are over all candidates. What is ruled out
/// has a probability of 0, adds nothing to the entropy and comes last. (In llama.cpp a logit of -inf
/// makes the entropy NaN.)
/// Source: `llama_sampler_typical_apply` of llama.cpp; Meister et al. 2022, "Locally Typical Sampling".
///
/// ```
/// use grammask_sampler::{Candidates, Sampler, Typical};
///
/// let mut candidates = Candidates::from_logits(&[0.6_f32.ln(), 0.3_f32.ln(), 0.1_f32.ln()]);
/// Typical::new(0.2, 1)?.apply(&mut candidates);
/// let ids: Vec<u32> = candidates.as_slice().iter().map(|c| c.id.0).collect();
/// // The entropy is 0.90, and the surprises are 0.51, 1.20 and 2.30.
/// assert_eq!(ids, [1]);
/// # Ok::<(), grammask_sampler::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Typical {
    p: f32,
    min_keep: usize,
}

impl Typical {
    /// Keeps candidates until their probabilities exceed `p`, and at least `min_keep` of them.
    ///
    /// # Errors
    ///
    /// [`ParameterError::NotFinite`] if `p` is infinite or no number.
    pub fn new(p: f32, min_keep: usize) -> Result<Self, ParameterError> {
        Ok(Self { p: finite("typical", "p", p)?, min_keep })
    }

    fn is_off(self) -> bool {
        self.p >= 1.0
    }

    /// Writes what stays of sorted candidates, the nearest first.
    fn pick(self, entropy: f32, data: &[Candidate], kept: &mut Vec<Candidate>) {
        let mut sum = 0.0;
        let mut add = |next: &[Candidate], kept: &mut Vec<Candidate>| {
            next.iter().any(|candidate| {
                kept.push(*candidate);
                sum += candidate.p;
                sum > self.p && kept.len() >= self.min_keep
            })
        };
        // The best come first, so surprises only grow: the nearest are around one place.
        let place = data.partition_point(|candidate| -candidate.p.ln() < entropy);
        let (mut left, mut right) = (&data[..place], &data[place..]);
        let distance = |candidate: Option<&Candidate>| {
            candidate.map_or(f32::INFINITY, |candidate| (-candidate.p.ln() - entropy).abs())
        };
        let (mut to_left, mut to_right) = (distance(left.last()), distance(right.first()));
        loop {
            let is_enough = match (left, right) {
                ([.., last], rest) if rest.is_empty() || to_left <= to_right => {
                    // Equal ones as they come.
                    let alike = left.iter().rev().take_while(|one| one.logit <= last.logit).count();
                    let alike = left.split_off(left.len() - alike.max(1)..).unwrap_or_default();
                    to_left = distance(left.last());
                    add(alike, kept)
                }
                (_, [next, rest @ ..]) => {
                    right = rest;
                    to_right = distance(right.first());
                    add(std::slice::from_ref(next), kept)
                }
                (_, []) => return,
            };
            if is_enough {
                return;
            }
        }
    }
}

impl Default for Typical {
    fn default() -> Self {
        Self { p: 1.0, min_keep: 0 }
    }
}

impl Sampler for Typical {
    fn name(&self) -> &'static str {
        if self.is_off() { "?typical" } else { "typical" }
    }

    fn apply(&mut self, candidates: &mut Candidates) {
        if self.is_off() || candidates.is_empty() {
            return;
        }
        candidates.sort_logits();
        let entropy = candidates.softmax_entropy();
        candidates.keep(|data, kept| self.pick(entropy, data, kept));
    }

    fn reach(&self) -> Reach {
        if self.is_off() { Reach::Off } else { Reach::All }
    }

    fn clone_box(&self) -> Box<dyn Sampler> {
        Box::new(*self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keeps_what_the_definition_keeps(
            logits in prop::collection::vec(
                prop_oneof![9 => -4.0_f32..4.0, 1 => Just(f32::NEG_INFINITY)], 1..60),
            p in 0.0_f32..1.0,
            min_keep in 0_usize..6,
        ) {
            prop_assume!(logits.iter().any(|l| l.is_finite()));
            let best = logits.iter().copied().fold(f32::MIN, f32::max);
            let weights: Vec<f64> = logits.iter().map(|&l| f64::from(l - best).exp()).collect();
            let sum: f64 = weights.iter().sum();
            let of = |id: usize| weights[id] / sum;
            let terms = (0..logits.len()).map(of).filter(|&p| p > 0.0).map(|p| -p * p.ln());
            let entropy: f64 = terms.sum();
            let mut order: Vec<(f64, usize)> =
                (0..logits.len()).map(|id| ((-of(id).ln() - entropy).abs(), id)).collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            // Rounding must not decide.
            prop_assume!(!order.windows(2).any(|two| two[1].0 - two[0].0 < 1e-4));
            let (mut mass, mut kept) = (0.0, order.len());
            for (at, &(_, id)) in order.iter().enumerate() {
                mass += of(id);
                prop_assume!((mass - f64::from(p)).abs() > 1e-4);
                if mass > f64::from(p) && at + 1 >= min_keep {
                    kept = at + 1;
                    break;
                }
            }
            let possible = order.iter().take(kept).filter(|(_, id)| logits[*id].is_finite());
            let expected: Vec<u32> = possible.map(|&(_, id)| id as u32).collect();

            let mut candidates = Candidates::from_logits(&logits);
            Typical::new(p, min_keep).unwrap().apply(&mut candidates);
            let ids = candidates.as_slice().iter().filter(|c| c.logit.is_finite());
            prop_assert_eq!(ids.map(|c| c.id.0).collect::<Vec<_>>(), expected);
            prop_assert_eq!(candidates.len(), kept);
        }
    }

    #[test]
    fn equally_likely_candidates_are_all_typical() {
        let mut candidates = Candidates::from_logits(&[1.0; 8]);
        Typical::new(0.3, 0).unwrap().apply(&mut candidates);
        assert_eq!((candidates.len(), candidates.is_sorted()), (3, false));
        let mut candidates = Candidates::from_logits(&[f32::NEG_INFINITY; 3]);
        Typical::new(0.3, 0).unwrap().apply(&mut candidates);
        assert!(!candidates.is_empty());
    }
}
