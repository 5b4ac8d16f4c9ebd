//! Drafts from how often tokens have followed short n-grams, here and in other texts.

use std::error::Error;

use super::draft::{Drafter, LONGEST, within};
use super::history::History;
use super::ngram_counts::{Followers, N, NgramCounts};
use crate::{Constraint, DraftError, TokenId};

/// The settings of [`NgramCache`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NgramCacheSettings {
    /// So many tokens are drafted at most, 1 to 1,024. Default: 8.
    pub most: usize,
    /// So many pairs of an n-gram and a token behind it are kept in each of the three levels, 2 to
    /// 2^28; then all counts are halved, and what comes to nothing is forgotten. Default: 2^18, which
    /// take some 35 MB at most.
    pub pairs: usize,
}

impl Default for NgramCacheSettings {
    fn default() -> Self {
        Self { most: 8, pairs: 1 << 18 }
    }
}

/// Counts which tokens have followed n-grams of 1 to 4 tokens, on three levels, and drafts one token
/// after the other, as long as one is likely enough.
///
/// - context: this text. Tokens behind the longest n-gram are tried first. There must be at least 2, 2,
///   1, 1 of them (for n-grams of 1 to 4 tokens), and the one that is drafted has at least 66, 50, 50,
///   50 percent.
/// - dynamic: the texts before ([`Drafts::reset`](crate::Drafts::reset)) and those that are
///   [learned](Self::learn). The same, stricter: 4, 3, 2, 2 and 75, 66, 66, 66 percent.
/// - static: the n-grams of 2 tokens of texts that are [given](Self::learn_static); 2 and 50 percent.
///
/// On the first two levels counts are multiplied by 100 times the count on the static one, where there
/// is any. Of equals the one that came first is taken.
///
/// What it holds is bounded by the number of pairs; of an n-gram 64 tokens are kept at most. Each token is
/// read once. Source: `common_ngram_cache_draft` of llama.cpp, which forgets nothing, counts no n-gram
/// across two drafts, and takes any of equals.
///
/// ```
/// use grammask_gbnf::parse;
/// use grammask_sampler::{Constraint, Drafts, Engine, NgramCache, TokenId, Vocabulary};
///
/// let engine = Engine::new(Vocabulary::from_json(r#"{"tokens": ["a", "b", "c"]}"#)?);
/// let constraint = Constraint::new(&engine, &parse("root ::= [abc]+")?, "root")?;
/// let mut cache = NgramCache::default();
/// cache.learn_static(&[2, 2, 1, 2, 2, 1].map(TokenId));
/// let mut drafts = Drafts::default();
/// drafts.add(cache).observe(&[0, 1, 0, 2, 2].map(TokenId));
/// // `cc` has been followed by `b`, and nothing is known about `cb`.
/// assert_eq!(drafts.draft(&constraint, 8)?, [TokenId(1)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct NgramCache {
    settings: NgramCacheSettings,
    context: NgramCounts,
    dynamic: NgramCounts,
    fixed: NgramCounts,
    /// The next place of the text to be looked at: that of a token behind n-grams.
    next: usize,
}

/// What a token must have before it is drafted, for n-grams of 1 to 4 tokens.
struct Thresholds {
    /// So often must anything have come.
    samples: [u32; N],
    /// So much of it, in percent, must be the token.
    percent: [u64; N],
}

const LAX: Thresholds = Thresholds { samples: [2, 2, 1, 1], percent: [66, 50, 50, 50] };
const STRICT: Thresholds = Thresholds { samples: [4, 3, 2, 2], percent: [75, 66, 66, 66] };

/// The n-grams of the static level.
const STATIC_N: usize = 2;
/// What a count on the static level is worth; one that is not there is worth 1.
const STATIC_WEIGHT: u64 = 100;

impl NgramCache {
    const NAME: &str = "ngram-cache";

    /// With these settings; nothing is known.
    ///
    /// # Errors
    ///
    /// [`DraftError::Parameter`] if one is out of its range.
    pub fn new(settings: NgramCacheSettings) -> Result<Self, DraftError> {
        within(Self::NAME, "most", settings.most, (1, LONGEST))?;
        within(Self::NAME, "pairs", settings.pairs, (2, 1 << 28))?;
        let [context, dynamic, fixed] = [(); 3].map(|()| NgramCounts::new(settings.pairs));
        Ok(Self { settings, context, dynamic, fixed, next: 0 })
    }

    /// Counts a text on the dynamic level, as one that has been generated before.
    pub fn learn(&mut self, text: &[TokenId]) {
        (1..text.len()).for_each(|at| count(&mut self.dynamic, text, at));
    }

    /// Counts a text on the static level, as one of many that are like those to come.
    pub fn learn_static(&mut self, text: &[TokenId]) {
        for window in text.windows(STATIC_N + 1) {
            self.fixed.add(&window[..STATIC_N], window[STATIC_N]);
        }
    }

    /// The token that is drafted behind a text, of which the end is given.
    fn next_token(&self, text: &[TokenId]) -> Option<TokenId> {
        let fixed = last(text, STATIC_N).and_then(|ngram| self.fixed.get(ngram));
        let weigh = |&(token, count): &(TokenId, u32)| {
            let there = fixed.map_or(0, |followers| u64::from(followers.count(token)));
            u64::from(count).saturating_mul(if there > 0 { STATIC_WEIGHT * there } else { 1 })
        };
        let likely = |counts: &NgramCounts, thresholds: &Thresholds| {
            (1..=N).rev().find_map(|n| {
                let followers = counts.get(last(text, n)?)?;
                is_likely(followers, weigh, thresholds, n)
            })
        };
        likely(&self.context, &LAX)
            .or_else(|| likely(&self.dynamic, &STRICT))
            .or_else(|| is_likely(fixed?, |&(_, count)| u64::from(count), &LAX, STATIC_N))
    }
}

/// The token with the greatest weight, if it is likely enough.
fn is_likely(
    followers: &Followers,
    weigh: impl Fn(&(TokenId, u32)) -> u64,
    thresholds: &Thresholds,
    n: usize,
) -> Option<TokenId> {
    let most = followers.tokens.iter().map(&weigh).max()?;
    let &(token, count) = followers.tokens.iter().find(|pair| weigh(pair) == most)?;
    let enough = 100 * u64::from(count) >= thresholds.percent[n - 1] * u64::from(followers.sum);
    (enough && followers.sum >= thresholds.samples[n - 1]).then_some(token)
}

/// Counts the token at a place behind each n-gram that ends there.
fn count(counts: &mut NgramCounts, text: &[TokenId], at: usize) {
    for n in 1..=N.min(at) {
        counts.add(&text[at - n..at], text[at]);
    }
}

fn last(text: &[TokenId], n: usize) -> Option<&[TokenId]> {
    text.len().checked_sub(n).map(|begin| &text[begin..])
}

impl Default for NgramCache {
    /// With the default settings.
    fn default() -> Self {
        Self::new(NgramCacheSettings::default()).expect("they are in their ranges")
    }
}

impl Drafter for NgramCache {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn draft(
        &mut self,
        history: &History,
        _: &Constraint,
    ) -> Result<Vec<TokenId>, Box<dyn Error + Send + Sync>> {
        let kept = history.range();
        self.next = self.next.max(kept.start + 1);
        while self.next < kept.end {
            count(&mut self.context, history.tokens(), self.next - kept.start);
            self.next += 1;
        }
        let mut text = last(history.tokens(), N).unwrap_or(history.tokens()).to_vec();
        let begun = text.len();
        while text.len() < begun + self.settings.most {
            let Some(token) = self.next_token(&text) else { break };
            text.push(token);
        }
        Ok(text.split_off(begun))
    }

    /// What has been counted of the text becomes part of the dynamic level.
    fn reset(&mut self) {
        self.dynamic.merge(&mut self.context);
        self.next = 0;
    }
}
