//! How often which token has followed an n-gram.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::TokenId;

/// The longest n-gram.
pub(super) const N: usize = 4;
/// So many of the tokens that have followed an n-gram are kept.
const FOLLOWERS: usize = 64;

/// One to four tokens; no token is `None`.
type Ngram = [Option<TokenId>; N];

fn key(tokens: &[TokenId]) -> Ngram {
    std::array::from_fn(|at| tokens.get(at).copied())
}

/// Counts of what has followed n-grams, up to a number of pairs of an n-gram and a token. When there
/// are more, all counts are halved, and those that come to nothing are forgotten, until no more than
/// half of the pairs are left.
#[derive(Clone, Debug)]
pub(super) struct NgramCounts {
    ngrams: FxHashMap<Ngram, Followers>,
    pairs: usize,
    most: usize,
}

/// What has followed an n-gram.
#[derive(Clone, Debug, Default)]
pub(super) struct Followers {
    /// How often anything has.
    pub(super) sum: u32,
    /// How often each token has, in the order in which they came first. Of more than are kept, the
    /// first of the rarest makes room.
    pub(super) tokens: SmallVec<[(TokenId, u32); 1]>,
}

impl Followers {
    pub(super) fn count(&self, token: TokenId) -> u32 {
        let found = self.tokens.iter().find(|(id, _)| *id == token);
        found.map_or(0, |(_, count)| *count)
    }

    /// Whether that makes a pair more.
    fn add(&mut self, token: TokenId, count: u32) -> bool {
        self.sum = self.sum.saturating_add(count);
        if let Some((_, known)) = self.tokens.iter_mut().find(|(id, _)| *id == token) {
            *known = known.saturating_add(count);
            return false;
        }
        let is_full = self.tokens.len() == FOLLOWERS;
        if is_full {
            let rarest = self.tokens.iter().enumerate().min_by_key(|(_, (_, count))| *count);
            let rarest = rarest.map_or(0, |(at, _)| at);
            self.tokens.remove(rarest);
        }
        self.tokens.push((token, count));
        !is_full
    }

    fn halve(&mut self) {
        self.sum /= 2;
        self.tokens.iter_mut().for_each(|(_, count)| *count /= 2);
        self.tokens.retain(|(_, count)| *count > 0);
    }
}

impl NgramCounts {
    /// With at most so many pairs.
    pub(super) fn new(most: usize) -> Self {
        Self { ngrams: FxHashMap::default(), pairs: 0, most }
    }

    /// The token has followed the n-gram.
    pub(super) fn add(&mut self, ngram: &[TokenId], token: TokenId) {
        self.add_count(key(ngram), token, 1);
    }

    fn add_count(&mut self, ngram: Ngram, token: TokenId, count: u32) {
        self.pairs += usize::from(self.ngrams.entry(ngram).or_default().add(token, count));
        while self.pairs > self.most {
            self.age();
        }
    }

    /// Forgets what is rare.
    fn age(&mut self) {
        while self.pairs > self.most / 2 {
            self.pairs = 0;
            self.ngrams.retain(|_, followers| {
                followers.halve();
                self.pairs += followers.tokens.len();
                !followers.tokens.is_empty()
            });
        }
    }

    /// What has followed an n-gram.
    pub(super) fn get(&self, ngram: &[TokenId]) -> Option<&Followers> {
        self.ngrams.get(&key(ngram))
    }

    /// Adds what has been counted elsewhere, and leaves nothing there.
    pub(super) fn merge(&mut self, other: &mut Self) {
        let mut counts: Vec<_> = other.ngrams.drain().collect();
        other.pairs = 0;
        // In one order, since what is full forgets.
        counts.sort_unstable_by_key(|(ngram, _)| *ngram);
        for (ngram, followers) in counts {
            let kept: u32 = followers.tokens.iter().map(|(_, count)| *count).sum();
            for (token, count) in followers.tokens {
                self.add_count(ngram, token, count);
            }
            if let Some(known) = self.ngrams.get_mut(&ngram) {
                known.sum = known.sum.saturating_add(followers.sum.saturating_sub(kept));
            }
        }
    }

    #[cfg(test)]
    pub(super) fn pairs(&self) -> usize {
        self.pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_rare_is_forgotten_first() {
        let mut counts = NgramCounts::new(100);
        for id in 0..1_000 {
            counts.add(&[TokenId(0)], TokenId(1));
            counts.add(&[TokenId(id)], TokenId(id + 1));
            assert!(counts.pairs() <= 100);
            let pairs: usize = counts.ngrams.values().map(|followers| followers.tokens.len()).sum();
            assert_eq!(counts.pairs(), pairs);
        }
        assert!(counts.get(&[TokenId(0)]).is_some_and(|known| known.count(TokenId(1)) > 10));
        assert!(counts.get(&[TokenId(500)]).is_none());
    }

    #[test]
    fn an_ngram_keeps_few_followers() {
        let mut counts = NgramCounts::new(1_000_000);
        for id in 0..10_000 {
            counts.add(&[TokenId(0)], TokenId(id));
            counts.add(&[TokenId(0)], TokenId(7));
        }
        let followers = counts.get(&[TokenId(0)]).expect("it was added");
        assert_eq!((followers.tokens.len(), followers.sum), (FOLLOWERS, 20_000));
        assert_eq!((followers.count(TokenId(7)), counts.pairs()), (10_001, FOLLOWERS));
    }

    #[test]
    fn what_is_merged_counts_as_if_it_had_come_here() {
        let pairs = |ids: std::ops::Range<u32>| ids.map(|id| (TokenId(id % 7), TokenId(id % 5)));
        let add = |counts: &mut NgramCounts, ids| {
            pairs(ids).for_each(|(ngram, token)| counts.add(&[ngram], token));
        };
        let [mut one, mut other, mut both] = [(); 3].map(|()| NgramCounts::new(1_000));
        add(&mut one, 0..40);
        add(&mut other, 40..99);
        add(&mut both, 0..99);
        one.merge(&mut other);
        assert_eq!((other.pairs(), one.pairs()), (0, both.pairs()));
        for (ngram, token) in pairs(0..99) {
            let count = |counts: &NgramCounts| {
                counts.get(&[ngram]).map(|followers| (followers.sum, followers.count(token)))
            };
            assert_eq!(count(&one), count(&both));
        }
    }
}
