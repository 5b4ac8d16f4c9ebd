//! Texts of a given surprise, by the tokens themselves.

use super::parameter::ParameterError;
use super::surprise::{Bound, MirostatSettings};
use crate::{Candidates, Sampler, TokenId};

/// Mirostat 2: drops the candidates that are more surprising than a bound, at least one stays, and
/// selects one of the others. The bound is that of [`crate::Mirostat`].
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
        let mu = self.bound.mu();
        let first_cut = candidates.as_slice().iter().position(|c| -c.p.log2() > mu);
        if let Some(first_cut) = first_cut {
            candidates.truncate(first_cut.max(1));
        }
        self.bound.select(candidates);
    }

    fn accept(&mut self, token: TokenId) {
        self.bound.accept(token);
    }

    fn rollback(&mut self, tokens: usize) {
        self.bound.rollback(tokens);
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
    use crate::Mirostat;

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
        assert_eq!(mirostat.bound.mu().to_bits(), 10.0_f32.to_bits());
        candidates.set_logits(&[1.0, 2.0, 3.0]);
        mirostat.apply(&mut candidates);
        mirostat.accept(candidates.selected_candidate().unwrap().id);
        assert_ne!(mirostat.bound.mu().to_bits(), 10.0_f32.to_bits());
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
