//! Flatter or sharper.

use super::parameter::{ParameterError, finite};
use crate::{Candidates, Reach, Sampler};

/// Divides every logit by a temperature: above 1 the candidates become more alike, below 1 less.
///
/// Default: 0.8. With 1 it is switched off. With 0 or less the first candidate with the greatest
/// logit stays as it is and all others become -inf. Order and sorted flag stay.
/// Source: `llama_sampler_temp_impl` of llama.cpp.
///
/// ```
/// use grammask_sampler::{Candidates, Sampler, Temperature};
///
/// let mut candidates = Candidates::from_logits(&[1.0, 2.0]);
/// Temperature::new(0.5)?.apply(&mut candidates);
/// assert_eq!(candidates.as_slice()[1].logit, 4.0);
/// # Ok::<(), grammask_sampler::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Temperature {
    t: f32,
}

impl Temperature {
    /// Divides by `t`.
    ///
    /// # Errors
    ///
    /// [`ParameterError::NotFinite`] if `t` is infinite or no number.
    pub fn new(t: f32) -> Result<Self, ParameterError> {
        Ok(Self { t: finite("temp", "t", t)? })
    }

    #[allow(clippy::float_cmp)] // Exactly 1 is what changes nothing.
    pub(super) fn is_off(self) -> bool {
        self.t == 1.0
    }
}

impl Default for Temperature {
    fn default() -> Self {
        Self { t: 0.8 }
    }
}

impl Sampler for Temperature {
    fn name(&self) -> &'static str {
        if self.is_off() { "?temp" } else { "temp" }
    }

    fn apply(&mut self, candidates: &mut Candidates) {
        if !self.is_off() {
            Self::scale(self.t, candidates);
        }
    }

    fn reach(&self) -> Reach {
        if self.is_off() {
            Reach::Off
        } else if self.t > 0.0 {
            Reach::Each
        } else {
            // It matters to each candidate whether it is the best.
            Reach::All
        }
    }

    fn clone_box(&self) -> Box<dyn Sampler> {
        Box::new(*self)
    }
}

impl Temperature {
    /// Divides by `t`, or leaves one candidate if that is 0 or less.
    pub(super) fn scale(t: f32, candidates: &mut Candidates) {
        if t > 0.0 {
            for candidate in candidates.as_mut_slice() {
                candidate.logit /= t;
            }
            return;
        }
        let Some(max) = candidates.max_logit() else { return };
        let mut found = false;
        for candidate in candidates.as_mut_slice() {
            if found || candidate.logit < max || candidate.logit.is_nan() {
                candidate.logit = f32::NEG_INFINITY;
            } else {
                found = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_keeps_one() {
        let mut candidates = Candidates::from_logits(&[1.0, 3.0, f32::NAN, 3.0]);
        Temperature::new(0.0).unwrap().apply(&mut candidates);
        let logits: Vec<f32> = candidates.as_slice().iter().map(|c| c.logit).collect();
        let out = f32::NEG_INFINITY;
        assert_eq!(logits, [out, 3.0, out, out]);
        Temperature::new(-1.0).unwrap().apply(&mut Candidates::default());
    }
}
