//! Runs over `fixtures/grammars`: `ok` parses without a word, `err` has errors, `lint` warnings
//! only. The words stand beside the grammar in a file `.err`; `UPDATE_FIXTURES=1` writes it.
//!
//! A first line `# dialect: llama.cpp` chooses the dialect.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

use grammask_gbnf::{Diagnostics, Dialect, Grammar, parse_bytes, parse_with};

/// The grammars of a folder, in order of their names.
fn grammars(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/grammars").join(folder);
    let mut paths: Vec<_> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("an entry of the folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "gbnf"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "{}", folder.display());
    paths
}

fn dialect(text: &[u8]) -> Dialect {
    if text.starts_with(b"# dialect: llama.cpp") { Dialect::LlamaCpp } else { Dialect::Grammask }
}

fn diagnose(text: &[u8]) -> Diagnostics {
    match parse_bytes(text, dialect(text)) {
        Ok(grammar) => Diagnostics::new(&String::from_utf8_lossy(text), grammar.check("root")),
        Err(diagnostics) => diagnostics,
    }
}

fn render(diagnostics: &Diagnostics) -> String {
    let mut lines = String::new();
    for (position, diagnostic) in diagnostics.with_positions() {
        let _ = writeln!(lines, "{} {position} {}", diagnostic.code.as_str(), diagnostic.message);
        if let Some(help) = &diagnostic.help {
            let _ = writeln!(lines, "  help: {help}");
        }
    }
    if diagnostics.omitted() > 0 {
        let _ = writeln!(lines, "and {} more", diagnostics.omitted());
    }
    lines
}

fn compare_with_golden(path: &Path, rendered: &str) {
    let golden = path.with_extension("err");
    if env::var_os("UPDATE_FIXTURES").is_some() {
        fs::write(&golden, rendered).expect("the golden file is written");
    }
    let expected = fs::read_to_string(&golden).unwrap_or_default();
    assert_eq!(rendered, expected, "{}", path.display());
}

#[test]
fn ok() {
    for path in grammars("ok") {
        let text = fs::read_to_string(&path).expect("a grammar");
        let found = diagnose(text.as_bytes());
        assert!(found.is_empty(), "{}:\n{found}", path.display());
        let grammar = parse_with(&text, dialect(text.as_bytes())).expect("it parsed before");
        let printed = grammar.to_string();
        assert_eq!(Grammar::parse(&printed), Ok(grammar), "{}:\n{printed}", path.display());
    }
}

#[test]
fn err() {
    for path in grammars("err") {
        let found = diagnose(&fs::read(&path).expect("a grammar"));
        assert!(found.has_errors(), "{}: no error", path.display());
        compare_with_golden(&path, &render(&found));
    }
}

#[test]
fn lint() {
    for path in grammars("lint") {
        let found = diagnose(&fs::read(&path).expect("a grammar"));
        assert!(!found.has_errors(), "{}: an error", path.display());
        assert!(!found.is_empty(), "{}: no warning", path.display());
        compare_with_golden(&path, &render(&found));
    }
}

/// Every block of GBNF in the language reference is a grammar.
#[test]
fn reference() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/gbnf.md");
    let text = fs::read_to_string(path).expect("the language reference");
    let blocks: Vec<&str> = text
        .split("```gbnf\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap_or_default())
        .collect();
    assert!(blocks.len() > 5);
    for block in blocks {
        let grammar = Grammar::parse(block).unwrap_or_else(|found| panic!("{block}\n{found}"));
        assert_eq!(Grammar::parse(&grammar.to_string()), Ok(grammar), "{block}");
    }
}
