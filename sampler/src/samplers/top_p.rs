//! The best candidates that together have a given probability.

use super::parameter::{ParameterError, finite};
use crate::{Candidates, Reach, Sampler};

/// Keeps the best candidates until their probabilities reach `p`, the one that reaches it included,
/// and at least `min_keep`; sorts them (nucleus sampling).
///
/// Default: `p` 0.95, `min_keep` 0. With `p` of 1 or more it is switched off; with 0 or less one
/// candidate stays. Computes the probabilities over all candidates and leaves them as they are when
/// it cuts. Source: `llama_sampler_top_p_apply` of llama.cpp.
///
/// ```
/// use grammask_sampler::{Candidates, Sampler, TopP};
///
/// let mut candidates = Candidates::from_logits(&[0.2_f32.ln(), 0.5_f32.ln(), 0.3_f32.ln()]);
/// TopP::new(0.6, 1)?.apply(&mut candidates);
/// let ids: Vec<u32> = candidates.as_slice().iter().map(|c| c.id.0).collect();
/// assert_eq!(ids, [1, 2]);
/// # Ok::<(), grammask_sampler::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TopP {
    p: f32,
    min_keep: usize,
}

impl TopP {
    /// Keeps candidates up to a probability of `p`, and at least `min_keep` of them.
    ///
    /// # Errors
    ///
    /// [`ParameterError::NotFinite`] if `p` is infinite or no number.
    pub fn new(p: f32, min_keep: usize) -> Result<Self, ParameterError> {
        Ok(Self { p: finite("top-p", "p", p)?, min_keep })
    }

    fn is_off(self) -> bool {
        self.p >= 1.0
    }
}

impl Default for TopP {
    fn default() -> Self {
        Self { p: 0.95, min_keep: 0 }
    }
}

impl Sampler for TopP {
    fn name(&self) -> &'static str {
        if self.is_off() { "?top-p" } else { "top-p" }
    }

    fn apply(&mut self, candidates: &mut Candidates) {
        if !self.is_off() && !candidates.is_empty() {
            candidates.softmax();
            candidates.keep_mass(self.p, self.min_keep);
        }
    }

    fn reach(&self) -> Reach {
        if self.is_off() {
            Reach::Off
        } else if self.p > 0.0 && self.min_keep <= 1 {
            Reach::Mass(self.p)
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

    /// The same in double precision, from the definition.
    fn expected(logits: &[f32], p: f32, min_keep: usize) -> (Vec<f32>, f64) {
        let mut sorted = logits.to_vec();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let weights: Vec<f64> = sorted.iter().map(|&l| f64::from(l - sorted[0]).exp()).collect();
        let sum: f64 = weights.iter().sum();
        let (mut mass, mut nearest) = (0.0, f64::INFINITY);
        for (i, weight) in weights.iter().enumerate() {
            mass += weight / sum;
            nearest = nearest.min((mass - f64::from(p)).abs());
            if mass >= f64::from(p) && i + 1 >= min_keep {
                sorted.truncate(i + 1);
                break;
            }
        }
        (sorted, nearest)
    }

    proptest! {
        #[test]
        fn keeps_what_the_definition_keeps(
            logits in prop::collection::vec(-4.0_f32..4.0, 1..80),
            p in -0.1_f32..1.0,
            min_keep in 0_usize..6,
        ) {
            let mut candidates = Candidates::from_logits(&logits);
            TopP::new(p, min_keep).unwrap().apply(&mut candidates);
            let (expected, nearest) = expected(&logits, p, min_keep);
            prop_assume!(nearest > 1e-5);
            let kept: Vec<f32> = candidates.as_slice().iter().map(|c| c.logit).collect();
            prop_assert_eq!(kept, expected);
            prop_assert!(candidates.is_sorted());
        }

        #[test]
        fn many_candidates_are_no_other_case(
            logits in prop::collection::vec(-4.0_f32..4.0, 1025..1600),
            p in 0.0_f32..1.0,
        ) {
            let mut candidates = Candidates::from_logits(&logits);
            TopP::new(p, 0).unwrap().apply(&mut candidates);
            let (expected, nearest) = expected(&logits, p, 0);
            prop_assume!(nearest > 1e-5);
            let kept: Vec<f32> = candidates.as_slice().iter().map(|c| c.logit).collect();
            prop_assert_eq!(kept, expected);
        }
    }

    #[test]
    fn settings_are_checked() {
        for p in [f32::NAN, f32::INFINITY] {
            let error = TopP::new(p, 0).unwrap_err();
            let expected = format!("p of sampler top-p must be a finite number, not {p}");
            assert_eq!(error.to_string(), expected);
        }
    }
}
