//! Documents that nothing but the grammar shapes are valid: `fixtures/schemas`.

use grammask_gbnf::{Automaton, Matcher};
use grammask_json_schema::{Notation, Options, Order, Whitespace, translate};
use serde_json::Value;

/// A small generator of random numbers (Marsaglia's xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

/// A document of at most some bytes, written byte by byte at random.
fn walk(automaton: &Automaton, random: &mut Random, most: usize) -> Option<String> {
    let mut matcher = Matcher::new(automaton);
    let mut text = Vec::new();
    while text.len() < most {
        if matcher.is_complete() && random.below(3) == 0 || matcher.is_finished() {
            return Some(String::from_utf8(text).unwrap());
        }
        let first = matcher.next_bytes();
        let bytes: Vec<u8> = first.iter().collect();
        assert!(!bytes.is_empty(), "a dead end after {:?}", String::from_utf8_lossy(&text));
        // Closing is preferred, or nothing would ever end.
        let closing: Vec<u8> =
            bytes.iter().copied().filter(|byte| b"\"]}".contains(byte)).collect();
        let from = if !closing.is_empty() && random.below(3) > 0 { &closing } else { &bytes };
        let byte = from[random.below(from.len())];
        matcher.advance(&[byte]).unwrap();
        text.push(byte);
    }
    None
}

#[test]
fn documents_are_valid() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/schemas");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 25);
    let choices = [
        Options::default(),
        Options { order: Order::Declared, ..Options::default() },
        Options {
            notation: Notation::Plain,
            whitespace: Whitespace::Compact,
            ..Options::default()
        },
        Options { order: Order::RequiredFirst, ..Options::default() },
    ];
    let mut random = Random(1);
    for file in files {
        let schema: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let judge = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
        let mut finished = 0;
        for options in &choices {
            let translation = translate(&schema, options).unwrap();
            assert!(translation.report.satisfiable, "{}", file.display());
            let automaton = Automaton::compile(&translation.grammar, "root").unwrap();
            for _ in 0..25 {
                if let Some(text) = walk(&automaton, &mut random, 2_000) {
                    finished += 1;
                    let document: Value = serde_json::from_str(&text).unwrap();
                    if let Err(error) = judge.validate(&document) {
                        panic!("{}: {error}\n{text}", file.display());
                    }
                }
            }
        }
        assert!(finished >= 20, "{}: only {finished} documents end", file.display());
    }
}
