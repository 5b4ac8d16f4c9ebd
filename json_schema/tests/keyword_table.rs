//! The table of keywords in the documentation is true.

use grammask_json_schema::{Draft, Options, Status, translate};
use serde_json::{Value, json};

const DRAFTS: [Draft; 5] =
    [Draft::Draft4, Draft::Draft6, Draft::Draft7, Draft::Draft201909, Draft::Draft202012];

/// A schema in which the keyword constrains, if the draft knows it.
fn sample(keyword: &str, draft: Draft) -> Value {
    let value = match keyword {
        "exclusiveMinimum" | "exclusiveMaximum" if draft == Draft::Draft4 => json!(true),
        "type" => json!("string"),
        "enum" => json!([1]),
        "const" | "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties"
        | "maxProperties" | "minContains" | "maxContains" | "minimum" | "maximum"
        | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => json!(1),
        "pattern" => json!("a"),
        "format" => json!("date"),
        "uniqueItems" => json!(true),
        "prefixItems" | "allOf" | "anyOf" | "oneOf" => json!([{"type": "string"}]),
        "properties" | "patternProperties" | "dependentSchemas" | "dependencies" => {
            json!({"a": {"type": "string"}})
        }
        "required" => json!(["a"]),
        "dependentRequired" => json!({"a": ["b"]}),
        "$ref" | "$dynamicRef" | "$recursiveRef" => json!("#"),
        _ => json!({"type": "string"}),
    };
    let mut schema = json!({keyword: value});
    match keyword {
        "exclusiveMinimum" if draft == Draft::Draft4 => schema["minimum"] = json!(1),
        "exclusiveMaximum" if draft == Draft::Draft4 => schema["maximum"] = json!(1),
        "uniqueItems" => schema["items"] = json!({"type": "string"}),
        "minContains" | "maxContains" => schema["contains"] = json!({}),
        "if" => schema["then"] = json!({"type": "string"}),
        // A reference to the whole must not lead back at once.
        "$ref" | "$dynamicRef" | "$recursiveRef" => schema = json!({"properties": {"a": schema}}),
        _ => {}
    }
    schema
}

#[test]
fn every_row_is_true() {
    let page = include_str!("../../docs/json-schema.md");
    let mut rows = 0;
    for line in page.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let keyword = cells[1].trim_matches('`');
        rows += 1;
        for (draft, cell) in DRAFTS.into_iter().zip(&cells[2..]) {
            let options = Options { draft, ..Options::default() };
            let report = translate(&sample(keyword, draft), &options).unwrap().report;
            let end = format!("/{keyword}");
            let entry = report.entries.iter().find(|entry| entry.pointer.ends_with(&end)).unwrap();
            let expected = if *cell == "yes" { Status::Enforced } else { Status::Annotation };
            assert_eq!(entry.status, expected, "{keyword} in {draft:?}");
        }
    }
    assert!(rows > 35, "{rows} rows");
}
