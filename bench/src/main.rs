//! The harness: each subcommand measures one thing, prints a summary and writes JSON on request.

mod golden_samplers;
mod input;
mod output;
mod sampler_differences;
mod sampler_row;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Measures grammask.
#[derive(Parser)]
#[command(name = "grammask-bench")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compares the samplers with what llama.cpp answered
    GoldenSamplers(golden_samplers::Options),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::GoldenSamplers(options) => golden_samplers::run(&options),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
