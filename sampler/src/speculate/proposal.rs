//! What a draft was drawn from.

use rustc_hash::FxHashMap;

use crate::{Candidate, TokenId};

/// The draft's distribution at one position, without the siblings that cannot come again. Weights
/// need not add up to 1.
#[derive(Debug)]
pub(super) struct Proposal<'a> {
    row: &'a [Candidate],
    /// The weight of each id of the vocabulary.
    weights: Vec<f64>,
    /// Those of ids that only the draft's vocabulary has.
    others: FxHashMap<TokenId, f64>,
    sum: f64,
}

impl<'a> Proposal<'a> {
    /// Nothing, for a vocabulary of so many ids.
    pub(super) fn new(len: usize) -> Self {
        Self { row: &[], weights: vec![0.0; len], others: FxHashMap::default(), sum: 0.0 }
    }

    /// Goes to another position. Whether that is a distribution.
    pub(super) fn set(&mut self, row: &'a [Candidate]) -> bool {
        for candidate in std::mem::replace(&mut self.row, row) {
            self.remove(candidate.id);
        }
        self.sum = 0.0;
        let mut is_valid = true;
        for candidate in row {
            is_valid &= candidate.p >= 0.0 && candidate.p.is_finite();
            let p = f64::from(candidate.p);
            self.sum += p;
            match self.weights.get_mut(candidate.id.index()) {
                Some(weight) => *weight += p,
                None => *self.others.entry(candidate.id).or_default() += p,
            }
        }
        is_valid && self.sum > 0.0
    }

    /// The probability with which a token was drawn.
    pub(super) fn p(&self, token: TokenId) -> f64 {
        let weight = self.weights.get(token.index()).or_else(|| self.others.get(&token));
        weight.filter(|&&weight| weight > 0.0).map_or(0.0, |weight| weight / self.sum)
    }

    /// From here on the token is not drawn again.
    pub(super) fn remove(&mut self, token: TokenId) {
        let weight = match self.weights.get_mut(token.index()) {
            Some(weight) => std::mem::take(weight),
            None => self.others.remove(&token).unwrap_or_default(),
        };
        self.sum -= weight;
    }
}
