//! Less of what would go on repeating.

use std::cmp::Reverse;

use super::dry_breakers::DryBreakers;
use super::history::Window;
use super::parameter::{ParameterError, finite};
use crate::{Candidates, Reach, Sampler, TokenId};

/// The settings of [`Dry`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrySettings {
    /// What is subtracted from the logit of a token that goes on with a repeat of `allowed_length`.
    /// Default: 0, switched off.
    pub multiplier: f32,
    /// How much more that is for each further token of the repeat, as a factor. Default: 1.75. Below
    /// 1: switched off.
    pub base: f32,
    /// How many tokens may be repeated before the next one is penalised. Default: 2.
    pub allowed_length: i32,
    /// In how many of the last tokens repeats are looked for, prompt included. Default: 64. 0 or
    /// less: switched off. [`i32::MAX`]: in all.
    pub last_n: i32,
}

impl Default for DrySettings {
    fn default() -> Self {
        Self { multiplier: 0.0, base: 1.75, allowed_length: 2, last_n: 64 }
    }
}

impl DrySettings {
    #[allow(clippy::float_cmp)] // Exactly 0 is what changes nothing.
    pub(crate) fn is_off(self) -> bool {
        self.multiplier == 0.0 || self.base < 1.0 || self.last_n <= 0
    }

    /// By how many tokens a repeat is longer than what is always allowed; below 0 if it is shorter.
    fn excess(self, length: usize) -> i64 {
        // No repeat is longer than `last_n`.
        i64::from(length as u32) - i64::from(self.allowed_length)
    }

    #[allow(clippy::cast_precision_loss)] // llama.cpp computes in single precision.
    fn penalty(self, length: usize) -> f32 {
        // With this the power just does not overflow.
        let greatest = (f32::MAX.ln() / self.base.ln()).trunc();
        self.multiplier * self.base.powf((self.excess(length) as f32).min(greatest))
    }
}

/// Lowers the logits of the tokens that would go on with a repeat ("don't repeat yourself").
///
/// If the last `length` tokens are the same as earlier ones, and a token came behind these, its logit
/// is lowered by `multiplier * base^(length - allowed_length)`, for the longest such repeat of at
/// least `allowed_length`. The power stays below [`f32::MAX`]. Repeats are looked for in the last
/// `last_n` tokens; they do not go back over the last breaker, and a token that is a breaker by itself
/// is left as it is. The candidates no longer count as sorted, unless there is too little to look at.
/// Source: `llama_sampler_dry_apply` of llama.cpp.
///
/// ```
/// use grammask_sampler::{Candidates, Dry, DryBreakers, DrySettings, Sampler, TokenId};
///
/// let settings = DrySettings { multiplier: 0.5, ..DrySettings::default() };
/// let mut dry = Dry::new(settings, DryBreakers::default())?;
/// for id in [0, 1, 2, 0, 1] {
///     dry.accept(TokenId(id));
/// }
/// let mut candidates = Candidates::from_logits(&[1.0, 1.0, 1.0]);
/// dry.apply(&mut candidates);
/// assert_eq!(candidates.as_slice()[2].logit, 0.5);
/// # Ok::<(), grammask_sampler::ParameterError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Dry {
    settings: DrySettings,
    breakers: DryBreakers,
    window: Window,
    /// For each of them how many tokens from there on are the same as the newest ones.
    lengths: Vec<usize>,
    /// The tokens that would go on with a repeat, in order, and how long it is.
    repeats: Vec<(TokenId, usize)>,
}

impl Dry {
    /// Penalties with these settings and breakers, and nothing accepted yet.
    ///
    /// # Errors
    ///
    /// [`ParameterError::NotFinite`] if `multiplier` or `base` is infinite or no number.
    pub fn new(settings: DrySettings, breakers: DryBreakers) -> Result<Self, ParameterError> {
        finite("dry", "multiplier", settings.multiplier)?;
        finite("dry", "base", settings.base)?;
        Ok(Self { settings, breakers, ..Self::default() })
    }
}

impl Sampler for Dry {
    fn name(&self) -> &'static str {
        if self.settings.is_off() { "?dry" } else { "dry" }
    }

    fn apply(&mut self, candidates: &mut Candidates) {
        let settings = self.settings;
        if settings.is_off() {
            return;
        }
        let recent = self.window.newest_first();
        let longest = self.breakers.behind_last(recent);
        if settings.excess(recent.len()) <= 0 || settings.excess(longest) < 0 {
            return;
        }
        same_as_start(recent, &mut self.lengths);
        self.repeats.clear();
        // The token before a repeat is the one that came next, as the newest is the first.
        for (&next, length) in recent.iter().zip(self.lengths.iter().skip(1)) {
            let length = *length.min(&longest);
            if settings.excess(length) >= 0 {
                self.repeats.push((next, length));
            }
        }
        self.repeats.sort_unstable_by_key(|&(token, length)| (token, Reverse(length)));
        self.repeats.dedup_by_key(|&mut (token, _)| token);
        self.repeats.retain(|&(token, _)| !self.breakers.is_breaker(token));

        let repeats = &self.repeats;
        let length = |token| {
            let place = repeats.binary_search_by_key(&token, |&(token, _)| token).ok()?;
            Some(repeats[place].1)
        };
        candidates.change(repeats.iter().copied(), length, |length, candidate| {
            candidate.logit -= settings.penalty(length);
        });
    }

    /// What it lowers a logit by depends on what has come.
    fn reach(&self) -> Reach {
        if self.settings.is_off() { Reach::Off } else { Reach::Each }
    }

    fn accept(&mut self, token: TokenId) {
        if self.settings.is_off() {
            return;
        }
        let capacity = usize::try_from(self.settings.last_n).unwrap_or(0);
        self.window.push(token, capacity);
    }

    fn rollback(&mut self, tokens: usize) {
        for _ in 0..tokens {
            if self.window.pop().is_none() {
                return;
            }
        }
    }

    fn reset(&mut self) {
        self.window.clear();
    }

    fn clone_box(&self) -> Box<dyn Sampler> {
        Box::new(self.clone())
    }
}

/// For each place how many tokens from there on are the same as those from the start on; 0 for the
/// start itself. (The Z algorithm: linear, because what lies in a stretch that is the same as the
/// start is known from there.)
fn same_as_start(tokens: &[TokenId], lengths: &mut Vec<usize>) {
    lengths.clear();
    lengths.resize(tokens.len(), 0);
    let (mut start, mut end) = (0, 0);
    for place in 1..tokens.len() {
        let mut length = if place < end { lengths[place - start].min(end - place) } else { 0 };
        while place + length < tokens.len() && tokens[place + length] == tokens[length] {
            length += 1;
        }
        lengths[place] = length;
        if place + length > end {
            (start, end) = (place, place + length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What comes off the logit of a token, from the definition: of all earlier places of the token
    /// the one behind the longest repeat counts.
    fn expected(settings: DrySettings, breakers: &[Vec<u32>], history: &[u32], token: u32) -> f32 {
        let last_n = settings.last_n.unsigned_abs() as usize;
        let window = &history[history.len().saturating_sub(last_n)..];
        let found = |at: usize| breakers.iter().filter(move |b| window[at..].starts_with(b));
        let last = (0..window.len()).rev().find(|&at| found(at).next().is_some());
        let behind_last = last.map_or(0, |at| at + found(at).map(Vec::len).max().unwrap());
        let excess = |length: usize| i32::try_from(length).unwrap() - settings.allowed_length;
        let enough = excess(window.len()) > 0 && excess(window.len() - behind_last) >= 0;
        if !enough || breakers.contains(&vec![token]) {
            return 0.0;
        }
        let repeats = (1..window.len()).filter(|&at| window[at] == token).map(|at| {
            (0..=window.len() - behind_last)
                .rfind(|&length| window[..at].ends_with(&window[window.len() - length..]))
                .unwrap()
        });
        let longest = repeats.max().map(excess).filter(|&excess| excess >= 0);
        longest.map_or(0.0, |excess| settings.multiplier * settings.base.powi(excess))
    }

    fn accepted(settings: DrySettings, breakers: &[Vec<u32>], history: &[u32]) -> Dry {
        let breakers: Vec<Vec<TokenId>> =
            breakers.iter().map(|b| b.iter().copied().map(TokenId).collect()).collect();
        let mut dry = Dry::new(settings, DryBreakers::from_tokens(&breakers)).unwrap();
        for &id in history {
            dry.accept(TokenId(id));
        }
        dry
    }

    fn logits(dry: &mut Dry, mut candidates: Candidates) -> Vec<f32> {
        dry.apply(&mut candidates);
        candidates.as_slice().iter().map(|c| c.logit).collect()
    }

    proptest! {
        #[test]
        fn penalises_as_the_definition_says(
            history in prop::collection::vec(0_u32..4, 0..40),
            breakers in prop::collection::vec(prop::collection::vec(0_u32..5, 1..4), 0..3),
            allowed_length in -2_i32..5,
            last_n in 1_i32..50,
            ids in prop::collection::hash_set(0_u32..8, 0..8),
        ) {
            let settings = DrySettings { multiplier: 0.5, base: 1.25, allowed_length, last_n };
            let mut candidates = Candidates::default();
            candidates.set(ids.iter().map(|&id| (TokenId(id), 0.0)));
            let mut dry = accepted(settings, &breakers, &history);
            for (id, logit) in ids.iter().zip(logits(&mut dry, candidates)) {
                let expected = -expected(settings, &breakers, &history, *id);
                prop_assert!((logit - expected).abs() <= 1e-5 * expected.abs(), "{logit} {expected}");
            }
        }
    }

    #[test]
    fn settings_that_switch_it_off() {
        let on = DrySettings { multiplier: 1.0, ..DrySettings::default() };
        for (settings, name) in [
            (on, "dry"),
            (DrySettings { base: 1.0, ..on }, "dry"),
            (DrySettings { base: 0.99, ..on }, "?dry"),
            (DrySettings { last_n: 0, ..on }, "?dry"),
            (DrySettings { last_n: -1, ..on }, "?dry"),
            (DrySettings::default(), "?dry"),
        ] {
            let mut dry = accepted(settings, &[], &[0, 1, 0, 1, 0]);
            assert_eq!(dry.name(), name);
            let changed = logits(&mut dry, Candidates::from_logits(&[0.0, 0.0]))[1] < 0.0;
            assert_eq!(changed, name == "dry");
        }
    }

    #[test]
    fn settings_are_checked() {
        let settings = DrySettings { multiplier: f32::NAN, ..DrySettings::default() };
        let error = Dry::new(settings, DryBreakers::default()).unwrap_err();
        let message = "multiplier of sampler dry must be a finite number, not NaN";
        assert_eq!(error.to_string(), message);
        let settings = DrySettings { base: f32::INFINITY, ..DrySettings::default() };
        assert!(Dry::new(settings, DryBreakers::default()).is_err());
    }

    #[test]
    fn the_power_does_not_overflow() {
        let history = [0; 1000];
        for base in [1.75, 5.0, f32::MAX] {
            let settings =
                DrySettings { multiplier: 0.9, base, last_n: 1000, ..DrySettings::default() };
            let logit =
                logits(&mut accepted(settings, &[], &history), Candidates::from_logits(&[0.0]));
            assert!(logit[0].is_finite() && logit[0] < -f32::MAX / 10.0, "{logit:?}");
        }
    }

    #[test]
    fn order_is_forgotten_only_where_there_is_enough_to_look_at() {
        let settings = DrySettings { multiplier: 1.0, ..DrySettings::default() };
        for (history, is_sorted) in [(&[1, 2][..], true), (&[1, 2, 9], true), (&[1, 2, 3], false)] {
            let mut candidates = Candidates::from_logits(&[2.0, 1.0]);
            candidates.set_sorted(true);
            accepted(settings, &[vec![9]], history).apply(&mut candidates);
            assert_eq!(candidates.is_sorted(), is_sorted);
        }
    }

    #[test]
    fn a_full_window_stays_small_and_can_be_forgotten() {
        let settings = DrySettings { multiplier: 1.0, last_n: 8, ..DrySettings::default() };
        let mut dry = accepted(settings, &[], &[0, 1].repeat(50));
        let mut candidates = Candidates::from_logits(&[0.0, 0.0]);
        dry.apply(&mut candidates);
        assert!(candidates.as_slice()[0].logit < 0.0);
        let capacities = |dry: &Dry| (dry.lengths.capacity(), dry.repeats.capacity());
        let first = capacities(&dry);
        for id in 0..100 {
            dry.accept(TokenId(id % 2));
            dry.apply(&mut candidates);
        }
        assert_eq!((dry.window.newest_first().len(), capacities(&dry)), (8, first));
        dry.reset();
        assert_eq!(logits(&mut dry, Candidates::from_logits(&[1.0, 1.0])), [1.0, 1.0]);
    }
}
