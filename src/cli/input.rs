//! What is read: files, and `-` for the standard input.

use std::borrow::Cow;
use std::fs;
use std::io::{self, Read};

use anyhow::Context;

/// A text and what to call it.
pub(super) struct Source {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

impl Source {
    /// Reads a file, or the standard input for `-`.
    pub(super) fn read(path: &str) -> anyhow::Result<Self> {
        if path == "-" {
            let mut bytes = Vec::new();
            io::stdin().lock().read_to_end(&mut bytes).context("cannot read standard input")?;
            return Ok(Self { name: "<stdin>".to_owned(), bytes });
        }
        let bytes = fs::read(path).with_context(|| format!("cannot read {path}"))?;
        Ok(Self { name: path.to_owned(), bytes })
    }

    /// A text that an argument gave.
    pub(super) fn argument(name: &str, text: &str) -> Self {
        Self { name: format!("<{name}>"), bytes: text.as_bytes().to_vec() }
    }

    /// The text for people to look at.
    pub(super) fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }
}
