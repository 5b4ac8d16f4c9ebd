//! Whatever the random model writes under a schema is a valid document; and it comes to an end.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use grammask::json_schema::{Options, Order};
use grammask::sampler::{Chain, Constraint, Dist, Engine, Mode, Vocabulary};
use grammask::{Generation, RandomModel, Session, generate, schema_grammar};
use serde_json::Value;

const SEEDS: u32 = 3;

fn schemas() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/schemas");
    let mut schemas: Vec<_> = fs::read_dir(folder)
        .expect("fixtures")
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let text = fs::read_to_string(&path).expect("a schema is text");
            (path.file_name().unwrap_or_default().display().to_string(), text)
        })
        .collect();
    schemas.sort();
    schemas
}

/// Generates documents under every schema, and says how many of how many ended.
fn run(engine: &Arc<Engine>, order: Order, max_tokens: usize, mode: Mode) -> (usize, usize) {
    let options = Options { order, ..Options::default() };
    let (mut ended, mut all) = (0, 0);
    for (name, text) in schemas() {
        let grammar =
            schema_grammar(&text, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
        let constraint = Constraint::new(engine, &grammar, "root")
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let schema: Value = serde_json::from_str(&text).expect("it is JSON");
        let judge = jsonschema::validator_for(&schema).expect("it is a schema");
        for seed in 0..SEEDS {
            let mut chain = Chain::new();
            chain.add(Dist::new(seed));
            let mut session = Session::new(constraint.clone(), chain, mode);
            let mut model = RandomModel::new(engine, seed).with_words_of(&grammar);
            let go_on = |_: &mut Session, _| ControlFlow::Continue(());
            let generation = generate(&mut model, &mut session, max_tokens, go_on)
                .unwrap_or_else(|error| panic!("{name}, seed {seed}: {error}"));
            all += 1;
            if generation.ending.is_complete() {
                ended += 1;
                check(&generation, engine.vocabulary(), &judge, &format!("{name}, seed {seed}"));
            }
        }
    }
    (ended, all)
}

fn check(
    generation: &Generation,
    vocabulary: &Vocabulary,
    judge: &jsonschema::Validator,
    what: &str,
) {
    let text = String::from_utf8(generation.text(vocabulary)).expect("whole characters");
    let document =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{what}: {error} in {text}"));
    if let Err(error) = judge.validate(&document) {
        panic!("{what}: {error} in {text}");
    }
}

/// Every byte, and some pieces of JSON.
fn small_vocabulary() -> Arc<Engine> {
    let mut builder = Vocabulary::builder();
    // The frequent ones have the low ids.
    let pieces = ["\"", "\",", "\":", "}", "]", "},", "{\"", ", ", "\n  ", "true", "12", "é"];
    for piece in pieces {
        builder.push(piece);
    }
    for byte in 0..=u8::MAX {
        if !pieces.contains(&char::from(byte).to_string().as_str()) {
            builder.push([byte]);
        }
    }
    builder.push_eog("</s>");
    Engine::new(builder.build().expect("distinct tokens"))
}

#[test]
fn documents_of_a_large_vocabulary() {
    let engine = Engine::new(Vocabulary::from_name("o200k_base").expect("built in"));
    for order in [Order::Any, Order::Declared] {
        let (ended, all) = run(&engine, order, 400, Mode::GrammarFirst);
        assert!(ended * 10 >= all * 9, "{ended} of {all} documents ended in order {order:?}");
    }
}

#[test]
fn documents_of_a_small_vocabulary() {
    let engine = small_vocabulary();
    for mode in [Mode::GrammarFirst, Mode::Rejection, Mode::Exact] {
        for order in [Order::Any, Order::Declared] {
            let (ended, all) = run(&engine, order, 1000, mode);
            assert!(ended * 10 >= all * 9, "{ended} of {all} documents ended in order {order:?}");
        }
    }
}
