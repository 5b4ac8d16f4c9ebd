//! Always the best token.

use crate::{Candidates, Reach, Sampler};

/// Selects the candidate with the greatest logit, the first one of several.
///
/// Nothing is selected if there are no candidates. No parameters, no state, no random numbers.
/// Source: `llama_sampler_greedy_apply` of llama.cpp.
///
/// ```
/// use grammask_sampler::{Candidates, Greedy, Sampler, TokenId};
///
/// let mut candidates = Candidates::from_logits(&[0.5, 2.0, 2.0]);
/// Greedy.apply(&mut candidates);
/// assert_eq!(candidates.selected(), Some(1));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Greedy;

impl Sampler for Greedy {
    fn name(&self) -> &'static str {
        "greedy"
    }

    fn apply(&mut self, candidates: &mut Candidates) {
        let mut best = 0;
        let mut best_logit = f32::NEG_INFINITY;
        for (index, candidate) in candidates.as_slice().iter().enumerate() {
            if candidate.logit > best_logit {
                (best, best_logit) = (index, candidate.logit);
            }
        }
        candidates.select(best);
    }

    fn reach(&self) -> Reach {
        Reach::First
    }

    fn clone_box(&self) -> Box<dyn Sampler> {
        Box::new(*self)
    }
}
