//! A token at random.

use rand::Rng;

use crate::{Candidates, Mt19937, Sampler, uniform_f64};

/// Selects a candidate at random, each with its probability, and writes the probabilities.
///
/// Two 32-bit numbers are drawn per step, also for a single candidate; none without candidates. With
/// [`Mt19937`], the default, the draws are llama.cpp's own. Any generator of `rand` can take its
/// place. A candidate at -inf, which is also what a NaN counts as, is selected only if there is no
/// other: then the last one is.
/// Source: `llama_sampler_dist_apply` of llama.cpp.
///
/// ```
/// use grammask_sampler::{Candidates, Dist, Sampler};
///
/// let mut candidates = Candidates::from_logits(&[1.0, 1.0, f32::NEG_INFINITY]);
/// Dist::new(42).apply(&mut candidates);
/// assert_eq!(candidates.selected(), Some(1));
/// assert_eq!(candidates.as_slice()[0].p, 0.5);
/// ```
#[derive(Clone, Debug)]
pub struct Dist<R = Mt19937> {
    generator: R,
    start: R,
}

impl Dist {
    /// Draws as llama.cpp does with this seed. (Its seed 0xFFFFFFFF, "take a random one", is a seed
    /// like any other here.)
    pub fn new(seed: u32) -> Self {
        Self::with_generator(Mt19937::new(seed))
    }
}

impl<R: Rng + Clone> Dist<R> {
    /// Draws with a generator; [`Sampler::reset`] goes back to its present state.
    pub fn with_generator(generator: R) -> Self {
        Self { start: generator.clone(), generator }
    }
}

impl<R: Rng + Clone + Send + 'static> Sampler for Dist<R> {
    fn name(&self) -> &'static str {
        "dist"
    }

    fn apply(&mut self, candidates: &mut Candidates) {
        let Some(max) = candidates.max_logit() else { return };
        let draw = uniform_f64(&mut self.generator);
        let data = candidates.as_mut_slice();
        if let [only] = data {
            only.p = 1.0;
            return candidates.select(0);
        }
        let mut sum = 0.0_f64;
        for candidate in &mut *data {
            candidate.p = (candidate.logit.max(f32::NEG_INFINITY) - max).exp();
            sum += f64::from(candidate.p);
        }
        let target = sum * draw;
        let mut selected = None;
        let mut running = 0.0_f64;
        for (index, candidate) in data.iter_mut().enumerate() {
            if selected.is_none() {
                running += f64::from(candidate.p);
                // A draw of exactly 0 must not hit what has no probability.
                if running >= target && candidate.p > 0.0 {
                    selected = Some(index);
                }
            }
            candidate.p = (f64::from(candidate.p) / sum) as f32;
        }
        let last = data.len() - 1;
        candidates.select(selected.unwrap_or(last));
    }

    fn reset(&mut self) {
        self.generator = self.start.clone();
    }

    fn draws(&self) -> bool {
        true
    }

    fn clone_box(&self) -> Box<dyn Sampler> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TokenId;
    use rand::TryRng;
    use std::convert::Infallible;

    /// Always the same 32 bits.
    #[derive(Clone)]
    struct Constant(u32);

    impl TryRng for Constant {
        type Error = Infallible;
        fn try_next_u32(&mut self) -> Result<u32, Infallible> {
            Ok(self.0)
        }
        fn try_next_u64(&mut self) -> Result<u64, Infallible> {
            Ok(u64::from(self.0))
        }
        fn try_fill_bytes(&mut self, target: &mut [u8]) -> Result<(), Infallible> {
            target.fill(self.0 as u8);
            Ok(())
        }
    }

    fn select(sampler: &mut impl Sampler, logits: &[f32]) -> Option<usize> {
        let mut candidates = Candidates::from_logits(logits);
        sampler.apply(&mut candidates);
        candidates.selected()
    }

    #[test]
    fn extreme_draws_hit_the_first_and_the_last_possible_candidate() {
        let out = f32::NEG_INFINITY;
        let logits = [f32::NAN, 1.0, 2.0, out];
        assert_eq!(select(&mut Dist::with_generator(Constant(0)), &logits), Some(1));
        assert_eq!(select(&mut Dist::with_generator(Constant(u32::MAX)), &logits), Some(2));
    }

    #[test]
    fn frequencies_follow_the_probabilities() {
        let mut dist = Dist::new(7);
        let logits = [0.1_f32.ln(), 0.7_f32.ln(), 0.2_f32.ln()];
        let mut counts = [0_i32; 3];
        for _ in 0..20_000 {
            counts[select(&mut dist, &logits).unwrap()] += 1;
        }
        for (count, expected) in counts.into_iter().zip([2_000, 14_000, 4_000]) {
            assert!((count - expected).abs() < 300, "{counts:?}");
        }
    }

    #[test]
    fn one_candidate_costs_a_draw_and_none_costs_nothing() {
        let mut once = Dist::new(5);
        assert_eq!(select(&mut once, &[3.0]), Some(0));
        let mut twice = Mt19937::new(5);
        twice.next_u32();
        twice.next_u32();
        assert_eq!(once.generator, twice);
        assert_eq!(select(&mut once, &[]), None);
        assert_eq!(once.generator, twice);
    }

    #[test]
    fn with_nothing_possible_the_last_is_selected() {
        let mut candidates = Candidates::from_logits(&[f32::NEG_INFINITY; 3]);
        Dist::new(1).apply(&mut candidates);
        assert_eq!(candidates.selected_candidate().unwrap().id, TokenId(2));
        assert!(candidates.as_slice()[0].p.is_nan());
    }
}
