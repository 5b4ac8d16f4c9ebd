//! The JSON stream against `serde_json`: the same values in whatever pieces, and a closed document
//! that only grows.

use std::fmt::Write as _;

use grammask_agents::{JsonErrorKind, JsonStream};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value};

/// The values of a document with their pointers, members before their object.
fn values(pointer: &str, value: &Value, all: &mut Vec<(String, Value)>) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                values(&format!("{pointer}/{index}"), item, all);
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                let key = key.replace('~', "~0").replace('/', "~1");
                values(&format!("{pointer}/{key}"), member, all);
            }
        }
        _ => {}
    }
    all.push((pointer.to_owned(), value.clone()));
}

/// Whether one document can have become the other by reading on.
fn grows(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Array(before), Value::Array(after)) => {
            let closed = before.len().saturating_sub(1);
            before.len() <= after.len()
                && before[..closed] == after[..closed]
                && before[closed..].iter().zip(&after[closed..]).all(|(a, b)| grows(a, b))
        }
        (Value::Object(before), Value::Object(after)) => {
            before.iter().enumerate().all(|(at, (key, a))| {
                after
                    .get(key)
                    .is_some_and(|b| if at + 1 < before.len() { a == b } else { grows(a, b) })
            })
        }
        (Value::String(before), Value::String(after)) => after.starts_with(before.as_str()),
        (Value::Number(before), Value::Number(after)) => {
            after.to_string().starts_with(&before.to_string())
        }
        _ => before == after,
    }
}

/// Documents whose numbers are as they are written.
fn document() -> impl Strategy<Value = Value> {
    let number = "(-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,3})?(e[+-]?[0-9]{1,2})?)"
        .prop_map(|text| serde_json::from_str(&text).unwrap());
    let string = prop_oneof![any::<String>(), "[a\"\\\\/~\u{1f600}\n]{0,8}"];
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number,
        string.clone().prop_map(Value::String),
    ];
    scalar.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::Array),
            vec((string.clone(), inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// A text with some of its characters as escapes.
fn escaped(text: &str, which: &[bool]) -> String {
    let mut escaped = String::new();
    let mut inside = false;
    let mut after_backslash = false;
    for (at, c) in text.chars().enumerate() {
        let is_end = c == '"' && !after_backslash;
        let is_plain = inside && !after_backslash && c != '\\' && !is_end;
        after_backslash = c == '\\' && !after_backslash;
        inside ^= is_end;
        if is_plain && !which.is_empty() && which[at % which.len()] {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(escaped, "\\u{unit:04X}").unwrap();
            }
        } else {
            escaped.push(c);
        }
    }
    escaped
}

fn cuts(length: usize, cuts: &[usize]) -> Vec<usize> {
    let mut cuts: Vec<usize> = cuts.iter().map(|at| at % (length + 1)).collect();
    cuts.extend([0, length]);
    cuts.sort_unstable();
    cuts
}

proptest! {
    #[test]
    fn any_pieces_give_the_same_values(
        value in document(),
        pretty in any::<bool>(),
        which in vec(any::<bool>(), 0..9),
        at in vec(any::<usize>(), 0..12),
    ) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        let text = escaped(&text.unwrap(), &which);
        let expected: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&expected, &value);
        let mut all = Vec::new();
        values("", &expected, &mut all);

        let mut stream = JsonStream::new();
        let mut found = Vec::new();
        let mut on_value = |pointer: &str, value: &Value| found.push((pointer.to_owned(), value.clone()));
        let mut before: Option<Value> = None;
        for pair in cuts(text.len(), &at).windows(2) {
            stream.push(&text.as_bytes()[pair[0]..pair[1]], &mut on_value).unwrap();
            let now = stream.closed().cloned();
            if let Some(before) = &before {
                let now = now.as_ref().unwrap();
                prop_assert!(grows(before, now), "{before} became {now}");
            }
            // It can be asked for again.
            prop_assert_eq!(stream.closed(), now.as_ref());
            before = now;
        }
        // A literal at the root or one number may be all there is.
        prop_assert_eq!(before.as_ref(), Some(&expected));
        prop_assert_eq!(stream.finish(&mut on_value).unwrap(), expected);
        prop_assert_eq!(found, all);
    }

    #[test]
    fn verdicts_are_those_of_serde_json(
        text in "[\\[\\]{},:\"a0-9.eE+tfnulrs \\\\-]{0,12}|(\\[|\\{\"a\":)?(tru|nul|-|0|1\\.|1e|\"\\\\u(D83D|DC00|d83d\\\\ude00|00))[0-9a-z\\]}\"]{0,6}",
        at in vec(any::<usize>(), 0..4),
    ) {
        let expected = serde_json::from_str::<Value>(&text);
        let mut stream = JsonStream::new();
        let mut failed = None;
        for pair in cuts(text.len(), &at).windows(2) {
            if let Err(error) = stream.push(&text[pair[0]..pair[1]], |_, _| {}) {
                failed = Some(error);
            }
            // Whatever was read, it can be closed.
            stream.closed();
        }
        match (failed, stream.finish(|_, _| {}), expected) {
            (None, Ok(value), Ok(expected)) => prop_assert_eq!(value, expected),
            (Some(error), Err(again), Err(_)) => prop_assert_eq!(error, again),
            (None, Err(_), Err(_)) => {}
            (failed, got, expected) => prop_assert!(false, "{text:?}: {failed:?} {got:?}, serde_json: {expected:?}"),
        }
    }
}

#[test]
fn equal_keys_are_restored() {
    let mut stream = JsonStream::new();
    for (piece, closed) in [
        (r#"{"a": [1], "b": 2, "a"#, r#"{"a": [1], "b": 2}"#),
        (r#"": [3"#, r#"{"a": [3], "b": 2}"#),
        (", 4", r#"{"a": [3, 4], "b": 2}"#),
        ("]}", r#"{"a": [3, 4], "b": 2}"#),
    ] {
        stream.push(piece, |_, _| {}).unwrap();
        let expected: Value = serde_json::from_str(closed).unwrap();
        assert_eq!(stream.closed().unwrap().to_string(), expected.to_string());
    }
}

#[test]
fn places_of_mistakes() {
    for (text, position, expected) in [
        ("[1,]", 3, "a value"),
        ("{\"a\" 1}", 5, "`:`"),
        ("[1 2]", 3, "`,` or `]`"),
        ("{\"a\": 1,}", 8, "a key"),
        ("truth", 3, "true"),
        ("\"\u{1}\"", 1, "a character of a string"),
        ("[] x", 3, "the end of the text"),
        ("01", 1, "the end of the text"),
    ] {
        let error = JsonStream::new().push(text, |_, _| {}).unwrap_err();
        let JsonErrorKind::Unexpected { expected: found, .. } = error.kind() else {
            panic!("{text}: {error}")
        };
        assert_eq!((error.position(), *found), (position, expected), "{text}");
    }
}
