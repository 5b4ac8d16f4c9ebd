//! The candidates of one step: what the samplers of a chain reshape.

use crate::block::Block;
use crate::{TokenId, radix, sort};

/// A token that may come next.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Candidate {
    /// The token.
    pub id: TokenId,
    /// Its logit: the logarithm of its probability, up to a constant that is common to all.
    pub logit: f32,
    /// Its probability, once a sampler has computed it; 0 before. Samplers that cut candidates away
    /// do not compute the others' again, so that the sum may be below 1.
    pub p: f32,
}

/// So many candidates are not sorted by comparing them, where a good part is wanted.
const MANY: usize = 1024;

/// The candidates of one step, in an order that matters to some samplers.
///
/// One value serves a whole generation: [`set_logits`](Self::set_logits) refills it, and once it has
/// seen a vocabulary nothing is allocated any more. Ids are distinct.
///
/// A logit of -inf is a token that is ruled out. [`retain`](Self::retain) takes it out altogether,
/// which is safer: with nothing but ruled out candidates, llama.cpp's rules still select one.
///
/// ```
/// use grammask_sampler::{Candidates, TokenId};
///
/// let mut candidates = Candidates::from_logits(&[0.5, 2.0, -1.0]);
/// candidates.partial_sort(2);
/// assert_eq!(candidates.as_slice()[0].id, TokenId(1));
/// assert_eq!((candidates.len(), candidates.is_sorted()), (2, true));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    data: Vec<Candidate>,
    selected: Option<usize>,
    sorted: bool,
    scratch: Vec<Candidate>,
    buckets: Vec<u8>,
    radix: radix::Scratch,
}

/// Two sets are equal if they hold the same candidates in the same order, selection and flag.
impl PartialEq for Candidates {
    fn eq(&self, other: &Self) -> bool {
        (&self.data, self.selected, self.sorted) == (&other.data, other.selected, other.sorted)
    }
}

impl Candidates {
    /// One candidate per logit; the id is the index.
    pub fn from_logits(logits: &[f32]) -> Self {
        let mut candidates = Self::default();
        candidates.set_logits(logits);
        candidates
    }

    /// Starts a new step: one candidate per logit, the id is the index. Nothing is selected and
    /// nothing counts as sorted.
    pub fn set_logits(&mut self, logits: &[f32]) {
        self.set((0..).map(TokenId).zip(logits.iter().copied()));
    }

    /// Starts a new step with these tokens and logits.
    pub fn set(&mut self, candidates: impl IntoIterator<Item = (TokenId, f32)>) {
        self.data.clear();
        self.data.extend(candidates.into_iter().map(|(id, logit)| Candidate { id, logit, p: 0.0 }));
        self.selected = None;
        self.sorted = false;
    }

    /// Starts a new step: some tokens, each with its logit.
    pub(crate) fn set_blocks<'a>(&mut self, tokens: impl Iterator<Item = Block<'a>>) {
        self.set([]);
        for block in tokens {
            if block.is_full() {
                self.data.extend(block.all_candidates());
            } else {
                self.data.extend(block.candidates());
            }
        }
    }

    /// Starts a new step: what [`partial_sort`](Self::partial_sort) leaves of some tokens, for so many as
    /// [are few](Self::are_few). The others do not become candidates.
    pub(crate) fn set_best<'a>(&mut self, tokens: impl Iterator<Item = Block<'a>>, count: usize) {
        self.set([]);
        sort::partial_sort_blocks(tokens, count, &mut self.data);
        self.sorted = true;
    }

    /// Starts a new step: some candidates, the best first.
    pub(crate) fn set_sorted_to(&mut self, candidates: &[Candidate]) {
        self.set([]);
        self.data.extend_from_slice(candidates);
        self.sorted = true;
    }

    /// Whether to find so many of the best, a heap is used. llama.cpp uses buckets for more.
    pub(crate) fn are_few(count: usize) -> bool {
        count <= 128
    }

    /// Takes over another set, with its order, selection and flag.
    pub fn copy_from(&mut self, other: &Self) {
        self.data.clone_from(&other.data);
        self.selected = other.selected;
        self.sorted = other.sorted;
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.data.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// The candidates in their present order.
    pub fn as_slice(&self) -> &[Candidate] {
        &self.data
    }

    /// The candidates, to be changed. Whoever changes the order of the logits says so with
    /// [`set_sorted`](Self::set_sorted).
    pub fn as_mut_slice(&mut self) -> &mut [Candidate] {
        &mut self.data
    }

    /// Whether the logits are known to be in descending order.
    pub fn is_sorted(&self) -> bool {
        self.sorted
    }

    /// Says whether the logits are in descending order from here on. A wrong claim gives wrong
    /// tokens, never a panic.
    pub fn set_sorted(&mut self, sorted: bool) {
        self.sorted = sorted;
    }

    /// The index of the selected candidate, if a sampler has selected one. Sorting and cutting
    /// forget it.
    pub fn selected(&self) -> Option<usize> {
        self.selected
    }

    /// The selected candidate.
    pub fn selected_candidate(&self) -> Option<Candidate> {
        self.selected.and_then(|index| self.data.get(index)).copied()
    }

    /// Selects the candidate at an index; nothing where there is none.
    pub fn select(&mut self, index: usize) {
        self.selected = (index < self.data.len()).then_some(index);
    }

    /// Keeps the first `count` candidates.
    pub fn truncate(&mut self, count: usize) {
        if count < self.data.len() {
            self.data.truncate(count);
            self.selected = None;
        }
    }

    /// Changes the candidates of some tokens by what each token has; `of` finds that as well. The order
    /// is lost.
    ///
    /// Most often the candidates are the whole vocabulary in order. Only if a token is not at its own
    /// place are they searched.
    pub(crate) fn change<T>(
        &mut self,
        tokens: impl Iterator<Item = (TokenId, T)>,
        of: impl Fn(TokenId) -> Option<T>,
        mut change: impl FnMut(T, &mut Candidate),
    ) {
        self.set_sorted(false);
        let data = self.as_mut_slice();
        let mut missing = false;
        for (token, what) in tokens {
            match data.get_mut(token.index()) {
                Some(candidate) if candidate.id == token => change(what, candidate),
                _ => missing = true,
            }
        }
        if missing {
            for (index, candidate) in data.iter_mut().enumerate() {
                if candidate.id.index() != index
                    && let Some(what) = of(candidate.id)
                {
                    change(what, candidate);
                }
            }
        }
    }

    /// Keeps the candidates that pass a test, in their order: one way to apply a token mask.
    pub fn retain(&mut self, keep: impl FnMut(&Candidate) -> bool) {
        let before = self.data.len();
        self.data.retain(keep);
        if self.data.len() < before {
            self.selected = None;
        }
    }

    /// The greatest logit; `None` if there are no candidates. A NaN counts as -inf.
    pub fn max_logit(&self) -> Option<f32> {
        let first = self.data.first()?.logit.max(f32::NEG_INFINITY);
        let rest = if self.sorted { &[] } else { &self.data[1..] };
        Some(rest.iter().fold(first, |max, candidate| max.max(candidate.logit)))
    }

    /// Sorts all of them, the greatest logit first, if they are not sorted.
    pub fn sort(&mut self) {
        self.partial_sort(self.data.len());
    }

    /// Keeps the `count` candidates with the greatest logits, sorted, as llama.cpp's
    /// `llama_token_data_array_partial_sort_inplace` does; only cuts if they are sorted already.
    /// Among equal logits the order is that of libstdc++.
    pub fn partial_sort(&mut self, count: usize) {
        if !self.sorted {
            let count = count.min(self.data.len());
            if Self::are_few(count) {
                sort::partial_sort(&mut self.data, count);
            } else if self.data.len() > MANY && count > self.data.len() / 16 {
                radix::sort(&self.data, &mut self.scratch, &mut self.radix);
                std::mem::swap(&mut self.data, &mut self.scratch);
            } else {
                self.sort_into_scratch(count);
                self.data[..count].copy_from_slice(&self.scratch[..count]);
            }
            self.sorted = true;
            self.selected = None;
        }
        self.truncate(count);
    }

    /// Writes the `count` best candidates, sorted, to the front of the scratch space: a histogram
    /// over the logits finds the range that matters, and each bucket of it is sorted by itself.
    /// (llama.cpp: `llama_token_data_array_partial_sort`)
    fn sort_into_scratch(&mut self, count: usize) {
        const BUCKETS: usize = 128;
        const LOW: f32 = -10.0;
        const SCALE: f32 = 128.0 / 20.0;
        let mut sizes = [0_usize; BUCKETS];
        self.buckets.clear();
        self.buckets.extend(self.data.iter().map(|candidate| {
            // Saturates, and takes NaN to 0: so does the order of `sort`.
            let logit = candidate.logit.max(f32::NEG_INFINITY);
            let bucket = (SCALE * logit - LOW * SCALE) as i32;
            let bucket = u8::try_from(bucket.clamp(0, 127)).unwrap_or(0);
            sizes[usize::from(bucket)] += 1;
            bucket
        }));

        // The best bucket first: where each one starts, and which is the last that matters.
        let mut starts = [0_usize; BUCKETS];
        let (mut total, mut lowest) = (0, BUCKETS);
        while lowest > 0 && total < count {
            lowest -= 1;
            starts[lowest] = total;
            total += sizes[lowest];
        }
        self.scratch.clear();
        self.scratch.resize(total, Candidate::default());
        let mut ends = starts;
        for (candidate, &bucket) in self.data.iter().zip(&self.buckets) {
            let bucket = usize::from(bucket);
            if bucket >= lowest {
                self.scratch[ends[bucket]] = *candidate;
                ends[bucket] += 1;
            }
        }
        for bucket in (lowest..BUCKETS).rev() {
            let range = &mut self.scratch[starts[bucket]..ends[bucket]];
            if bucket > lowest {
                sort::sort(range);
            } else {
                sort::partial_sort(range, count - starts[bucket]);
            }
        }
    }

    /// Computes the probabilities of the candidates as they stand: `exp(logit - max) / sum`, in
    /// single precision and in array order. (llama.cpp: `llama_sampler_softmax_impl`)
    /// A logit of NaN counts as -inf; if every logit is -inf they are NaN.
    ///
    /// ```
    /// use grammask_sampler::Candidates;
    ///
    /// let mut candidates = Candidates::from_logits(&[1.0, 1.0]);
    /// candidates.softmax();
    /// assert_eq!(candidates.as_slice()[1].p, 0.5);
    /// ```
    pub fn softmax(&mut self) {
        self.softmax_parts();
    }

    /// The same, and the entropy of the probabilities, in nats. What has no probability adds nothing.
    ///
    /// Few are summed in single precision and in array order, as llama.cpp does it. Of many the
    /// logarithms are taken from the logits, which is sooner done and, in double precision, nearer to
    /// the truth.
    pub(crate) fn softmax_entropy(&mut self) -> f32 {
        let Some((max, sum)) = self.softmax_parts() else { return 0.0 };
        let possible = self.data.iter().filter(|c| c.p > 0.0);
        if self.data.len() <= MANY {
            return -possible.map(|c| c.p * c.p.ln()).sum::<f32>();
        }
        let log = f64::from(sum).ln();
        let terms = possible.map(|c| f64::from(c.p) * (f64::from(c.logit - max) - log));
        -terms.sum::<f64>() as f32
    }

    /// The same; the greatest logit and the sum of the distances to it, as exponents.
    fn softmax_parts(&mut self) -> Option<(f32, f32)> {
        let max = self.max_logit()?;
        let mut sum = 0.0_f32;
        for candidate in &mut self.data {
            candidate.p = (candidate.logit.max(f32::NEG_INFINITY) - max).exp();
            sum += candidate.p;
        }
        for candidate in &mut self.data {
            candidate.p /= sum;
        }
        Some((max, sum))
    }

    /// Drops the first `count` candidates.
    pub(crate) fn drop_first(&mut self, count: usize) {
        self.data.drain(..count.min(self.data.len()));
        self.selected = None;
    }

    /// Keeps those that `pick` writes, in the order in which it does.
    pub(crate) fn keep(&mut self, pick: impl FnOnce(&[Candidate], &mut Vec<Candidate>)) {
        self.scratch.clear();
        pick(&self.data, &mut self.scratch);
        std::mem::swap(&mut self.data, &mut self.scratch);
        self.selected = None;
        self.sorted = false;
    }

    /// Sorts all of them as [`sort`](Self::sort) does, where their probabilities are to be computed anew:
    /// they are forgotten.
    pub(crate) fn sort_logits(&mut self) {
        if self.sorted || self.data.len() <= MANY {
            return self.sort();
        }
        radix::sort_logits(&mut self.data, &mut self.radix);
        self.sorted = true;
        self.selected = None;
    }

    /// The shortest run of best candidates whose probabilities reach `mass`, at least `min_keep` of
    /// them, sorted; the others are dropped. Needs the probabilities.
    ///
    /// Of many unsorted candidates only the best 256 are sorted at first, because they nearly always
    /// suffice. (llama.cpp: `llama_sampler_top_p_apply`)
    pub(crate) fn keep_mass(&mut self, mass: f32, min_keep: usize) {
        const FIRST: usize = 256;
        if self.sorted || self.data.len() <= MANY {
            self.sort();
            let kept = reach(&self.data, mass, min_keep).unwrap_or(self.data.len());
            return self.truncate(kept);
        }
        self.sort_into_scratch(FIRST);
        let kept = reach(&self.scratch[..FIRST], mass, min_keep).unwrap_or_else(|| {
            radix::sort(&self.data, &mut self.scratch, &mut self.radix);
            reach(&self.scratch, mass, min_keep).unwrap_or(self.data.len())
        });
        self.data[..kept].copy_from_slice(&self.scratch[..kept]);
        self.data.truncate(kept);
        self.sorted = true;
        self.selected = None;
    }

    /// Keeps the candidates with a probability of at least `least`, in their order. If these are
    /// fewer than `min_keep`, or none, it keeps the `min_keep` best instead, or one, and those that
    /// equal the last of them. Needs the probabilities; those that are NaN stay.
    pub(crate) fn keep_probable(&mut self, least: f32, min_keep: usize) {
        let is_below = |candidate: &Candidate| candidate.p < least;
        let min_keep = min_keep.max(1);
        if self.data.len() <= min_keep {
            return;
        }
        if self.data.iter().filter(|candidate| !is_below(candidate)).count() >= min_keep {
            return self.retain(|candidate| !is_below(candidate));
        }
        let logit = |candidate: &Candidate| candidate.logit.max(f32::NEG_INFINITY);
        self.scratch.clone_from(&self.data);
        let (_, last, _) =
            self.scratch.select_nth_unstable_by(min_keep - 1, |a, b| logit(b).total_cmp(&logit(a)));
        let least = logit(last);
        self.retain(|candidate| logit(candidate) >= least);
    }
}

/// How many of the first candidates it takes for their probabilities to reach `mass`.
fn reach(candidates: &[Candidate], mass: f32, min_keep: usize) -> Option<usize> {
    let mut sum = 0.0;
    let last = candidates.iter().enumerate().position(|(i, candidate)| {
        sum += candidate.p;
        sum >= mass && i + 1 >= min_keep
    });
    last.map(|i| i + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ids(candidates: &Candidates) -> Vec<u32> {
        candidates.as_slice().iter().map(|c| c.id.0).collect()
    }

    proptest! {
        #[test]
        fn buckets_sort_as_a_plain_sort(
            values in prop::collection::vec(-15.0_f32..15.0, 129..400),
            count in 1_usize..400,
        ) {
            let mut candidates = Candidates::from_logits(&values);
            candidates.partial_sort(count);
            let mut expected: Vec<u32> = (0..values.len() as u32).collect();
            expected.sort_by(|&a, &b| values[b as usize].total_cmp(&values[a as usize]));
            expected.truncate(count);
            let logits: Vec<f32> = candidates.as_slice().iter().map(|c| c.logit).collect();
            let expected: Vec<f32> = expected.iter().map(|&id| values[id as usize]).collect();
            prop_assert_eq!(logits, expected);
            prop_assert!(candidates.is_sorted());
        }
    }

    #[test]
    fn logits_that_are_no_numbers_sort_like_minus_infinity() {
        let mut values = vec![0.0; 200];
        values[3] = f32::NAN;
        values[5] = f32::INFINITY;
        values[7] = f32::NEG_INFINITY;
        values[9] = 1e30;
        let mut candidates = Candidates::from_logits(&values);
        candidates.sort();
        let sorted = ids(&candidates);
        assert_eq!(sorted[..2], [5, 9]);
        assert!(sorted[198..].contains(&3) && sorted[198..].contains(&7));
        assert_eq!(candidates.max_logit(), Some(f32::INFINITY));
    }

    #[test]
    fn a_new_step_forgets_the_old_one() {
        let mut candidates = Candidates::from_logits(&[1.0, 2.0]);
        candidates.sort();
        candidates.select(0);
        assert_eq!(candidates.selected_candidate().unwrap().id, TokenId(1));
        candidates.set_logits(&[1.0, 2.0, 3.0]);
        assert_eq!(candidates, Candidates::from_logits(&[1.0, 2.0, 3.0]));
    }

    #[test]
    fn a_selection_that_moves_is_forgotten() {
        let mut candidates = Candidates::from_logits(&[1.0, 2.0]);
        candidates.select(1);
        candidates.retain(|c| c.id != TokenId(0));
        assert_eq!(candidates.selected(), None);
        candidates.select(5);
        assert_eq!(candidates.selected(), None);
    }

    #[test]
    fn no_candidates_are_no_trouble() {
        let mut candidates = Candidates::default();
        candidates.sort();
        candidates.softmax();
        candidates.keep_mass(0.5, 3);
        assert_eq!((candidates.len(), candidates.max_logit()), (0, None));
    }

    #[test]
    fn refilling_allocates_nothing() {
        let logits: Vec<f32> = (0..5000_u16).map(|i| f32::from(i % 977) / 100.0).collect();
        let mut candidates = Candidates::from_logits(&logits);
        let step = |candidates: &mut Candidates| {
            candidates.set_logits(&logits);
            candidates.sort();
            // The two change places.
            let mut places = [&candidates.data, &candidates.scratch]
                .map(|list| (list.as_ptr(), list.capacity()));
            places.sort_unstable();
            places
        };
        step(&mut candidates);
        let second = step(&mut candidates);
        assert_eq!(step(&mut candidates), second);
    }
}
