//! Which model writes: a file, the one in the box, or noise.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use grammask::gbnf::Grammar;
use grammask::models::{Device, Evaluation, EvaluationOptions, Model, Progress};
use grammask::sampler::{Engine, TokenId, Vocabulary};
use grammask::{LanguageModel, ModelError, RandomModel, model_in_the_box};

use super::progress::Bar;
use crate::cli::args::ModelArgs;
use crate::cli::output::{Message, Output};
use crate::cli::tokenizer::{GgufTokenizer, Tokenizer};
use crate::cli::vocabulary;

/// No more tokens of context than this, if nobody asks for them: llama.cpp's default.
const MOST_CONTEXT: usize = 4096;

/// A model that has been loaded, with the masks of its vocabulary.
pub(super) struct Loaded {
    pub(super) name: String,
    pub(super) engine: Arc<Engine>,
    pub(super) tokenizer: Tokenizer,
    /// `None`: noise.
    pub(super) model: Option<Model>,
}

impl Loaded {
    pub(super) fn load(args: &ModelArgs, output: Output) -> anyhow::Result<Self> {
        match (args.model.as_deref(), args.vocab.as_deref()) {
            (Some("random") | None, Some(vocab)) => Self::random(args, vocab),
            (Some("random"), None) => bail!("--model random needs a --vocab"),
            (Some(path), vocab) => {
                let bar = Bar::bytes("reading the model", output);
                let model = Model::open(Path::new(path), &device()?, |at: Progress| {
                    bar.is_at(at.done, at.total);
                });
                bar.finish();
                Self::of_file(path, model?, vocab)
            }
            (None, None) => Self::of_file("the model in the box", model_in_the_box()?, None),
        }
    }

    fn random(args: &ModelArgs, vocab: &str) -> anyhow::Result<Self> {
        let needs_a_model = [
            (args.chat, "--chat"),
            (args.ctx_size.is_some(), "--ctx-size"),
            (args.keep.is_some(), "--keep"),
            (args.prompt_cache.is_some(), "--prompt-cache"),
            (args.threads.is_some(), "--threads"),
        ];
        if let Some((_, flag)) = needs_a_model.into_iter().find(|(is_given, _)| *is_given) {
            bail!("{flag}: the model is random, and has none; give a --model");
        }
        let engine = vocabulary::load(vocab)?;
        // A prompt makes little difference, and some tokenizers take long to be built.
        let tokenizer = if args.prompt.is_some() || args.file.is_some() {
            Tokenizer::of_vocabulary(vocab, &engine)?
        } else {
            Tokenizer::Longest(Arc::clone(&engine))
        };
        Ok(Self { name: "random".to_owned(), engine, tokenizer, model: None })
    }

    fn of_file(path: &str, model: Model, vocab: Option<&str>) -> anyhow::Result<Self> {
        let its_own = model.vocabulary();
        let (engine, tokenizer) = match vocab {
            None => {
                let tokenizer = GgufTokenizer::new(model.header(), its_own);
                let tokenizer = tokenizer.with_context(|| path.to_owned())?;
                (Engine::new(its_own.clone()), Tokenizer::Gguf(Box::new(tokenizer)))
            }
            Some(name) => {
                let other = vocabulary::read(name)?;
                if other.len() > its_own.len() {
                    bail!(
                        "--vocab {name} has {} tokens, and the model {path} only {}: it belongs to another \
                        model; leave it out, and the vocabulary of the model is used",
                        other.len(),
                        its_own.len()
                    );
                }
                let engine = Engine::new(other);
                let tokenizer = Tokenizer::of_vocabulary(name, &engine)?;
                (engine, tokenizer)
            }
        };
        let name = model.header().text("general.name").ok().flatten().unwrap_or(path).to_owned();
        Ok(Self { name, engine, tokenizer, model: Some(model) })
    }
}

/// How many tokens the context has.
pub(super) fn context_length(args: &ModelArgs, model: &Model, output: Output) -> usize {
    let made_for = model.context_length();
    match args.ctx_size {
        None => made_for.min(MOST_CONTEXT),
        Some(0) => made_for,
        Some(asked) => {
            let asked = asked as usize;
            if asked > made_for {
                output.say(&Message::note(format!(
                    "--ctx-size {asked}: the model was made for {made_for} tokens, and may lose the thread \
                    beyond"
                )));
            }
            asked
        }
    }
}

/// Noise that knows the words of a grammar.
pub(super) fn random(engine: &Arc<Engine>, seed: u32, grammar: &Grammar) -> RandomModel {
    RandomModel::new(engine, seed).with_words_of(grammar)
}

/// Where the model runs.
fn device() -> anyhow::Result<Device> {
    if cfg!(feature = "cuda") {
        return Device::new_cuda(0).context("the CUDA device 0");
    }
    if cfg!(feature = "metal") {
        return Device::new_metal(0).context("the Metal device 0");
    }
    Ok(Device::Cpu)
}

/// A text that a model evaluates, with the tokens of a vocabulary that may have fewer than the model.
pub(super) struct Reading {
    pub(super) evaluation: Evaluation,
    engine: Arc<Engine>,
}

impl Reading {
    pub(super) fn new(evaluation: Evaluation, engine: &Arc<Engine>) -> Self {
        Self { evaluation, engine: Arc::clone(engine) }
    }
}

impl LanguageModel for Reading {
    fn vocabulary(&self) -> &Vocabulary {
        self.engine.vocabulary()
    }

    fn logits(&mut self, tokens: &[TokenId]) -> Result<&[f32], ModelError> {
        let logits = self.evaluation.logits(tokens)?;
        Ok(&logits[..self.engine.vocabulary().len()])
    }
}

/// How a text is evaluated.
pub(super) fn options(
    args: &ModelArgs,
    context_length: usize,
    prompt: &[TokenId],
    tokenizer: &Tokenizer,
) -> EvaluationOptions {
    let has_bos = tokenizer.ends().has_bos(prompt);
    let keep = args.keep.map(|keep| match usize::try_from(keep) {
        // The token that all begins with stays whatever is asked for, as in llama.cpp.
        Ok(keep) => (keep + usize::from(has_bos)).min(prompt.len()),
        Err(_) => prompt.len(),
    });
    EvaluationOptions { context_length: Some(context_length), keep }
}
