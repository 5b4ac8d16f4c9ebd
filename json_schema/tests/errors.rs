//! What a schema without a translation says, and the report of one with.

use grammask_json_schema::{
    Limits, Options, SchemaErrorKind, Status, Strictness, UnknownFormats, translate,
};
use serde_json::{Value, json};

fn message(schema: &Value) -> String {
    translate(schema, &Options::default()).unwrap_err().to_string()
}

#[test]
fn messages() {
    for (schema, expected) in [
        (json!(5), "a schema expected at the root"),
        (json!({"type": "text"}), "the name of a type or a list of them expected at /type"),
        (
            json!({"items": {"minLength": -1}}),
            "a non-negative integer expected at /items/minLength",
        ),
        (json!({"properties": {"a/b": 1}}), "a schema expected at /properties/a~1b"),
        (json!({"$ref": "#/$defs/x"}), "the reference \"#/$defs/x\" at /$ref leads nowhere"),
        (json!({"$ref": "#"}), "the reference at the root leads back to itself"),
        (
            json!({"pattern": "(?i)a", "items": {"pattern": "(?<=a)b"}}),
            "cannot be enforced: `pattern` at /pattern (inline flags are not supported: write both \
             cases, `[aA]` (at byte 0 of the pattern)); `pattern` at /items/pattern (look-behind \
             is not supported: say it with what comes before, or with look-ahead (at byte 0 of the \
             pattern))",
        ),
        (
            json!({"pattern": "(a)\\1"}),
            "cannot be enforced: `pattern` at /pattern (a backreference is not regular: write out \
             what it may repeat (at byte 3 of the pattern))",
        ),
        (
            json!({"properties": {"a": {"pattern": "a[b-a]"}}}),
            "cannot be enforced: `pattern` at /properties/a/pattern (the range of the class is \
             reversed: the lesser character comes first (at byte 2 of the pattern))",
        ),
    ] {
        assert_eq!(message(&schema), expected);
    }
}

#[test]
fn limits() {
    let mut deep = json!({});
    for _ in 0..300 {
        deep = json!({"items": deep});
    }
    let error = translate(&deep, &Options::default()).unwrap_err();
    assert!(matches!(error.kind(), SchemaErrorKind::Limit { name: "levels of nesting", .. }));

    let pairs: Vec<Value> = (0..40)
        .map(|i| json!({"anyOf": [{"required": [format!("a{i}")]}, {"required": [format!("b{i}")]}]}))
        .collect();
    let error = translate(&json!({"allOf": pairs}), &Options::default()).unwrap_err();
    assert!(matches!(error.kind(), SchemaErrorKind::Limit { name: "alternatives", .. }));

    let limits = Limits { grammar: 10, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let error = translate(&json!({}), &options).unwrap_err();
    assert!(matches!(error.kind(), SchemaErrorKind::Limit { name: "nodes of the grammar", .. }));
}

#[test]
fn long_chains_of_references_end() {
    let mut defs = serde_json::Map::new();
    for i in 0..1_000 {
        defs.insert(format!("d{i}"), json!({"$ref": format!("#/$defs/d{}", i + 1)}));
    }
    defs.insert("d1000".to_owned(), json!({"type": "null"}));
    let error = translate(&json!({"$ref": "#/$defs/d0", "$defs": defs}), &Options::default());
    assert!(matches!(error.unwrap_err().kind(), SchemaErrorKind::Limit { .. }));
}

#[test]
fn report() {
    let schema = json!({
        "title": "T",
        "type": "string",
        "format": "color",
        "pattern": "(?i)a",
        "x-mine": 1,
    });
    let options = Options { strictness: Strictness::Lenient, ..Options::default() };
    let report = translate(&schema, &options).unwrap().report;
    let status: Vec<(&str, Status)> =
        report.entries.iter().map(|entry| (entry.pointer.as_str(), entry.status)).collect();
    assert_eq!(
        status,
        [
            ("/title", Status::Annotation),
            ("/type", Status::Enforced),
            ("/format", Status::Annotation),
            ("/pattern", Status::Refused),
            ("/x-mine", Status::Annotation),
        ]
    );
    let text = report.to_string();
    assert!(text.starts_with("properties: any order"), "{text}");
    assert!(text.contains("not enforced: /pattern ("), "{text}");
    assert_eq!(serde_json::to_value(&report).unwrap()["spelling"]["order"], "any");

    let options = Options { unknown_formats: UnknownFormats::Error, ..options };
    assert_eq!(translate(&schema, &options).unwrap().report.refused().count(), 2);
}

#[test]
fn the_same_every_time() {
    let schema =
        json!({"properties": {"b": {"enum": [1, "x", null]}, "a": {"not": {"const": "q"}}}});
    let first = translate(&schema, &Options::default()).unwrap();
    for _ in 0..5 {
        assert_eq!(translate(&schema, &Options::default()).unwrap(), first);
    }
}

#[test]
fn large_objects_in_declared_order_are_linear() {
    let size = |count: usize| {
        let properties: serde_json::Map<String, Value> =
            (0..count).map(|i| (format!("key{i}"), json!({"type": "string"}))).collect();
        let options =
            Options { notation: grammask_json_schema::Notation::Plain, ..Options::default() };
        let schema = json!({"type": "object", "properties": properties});
        translate(&schema, &options).unwrap().grammar.to_string().len()
    };
    assert!(size(600) < 7 * size(100));
}
