//! Texts of a given surprise.

use super::draw::Draw;
use super::parameter::{ParameterError, finite};
use crate::{Candidates, Sampler, TokenId};

/// The settings of [`Mirostat`] and [`MirostatV2`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MirostatSettings {
    /// The surprise to reach, in bits per token. Default: 5.
    pub tau: f32,
    /// How fast the bound follows what has been drawn. Default: 0.1.
    pub eta: f32,
}

impl Default for MirostatSettings {
    fn default() -> Self {
        Self { tau: 5.0, eta: 0.1 }
    }
}

/// The bound on the surprise, which follows the surprise of the tokens that have come.
#[derive(Clone, Debug)]
struct Bound {
    settings: MirostatSettings,
    mu: f32,
    /// The token drawn last and its surprise, until it is accepted.
    drawn: Option<(TokenId, f32)>,
    draw: Draw,
}

impl Bound {
    fn new(settings: MirostatSettings, seed: u32) -> Result<Self, ParameterError> {
        finite("mirostat", "tau", settings.tau)?;
        finite("mirostat", "eta", settings.eta)?;
        Ok(Self { settings, mu: 2.0 * settings.tau, drawn: None, draw: Draw::new(seed) })
    }

    /// Draws one of the candidates that are left.
    fn select(&mut self, candidates: &mut Candidates) {
        candidates.softmax();
        self.draw.select(candidates);
        self.drawn = candidates.selected_candidate().map(|drawn| (drawn.id, -drawn.p.log2()));
    }

    fn accept(&mut self, token: TokenId) {
        if let Some((drawn, surprise)) = self.drawn.take()
            && drawn == token
        {
            self.mu -= self.settings.eta * (surprise - self.settings.tau);
        }
    }

    fn reset(&mut self) {
        self.mu = 2.0 * self.settings.tau;
        self.drawn = None;
        self.draw.reset();
    }
}

/// Mirostat: keeps as many of the best candidates as give the text a surprise of `tau` bits per token
/// if probabilities fall as Zipf's law has it, and selects one of them.
///
/// How fast they fall is estimated from the first `m` candidates. The bound begins with `2 tau` and
/// moves by `eta` times the error of each token drawn, as soon as the token is accepted. (llama.cpp
/// moves it at once.) A chain ends with it.
/// Source: `llama_sampler_mirostat_apply` of llama.cpp; Basu et al. 2021, "Mirostat: A Neural Text
/// Decoding Algorithm That Directly Controls Perplexity".
///
/// ```
/// use grammask_sampler::{Candidates, Mirostat, MirostatSettings, Sampler};
///
/// let mut mirostat = Mirostat::new(MirostatSettings::default(), 3, 42)?;
/// let mut candidates = Candidates::from_logits(&[1.0, 9.0, 2.0]);
/// mirostat.apply(&mut candidates);
/// assert!(candidates.selected().is_some());
/// # Ok::<(), grammask_sampler::ParameterError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Mirostat {
    bound: Bound,
    vocabulary: usize,
    m: usize,
}

impl Mirostat {
    /// How many candidates the estimate goes by.
    const M: usize = 100;
    /// From here on there is no integer of 32 bits.
    const TOO_LARGE: f32 = 2_147_483_648.0;

    /// With these settings, for a vocabulary of so many ids; the estimate goes by the first 100
    /// candidates.
    ///
    /// # Errors
    ///
    /// [`ParameterError::NotFinite`] if a setting is infinite or no number.
    pub fn new(
        settings: MirostatSettings,
        vocabulary: usize,
        seed: u32,
    ) -> Result<Self, ParameterError> {
        Ok(Self { bound: Bound::new(settings, seed)?, vocabulary, m: Self::M })
    }

    /// The estimate goes by the first `m` candidates.
    #[must_use]
    pub fn with_m(self, m: usize) -> Self {
        Self { m, ..self }
    }

    /// How many candidates to keep.
    #[allow(clippy::cast_precision_loss)] // llama.cpp computes in single precision.
    fn count(&self, candidates: &Candidates) -> usize {
        let data = candidates.as_slice();
        let (mut products, mut squares) = (0.0_f32, 0.0_f32);
        for (at, two) in data.windows(2).take(self.m.saturating_sub(1)).enumerate() {
            let t = ((at + 2) as f32 / (at + 1) as f32).ln();
            let b = (two[0].p / two[1].p).ln();
            products += t * b;
            squares += t * t;
        }
        let s = products / squares;
        let epsilon = s - 1.0;
        let n = self.vocabulary as f32;
        let k = (epsilon * 2.0_f32.powf(self.bound.mu) / (1.0 - n.powf(-epsilon))).powf(1.0 / s);
        // What C++ cannot convert becomes the least integer.
        if k < Self::TOO_LARGE { (k as i64).max(1).cast_unsigned() as usize } else { 1 }
    }
}

impl Sampler for Mirostat {
    fn name(&self) -> &'static str {
        "mirostat"
    }

    fn apply(&mut self, candidates: &mut Candidates) {
        candidates.sort_logits();
        candidates.softmax();
        let count = self.count(candidates);
        candidates.truncate(count);
        self.bound.select(candidates);
    }

    fn accept(&mut self, token: TokenId) {
        self.bound.accept(token);
    }

    fn reset(&mut self) {
        self.bound.reset();
    }

    fn clone_box(&self) -> Box<dyn Sampler> {
        Box::new(self.clone())
    }
}

/// Mirostat 2: drops the candidates that are more surprising than a bound, at least one stays, and
/// selects one of the others. The bound is that of [`Mirostat`].
///
/// Source: `llama_sampler_mirostat_v2_apply` of llama.cpp.
///
/// ```
/// use grammask_sampler::{Candidates, MirostatSettings, MirostatV2, Sampler, TokenId};
///
/// // A surprise of 2 bits at most, at first: a quarter.
/// let settings = MirostatSettings { tau: 1.0, eta: 0.1 };
/// let mut mirostat = MirostatV2::new(settings, 42)?;
/// let mut candidates = Candidates::from_logits(&[0.1_f32.ln(), 0.7_f32.ln(), 0.2_f32.ln()]);
/// mirostat.apply(&mut candidates);
/// assert_eq!(candidates.selected_candidate().map(|c| c.id), Some(TokenId(1)));
/// # Ok::<(), grammask_sampler::ParameterError>(())
/// ```
#[derive(Clone, Debug)]
pub struct MirostatV2 {
    bound: Bound,
}

impl MirostatV2 {
    /// With these settings; draws with a seed.
    ///
    /// # Errors
    ///
    /// [`ParameterError::NotFinite`] if a setting is infinite or no number.
    pub fn new(settings: MirostatSettings, seed: u32) -> Result<Self, ParameterError> {
        Ok(Self { bound: Bound::new(settings, seed)? })
    }
}

impl Sampler for MirostatV2 {
    fn name(&self) -> &'static str {
        "mirostat-v2"
    }

    fn apply(&mut self, candidates: &mut Candidates) {
        candidates.sort_logits();
        candidates.softmax();
        let mu = self.bound.mu;
        let first_cut = candidates.as_slice().iter().position(|c| -c.p.log2() > mu);
        if let Some(first_cut) = first_cut {
            candidates.truncate(first_cut.max(1));
        }
        self.bound.select(candidates);
    }

    fn accept(&mut self, token: TokenId) {
        self.bound.accept(token);
    }

    fn reset(&mut self) {
        self.bound.reset();
    }

    fn clone_box(&self) -> Box<dyn Sampler> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean surprise of many tokens, in bits, by the candidates as they were.
    fn surprise(sampler: &mut dyn Sampler, logits: &[f32]) -> f32 {
        const TOKENS: u16 = 4_000;
        let mut all = Candidates::from_logits(logits);
        all.softmax();
        let mut sum = 0.0;
        for _ in 0..TOKENS {
            let mut candidates = Candidates::from_logits(logits);
            sampler.apply(&mut candidates);
            let token = candidates.selected_candidate().unwrap().id;
            sampler.accept(token);
            sum -= all.as_slice()[token.index()].p.log2();
        }
        sum / f32::from(TOKENS)
    }

    #[test]
    fn the_surprise_is_held() {
        // Zipf's law.
        let logits: Vec<f32> = (1..2_000_u16).map(|rank| -f32::from(rank).ln()).collect();
        for tau in [3.0, 5.0] {
            let settings = MirostatSettings { tau, eta: 0.05 };
            let reached = surprise(&mut MirostatV2::new(settings, 1).unwrap(), &logits);
            // What is left after the cut is made likelier, which the bound goes by.
            assert!((tau - 0.2..tau + 2.0).contains(&reached), "{reached} for {tau}");
            let reached = surprise(&mut Mirostat::new(settings, 2_000, 1).unwrap(), &logits);
            assert!((tau - 0.2..tau + 2.0).contains(&reached), "{reached} for {tau}");
        }
    }

    #[test]
    fn a_refused_draw_does_not_move_the_bound() {
        let mut mirostat = MirostatV2::new(MirostatSettings::default(), 5).unwrap();
        let mut candidates = Candidates::from_logits(&[1.0, 2.0, 3.0]);
        mirostat.apply(&mut candidates);
        let token = candidates.selected_candidate().unwrap().id;
        mirostat.accept(TokenId(token.0 + 1));
        assert_eq!(mirostat.bound.mu.to_bits(), 10.0_f32.to_bits());
        candidates.set_logits(&[1.0, 2.0, 3.0]);
        mirostat.apply(&mut candidates);
        mirostat.accept(candidates.selected_candidate().unwrap().id);
        assert_ne!(mirostat.bound.mu.to_bits(), 10.0_f32.to_bits());
    }

    #[test]
    fn odd_candidates_are_no_trouble() {
        for logits in
            [&[][..], &[1.0], &[f32::NEG_INFINITY; 3], &[f32::NAN, 1.0], &[f32::INFINITY, 0.0]]
        {
            let mut one = Mirostat::new(MirostatSettings::default(), 3, 1).unwrap().with_m(0);
            let mut two = MirostatV2::new(MirostatSettings::default(), 1).unwrap();
            for sampler in [&mut one as &mut dyn Sampler, &mut two] {
                let mut candidates = Candidates::from_logits(logits);
                sampler.apply(&mut candidates);
                assert_eq!(candidates.selected().is_some(), !logits.is_empty());
            }
        }
    }
}
