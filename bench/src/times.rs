//! How long things take, in processor time of the thread that does them.

use std::time::Duration;

use cpu_time::ThreadTime;
use serde_json::{Value, json};

/// What `work` gives, and how long it took.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = ThreadTime::now();
    let result = work();
    (result, start.elapsed())
}

/// What one token took.
#[derive(Clone, Copy, Debug)]
pub struct TokenTime {
    /// Computing the mask before it.
    pub mask: Duration,
    /// Reading it.
    pub commit: Duration,
}

/// Times of the same thing, in microseconds.
#[derive(Default)]
pub struct Distribution {
    /// Sorted.
    times: Vec<f64>,
}

impl FromIterator<Duration> for Distribution {
    fn from_iter<I: IntoIterator<Item = Duration>>(times: I) -> Self {
        let mut times: Vec<f64> = times.into_iter().map(|time| time.as_secs_f64() * 1e6).collect();
        times.sort_by(f64::total_cmp);
        Self { times }
    }
}

impl Distribution {
    /// All of them together.
    pub fn sum(&self) -> f64 {
        self.times.iter().sum()
    }

    /// The time that this share of them does not exceed; 0 if there are none.
    pub fn quantile(&self, share: f64) -> f64 {
        let rank = (share * self.times.len() as f64).ceil() as usize;
        self.times.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
    }

    /// The figures that reports have.
    pub fn figures(&self) -> Value {
        json!({
            "avg": self.sum() / self.times.len().max(1) as f64,
            "p25": self.quantile(0.25),
            "p50": self.quantile(0.5),
            "p75": self.quantile(0.75),
            "p90": self.quantile(0.9),
            "p95": self.quantile(0.95),
            "p99": self.quantile(0.99),
            "p99.9": self.quantile(0.999),
            "max": self.quantile(1.0),
        })
    }

    /// The same as a line to read.
    pub fn line(&self) -> String {
        let quantile = |share| Duration::from_nanos((self.quantile(share) * 1e3) as u64);
        format!(
            "p50 {:.1?}, p90 {:.1?}, p99 {:.1?}, p99.9 {:.1?}, max {:.1?}",
            quantile(0.5),
            quantile(0.9),
            quantile(0.99),
            quantile(0.999),
            quantile(1.0)
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
        let quantiles = [0.0, 0.25, 0.5, 0.999, 1.0].map(|share| times.quantile(share).round());
        assert_eq!(quantiles, [1.0, 250.0, 500.0, 999.0, 1000.0]);
        assert!(Distribution::default().quantile(0.5).abs() < f64::EPSILON);
    }
}
