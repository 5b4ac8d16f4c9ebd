//! Processes with limits, and what they use.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use anyhow::{Context, Result};
use serde_json::{Value, json};

/// Runs this program with other arguments, with at most so many megabytes and so many seconds. Gives
/// the JSON that it prints; `outcome` says what went wrong if it prints none.
pub fn watched(arguments: &[&str], memory_mb: u64, timeout: u64) -> Result<Value> {
    let script = format!("ulimit -v {}; exec \"$0\" \"$@\"", memory_mb * 1024);
    let mut child = Command::new("sh")
        .args(["-c", &script])
        .arg(env::current_exe()?)
        .args(arguments)
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

/// Processor time of the first thread of a process, in milliseconds; 0 where it cannot be told.
pub fn processor_ms(process: &str) -> f64 {
    fs::read_to_string(format!("/proc/{process}/schedstat"))
        .ok()
        .and_then(|text| text.split(' ').next()?.parse::<f64>().ok())
        .map_or(0.0, |nanoseconds| nanoseconds / 1e6)
}

/// The most memory that a process has held, in megabytes; 0 where it cannot be told.
pub fn peak_mb(process: &str) -> f64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<f64>().ok())
        .map_or(0.0, |kilobytes| kilobytes / 1024.0)
}
