//! Arguments as elements: to the JSON that they are.

use grammask_json_schema::ElementValue;
use serde_json::Value;

use super::input::{Found, Input, Scan};
use crate::event::CallError;
use crate::format::ElementTexts;
use crate::json_stream::JsonStream;
use crate::reading::Reading;

/// Reads element by element. What comes out is the JSON text of an object.
#[derive(Clone, Debug)]
pub(super) struct ElementsReader {
    place: Place,
    members: usize,
    key: String,
}

#[derive(Clone, Debug)]
enum Place {
    Between,
    Key,
    /// Behind the key.
    Begin,
    /// In a string that is written as it comes. Line ends wait: the last one may belong to the format.
    Text {
        held: String,
    },
    /// In a value that is known only when it has ended.
    Value {
        text: String,
        kind: Kind,
        inside: Inside,
    },
    End,
}

/// What a value may be that is not written as it comes.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// A literal, as long as it may be one; else a string.
    Literal {
        null: bool,
        booleans: [bool; 2],
    },
    Json {
        or_string: bool,
    },
}

/// Where in JSON: no mark ends a value within a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    Plain,
    String,
    Escape,
}

impl Inside {
    fn after(self, c: char) -> Self {
        match (self, c) {
            // No string of JSON has a line end, nor has an escape: it is none.
            (_, '\n') | (Self::String, '"') => Self::Plain,
            (Self::Plain, '"') | (Self::Escape, _) => Self::String,
            (Self::Plain, _) => Self::Plain,
            (Self::String, '\\') => Self::Escape,
            (Self::String, _) => Self::String,
        }
    }
}

impl ElementsReader {
    pub(super) fn new() -> Self {
        Self { place: Place::Between, members: 0, key: String::new() }
    }

    pub(super) fn is_complete(&self) -> bool {
        matches!(self.place, Place::End)
    }

    /// Reads on, up to `end`, which stays; `out` gets the JSON.
    pub(super) fn read(
        &mut self,
        input: &mut Input,
        (reading, tool): (&Reading, &str),
        texts: &ElementTexts,
        end: &str,
        out: &mut String,
    ) -> Result<(), CallError> {
        loop {
            match &mut self.place {
                Place::End => return Ok(()),
                Place::Between => {
                    input.skip_blanks();
                    let open = texts.open.as_str();
                    match (input.at_mark(open, reading), input.at_mark(end, reading)) {
                        (Found::Yes, _) => {
                            input.take_mark(open);
                            self.key.clear();
                            self.place = Place::Key;
                        }
                        (_, Found::Yes) => {
                            out.push_str(if self.members == 0 { "{}" } else { "}" });
                            self.place = Place::End;
                        }
                        (Found::No, Found::No) => {
                            return Err(CallError::Expected { expected: end.to_owned() });
                        }
                        _ => return Ok(()),
                    }
                }
                Place::Key => {
                    match input.scan([texts.after_key.as_str(), "\n"].into_iter(), reading) {
                        Scan::Mark(length, 0) => {
                            self.key.push_str(&input.rest()[..length]);
                            input.take(length);
                            input.take_mark(&texts.after_key);
                            out.push_str(if self.members == 0 { "{" } else { ", " });
                            self.members += 1;
                            push_json(out, &self.key);
                            out.push_str(": ");
                            self.place = Place::Begin;
                        }
                        Scan::Text(length) => {
                            self.key.push_str(&input.rest()[..length]);
                            input.take(length);
                            return Ok(());
                        }
                        Scan::Control(length) => {
                            input.take(length);
                            return Ok(());
                        }
                        Scan::Mark(length, _) => {
                            input.take(length);
                            return Err(CallError::Expected { expected: texts.after_key.clone() });
                        }
                    }
                }
                Place::Begin => {
                    let (text, json) = (texts.before_text.trim(), texts.before_json.trim());
                    if text == json {
                        // At most one line end belongs to the format.
                        match input.rest().chars().next() {
                            Some('\n') if texts.before_text == "\n" => input.take(1),
                            None if !input.is_cut() => return Ok(()),
                            _ => {}
                        }
                        self.begin_value(reading.element(tool, &self.key), out);
                        continue;
                    }
                    input.skip_blanks();
                    match (input.at_mark(text, reading), input.at_mark(json, reading)) {
                        (Found::Yes, _) => {
                            input.take_mark(text);
                            self.begin_value(ElementValue::Text, out);
                        }
                        (_, Found::Yes) => {
                            input.take_mark(json);
                            self.begin_value(ElementValue::Json { or_string: false }, out);
                        }
                        (Found::No, Found::No) => {
                            return Err(CallError::Expected { expected: text.to_owned() });
                        }
                        _ => return Ok(()),
                    }
                }
                Place::Text { held } => {
                    let scan = input.scan([texts.stop.as_str()].into_iter(), reading);
                    let (Scan::Text(length) | Scan::Mark(length, _) | Scan::Control(length)) = scan;
                    let text = &input.rest()[..length];
                    let plain = text.trim_end_matches('\n').len();
                    if plain > 0 {
                        push_escaped(out, held);
                        held.clear();
                        push_escaped(out, &text[..plain]);
                    }
                    held.push_str(&text[plain..]);
                    input.take(length);
                    match scan {
                        Scan::Text(_) | Scan::Control(_) => return Ok(()),
                        Scan::Mark(..) => {
                            let before = texts.before_stop();
                            push_escaped(out, without(held, before));
                            out.push('"');
                            input.take_mark(&texts.stop);
                            self.place = Place::Between;
                        }
                    }
                }
                Place::Value { text, kind, inside } => {
                    if !value_text(input, reading, texts, text, inside) {
                        // A text that is no literal any more can be written as it comes.
                        if let Kind::Literal { .. } = kind
                            && !["null", "true", "false"]
                                .iter()
                                .any(|one| one.starts_with(without(text, texts.before_stop())))
                        {
                            out.push('"');
                            let plain = text.trim_end_matches('\n').len();
                            push_escaped(out, &text[..plain]);
                            self.place = Place::Text { held: text[plain..].to_owned() };
                        }
                        return Ok(());
                    }
                    let value = without(text, texts.before_stop());
                    match *kind {
                        Kind::Literal { null, booleans: [f, t] } => {
                            let is_literal = match value {
                                "null" => null,
                                "false" => f,
                                "true" => t,
                                _ => false,
                            };
                            if is_literal { out.push_str(value) } else { push_json(out, value) }
                        }
                        Kind::Json { or_string } => {
                            let mut stream = JsonStream::new();
                            let pushed = stream.push(value, |_, _| {});
                            if pushed.is_ok() && stream.finish(|_, _| {}).is_ok() {
                                out.push_str(value.trim());
                            } else if or_string {
                                push_json(out, value);
                            } else if let Some((_, json)) =
                                texts.literals.iter().find(|(written, _)| written == value.trim())
                            {
                                out.push_str(json);
                            } else {
                                return Err(CallError::Argument { key: self.key.clone() });
                            }
                        }
                    }
                    self.place = Place::Between;
                }
            }
        }
    }

    fn begin_value(&mut self, value: ElementValue, out: &mut String) {
        let kind = match value {
            ElementValue::Text => {
                out.push('"');
                self.place = Place::Text { held: String::new() };
                return;
            }
            ElementValue::TextOr { null, booleans } => Kind::Literal { null, booleans },
            ElementValue::Json { or_string } => Kind::Json { or_string },
        };
        self.place = Place::Value { text: String::new(), kind, inside: Inside::Plain };
    }
}

/// Reads the text of a value that is not written as it comes; whether it has ended.
fn value_text(
    input: &mut Input,
    reading: &Reading,
    texts: &ElementTexts,
    text: &mut String,
    inside: &mut Inside,
) -> bool {
    let stop = texts.stop.as_str();
    let mut taken = 0;
    let ended = loop {
        let rest = &input.rest()[taken..];
        let Some(c) = rest.chars().next() else {
            break input.at_mark_behind(taken, stop, reading);
        };
        if *inside == Inside::Plain && stop.starts_with(c) {
            match input.at_mark_behind(taken, stop, reading) {
                Found::No => {}
                found => break found,
            }
        }
        *inside = inside.after(c);
        taken += c.len_utf8();
    };
    text.push_str(&input.rest()[..taken]);
    input.take(taken);
    match ended {
        Found::Yes => {
            input.take_mark(stop);
            true
        }
        // More will come, or a control token that has no place here.
        Found::Maybe | Found::No => false,
    }
}

/// A text without this end, if it has it.
fn without<'t>(text: &'t str, end: &str) -> &'t str {
    text.strip_suffix(end).unwrap_or(text)
}

/// Adds a string as JSON.
fn push_json(out: &mut String, text: &str) {
    out.push_str(&Value::from(text).to_string());
}

/// Adds a part of a string as JSON.
pub(super) fn push_escaped(out: &mut String, text: &str) {
    if text.is_empty() {
        return;
    }
    let quoted = Value::from(text).to_string();
    out.push_str(&quoted[1..quoted.len() - 1]);
}
