//! The candidates within some standard deviations of the best one.

use super::parameter::{ParameterError, finite};
use crate::{Candidates, Reach, Sampler};

/// Rules out what lies more than `n` standard deviations of all logits below the best one.
///
/// Default: -1, switched off, as is every `n` of 0 or less. The logits ruled out become -inf; order
/// and number of the candidates stay. Logits of -inf count neither for the mean nor for the
/// deviation, which is that of the whole population.
/// Source: `llama_sampler_top_n_sigma_apply` of llama.cpp; Tang et al. 2024, "Top-nσ: Not All Logits
/// Are You Need".
///
/// ```
/// use grammask_sampler::{Candidates, Sampler, TopNSigma};
///
/// let mut candidates = Candidates::from_logits(&[0.0, 3.0, 2.5]);
/// TopNSigma::new(1.0)?.apply(&mut candidates);
/// let logits: Vec<f32> = candidates.as_slice().iter().map(|c| c.logit).collect();
/// assert_eq!(logits, [f32::NEG_INFINITY, 3.0, 2.5]);
/// # Ok::<(), grammask_sampler::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TopNSigma {
    n: f32,
}

impl TopNSigma {
    /// Keeps what is at most `n` standard deviations below the best.
    ///
    /// # Errors
    ///
    /// [`ParameterError::NotFinite`] if `n` is infinite or no number.
    pub fn new(n: f32) -> Result<Self, ParameterError> {
        Ok(Self { n: finite("top-n-sigma", "n", n)? })
    }

    fn is_off(self) -> bool {
        self.n <= 0.0
    }
}

impl Default for TopNSigma {
    fn default() -> Self {
        Self { n: -1.0 }
    }
}

impl Sampler for TopNSigma {
    fn name(&self) -> &'static str {
        if self.is_off() { "?top-n-sigma" } else { "top-n-sigma" }
    }

    #[allow(clippy::cast_precision_loss)] // llama.cpp computes in single precision.
    fn apply(&mut self, candidates: &mut Candidates) {
        if self.is_off() || candidates.len() <= 1 {
            return;
        }
        let possible = |logit: f32| logit > f32::NEG_INFINITY;
        let logits = || candidates.as_slice().iter().map(|c| c.logit).filter(|&l| possible(l));
        let (mut count, mut sum, mut max) = (0_u32, 0.0_f32, f32::NEG_INFINITY);
        for logit in logits() {
            count += 1;
            sum += logit;
            max = max.max(logit);
        }
        if count == 0 {
            return;
        }
        let mean = sum / count as f32;
        let squares: f32 = logits().map(|logit| (logit - mean) * (logit - mean)).sum();
        let least = max - self.n * (squares / count as f32).sqrt();
        for candidate in candidates.as_mut_slice() {
            if candidate.logit < least || candidate.logit.is_nan() {
                candidate.logit = f32::NEG_INFINITY;
            }
        }
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
                prop_oneof![9 => -4.0_f32..4.0, 1 => Just(f32::NEG_INFINITY)], 2..60),
            n in 0.01_f32..4.0,
        ) {
            let possible: Vec<f64> =
                logits.iter().filter(|l| l.is_finite()).map(|&l| f64::from(l)).collect();
            prop_assume!(!possible.is_empty());
            let count = f64::from(u32::try_from(possible.len()).unwrap());
            let mean = possible.iter().sum::<f64>() / count;
            let squares = possible.iter().map(|l| (l - mean).powi(2)).sum::<f64>();
            let best = possible.iter().copied().fold(f64::MIN, f64::max);
            let least = best - f64::from(n) * (squares / count).sqrt();
            prop_assume!(possible.iter().all(|l| (l - least).abs() > 1e-4));

            let mut candidates = Candidates::from_logits(&logits);
            TopNSigma::new(n).unwrap().apply(&mut candidates);
            for (candidate, &logit) in candidates.as_slice().iter().zip(&logits) {
                let kept = f64::from(logit) >= least;
                let expected = if kept { logit } else { f32::NEG_INFINITY };
                prop_assert_eq!(candidate.logit.to_bits(), expected.to_bits());
            }
        }
    }

    #[test]
    fn nothing_possible_stays_so() {
        let mut candidates = Candidates::from_logits(&[f32::NEG_INFINITY; 3]);
        TopNSigma::new(1.0).unwrap().apply(&mut candidates);
        assert_eq!(candidates, Candidates::from_logits(&[f32::NEG_INFINITY; 3]));
        assert_eq!(TopNSigma::default().name(), "?top-n-sigma");
    }
}
