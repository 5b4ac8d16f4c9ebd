//! Trains the model in the box: `cargo run --release -- train` writes `fixtures/models/box.gguf`.

mod checkpoint;
mod corpus;
mod evaluate;
mod gguf;
mod network;
mod optimizer;
mod plot;
mod sample;
mod tokenizer;
mod train;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};

use checkpoint::Checkpoint;
use network::{Network, Shape};
use tokenizer::Tokenizer;
use train::Folder;

/// Trains the small language model that grammask carries with it.
#[derive(Parser)]
struct Arguments {
    /// Where checkpoint, tokenizer and log of the training are
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/run"), global = true)]
    run: PathBuf,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Trains the model, and writes it and the curve of its loss
    Train {
        /// Steps of the whole training
        #[arg(long, default_value_t = 4_000)]
        steps: usize,
        /// What the documents and the first parameters are drawn from
        #[arg(long, default_value_t = 7)]
        seed: u64,
        /// Tokens of a step
        #[arg(long, default_value_t = 2048)]
        batch: usize,
        /// The size of the steps
        #[arg(long, default_value_t = 3e-3)]
        rate: f32,
        /// Threads; more than two have nothing to do
        #[arg(long, default_value_t = 2)]
        threads: usize,
        /// Goes on where the training in the folder stopped
        #[arg(long)]
        resume: bool,
    },
    /// Writes the model and the curve of its loss as they are now
    Export,
    /// The loss on held-out documents and what is copied out of sentences, before and after quantisation
    Evaluate,
    /// Writes texts with the model
    Sample {
        /// What they begin with
        #[arg(short, long, default_value = "")]
        prompt: String,
        /// 0 takes the likeliest token
        #[arg(long, default_value_t = 0.8)]
        temperature: f32,
        /// How many texts, of as many seeds
        #[arg(short, long, default_value_t = 5)]
        number: u64,
        /// The most tokens of a text
        #[arg(long, default_value_t = 300)]
        tokens: usize,
    },
    /// Writes documents of the corpus
    Corpus {
        /// What they are drawn from
        #[arg(long, default_value_t = 7)]
        seed: u64,
        /// How many
        #[arg(short, long, default_value_t = 20)]
        number: u64,
    },
}

/// Where the model lies in the repository.
fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/models")
}

fn trained(network: &Network, folder: &Folder) -> Result<(Checkpoint, Tokenizer)> {
    let checkpoint =
        Checkpoint::load(&folder.checkpoint(), network.layout.count()).context("train first")?;
    Ok((checkpoint, Tokenizer::load(&folder.tokenizer())?))
}

fn report(network: &Network, parameters: &[f32], tokenizer: &Tokenizer) -> Result<()> {
    let (all, kinds) = evaluate::losses(network, parameters, tokenizer)?;
    print!("loss {all:.4}:");
    for (kind, loss) in kinds {
        print!(" {kind:?} {loss:.3}");
    }
    println!();
    let evaluate::Extraction { sentences, json, values, copied } =
        evaluate::extraction(network, parameters, tokenizer)?;
    println!("{json} of {sentences} answers are JSON, {copied} of {values} values are copied");
    Ok(())
}

fn export(network: &Network, folder: &Folder) -> Result<()> {
    let (checkpoint, tokenizer) = trained(network, folder)?;
    fs::create_dir_all(models())?;
    let path = models().join("box.gguf");
    gguf::write(&path, network, &checkpoint.parameters, &tokenizer)?;
    let log = fs::read_to_string(folder.log()).context("the log of the training")?;
    fs::write(models().join("loss.svg"), plot::svg(&log)?)?;
    println!("{} parameters, {} bytes", network.layout.count(), fs::metadata(&path)?.len());
    Ok(())
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let network = Network::new(Shape::BOX);
    let folder = Folder::new(arguments.run)?;
    match arguments.command {
        Command::Train { steps, seed, batch, rate, threads, resume } => {
            let options = train::Options { steps, seed, batch, rate, threads, resume };
            train::train(&network, &options, &folder)?;
            export(&network, &folder)?;
        }
        Command::Export => export(&network, &folder)?,
        Command::Evaluate => {
            let (checkpoint, tokenizer) = trained(&network, &folder)?;
            println!("as trained");
            report(&network, &checkpoint.parameters, &tokenizer)?;
            println!("quantised, as in the file");
            report(&network, &gguf::quantised(&network, &checkpoint.parameters)?, &tokenizer)?;
        }
        Command::Sample { prompt, temperature, number, tokens } => {
            let (checkpoint, tokenizer) = trained(&network, &folder)?;
            for seed in 0..number {
                let options = sample::Options { prompt: &prompt, temperature, seed, tokens };
                println!(
                    "{}\n",
                    sample::sample(&network, &checkpoint.parameters, &tokenizer, &options)?
                );
            }
        }
        Command::Corpus { seed, number } => {
            for document in (0..number).map(|number| corpus::document(seed, number)) {
                println!("== {:?}\n{}", document.kind, document.text);
            }
        }
    }
    Ok(())
}
