//! What a schema without a translation says, and the report of one with.

use grammask_json_schema::{
    Limits, Options, Resources, SchemaErrorKind, Status, Strictness, UnknownFormats, translate,
    translate_with,
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
        (
            json!({"properties": {"a": {"$ref": "a.json#/x"}}}),
            "the reference \"a.json#/x\" at /properties/a/$ref leads nowhere: the document a.json is \
             not known",
        ),
        (
            json!({"$ref": "#x", "$defs": {"a": {"$id": "a", "$anchor": "x"}}}),
            "the reference \"#x\" at /$ref leads nowhere",
        ),
        (json!({"$ref": "//["}), "a URI reference of at most 8192 bytes expected at /$ref"),
        (json!({"$ref": "#/default", "default": 1}), "a reference to a schema expected at /$ref"),
        (
            json!({
                "$defs": {"a": {"$id": "a", "type": "null"}, "b": {"$id": "./a"}},
                "items": {"$ref": "a"},
            }),
            "the reference \"a\" at /items/$ref leads to two different schemas",
        ),
        (
            json!({"$ref": "#x", "$defs": {"a": {"$anchor": "x"}, "b": {"$dynamicAnchor": "x"}}}),
            "the reference \"#x\" at /$ref leads to two different schemas",
        ),
        (json!({"$ref": "#"}), "the reference at the root leads back to itself"),
        (json!({"allOf": [{"$ref": "#"}]}), "the reference at the root leads back to itself"),
        (
            json!({"$dynamicAnchor": "x", "$dynamicRef": "#x"}),
            "the reference at the root leads back to itself",
        ),
        (
            json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "b"}, "b": {"$id": "b", "$ref": "/#/$defs/a"}}}),
            "the reference at /$defs/a leads back to itself",
        ),
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
fn keywords_are_checked_wherever_they_are() {
    let draft = |draft: &str, rest: Value| {
        let mut schema =
            json!({"$schema": format!("http://json-schema.org/draft-0{draft}/schema#")});
        schema.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        schema
    };
    for (schema, expected) in [
        (json!({"required": ["a", "a"]}), "a list of names, each once expected at /required"),
        (json!({"required": ["a", 1]}), "a string expected at /required/1"),
        (json!({"required": true}), "a list of names, each once expected at /required"),
        (
            json!({"dependentRequired": {"a/": ["b", "b"]}}),
            "a list of names, each once expected at /dependentRequired/a~1",
        ),
        (
            json!({"$defs": {"unreachable": {"items": {"type": "text"}}}}),
            "the name of a type or a list of them expected at /$defs/unreachable/items/type",
        ),
        (
            json!({"definitions": {"x": {"minItems": 0.5}}}),
            "a non-negative integer expected at /definitions/x/minItems",
        ),
        (
            json!({"anyOf": [{}, {"multipleOf": 0}]}),
            "a number greater than 0 expected at /anyOf/1/multipleOf",
        ),
        (json!({"oneOf": []}), "an array of schemas, at least one expected at /oneOf"),
        (json!({"items": [{}]}), "a schema expected at /items"),
        (json!({"title": 1}), "a string expected at /title"),
        (json!({"examples": {}}), "a list of values expected at /examples"),
        (json!({"$id": 1}), "a URI reference without fragment expected at /$id"),
        (json!({"$id": "a#b"}), "a URI reference without fragment expected at /$id"),
        (
            json!({"$id": "urn:a:b", "not": {"$id": "c"}}),
            "a URI reference of at most 8192 bytes expected at /not/$id",
        ),
        (
            json!({"$anchor": "1"}),
            "a name of letters, digits, `-`, `.` and `_` expected at /$anchor",
        ),
        (json!({"$schema": 1}), "a string expected at /$schema"),
        (json!({"$vocabulary": {"a:b": 1}}), "a boolean expected at /$vocabulary/a:b"),
        (draft("4", json!({"minimum": "1"})), "a number expected at /minimum"),
        (draft("4", json!({"exclusiveMinimum": 1})), "a boolean expected at /exclusiveMinimum"),
        (
            draft("4", json!({"exclusiveMaximum": true})),
            "`maximum` beside it expected at /exclusiveMaximum",
        ),
        (draft("4", json!({"not": true})), "a schema expected at /not"),
        (
            draft("4", json!({"enum": []})),
            "a list of values, at least one and each once expected at /enum",
        ),
        (
            draft("4", json!({"required": []})),
            "a list of names, at least one and each once expected at /required",
        ),
        (draft("6", json!({"exclusiveMinimum": true})), "a number expected at /exclusiveMinimum"),
        (
            draft("7", json!({"items": []})),
            "a schema or an array of them, at least one expected at /items",
        ),
        (
            draft(
                "7",
                json!({"$ref": "#/definitions/a", "minLength": -1, "definitions": {"a": {}}}),
            ),
            "a non-negative integer expected at /minLength",
        ),
    ] {
        assert_eq!(message(&schema), expected);
    }
    // What is no keyword may be anything.
    for schema in [
        json!({"enum": [{"type": "text"}], "unknown": {"type": "text"}, "default": {"type": 1}}),
        json!({"properties": {"required": {"const": {"required": true}}}}),
        draft("7", json!({"$defs": 1, "prefixItems": 2, "$anchor": 3})),
    ] {
        assert!(translate(&schema, &Options::default()).is_ok(), "{schema}");
    }
}

#[test]
fn places_in_other_documents() {
    let mut resources = Resources::new();
    let wrong = json!({"items": {"maxItems": "many"}});
    resources.insert("http://example.com/wrong", wrong).unwrap();
    resources.insert("number", json!({"$ref": "digits#/none"})).unwrap();
    resources.insert("digits", json!({"pattern": "(a)\\1"})).unwrap();
    let message = |schema: Value| {
        translate_with(&schema, &Options::default(), &resources).unwrap_err().to_string()
    };
    assert_eq!(
        message(json!({"$ref": "http://example.com/wrong"})),
        "a non-negative integer expected at http://example.com/wrong#/items/maxItems"
    );
    assert_eq!(
        message(json!({"$ref": "number"})),
        "the reference \"digits#/none\" at number#/$ref leads nowhere"
    );
    assert_eq!(
        message(json!({"$ref": "digits"})),
        "cannot be enforced: `pattern` at digits#/pattern (a backreference is not regular: write \
         out what it may repeat (at byte 3 of the pattern))"
    );
    assert!(resources.insert("http://[", json!({})).is_err());
}

#[test]
fn metaschemas() {
    let vocabulary = "http://example.com/vocabulary";
    let metaschema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$vocabulary": {vocabulary: true},
    });
    let mut resources = Resources::new();
    resources.insert("http://example.com/meta", metaschema).unwrap();
    let schema = json!({"$schema": "http://example.com/meta#"});
    let error = translate_with(&schema, &Options::default(), &resources).unwrap_err();
    assert_eq!(*error.kind(), SchemaErrorKind::UnknownVocabulary { uri: vocabulary.to_owned() });
    assert_eq!(error.pointer(), "/$schema");

    let report = translate(&schema, &Options::default()).unwrap().report;
    assert_eq!(
        report.notes,
        ["/$schema names \"http://example.com/meta#\", which is not known: read in draft 2020-12"]
    );
}

#[test]
fn a_document_is_retrieved_once() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let calls = AtomicUsize::new(0);
    let resources = Resources::new().retriever(|uri| {
        calls.fetch_add(1, Ordering::Relaxed);
        (uri == "http://example.com/a").then(|| json!({"$ref": "b", "$defs": {"x": {"$ref": ""}}}))
    });
    let schema = json!({
        "$defs": {"1": {"$ref": "http://example.com/a"}, "2": {"$ref": "http://example.com/a#/$defs/x"}},
        "items": {"$ref": "http://example.com/b"},
    });
    let error = translate_with(&schema, &Options::default(), &resources).unwrap_err();
    assert_eq!(error.pointer(), "/items/$ref");
    assert_eq!(calls.load(Ordering::Relaxed), 2);
}

/// A retriever that has another document for every URI is stopped.
#[test]
fn documents_without_end() {
    let resources = Resources::new().retriever(|uri| Some(json!({"$ref": format!("{uri}/x")})));
    let limits = Limits { subschemas: 1_000, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let schema = json!({"$ref": "http://example.com/"});
    let error = translate_with(&schema, &options, &resources).unwrap_err();
    assert!(matches!(error.kind(), SchemaErrorKind::Limit { name: "subschemas", .. }));
}

/// Each limit is named with its place, below `/properties/a`.
#[test]
fn limits() {
    let mut deep = json!({});
    for _ in 0..300 {
        deep = json!({"items": deep});
    }
    let pairs: Vec<Value> = (0..40)
        .map(|i| json!({"anyOf": [{"required": [format!("a{i}")]}, {"required": [format!("b{i}")]}]}))
        .collect();
    let contains: Vec<Value> = (0..9).map(|i| json!({"contains": {"const": i}})).collect();
    let counted: Vec<Value> = (0..8)
        .map(|i| json!({"contains": {"minimum": i}, "minContains": 1_000, "maxContains": 2_000}))
        .collect();
    let overlapping: serde_json::Map<String, Value> =
        (0..60).map(|i| (format!("x.{{{i}}}y"), json!({"minimum": i}))).collect();
    // What asserts something is an automaton.
    let large = "^([a-m]*x){3}|[ab]*a[ab]{40}(?:\\b.)+$";
    for (schema, name, place) in [
        (deep, "levels of nesting", "/items".repeat(255).as_str()),
        (json!({"const": "x".repeat(16_000_001)}), "bytes of strings", "/const"),
        (json!({"enum": vec![7; 300_000]}), "values", "/enum/10"),
        (
            json!({"enum": (0..4_097).map(|i| json!([i])).collect::<Vec<_>>()}),
            "alternatives",
            "/enum",
        ),
        (json!({"type": "object", "allOf": pairs}), "alternatives", ""),
        (
            json!({"type": "string", "pattern": large, "maxLength": 60}),
            "states of a pattern",
            "/pattern",
        ),
        (
            json!({"allOf": [{"title": "x"}, {"type": "string", "pattern": large, "maxLength": 60}]}),
            "states of a pattern",
            "/allOf/1/pattern",
        ),
        (json!({"$ref": "#/$defs/x"}), "states of a pattern", "#/$defs/x/anyOf/0/pattern"),
        (
            json!({"patternProperties": {large: {"type": "null"}}, "additionalProperties": false}),
            "states of a pattern",
            "/patternProperties",
        ),
        (
            json!({"items": {"patternProperties": overlapping}}),
            "states of combined patterns",
            "/items/patternProperties",
        ),
        (
            json!({"type": "array", "allOf": counted}),
            "alternatives for counted items",
            "/allOf/0/contains",
        ),
        (
            json!({"type": "integer", "multipleOf": 1_000_003, "minimum": 1}),
            "states of digits and remainders",
            "/multipleOf",
        ),
        (
            json!({"type": "array", "allOf": contains}),
            "`contains` for one array",
            "/allOf/0/contains",
        ),
        (
            json!({"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 5_000_000_000_u64}),
            "repetitions",
            "/minItems",
        ),
    ] {
        let whole = json!({
            "properties": {"a": schema},
            "$defs": {"x": {"anyOf": [{"type": "string", "pattern": large, "maxLength": 60}]}},
        });
        let error = translate(&whole, &Options::default()).expect_err(name);
        let found =
            matches!(error.kind(), SchemaErrorKind::Limit { name: found, .. } if *found == name);
        assert!(found, "{name}: {error}");
        let place = match place.strip_prefix('#') {
            Some(place) => place.to_owned(),
            None => format!("/properties/a{place}"),
        };
        assert_eq!(error.pointer(), place, "{name}");
    }

    // However many alternatives are left in the end.
    let one =
        |at: usize| json!({"type": "object", "properties": {format!("p{at}"): {"minimum": at}}});
    let schema = json!({"properties": {"a": {"oneOf": (0..8).map(one).collect::<Vec<_>>()}}});
    assert!(translate(&schema, &Options::default()).is_ok());
    let limits = Limits { steps: 1_000, ..Limits::default() };
    let error = translate(&schema, &Options { limits, ..Options::default() }).unwrap_err();
    let name = "steps of combining constraints";
    assert_eq!(*error.kind(), SchemaErrorKind::Limit { name, limit: 1_000 });
    assert_eq!(error.pointer(), "/properties/a");

    let limits = Limits { grammar: 40, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let schema = json!({"type": "object", "properties": {"a": {"enum": (0..20).collect::<Vec<_>>()}}, "additionalProperties": false});
    let error = translate(&schema, &options).unwrap_err();
    assert!(matches!(error.kind(), SchemaErrorKind::Limit { name: "nodes of the grammar", .. }));
    assert_eq!(error.pointer(), "/properties/a");
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

/// Each of some resources has an anchor of its own and one that all have, and refers to all: the
/// scopes are as many as there are sets of them.
#[test]
fn dynamic_scopes_without_end() {
    let mut defs = serde_json::Map::new();
    for i in 0..30 {
        let others: Vec<Value> = (0..30).map(|j| json!({"$ref": format!("r{j}")})).collect();
        let mut anchors = serde_json::Map::new();
        for j in [i, (i + 1) % 30] {
            anchors.insert(format!("{j}"), json!({"$dynamicAnchor": format!("a{j}")}));
        }
        let schema = json!({
            "$id": format!("r{i}"),
            "properties": {"next": {"anyOf": others}, "this": {"$dynamicRef": format!("#a{i}")}},
            "$defs": anchors,
        });
        defs.insert(format!("r{i}"), schema);
    }
    let limits = Limits { subschemas: 5_000, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let error = translate(&json!({"$ref": "r0", "$defs": defs}), &options).unwrap_err();
    assert!(matches!(error.kind(), SchemaErrorKind::Limit { .. }), "{error}");
}

/// A subschema in two dynamic scopes is one in the report.
#[test]
fn a_keyword_is_reported_once() {
    let list = |name: &str| {
        let item = json!({"$dynamicAnchor": "item", "type": name});
        json!({"$id": name, "$ref": "list", "$defs": {"item": item}})
    };
    let schema = json!({
        "$id": "http://example.com/root",
        "properties": {"a": {"$ref": "string"}, "b": {"$ref": "null"}},
        "$defs": {
            "list": {
                "$id": "list",
                "items": {"$dynamicRef": "#item"},
                "$defs": {"item": {"$dynamicAnchor": "item"}},
            },
            "string": list("string"),
            "null": list("null"),
        },
    });
    let report = translate(&schema, &Options::default()).unwrap().report;
    let mut pointers: Vec<&str> = report.entries.iter().map(|it| it.pointer.as_str()).collect();
    let all = pointers.len();
    assert!(pointers.contains(&"/$defs/list/items/$dynamicRef"));
    pointers.sort_unstable();
    pointers.dedup();
    assert_eq!(pointers.len(), all);
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

#[test]
fn entries_name_their_keywords() {
    let schema = json!({
        "not": {"type": "string", "pattern": "(?i)a"},
        "a/b": 1,
    });
    let options = Options { strictness: Strictness::Lenient, ..Options::default() };
    let report = translate(&schema, &options).unwrap().report;
    let keywords: Vec<_> =
        report.entries.iter().map(|entry| (&*entry.pointer, entry.keyword())).collect();
    let named =
        |pointer: &str| keywords.iter().find(|(other, _)| *other == pointer).unwrap().1.clone();
    assert_eq!((named("/not"), named("/a~1b")), ("not".into(), "a/b".into()));
    let written = serde_json::to_value(&report).unwrap();
    assert_eq!(written["entries"][0]["keyword"], "not");
}
