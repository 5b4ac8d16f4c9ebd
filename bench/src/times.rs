//! How long things take.

use std::time::Duration;

use serde_json::{Value, json};

/// Times of the same thing.
#[derive(Default)]
pub struct Distribution {
    /// Sorted.
    times: Vec<Duration>,
}

impl FromIterator<Duration> for Distribution {
    fn from_iter<I: IntoIterator<Item = Duration>>(times: I) -> Self {
        let mut times: Vec<Duration> = times.into_iter().collect();
        times.sort_unstable();
        Self { times }
    }
}

impl Distribution {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// All of them together.
    pub fn sum(&self) -> Duration {
        self.times.iter().sum()
    }

    /// The time that so many of 1,000 do not exceed; 0 if there are none.
    pub fn quantile(&self, per_mille: usize) -> Duration {
        let rank = (self.times.len() * per_mille).div_ceil(1000);
        self.times.get(rank.saturating_sub(1)).copied().unwrap_or_default()
    }

    /// The figures that reports have, in microseconds.
    pub fn figures(&self) -> Value {
        let us = |time: Duration| time.as_secs_f64() * 1e6;
        json!({
            "avg": us(self.sum()) / self.times.len().max(1) as f64,
            "p25": us(self.quantile(250)),
            "p50": us(self.quantile(500)),
            "p75": us(self.quantile(750)),
            "p90": us(self.quantile(900)),
            "p95": us(self.quantile(950)),
            "p99": us(self.quantile(990)),
            "p99.9": us(self.quantile(999)),
            "max": us(self.quantile(1000)),
        })
    }

    /// The same as a line to read.
    pub fn line(&self) -> String {
        let [p50, p90, p99, p999, max] = [500, 900, 990, 999, 1000].map(|rank| self.quantile(rank));
        let average = self.sum() / self.times.len().max(1) as u32;
        format!(
            "avg {average:.1?}, p50 {p50:.1?}, p90 {p90:.1?}, p99 {p99:.1?}, p99.9 {p999:.1?}, \
             max {max:.1?}"
        )
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Distribution;

    #[test]
    fn quantiles_are_times_that_were_taken() {
        let times: Distribution = (1..=1000).rev().map(Duration::from_micros).collect();
        let quantiles = [0, 250, 500, 999, 1000].map(|rank| times.quantile(rank).as_micros());
        assert_eq!(quantiles, [1, 250, 500, 999, 1000]);
        assert_eq!(Distribution::default().quantile(500), Duration::ZERO);
    }
}
