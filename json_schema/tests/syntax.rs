//! Objects in other syntaxes than JSON: tables of schemas and texts, `fixtures/schema_syntaxes`.

use std::fs;

use grammask_gbnf::{Automaton, Matcher, parse};
use grammask_json_schema::{Elements, Notation, Options, Order, Quote, Syntax, translate_object};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    /// `lines`: `<p=KEY>`, each value on lines of its own; `told`: strings and other values have
    /// different marks; `dict`: strings between `'''`.
    syntax: String,
    schema: Value,
    #[serde(default)]
    accept: Vec<String>,
    #[serde(default)]
    reject: Vec<String>,
    /// What the message of the error has in it.
    #[serde(default)]
    error: Option<String>,
}

fn syntax(name: &str) -> Syntax {
    let elements = |before_text: &str, before_json: &str, close: &str| {
        Syntax::Elements(Elements {
            open: "<p=".to_owned(),
            after_key: ">".to_owned(),
            before_text: before_text.to_owned(),
            before_json: before_json.to_owned(),
            close: close.to_owned(),
            stop: "</p>".to_owned(),
            tokens: Vec::new(),
        })
    };
    match name {
        "lines" => elements("\n", "\n", "\n</p>\n"),
        "told" => elements("text:", "json:", "</p>"),
        "dict" => Syntax::Dict(Quote::Text("'''".to_owned())),
        "json" => Syntax::Json,
        _ => panic!("{name}"),
    }
}

#[test]
fn cases() {
    let folder = format!("{}/../fixtures/schema_syntaxes", env!("CARGO_MANIFEST_DIR"));
    let mut failures = Vec::new();
    let mut rows = 0;
    for file in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        for row in serde_json::from_str::<Vec<Row>>(&text).unwrap() {
            rows += 1;
            check(&row, &mut failures);
        }
    }
    assert!(rows > 10);
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

fn check(row: &Row, failures: &mut Vec<String>) {
    let declared = Options { order: Order::Declared, ..Options::default() };
    let plain = Options { notation: Notation::Plain, ..declared.clone() };
    for (what, options) in [("any", Options::default()), ("declared", declared), ("plain", plain)] {
        let name = format!("{} {what}", row.name);
        let found =
            match (translate_object(&row.schema, &syntax(&row.syntax), &options), &row.error) {
                (Ok(found), None) => found.translation,
                (Err(error), Some(part)) if error.to_string().contains(part) => continue,
                (Err(error), _) => {
                    failures.push(format!("{name}: {error}"));
                    continue;
                }
                (Ok(_), Some(part)) => {
                    failures.push(format!("{name}: no error {part:?}"));
                    continue;
                }
            };
        let printed = found.grammar.to_string();
        match parse(&printed) {
            Ok(read) if read == found.grammar => {}
            Ok(_) => failures.push(format!("{name}: reads otherwise\n{printed}")),
            Err(error) => failures.push(format!("{name}: {error:?}\n{printed}")),
        }
        let automaton = Automaton::compile(&found.grammar, "root").unwrap();
        let takes = |text: &str| {
            let mut matcher = Matcher::new(&automaton);
            matcher.advance(text.as_bytes()).is_ok() && matcher.is_complete()
        };
        // In another order than that of the schema there is no text to accept.
        let accepted = row.accept.iter().take(if what == "any" { usize::MAX } else { 1 });
        failures.extend(accepted.filter(|it| !takes(it)).map(|it| format!("{name}: not {it:?}")));
        failures
            .extend(row.reject.iter().filter(|it| takes(it)).map(|it| format!("{name}: {it:?}")));
    }
}
