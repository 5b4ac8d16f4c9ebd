//! Where logits come from.

#[cfg(feature = "models")]
mod gguf;
mod random;
mod words;

use grammask_sampler::{TokenId, Vocabulary};

#[cfg(feature = "models")]
pub use gguf::model_in_the_box;
pub use random::RandomModel;

/// Why a model has no logits.
pub type ModelError = Box<dyn std::error::Error + Send + Sync>;

/// A language model: tokens in, logits of the next token out.
///
/// ```
/// use grammask::{LanguageModel, ModelError};
/// use grammask::sampler::{TokenId, Vocabulary};
///
/// /// Says the same thing again.
/// struct Parrot {
///     vocabulary: Vocabulary,
///     logits: Vec<f32>,
/// }
///
/// impl LanguageModel for Parrot {
///     fn vocabulary(&self) -> &Vocabulary {
///         &self.vocabulary
///     }
///     fn logits(&mut self, tokens: &[TokenId]) -> Result<&[f32], ModelError> {
///         self.logits = vec![0.0; self.vocabulary.len()];
///         if let Some(last) = tokens.last() {
///             self.logits[last.index()] = 10.0;
///         }
///         Ok(&self.logits)
///     }
/// }
/// ```
pub trait LanguageModel {
    /// What the tokens spell.
    fn vocabulary(&self) -> &Vocabulary;

    /// The logits of the token that follows `tokens`, one per id of the vocabulary.
    ///
    /// `tokens` is the whole text so far, prompt included, so that the answer depends on nothing
    /// else. A model that keeps what it has computed (a KV cache) compares the text with what it
    /// holds and evaluates only what is new; going back is then to drop the end of the cache.
    ///
    /// # Errors
    ///
    /// Whatever can go wrong in the model.
    fn logits(&mut self, tokens: &[TokenId]) -> Result<&[f32], ModelError>;
}

impl<M: LanguageModel + ?Sized> LanguageModel for Box<M> {
    fn vocabulary(&self) -> &Vocabulary {
        (**self).vocabulary()
    }

    fn logits(&mut self, tokens: &[TokenId]) -> Result<&[f32], ModelError> {
        (**self).logits(tokens)
    }
}
