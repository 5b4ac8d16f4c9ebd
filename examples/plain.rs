//! A plain loop: logits in, a document of a schema out, its values read while they come.
//!
//!     cargo run --example plain

use std::error::Error;
use std::fmt::Write;

use grammask::agents::{Event, JsonStream};
use grammask::json_schema::Options;
use grammask::sampler::{ChainSettings, Mode, Vocabulary};
use grammask::{LanguageModel, RandomModel, Session, engine_for_schemas, schema_constraint};

const SCHEMA: &str = r#"{
    "type": "object",
    "properties": {
        "title": {"type": "string", "minLength": 3, "maxLength": 30},
        "year": {"type": "integer", "minimum": 1900, "maximum": 2100},
        "tags": {"type": "array", "items": {"enum": ["news", "sports", "culture"]}, "maxItems": 3}
    },
    "required": ["title", "year", "tags"],
    "additionalProperties": false
}"#;

/// What is known of the document when: one line for each value.
fn run() -> Result<String, Box<dyn Error + Send + Sync>> {
    // Once for all answers of a model; its tables are shared.
    let engine = engine_for_schemas(Vocabulary::from_name("o200k_base")?, &Options::default())?;
    let constraint = schema_constraint(&engine, SCHEMA, &Options::default())?;

    // Once for each answer. It is complete within 80 tokens, or refused here.
    let chain = ChainSettings { seed: 7, ..ChainSettings::default() }.chain(engine.vocabulary())?;
    let mut session = Session::new(constraint, chain, Mode::GrammarFirst);
    session.set_budget(80)?;

    let mut model = RandomModel::new(&engine, 7);
    let mut document = JsonStream::new();
    let mut lines = String::new();
    while !session.is_finished() {
        let token = session.sample(model.logits(session.context())?)?;
        session.accept(token)?;
        for event in session.events() {
            let Event::Content { text } = event else { continue };
            document.push(&text, |pointer, value| _ = writeln!(lines, "{pointer} = {value}"))?;
        }
    }
    writeln!(lines, "{} tokens", session.tokens().len())?;
    Ok(lines)
}

#[allow(clippy::print_stdout)] // Its purpose.
fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    print!("{}", run()?);
    Ok(())
}

#[test]
fn a_document_within_the_budget() -> Result<(), Box<dyn Error + Send + Sync>> {
    let lines = run()?;
    assert!(lines.contains("/year = "), "{lines}");
    let tokens = lines.lines().last().and_then(|line| line.strip_suffix(" tokens"));
    assert!(tokens.and_then(|count| count.parse().ok()).is_some_and(|count: usize| count <= 80));
    Ok(())
}
