//! A model reads its prompt.

use std::time::{Duration, Instant};

use anyhow::bail;
use grammask::LanguageModel;
use grammask::models::{Evaluation, Model};
use grammask::sampler::TokenId;

use super::interrupt::Interrupt;
use super::model::{self, Loaded, Reading};
use super::progress::Bar;
use super::prompt_cache;
use crate::cli::args::GenerateArgs;
use crate::cli::output::Output;

/// So many tokens are read at once, between which Ctrl-C is looked for.
const BATCH: usize = 512;

/// A model that has read its prompt, as far as nobody interrupted it.
pub(super) struct Read {
    pub(super) model: Box<dyn LanguageModel>,
    /// How many tokens of the prompt were not known.
    pub(super) evaluated: usize,
    pub(super) time: Duration,
}

/// Has a model read its prompt, for which there must be room, and for the answer.
pub(super) fn prompt(
    args: &GenerateArgs,
    loaded: &Loaded,
    model: &Model,
    prompt: &[TokenId],
    interrupt: &Interrupt,
    output: Output,
) -> anyhow::Result<Read> {
    let context = model::context_length(&args.model, model, output);
    check_room(args, prompt.len(), context)?;
    let options = model::options(&args.model, context, prompt, &loaded.tokenizer);
    let cache = args.model.prompt_cache.as_deref();
    let kept = match cache {
        Some(path) => prompt_cache::read(path, model, options)?,
        None => None,
    };
    let start = Instant::now();
    let evaluation = kept.unwrap_or_else(|| Evaluation::new(model, options));
    // What has been read need not be read again.
    let mut read = evaluation.tokens().iter().zip(prompt).take_while(|(a, b)| a == b).count();
    let is_kept = read == prompt.len() && read == evaluation.tokens().len();
    let mut reading = Reading::new(evaluation, &loaded.engine);
    let bar = Bar::tokens("reading the prompt", output);
    while read < prompt.len() && !interrupt.has_come() {
        read = (read + BATCH).min(prompt.len());
        reading.logits(&prompt[..read]).map_err(anyhow::Error::from_boxed)?;
        bar.is_at(read as u64, prompt.len() as u64);
    }
    bar.finish();
    let time = start.elapsed();
    if let Some(path) = cache.filter(|_| !is_kept && !interrupt.has_come()) {
        prompt_cache::write(path, &reading.evaluation)?;
    }
    let evaluated = reading.evaluation.evaluated();
    Ok(Read { model: Box::new(reading), evaluated, time })
}

fn check_room(args: &GenerateArgs, prompt: usize, context: usize) -> anyhow::Result<()> {
    if prompt > context {
        bail!(
            "the prompt has {prompt} tokens, and the context has room for {context}: shorten it, or give a \
            larger --ctx-size"
        );
    }
    let answer = usize::try_from(args.max_tokens).unwrap_or(0);
    if args.model.keep.is_none() && answer > context - prompt {
        bail!(
            "the context has room for {context} tokens, and {prompt} of the prompt and --max-tokens {answer} \
            are more: give a larger --ctx-size, at most {} as --max-tokens, or --keep N, which drops what is \
            old",
            context - prompt
        );
    }
    Ok(())
}
