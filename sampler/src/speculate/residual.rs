//! What is left to draw from, once a drafted token has been rejected.

use super::proposal::Proposal;
use crate::TokenId;

/// A distribution from which those of rejected drafts have been taken away. Weights add up to 1.
///
/// Source: Leviathan et al. 2023, "Fast Inference from Transformers via Speculative Decoding"; Chen
/// et al. 2023, "Accelerating Large Language Model Decoding with Speculative Sampling".
#[derive(Debug, Default)]
pub(super) struct Residual {
    weights: Vec<(TokenId, f64)>,
}

impl Residual {
    /// Begins with a distribution. Whether it is one: finite, and not without weight.
    pub(super) fn set(&mut self, weights: impl Iterator<Item = (TokenId, f64)>) -> bool {
        self.weights.clear();
        self.weights.extend(weights.filter(|&(_, weight)| weight > 0.0));
        self.normalise()
    }

    fn normalise(&mut self) -> bool {
        let sum: f64 = self.weights.iter().map(|(_, weight)| weight).sum();
        self.weights.iter_mut().for_each(|(_, weight)| *weight /= sum);
        sum > 0.0 && sum.is_finite()
    }

    /// The probability of a token.
    pub(super) fn p(&self, token: TokenId) -> f64 {
        let found = self.weights.iter().find(|(id, _)| *id == token);
        found.map_or(0.0, |(_, weight)| *weight)
    }

    /// What is left where the draft's distribution is below this one. Where it is so nowhere, both
    /// are the same but for rounding, and this one stays: a rejection had next to no probability.
    pub(super) fn subtract(&mut self, proposal: &Proposal) {
        let above = |&(token, weight): &(TokenId, f64)| weight > proposal.p(token);
        if self.weights.iter().any(above) {
            for (token, weight) in &mut self.weights {
                *weight = (*weight - proposal.p(*token)).max(0.0);
            }
            self.weights.retain(|&(_, weight)| weight > 0.0);
            self.normalise();
        }
    }

    /// The token that a number in [0, 1) selects; none only of an empty distribution.
    pub(super) fn draw(&self, number: f64) -> Option<TokenId> {
        let mut running = 0.0;
        let hit = self.weights.iter().find(|(_, weight)| {
            running += weight;
            running > number
        });
        hit.or(self.weights.last()).map(|&(token, _)| token)
    }
}
