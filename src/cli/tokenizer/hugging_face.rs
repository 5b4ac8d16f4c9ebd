//! The tokenizer that a `tokenizer.json` describes, run by the crate that reads such files.

use std::panic::{self, AssertUnwindSafe};
use std::path::Path;

use grammask::sampler::TokenId;
use serde_json::Value;
use tokenizers::Tokenizer;

use super::EncodeError;

/// The tokenizer of a `tokenizer.json`.
#[derive(Debug)]
pub(crate) struct HuggingFace(Tokenizer);

impl HuggingFace {
    /// Nothing if the file is none of these.
    pub(super) fn read(path: &Path) -> anyhow::Result<Option<Self>> {
        let bytes = std::fs::read(path)?;
        // What else is JSON is a list of tokens.
        match serde_json::from_slice::<Value>(&bytes) {
            Ok(file) if file.get("model").is_some() => {}
            _ => return Ok(None),
        }
        let tokenizer = unpanicked(|| Tokenizer::from_bytes(&bytes))?;
        Ok(Some(Self(tokenizer.map_err(anyhow::Error::from_boxed)?)))
    }

    /// `with_ends`: with what its post-processor puts around texts.
    pub(super) fn encode(&self, text: &str, with_ends: bool) -> Result<Vec<TokenId>, EncodeError> {
        let encoding = unpanicked(|| self.0.encode_fast(text, with_ends))?;
        let encoding = encoding.map_err(|error| EncodeError::Split(error.to_string()))?;
        Ok(encoding.get_ids().iter().copied().map(TokenId).collect())
    }
}

/// The crate panics where a file says what it takes for impossible, as merges of which no token comes.
fn unpanicked<T>(run: impl FnOnce() -> T) -> Result<T, EncodeError> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let result = panic::catch_unwind(AssertUnwindSafe(run));
    panic::set_hook(hook);
    result.map_err(|_| EncodeError::Split("the tokenizer contradicts itself".to_owned()))
}
