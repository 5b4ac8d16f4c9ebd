//! Without the likeliest candidates, now and then.

use super::parameter::{ParameterError, finite};
use crate::{Candidates, Mt19937, Reach, Sampler, uniform_f32};

/// The settings of [`Xtc`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct XtcSettings {
    /// How probable it is that anything is cut at a step. Default: 0, switched off.
    pub probability: f32,
    /// From which probability on candidates are cut, but for the least probable of them. Default:
    /// 0.1. Above 0.5, where no two could reach it: switched off.
    pub threshold: f32,
}

impl Default for XtcSettings {
    fn default() -> Self {
        Self { probability: 0.0, threshold: 0.1 }
    }
}

/// Drops, at some steps, all candidates that reach a threshold but for the least probable of them: the
/// text becomes less foreseeable and stays likely (exclude top choices).
///
/// A number is drawn at each step with two candidates or more; only where something may be cut are the
/// candidates sorted. At least `min_keep` stay. Probabilities are over all candidates.
/// Source: `llama_sampler_xtc_apply` of llama.cpp.
///
/// ```
/// use grammask_sampler::{Candidates, Sampler, Xtc, XtcSettings};
///
/// let mut candidates = Candidates::from_logits(&[0.5_f32.ln(), 0.4_f32.ln(), 0.1_f32.ln()]);
/// let settings = XtcSettings { probability: 1.0, threshold: 0.3 };
/// Xtc::new(settings, 1, 42)?.apply(&mut candidates);
/// let ids: Vec<u32> = candidates.as_slice().iter().map(|c| c.id.0).collect();
/// assert_eq!(ids, [1, 2]);
/// # Ok::<(), grammask_sampler::ParameterError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Xtc {
    settings: XtcSettings,
    min_keep: usize,
    seed: u32,
    generator: Mt19937,
}

impl Xtc {
    /// Cuts by these settings and leaves at least `min_keep` candidates; draws with a seed.
    ///
    /// # Errors
    ///
    /// [`ParameterError::NotFinite`] if a setting is infinite or no number.
    pub fn new(settings: XtcSettings, min_keep: usize, seed: u32) -> Result<Self, ParameterError> {
        finite("xtc", "probability", settings.probability)?;
        finite("xtc", "threshold", settings.threshold)?;
        Ok(Self { settings, min_keep, seed, generator: Mt19937::new(seed) })
    }

    fn is_off(&self) -> bool {
        self.settings.probability <= 0.0 || self.settings.threshold > 0.5
    }
}

impl Sampler for Xtc {
    fn name(&self) -> &'static str {
        if self.is_off() { "?xtc" } else { "xtc" }
    }

    fn apply(&mut self, candidates: &mut Candidates) {
        let XtcSettings { probability, threshold } = self.settings;
        if self.is_off() || candidates.len() < 2 || uniform_f32(&mut self.generator) > probability {
            return;
        }
        candidates.sort_logits();
        candidates.softmax();
        let reaching = candidates.as_slice().iter().take_while(|c| c.p >= threshold).count();
        let cut = reaching.saturating_sub(1);
        if cut > 0 && candidates.len() - cut >= self.min_keep {
            candidates.drop_first(cut);
        }
    }

    fn reach(&self) -> Reach {
        if self.is_off() { Reach::Off } else { Reach::All }
    }

    fn reset(&mut self) {
        self.generator = Mt19937::new(self.seed);
    }

    fn clone_box(&self) -> Box<dyn Sampler> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_but_the_last_that_reach_the_threshold_go(
            logits in prop::collection::vec(-4.0_f32..4.0, 2..40),
            threshold in 0.0_f32..0.5,
            min_keep in 0_usize..6,
        ) {
            let settings = XtcSettings { probability: 1.0, threshold };
            let mut candidates = Candidates::from_logits(&logits);
            Xtc::new(settings, min_keep, 3).unwrap().apply(&mut candidates);

            let mut all = Candidates::from_logits(&logits);
            all.sort();
            all.softmax();
            let reaching = all.as_slice().iter().filter(|c| c.p >= threshold).count();
            let cut = reaching.saturating_sub(1);
            let cut = if all.len() - cut >= min_keep { cut } else { 0 };
            prop_assert_eq!(candidates.as_slice(), &all.as_slice()[cut..]);
        }
    }

    #[test]
    fn it_happens_as_often_as_it_should() {
        let settings = XtcSettings { probability: 0.3, threshold: 0.1 };
        let mut xtc = Xtc::new(settings, 0, 11).unwrap();
        let cut = |xtc: &mut Xtc| {
            let mut candidates = Candidates::from_logits(&[1.0, 1.1]);
            xtc.apply(&mut candidates);
            candidates.len() == 1
        };
        let first: Vec<bool> = (0..10_000).map(|_| cut(&mut xtc)).collect();
        let count = first.iter().filter(|&&cut| cut).count();
        assert!((2_800..3_200).contains(&count), "{count}");
        xtc.reset();
        assert!(first.iter().all(|&was| was == cut(&mut xtc)));
    }
}
