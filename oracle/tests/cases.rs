//! The rows of `fixtures/cases` against the reference matcher and the matcher.

use std::path::Path;

use grammask_gbnf::{Automaton, Matcher};
use grammask_oracle::Reference;

#[test]
fn cases_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/cases");
    let mut wrong = Vec::new();
    let mut rows = 0;
    for entry in std::fs::read_dir(folder).expect("the folder exists") {
        let path = entry.expect("the folder can be listed").path();
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let file: serde_json::Value = serde_json::from_str(&text).expect("the file is JSON");
        for row in file.as_array().expect("a list of rows") {
            rows += 1;
            let name = format!("{}: {}", path.display(), row["name"]);
            let Some(source) = row["grammar"].as_str() else { continue };
            let grammar = match grammask_gbnf::parse(source) {
                Ok(grammar) => grammar,
                Err(error) => {
                    wrong.push(format!("{name}: {error:?}"));
                    continue;
                }
            };
            let root = row["root"].as_str().unwrap_or("root");
            let reference = Reference::new(&grammar, root);
            let automaton = match Automaton::compile(&grammar, root) {
                Ok(automaton) => automaton,
                Err(error) => {
                    wrong.push(format!("{name}: {error}"));
                    continue;
                }
            };
            for (list, expected) in [("accept", true), ("reject", false), ("prefix", false)] {
                for text in row[list].as_array().into_iter().flatten() {
                    let text = text.as_str().expect("texts are strings").as_bytes();
                    let alive = list != "prefix" || reference.alive(text);
                    if reference.matches(text) != expected || !alive {
                        wrong.push(format!("{name}: {list} {:?}", String::from_utf8_lossy(text)));
                    }
                    let mut matcher = Matcher::new(&automaton);
                    let alive = matcher.advance(text).is_ok();
                    if (alive && matcher.is_complete()) != expected || (list == "prefix" && !alive)
                    {
                        let text = String::from_utf8_lossy(text);
                        wrong.push(format!("{name}: the matcher, {list} {text:?}"));
                    }
                }
            }
        }
    }
    assert!(rows > 0);
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}
