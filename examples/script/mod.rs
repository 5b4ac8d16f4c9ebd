//! A model for examples: no weights, but something to say.

use std::error::Error;

use grammask::sampler::{TokenId, Vocabulary};
use grammask::{LanguageModel, ModelError};

/// A model that says a text, where it is allowed to.
pub(crate) struct Script {
    vocabulary: Vocabulary,
    tokens: Vec<TokenId>,
    logits: Vec<f32>,
}

impl Script {
    /// A model that says this text and then ends.
    pub(crate) fn new(
        vocabulary: &Vocabulary,
        text: &str,
    ) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let mut tokens = vocabulary.encode(text)?;
        tokens.extend(vocabulary.eog_ids().first());
        Ok(Self { vocabulary: vocabulary.clone(), tokens, logits: Vec::new() })
    }
}

impl LanguageModel for Script {
    fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    fn logits(&mut self, tokens: &[TokenId]) -> Result<&[f32], ModelError> {
        self.logits.clear();
        self.logits.resize(self.vocabulary.len(), 0.0);
        if let Some(next) = self.tokens.get(tokens.len()) {
            self.logits[next.index()] = 10.0;
        }
        Ok(&self.logits)
    }
}
