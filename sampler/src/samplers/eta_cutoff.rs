//! The candidates that are not improbable for how many are probable.

use super::parameter::{ParameterError, finite};
use crate::{Candidates, Reach, Sampler};

/// Keeps the candidates with a probability of at least
/// `min(epsilon, sqrt(epsilon) * exp(-entropy))`, and at least `min_keep`: where many tokens may
/// come next, less probable ones stay too.
///
/// With `epsilon` of 0 or less it is switched off; the best candidate always stays. Usual values are
/// 0.0003 to 0.002. Keeps the order. Computes the probabilities over all candidates, and the entropy
/// in nats, and leaves the probabilities as they are when it cuts.
/// Source: Hewitt, Manning, Liang 2022, "Truncation Sampling as Language Model Desmoothing".
/// `epsilon` is a probability; text-generation-webui takes it in units of 1e-4. llama.cpp has none.
///
/// ```
/// use grammask_sampler::{Candidates, EtaCutoff, Sampler};
///
/// let mut candidates = Candidates::from_logits(&[0.1_f32.ln(), 0.7_f32.ln(), 0.2_f32.ln()]);
/// EtaCutoff::new(0.15, 1)?.apply(&mut candidates); // sqrt(0.15) * exp(-0.80) = 0.17
/// let ids: Vec<u32> = candidates.as_slice().iter().map(|c| c.id.0).collect();
/// assert_eq!(ids, [1, 2]);
/// # Ok::<(), grammask_sampler::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct EtaCutoff {
    epsilon: f32,
    min_keep: usize,
}

impl EtaCutoff {
    /// Keeps what has a probability of at least `epsilon`, or what the entropy lowers it to, and at
    /// least `min_keep` candidates.
    ///
    /// # Errors
    ///
    /// [`ParameterError::NotFinite`] if `epsilon` is infinite or no number.
    pub fn new(epsilon: f32, min_keep: usize) -> Result<Self, ParameterError> {
        Ok(Self { epsilon: finite("eta-cutoff", "epsilon", epsilon)?, min_keep })
    }

    fn is_off(self) -> bool {
        self.epsilon <= 0.0
    }
}

impl Sampler for EtaCutoff {
    fn name(&self) -> &'static str {
        if self.is_off() { "?eta-cutoff" } else { "eta-cutoff" }
    }

    fn apply(&mut self, candidates: &mut Candidates) {
        if self.is_off() {
            return;
        }
        let eta = self.epsilon.sqrt() * (-candidates.softmax_entropy()).exp();
        candidates.keep_probable(eta.min(self.epsilon), self.min_keep);
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
    use crate::samplers::epsilon_cutoff::tests::{keeps_from, some_logits};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keeps_what_the_definition_keeps(
            logits in some_logits(),
            epsilon in 0.0001_f32..0.5,
            min_keep in 0_usize..6,
        ) {
            let mut sampler = EtaCutoff::new(epsilon, min_keep).unwrap();
            let eta = |p: &[f64]| {
                let entropy: f64 = p.iter().filter(|&&p| p > 0.0).map(|p| -p * p.ln()).sum();
                let epsilon = f64::from(epsilon);
                epsilon.min(epsilon.sqrt() * (-entropy).exp())
            };
            keeps_from(eta, &logits, min_keep, &mut sampler)?;
        }
    }

    #[test]
    fn settings_are_checked() {
        assert_eq!(EtaCutoff::new(0.0, 1).unwrap().name(), "?eta-cutoff");
        let error = EtaCutoff::new(f32::NAN, 1).unwrap_err();
        let message = "epsilon of sampler eta-cutoff must be a finite number, not NaN";
        assert_eq!(error.to_string(), message);
    }
}
