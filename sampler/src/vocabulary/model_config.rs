//! What the files beside a tokenizer say of its tokens.

use serde_json::{Map, Value};

use super::VocabularyError;

/// What is known of the tokens of a model besides its tokenizer: which ones end generation, and which
/// control tokens there are that its file does not list.
///
/// ```
/// use grammask_sampler::{ModelConfig, TokenId, Vocabulary};
///
/// let mut config = ModelConfig::default();
/// config.add_control(2, "<|end_of_line|>").add_eog(2);
/// let vocabulary = Vocabulary::from_tiktoken(b"YQ== 0\nYg== 1\n", &config)?;
/// assert_eq!(vocabulary.eog_ids(), [TokenId(2)]);
/// # Ok::<(), grammask_sampler::VocabularyError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ModelConfig {
    eog_ids: Vec<u64>,
    eog_texts: Vec<String>,
    /// Id, text, and whether it is a control token.
    added: Vec<(u64, String, bool)>,
}

impl ModelConfig {
    /// Adds a control token.
    pub fn add_control(&mut self, id: u32, text: impl Into<String>) -> &mut Self {
        self.added.push((id.into(), text.into(), true));
        self
    }

    /// Has a token end generation.
    pub fn add_eog(&mut self, id: u32) -> &mut Self {
        self.eog_ids.push(id.into());
        self
    }

    /// Reads a `tokenizer_config.json`: `eos_token`, which ends generation, and
    /// `added_tokens_decoder`, tokens by their ids.
    ///
    /// # Errors
    ///
    /// [`VocabularyError::Field`].
    ///
    /// ```
    /// use grammask_sampler::{ModelConfig, Vocabulary};
    ///
    /// let mut config = ModelConfig::default();
    /// config.read_tokenizer_config(
    ///     br#"{"eos_token": "<end>", "added_tokens_decoder": {"1": {"content": "<end>", "special": true}}}"#,
    /// )?;
    /// let vocabulary = Vocabulary::from_tiktoken(b"YQ== 0\n", &config)?;
    /// assert_eq!(vocabulary.eog_ids().len(), 1);
    /// # Ok::<(), grammask_sampler::VocabularyError>(())
    /// ```
    pub fn read_tokenizer_config(&mut self, json: &[u8]) -> Result<&mut Self, VocabularyError> {
        let wrong = |field: &str, message: &str| {
            VocabularyError::field("tokenizer_config.json", field, message)
        };
        let config = object("tokenizer_config.json", json)?;
        match config.get("eos_token") {
            None | Some(Value::Null) => {}
            Some(token) => {
                let text = token.as_str().or_else(|| token.get("content")?.as_str());
                let text = text.ok_or_else(|| {
                    wrong("eos_token", "is neither a text nor an object with a text as \"content\"")
                })?;
                if text.is_empty() {
                    return Err(wrong("eos_token", "is empty"));
                }
                self.eog_texts.push(text.to_owned());
            }
        }
        let added = match config.get("added_tokens_decoder") {
            None | Some(Value::Null) => return Ok(self),
            Some(added) => added
                .as_object()
                .ok_or_else(|| wrong("added_tokens_decoder", "is not an object of tokens by id"))?,
        };
        for (id, token) in added {
            let field = || format!("added_tokens_decoder.{id}");
            let id = id.parse().map_err(|_| wrong(&field(), "the key is no id"))?;
            let text = token.get("content").and_then(Value::as_str);
            let text = text.ok_or_else(|| wrong(&field(), "has no text as \"content\""))?;
            let is_special = token.get("special").and_then(Value::as_bool).unwrap_or_default();
            self.added.push((id, text.to_owned(), is_special));
        }
        Ok(self)
    }

    /// Reads a `generation_config.json`, or the `config.json` of a model that has none: `eos_token_id`,
    /// one id or several, all of which end generation.
    ///
    /// # Errors
    ///
    /// [`VocabularyError::Field`].
    ///
    /// ```
    /// use grammask_sampler::{ModelConfig, TokenId, Vocabulary};
    ///
    /// let mut config = ModelConfig::default();
    /// config.read_generation_config(br#"{"eos_token_id": [0, 1]}"#)?;
    /// let vocabulary = Vocabulary::from_tiktoken(b"YQ== 0\nYg== 1\nYw== 2\n", &config)?;
    /// assert_eq!(vocabulary.eog_ids(), [TokenId(0), TokenId(1)]);
    /// # Ok::<(), grammask_sampler::VocabularyError>(())
    /// ```
    pub fn read_generation_config(&mut self, json: &[u8]) -> Result<&mut Self, VocabularyError> {
        let config = object("generation_config.json", json)?;
        let ids = match config.get("eos_token_id") {
            None | Some(Value::Null) => return Ok(self),
            Some(Value::Array(ids)) => ids.as_slice(),
            Some(id) => std::slice::from_ref(id),
        };
        for id in ids {
            let id = id.as_u64().ok_or_else(|| {
                let message = format!("{id} is no id");
                VocabularyError::field("generation_config.json", "eos_token_id", message)
            })?;
            self.eog_ids.push(id);
        }
        Ok(self)
    }

    /// The ids that end generation.
    pub(super) fn eog_ids(&self) -> &[u64] {
        &self.eog_ids
    }

    /// The texts of tokens that end generation.
    pub(super) fn eog_texts(&self) -> &[String] {
        &self.eog_texts
    }

    /// Whether the token with a text ends generation.
    pub(super) fn ends_with(&self, text: &str) -> bool {
        self.eog_texts.iter().any(|end| end == text)
    }

    /// Tokens with id and text, and whether they are control tokens.
    pub(super) fn added(&self) -> &[(u64, String, bool)] {
        &self.added
    }
}

fn object(file: &'static str, json: &[u8]) -> Result<Map<String, Value>, VocabularyError> {
    serde_json::from_slice(json)
        .map_err(|error| VocabularyError::field(file, "", error.to_string()))
}
