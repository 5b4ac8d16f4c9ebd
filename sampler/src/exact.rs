//! The candidates that decide, found without a mask.

use crate::candidates::{Candidate, Candidates};
use crate::reach::Reach;
use crate::sort;
use crate::token_id::TokenId;

/// How many tokens are tested at most.
const MOST_TESTED: usize = 128;
/// Where more are refused than this the grammar allows few tokens, and a mask says which soonest.
const MOST_REFUSED: usize = 16;

/// The best of the allowed candidates: as many as a sampler reaches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shortlist {
    /// The best candidates, allowed or not.
    best: Vec<Candidate>,
    allowed: Vec<Candidate>,
}

impl Shortlist {
    /// Whether a sampler may reach so few candidates that it is worth a try.
    pub(crate) fn is_worth_while(reach: Reach) -> bool {
        match reach {
            Reach::Best(count) => count < MOST_TESTED,
            Reach::Within(_) | Reach::First => true,
            Reach::Each | Reach::All => false,
        }
    }

    /// Takes away from candidates in the order of their ids what the grammar does not allow and what
    /// is beyond the reach of a sampler, so that it leaves the same as after a mask. `allows` tests a
    /// token; nothing where that takes too much work. Whether that was possible with few tests: if not,
    /// the candidates stay as they were.
    ///
    /// Why it leaves the same: tokens are tested from the best on, so that no allowed token is better
    /// than one that is not on the list, nor as good as the last one that counts.
    pub(crate) fn apply(
        &mut self,
        candidates: &mut Candidates,
        reach: Reach,
        allows: impl FnMut(TokenId) -> Option<bool>,
    ) -> bool {
        let is_decided = self.find(candidates.as_slice(), reach, allows);
        if is_decided {
            self.allowed.sort_unstable_by_key(|candidate| candidate.id);
            candidates.set(self.allowed.iter().map(|candidate| (candidate.id, candidate.logit)));
        }
        is_decided
    }

    fn find(
        &mut self,
        candidates: &[Candidate],
        reach: Reach,
        mut allows: impl FnMut(TokenId) -> Option<bool>,
    ) -> bool {
        self.allowed.clear();
        self.best.resize(MOST_TESTED.min(candidates.len()), Candidate::default());
        sort::partial_sort_copy(candidates, &mut self.best);
        let mut refused = 0;
        for candidate in &self.best {
            if self.is_enough(reach, candidate.logit) {
                return self.is_in_one_order(reach);
            }
            match allows(candidate.id) {
                Some(true) => self.allowed.push(*candidate),
                Some(false) if refused < MOST_REFUSED => refused += 1,
                _ => return false,
            }
        }
        // If these were all, the list is what the mask would leave.
        self.best.len() == candidates.len() && !self.allowed.is_empty()
    }

    /// Whether candidates with this logit and below are out of reach.
    fn is_enough(&self, reach: Reach, next: f32) -> bool {
        let least = match reach {
            Reach::Best(count) => {
                let last = count.checked_sub(1).and_then(|last| self.allowed.get(last));
                last.map(|last| last.logit)
            }
            Reach::Within(distance) => self.allowed.first().map(|best| best.logit + distance),
            Reach::First => self.allowed.first().map(|best| best.logit),
            Reach::Each | Reach::All => None,
        };
        least.is_some_and(|least| next < least)
    }

    /// Whether there is one way to sort the list, where it will be sorted: among equal logits the
    /// order depends on the candidates that are not on it.
    fn is_in_one_order(&self, reach: Reach) -> bool {
        !matches!(reach, Reach::Best(_)) || self.allowed.is_sorted_by(|a, b| a.logit > b.logit)
    }
}
