//! A call that is an object with name, arguments and perhaps an id.

use serde_json::Value;

use super::input::{BLANKS, Input, blanks};
use crate::event::CallError;
use crate::format::ObjectKeys;
use crate::json_stream::{JsonError, JsonStream};

/// Reads the object member by member, in whatever order.
#[derive(Clone, Debug)]
pub(super) struct ObjectReader {
    place: Place,
    /// Bytes of the object so far.
    position: u64,
    pub(super) name: Option<String>,
    pub(super) id: Option<String>,
    pub(super) arguments: Option<Value>,
    /// Whether the arguments are a string that holds JSON, as in the API of `OpenAI`.
    is_text: bool,
}

#[derive(Clone, Debug)]
enum Place {
    Open,
    Key { stream: Box<JsonStream>, or_end: bool },
    Colon { key: String },
    Value { key: String, stream: Box<JsonStream> },
    Next,
    End,
}

impl ObjectReader {
    pub(super) fn new() -> Self {
        Self {
            place: Place::Open,
            position: 0,
            name: None,
            id: None,
            arguments: None,
            is_text: false,
        }
    }

    pub(super) fn is_complete(&self) -> bool {
        matches!(self.place, Place::End)
    }

    /// Reads on; `on_arguments` gets the text of the arguments, or of whatever stands in their place.
    pub(super) fn read(
        &mut self,
        input: &mut Input,
        keys: &ObjectKeys,
        on_arguments: &mut impl FnMut(&str),
    ) -> Result<(), CallError> {
        loop {
            let within = match &self.place {
                Place::Value { stream, .. } | Place::Key { stream, .. } => stream.position() > 0,
                _ => false,
            };
            if !within {
                let blanks = blanks(input.rest());
                self.position += blanks as u64;
                input.take(blanks);
            }
            let Some(c) = input.rest().chars().next() else { return Ok(()) };
            let unexpected =
                |expected| Err(JsonError::unexpected(c, expected, self.position).into());
            match &mut self.place {
                Place::End => return Ok(()),
                Place::Open if c == '{' => {
                    self.place = Place::Key { stream: Box::default(), or_end: true };
                }
                Place::Open => return unexpected("`{`"),
                Place::Key { or_end: true, stream } if c == '}' && stream.position() == 0 => {
                    return self.end(input, keys);
                }
                Place::Key { stream, or_end } => {
                    if stream.position() == 0 && c != '"' {
                        return unexpected(if *or_end { "a key or `}`" } else { "a key" });
                    }
                    let key = read(stream, input, &mut self.position, &mut |_| {})?;
                    if let Some(Value::String(key)) = key {
                        self.place = Place::Colon { key };
                    }
                    continue;
                }
                Place::Colon { key } if c == ':' => {
                    let key = std::mem::take(key);
                    if [&keys.name, &keys.arguments].contains(&&key) && self.has(&key, keys) {
                        return Err(CallError::Member { key });
                    }
                    self.place = Place::Value { key, stream: Box::default() };
                }
                Place::Colon { .. } => return unexpected("`:`"),
                Place::Value { key, stream } => {
                    let is_arguments = *key == keys.arguments;
                    if is_arguments && stream.position() == 0 {
                        match c {
                            '{' => {}
                            '"' => self.is_text = true,
                            _ => return Err(CallError::NoObject),
                        }
                    }
                    let mut ignore = |_: &str| {};
                    let value = if is_arguments && !self.is_text {
                        read(stream, input, &mut self.position, on_arguments)?
                    } else {
                        read(stream, input, &mut self.position, &mut ignore)?
                    };
                    let Some(value) = value else { return Ok(()) };
                    let key = std::mem::take(key);
                    self.place = Place::Next;
                    match value {
                        Value::String(text) if is_arguments => {
                            let text = text.trim_matches(BLANKS);
                            let mut stream = JsonStream::new();
                            let read = stream.push(text, |_, _| {}).ok();
                            let value = read.and_then(|()| stream.take());
                            let value = value.filter(Value::is_object);
                            self.arguments = Some(value.ok_or(CallError::NoObject)?);
                            on_arguments(text);
                        }
                        value if is_arguments => self.arguments = Some(value),
                        Value::String(name) if key == keys.name => {
                            self.name = Some(name);
                            // Whoever reads wants to know it at once.
                            return Ok(());
                        }
                        Value::String(id) if keys.id.as_ref() == Some(&key) => self.id = Some(id),
                        _ if key == keys.name || keys.id.as_ref() == Some(&key) => {
                            return Err(CallError::Member { key });
                        }
                        _ => {}
                    }
                    continue;
                }
                Place::Next => match c {
                    ',' => self.place = Place::Key { stream: Box::default(), or_end: false },
                    '}' => return self.end(input, keys),
                    _ => return unexpected("`,` or `}`"),
                },
            }
            self.position += 1;
            input.take(1);
        }
    }

    fn has(&self, key: &str, keys: &ObjectKeys) -> bool {
        if key == keys.name { self.name.is_some() } else { self.arguments.is_some() }
    }

    fn end(&mut self, input: &mut Input, keys: &ObjectKeys) -> Result<(), CallError> {
        input.take(1);
        self.place = Place::End;
        for key in [&keys.name, &keys.arguments] {
            if !self.has(key, keys) {
                return Err(CallError::Member { key: key.clone() });
            }
        }
        Ok(())
    }
}

/// Reads a value as far as there is text, and hands out the text that belongs to it, up to the first
/// mistake; the value, when it has ended.
pub(super) fn read(
    stream: &mut JsonStream,
    input: &mut Input,
    position: &mut u64,
    on_text: &mut impl FnMut(&str),
) -> Result<Option<Value>, CallError> {
    let before = stream.position();
    let read = stream.read(input.rest(), &mut |_, _| {});
    let bytes = stream.position() - before;
    if bytes > 0 {
        on_text(&input.rest()[..bytes as usize]);
    }
    input.take(bytes as usize);
    let start = *position - before;
    *position += bytes;
    read.map_err(|error| error.moved(start))?;
    if stream.is_complete() {
        return Ok(stream.take());
    }
    Ok(None)
}
