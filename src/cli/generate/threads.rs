//! `--threads`: on how many threads a model runs.
//!
//! candle reads that from the environment when it first computes, and the environment of a process that
//! runs cannot be changed safely. So the program starts itself anew with another one, before it does
//! anything else.

use std::env;
use std::process::Command;

use anyhow::Context;

use crate::cli::args::ModelArgs;

/// What candle reads, for products of quantised matrices and for all else.
const VARIABLES: [&str; 2] = ["CANDLE_NUM_THREADS", "RAYON_NUM_THREADS"];

/// Goes on if candle will use the threads that were asked for.
pub(super) fn settle(args: &ModelArgs) -> anyhow::Result<()> {
    let Some(threads) = args.threads else { return Ok(()) };
    let threads = threads.to_string();
    if VARIABLES.iter().all(|name| env::var_os(name).is_some_and(|value| *value == *threads)) {
        return Ok(());
    }
    let mut command = Command::new(env::current_exe().context("--threads")?);
    command.args(env::args_os().skip(1)).envs(VARIABLES.map(|name| (name, &threads)));
    become_process(&mut command).context("--threads: the program cannot be started anew")
}

#[cfg(unix)]
fn become_process(command: &mut Command) -> std::io::Result<()> {
    use std::os::unix::process::CommandExt;
    Err(command.exec())
}

/// Waits for the other process, whose Ctrl-C it is.
#[cfg(not(unix))]
fn become_process(command: &mut Command) -> std::io::Result<()> {
    ctrlc::set_handler(|| {}).map_err(std::io::Error::other)?;
    let status = command.status()?;
    #[allow(clippy::exit)] // In the place of the other one.
    std::process::exit(status.code().unwrap_or(2));
}
