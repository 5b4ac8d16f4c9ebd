//! Writes one table per tiktoken vocabulary: what each id spells, and the order of the texts.
//!
//! `tiktoken-rs` gives the bytes of a token only through its encoder, which takes 0.35 s to build for
//! 200,000 tokens. Doing that here turns loading a vocabulary into reading a table.
//!
//! Layout, little-endian u32 words, then bytes: number of ids n; number of ordinary tokens m;
//! n + 1 offsets into the bytes (a gap has an empty range); m ids of ordinary tokens in the order of
//! their bytes; the bytes.

use std::path::Path;

use tiktoken_rs::CoreBPE;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    let out = Path::new(&out);
    for (name, ids, load) in [
        ("o200k_base", 200_019, tiktoken_rs::o200k_base as fn() -> _),
        ("cl100k_base", 100_277, tiktoken_rs::cl100k_base),
        ("r50k_base", 50_257, tiktoken_rs::r50k_base),
    ] {
        let encoder: CoreBPE = load().expect("the vocabularies of tiktoken-rs are well formed");
        let file = out.join(format!("{name}.table"));
        std::fs::write(file, table(&encoder, ids)).expect("OUT_DIR is writable");
    }
}

/// The table of a vocabulary with ids below `ids`.
fn table(encoder: &CoreBPE, ids: u32) -> Vec<u8> {
    let texts: Vec<Vec<u8>> =
        (0..ids).map(|id| encoder.decode_bytes(&[id]).unwrap_or_default()).collect();
    let special = encoder.special_tokens();
    let is_special = |text: &[u8]| std::str::from_utf8(text).is_ok_and(|t| special.contains(t));
    let mut order: Vec<u32> = (0..ids)
        .filter(|&id| !texts[id as usize].is_empty() && !is_special(&texts[id as usize]))
        .collect();
    order.sort_by(|&a, &b| texts[a as usize].cmp(&texts[b as usize]));

    let mut words = vec![ids, u32::try_from(order.len()).expect("fewer than 2^32 tokens")];
    let mut end = 0;
    words.push(end);
    for text in &texts {
        end += u32::try_from(text.len()).expect("a token is short");
        words.push(end);
    }
    words.extend(order);
    let mut table: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    table.extend(texts.concat());
    table
}
