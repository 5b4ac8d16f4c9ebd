//! Tables of schemas and texts: `fixtures/schema_cases`.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use grammask_gbnf::{Automaton, Dialect, Grammar, Matcher, ParseConfig, parse};
use grammask_json_schema::{
    Notation, Options, Order, Resources, SchemaErrorKind, Strictness, translate_with,
};
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

impl Row {
    fn options(&self) -> Options {
        match &self.options {
            Value::Null => Options::default(),
            options => serde_json::from_value(options.clone()).unwrap(),
        }
    }

    fn resources(&self) -> Resources<'_> {
        let mut resources = Resources::new();
        for (uri, document) in &self.resources {
            resources.insert(uri, document.clone()).unwrap();
        }
        resources
    }
}

/// The files of a folder of fixtures.
fn files(folder: &str) -> impl Iterator<Item = (PathBuf, String)> {
    let folder = format!("{}/../fixtures/{folder}", env!("CARGO_MANIFEST_DIR"));
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
}

fn rows() -> Vec<Row> {
    let tables = files("schema_cases");
    let rows: Vec<Row> =
        tables.flat_map(|(_, text)| serde_json::from_str::<Vec<Row>>(&text).unwrap()).collect();
    assert!(!rows.is_empty(), "no rows");
    rows
}

/// What a grammar says of a text.
fn verdict(automaton: &Automaton, text: &str) -> &'static str {
    let mut matcher = Matcher::new(automaton);
    match matcher.advance(text.as_bytes()) {
        Err(_) => "dead",
        Ok(()) if automaton.is_empty() => "dead",
        Ok(()) if matcher.is_complete() => "complete",
        Ok(()) => "alive",
    }
}

fn short(text: &str) -> String {
    text.chars().take(60).collect()
}

#[test]
fn cases() {
    let mut failures = Vec::new();
    for row in rows() {
        check(&row, &mut failures);
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

fn check(row: &Row, failures: &mut Vec<String>) {
    let translation = match translate_with(&row.schema, &row.options(), &row.resources()) {
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
            let got = verdict(&automaton, text);
            if !expected.contains(&got) {
                failures.push(format!("{}: {:?} is {got}", row.name, short(text)));
            }
        }
    }
}

#[test]
fn llama_cpp_reads_plain_grammars() {
    let mut failures = Vec::new();
    let mut rows = rows();
    rows.extend(files("schemas").map(|(path, text)| Row {
        name: path.display().to_string(),
        schema: serde_json::from_str(&text).unwrap(),
        options: Value::Null,
        resources: BTreeMap::new(),
        accept: Vec::new(),
        reject: Vec::new(),
        prefix: Vec::new(),
    }));
    for row in &rows {
        check_plain(row, &mut failures);
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// Has the dialect of llama.cpp read the plain grammar, and compares it with the extended one in the
/// same order.
fn check_plain(row: &Row, failures: &mut Vec<String>) {
    let resources = row.resources();
    let mut options = Options { notation: Notation::Plain, ..row.options() };
    if options.order == Order::Any {
        options.order = Order::Declared;
    }
    let translate = |options: &Options| translate_with(&row.schema, options, &resources);
    let plain = match translate(&options) {
        Ok(translation) => translation,
        // What plain GBNF cannot say is named, and dropped on request.
        Err(error) => match error.kind() {
            SchemaErrorKind::Unsupported(all)
                if all.iter().all(|one| one.reason.contains("plain GBNF")) =>
            {
                options.strictness = Strictness::Lenient;
                let grammar = translate(&options).unwrap().grammar;
                failures.extend(misread(row, &grammar));
                return;
            }
            _ => {
                failures.push(format!("{}: {error}", row.name));
                return;
            }
        },
    };
    failures.extend(misread(row, &plain.grammar));
    let keys_may_repeat = plain.report.notes.iter().any(|note| note.contains("keys may repeat"));
    options.notation = Notation::Extended;
    let extended = translate(&options).unwrap();
    let [plain, extended] =
        [plain, extended].map(|it| Automaton::compile(&it.grammar, "root").unwrap());
    for text in row.accept.iter().chain(&row.reject).chain(&row.prefix) {
        let (found, expected) = (verdict(&plain, text), verdict(&extended, text));
        let repeats = keys_may_repeat && repeats_a_key(text);
        if found != expected && !(repeats && found == "complete") {
            let text = short(text);
            failures.push(format!("{}: {text:?} is {found}, not {expected}", row.name));
        }
    }
}

/// Reading a document drops what its keys repeat, so that it is shorter when it is written again.
fn repeats_a_key(text: &str) -> bool {
    let length = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
    let document = serde_json::from_str::<Value>(text);
    document.is_ok_and(|document| length(&document.to_string()) < length(text))
}

/// What is wrong if the dialect of llama.cpp reads the printed grammar.
fn misread(row: &Row, grammar: &Grammar) -> Option<String> {
    let printed = grammar.to_string();
    match ParseConfig::new().dialect(Dialect::LlamaCpp).parse(&printed) {
        Ok(read) if read == *grammar => None,
        Ok(_) => Some(format!("{}: reads otherwise\n{printed}", row.name)),
        Err(found) => Some(format!("{}: {found}\n{printed}", row.name)),
    }
}
