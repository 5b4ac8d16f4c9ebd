//! A line of English that asks for JSON, and the JSON: values that are in the line are in the document.

use serde_json::{Map, Value};

use super::draw::Draw;
use super::facts::Facts;
use super::spelling::{Case, Spacing};
use super::{TOPICS, mixture};

/// A request and what it asks for.
pub(super) struct Prompt {
    pub(super) request: String,
    pub(super) value: Value,
    spacing: Spacing,
}

impl Prompt {
    /// The document alone.
    pub(super) fn json(&self) -> String {
        self.spacing.write(&self.value)
    }

    /// Request and document on lines of their own.
    pub(super) fn text(&self) -> String {
        format!("{}\n{}", self.request, self.json())
    }
}

fn plain_request(draw: &mut Draw, subject: &str) -> String {
    match draw.int(0, 7) {
        0 => format!("Write {subject} as JSON."),
        1 => format!("Describe {subject} as JSON:"),
        2 => format!("Give me {subject} in JSON."),
        3 => format!("JSON for {subject}:"),
        4 => format!("Make up {subject} and write it as JSON."),
        5 => format!("An example of {subject} in JSON:"),
        6 => format!("Generate {subject}."),
        _ => format!("Create {subject} as a JSON object."),
    }
}

/// The keys that are asked for are those of the document.
fn with_keys(draw: &mut Draw, subject: &str, value: &Value) -> String {
    let keys: Vec<&str> = value
        .as_object()
        .map(|members| members.keys().map(String::as_str).collect())
        .unwrap_or_default();
    let listed = match keys.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => keys.join(", "),
    };
    match draw.int(0, 3) {
        0 => format!("Write {subject} as JSON with the keys {listed}."),
        1 => format!("A JSON object with {listed}:"),
        2 => format!("JSON of {subject} with {listed}:"),
        _ => format!("Give me {subject} in JSON. Keys: {}", keys.join(", ")),
    }
}

fn extraction(draw: &mut Draw, subject: &str, said: &str) -> String {
    let bare = subject.split_once(' ').map_or(subject, |(article, rest)| {
        if matches!(article, "a" | "an" | "the") { rest } else { subject }
    });
    match draw.int(0, 7) {
        0 => format!("Extract the {bare}: {said}"),
        1 => format!("Extract the {bare} from the text.\n{said}."),
        2 => format!(
            "{} {}: {said}. Write it as JSON.",
            if subject.starts_with("an ") { "An" } else { "A" },
            bare
        ),
        3 => format!("Write as JSON: {said}."),
        4 => format!("Convert to JSON: {said}"),
        5 => format!("JSON for {subject}: {said}"),
        6 => format!("Write {subject} as JSON: {said}"),
        _ => format!("{said}\nJSON:"),
    }
}

/// A sentence that says what is in the JSON.
pub(super) fn told(draw: &mut Draw) -> Prompt {
    let (case, spacing) = (Case::draw(draw), Spacing::draw(draw));
    let topic = draw.pick(TOPICS);
    let subject = draw.pick(topic.names);
    let (said, value) = topic.told(draw);
    Prompt { request: extraction(draw, subject, &said), value: case.apply(value), spacing }
}

/// A request of any form.
pub(super) fn prompt(draw: &mut Draw) -> Prompt {
    let (case, spacing) = (Case::draw(draw), Spacing::draw(draw));
    let topic = draw.pick(TOPICS);
    let subject = draw.pick(topic.names);
    let (request, value) = match draw.int(0, 9) {
        0 | 1 => {
            let request = plain_request(draw, subject);
            (request, case.apply(topic.fresh(draw)))
        }
        2 | 3 => {
            let value = case.apply(if draw.chance(70) {
                topic.fresh(draw)
            } else {
                mixture::object(draw, 1)
            });
            (with_keys(draw, subject, &value), value)
        }
        4 => {
            // A list of as many as are asked for.
            let count = draw.size(2, 4);
            let words = ["two", "three", "four"][count - 2];
            let names = if draw.chance(50) { "examples of " } else { "items, each " };
            let request = format!("Write a JSON array of {words} {names}{subject}.");
            (request, case.apply(topic.list(draw, count, count)))
        }
        5 => {
            // The object becomes a sentence: the direction of JSON to keys with chosen values.
            let facts = Facts::draw(draw);
            let chosen = topic.choose(draw, 5);
            let members: Map<String, Value> = chosen
                .into_iter()
                .map(|(name, field)| (name.to_owned(), (field.make)(draw, &facts)))
                .collect();
            let said: Vec<String> = members
                .iter()
                .filter(|(_, value)| !value.is_object() && !value.is_array())
                .map(|(name, value)| match value {
                    Value::String(text) => format!("{name}: {text}"),
                    other => format!("{name}: {other}"),
                })
                .collect();
            let separator = draw.pick(&[", ", "; ", "\n"]);
            (
                format!(
                    "Write as JSON:{}{}",
                    if separator == "\n" { "\n" } else { " " },
                    said.join(separator)
                ),
                case.apply(Value::Object(members)),
            )
        }
        _ => {
            let (said, value) = topic.told(draw);
            (extraction(draw, subject, &said), case.apply(value))
        }
    };
    Prompt { request, value, spacing }
}
