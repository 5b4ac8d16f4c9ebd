//! A hand on the scales.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::parameter::ParameterError;
use crate::{Candidate, Candidates, Reach, Sampler, TokenId};

/// Adds a bias to the logits of given tokens; -inf rules a token out.
///
/// Several biases of one token are all added. Tokens that are no candidates are passed over. A
/// candidate at -inf stays there: what a mask has ruled out no bias brings back. Without any bias it
/// is switched off, else the candidates no longer count as sorted.
///
/// Source: `llama_sampler_logit_bias_apply` of llama.cpp, which keeps the sorted flag, adds only the
/// first of several biases where a candidate's id is not its index, and makes a NaN of -inf + inf.
///
/// ```
/// use grammask_sampler::{Candidates, LogitBias, Sampler, TokenId};
///
/// let mut candidates = Candidates::from_logits(&[1.0, 2.0]);
/// LogitBias::new([(TokenId(0), 2.5), (TokenId(1), f32::NEG_INFINITY)])?.apply(&mut candidates);
/// assert_eq!(candidates.as_slice()[0].logit, 3.5);
/// assert_eq!(candidates.as_slice()[1].logit, f32::NEG_INFINITY);
/// # Ok::<(), grammask_sampler::ParameterError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct LogitBias {
    /// Every bias, those of one token side by side in the order given.
    biases: Vec<(TokenId, f32)>,
    /// Where in `biases` those of a token are.
    places: FxHashMap<TokenId, Range<usize>>,
}

impl LogitBias {
    /// Adds these biases.
    ///
    /// # Errors
    ///
    /// [`ParameterError::BiasNotANumber`], and [`ParameterError::BiasContradicts`] if one token has
    /// both infinities.
    pub fn new(biases: impl IntoIterator<Item = (TokenId, f32)>) -> Result<Self, ParameterError> {
        let mut biases: Vec<(TokenId, f32)> = biases.into_iter().collect();
        biases.sort_by_key(|&(token, _)| token);
        let mut places = FxHashMap::default();
        let mut start = 0;
        for run in biases.chunk_by(|a, b| a.0 == b.0) {
            let token = run[0].0;
            let infinite = |sign: f32| run.iter().any(|(_, bias)| bias * sign >= f32::INFINITY);
            if run.iter().any(|(_, bias)| bias.is_nan()) {
                return Err(ParameterError::BiasNotANumber { token });
            }
            if infinite(1.0) && infinite(-1.0) {
                return Err(ParameterError::BiasContradicts { token });
            }
            places.insert(token, start..start + run.len());
            start += run.len();
        }
        Ok(Self { biases, places })
    }

    fn add(biases: &[(TokenId, f32)], candidate: &mut Candidate) {
        if candidate.logit > f32::NEG_INFINITY {
            for (_, bias) in biases {
                candidate.logit += bias;
            }
        }
    }
}

impl Sampler for LogitBias {
    fn name(&self) -> &'static str {
        if self.biases.is_empty() { "?logit-bias" } else { "logit-bias" }
    }

    fn apply(&mut self, candidates: &mut Candidates) {
        if self.biases.is_empty() {
            return;
        }
        let runs = self.biases.chunk_by(|a, b| a.0 == b.0).map(|run| (run[0].0, run));
        let run = |token| self.places.get(&token).map(|place| &self.biases[place.clone()]);
        candidates.change(runs, run, Self::add);
    }

    fn reach(&self) -> Reach {
        if self.biases.is_empty() { Reach::Off } else { Reach::Each }
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
        fn adds_every_bias_wherever_the_token_is(
            ids in prop::collection::hash_set(0_u32..30, 0..30),
            biases in prop::collection::vec((0_u32..40, -8_i8..8), 0..20),
        ) {
            let biases: Vec<_> =
                biases.into_iter().map(|(id, bias)| (TokenId(id), f32::from(bias))).collect();
            let mut candidates = Candidates::default();
            candidates.set(ids.iter().map(|&id| (TokenId(id), 1.0)));
            let expected: Vec<f32> = candidates
                .as_slice()
                .iter()
                .map(|c| {
                    let own = biases.iter().filter(|(token, _)| *token == c.id);
                    1.0 + own.map(|(_, bias)| bias).sum::<f32>()
                })
                .collect();
            LogitBias::new(biases).unwrap().apply(&mut candidates);
            let logits: Vec<f32> = candidates.as_slice().iter().map(|c| c.logit).collect();
            prop_assert_eq!(logits, expected);
        }
    }

    #[test]
    fn a_sorted_array_is_no_longer_sorted() {
        let mut candidates = Candidates::from_logits(&[3.0, 2.0, 1.0]);
        candidates.set_sorted(true);
        LogitBias::new([(TokenId(2), 5.0)]).unwrap().apply(&mut candidates);
        assert!(!candidates.is_sorted());
    }

    #[test]
    fn what_is_ruled_out_stays_out() {
        let mut candidates = Candidates::from_logits(&[f32::NEG_INFINITY]);
        LogitBias::new([(TokenId(0), f32::INFINITY)]).unwrap().apply(&mut candidates);
        assert!(candidates.as_slice()[0].logit.is_infinite());
    }

    #[test]
    fn settings_are_checked() {
        let new = |biases: &[f32]| LogitBias::new(biases.iter().map(|&b| (TokenId(4), b)));
        let error = new(&[f32::NAN]).unwrap_err();
        assert_eq!(error.to_string(), "the bias of token 4 is not a number");
        let error = new(&[f32::INFINITY, 1.0, f32::NEG_INFINITY]).unwrap_err();
        assert_eq!(error.to_string(), "token 4 has a bias of inf and a bias of -inf");
    }
}
