//! One text that a model continues.

use std::io::{Read, Write};

use grammask_sampler::TokenId;

use crate::cache::Cache;
use crate::{EvaluateError, Model, PromptCacheError, prompt_cache};

/// So many tokens are evaluated at once at most.
const BATCH: usize = 512;

/// So many tokens of a small model: what they take then is below what candle hands to other threads.
const SMALL_BATCH: usize = 32;

/// So many scores of attention are held at once, unless there are more for [`SMALLEST_BATCH`].
const SCORES: usize = 1 << 25;

/// So many tokens are evaluated at once, however long the text is.
const SMALLEST_BATCH: usize = 16;

/// How a text is evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EvaluationOptions {
    /// How many tokens the context has: llama.cpp's `--ctx-size`. By default as many as the model was
    /// made for. Memory is taken only as the text grows.
    pub context_length: Option<usize>,
    /// When the context is full, so many tokens of the beginning stay, and half of the others are
    /// dropped: llama.cpp's `--keep`. By default a full context is an error.
    pub keep: Option<usize>,
}

/// One text that a model continues: what the layers keep of it (the KV cache), and its tokens.
///
/// A text that has much in common with the last one costs only what is different behind that: going
/// back is to drop the end of the cache.
///
/// When the context is full and [`keep`](EvaluationOptions::keep) is given, tokens in the middle are
/// forgotten: keys of those behind them are turned to the positions to which they move (llama.cpp's
/// context shift). What follows is asked for with the whole text, as before.
#[derive(Debug)]
pub struct Evaluation {
    pub(crate) model: Model,
    /// How many tokens the context has.
    pub(crate) limit: usize,
    /// Whether tokens may be dropped.
    shifts: bool,
    /// So many tokens of the beginning are never dropped.
    pub(crate) kept: usize,
    /// Whether positions are told apart as in a long context.
    pub(crate) is_long: bool,
    /// All tokens, those that were dropped included.
    pub(crate) text: Vec<TokenId>,
    /// So many of them behind the first `kept` are not in the cache.
    pub(crate) dropped: usize,
    pub(crate) cache: Cache,
    /// Those behind `text`, if they are known.
    logits: Option<Vec<f32>>,
    /// How many tokens have been evaluated.
    evaluated: usize,
}

impl Evaluation {
    /// Nothing is evaluated yet.
    pub fn new(model: &Model, options: EvaluationOptions) -> Self {
        let limit = options.context_length.unwrap_or(model.context_length());
        Self {
            limit,
            shifts: options.keep.is_some(),
            kept: options.keep.unwrap_or(0),
            is_long: model.decoder().rope.is_long(limit),
            text: Vec::new(),
            dropped: 0,
            cache: Cache::new(model.config(), model.device()),
            logits: None,
            evaluated: 0,
            model: model.clone(),
        }
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The text that was evaluated last.
    pub fn tokens(&self) -> &[TokenId] {
        &self.text
    }

    /// How many tokens have been evaluated so far. Those of a text that were known do not count.
    pub fn evaluated(&self) -> usize {
        self.evaluated
    }

    /// How many tokens the context has.
    pub fn context_length(&self) -> usize {
        self.limit
    }

    /// Logits of the token that follows `tokens`, one for each id of the vocabulary. `tokens` is the
    /// whole text, prompt included; only what is new in it is evaluated, a prompt in batches.
    ///
    /// # Errors
    ///
    /// [`EvaluateError::PromptTooLong`] if more is new than known and does not fit into the context,
    /// [`EvaluateError::ContextFull`] if less is new; both before anything is evaluated. Else
    /// [`EvaluateError::NoTokens`], [`EvaluateError::UnknownToken`], [`EvaluateError::Device`].
    pub fn logits(&mut self, tokens: &[TokenId]) -> Result<&[f32], EvaluateError> {
        let common = self.text.iter().zip(tokens).take_while(|(a, b)| a == b).count();
        let count = self.model.vocabulary().len();
        if let Some(&token) = tokens[common..].iter().find(|token| token.index() >= count) {
            return Err(EvaluateError::UnknownToken { token, count });
        }
        let is_known = common == tokens.len() && common == self.text.len();
        if !is_known || self.logits.is_none() {
            self.logits = Some(self.evaluate(tokens, common)?);
        }
        // Set just now, or known.
        Ok(self.logits.as_deref().unwrap_or_default())
    }

    fn evaluate(&mut self, tokens: &[TokenId], common: usize) -> Result<Vec<f32>, EvaluateError> {
        // The last token is evaluated in any case: it is what gives logits.
        let last = tokens.len().checked_sub(1).ok_or(EvaluateError::NoTokens)?;
        let mut reused = common.min(last);
        let mut dropped = self.dropped;
        if dropped > 0 && reused < self.kept + dropped {
            // It goes back to what is not known any more.
            reused = reused.min(self.kept);
            dropped = 0;
        }
        let new = tokens.len() - reused;
        let drops = self.drops(reused - dropped, new, tokens.len())?;

        self.logits = None;
        self.text.truncate(reused);
        self.dropped = dropped;
        for count in drops {
            let len = self.text.len() - self.dropped;
            let rope = &self.model.decoder().rope;
            if let Err(error) = self.cache.remove(self.kept, count, len, rope, self.is_long) {
                // Some layers have moved and others have not.
                self.text.clear();
                self.dropped = 0;
                return Err(error.into());
            }
            self.dropped += count;
        }
        let mut logits = None;
        while self.text.len() < tokens.len() {
            let start = self.text.len() - self.dropped;
            let rest = &tokens[self.text.len()..];
            let (decoder, device) = (self.model.decoder(), self.model.device());
            let most = if decoder.is_small() { SMALL_BATCH } else { BATCH };
            let scores = self.model.config().heads.saturating_mul(start + most.min(rest.len()));
            let batch = (SCORES / scores).clamp(SMALLEST_BATCH, most).min(rest.len());
            let cache = &mut self.cache;
            logits = Some(decoder.forward(&rest[..batch], start, self.is_long, cache, device)?);
            self.text.extend_from_slice(&rest[..batch]);
            self.evaluated += batch;
        }
        let logits = logits.ok_or(EvaluateError::NoTokens)?;
        Ok(logits.to_vec1()?)
    }

    /// How many tokens are dropped, time after time, so that `new` ones fit behind `cached` ones: half
    /// of what is not kept, as llama.cpp's `main` does.
    fn drops(&self, cached: usize, new: usize, len: usize) -> Result<Vec<usize>, EvaluateError> {
        let limit = self.limit;
        let mut drops = Vec::new();
        let mut cached = cached;
        if cached + new > limit && new > cached {
            return Err(EvaluateError::PromptTooLong { len, limit });
        }
        while cached + new > limit {
            let rest = if self.shifts { cached.saturating_sub(self.kept) } else { 0 };
            if rest == 0 {
                return Err(EvaluateError::ContextFull { limit });
            }
            let count = (rest / 2).max(1);
            drops.push(count);
            cached -= count;
        }
        Ok(drops)
    }

    /// Writes the text and what the layers keep of it, so that it need not be evaluated again:
    /// llama.cpp's `--prompt-cache`. The file is of a format of our own; its size is that of the
    /// cache, with 32 bits a number.
    ///
    /// # Errors
    ///
    /// [`PromptCacheError::Io`], [`PromptCacheError::Device`].
    pub fn save(&self, writer: impl Write) -> Result<(), PromptCacheError> {
        prompt_cache::save(self, writer)
    }

    /// Reads what [`save`](Self::save) wrote, with the same model file. If tokens had been dropped, as
    /// many stay at the beginning as then.
    ///
    /// # Errors
    ///
    /// What is wrong with the file: see [`PromptCacheError`].
    pub fn restore(
        model: &Model,
        options: EvaluationOptions,
        reader: impl Read,
    ) -> Result<Self, PromptCacheError> {
        prompt_cache::restore(Self::new(model, options), reader)
    }
}
