//! Draws as `std::discrete_distribution` of libstdc++ makes them.

use crate::{Candidates, Discrete, Mt19937};

/// A stream of draws that goes by the probabilities of candidates.
///
/// With a single candidate nothing is drawn, unlike in [`Dist`](crate::Dist).
/// Source: `llama_sample_dist` of llama.cpp.
#[derive(Clone, Debug)]
pub(super) struct Draw {
    seed: u32,
    generator: Mt19937,
    /// Kept between draws, so that nothing is allocated.
    distribution: Discrete,
}

impl Draw {
    pub(super) fn new(seed: u32) -> Self {
        Self { seed, generator: Mt19937::new(seed), distribution: Discrete::default() }
    }

    /// Selects one of the candidates; nothing if there are none.
    pub(super) fn select(&mut self, candidates: &mut Candidates) {
        let weights = candidates.as_slice().iter().map(|candidate| f64::from(candidate.p));
        self.distribution.set_weights(weights);
        let index = self.distribution.draw(&mut self.generator);
        candidates.select(index);
    }

    /// Goes back to the start of the stream.
    pub(super) fn reset(&mut self) {
        self.generator = Mt19937::new(self.seed);
    }
}
