//! The training: documents in, steps, and a log.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::checkpoint::Checkpoint;
use crate::corpus;
use crate::evaluate;
use crate::network::{Batch, Network, Shape};
use crate::optimizer::{Optimizer, Schedule};
use crate::tokenizer::Tokenizer;

/// The files of a training.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(path: PathBuf) -> Result<Self> {
        fs::create_dir_all(&path).with_context(|| path.display().to_string())?;
        Ok(Self(path))
    }

    pub(crate) fn checkpoint(&self) -> PathBuf {
        self.0.join("checkpoint.bin")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.0.join("log.csv")
    }

    pub(crate) fn tokenizer(&self) -> PathBuf {
        self.0.join("tokenizer.json")
    }
}

/// How to train.
pub(crate) struct Options {
    pub(crate) steps: usize,
    pub(crate) seed: u64,
    /// Tokens of a step.
    pub(crate) batch: usize,
    /// Size of the steps.
    pub(crate) rate: f32,
    pub(crate) threads: usize,
    pub(crate) resume: bool,
}

/// Batches of documents in order of their numbers.
struct Documents<'a> {
    tokenizer: &'a Tokenizer,
    seed: u64,
    next: u64,
    longest: usize,
}

impl Documents<'_> {
    /// Documents until there are `size` tokens or a few more; what is too long is cut.
    fn batch(&mut self, size: usize) -> Result<Batch> {
        let mut batch = Batch::default();
        while batch.inputs.len() < size {
            let mut tokens =
                self.tokenizer.document(&corpus::document(self.seed, self.next).text)?;
            tokens.truncate(self.longest + 1);
            batch.push(&tokens);
            self.next += 1;
        }
        Ok(batch)
    }
}

/// Parameters before the training: normal, of a spread that keeps the size of what flows through.
fn initial(network: &Network, seed: u64) -> Vec<f32> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // The sum of 12 even numbers is close to normal, with a spread of 1.
    let mut normal = || (0..12).map(|_| rng.random::<f32>()).sum::<f32>() - 6.0;
    let mut parameters = vec![1.0; network.layout.count()];
    for tensor in &network.layout.tensors {
        let mut spread = (tensor.columns as f32).sqrt().recip();
        if tensor.rows == 1 {
            continue;
        }
        if tensor.name.contains("embd") {
            spread = 0.05;
        }
        // What is added to the residual stream is smaller, as each block adds (GPT-2).
        if tensor.name.contains("output") || tensor.name.contains("down") {
            spread /= (2.0 * network.shape.layers as f32).sqrt();
        }
        parameters[tensor.range.clone()].fill_with(|| normal() * spread);
    }
    parameters
}

/// The gradient of the mean loss over all batches, and that loss. The batches are added in their order, so that the
/// number of threads changes nothing.
fn gradient(
    network: &Network,
    parameters: &[f32],
    batches: &[Batch],
    threads: usize,
) -> (f64, Vec<f32>) {
    let count: usize = batches.iter().map(|batch| batch.targets.len()).sum();
    let scale = (count as f32).recip();
    let mut total = 0.0;
    let mut gradient = vec![0.0; parameters.len()];
    for group in batches.chunks(threads) {
        let results: Vec<(f64, Vec<f32>)> = std::thread::scope(|scope| {
            let workers: Vec<_> = group
                .iter()
                .map(|batch| {
                    scope.spawn(move || {
                        let mut part = vec![0.0; parameters.len()];
                        let loss = network.backward(parameters, batch, scale, &mut part);
                        (loss, part)
                    })
                })
                .collect();
            workers
                .into_iter()
                .map(|worker| worker.join().expect("the backward pass does not panic"))
                .collect()
        });
        for (loss, part) in results {
            total += loss;
            for (sum, value) in gradient.iter_mut().zip(&part) {
                *sum += value;
            }
        }
    }
    (total / count as f64, gradient)
}

fn start(network: &Network, options: &Options, folder: &Folder) -> Result<Checkpoint> {
    if options.resume {
        let checkpoint = Checkpoint::load(&folder.checkpoint(), network.layout.count())?;
        // What was logged behind the checkpoint is done again.
        let log = fs::read_to_string(folder.log())?;
        let done = |line: &str| {
            let step = line.split(',').next().and_then(|step| step.parse::<u64>().ok());
            step.is_none_or(|step| step <= checkpoint.step)
        };
        let kept: String = log.split_inclusive('\n').filter(|line| done(line)).collect();
        fs::write(folder.log(), kept)?;
        return Ok(checkpoint);
    }
    fs::write(folder.log(), "step,tokens,seconds,rate,loss,held_out\n")?;
    Ok(Checkpoint {
        seed: options.seed,
        step: 0,
        tokens: 0,
        next: 0,
        seconds: 0.0,
        parameters: initial(network, options.seed),
        optimizer: Optimizer::new(network.layout.count()),
    })
}

/// The tokenizer of a training: as it was, when the training goes on.
fn tokenizer(options: &Options, shape: &Shape, path: &Path) -> Result<Tokenizer> {
    if options.resume {
        return Tokenizer::load(path);
    }
    let tokenizer = Tokenizer::train(options.seed, shape.vocabulary)?;
    tokenizer.save(path)?;
    Ok(tokenizer)
}

/// Trains; what comes out is in the folder.
///
/// # Errors
///
/// Files that cannot be read or written, a checkpoint of another shape, and a loss that is no number.
pub(crate) fn train(network: &Network, options: &Options, folder: &Folder) -> Result<()> {
    const LOG_EVERY: u64 = 10;
    const SAVE_EVERY: u64 = 200;
    /// Batches that a step is made of, whatever the number of threads.
    const PARTS: usize = 2;

    let tokenizer = tokenizer(options, &network.shape, &folder.tokenizer())?;
    let mut state = start(network, options, folder)?;
    let mut log = OpenOptions::new().append(true).create(true).open(folder.log())?;
    let schedule = Schedule { steps: options.steps, highest: options.rate };
    let mut documents = Documents {
        tokenizer: &tokenizer,
        seed: state.seed,
        next: state.next,
        longest: network.shape.context,
    };
    let bar = ProgressBar::new(options.steps as u64)
        .with_position(state.step)
        .with_style(ProgressStyle::with_template("{wide_bar} {pos}/{len} {msg} {eta_precise}")?);
    let (before, clock) = (state.seconds, Instant::now());
    let mut recent = Vec::new();
    while state.step < options.steps as u64 {
        let batches: Vec<Batch> =
            (0..PARTS).map(|_| documents.batch(options.batch / PARTS)).collect::<Result<_>>()?;
        let (loss, gradient) = gradient(network, &state.parameters, &batches, options.threads);
        if !loss.is_finite() {
            bail!("the loss of step {} is {loss}: train with a smaller --rate", state.step + 1);
        }
        state.step += 1;
        state.next = documents.next;
        state.tokens += batches.iter().map(|batch| batch.inputs.len() as u64).sum::<u64>();
        let rate = schedule.rate(state.step as usize);
        state.optimizer.step(
            &network.layout,
            &mut state.parameters,
            &gradient,
            state.step as usize,
            rate,
        );
        state.seconds = before + clock.elapsed().as_secs_f64();
        recent.push(loss);
        bar.set_message(format!("loss {loss:.3}"));
        bar.inc(1);
        let last = state.step == options.steps as u64;
        if state.step.is_multiple_of(LOG_EVERY) || last {
            let mean = recent.iter().sum::<f64>() / recent.len() as f64;
            recent.clear();
            let held_out = if state.step.is_multiple_of(SAVE_EVERY) || last {
                state.save(&folder.checkpoint())?;
                let (all, _) = evaluate::losses(network, &state.parameters, &tokenizer)?;
                format!("{all:.4}")
            } else {
                String::new()
            };
            let line = format!(
                "{},{},{:.0},{rate:.6},{mean:.4},{held_out}",
                state.step, state.tokens, state.seconds
            );
            writeln!(log, "{line}")?;
            bar.suspend(|| println!("{line}"));
        }
    }
    bar.finish();
    Ok(())
}
