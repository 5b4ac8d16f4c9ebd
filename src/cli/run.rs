//! From arguments to an exit code.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use super::args::{Args, Command};
use super::failure::Invalid;
use super::output::{Message, Output};
use super::{chain, check, convert, generate, mask, match_};

/// Runs the program with the arguments of the process.
pub(crate) fn run() -> ExitCode {
    let args = Args::parse();
    let output = Output::new(args.common.format, args.common.color);
    let result = match args.command {
        Command::Check(args) => check::run(&args, output),
        Command::Match(args) => match_::run(&args, output),
        Command::Convert(args) => convert::run(&args, output),
        Command::Mask(args) => mask::run(&args, output),
        Command::Generate(args) => generate::run(&args, output),
        Command::Chain(args) => chain::run(&args, output),
    };
    match result.and_then(|()| Ok(io::stdout().flush()?)) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => match error.downcast_ref::<Invalid>() {
            Some(Invalid::Said) => ExitCode::from(1),
            Some(Invalid::Unsaid(message)) => {
                output.say(&Message::error(message));
                ExitCode::from(1)
            }
            None => {
                output.say(&Message::error(format!("{error:#}")));
                ExitCode::from(2)
            }
        },
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let kind = cause.downcast_ref::<io::Error>().map(io::Error::kind).or_else(|| {
            cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind)
        });
        kind == Some(io::ErrorKind::BrokenPipe)
    })
}
