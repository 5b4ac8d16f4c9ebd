//! Tables of schemas and texts: `fixtures/schema_cases`.

use std::collections::BTreeMap;

use grammask_gbnf::{Automaton, Matcher, parse};
use grammask_json_schema::{Options, Resources, translate_with};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    schema: Value,
    #[serde(default)]
    options: Value,
    #[serde(default)]
    resources: BTreeMap<String, Value>,
    accept: Vec<String>,
    reject: Vec<String>,
    prefix: Vec<String>,
}

#[test]
fn cases() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/schema_cases");
    let mut failures = Vec::new();
    let mut rows = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for row in serde_json::from_str::<Vec<Row>>(&text).unwrap() {
            check(&row, &mut failures);
            rows += 1;
        }
    }
    assert!(rows > 0, "no rows");
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

fn check(row: &Row, failures: &mut Vec<String>) {
    let options: Options = if row.options.is_null() {
        Options::default()
    } else {
        serde_json::from_value(row.options.clone()).unwrap()
    };
    let mut resources = Resources::new();
    for (uri, document) in &row.resources {
        resources.insert(uri, document.clone()).unwrap();
    }
    let translation = match translate_with(&row.schema, &options, &resources) {
        Ok(translation) => translation,
        Err(error) => {
            failures.push(format!("{}: {error}", row.name));
            return;
        }
    };
    let printed = translation.grammar.to_string();
    match parse(&printed) {
        Ok(read) if read == translation.grammar => {}
        Ok(_) => failures.push(format!("{}: reads otherwise\n{printed}", row.name)),
        Err(error) => failures.push(format!("{}: {error:?}\n{printed}", row.name)),
    }
    let automaton = Automaton::compile(&translation.grammar, "root").unwrap();
    let satisfiable = !automaton.is_empty();
    if satisfiable != translation.report.satisfiable {
        failures.push(format!("{}: satisfiable is {satisfiable}", row.name));
    }
    for (texts, expected) in [
        (&row.accept, &["complete"][..]),
        (&row.reject, &["dead", "alive"]),
        (&row.prefix, &["alive"]),
    ] {
        for text in texts {
            let mut matcher = Matcher::new(&automaton);
            let got = match matcher.advance(text.as_bytes()) {
                Err(_) => "dead",
                Ok(()) if automaton.is_empty() => "dead",
                Ok(()) if matcher.is_complete() => "complete",
                Ok(()) => "alive",
            };
            if !expected.contains(&got) {
                let short: String = text.chars().take(60).collect();
                failures.push(format!("{}: {short:?} is {got}", row.name));
            }
        }
    }
}
