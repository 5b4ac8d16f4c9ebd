//! Tokens of about a given probability.

use super::draw::Draw;
use super::history::Undo;
use super::parameter::{ParameterError, finite};
use crate::{Candidates, Sampler, TokenId};

/// The settings of [`AdaptiveP`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdaptiveSettings {
    /// The probability that the tokens of the text have on average, 0 to 1. Default: -1; with less
    /// than 0 it only selects, by the probabilities as they are.
    pub target: f32,
    /// How much of the average each token leaves of what was before it, 0 to 0.99. Default: 0.9.
    pub decay: f32,
}

impl Default for AdaptiveSettings {
    fn default() -> Self {
        Self { target: -1.0, decay: 0.9 }
    }
}

/// Makes the candidates the likelier the nearer their probability is to a target, and selects one. The
/// target moves against the probabilities of the tokens accepted so far, so that their average becomes
/// what is asked for.
///
/// The new logit is `5 - 10 d^2 / (1 + d)`, where d is the distance to the target in units of 0.3. A
/// chain ends with it. A clone goes on with the same random numbers. (In llama.cpp it starts anew.)
/// Source: `llama_sampler_adaptive_p_apply` of llama.cpp.
///
/// ```
/// use grammask_sampler::{AdaptiveP, AdaptiveSettings, Candidates, Sampler};
///
/// let settings = AdaptiveSettings { target: 0.3, ..AdaptiveSettings::default() };
/// let mut candidates = Candidates::from_logits(&[0.7_f32.ln(), 0.3_f32.ln()]);
/// AdaptiveP::new(settings, 42)?.apply(&mut candidates);
/// assert!((candidates.as_slice()[1].logit - 5.0).abs() < 1e-5);
/// # Ok::<(), grammask_sampler::ParameterError>(())
/// ```
#[derive(Clone, Debug)]
pub struct AdaptiveP {
    settings: AdaptiveSettings,
    average: Undo<Average>,
    /// The probabilities before the change.
    before: Vec<f32>,
    /// The token drawn last and what its probability was, until it is accepted.
    drawn: Option<(TokenId, f32)>,
    draw: Draw,
}

/// The sum of the probabilities of tokens and of their weights.
#[derive(Clone, Copy, Debug)]
struct Average {
    sum: f32,
    weight: f32,
}

impl Average {
    /// As if all tokens before had been on target.
    fn new(settings: AdaptiveSettings) -> Self {
        let AdaptiveSettings { target, decay } = settings;
        Self { sum: target / (1.0 - decay), weight: 1.0 / (1.0 - decay) }
    }
}

impl AdaptiveP {
    /// With these settings, brought into their ranges; draws with a seed.
    ///
    /// # Errors
    ///
    /// [`ParameterError::NotFinite`] if a setting is infinite or no number.
    pub fn new(settings: AdaptiveSettings, seed: u32) -> Result<Self, ParameterError> {
        let target = finite("adaptive-p", "target", settings.target)?;
        let decay = finite("adaptive-p", "decay", settings.decay)?.clamp(0.0, 0.99);
        let settings = AdaptiveSettings { target, decay };
        let average = Undo::new(Average::new(settings));
        Ok(Self { settings, average, before: Vec::new(), drawn: None, draw: Draw::new(seed) })
    }

    /// The target of this step.
    fn target(&self) -> f32 {
        let target = self.settings.target.clamp(0.0, 1.0);
        (2.0 * target - self.average.now.sum / self.average.now.weight).clamp(0.0, 1.0)
    }
}

impl Sampler for AdaptiveP {
    fn name(&self) -> &'static str {
        "adaptive-p"
    }

    fn apply(&mut self, candidates: &mut Candidates) {
        const PEAK: f32 = 5.0;
        const SHARPNESS: f32 = 10.0;
        const WIDTH: f32 = 0.3;
        candidates.softmax();
        if self.settings.target < 0.0 {
            return self.draw.select(candidates);
        }
        self.before.clear();
        self.before.extend(candidates.as_slice().iter().map(|candidate| candidate.p));
        let target = self.target();
        for candidate in candidates.as_mut_slice() {
            if candidate.logit > f32::NEG_INFINITY {
                let distance = ((candidate.p - target) * (1.0 / WIDTH)).abs();
                candidate.logit = PEAK - SHARPNESS * distance * distance / (1.0 + distance);
            }
        }
        candidates.set_sorted(false);
        candidates.softmax();
        self.draw.select(candidates);
        self.drawn =
            candidates.selected().map(|at| (candidates.as_slice()[at].id, self.before[at]));
    }

    fn accept(&mut self, token: TokenId) {
        self.average.keep();
        if let Some((drawn, p)) = self.drawn.take()
            && drawn == token
        {
            let Average { sum, weight } = self.average.now;
            let decay = self.settings.decay;
            self.average.now = Average { sum: p + decay * sum, weight: 1.0 + decay * weight };
        }
    }

    fn rollback(&mut self, tokens: usize) {
        self.average.rollback(tokens);
        self.drawn = None;
    }

    fn reset(&mut self) {
        self.average = Undo::new(Average::new(self.settings));
        self.drawn = None;
        self.draw.reset();
    }

    fn clone_box(&self) -> Box<dyn Sampler> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_average_probability_follows_the_target() {
        let logits = [0.4_f32, 0.25, 0.2, 0.1, 0.05].map(f32::ln);
        let average = |target| {
            let settings = AdaptiveSettings { target, ..AdaptiveSettings::default() };
            let mut sampler = AdaptiveP::new(settings, 3).unwrap();
            let mut sum = 0.0;
            for _ in 0..3_000 {
                let mut candidates = Candidates::from_logits(&logits);
                sampler.apply(&mut candidates);
                let token = candidates.selected_candidate().unwrap().id;
                sampler.accept(token);
                sum += logits[token.index()].exp();
            }
            sum / 3_000.0
        };
        for target in [0.15, 0.2, 0.3] {
            let average = average(target);
            assert!((average - target).abs() < 0.03, "{average} for {target}");
        }
    }

    #[test]
    fn a_clone_goes_on_alike() {
        let settings = AdaptiveSettings { target: 0.4, decay: 0.5 };
        let mut sampler = AdaptiveP::new(settings, 8).unwrap();
        let next = |sampler: &mut dyn Sampler| {
            let mut candidates = Candidates::from_logits(&[0.1, 0.9, 0.4, 0.2]);
            sampler.apply(&mut candidates);
            let token = candidates.selected_candidate().unwrap().id;
            sampler.accept(token);
            token
        };
        (0..5).for_each(|_| _ = next(&mut sampler));
        let mut copy = sampler.clone_box();
        for _ in 0..40 {
            assert_eq!(next(&mut sampler), next(&mut *copy));
        }
    }

    #[test]
    fn odd_candidates_are_no_trouble() {
        for target in [-1.0, 0.0, 0.5, 7.0] {
            let settings = AdaptiveSettings { target, decay: 2.0 };
            for logits in [&[][..], &[1.0], &[f32::NEG_INFINITY; 3], &[f32::NAN, 1.0]] {
                let mut candidates = Candidates::from_logits(logits);
                AdaptiveP::new(settings, 1).unwrap().apply(&mut candidates);
                assert_eq!(candidates.selected().is_some(), !logits.is_empty());
            }
        }
    }
}
