//! Random choices of one document.

use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

/// The choices of one document: the same seed and number, the same document.
pub(crate) struct Draw {
    rng: ChaCha8Rng,
}

impl Draw {
    /// The choices of document `number` of the stream `seed`.
    pub(crate) fn new(seed: u64, number: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(number);
        Self { rng }
    }

    /// True in `percent` of all cases.
    pub(super) fn chance(&mut self, percent: u32) -> bool {
        self.rng.random_range(0..100) < percent
    }

    /// A whole number between two bounds, both included.
    pub(super) fn int(&mut self, low: i64, high: i64) -> i64 {
        self.rng.random_range(low..=high)
    }

    /// As [`Draw::int`], for sizes.
    pub(super) fn size(&mut self, low: usize, high: usize) -> usize {
        self.rng.random_range(low..=high)
    }

    /// A whole number whose order of magnitude is even: small ones are as frequent as large ones.
    pub(super) fn magnitude(&mut self, high: i64) -> i64 {
        let exponent = self.rng.random_range(0.0..(high as f64 + 1.0).log10());
        (10_f64.powf(exponent) as i64).clamp(1, high)
    }

    /// A number between two bounds with this many decimals.
    pub(super) fn decimal(&mut self, low: f64, high: f64, decimals: i32) -> f64 {
        let factor = 10_f64.powi(decimals);
        (self.rng.random_range(low..=high) * factor).round() / factor
    }

    pub(super) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.rng.random_range(0..of.len())]
    }

    /// This many of the choices, in any order, none twice.
    pub(super) fn some<T: Copy>(&mut self, of: &[T], count: usize) -> Vec<T> {
        let mut places: Vec<usize> = (0..of.len()).collect();
        let (chosen, _) = places.partial_shuffle(&mut self.rng, count.min(of.len()));
        chosen.iter().map(|&place| of[place]).collect()
    }

    pub(super) fn shuffle<T>(&mut self, list: &mut [T]) {
        list.shuffle(&mut self.rng);
    }

    /// Characters out of an alphabet.
    pub(super) fn characters(&mut self, alphabet: &str, count: usize) -> String {
        let alphabet: Vec<char> = alphabet.chars().collect();
        (0..count).map(|_| self.pick(&alphabet)).collect()
    }

    pub(super) fn digits(&mut self, count: usize) -> String {
        self.characters("0123456789", count)
    }

    pub(super) fn hex(&mut self, count: usize) -> String {
        self.characters("0123456789abcdef", count)
    }

    pub(super) fn capitals(&mut self, count: usize) -> String {
        self.characters("ABCDEFGHJKLMNPRSTUVWXYZ", count)
    }
}
