//! Arguments as a dict with bare keys and strings in quotes of their own: to the JSON that they are.

use super::elements::push_escaped;
use super::input::{BLANKS, Found, Input, Scan};
use crate::event::CallError;
use crate::reading::Reading;

/// Translates to JSON; whether that is right is left to who reads it.
#[derive(Clone, Debug, Default)]
pub(super) struct DictReader {
    /// Containers that are open: whether they are objects.
    open: Vec<bool>,
    place: Place,
    begun: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Value,
    /// A key comes next, or the end of an object.
    Key,
    /// In a key without quotes.
    Bare(String),
    /// In a string.
    String,
    /// In a string as JSON has them.
    Json { escape: bool },
}

impl DictReader {
    pub(super) fn is_complete(&self) -> bool {
        self.begun && self.open.is_empty()
    }

    /// Reads a little; `out` gets the JSON of it. `false`: there is nothing to read for now.
    pub(super) fn read(
        &mut self,
        input: &mut Input,
        reading: &Reading,
        quote: &str,
        out: &mut String,
    ) -> Result<bool, CallError> {
        if self.is_complete() || input.is_empty() {
            return Ok(false);
        }
        if self.place == Place::String {
            let scan = input.scan([quote].into_iter(), reading);
            let (Scan::Text(length) | Scan::Mark(length, _) | Scan::Control(length)) = scan;
            push_escaped(out, &input.rest()[..length]);
            input.take(length);
            return match scan {
                Scan::Text(_) => Ok(false),
                Scan::Control(_) => input.misplaced().map_or(Ok(false), Err),
                Scan::Mark(..) => {
                    input.take_mark(quote);
                    out.push('"');
                    self.place = Place::Value;
                    Ok(true)
                }
            };
        }
        if matches!(self.place, Place::Value | Place::Key) {
            match input.at_mark(quote, reading) {
                Found::Yes if self.begun => {
                    input.take_mark(quote);
                    out.push('"');
                    self.place = Place::String;
                    return Ok(true);
                }
                Found::Maybe => return Ok(false),
                _ => {}
            }
        }
        let Some(c) = input.rest().chars().next() else {
            return input.misplaced().map_or(Ok(false), Err);
        };
        if !self.begun && !BLANKS.contains(&c) && c != '{' {
            return Err(CallError::NoObject);
        }
        match &mut self.place {
            Place::Json { escape } => {
                out.push(c);
                match (*escape, c) {
                    (false, '"') => self.place = Place::Value,
                    (before, c) => *escape = !before && c == '\\',
                }
            }
            Place::Bare(key) if c == ':' => {
                out.push('"');
                push_escaped(out, key.trim_end_matches(BLANKS));
                out.push_str("\":");
                self.place = Place::Value;
            }
            Place::Bare(_) if matches!(c, '{' | '}' | '[' | ']' | ',' | '"') => {
                return Err(CallError::Expected { expected: ":".to_owned() });
            }
            Place::Bare(key) => key.push(c),
            Place::Value | Place::Key => match c {
                '"' => {
                    out.push(c);
                    self.place = Place::Json { escape: false };
                }
                '{' | '[' => {
                    out.push(c);
                    self.begun = true;
                    self.open.push(c == '{');
                    self.place = if c == '{' { Place::Key } else { Place::Value };
                }
                '}' | ']' => {
                    out.push(c);
                    self.open.pop();
                    self.place = Place::Value;
                }
                ',' => {
                    out.push(c);
                    let in_object = self.open.last() == Some(&true);
                    self.place = if in_object { Place::Key } else { Place::Value };
                }
                c if self.place == Place::Key && !BLANKS.contains(&c) => {
                    self.place = Place::Bare(c.to_string());
                }
                c => out.push(c),
            },
            Place::String => {}
        }
        input.take(c.len_utf8());
        Ok(true)
    }
}
