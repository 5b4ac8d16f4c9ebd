//! The candidates that are not much worse than the best one.

use super::parameter::{ParameterError, finite};
use crate::{Candidates, Reach, Sampler};

/// Keeps the candidates that are at least `p` times as probable as the best one, and at least
/// `min_keep`.
///
/// Default: `p` 0.05, `min_keep` 0. With `p` of 0 or less it is switched off; above 1 the best
/// candidate stays. Keeps the order; only if too few pass does it sort, to find the next best.
/// Computes no probabilities: the test is `logit >= max + ln(p)`.
/// Source: `llama_sampler_min_p_apply` of llama.cpp.
///
/// ```
/// use grammask_sampler::{Candidates, MinP, Sampler};
///
/// let mut candidates = Candidates::from_logits(&[0.1_f32.ln(), 0.6_f32.ln(), 0.3_f32.ln()]);
/// MinP::new(0.4, 1)?.apply(&mut candidates);
/// let ids: Vec<u32> = candidates.as_slice().iter().map(|c| c.id.0).collect();
/// assert_eq!(ids, [1, 2]);
/// # Ok::<(), grammask_sampler::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MinP {
    p: f32,
    min_keep: usize,
}

impl MinP {
    /// Keeps what is at least `p` times as probable as the best, and at least `min_keep` candidates.
    ///
    /// # Errors
    ///
    /// [`ParameterError::NotFinite`] if `p` is infinite or no number.
    pub fn new(p: f32, min_keep: usize) -> Result<Self, ParameterError> {
        Ok(Self { p: finite("min-p", "p", p)?, min_keep })
    }

    fn is_off(self) -> bool {
        self.p <= 0.0
    }
}

impl Default for MinP {
    fn default() -> Self {
        Self { p: 0.05, min_keep: 0 }
    }
}

impl Sampler for MinP {
    fn name(&self) -> &'static str {
        if self.is_off() { "?min-p" } else { "min-p" }
    }

    fn apply(&mut self, candidates: &mut Candidates) {
        if self.is_off() || candidates.is_empty() {
            return;
        }
        if !candidates.is_sorted() {
            // llama.cpp starts from the least finite number, so that -inf alone never passes.
            let max = candidates.max_logit().map_or(f32::MIN, |max| max.max(f32::MIN));
            let least = max + self.p.ln();
            let passing = candidates.as_slice().iter().filter(|c| c.logit >= least).count();
            if passing >= self.min_keep.max(1) {
                candidates.retain(|c| c.logit >= least);
                return;
            }
            candidates.sort();
        }
        let sorted = candidates.as_slice();
        let least = sorted[0].logit + self.p.ln();
        let passing = sorted[1..].iter().take_while(|c| c.logit >= least).count();
        candidates.truncate((1 + passing).max(self.min_keep));
    }

    fn reach(&self) -> Reach {
        if self.is_off() {
            Reach::Off
        } else if self.p <= 1.0 && self.min_keep <= 1 {
            Reach::Within(self.p.ln())
        } else {
            Reach::All
        }
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
            logits in prop::collection::vec(-4.0_f32..4.0, 1..60),
            p in 0.001_f32..1.2,
            min_keep in 0_usize..6,
            sorted: bool,
        ) {
            let mut candidates = Candidates::from_logits(&logits);
            if sorted {
                candidates.sort();
            }
            MinP::new(p, min_keep).unwrap().apply(&mut candidates);

            let mut expected = logits.clone();
            expected.sort_by(|a, b| b.total_cmp(a));
            let best = f64::from(expected[0]);
            let ratio = |l: f32| (f64::from(l) - best).exp();
            prop_assume!(logits.iter().all(|&l| (ratio(l) - f64::from(p)).abs() > 1e-5));
            let passing = expected.iter().filter(|&&l| ratio(l) >= f64::from(p)).count();
            expected.truncate(passing.max(min_keep).max(1));
            let mut kept: Vec<f32> = candidates.as_slice().iter().map(|c| c.logit).collect();
            kept.sort_by(|a, b| b.total_cmp(a));
            prop_assert_eq!(kept, expected);
        }
    }

    #[test]
    fn nothing_but_ruled_out_candidates_all_stay() {
        let mut candidates = Candidates::from_logits(&[f32::NEG_INFINITY; 3]);
        MinP::default().apply(&mut candidates);
        assert_eq!(candidates.len(), 3);
    }
}
