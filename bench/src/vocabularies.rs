//! Vocabularies that rows are about.

use std::path::Path;

use anyhow::{Context, Result};
use grammask_sampler::{TokenId, Vocabulary, VocabularyBuilder};

/// A built-in vocabulary by its name, or that of a file or folder.
pub fn load(name: &str) -> Result<Vocabulary> {
    let path = Path::new(name);
    if !path.exists() {
        return Vocabulary::from_name(name).context("a vocabulary is a name or a file");
    }
    Ok(Vocabulary::from_path(path)?)
}

/// One token a byte, with the byte as its id, and one that ends generation.
pub fn bytes() -> Result<Vocabulary> {
    let mut builder = Vocabulary::builder();
    for byte in 0..=u8::MAX {
        builder.push([byte]);
    }
    builder.push_eog("</s>");
    Ok(builder.build()?)
}

/// Where the control tokens of `r50k_think` begin.
pub const THINK: [(u32, &str); 3] =
    [(50_257, "<think>"), (50_258, "</think>"), (50_259, "<|tool|>")];

/// `r50k_base` with the control tokens [`THINK`], and further ordinary tokens behind them, each
/// only if there is no such token yet.
pub fn think<'a>(further: impl IntoIterator<Item = &'a [u8]>) -> Result<Vocabulary> {
    let base = Vocabulary::from_name("r50k_base")?;
    let mut builder = VocabularyBuilder::default();
    for token in base.ids() {
        let bytes = base.bytes(token).context("r50k_base has no gaps")?;
        if base.is_eog(token) {
            builder.push_eog(bytes);
        } else {
            builder.push(bytes);
        }
    }
    for (_, text) in THINK {
        builder.push_control(text);
    }
    let mut further: Vec<_> = further.into_iter().collect();
    further.sort_unstable();
    further.dedup();
    for piece in further {
        if !piece.is_empty() && base.token_by_text(piece).is_none() {
            builder.push(piece);
        }
    }
    Ok(builder.build()?)
}

/// The tokens of single bytes that spell a text.
pub fn byte_tokens(vocabulary: &Vocabulary, bytes: &[u8]) -> Result<Vec<TokenId>> {
    bytes
        .iter()
        .map(|&byte| {
            vocabulary
                .token_by_text(&[byte])
                .filter(|&token| !vocabulary.is_control(token))
                .with_context(|| format!("the vocabulary has no token for the byte {byte:#04x}"))
        })
        .collect()
}
