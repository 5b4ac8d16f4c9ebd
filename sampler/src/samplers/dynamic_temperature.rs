//! Flatter or sharper, by how sure the model is.

use super::parameter::{ParameterError, finite};
use super::temperature::Temperature;
use crate::{Candidates, Reach, Sampler};

/// A temperature that follows the entropy: where the model is sure it is low, where it is not it is
/// high.
///
/// The temperature lies within `range` of `t`, not below 0: `low + (high - low) * e^exponent`, where e
/// is the entropy as a share of the greatest possible one. Default: `t` 0.8, `range` 0, `exponent` 1.
/// With a range of 0 or less it is a plain [`Temperature`], and switched off with 1. Otherwise the
/// candidates are sorted and have their probabilities; a single one is left as it is.
/// Source: `llama_sampler_temp_ext_apply` of llama.cpp.
///
/// ```
/// use grammask_sampler::{Candidates, DynamicTemperature, Sampler};
///
/// // Quite unsure: the entropy is the greatest there is.
/// let mut candidates = Candidates::from_logits(&[1.0, 1.0]);
/// DynamicTemperature::new(1.0, 0.5, 1.0)?.apply(&mut candidates);
/// assert_eq!(candidates.as_slice()[0].logit, 1.0 / 1.5);
/// # Ok::<(), grammask_sampler::ParameterError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DynamicTemperature {
    t: f32,
    range: f32,
    exponent: f32,
    plain: Temperature,
}

impl DynamicTemperature {
    /// A temperature within `range` of `t`.
    ///
    /// # Errors
    ///
    /// [`ParameterError::NotFinite`] if a setting is infinite or no number.
    pub fn new(t: f32, range: f32, exponent: f32) -> Result<Self, ParameterError> {
        let plain = Temperature::new(t)?;
        finite("temp-ext", "range", range)?;
        finite("temp-ext", "exponent", exponent)?;
        Ok(Self { t, range, exponent, plain })
    }
}

impl Sampler for DynamicTemperature {
    fn name(&self) -> &'static str {
        let is_off = self.range <= 0.0 && self.plain.is_off();
        if is_off { "?temp-ext" } else { "temp-ext" }
    }

    #[allow(clippy::cast_precision_loss)] // llama.cpp computes in single precision.
    fn apply(&mut self, candidates: &mut Candidates) {
        if self.range <= 0.0 {
            return self.plain.apply(candidates);
        }
        if candidates.len() <= 1 {
            return;
        }
        let (low, high) = ((self.t - self.range).max(0.0), self.t + self.range);
        candidates.sort_logits();
        let most = -(1.0 / candidates.len() as f32).ln();
        let share = candidates.softmax_entropy() / most;
        let t = low + (high - low) * share.powf(self.exponent);
        let divides = t > 0.0;
        if !divides {
            Temperature::scale(t, candidates);
        }
        let t = if divides { t } else { 1.0 };
        let data = candidates.as_mut_slice();
        // Infinity by infinity is no number: the best candidate would be the last.
        let t = if data[0].logit.is_finite() { t } else { t.min(f32::MAX) };
        // In double precision, unlike everywhere else.
        let max = f64::from(data[0].logit / t);
        let mut sum = 0.0;
        for candidate in &mut *data {
            candidate.logit /= t;
            let distance = f64::from(candidate.logit) - max;
            // In two parts: what is lost in single precision is next to nothing, but not nothing.
            let most = distance as f32;
            let lost = (distance - f64::from(most)).max(-1.0);
            let weight = f64::from(most.exp()) * (1.0 + lost);
            candidate.p = weight as f32;
            sum += weight;
        }
        let share = 1.0 / sum;
        for candidate in data {
            candidate.p = (f64::from(candidate.p) * share) as f32;
        }
    }

    fn reach(&self) -> Reach {
        if self.range > 0.0 { Reach::All } else { self.plain.reach() }
    }

    fn clone_box(&self) -> Box<dyn Sampler> {
        Box::new(*self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_surer_the_sharper() {
        let spread = |logits: [f32; 3]| {
            let mut candidates = Candidates::from_logits(&logits);
            DynamicTemperature::new(1.0, 0.5, 1.0).unwrap().apply(&mut candidates);
            let out = candidates.as_slice();
            (out[0].logit - out[2].logit) / (logits[0] - logits[2])
        };
        let (sure, unsure) = (spread([9.0, 0.0, -1.0]), spread([0.2, 0.1, 0.0]));
        assert!(1.9 < sure && sure < 2.0 && 0.6 < unsure && unsure < 0.7, "{sure} {unsure}");
    }

    /// With an exponent below 0 the temperature is infinite where the model is entirely sure.
    #[test]
    fn what_is_infinite_stays_the_best() {
        let mut candidates = Candidates::from_logits(&[0.0, f32::INFINITY, f32::NEG_INFINITY]);
        DynamicTemperature::new(0.5, 0.1, -1.0).unwrap().apply(&mut candidates);
        assert_eq!(candidates.max_logit(), Some(f32::INFINITY));
        assert!(candidates.as_slice()[1].logit < f32::INFINITY);
    }

    #[test]
    fn names_and_edges() {
        for (t, range, name) in
            [(1.0, 0.0, "?temp-ext"), (1.0, 0.1, "temp-ext"), (0.8, 0.0, "temp-ext")]
        {
            assert_eq!(DynamicTemperature::new(t, range, 1.0).unwrap().name(), name);
        }
        for logits in [&[][..], &[1.0], &[f32::NEG_INFINITY; 3], &[f32::NAN, 1.0]] {
            DynamicTemperature::new(0.5, 1.0, -2.0)
                .unwrap()
                .apply(&mut Candidates::from_logits(logits));
        }
    }
}
