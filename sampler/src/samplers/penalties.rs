//! Less of what has been said.

use rustc_hash::FxHashMap;

use super::history::Window;
use super::parameter::{ParameterError, finite};
use crate::{Candidate, Candidates, Reach, Sampler, TokenId};

/// The settings of [`Penalties`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PenaltySettings {
    /// How many of the last tokens count, prompt included. Default: 64. 0 or less: switched off.
    pub last_n: i32,
    /// What the logit of a seen token is divided by (multiplied by, if it is not positive), above 0.
    /// Default: 1, no change.
    pub repeat: f32,
    /// What is subtracted per occurrence. Default: 0.
    pub frequency: f32,
    /// What is subtracted once. Default: 0.
    pub presence: f32,
}

impl Default for PenaltySettings {
    fn default() -> Self {
        Self { last_n: 64, repeat: 1.0, frequency: 0.0, presence: 0.0 }
    }
}

/// Lowers the logits of the tokens that were accepted lately.
///
/// `logit > 0 ? logit / repeat : logit * repeat`, then minus
/// `count * frequency + presence`, for every candidate that is among the last `last_n` tokens. The
/// candidates no longer count as sorted, unless the settings switch it off.
/// Source: `llama_sampler_penalties_apply` of llama.cpp.
///
/// ```
/// use grammask_sampler::{Candidates, Penalties, PenaltySettings, Sampler, TokenId};
///
/// let settings = PenaltySettings { presence: 0.5, ..PenaltySettings::default() };
/// let mut penalties = Penalties::new(settings)?;
/// penalties.accept(TokenId(1));
/// let mut candidates = Candidates::from_logits(&[1.0, 2.0]);
/// penalties.apply(&mut candidates);
/// assert_eq!(candidates.as_slice()[1].logit, 1.5);
/// # Ok::<(), grammask_sampler::ParameterError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Penalties {
    settings: PenaltySettings,
    window: Window,
    /// The distinct tokens of the window, and how often each is there.
    counts: Vec<(TokenId, u32)>,
    /// Where in `counts` a token is.
    places: FxHashMap<TokenId, usize>,
}

impl Penalties {
    /// Penalties with these settings and nothing accepted yet.
    ///
    /// # Errors
    ///
    /// [`ParameterError::NotPositive`] if `repeat` is not a finite number above 0;
    /// [`ParameterError::NotFinite`] if one of the others is not finite.
    pub fn new(settings: PenaltySettings) -> Result<Self, ParameterError> {
        let PenaltySettings { repeat, frequency, presence, .. } = settings;
        if !(repeat > 0.0 && repeat.is_finite()) {
            return Err(ParameterError::NotPositive {
                sampler: "penalties",
                parameter: "repeat",
                value: repeat,
            });
        }
        finite("penalties", "frequency", frequency)?;
        finite("penalties", "presence", presence)?;
        Ok(Self { settings, ..Self::default() })
    }

    #[allow(clippy::float_cmp)] // Exactly 1 and 0 are what change nothing.
    fn is_off(&self) -> bool {
        let PenaltySettings { last_n, repeat, frequency, presence } = self.settings;
        last_n <= 0 || (repeat == 1.0 && frequency == 0.0 && presence == 0.0)
    }

    /// Counts a token that enters the window.
    fn count(&mut self, token: TokenId) {
        let place = *self.places.entry(token).or_insert(self.counts.len());
        if place == self.counts.len() {
            self.counts.push((token, 0));
        }
        self.counts[place].1 += 1;
    }

    /// Counts a token no more that has left the window.
    fn discount(&mut self, token: TokenId) {
        let Some(&place) = self.places.get(&token) else { return };
        self.counts[place].1 -= 1;
        if self.counts[place].1 == 0 {
            self.places.remove(&token);
            self.counts.swap_remove(place);
            if let Some((moved, _)) = self.counts.get(place) {
                self.places.insert(*moved, place);
            }
        }
    }

    #[allow(clippy::cast_precision_loss)] // llama.cpp computes in single precision.
    fn penalise(settings: PenaltySettings, count: u32, candidate: &mut Candidate) {
        if candidate.logit <= 0.0 {
            candidate.logit *= settings.repeat;
        } else {
            candidate.logit /= settings.repeat;
        }
        candidate.logit -= count as f32 * settings.frequency + settings.presence;
    }
}

impl Sampler for Penalties {
    fn name(&self) -> &'static str {
        if self.is_off() { "?penalties" } else { "penalties" }
    }

    fn apply(&mut self, candidates: &mut Candidates) {
        if self.is_off() {
            return;
        }
        let count = |token| self.places.get(&token).map(|&place| self.counts[place].1);
        candidates.change(self.counts.iter().copied(), count, |count, candidate| {
            Self::penalise(self.settings, count, candidate);
        });
    }

    fn accept(&mut self, token: TokenId) {
        if self.is_off() {
            return;
        }
        let capacity = usize::try_from(self.settings.last_n).unwrap_or(0);
        if let Some(leaving) = self.window.push(token, capacity) {
            self.discount(leaving);
        }
        self.count(token);
    }

    fn rollback(&mut self, tokens: usize) {
        for _ in 0..tokens {
            let Some((token, returning)) = self.window.pop() else { return };
            self.discount(token);
            if let Some(token) = returning {
                self.count(token);
            }
        }
    }

    fn reset(&mut self) {
        self.window.clear();
        self.counts.clear();
        self.places.clear();
    }

    fn reach(&self) -> Reach {
        if self.is_off() { Reach::Off } else { Reach::Each }
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
        fn penalises_what_the_window_holds(
            last_n in 1_i32..8,
            history in prop::collection::vec(0_u32..6, 0..30),
            ids in prop::collection::hash_set(0_u32..8, 0..8),
        ) {
            let settings =
                PenaltySettings { last_n, repeat: 2.0, frequency: 0.25, presence: 0.5 };
            let mut penalties = Penalties::new(settings).unwrap();
            for &id in &history {
                penalties.accept(TokenId(id));
            }
            let window = &history[history.len().saturating_sub(last_n.unsigned_abs() as usize)..];
            let mut candidates = Candidates::default();
            candidates.set(ids.iter().map(|&id| (TokenId(id), f32::from(id as u8) - 2.0)));
            let expected: Vec<f32> = candidates
                .as_slice()
                .iter()
                .map(|c| {
                    let count = window.iter().filter(|&&id| id == c.id.0).count();
                    match (count, c.logit > 0.0) {
                        (0, _) => c.logit,
                        (_, true) => c.logit / 2.0 - (0.25 * f32::from(count as u8) + 0.5),
                        (_, false) => c.logit * 2.0 - (0.25 * f32::from(count as u8) + 0.5),
                    }
                })
                .collect();
            penalties.apply(&mut candidates);
            let logits: Vec<f32> = candidates.as_slice().iter().map(|c| c.logit).collect();
            prop_assert_eq!(logits, expected);
        }
    }

    #[test]
    fn settings_are_checked() {
        let with = |repeat, frequency| {
            let settings = PenaltySettings { repeat, frequency, ..PenaltySettings::default() };
            Penalties::new(settings).map_err(|error| error.to_string()).err()
        };
        let repeat = "repeat of sampler penalties must be a finite number above 0, not ";
        assert_eq!(with(0.0, 0.0), Some(format!("{repeat}0")));
        assert_eq!(with(f32::NAN, 0.0), Some(format!("{repeat}NaN")));
        assert_eq!(with(f32::INFINITY, 0.0), Some(format!("{repeat}inf")));
        let frequency = "frequency of sampler penalties must be a finite number, not NaN";
        assert_eq!(with(1.0, f32::NAN), Some(frequency.to_owned()));
        assert_eq!(with(1.1, -0.5), None);
    }

    #[test]
    fn a_full_window_stays_small() {
        let settings = PenaltySettings { last_n: 3, repeat: 1.1, ..PenaltySettings::default() };
        let mut penalties = Penalties::new(settings).unwrap();
        for id in 0..100 {
            penalties.accept(TokenId(id));
        }
        assert_eq!(
            (penalties.window.newest_first().len(), penalties.counts.len(), penalties.places.len()),
            (3, 3, 3)
        );
        penalties.accept(TokenId(u32::MAX));
        penalties.apply(&mut Candidates::from_logits(&[1.0]));
    }
}
