//! A model that knows nothing but words.

use std::sync::Arc;

use grammask_gbnf::Grammar;
use grammask_sampler::{Engine, TokenId, Vocabulary};

use super::words::Words;
use super::{LanguageModel, ModelError};

/// Noise around the frequencies of tokens: only the grammar shapes what it writes, which is the
/// hardest test of a grammar.
///
/// It knows no grammar and no language, only the vocabulary, and follows a few habits of texts:
///
/// - Zipf's law over ids: in vocabularies made by byte pair encoding low ids are frequent pieces.
/// - What has been opened gets closed: tokens that begin with `"`, `]` or `}` are more likely, so
///   that strings, lists and objects end by themselves, as they do in a real model's output.
/// - Generation ends where it may: the end-of-generation tokens are as likely as the likeliest
///   token.
/// - A word that has been begun is finished, if it is told the words of a grammar
///   ([`RandomModel::with_words_of`]).
///
/// The noise is a function of the seed, the number of tokens and the last token: the same text gets
/// the same logits.
///
/// ```
/// use grammask::{LanguageModel, RandomModel};
/// use grammask::sampler::{Engine, TokenId, Vocabulary};
///
/// let engine = Engine::new(Vocabulary::from_name("r50k_base")?);
/// let mut model = RandomModel::new(&engine, 1);
/// let first = model.logits(&[])?.to_vec();
/// assert_ne!(model.logits(&[TokenId(7)])?, first);
/// assert_eq!(model.logits(&[])?, first);
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RandomModel {
    engine: Arc<Engine>,
    seed: u32,
    words: Words,
    /// The logits without noise.
    base: Vec<f32>,
    logits: Vec<f32>,
}

/// The exponent of Zipf's law, and the offset of the ranks (Mandelbrot's form of it).
const EXPONENT: f32 = 1.1;
const OFFSET: f32 = 10.0;
/// The standard deviation of the noise.
const NOISE: f32 = 1.0;
/// What is added to tokens that begin with a closing character.
const CLOSES_STRING: f32 = 2.0;
const CLOSES_NESTING: f32 = 3.5;
/// What is added to a token that goes on with a word, and what more to one that finishes it.
const GOES_ON: f32 = 8.0;
const FINISHES: f32 = 7.0;

impl RandomModel {
    /// A model over the vocabulary of an engine.
    pub fn new(engine: &Arc<Engine>, seed: u32) -> Self {
        let vocabulary = engine.vocabulary();
        let base: Vec<f32> = vocabulary.ids().map(|id| base_logit(vocabulary, id)).collect();
        let words = Words::default();
        Self { engine: Arc::clone(engine), seed, words, logits: base.clone(), base }
    }

    /// The same model, which also knows the literals of a grammar as its words: what begins like
    /// one of them it tends to finish so, those first that it has written least often. It does not
    /// know where they are allowed, but a model that has the schema in its prompt writes declared
    /// names rather than others, and so does this one. Without them an object with required names
    /// that also allows any other name rarely ends.
    ///
    /// ```
    /// use grammask::sampler::{Engine, Vocabulary};
    /// use grammask::{LanguageModel, RandomModel, parse_grammar};
    ///
    /// let engine = Engine::new(Vocabulary::from_name("r50k_base")?);
    /// let grammar = parse_grammar(r#"root ::= "color" | [a-z]+"#, "root")?;
    /// let mut model = RandomModel::new(&engine, 1).with_words_of(&grammar);
    /// let text = engine.vocabulary().encode("col")?;
    /// let or = engine.vocabulary().token_by_text(b"or").ok_or("no token")?;
    /// let unaware = RandomModel::new(&engine, 1).logits(&text)?[or.index()];
    /// assert!(model.logits(&text)?[or.index()] > unaware);
    /// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
    /// ```
    #[must_use]
    pub fn with_words_of(self, grammar: &Grammar) -> Self {
        Self { words: Words::of(grammar), ..self }
    }
}

#[allow(clippy::cast_precision_loss)] // A rank need not be exact.
fn base_logit(vocabulary: &Vocabulary, id: TokenId) -> f32 {
    let zipf = |rank: u32| -EXPONENT * (rank as f32 + OFFSET).ln();
    if vocabulary.is_eog(id) {
        return zipf(0) + CLOSES_NESTING;
    }
    let bonus = match vocabulary.bytes(id).and_then(<[u8]>::first) {
        Some(b'"') => CLOSES_STRING,
        Some(b']' | b'}') => CLOSES_NESTING,
        _ => 0.0,
    };
    zipf(id.0) + bonus
}

impl LanguageModel for RandomModel {
    fn vocabulary(&self) -> &Vocabulary {
        self.engine.vocabulary()
    }

    fn logits(&mut self, tokens: &[TokenId]) -> Result<&[f32], ModelError> {
        let last = tokens.last().map_or(u32::MAX, |token| token.0);
        let mut key = mix(self.seed);
        key = mix(key ^ tokens.len() as u32);
        key = mix(key ^ last);
        for (id, (logit, base)) in (0..).zip(self.logits.iter_mut().zip(&self.base)) {
            *logit = base + noise(key ^ id);
        }
        let vocabulary = self.engine.vocabulary();
        let text = tokens.iter().filter_map(|&id| vocabulary.bytes(id));
        let text: Vec<u8> = text.flatten().copied().collect();
        for (id, share) in self.words.continuations(&text, vocabulary) {
            let index = id.index();
            let known = self.base[index] + noise(key ^ id.0) + GOES_ON + FINISHES * share;
            self.logits[index] = self.logits[index].max(known);
        }
        Ok(&self.logits)
    }
}

/// A bijection in which every bit of the input reaches every bit of the output.
/// (The finaliser of `MurmurHash3`, Austin Appleby, public domain.)
fn mix(mut bits: u32) -> u32 {
    bits = (bits ^ (bits >> 16)).wrapping_mul(0x85EB_CA6B);
    bits = (bits ^ (bits >> 13)).wrapping_mul(0xC2B2_AE35);
    bits ^ (bits >> 16)
}

/// Roughly normal: the sum of the four bytes of a hash (each uniform on 0 to 255).
fn noise(bits: u32) -> f32 {
    // The standard deviation of the sum is sqrt(4 * (256^2 - 1) / 12).
    const SCALE: f32 = NOISE / 147.8;
    let sum: u32 = mix(bits.wrapping_mul(0x9E37_79B9)).to_le_bytes().map(u32::from).iter().sum();
    (f32::from(sum as u16) - 510.0) * SCALE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine() -> Arc<Engine> {
        let json = r#"{"tokens": ["a", "\"", "}", "</s>"], "eog": [3]}"#;
        Engine::new(Vocabulary::from_json(json).expect("the vocabulary of a test is valid"))
    }

    #[test]
    fn the_same_text_gets_the_same_logits() {
        let (mut one, mut two) = (RandomModel::new(&engine(), 5), RandomModel::new(&engine(), 6));
        let text = [TokenId(0), TokenId(2)];
        let first = one.logits(&text).expect("no error").to_vec();
        one.logits(&[]).expect("no error");
        assert_eq!(one.logits(&text).expect("no error"), first);
        assert_ne!(two.logits(&text).expect("no error"), first);
    }

    #[test]
    fn noise_is_centred_and_has_its_deviation() {
        let values: Vec<f32> = (0..100_000).map(noise).collect();
        let mean = values.iter().sum::<f32>() / 1e5;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / 1e5;
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
    }
}
