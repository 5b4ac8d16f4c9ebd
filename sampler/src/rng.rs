//! Random numbers bit for bit as llama.cpp draws them: `std::mt19937` and the distributions of
//! libstdc++ (other C++ libraries draw differently from the same engine).

use std::convert::Infallible;

use rand::{Rng, SeedableRng, TryRng};

/// Words of state, and the offset of the word that is mixed in. (Matsumoto and Nishimura 1998)
const STATE: usize = 624;
const SHIFT: usize = 397;

/// The Mersenne Twister, 32-bit: the same numbers as C++'s `std::mt19937` with the same seed.
///
/// ```
/// use grammask_sampler::Mt19937;
/// use rand::Rng;
///
/// let mut generator = Mt19937::new(5489);
/// let last = (0..10_000).map(|_| generator.next_u32()).last();
/// assert_eq!(last, Some(4_123_659_995)); // required by the C++ standard
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Mt19937 {
    state: [u32; STATE],
    next: usize,
}

impl Mt19937 {
    /// The generator seeded with one number, as `std::mt19937 rng(seed)`.
    pub fn new(seed: u32) -> Self {
        let mut state = [seed; STATE];
        for i in 1..STATE {
            let previous = state[i - 1];
            state[i] =
                (previous ^ (previous >> 30)).wrapping_mul(1_812_433_253).wrapping_add(i as u32);
        }
        Self { state, next: STATE }
    }

    /// Replaces all words of the state by their successors.
    fn twist(&mut self) {
        for i in 0..STATE {
            let mixed = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % STATE] & 0x7fff_ffff);
            let odd = if mixed & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[i] = self.state[(i + SHIFT) % STATE] ^ (mixed >> 1) ^ odd;
        }
        self.next = 0;
    }

    /// The next 32 bits.
    fn draw(&mut self) -> u32 {
        if self.next == STATE {
            self.twist();
        }
        let mut word = self.state[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }
}

impl std::fmt::Debug for Mt19937 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mt19937").field("next", &self.next).finish_non_exhaustive()
    }
}

impl TryRng for Mt19937 {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.draw())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let low = u64::from(self.draw());
        Ok(low | u64::from(self.draw()) << 32)
    }

    fn try_fill_bytes(&mut self, target: &mut [u8]) -> Result<(), Infallible> {
        for chunk in target.chunks_mut(4) {
            chunk.copy_from_slice(&self.draw().to_le_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}

impl SeedableRng for Mt19937 {
    /// One 32-bit number, little-endian.
    type Seed = [u8; 4];

    fn from_seed(seed: Self::Seed) -> Self {
        Self::new(u32::from_le_bytes(seed))
    }

    /// Seeds with the low 32 bits, as C++ does when the seed is wider than the engine's word.
    fn seed_from_u64(seed: u64) -> Self {
        Self::new(seed as u32)
    }
}

/// A number in [0, 1) as libstdc++'s `generate_canonical<double, 53>` makes it of two 32-bit draws.
///
/// ```
/// use grammask_sampler::{Mt19937, uniform_f64};
///
/// assert_eq!(uniform_f64(&mut Mt19937::new(42)), 0.796_542_984_287_846);
/// ```
pub fn uniform_f64<R: Rng + ?Sized>(generator: &mut R) -> f64 {
    const WORD: f64 = 4_294_967_296.0;
    let low = f64::from(generator.next_u32());
    let high = f64::from(generator.next_u32());
    // The sum is rounded, so that it can reach 2^64.
    ((low + high * WORD) / (WORD * WORD)).min(1.0_f64.next_down())
}

/// A number in [0, 1) as libstdc++'s `generate_canonical<float, 24>` makes it of one 32-bit draw.
///
/// ```
/// use grammask_sampler::{Mt19937, uniform_f32};
///
/// assert_eq!(uniform_f32(&mut Mt19937::new(42)), 0.374_540_12);
/// ```
#[allow(clippy::cast_precision_loss)] // The rounding is what C++ does.
pub fn uniform_f32<R: Rng + ?Sized>(generator: &mut R) -> f32 {
    (generator.next_u32() as f32 / 4_294_967_296.0).min(1.0_f32.next_down())
}

/// Indices drawn with given weights, as libstdc++'s `std::discrete_distribution`.
///
/// The table is kept between uses, so that filling it again allocates nothing.
///
/// ```
/// use grammask_sampler::{Discrete, Mt19937};
///
/// let mut distribution = Discrete::default();
/// distribution.set_weights([0.1, 0.2, 0.3, 0.25, 0.15]);
/// let mut generator = Mt19937::new(42);
/// let draws: Vec<usize> = (0..5).map(|_| distribution.draw(&mut generator)).collect();
/// assert_eq!(draws, [3, 1, 3, 2, 2]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Discrete {
    cumulative: Vec<f64>,
}

impl Discrete {
    /// Takes new weights; they need not sum to 1.
    pub fn set_weights(&mut self, weights: impl IntoIterator<Item = f64>) {
        self.cumulative.clear();
        self.cumulative.extend(weights);
        let sum: f64 = self.cumulative.iter().sum();
        let mut running = 0.0;
        for weight in &mut self.cumulative {
            running += *weight / sum;
            *weight = running;
        }
        if let Some(last) = self.cumulative.last_mut() {
            *last = 1.0;
        }
    }

    /// The next index. With fewer than two weights it is 0 and nothing is drawn.
    pub fn draw<R: Rng + ?Sized>(&self, generator: &mut R) -> usize {
        if self.cumulative.len() < 2 {
            return 0;
        }
        let target = uniform_f64(generator);
        // C++ searches by halves, which is the same wherever the sums are ordered (not for NaN).
        let index = self.cumulative.partition_point(|&sum| sum < target);
        index.min(self.cumulative.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_numbers_of_seed_1234_differ_from_those_of_seed_42() {
        let first = |seed| Mt19937::new(seed).next_u32();
        assert_eq!(first(42), 1_608_637_542);
        assert_ne!(first(1234), first(42));
    }

    #[test]
    fn seeds_of_rand_are_seeds_of_the_engine() {
        assert_eq!(Mt19937::seed_from_u64(42), Mt19937::new(42));
        assert_eq!(Mt19937::seed_from_u64((7 << 32) + 42), Mt19937::new(42));
        assert_eq!(Mt19937::from_seed([42, 0, 0, 0]), Mt19937::new(42));
    }

    #[test]
    fn words_and_bytes_come_from_the_same_stream() {
        let mut words = Mt19937::new(3);
        let expected: Vec<u8> = (0..3).flat_map(|_| words.next_u32().to_le_bytes()).collect();
        let mut bytes = [0; 10];
        Mt19937::new(3).fill_bytes(&mut bytes);
        assert_eq!(bytes, expected[..10]);
        let double = Mt19937::new(3).next_u64().to_le_bytes();
        assert_eq!(double, expected[..8]);
    }

    #[test]
    fn uniform_numbers_are_those_of_libstdcxx() {
        let mut generator = Mt19937::new(42);
        assert_eq!(uniform_f64(&mut generator).to_bits(), 0.796_542_984_287_846_f64.to_bits());
        assert_eq!(uniform_f64(&mut generator).to_bits(), 0.183_434_787_893_368_48_f64.to_bits());
    }

    #[test]
    fn numbers_stay_below_one() {
        struct Ones;
        impl TryRng for Ones {
            type Error = Infallible;
            fn try_next_u32(&mut self) -> Result<u32, Infallible> {
                Ok(u32::MAX)
            }
            fn try_next_u64(&mut self) -> Result<u64, Infallible> {
                Ok(u64::MAX)
            }
            fn try_fill_bytes(&mut self, target: &mut [u8]) -> Result<(), Infallible> {
                target.fill(u8::MAX);
                Ok(())
            }
        }
        assert!(uniform_f64(&mut Ones) < 1.0);
        assert!(uniform_f32(&mut Ones) < 1.0);
    }

    #[test]
    fn discrete_draws_are_those_of_libstdcxx() {
        let mut distribution = Discrete::default();
        distribution.set_weights([0.1, 0.2, 0.3, 0.25, 0.15]);
        let mut generator = Mt19937::new(42);
        let draws: Vec<usize> = (0..10).map(|_| distribution.draw(&mut generator)).collect();
        assert_eq!(draws, [3, 1, 3, 2, 2, 0, 2, 2, 1, 3]);
    }

    #[test]
    fn one_weight_draws_nothing() {
        let mut distribution = Discrete::default();
        let mut generator = Mt19937::new(1);
        assert_eq!(distribution.draw(&mut generator), 0);
        distribution.set_weights([3.0]);
        assert_eq!(distribution.draw(&mut generator), 0);
        assert_eq!(generator, Mt19937::new(1));
    }

    #[test]
    fn weights_without_a_sum_do_not_panic() {
        let mut distribution = Discrete::default();
        for weights in [[0.0, 0.0], [f64::NAN, 1.0], [f64::INFINITY, 1.0]] {
            distribution.set_weights(weights);
            assert!(distribution.draw(&mut Mt19937::new(1)) < 2);
        }
    }
}
