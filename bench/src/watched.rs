//! Cases that each run in a process of its own, with a limit on memory and a watchdog.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, thread};

use anyhow::{Context, Result};
use grammask_bench_protocol::{peak_mb, processor_ms};
use serde_json::{Value, json};

use crate::output;

/// The vocabulary of the masks.
pub const VOCABULARY: &str = "o200k_base";

/// The options that all subcommands have that run such cases.
#[derive(clap::Args)]
pub struct Options {
    /// Only print the names
    #[arg(long)]
    pub list: bool,
    /// Run this one alone, in this process, and print its figures as JSON
    #[arg(long, value_name = "NAME")]
    pub run: Option<String>,
    /// Only those with this in their name
    #[arg(long, value_name = "PART")]
    pub only: Option<String>,
    /// Most memory of a case, in megabytes
    #[arg(long, default_value_t = 1024)]
    memory: u64,
    /// Where to write the result
    #[arg(long)]
    json: Option<PathBuf>,
}

/// How long a case may take.
#[derive(Clone, Copy)]
pub struct Limits {
    /// Most processor time, in milliseconds.
    pub limit_ms: u64,
    /// When the watchdog bites, in seconds.
    pub timeout: u64,
}

impl Options {
    /// Runs a case of a subcommand in a process of its own and gives the JSON that it prints;
    /// `outcome` also says if it crashed or was too slow.
    pub fn watch(&self, subcommand: &str, name: &str, limits: Limits) -> Result<Value> {
        let mut report = watched(&[subcommand, "--run", name], self.memory, limits.timeout)?;
        report["name"] = name.into();
        let limit = limits.limit_ms as f64;
        if report["outcome"] == "ok" && report["cpu_ms"].as_f64().is_none_or(|ms| ms > limit) {
            report["outcome"] = "too slow".into();
        }
        Ok(report)
    }

    /// Writes the reports of a subcommand's cases, of which some are slow as listed.
    pub fn write(
        &self,
        subcommand: &str,
        limits: Limits,
        reports: &[Value],
        failures: &[Value],
        listed_slow: usize,
    ) -> Result<()> {
        let in_force = json!({
            "command": subcommand,
            "only": self.only,
            "limit_ms": limits.limit_ms,
            "timeout_s": limits.timeout,
            "memory_mb": self.memory,
            "vocabulary": VOCABULARY,
        });
        let report = json!({
            "rows": reports.len(),
            "rows_passing": reports.len() - failures.len() - listed_slow,
            "listed_differences": listed_slow,
            "cases": reports,
            "failures": failures,
        });
        let Value::Object(report) = report else { return Ok(()) };
        output::write(self.json.as_deref(), in_force, report)
    }
}

/// Runs this program with other arguments, with at most so many megabytes and so many seconds. Gives
/// the JSON that it prints; `outcome` says what went wrong if it prints none.
fn watched(arguments: &[&str], memory_mb: u64, timeout: u64) -> Result<Value> {
    let script = format!("ulimit -v {}; exec \"$0\" \"$@\"", memory_mb * 1024);
    let mut child = Command::new("sh")
        .args(["-c", &script])
        .arg(env::current_exe()?)
        .args(arguments)
        // The limit is one of addresses, of which the allocator would reserve more than it uses.
        .env("MIMALLOC_DISALLOW_ARENA_ALLOC", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let pid = child.id();
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if start.elapsed() > Duration::from_secs(timeout) {
            break None;
        }
        thread::sleep(Duration::from_millis(2));
    };
    let Some(status) = status else {
        let cpu_ms = processor_ms(&pid.to_string());
        let peak_mb = peak_mb(&pid.to_string());
        child.kill()?;
        child.wait()?;
        let outcome = format!("stopped after {timeout} s");
        return Ok(json!({ "outcome": outcome, "cpu_ms": cpu_ms, "peak_mb": peak_mb }));
    };
    let (said, complained) = outputs(&mut child)?;
    Ok(serde_json::from_str::<Value>(&said).unwrap_or_else(|_| {
        let line = complained.lines().find(|line| !line.is_empty()).unwrap_or("");
        json!({ "outcome": format!("crashed: {status}: {line}") })
    }))
}

fn outputs(child: &mut Child) -> Result<(String, String)> {
    let (mut said, mut complained) = (String::new(), String::new());
    child.stdout.take().context("a pipe")?.read_to_string(&mut said)?;
    child.stderr.take().context("a pipe")?.read_to_string(&mut complained)?;
    Ok((said, complained))
}
