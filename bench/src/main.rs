//! The harness: each subcommand measures one thing, prints a summary and writes JSON on request.

mod budget;
mod cases;
mod engines;
mod gbnf_derivatives;
mod gbnf_differences;
mod gbnf_features;
mod gbnf_language;
mod gbnf_speed;
mod generate;
mod golden_gbnf;
mod golden_lazy;
mod golden_samplers;
mod hostile;
mod hostile_schemas;
mod input;
mod json_place;
mod judge;
mod lazy_differences;
mod lazy_speed;
mod mask_times;
mod maskbench;
mod memory;
#[cfg(feature = "models")]
mod model_speed;
mod output;
mod plots;
mod profile;
mod python;
mod sampler_chain;
mod sampler_differences;
mod sampler_row;
mod samplers;
mod schema_options;
mod stress;
mod suite;
mod text;
mod times;
mod typical;
mod variation;
mod verdict;
mod vocab;
mod vocabularies;
mod watched;
mod work;
#[cfg(feature = "models")]
mod write;

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
    /// Writes documents for every schema of a folder and has them judged
    Generate(generate::Options),
    /// Writes documents within budgets of tokens and says what keeping them costs
    Budget(budget::Options),
    /// Reads the texts of tables in three ways
    Cases(cases::Options),
    /// Compares grammars with what llama.cpp answered
    GoldenGbnf(golden_gbnf::Options),
    /// Compares lazy grammars with what llama.cpp answered
    GoldenLazy(golden_lazy::Options),
    /// Compares the samplers with what llama.cpp answered
    GoldenSamplers(golden_samplers::Options),
    /// Runs the JSON Schema Test Suite
    Suite(suite::Options),
    /// Reads the instances of real schemas token by token through masks
    Maskbench(maskbench::Options),
    /// Says where the time of our masks goes on real schemas
    Profile(profile::Options),
    /// Draws what records of `maskbench` and `profile` say
    Plots(plots::Options),
    /// Reads many different schemas through one engine and says what memory it holds
    Memory(memory::Options),
    /// Makes schemas out of others, writes documents at random under them and says what is wrong or slow
    Stress(stress::Options),
    /// Reads the texts of grammars token by token through masks
    Gbnf(gbnf_speed::Options),
    /// Times lazy grammars in free text and behind their triggers
    Lazy(lazy_speed::Options),
    /// Times the samplers on the logits of a large vocabulary
    Samplers(samplers::Options),
    /// Times the reading of vocabularies
    Vocab(vocab::Options),
    /// Times models: loading, prompts, tokens
    #[cfg(feature = "models")]
    Models(model_speed::Options),
    /// Has a language model write documents for every schema of a folder
    #[cfg(feature = "models")]
    Write(write::Options),
    /// Prints the grammars of schemas and reads them again
    Text(text::Options),
    /// Runs grammars that were made to break something, each in a process with limits
    Hostile(hostile::Options),
    /// Runs schemas that were made to break something, each in a process with limits
    HostileSchemas(hostile_schemas::Options),
    /// Is our engine for another process
    #[command(hide = true)]
    Engine,
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Generate(options) => generate::run(&options),
        Command::Budget(options) => budget::run(&options),
        Command::Cases(options) => cases::run(&options),
        Command::GoldenGbnf(options) => golden_gbnf::run(&options),
        Command::GoldenLazy(options) => golden_lazy::run(&options),
        Command::GoldenSamplers(options) => golden_samplers::run(&options),
        Command::Suite(options) => suite::run(&options),
        Command::Maskbench(options) => maskbench::run(&options),
        Command::Profile(options) => profile::run(&options),
        Command::Plots(options) => plots::run(&options),
        Command::Memory(options) => memory::run(&options),
        Command::Stress(options) => stress::run(&options),
        Command::Gbnf(options) => gbnf_speed::run(&options),
        Command::Lazy(options) => lazy_speed::run(&options),
        Command::Samplers(options) => samplers::run(&options),
        Command::Vocab(options) => vocab::run(&options),
        #[cfg(feature = "models")]
        Command::Models(options) => model_speed::run(&options),
        #[cfg(feature = "models")]
        Command::Write(options) => write::run(&options),
        Command::Text(options) => text::run(&options),
        Command::Hostile(options) => hostile::run(&options),
        Command::HostileSchemas(options) => hostile_schemas::run(&options),
        Command::Engine => engines::serve(),
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
