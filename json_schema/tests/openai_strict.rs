//! Breaches of `OpenAI`'s strict subset: the rows of `fixtures/openai_strict`, and its limits.

use grammask_json_schema::openai_strict;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    schema: Value,
    breaches: Vec<String>,
}

fn breaches(schema: &Value) -> Vec<String> {
    openai_strict(schema).iter().map(ToString::to_string).collect()
}

#[test]
fn fixtures() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/openai_strict");
    let mut failures = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for row in serde_json::from_str::<Vec<Row>>(&text).unwrap() {
            let found = breaches(&row.schema);
            if found != row.breaches {
                failures.push(format!("{}: {found:#?}", row.name));
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// An object with these properties.
fn object(properties: Vec<(String, Value)>) -> Value {
    let required: Vec<&String> = properties.iter().map(|(name, _)| name).collect();
    let required = json!(required);
    let properties: serde_json::Map<String, Value> = properties.into_iter().collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn numbered(count: usize, schema: &Value) -> Value {
    object((0..count).map(|number| (format!("p{number}"), schema.clone())).collect())
}

fn strings(count: usize, length: usize) -> Value {
    let values: Vec<String> = (0..count).map(|number| format!("{number:0length$}")).collect();
    json!({"type": "string", "enum": values})
}

#[test]
fn limits() {
    let one = |schema: Value| object(vec![("a".to_owned(), schema)]);
    let two = |schema: &Value| {
        object(vec![("a".to_owned(), schema.clone()), ("b".to_owned(), schema.clone())])
    };
    let null = json!({"type": "null"});
    for (within, beyond, expected) in [
        (numbered(5_000, &null), numbered(5_001, &null), "/properties: more than 5000 properties"),
        (
            two(&strings(500, 3)),
            two(&strings(501, 3)),
            "/properties/b/enum: more than 1000 values of enums",
        ),
        (
            one(strings(300, 50)),
            one(strings(300, 51)),
            "/properties/a/enum: more than 15000 characters in an enum of more than 250 values",
        ),
        (
            object(vec![("x".repeat(120_000), null.clone())]),
            object(vec![("x".repeat(119_998), json!({"type": "string", "const": "xyz"}))]),
            "more than 120000 characters of names and values",
        ),
    ] {
        assert_eq!(breaches(&within), [""; 0]);
        let found = breaches(&beyond);
        assert!(found.len() == 1 && found[0].ends_with(expected), "{found:?}");
    }
    // No more strings than may be of any length.
    assert_eq!(breaches(&one(strings(250, 100))), [""; 0]);
}
