//! `--vocab NAME|PATH`, and how tokens are shown.

use std::fmt::Write;
use std::sync::Arc;

use anyhow::{Context, bail};
use grammask::sampler::{Engine, ModelConfig, TiktokenName, TokenId, Vocabulary};
use serde_json::{Value, json};

use super::input::Source;

/// The masks of a built-in vocabulary, or of the one of a file or folder.
pub(super) fn load(name: &str) -> anyhow::Result<Arc<Engine>> {
    Ok(Engine::new(read(name)?))
}

/// A built-in vocabulary, or the one of a file or folder.
pub(super) fn read(name: &str) -> anyhow::Result<Vocabulary> {
    let unknown = match name.parse::<TiktokenName>() {
        Ok(name) => return Ok(Vocabulary::tiktoken(name)),
        Err(error) => error,
    };
    let looks_like_a_path = name == "-" || name.contains(['/', '\\', '.']);
    if !looks_like_a_path && !std::path::Path::new(name).exists() {
        bail!("{unknown}; or give the path of a file or of the folder of a model");
    }
    if name == "-" {
        let source = Source::read(name)?;
        return Vocabulary::from_bytes(&source.bytes, &ModelConfig::default()).context(source.name);
    }
    Ok(Vocabulary::from_path(name)?)
}

/// The id of a token with what it spells: a text, or else bytes, or else nothing.
pub(super) fn to_json(vocabulary: &Vocabulary, token: TokenId) -> Value {
    let bytes = vocabulary.bytes(token).unwrap_or_default();
    let mut object = json!({"id": token.0});
    match str::from_utf8(bytes) {
        Ok("") => {}
        Ok(text) => object["text"] = text.into(),
        Err(_) => {
            let hex = bytes.iter().map(|byte| format!("{byte:02x}"));
            object["hex"] = hex.collect::<String>().into();
        }
    }
    object
}

/// A piece in quotes; what is no text as `\x` escapes.
pub(super) fn piece(bytes: &[u8]) -> String {
    let mut shown = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c == '\'' { shown.push(c) } else { shown.extend(c.escape_debug()) }
        }
        for byte in chunk.invalid() {
            let _ = write!(shown, "\\x{byte:02X}");
        }
    }
    shown.push('"');
    shown
}
