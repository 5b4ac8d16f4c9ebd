//! A token for the middle of a text.

use std::ops::Range;
use std::sync::Arc;

use crate::{Candidate, Candidates, Sampler, TokenId, Vocabulary};

/// Keeps the few tokens that are sure to fill a gap in a text, and ends generation early; meant to
/// come behind top-k and top-p.
///
/// 1. It computes the probabilities and sorts. If that of all tokens that end generation, times three,
///    times the number of candidates, is more than that of all others, only they stay.
/// 2. Else, where one token's text begins another's, the more probable of the two takes over the
///    probability of the other one, which goes; tried from the most probable token on.
/// 3. Of the others those with less than 0.2 go, then those with less than 1 / (n + 1) of what
///    stays, n being how many they still are.
/// 4. If none of them is left, the most probable token that ends generation remains, and its logit
///    is 1. Without any among the candidates the first one of the vocabulary comes in, even if a mask
///    has ruled it out; if that has none, the most probable candidate remains.
///
/// The probabilities of what stays are made to add up to 1 again, except in the fourth step. Control
/// tokens are without text here. Source: `llama_sampler_infill_apply` of llama.cpp.
///
/// ```
/// use grammask_sampler::{Candidates, Infill, Sampler, Vocabulary};
///
/// let json = r#"{"tokens": ["hel", "hell", "hello", "dummy", "</s>"], "eog": [4]}"#;
/// let vocabulary = Vocabulary::from_json(json)?;
/// let p = [0.5_f32, 0.2, 0.1, 0.19, 0.01];
/// let mut candidates = Candidates::from_logits(&p.map(f32::ln));
/// Infill::new(&vocabulary).apply(&mut candidates);
/// let ids: Vec<u32> = candidates.as_slice().iter().map(|c| c.id.0).collect();
/// assert_eq!(ids, [0, 4]);
/// assert!(candidates.as_slice()[0].p > 0.98);
/// # Ok::<(), grammask_sampler::VocabularyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Infill {
    tokens: Arc<Tokens>,
    /// The candidates with a text: its place, and their index.
    by_text: Vec<(u32, usize)>,
    /// The candidates whose texts begin with that of one.
    others: Vec<usize>,
}

/// What is to be known about a vocabulary.
#[derive(Debug)]
struct Tokens {
    /// For each token the places, in the order of their bytes, of the ordinary tokens that begin with
    /// its text, itself first; none for other tokens.
    beginning_with: Vec<Range<u32>>,
    /// Those that end generation, ascending.
    eog: Vec<TokenId>,
}

impl Infill {
    /// Fills gaps with the tokens of a vocabulary. Takes one pass over it; a copy shares the tables.
    pub fn new(vocabulary: &Vocabulary) -> Self {
        Self { tokens: Arc::new(Tokens::new(vocabulary)), by_text: Vec::new(), others: Vec::new() }
    }

    fn is_eog(&self, candidate: &Candidate) -> bool {
        self.tokens.eog.binary_search(&candidate.id).is_ok()
    }

    /// Adds the probabilities of tokens of which one's text begins the other's. What another one has
    /// taken over is left with none, and with a logit of -inf.
    fn merge(&mut self, data: &mut [Candidate]) {
        let is_there = |candidate: &Candidate| candidate.logit > f32::NEG_INFINITY;
        self.by_text.clear();
        for (index, candidate) in data.iter().enumerate() {
            let places = self.tokens.beginning_with(candidate.id);
            if !places.is_empty() && is_there(candidate) {
                self.by_text.push((places.start, index));
            }
        }
        self.by_text.sort_unstable();
        for index in 0..data.len() {
            if !is_there(&data[index]) {
                continue;
            }
            let places = self.tokens.beginning_with(data[index].id);
            let start = self.by_text.partition_point(|(place, _)| *place < places.start);
            let there = self.by_text[start..].iter().take_while(|(place, _)| *place < places.end);
            let others = there.map(|(_, other)| *other);
            self.others.clear();
            self.others.extend(others.filter(|&other| other != index && is_there(&data[other])));
            self.others.sort_unstable();
            for &other in &self.others {
                let gives_in = data[other].p > data[index].p;
                let (from, to) = if gives_in { (index, other) } else { (other, index) };
                data[to].p += data[from].p;
                data[from].p = 0.0;
                data[from].logit = f32::NEG_INFINITY;
                if gives_in {
                    break;
                }
            }
        }
    }

    /// Keeps the tokens that end generation and those with a probability of at least `least`, and
    /// makes them add up to 1.
    fn keep(&self, candidates: &mut Candidates, least: f32) {
        candidates.retain(|candidate| self.is_eog(candidate) || !is_below(candidate, least));
        let data = candidates.as_mut_slice();
        let sum: f32 = data.iter().map(|candidate| candidate.p).sum();
        for candidate in data {
            candidate.p /= sum;
        }
    }

    /// Keeps one token that ends generation.
    fn end(&self, candidates: &mut Candidates) {
        let best = candidates.as_slice().iter().find(|candidate| self.is_eog(candidate));
        let mut only = *best.unwrap_or(&candidates.as_slice()[0]);
        if best.is_none()
            && let Some(&end) = self.tokens.eog.first()
        {
            only.id = end;
        }
        only.logit = 1.0;
        candidates.truncate(1);
        candidates.as_mut_slice()[0] = only;
    }
}

/// No number, which all are if nothing is possible, is not below anything.
fn is_below(candidate: &Candidate, least: f32) -> bool {
    candidate.p < least
}

impl Sampler for Infill {
    fn name(&self) -> &'static str {
        "infill"
    }

    #[allow(clippy::cast_precision_loss)] // llama.cpp computes in single precision.
    fn apply(&mut self, candidates: &mut Candidates) {
        const LEAST: f32 = 0.2;
        if candidates.is_empty() {
            return;
        }
        candidates.sort_logits();
        candidates.softmax();
        let (mut end, mut text) = (0.0, 0.0);
        for candidate in candidates.as_slice() {
            *if self.is_eog(candidate) { &mut end } else { &mut text } += candidate.p;
        }
        if 3.0 * end * candidates.len() as f32 > text {
            return self.keep(candidates, f32::INFINITY);
        }
        self.merge(candidates.as_mut_slice());
        let stays = |c: &&Candidate| !self.is_eog(c) && !is_below(c, LEAST);
        match candidates.as_slice().iter().filter(stays).count() {
            0 => self.end(candidates),
            count => {
                self.keep(candidates, LEAST);
                self.keep(candidates, 1.0 / (count + 1) as f32);
            }
        }
    }

    fn clone_box(&self) -> Box<dyn Sampler> {
        Box::new(self.clone())
    }
}

impl Tokens {
    fn new(vocabulary: &Vocabulary) -> Self {
        let text = |token: TokenId| vocabulary.bytes(token).unwrap_or_default();
        let ordered = vocabulary.ordered();
        let mut beginning_with = vec![0..0; vocabulary.len()];
        // The tokens that the present one begins with.
        let mut beginnings: Vec<TokenId> = Vec::new();
        for (place, &token) in (0..).zip(ordered) {
            while let Some(last) =
                beginnings.pop_if(|&mut last| !text(token).starts_with(text(last)))
            {
                beginning_with[last.index()].end = place;
            }
            // What spells the same begins with each other.
            let twin = beginnings.last().filter(|&&last| text(last) == text(token));
            let start = twin.map_or(place, |twin| beginning_with[twin.index()].start);
            beginning_with[token.index()] = start..ordered.len() as u32;
            beginnings.push(token);
        }
        Self { beginning_with, eog: vocabulary.eog_ids().to_vec() }
    }

    fn beginning_with(&self, token: TokenId) -> Range<u32> {
        self.beginning_with.get(token.index()).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The ids and probabilities that stay of sorted candidates, compared pair by pair.
    #[allow(clippy::cast_precision_loss)] // As above.
    fn expected(vocabulary: &Vocabulary, sorted: &Candidates) -> Vec<(TokenId, f32)> {
        let mut candidates = sorted.clone();
        candidates.softmax();
        let mut left: Vec<_> = candidates.as_slice().iter().map(|c| (c.id, c.p)).collect();
        let is_eog = |token: &(TokenId, f32)| vocabulary.is_eog(token.0);
        let sum = |part: &[(TokenId, f32)]| part.iter().map(|(_, p)| p).sum::<f32>();
        let normalised = |part: &[(TokenId, f32)]| -> Vec<_> {
            part.iter().map(|&(id, p)| (id, p / sum(part))).collect()
        };
        let (end, text): (Vec<_>, Vec<_>) = left.iter().partition(|token| is_eog(token));
        if 3.0 * sum(&end) * left.len() as f32 > sum(&text) {
            return normalised(&end);
        }
        let spelling = |id| vocabulary.bytes(id).filter(|_| !vocabulary.is_control(id));
        for i in 0..left.len() {
            for j in 0..left.len() {
                let (Some(a), Some(b)) = (spelling(left[i].0), spelling(left[j].0)) else {
                    continue;
                };
                if i != j && left[i].1 > 0.0 && left[j].1 > 0.0 && b.starts_with(a) {
                    let (from, to) = if left[j].1 > left[i].1 { (i, j) } else { (j, i) };
                    left[to].1 += left[from].1;
                    left[from].1 = 0.0;
                }
            }
        }
        left.retain(|token| is_eog(token) || token.1 >= 0.2);
        let texts = left.iter().filter(|token| !is_eog(token)).count();
        if texts == 0 {
            return left;
        }
        left = normalised(&left);
        left.retain(|token| is_eog(token) || token.1 >= 1.0 / (texts + 1) as f32);
        normalised(&left)
    }

    proptest! {
        #[test]
        fn keeps_what_the_steps_say(
            tokens in prop::collection::vec(("[ab]{1,4}", -3.0_f32..3.0), 1..30),
            first in any::<prop::sample::Index>(),
            eog in -6.0_f32..0.0,
            ruled_out in 0_usize..4,
        ) {
            let mut tokens = tokens;
            let count = tokens.len();
            tokens.rotate_left(first.index(count));
            let mut builder = Vocabulary::builder();
            for (token, _) in &tokens {
                builder.push(token);
            }
            // Its text is never compared.
            builder.push_eog("a");
            let vocabulary = builder.build().unwrap();
            let mut logits: Vec<f32> = tokens.iter().map(|(_, logit)| *logit).collect();
            logits[..ruled_out.min(count - 1)].fill(f32::NEG_INFINITY);
            logits.push(eog);
            let mut candidates = Candidates::from_logits(&logits);
            let mut sorted = candidates.clone();
            sorted.sort();
            Infill::new(&vocabulary).apply(&mut candidates);
            let got: Vec<_> = candidates.as_slice().iter().map(|c| (c.id, c.p)).collect();
            prop_assert_eq!(got, expected(&vocabulary, &sorted));
        }
    }

    #[test]
    fn where_nothing_is_sure_generation_ends() {
        let json = r#"{"tokens": ["a", "b", "c", "d", "e", "f", "</s>"], "eog": [6]}"#;
        let mut infill = Infill::new(&Vocabulary::from_json(json).unwrap());
        let mut candidates = Candidates::from_logits(&[3.0; 6]);
        infill.apply(&mut candidates);
        let only = candidates.as_slice()[0];
        assert_eq!((candidates.len(), only.id, only.logit), (1, TokenId(6), 1.0));

        let without = Vocabulary::from_json(r#"{"tokens": ["a", "b", "c", "d", "e", "f"]}"#);
        candidates.set_logits(&[3.1, 3.0, 3.0, 3.0, 3.0, 3.0]);
        Infill::new(&without.unwrap()).apply(&mut candidates);
        assert_eq!((candidates.len(), candidates.as_slice()[0].id), (1, TokenId(0)));

        candidates.set_logits(&[f32::NEG_INFINITY; 7]);
        infill.apply(&mut candidates);
        assert_eq!(candidates.len(), 7);
        candidates.set_logits(&[]);
        infill.apply(&mut candidates);
        assert!(candidates.is_empty());
    }

    #[test]
    fn ids_beyond_the_vocabulary_are_without_text() {
        let vocabulary = Vocabulary::from_json(r#"{"tokens": ["a", "b"]}"#).unwrap();
        let mut candidates = Candidates::default();
        candidates.set([(TokenId(0), 0.0), (TokenId(u32::MAX), 0.0)]);
        Infill::new(&vocabulary).apply(&mut candidates);
        assert_eq!(candidates.len(), 2);
    }
}
