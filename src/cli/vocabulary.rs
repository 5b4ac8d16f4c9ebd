//! `--vocab NAME|PATH`.

use std::sync::Arc;

use anyhow::{Context, bail};
use grammask::sampler::{Engine, TiktokenName, Vocabulary};

use super::input::Source;

/// A built-in vocabulary, or the one in a file.
pub(super) fn load(name: &str) -> anyhow::Result<Arc<Engine>> {
    let unknown = match name.parse::<TiktokenName>() {
        Ok(name) => return Ok(Engine::new(Vocabulary::tiktoken(name))),
        Err(error) => error,
    };
    let looks_like_a_path = name == "-" || name.contains(['/', '\\', '.']);
    if !looks_like_a_path && !std::path::Path::new(name).exists() {
        bail!("{unknown}; or give the path of a file");
    }
    let source = Source::read(name)?;
    let text = str::from_utf8(&source.bytes).with_context(|| format!("{name} is not UTF-8"))?;
    Ok(Engine::new(Vocabulary::from_json(text).with_context(|| name.to_owned())?))
}
