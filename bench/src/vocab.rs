//! `vocab`: how long it takes to read a vocabulary and to build its trie.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;
use grammask_sampler::{Engine, ModelConfig, Vocabulary};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::output;

/// Options of `vocab`.
#[derive(Args, Serialize)]
pub struct Options {
    /// Files or folders of models; none: `o200k_base` written as a `tokenizer.json`
    paths: Vec<PathBuf>,
    /// How often; the median counts
    #[arg(long, default_value_t = 5)]
    repeat: usize,
    /// Where to write the result
    #[arg(long)]
    #[serde(skip)]
    json: Option<PathBuf>,
}

pub fn run(options: &Options) -> Result<bool> {
    let mut rows = Vec::new();
    for path in &options.paths {
        let name = path.display().to_string();
        rows.push(measure(&name, options.repeat, || Ok(Vocabulary::from_path(path)?))?);
    }
    if options.paths.is_empty() {
        let json = tokenizer_json(&Vocabulary::from_name("o200k_base")?)?;
        let name = format!("o200k_base as a tokenizer.json of {} MB", json.len() / 1_000_000);
        let config = ModelConfig::default();
        let read = || Ok(Vocabulary::from_tokenizer_json(json.as_bytes(), &config)?);
        rows.push(measure(&name, options.repeat, read)?);
    }
    for row in &rows {
        println!(
            "{}: {} ids, read in {} ms, trie in {} ms",
            row["name"].as_str().unwrap_or(""),
            row["ids"],
            row["read_ms"],
            row["trie_ms"]
        );
    }
    let report = Map::from_iter([("rows".to_owned(), rows.into())]);
    output::write(options.json.as_deref(), serde_json::to_value(options)?, report)?;
    Ok(true)
}

fn measure(name: &str, repeat: usize, read: impl Fn() -> Result<Vocabulary>) -> Result<Value> {
    let (mut reads, mut tries, mut ids) = (Vec::new(), Vec::new(), 0);
    for _ in 0..repeat.max(1) {
        let start = Instant::now();
        let vocabulary = read()?;
        reads.push(start.elapsed());
        ids = vocabulary.len();
        let start = Instant::now();
        let engine = Engine::new(vocabulary);
        tries.push(start.elapsed());
        drop(engine);
    }
    let median = |times: &mut Vec<std::time::Duration>| {
        times.sort_unstable();
        (times[times.len() / 2].as_secs_f64() * 10_000.0).round() / 10.0
    };
    let (read, trie) = (median(&mut reads), median(&mut tries));
    Ok(json!({"name": name, "ids": ids, "read_ms": read, "trie_ms": trie}))
}

/// A vocabulary as BPE over bytes, with about as many merges as such files have.
fn tokenizer_json(vocabulary: &Vocabulary) -> Result<String> {
    let prints = |byte: &u8| matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    let mut others = '\u{100}'..;
    let alphabet: Option<Vec<char>> = (0..=u8::MAX)
        .map(|byte| if prints(&byte) { Some(char::from(byte)) } else { others.next() })
        .collect();
    let alphabet = alphabet.context("there are enough characters")?;
    let (mut vocab, mut merges, mut added) = (Map::new(), Vec::new(), Vec::new());
    for token in vocabulary.ids() {
        let Some(bytes) = vocabulary.bytes(token) else { continue };
        if vocabulary.is_control(token) {
            let text = String::from_utf8_lossy(bytes);
            added.push(json!({"id": token.0, "content": text, "special": true}));
            continue;
        }
        let letters: Vec<char> = bytes.iter().map(|&byte| alphabet[usize::from(byte)]).collect();
        for at in [1, letters.len() / 2] {
            if at > 0 && at < letters.len() {
                let part = |letters: &[char]| letters.iter().collect::<String>();
                merges.push(json!([part(&letters[..at]), part(&letters[at..])]));
            }
        }
        vocab.insert(letters.into_iter().collect(), token.0.into());
    }
    let model = json!({"type": "BPE", "vocab": vocab, "merges": merges});
    let file = json!({"added_tokens": added, "decoder": {"type": "ByteLevel"}, "model": model});
    Ok(serde_json::to_string_pretty(&file)?)
}
