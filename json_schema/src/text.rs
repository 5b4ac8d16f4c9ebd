//! A schema as text.

use memchr::memchr2;
use serde::Deserialize;
use serde_json::{Deserializer, Value};
use thiserror::Error;

use crate::error::SchemaError;
use crate::options::Limits;
use crate::pointer::joined;

/// Why a text is not read as a schema.
#[derive(Debug, Error)]
pub enum TextError {
    /// It is not JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// It is larger than the limits allow.
    #[error(transparent)]
    Limit(#[from] SchemaError),
}

/// Reads a document, as deep as the limits allow. One that is deeper, or that has more values or more
/// bytes of strings, is refused before anything is made of it.
///
/// # Errors
///
/// [`TextError`].
///
/// ```
/// use grammask_json_schema::{Limits, TextError, parse_schema};
///
/// let nested = |levels| format!("{}true{}", "{\"not\":".repeat(levels), "}".repeat(levels));
/// assert!(parse_schema(nested(200).as_bytes(), &Limits::default()).is_ok());
/// let error = parse_schema(nested(10_000).as_bytes(), &Limits::default()).unwrap_err();
/// assert!(matches!(error, TextError::Limit(error) if error.pointer().starts_with("/not/not")));
/// ```
pub fn parse_schema(text: &[u8], limits: &Limits) -> Result<Value, TextError> {
    let levels = checked_levels(text, limits)?;
    // The parser recurses, and so does whatever it builds the value with.
    let stack = 64 * 1024 + levels * BYTES_PER_LEVEL;
    stacker::maybe_grow(stack, stack, || {
        let mut deserializer = Deserializer::from_slice(text);
        deserializer.disable_recursion_limit();
        let value = Value::deserialize(&mut deserializer)?;
        deserializer.end()?;
        Ok(value)
    })
}

/// What the parser may need of the stack for one level, without optimisation.
const BYTES_PER_LEVEL: usize = 8 * 1024;

/// An object or list that is open, with the name or the number of what comes next in it.
enum Open<'t> {
    Object(&'t [u8]),
    List(usize),
}

/// How deep the brackets of a text nest. As far as the text is JSON it is read rightly, and no parser
/// gets further than that.
fn checked_levels(text: &[u8], limits: &Limits) -> Result<usize, SchemaError> {
    let (mut open, mut last_string) = (Vec::new(), &b"\"\""[..]);
    // A value has at most one comma before it, and one bracket that opens.
    let most = limits.values.saturating_mul(2);
    let (mut levels, mut marks, mut strings, mut at) = (0, 0, 0, 0);
    while let Some(next) = text[at..].iter().position(|&byte| IS_MARK[usize::from(byte)]) {
        let from = at + next;
        at = from + 1;
        match text[from] {
            b'"' => {
                at = string_end(text, at);
                last_string = &text[from..at];
                // As they are written, without the quotes.
                strings += last_string.len().saturating_sub(2);
                if strings > limits.strings {
                    let limit = limits.strings;
                    return Err(SchemaError::limit(place(&open), "bytes of strings", limit));
                }
            }
            b':' => {
                if let Some(Open::Object(name)) = open.last_mut() {
                    *name = last_string;
                }
            }
            b',' => {
                marks += 1;
                if let Some(Open::List(index)) = open.last_mut() {
                    *index += 1;
                }
            }
            b'{' | b'[' => {
                marks += 1;
                if open.len() > limits.depth {
                    return Err(SchemaError::limit(
                        place(&open),
                        "levels of nesting",
                        limits.depth,
                    ));
                }
                let empty = &b"\"\""[..];
                open.push(if text[from] == b'{' { Open::Object(empty) } else { Open::List(0) });
                levels = levels.max(open.len());
            }
            b'}' | b']' => {
                open.pop();
            }
            _ => {}
        }
        if marks > most {
            return Err(SchemaError::limit(place(&open), "values", limits.values));
        }
    }
    Ok(levels)
}

/// The bytes that say how a text is built; most others are blanks.
const IS_MARK: [bool; 256] = {
    let mut is_mark = [false; 256];
    let marks = b"\":,{[}]";
    let mut at = 0;
    while at < marks.len() {
        is_mark[marks[at] as usize] = true;
        at += 1;
    }
    is_mark
};

/// Where the string ends that begins before `at`.
fn string_end(text: &[u8], mut at: usize) -> usize {
    while let Some(next) = text.get(at..).and_then(|text| memchr2(b'"', b'\\', text)) {
        if text[at + next] == b'"' {
            return at + next + 1;
        }
        at += next + 2;
    }
    text.len()
}

/// The JSON Pointer of what comes next.
fn place(open: &[Open<'_>]) -> String {
    open.iter().fold(String::new(), |pointer, step| match *step {
        Open::Object(name) => {
            let name: String = serde_json::from_slice(name).unwrap_or_default();
            joined(&pointer, &name)
        }
        Open::List(index) => joined(&pointer, &index.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A string ends at the first quote that is not behind a backslash of its own.
        #[test]
        fn strings_end_at_quotes(text in r#"["\\a\n]{0,12}"#) {
            let mut is_escaped = false;
            let end = text.bytes().position(|byte| {
                let is_end = byte == b'"' && !is_escaped;
                is_escaped = byte == b'\\' && !is_escaped;
                is_end
            });
            let expected = end.map_or(text.len(), |end| end + 1);
            prop_assert_eq!(string_end(text.as_bytes(), 0), expected);
        }
    }

    #[test]
    fn limits_have_a_place() {
        let limits = Limits { depth: 3, values: 4, strings: 20, ..Limits::default() };
        let read = |text: &str| match parse_schema(text.as_bytes(), &limits) {
            Ok(value) => value.to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(read(r#"[[[ [1, "]]"] ]]]"#), r#"[[[[1,"]]"]]]]"#);
        assert_eq!(
            read(r#"{"a": [1, {"b\"/{": [[{}]]}]}"#),
            "more than 3 levels of nesting at /a/1/b\"~1{/0"
        );
        assert_eq!(read("[[], [], 1, {\"x\": [1, [2]]}]"), "more than 4 values at /3/x/1");
        assert_eq!(
            read(r#"{"name": ["four", "and much more"]}"#),
            "more than 20 bytes of strings at /name/1"
        );
        for text in ["", "\"", "\"\\", "{", "]", "[1,", "}{", ":,", "[] []", "{\"a\" 1}"] {
            assert!(matches!(parse_schema(text.as_bytes(), &limits), Err(TextError::Json(_))));
        }
    }
}
