//! The candidates that are not improbable for how sure the model is.

use super::parameter::{ParameterError, finite};
use crate::{Candidates, Reach, Sampler};

/// Keeps the candidates with a probability of at least `a` times the square of the greatest one, and
/// at least `min_keep` candidates: the surer the model is, the fewer.
///
/// With `a` of 0 or less it is switched off; the best candidate always stays. Keeps the order.
/// Computes the probabilities over all candidates and leaves them as they are when it cuts.
/// Source: the sampler of this name in `KoboldAI` and text-generation-webui; llama.cpp has none.
///
/// ```
/// use grammask_sampler::{Candidates, Sampler, TopA};
///
/// let mut candidates = Candidates::from_logits(&[0.1_f32.ln(), 0.7_f32.ln(), 0.2_f32.ln()]);
/// TopA::new(0.3, 1)?.apply(&mut candidates); // 0.3 * 0.7 * 0.7 = 0.147
/// let ids: Vec<u32> = candidates.as_slice().iter().map(|c| c.id.0).collect();
/// assert_eq!(ids, [1, 2]);
/// # Ok::<(), grammask_sampler::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TopA {
    a: f32,
    min_keep: usize,
}

impl TopA {
    /// Keeps what has at least `a` times the square of the greatest probability, and at least
    /// `min_keep` candidates.
    ///
    /// # Errors
    ///
    /// [`ParameterError::NotFinite`] if `a` is infinite or no number.
    pub fn new(a: f32, min_keep: usize) -> Result<Self, ParameterError> {
        Ok(Self { a: finite("top-a", "a", a)?, min_keep })
    }

    fn is_off(self) -> bool {
        self.a <= 0.0
    }
}

impl Sampler for TopA {
    fn name(&self) -> &'static str {
        if self.is_off() { "?top-a" } else { "top-a" }
    }

    fn apply(&mut self, candidates: &mut Candidates) {
        if self.is_off() {
            return;
        }
        candidates.softmax();
        let greatest = candidates.as_slice().iter().fold(0.0_f32, |max, c| max.max(c.p));
        candidates.keep_probable(self.a * greatest * greatest, self.min_keep);
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
            a in 0.001_f32..3.0,
            min_keep in 0_usize..6,
        ) {
            let least = |p: &[f64]| f64::from(a) * p.iter().copied().fold(0.0, f64::max).powi(2);
            keeps_from(least, &logits, min_keep, &mut TopA::new(a, min_keep).unwrap())?;
        }
    }

    #[test]
    fn settings_are_checked() {
        assert_eq!(TopA::new(0.0, 1).unwrap().name(), "?top-a");
        let error = TopA::new(f32::NAN, 1).unwrap_err();
        assert_eq!(error.to_string(), "a of sampler top-a must be a finite number, not NaN");
    }
}
