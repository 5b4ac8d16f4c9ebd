//! The candidates that are not improbable.

use super::parameter::{ParameterError, finite};
use crate::{Candidates, Reach, Sampler};

/// Keeps the candidates with a probability of at least `epsilon`, and at least `min_keep`.
///
/// With `epsilon` of 0 or less it is switched off; the best candidate always stays. Usual values are
/// 0.0003 to 0.0009. Keeps the order. Computes the probabilities over all candidates and leaves them
/// as they are when it cuts.
/// Source: Hewitt, Manning, Liang 2022, "Truncation Sampling as Language Model Desmoothing".
/// `epsilon` is a probability; text-generation-webui takes it in units of 1e-4. llama.cpp has none.
///
/// ```
/// use grammask_sampler::{Candidates, EpsilonCutoff, Sampler};
///
/// let mut candidates = Candidates::from_logits(&[0.1_f32.ln(), 0.7_f32.ln(), 0.2_f32.ln()]);
/// EpsilonCutoff::new(0.15, 1)?.apply(&mut candidates);
/// let ids: Vec<u32> = candidates.as_slice().iter().map(|c| c.id.0).collect();
/// assert_eq!(ids, [1, 2]);
/// # Ok::<(), grammask_sampler::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct EpsilonCutoff {
    epsilon: f32,
    min_keep: usize,
}

impl EpsilonCutoff {
    /// Keeps what has a probability of at least `epsilon`, and at least `min_keep` candidates.
    ///
    /// # Errors
    ///
    /// [`ParameterError::NotFinite`] if `epsilon` is infinite or no number.
    pub fn new(epsilon: f32, min_keep: usize) -> Result<Self, ParameterError> {
        Ok(Self { epsilon: finite("epsilon-cutoff", "epsilon", epsilon)?, min_keep })
    }

    fn is_off(self) -> bool {
        self.epsilon <= 0.0
    }
}

impl Sampler for EpsilonCutoff {
    fn name(&self) -> &'static str {
        if self.is_off() { "?epsilon-cutoff" } else { "epsilon-cutoff" }
    }

    fn apply(&mut self, candidates: &mut Candidates) {
        if !self.is_off() {
            candidates.softmax();
            candidates.keep_probable(self.epsilon, self.min_keep);
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
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::TestCaseResult;

    /// Logits of which some are ruled out and some are no numbers.
    pub(in super::super) fn some_logits() -> impl Strategy<Value = Vec<f32>> {
        let logit =
            prop_oneof![8 => -6.0_f32..4.0, 1 => Just(f32::NEG_INFINITY), 1 => Just(f32::NAN)];
        prop::collection::vec(logit, 1..60)
    }

    /// Whether a sampler keeps the candidates with a probability of at least a threshold or the
    /// `min_keep` best, in their order, in double precision.
    pub(in super::super) fn keeps_from(
        threshold: impl Fn(&[f64]) -> f64,
        logits: &[f32],
        min_keep: usize,
        sampler: &mut impl Sampler,
    ) -> TestCaseResult {
        let logit = |logit: f32| f64::from(logit.max(f32::NEG_INFINITY));
        let max = logits.iter().map(|&l| logit(l)).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = logits.iter().map(|&l| (logit(l) - max).exp()).sum();
        let p: Vec<f64> = logits.iter().map(|&l| (logit(l) - max).exp() / sum).collect();
        let mut best = p.clone();
        best.sort_by(|a, b| b.total_cmp(a));
        let least = threshold(&p);
        prop_assume!(p.iter().all(|p| (p / least - 1.0).abs() > 1e-4));
        let least = least.min(best[min_keep.clamp(1, p.len()) - 1]);

        let mut candidates = Candidates::from_logits(logits);
        sampler.apply(&mut candidates);
        let kept: Vec<usize> = candidates.as_slice().iter().map(|c| c.id.index()).collect();
        // Where nothing is possible nothing has a probability.
        let expected = (0..p.len()).filter(|&id| p[id] >= least || p[id].is_nan());
        prop_assert_eq!(kept, expected.collect::<Vec<_>>());
        for candidate in candidates.as_slice() {
            let expected = p[candidate.id.index()];
            let p = f64::from(candidate.p);
            prop_assert!(
                (p - expected).abs() <= 1e-5 * expected || p.is_nan() && expected.is_nan()
            );
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn keeps_what_the_definition_keeps(
            logits in some_logits(),
            epsilon in 0.0001_f32..0.3,
            min_keep in 0_usize..6,
        ) {
            let mut sampler = EpsilonCutoff::new(epsilon, min_keep).unwrap();
            keeps_from(|_| f64::from(epsilon), &logits, min_keep, &mut sampler)?;
        }
    }

    #[test]
    fn nothing_possible_and_nothing_at_all() {
        let mut sampler = EpsilonCutoff::new(0.5, 1).unwrap();
        for len in [0, 3] {
            let mut candidates = Candidates::from_logits(&[f32::NEG_INFINITY; 3][..len]);
            sampler.apply(&mut candidates);
            assert_eq!(candidates.len(), len);
        }
    }

    #[test]
    fn settings_are_checked() {
        assert_eq!(EpsilonCutoff::new(-0.5, 1).unwrap().name(), "?epsilon-cutoff");
        let error = EpsilonCutoff::new(f32::INFINITY, 1).unwrap_err();
        let message = "epsilon of sampler epsilon-cutoff must be a finite number, not inf";
        assert_eq!(error.to_string(), message);
    }
}
