//! What top-p keeps of the best tokens, found without a mask: mostly one or two tokens have nearly all of the
//! probability, and a test of these says what a mask would.

use crate::candidates::Candidate;
use crate::reach::Reach;
use crate::token_id::TokenId;

/// The start of a chain that keeps the best of some tokens, and of these a nucleus.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nucleus {
    /// Where the sampler is that keeps the best.
    pub(crate) at: usize,
    /// How many it keeps.
    pub(crate) count: usize,
    /// The probability that is kept of these.
    mass: f64,
    /// Where the samplers are that come behind.
    pub(crate) behind: usize,
}

/// How far a sum in single precision may be off, and more.
const MARGIN: f64 = 1e-4;

impl Nucleus {
    /// That of the samplers of a chain, of which the last [draws](crate::Sampler::draws): nothing if they begin
    /// otherwise, or if one of those behind looks at more than logits.
    pub(crate) fn of(reaches: impl Iterator<Item = Reach>) -> Option<Self> {
        let mut on = (0..).zip(reaches).filter(|&(_, reach)| reach != Reach::Off);
        let Some((at, Reach::Best(count))) = on.next() else { return None };
        let Some((last, Reach::Mass(mass))) = on.next() else { return None };
        let is_by_logits =
            |(_, reach)| matches!(reach, Reach::Each | Reach::Within(_) | Reach::Best(_));
        on.all(is_by_logits).then_some(Self { at, count, mass: f64::from(mass), behind: last + 1 })
    }

    /// Writes the tokens that are kept, where `best` are the best that there are without a grammar, sorted. `allows`
    /// tests one that the grammar may refuse; nothing where that takes too much work. Whether it was decided by so
    /// many tests, of which so many were refusals; none is made where they would be too few if all were allowed.
    ///
    /// Why it is what top-p would keep behind a mask: what the tokens have that are not tested lies between nothing
    /// and the most that they would have if they were all allowed. In either case the probabilities of those that are
    /// kept reach the mass with the last of them, and not before.
    pub(crate) fn find(
        &self,
        best: &[Candidate],
        kept: &mut Vec<Candidate>,
        (most_tests, mut refusals): (usize, usize),
        mut allows: impl FnMut(TokenId) -> Option<bool>,
    ) -> bool {
        kept.clear();
        let Some(greatest) = best.first().map(|best| best.logit) else { return false };
        let weight = |candidate: &Candidate| f64::from(candidate.logit - greatest).exp();
        let (first, others) = best.split_at(most_tests.min(best.len()));
        let at_most: f64 = first.iter().map(weight).sum();
        let mut untested = at_most + others.iter().map(weight).sum::<f64>();
        if at_most < untested * self.mass {
            return false;
        }
        // Behind these there may be others, as good as the last.
        let further = if best.len() == self.count { best.last().map_or(0.0, weight) } else { 0.0 };
        let mut sum = 0.0;
        for (candidate, next) in best.iter().zip(&best[1..]).take(most_tests) {
            // Which of several equal ones come first depends on all tokens.
            let is_one = candidate.logit > next.logit;
            let Some(is_allowed) = allows(candidate.id).filter(|_| is_one) else { return false };
            let weight = weight(candidate);
            untested -= weight;
            if !is_allowed {
                untested += further;
                let Some(left) = refusals.checked_sub(1) else { return false };
                refusals = left;
                continue;
            }
            let before = sum;
            sum += weight;
            kept.push(*candidate);
            if sum >= (sum + untested) * self.mass * (1.0 + MARGIN) {
                return before <= sum * self.mass * (1.0 - MARGIN);
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(logits: &[f32], mass: f32, refused: &[u32]) -> Option<Vec<u32>> {
        let reaches = [Reach::Off, Reach::Best(logits.len()), Reach::Mass(mass), Reach::Each];
        let nucleus = Nucleus::of(reaches.into_iter()).expect("it is one");
        let candidate = |(id, &logit)| Candidate { id: TokenId(id), logit, p: 0.0 };
        let best: Vec<_> = (0..).zip(logits).map(candidate).collect();
        let mut kept = Vec::new();
        let is_decided =
            nucleus.find(&best, &mut kept, (3, 1), |token| Some(!refused.contains(&token.0)));
        is_decided.then(|| kept.iter().map(|candidate| candidate.id.0).collect())
    }

    #[test]
    fn a_few_decide() {
        let logits = [9.0, 8.0, 2.0, 1.0, 0.0];
        assert_eq!(kept(&logits, 0.7, &[]), Some(vec![0]));
        assert_eq!(kept(&logits, 0.9, &[]), Some(vec![0, 1]));
        assert_eq!(kept(&logits, 0.9, &[0]), Some(vec![1]));
        // It could be one token as well as two.
        assert_eq!(kept(&[1.0, 0.0, -9.0], 0.73106, &[]), None);
        // What lies behind the best may be as good as the last of them.
        assert_eq!(kept(&[9.0, 0.0, 0.0], 0.9, &[0]), None);
        assert_eq!(kept(&[9.0, 9.0, 0.0], 0.9, &[]), None);
        assert_eq!(kept(&[f32::INFINITY, 0.0, 0.0], 0.9, &[]), None);
        assert_eq!(kept(&[], 0.9, &[]), None);
    }

    #[test]
    fn it_is_the_start_of_some_chains() {
        let of = |reaches: &[Reach]| Nucleus::of(reaches.iter().copied()).map(|found| found.behind);
        let (best, mass) = (Reach::Best(40), Reach::Mass(0.95));
        assert_eq!(of(&[Reach::Off, best, Reach::Off, mass, Reach::Within(-3.0)]), Some(4));
        assert_eq!(of(&[best, mass]), Some(2));
        assert_eq!(of(&[mass]), None);
        assert_eq!(of(&[Reach::Each, best, mass]), None);
        assert_eq!(of(&[best, mass, Reach::All]), None);
        assert_eq!(of(&[best, mass, mass]), None);
    }
}
