//! JSON as Python writes it: `json.dumps(data, ensure_ascii=False)`.

use std::fmt::Write;

use serde_json::{Number, Value};

/// The text of a value.
pub fn dumps(value: &Value) -> String {
    let mut text = String::new();
    write_value(value, &mut text);
    text
}

fn write_value(value: &Value, text: &mut String) {
    match value {
        Value::Array(items) => {
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                text.push_str(if at > 0 { ", " } else { "" });
                write_value(item, text);
            }
            text.push(']');
        }
        Value::Object(members) => {
            text.push('{');
            for (at, (name, value)) in members.iter().enumerate() {
                text.push_str(if at > 0 { ", " } else { "" });
                write_value(&Value::from(name.as_str()), text);
                text.push_str(": ");
                write_value(value, text);
            }
            text.push('}');
        }
        Value::Number(number) => text.push_str(&write_number(number)),
        // The escapes are the same.
        other => text.push_str(&other.to_string()),
    }
}

/// What has a fraction or an exponent is a float to Python; other numbers it writes as they are.
fn write_number(number: &Number) -> String {
    let digits = number.to_string();
    if digits.contains(['.', 'e', 'E']) {
        return digits.parse().map_or(digits, repr);
    }
    if digits == "-0" { "0".to_owned() } else { digits }
}

/// The shortest digits that give the same float, in positional notation from 1e-4 to below 1e16
/// (`float_repr_style` "short" of `CPython`).
fn repr(float: f64) -> String {
    if float.is_infinite() {
        return if float > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let scientific = format!("{float:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let mut text = float.to_string();
        if !text.contains('.') {
            text.push_str(".0");
        }
        return text;
    }
    let mut text = mantissa.to_owned();
    let sign = if exponent < 0 { '-' } else { '+' };
    // Writing to a string cannot fail.
    let _ = write!(text, "e{sign}{:02}", exponent.unsigned_abs());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_python_writes() {
        let text = r#"{"a":[1,-0,1.0,1E5,1e16,1.5e-5,0.0001,1e400,-0.0,123456789012345678901],"é\u001f\n":null}"#;
        let value = serde_json::from_str(text).expect("JSON");
        assert_eq!(
            dumps(&value),
            "{\"a\": [1, 0, 1.0, 100000.0, 1e+16, 1.5e-05, 0.0001, Infinity, -0.0, \
             123456789012345678901], \"é\\u001f\\n\": null}"
        );
    }
}
