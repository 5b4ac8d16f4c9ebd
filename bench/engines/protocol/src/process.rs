//! What processes use.

use std::fs;

/// Processor time of the first thread of a process, in milliseconds; 0 where it cannot be told.
pub fn processor_ms(process: &str) -> f64 {
    fs::read_to_string(format!("/proc/{process}/schedstat"))
        .ok()
        .and_then(|text| text.split(' ').next()?.parse::<f64>().ok())
        .map_or(0.0, |nanoseconds| nanoseconds / 1e6)
}

/// The most memory that a process has held, in megabytes; 0 where it cannot be told.
pub fn peak_mb(process: &str) -> f64 {
    status_mb(process, "VmHWM:")
}

/// The memory that a process holds, in megabytes; 0 where it cannot be told.
pub fn resident_mb(process: &str) -> f64 {
    status_mb(process, "VmRSS:")
}

fn status_mb(process: &str, name: &str) -> f64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<f64>().ok())
        .map_or(0.0, |kilobytes| kilobytes / 1024.0)
}
