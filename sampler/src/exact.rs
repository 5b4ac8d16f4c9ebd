//! The candidates that decide, found without a mask.

use crate::candidates::{Candidate, Candidates};
use crate::reach::Reach;
use crate::sort;
use crate::token_id::TokenId;

/// How many tokens are tested at most.
const MOST_TESTED: usize = 128;
/// Where more are refused than this the grammar allows few tokens, and a mask says which soonest.
const MOST_REFUSED: usize = 16;

/// The most work for a test: all together take no more than a byte may.
pub(crate) const MOST_WORK: u64 = 1 << 13;

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
            Reach::Off | Reach::Each | Reach::Mass(_) | Reach::All => false,
        }
    }

    /// Takes away, from candidates in the order of their ids, what the grammar does not allow and what
    /// is beyond the reach of a sampler, so that it leaves the same as after a mask. `allows` tests a
    /// token; nothing where that takes too much work. Whether that was possible with few tests: if not,
    /// the candidates stay as they were.
    ///
    /// Why it leaves the same: tokens are tested from the best on, so that allowed ones that are left
    /// out are all worse than the last that the sampler keeps. That is what [`Reach`] promises about.
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
            Reach::Off | Reach::Each | Reach::Mass(_) | Reach::All => None,
        };
        least.is_some_and(|least| next < least)
    }

    /// Whether there is one way to sort the list, where it will be sorted: among equal logits the
    /// order depends on the candidates that are not on it.
    fn is_in_one_order(&self, reach: Reach) -> bool {
        !matches!(reach, Reach::Best(_)) || self.allowed.is_sorted_by(|a, b| a.logit > b.logit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of these logits, and how many tokens were tested; nothing if it was not decided.
    fn apply(
        logits: &[f32],
        reach: Reach,
        allows: impl Fn(u32) -> Option<bool>,
    ) -> (Option<Vec<u32>>, usize) {
        let mut candidates = Candidates::from_logits(logits);
        let mut tested = 0;
        let is_decided = Shortlist::default().apply(&mut candidates, reach, |token| {
            tested += 1;
            allows(token.0)
        });
        let ids = || candidates.as_slice().iter().map(|candidate| candidate.id.0).collect();
        assert!(is_decided || candidates == Candidates::from_logits(logits));
        (is_decided.then(ids), tested)
    }

    #[test]
    fn no_more_is_tested_than_decides() {
        let logits = [1.0, 4.0, 0.0, 3.0, 2.0];
        let odd = |id| Some(id % 2 == 1);
        let not_1 = |id| Some(id != 1);
        assert_eq!(apply(&logits, Reach::First, odd), (Some(vec![1]), 1));
        assert_eq!(apply(&logits, Reach::First, not_1), (Some(vec![3]), 2));
        assert_eq!(apply(&logits, Reach::Best(2), not_1), (Some(vec![3, 4]), 3));
        assert_eq!(apply(&logits, Reach::Within(-1.5), odd), (Some(vec![1, 3]), 2));
        assert_eq!(apply(&logits, Reach::Best(9), odd), (Some(vec![1, 3]), 5));
        assert_eq!(apply(&logits, Reach::First, |_| Some(false)), (None, 5));
        // What is beyond a limit may be allowed.
        let unknown = |id| (id != 1).then_some(true);
        assert_eq!(apply(&logits, Reach::First, unknown), (None, 1));
    }

    #[test]
    fn equal_logits_are_tested_alike() {
        let logits = [3.0, 3.0, 2.0, 3.0, 1.0];
        let not_0 = |id| Some(id != 0);
        assert_eq!(apply(&logits, Reach::First, not_0), (Some(vec![1, 3]), 3));
        assert_eq!(apply(&logits, Reach::Best(1), not_0), (None, 3));
        assert_eq!(apply(&logits, Reach::Best(1), |id| Some(id == 3)), (Some(vec![3]), 3));
    }

    #[test]
    fn there_is_an_end_of_tests() {
        let logits: Vec<f32> = (0..1000_u16).map(f32::from).collect();
        let few = |id| Some(id < 900);
        assert_eq!(apply(&logits, Reach::First, few), (None, MOST_REFUSED + 1));
        assert_eq!(apply(&logits, Reach::Within(-500.0), |_| Some(true)), (None, MOST_TESTED));
        let most = MOST_TESTED - 1;
        let (best, tested) = apply(&logits, Reach::Best(most), |_| Some(true));
        assert_eq!((best.map(|ids| ids.len()), tested), (Some(most), most));
        assert!(Shortlist::is_worth_while(Reach::Best(most)));
        assert!(!Shortlist::is_worth_while(Reach::Best(MOST_TESTED)));
        assert_eq!(apply(&logits, Reach::Best(0), |_| Some(true)), (None, MOST_TESTED));
    }
}
