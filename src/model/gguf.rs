//! Models from GGUF files.

use std::io::Cursor;

use grammask_models::{Device, Evaluation, LoadError, Model};
use grammask_sampler::{TokenId, Vocabulary};

use super::{LanguageModel, ModelError};

/// The model in the box: see `fixtures/models/README.md`.
static IN_THE_BOX: &[u8] = include_bytes!("../../fixtures/models/box.gguf");

/// A small model that comes with the library, to try things with: it has read made-up documents in JSON and
/// knows what they look like, and nothing else.
///
/// # Errors
///
/// [`LoadError`], if there is not enough memory.
///
/// ```
/// use grammask::models::{Evaluation, EvaluationOptions};
/// use grammask::{LanguageModel, model_in_the_box};
///
/// let model = model_in_the_box()?;
/// let mut evaluation = Evaluation::new(&model, EvaluationOptions::default());
/// let start = model.vocabulary().token_by_text(b"<|endoftext|>").ok_or("it has one")?;
/// let logits = LanguageModel::logits(&mut evaluation, &[start])?;
/// assert_eq!(logits.len(), model.vocabulary().len());
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
/// ```
pub fn model_in_the_box() -> Result<Model, LoadError> {
    Model::read(Cursor::new(IN_THE_BOX), &Device::Cpu, |_| {})
}

impl LanguageModel for Evaluation {
    fn vocabulary(&self) -> &Vocabulary {
        self.model().vocabulary()
    }

    fn logits(&mut self, tokens: &[TokenId]) -> Result<&[f32], ModelError> {
        Ok(Self::logits(self, tokens)?)
    }
}
