//! Forced tokens beside those that real tokenizers give whole documents.

use std::path::Path;

use grammask::json_schema::Options;
use grammask::sampler::{Constraint, Engine, Vocabulary};
use grammask::schema_grammar;
use serde_json::Value;

/// Where a document's tokens are read one by one, each time those that are forced are the next ones.
#[test]
fn documents_go_on_with_the_tokens_that_are_forced() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/schema_cases");
    let mut rows: Vec<Value> = Vec::new();
    for file in folder.read_dir().expect("it exists") {
        let text = std::fs::read_to_string(file.expect("it is listed").path()).expect("it is text");
        let table: Vec<Value> = serde_json::from_str(&text).expect("it is a table");
        rows.extend(table.into_iter().filter(|row| row.get("resources").is_none()));
    }
    for name in ["o200k_base", "r50k_base"] {
        let engine = Engine::new(Vocabulary::from_name(name).expect("it is built in"));
        let vocabulary = engine.vocabulary();
        let (mut all, mut forced_in_all) = (0, 0);
        for row in &rows {
            let options = row.get("options").cloned().unwrap_or_default();
            let options = if options.is_null() {
                Options::default()
            } else {
                serde_json::from_value(options).expect("they are options")
            };
            let what = format!("{name}, {}", row["name"]);
            let Ok(grammar) = schema_grammar(&row["schema"].to_string(), &options) else {
                continue;
            };
            let fresh = Constraint::new(&engine, &grammar, "root").expect(&what);
            for text in row["accept"].as_array().into_iter().flatten() {
                let text = text.as_str().expect("it is a text");
                let tokens = vocabulary.encode(text).expect(&what);
                let mut constraint = fresh.clone();
                for (at, &token) in tokens.iter().enumerate().take(60) {
                    let forced =
                        constraint.forced_tokens(&tokens[..at], |text| vocabulary.encode(text));
                    let forced = forced.expect(&what);
                    assert!(
                        tokens[at..].starts_with(&forced),
                        "{what}: {forced:?} at {at} of {text}: {tokens:?}"
                    );
                    all += 1;
                    forced_in_all += usize::from(!forced.is_empty());
                    constraint.accept(token).expect(&what);
                }
            }
        }
        // Some of them are, or there is nothing to see.
        assert!(forced_in_all * 20 > all, "{name}: {forced_in_all} of {all} places");
    }
}
