//! How many documents of the random model end by themselves, schema by schema, and whether each is
//! valid.
//!
//! `cargo run --release --example endings -- SEEDS MAX_TOKENS ORDER SCHEMA.json...`
//!
//! ORDER is `any` or `declared`. In any order, a model that does not know the names of required
//! properties rarely finds them beside free keys.
#![allow(clippy::print_stdout, missing_docs)]

use std::ops::ControlFlow;

use grammask::json_schema::{Options, Order};
use grammask::sampler::{Chain, Dist, Engine, GrammarSampler, Mode, Vocabulary};
use grammask::{RandomModel, generate, schema_constraint};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let mut number = |what| args.next().and_then(|text| text.parse().ok()).ok_or(what);
    let (seeds, max_tokens): (usize, usize) = (number("SEEDS?")?, number("MAX_TOKENS?")?);
    let order = match args.next().as_deref() {
        Some("any") => Order::Any,
        Some("declared") => Order::Declared,
        _ => return Err("ORDER?".into()),
    };
    let options = Options { order, ..Options::default() };
    let engine = Engine::new(Vocabulary::from_name("o200k_base")?);
    let (mut runs, mut all_ended, mut refused) = (0, 0, 0);
    for path in args {
        let text = std::fs::read_to_string(&path)?;
        let Ok(constraint) = schema_constraint(&engine, &text, &options) else {
            refused += 1;
            continue;
        };
        if constraint.mask().count() == 0 {
            println!("{path}: no document is valid");
            continue;
        }
        let judge = jsonschema::validator_for(&serde_json::from_str(&text)?)?;
        let mut ended = 0;
        for seed in 1..=u32::try_from(seeds)? {
            let mut chain = Chain::new();
            chain.add(Dist::new(seed));
            let mut sampler = GrammarSampler::new(constraint.clone(), chain, Mode::GrammarFirst);
            let mut model = RandomModel::new(&engine, seed);
            let go_on = |_| ControlFlow::Continue(());
            let generation = generate(&mut model, &mut sampler, max_tokens, go_on)?;
            if generation.ending.is_complete() {
                ended += 1;
                let document = generation.text(engine.vocabulary());
                let valid = serde_json::from_slice(&document).is_ok_and(|it| judge.is_valid(&it));
                if !valid {
                    println!("{path}: seed {seed} is not valid");
                }
            }
        }
        println!("{path}: {ended} of {seeds}");
        runs += seeds;
        all_ended += ended;
    }
    println!("{all_ended} of {runs} documents ended; {refused} schemas refused");
    Ok(())
}
