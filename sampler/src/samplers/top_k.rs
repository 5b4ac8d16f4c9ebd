//! The k best candidates.

use crate::{Candidates, Reach, Sampler};

/// Keeps the `k` candidates with the greatest logits, and sorts them.
///
/// Default: 40. With `k` of 0 or less it is switched off. Among equal logits the order, and so who
/// stays, is that of libstdc++'s `std::partial_sort`. Computes no probabilities.
/// Source: `llama_sampler_top_k_impl` of llama.cpp.
///
/// ```
/// use grammask_sampler::{Candidates, Sampler, TopK};
///
/// let mut candidates = Candidates::from_logits(&[0.5, 2.0, 1.0]);
/// TopK::new(2).apply(&mut candidates);
/// let ids: Vec<u32> = candidates.as_slice().iter().map(|c| c.id.0).collect();
/// assert_eq!(ids, [1, 2]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TopK {
    k: i32,
}

impl TopK {
    /// Keeps `k` candidates; 0 or less: all, in their order.
    pub fn new(k: i32) -> Self {
        Self { k }
    }
}

impl Default for TopK {
    fn default() -> Self {
        Self::new(40)
    }
}

impl Sampler for TopK {
    fn name(&self) -> &'static str {
        if self.k > 0 { "top-k" } else { "?top-k" }
    }

    fn apply(&mut self, candidates: &mut Candidates) {
        if let Ok(k @ 1..) = usize::try_from(self.k) {
            candidates.partial_sort(k);
        }
    }

    fn reach(&self) -> Reach {
        usize::try_from(self.k).ok().filter(|&k| k > 0).map_or(Reach::Off, Reach::Best)
    }

    fn clone_box(&self) -> Box<dyn Sampler> {
        Box::new(*self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nothing_that_stays_is_worse_than_what_goes(
            logits in prop::collection::vec(-5.0_f32..5.0, 0..60),
            k in -2_i32..70,
        ) {
            let mut candidates = Candidates::from_logits(&logits);
            TopK::new(k).apply(&mut candidates);
            let mut expected = logits.clone();
            if k > 0 {
                expected.sort_by(|a, b| b.total_cmp(a));
                expected.truncate(k.unsigned_abs() as usize);
            }
            let kept: Vec<f32> = candidates.as_slice().iter().map(|c| c.logit).collect();
            prop_assert_eq!(kept, expected);
        }
    }
}
