//! The schemas, and what must come of each.

use serde_json::{Map, Value, json};

/// A schema made to break something.
pub struct Case {
    pub name: &'static str,
    /// Its text.
    pub schema: fn() -> String,
    /// The kinds of errors that may come of it; none: it must work.
    pub refused: &'static [&'static str],
    /// If it works: valid documents.
    pub accept: fn() -> Vec<String>,
    /// If it works: invalid ones.
    pub reject: fn() -> Vec<String>,
}

const LIMIT: &[&str] = &["limit"];

fn none() -> Vec<String> {
    Vec::new()
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

/// Many members with the same value, as text: their tree takes more memory than there is.
fn members(prefix: &str, count: usize, value: &str) -> String {
    let members: Vec<_> = (0..count).map(|at| format!(r#""{prefix}{at}": {value}"#)).collect();
    members.join(", ")
}

/// Members for some numbers.
fn numbered(count: usize, member: impl Fn(usize) -> (String, Value)) -> Map<String, Value> {
    (0..count).map(member).collect()
}

/// All schemas.
pub fn all() -> Vec<Case> {
    let case = |name, refused, schema: fn() -> String| Case {
        name,
        schema,
        refused,
        accept: none,
        reject: none,
    };
    vec![
        Case {
            accept: || texts(&["{}", r#"{"p7": {"a": "x"}}"#]),
            reject: || texts(&[r#"{"p7": 1}"#, "[]"]),
            ..case("50-mb-of-properties", LIMIT, || {
                let value = r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#;
                format!(
                    r#"{{"type": "object", "properties": {{{}}}}}"#,
                    members("p", 700_000, value)
                )
            })
        },
        Case {
            accept: || texts(&[r#""value number 77 of a long list of values""#]),
            reject: || texts(&[r#""value number""#, "1"]),
            ..case("50-mb-of-values", LIMIT, || {
                let values: Vec<_> = (0..1_100_000)
                    .map(|at| format!("value number {at} of a long list of values"))
                    .collect();
                json!({ "enum": values }).to_string()
            })
        },
        Case {
            accept: || texts(&["1"]),
            reject: || texts(&["\"a\""]),
            ..case("50-mb-of-definitions", LIMIT, || {
                let value = r##"{"type": "object", "properties": {"a": {"$ref": "#"}}}"##;
                format!(r#"{{"type": "integer", "$defs": {{{}}}}}"#, members("d", 800_000, value))
            })
        },
        Case {
            accept: || texts(&["1"]),
            reject: || texts(&["\"a\""]),
            ..case("50-mb-of-description", LIMIT, || {
                json!({"type": "integer", "description": "x".repeat(50_000_000)}).to_string()
            })
        },
        Case {
            accept: || texts(&["\"a\""]),
            reject: || texts(&["\"b\""]),
            ..case("50-mb-of-pattern", &["limit", "unsupported"], || {
                json!({"type": "string", "pattern": format!("^({}a)$", "a|".repeat(25_000_000))})
                    .to_string()
            })
        },
        case("10000-levels-of-items", &["limit", "json"], || {
            format!("{}true{}", "{\"items\":".repeat(10_000), "}".repeat(10_000))
        }),
        case("10000-levels-of-not", &["limit", "json"], || {
            format!("{}true{}", "{\"not\":".repeat(10_000), "}".repeat(10_000))
        }),
        case("5000000-brackets", &["limit", "json"], || "[".repeat(5_000_000)),
        case("a-chain-of-10000-references", LIMIT, || {
            let mut defs = numbered(10_000, |at| {
                (format!("d{at}"), json!({"$ref": format!("#/$defs/d{}", at + 1)}))
            });
            defs.insert("d10000".to_owned(), json!({"type": "null"}));
            json!({"$ref": "#/$defs/d0", "$defs": defs}).to_string()
        }),
        case("a-pattern-of-two-to-the-40-states", LIMIT, || {
            json!({"type": "string", "pattern": "^[ab]*a[ab]{40}$", "maxLength": 100}).to_string()
        }),
        Case {
            accept: || vec![format!("\"{}\"", "b".repeat(20) + "a" + &"b".repeat(40))],
            reject: || vec![format!("\"{}\"", "b".repeat(61))],
            ..case("the-same-without-lengths", LIMIT, || {
                json!({"type": "string", "pattern": "^[ab]*a[ab]{40}$"}).to_string()
            })
        },
        Case {
            accept: || texts(&["\"xxxy\""]),
            reject: || texts(&["\"xxxx\""]),
            ..case("nested-loops", LIMIT, || {
                json!({"type": "string", "pattern": "^((x+x+)+(x*)*)*y$"}).to_string()
            })
        },
        Case {
            accept: || texts(&["\"a\""]),
            reject: || texts(&["\"\"", "\"b\""]),
            ..case("counts-of-counts-of-counts", LIMIT, || {
                json!({"type": "string", "pattern": "^((a{1,1000}){1,1000}){1,1000}$"}).to_string()
            })
        },
        case("look-ahead-for-26-letters", LIMIT, || {
            let ahead: Vec<_> = ('a'..='z').map(|c| format!("(?=.*{c})")).collect();
            let ahead = ahead.concat();
            json!({"type": "string", "pattern": format!("^{ahead}")}).to_string()
        }),
        case("30-patterns-of-one-string", LIMIT, || {
            let all: Vec<_> = (b'a'..=b'z')
                .map(|c| json!({"pattern": format!("{0}.*{0}", char::from(c))}))
                .collect();
            json!({"type": "string", "allOf": all}).to_string()
        }),
        case("60-overlapping-key-patterns", LIMIT, || {
            let patterns = numbered(60, |at| (format!("x.{{{at}}}y"), json!({"minimum": at})));
            json!({"type": "object", "patternProperties": patterns}).to_string()
        }),
        Case {
            // Valid under the branch of the only key that is missing.
            accept: || {
                let members: Vec<_> = (1..60).map(|at| format!("\"p{at}\": \"x\"")).collect();
                vec![format!("{{{}}}", members.join(", "))]
            },
            reject: || texts(&["{}", r#"{"p3": "x"}"#]),
            ..case("one-of-60-overlapping-objects", &["limit", "unsupported"], || {
                let one = |at| json!({"type": "object", "properties": {format!("p{at}"): {"type": "integer"}}});
                let branches: Vec<_> = (0..60).map(one).collect();
                json!({ "oneOf": branches }).to_string()
            })
        },
        Case {
            accept: || texts(&[r#"{"p3": 1}"#, r#"{"p3": 1, "x": 2}"#]),
            reject: || texts(&["{}", r#"{"p3": 1, "p4": 2}"#]),
            ..case("one-of-60-required-keys", &["limit", "unsupported"], || {
                let one = |at| json!({"type": "object", "required": [format!("p{at}")]});
                let branches: Vec<_> = (0..60).map(one).collect();
                json!({ "oneOf": branches }).to_string()
            })
        },
        Case {
            accept: || texts(&[r#"{"kind": "k3", "value": 3}"#]),
            reject: || texts(&[r#"{"kind": "k3", "value": 4}"#]),
            ..case("one-of-60-kinds", &[], || {
                let one = |at: usize| {
                    json!({
                        "type": "object",
                        "properties": {"kind": {"const": format!("k{at}")}, "value": {"const": at}},
                        "required": ["kind", "value"],
                    })
                };
                json!({"oneOf": (0..60).map(one).collect::<Vec<_>>()}).to_string()
            })
        },
        case("one-of-60-intervals-of-lists", &["limit", "unsupported"], || {
            let one = |at: usize| json!({"type": "array", "items": {"minimum": at, "maximum": at + 30}, "minItems": 1});
            json!({"oneOf": (0..60).map(one).collect::<Vec<_>>()}).to_string()
        }),
        case("two-to-the-40-cases", LIMIT, || {
            let pair = |at| json!({"anyOf": [{"required": [format!("a{at}")]}, {"required": [format!("b{at}")]}]});
            json!({"type": "object", "allOf": (0..40).map(pair).collect::<Vec<_>>()}).to_string()
        }),
        case("two-to-the-40-evaluated", LIMIT, || {
            let pair = |at| json!({"anyOf": [{"properties": {format!("a{at}"): true}}, {"properties": {format!("b{at}"): true}}]});
            json!({"type": "object", "allOf": (0..40).map(pair).collect::<Vec<_>>(), "unevaluatedProperties": false}).to_string()
        }),
        case("40-conditions", LIMIT, || {
            let one = |at| json!({"if": {"required": [format!("a{at}")]}, "then": {"required": [format!("b{at}")]}, "else": {"maxProperties": at}});
            json!({"type": "object", "allOf": (0..40).map(one).collect::<Vec<_>>()}).to_string()
        }),
        case("one-of-40-objects-of-30-overlaps", &["limit", "unsupported"], || {
            let one = |at| json!({"type": "object", "properties": numbered(30, |key| (format!("p{key}"), json!({"type": "integer", "minimum": at * key})))});
            json!({"oneOf": (0..40).map(one).collect::<Vec<_>>()}).to_string()
        }),
        case("600-keys-that-need-30-each", LIMIT, || {
            let needs = |at| (at + 1..at + 30).map(|key| format!("p{key}")).collect::<Vec<_>>();
            json!({"type": "object", "dependentRequired": numbered(600, |at| (format!("p{at}"), json!(needs(at))))}).to_string()
        }),
        case("40-dependent-schemas", &["limit", "unsupported"], || {
            let schemas = numbered(40, |at| {
                (format!("a{at}"), json!({"properties": {format!("b{at}"): {"type": "null"}}}))
            });
            json!({"type": "object", "dependentSchemas": schemas}).to_string()
        }),
        case("100-levels-of-one-of", &["limit", "unsupported"], || {
            let mut schema = json!({"type": "object"});
            for at in 0..100 {
                schema = json!({"oneOf": [{"properties": {format!("a{at}"): schema}}, {"required": [format!("b{at}")]}]});
            }
            schema.to_string()
        }),
        case("8-counted-contains", LIMIT, || {
            let one = |at: u64| json!({"contains": {"minimum": at}, "minContains": 1_000, "maxContains": 2_000});
            json!({"type": "array", "allOf": (0..8).map(one).collect::<Vec<_>>()}).to_string()
        }),
        case("a-step-of-many-remainders", LIMIT, || {
            json!({"type": "number", "multipleOf": 0.000_123_457, "minimum": 1}).to_string()
        }),
        Case {
            accept: || texts(&[r#"{"k": 1}"#]),
            reject: || texts(&[]),
            ..case("600-optional-of-at-most-300", LIMIT, || {
                let properties = numbered(600, |at| (format!("p{at}"), json!({"type": "null"})));
                json!({"type": "object", "properties": properties, "maxProperties": 300})
                    .to_string()
            })
        },
        Case {
            accept: || vec!["[]".to_owned(), format!("[{}1]", "1,".repeat(3_000))],
            reject: || texts(&["[\"a\"]"]),
            ..case("4000000000-items", &[], || {
                json!({"type": "array", "items": {"type": "integer"}, "maxItems": 4_000_000_000_u64}).to_string()
            })
        },
        Case {
            accept: || texts(&[]),
            reject: || texts(&["[]", "[1]"]),
            ..case("at-least-4000000000-items", LIMIT, || {
                json!({"type": "array", "items": {"type": "integer"}, "minItems": 4_000_000_000_u64}).to_string()
            })
        },
        case("a-reference-to-itself", &["loop"], || json!({"$ref": "#"}).to_string()),
        case("references-in-a-circle", &["loop", "limit"], || {
            let defs = numbered(200, |at| {
                (
                    format!("d{at}"),
                    json!({"allOf": [{"$ref": format!("#/$defs/d{}", (at + 1) % 200)}]}),
                )
            });
            json!({"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": defs}).to_string()
        }),
        case("not-itself", &["loop"], || json!({"not": {"$ref": "#"}}).to_string()),
        case("a-reference-to-nowhere", &["unresolved"], || {
            json!({"items": {"$ref": "#/$defs/none"}}).to_string()
        }),
        case("a-document-that-is-not-there", &["unresolved"], || {
            json!({"items": {"$ref": "http://example.com/x"}}).to_string()
        }),
        case("no-type", &["invalid"], || {
            json!({"properties": {"a": {"type": "text"}}}).to_string()
        }),
        case("no-list-of-schemas", &["invalid"], || json!({"items": {"anyOf": []}}).to_string()),
        case("no-count", &["invalid"], || json!({"items": {"minLength": -1}}).to_string()),
        case("no-schema", &["invalid"], || "17".to_owned()),
    ]
}
