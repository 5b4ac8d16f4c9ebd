//! Writing what was measured.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

/// Writes a report with the options it was made under and the machine; `None`: nowhere.
pub fn write(json: Option<&Path>, options: Value, report: Map<String, Value>) -> Result<()> {
    let Some(path) = json else { return Ok(()) };
    let mut whole = report;
    whole.insert("options".to_owned(), options);
    whole.insert("machine".to_owned(), machine());
    let text = serde_json::to_string_pretty(&Value::Object(whole))?;
    fs::write(path, text + "\n").with_context(|| format!("cannot write {}", path.display()))
}

/// The machine, as far as it can be told.
fn machine() -> Value {
    let processor = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let model = text.lines().find_map(|line| line.strip_prefix("model name"))?;
        Some(model.trim_start_matches([' ', '\t', ':']).to_owned())
    });
    json!({
        "processor": processor,
        "cores": std::thread::available_parallelism().map_or(1, usize::from),
        "system": std::env::consts::OS,
    })
}
