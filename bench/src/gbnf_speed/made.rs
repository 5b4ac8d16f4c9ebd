//! Grammars that slow engines down, with a text each.

use serde_json::{Map, Value, json};

use super::{Case, Source};

/// All of them.
pub fn cases() -> Vec<Case> {
    vec![
        of_schema(
            "class-limited strings",
            json!({"type": "array", "items": {"type": "object", "properties": {
                "id": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"},
                "slug": {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$", "maxLength": 80},
                "ascii": {"type": "string", "pattern": "^[ -~]*$"},
                "words": {"type": "string", "pattern": "^(\\S+\\s+){0,9}\\S+$"},
                "phone": {"type": "string", "pattern": "^\\+?[0-9 ()-]{5,20}$"},
            }}}),
            vec![array((0..40).map(|at| {
                json!({
                    "id": format!("item_{at}-{:x}", at * 7_919),
                    "slug": format!("a-{at}-very-long-name-of-nothing-in-particular"),
                    "ascii": format!("All of {at} ({}%) is plain text: #!?", at * 3),
                    "words": format!("Some {at} words and   a few more"),
                    "phone": format!("+49 (30) 1234-{at:04}"),
                })
            }))],
        ),
        of_schema(
            "maxLength in the thousands",
            json!({"type": "array", "items": {"type": "string", "minLength": 10, "maxLength": 5_000}}),
            vec![json!([prose(4_500), prose(900), "äöü€漢😀 ".repeat(100)])],
        ),
        of_schema(
            "an enum of 10000 strings",
            json!({"type": "array", "items": {"enum": (0..10_000).map(word).collect::<Vec<_>>()}}),
            vec![array((0..10_000).step_by(77).map(|at| word(at).into()))],
        ),
        of_schema(
            "600 keys beside free ones",
            json!({
                "type": "object",
                "properties": object((0..600).map(|at| (word(at), json!({"type": "integer"})))),
                "additionalProperties": {"type": "string"},
            }),
            vec![Value::Object(object((0..600).step_by(4).flat_map(|at| {
                [(word(at), json!(at)), (format!("free {}", word(at + 1)), json!("text"))]
            })))],
        ),
        of_schema(
            "5000 definitions",
            json!({"$ref": "#/$defs/d0", "$defs": object((0..5_000).map(|at| {
                (format!("d{at}"), json!({
                    "type": "object",
                    "properties": {
                        word(at): {"type": "integer", "minimum": at},
                        "next": {"$ref": format!("#/$defs/d{}", (at * 7 + 1) % 5_000)},
                        "list": {"type": "array", "items": {"$ref": format!("#/$defs/d{}", (at + 1) % 5_000)}},
                    },
                    "required": [word(at)],
                }))
            }))}),
            vec![chain(0, 60)],
        ),
        of_schema(
            "unique items and keys with bounds",
            json!({
                "type": "object",
                "properties": {
                    "tags": {
                        "type": "array",
                        "items": {"type": "string", "maxLength": 20},
                        "uniqueItems": true,
                    },
                    "texts": {
                        "type": "array",
                        "items": {"type": "string", "maxLength": 30_000},
                        "uniqueItems": true,
                    },
                    "ports": {
                        "type": "array",
                        "items": {"type": "integer", "minimum": 1, "maximum": 65_535},
                        "uniqueItems": true,
                    },
                    "any": {"type": "array", "uniqueItems": true},
                },
                "propertyNames": {"maxLength": 2_000},
            }),
            vec![json!({
                "tags": (0..40).map(|at| format!("{} {at:03} tags", &word(at * 77)[..8])).collect::<Vec<_>>(),
                "texts": [prose(900), prose(600), prose(901)],
                "ports": (0..60).map(|at| at * 1_013 + 80).collect::<Vec<_>>(),
                "any": [prose(800), {"key": prose(200), "other": [1, 2]}, {"key": prose(201)}, null, 3.5],
                format!("a key of some length: {}", word(77)): 1,
                format!("a key of some length: {}", word(78)): 2,
            })],
        ),
        Case {
            name: "a deeply ambiguous grammar".to_owned(),
            source: Source::Gbnf(
                r#"
                root ::= e
                e ::= e "+" e | e "*" e | e e | "(" e ")" | "-" e | name | name "(" e ("," e)* ")"
                name ::= [a-z]+ | [a-z] name | word
                word ::= ("a" | "ab" | "abc" | [a-z])+
                "#
                .to_owned(),
            ),
            texts: vec!["abc(a+b*cab,-abcabc(ab))+aabbcc*(abc+ab*a)".repeat(6)],
        },
    ]
}

fn of_schema(name: &str, schema: Value, documents: impl IntoIterator<Item = Value>) -> Case {
    let documents = documents.into_iter();
    let texts = documents.map(|document| crate::python::dumps(&document)).collect();
    Case { name: name.to_owned(), source: Source::Schema(schema), texts }
}

fn array(items: impl Iterator<Item = Value>) -> Value {
    items.collect()
}

fn object(members: impl Iterator<Item = (String, Value)>) -> Map<String, Value> {
    members.collect()
}

/// A word for each number, many with beginnings in common.
fn word(at: usize) -> String {
    const SYLLABLES: [&str; 10] = ["ba", "con", "di", "er", "fo", "in", "lu", "pre", "st", "un"];
    let digits = format!("{at:04}");
    let digits = digits.bytes().map(|digit| SYLLABLES[usize::from(digit - b'0')]);
    digits.collect()
}

/// Sentences with so many characters.
fn prose(characters: usize) -> String {
    let sentences = (0..).map(|at| {
        format!("Sentence {at} says \"{}\" of the {}.\n", word(at % 997), word(at * 31 % 1_009))
    });
    sentences.flat_map(|sentence| sentence.chars().collect::<Vec<_>>()).take(characters).collect()
}

/// A document of the chain of definitions, so deep.
fn chain(at: usize, depth: usize) -> Value {
    let mut document = object([(word(at), json!(at + 5))].into_iter());
    if depth > 0 {
        document.insert("list".to_owned(), json!([{word((at + 1) % 5_000): (at + 1) % 5_000}]));
        document.insert("next".to_owned(), chain((at * 7 + 1) % 5_000, depth - 1));
    }
    Value::Object(document)
}
