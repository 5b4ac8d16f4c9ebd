//! Texts of a given surprise, by Zipf's law.

use super::parameter::ParameterError;
use super::surprise::{Bound, MirostatSettings};
use crate::{Candidates, Sampler, TokenId};

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
        let k = (epsilon * 2.0_f32.powf(self.bound.mu()) / (1.0 - n.powf(-epsilon))).powf(1.0 / s);
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
