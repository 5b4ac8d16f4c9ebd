//! Writing what was measured.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Map, Value};

/// Writes a report with the options it was made under; `None`: nowhere.
pub fn write(json: Option<&Path>, options: Value, report: Map<String, Value>) -> Result<()> {
    let Some(path) = json else { return Ok(()) };
    let mut whole = report;
    whole.insert("options".to_owned(), options);
    let text = serde_json::to_string_pretty(&Value::Object(whole))?;
    fs::write(path, text + "\n").with_context(|| format!("cannot write {}", path.display()))
}
