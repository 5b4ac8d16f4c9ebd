//! Texts that say the same again: words and numbers that no list has, so that only looking back tells how they go on.

use serde_json::{Map, Value, json};

use super::draw::Draw;
use super::spelling::Spacing;

/// A word that can be spoken and means nothing, or a number.
fn item(draw: &mut Draw) -> String {
    if draw.chance(25) {
        let digits = draw.size(1, 5);
        return draw.digits(digits);
    }
    let syllables = draw.size(1, 3);
    let mut word: String = (0..syllables)
        .map(|_| draw.characters("bdfgklmnprstvwz", 1) + &draw.characters("aeiou", 1))
        .collect();
    if draw.chance(40) {
        word += draw.pick(&["n", "r", "s", "l", "t", "m"]);
    }
    if draw.chance(35) { word[..1].to_uppercase() + &word[1..] } else { word }
}

fn items(draw: &mut Draw, low: usize, high: usize) -> Vec<String> {
    let count = draw.size(low, high);
    (0..count).map(|_| item(draw)).collect()
}

/// Members with made-up keys and values.
fn members(draw: &mut Draw) -> Map<String, Value> {
    items(draw, 2, 6)
        .into_iter()
        .map(|key| {
            let count = draw.size(1, 2);
            let value = items(draw, count, count).join(" ");
            let number = value.parse::<u32>().ok().filter(|number| number.to_string() == value);
            (key, number.map_or_else(|| json!(value), |number| json!(number)))
        })
        .collect()
}

/// A text of which the second half is known from the first.
pub(super) fn text(draw: &mut Draw) -> String {
    let spacing = Spacing::draw(draw);
    match draw.int(0, 4) {
        0 => {
            let line = items(draw, 3, 14).join(" ");
            format!("Repeat: {line}\n{line}")
        }
        1 => {
            let separator = draw.pick(&[", ", "\n", "; ", " "]);
            let line = items(draw, 3, 10).join(separator);
            format!("{line}\n\n{line}\n\n{line}")
        }
        2 => {
            let list = items(draw, 2, 10);
            format!("Write as a JSON array: {}\n{}", list.join(", "), spacing.write(&json!(list)))
        }
        _ => {
            let members = members(draw);
            let said: Vec<String> = members
                .iter()
                .map(|(key, value)| {
                    format!(
                        "{key}: {}",
                        value.as_str().map_or_else(|| value.to_string(), str::to_owned)
                    )
                })
                .collect();
            let json = spacing.write(&Value::Object(members));
            format!("Write as JSON: {}\n{json}", said.join(", "))
        }
    }
}
