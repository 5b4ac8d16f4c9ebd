//! One call, part by part.

use serde_json::Value;

use super::dict::DictReader;
use super::elements::ElementsReader;
use super::input::{Found, Input, blanks};
use super::object::{ObjectReader, read};
use crate::event::{CallError, Event};
use crate::format::{Arguments, Id, Part};
use crate::json_stream::JsonStream;
use crate::reading::{Reading, first_mark};
use crate::tools::is_name_byte;

/// A call that is being read.
#[derive(Clone, Debug)]
pub(super) struct Call {
    parts: Vec<Part>,
    at: usize,
    /// All of its text.
    pub(super) text: String,
    pub(super) in_section: bool,
    /// Its number, once it has begun.
    pub(super) index: Option<usize>,
    name: String,
    id: String,
    number: String,
    /// Whether its id has been said.
    is_identified: bool,
    stream: JsonStream,
    object: Option<ObjectReader>,
    elements: ElementsReader,
    dict: DictReader,
    /// What there is of the arguments before the name.
    early: String,
    arguments: Option<Value>,
}

/// How far a call was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// More input is needed.
    Wait,
    /// It has ended.
    Done,
    /// It is no call: content follows.
    Content,
}

impl Call {
    pub(super) fn new(parts: Vec<Part>, in_section: bool) -> Self {
        Self {
            parts,
            at: 0,
            text: String::new(),
            in_section,
            index: None,
            name: String::new(),
            id: String::new(),
            number: String::new(),
            is_identified: false,
            stream: JsonStream::new(),
            object: None,
            elements: ElementsReader::new(),
            dict: DictReader::default(),
            early: String::new(),
            arguments: None,
        }
    }

    /// A call whose name was read before, with the text that it was in.
    pub(super) fn named(parts: Vec<Part>, name: &str, text: String) -> Self {
        Self { name: name.to_owned(), text, ..Self::new(parts, false) }
    }

    /// Reads on, as far as there is input. `calls` is how many have begun.
    pub(super) fn read(
        &mut self,
        input: &mut Input,
        reading: &Reading,
        calls: &mut usize,
        events: &mut Vec<Event>,
    ) -> Result<Progress, CallError> {
        while let Some(part) = self.parts.get(self.at).cloned() {
            let done = match &part {
                Part::Text(_) => text(part.mark(), input, reading)?,
                Part::Name => {
                    let done = word(&mut self.name, input, |b| is_name_byte(b) || b == b'.');
                    if done && self.name.is_empty() {
                        return Err(CallError::Expected { expected: "a name".to_owned() });
                    }
                    if done && reading.format.content_name.as_ref() == Some(&self.name) {
                        return Ok(Progress::Content);
                    }
                    if done {
                        self.check_name(reading)?;
                    }
                    done
                }
                Part::Id => word(&mut self.id, input, |b| b.is_ascii_alphanumeric()),
                Part::Index => word(&mut self.number, input, |b| b.is_ascii_digit()),
                Part::Object => self.object(input, reading, calls, events)?,
                Part::Arguments => {
                    if self.index.is_none() {
                        self.check_name(reading)?;
                        self.begin(reading, calls, events);
                    }
                    self.arguments(input, reading, events)?
                }
            };
            if !done {
                return Ok(Progress::Wait);
            }
            self.at += 1;
        }
        Ok(Progress::Done)
    }

    /// The event of its end; `None`: its arguments have not ended.
    pub(super) fn end(&mut self) -> Option<Event> {
        let late = !self.is_identified && !self.id.is_empty();
        let id = late.then(|| std::mem::take(&mut self.id));
        Some(Event::CallEnd { index: self.index?, id, arguments: self.arguments.take()? })
    }

    fn check_name(&self, reading: &Reading) -> Result<(), CallError> {
        if reading.has_tool(&self.name) {
            Ok(())
        } else {
            Err(CallError::UnknownTool { name: self.name.clone() })
        }
    }

    fn begin(&mut self, reading: &Reading, calls: &mut usize, events: &mut Vec<Event>) {
        if let Some(Id::OfIndex(pattern)) = &reading.format.id {
            self.id = pattern.replace("$name", &self.name).replace("$index", &self.number);
        }
        self.is_identified = !self.id.is_empty();
        let id = self.is_identified.then(|| self.id.clone());
        events.push(Event::CallStart { index: *calls, name: self.name.clone(), id });
        self.index = Some(*calls);
        *calls += 1;
        let early = std::mem::take(&mut self.early);
        self.push(&early, events);
    }

    /// Says more of the arguments.
    fn push(&self, delta: &str, events: &mut Vec<Event>) {
        if let (Some(index), false) = (self.index, delta.is_empty()) {
            events.push(Event::Arguments { index, delta: delta.to_owned() });
        }
    }

    fn object(
        &mut self,
        input: &mut Input,
        reading: &Reading,
        calls: &mut usize,
        events: &mut Vec<Event>,
    ) -> Result<bool, CallError> {
        let Some(keys) = &reading.format.object else { return Ok(true) };
        loop {
            let mut object = self.object.take().unwrap_or_else(ObjectReader::new);
            let mut delta = String::new();
            let read = object.read(input, keys, &mut |text| delta.push_str(text));
            if self.index.is_some() {
                self.push(&delta, events);
            } else {
                self.early.push_str(&delta);
            }
            let named = object.name.clone().filter(|_| self.index.is_none());
            if let Some(id) = &object.id {
                self.id.clone_from(id);
            }
            let is_complete = object.is_complete();
            if is_complete {
                self.arguments = object.arguments.take();
            }
            self.object = Some(object);
            read?;
            if let Some(name) = named {
                self.name = name;
                self.check_name(reading)?;
                self.begin(reading, calls, events);
                continue;
            }
            return misplaced(is_complete, input);
        }
    }

    fn arguments(
        &mut self,
        input: &mut Input,
        reading: &Reading,
        events: &mut Vec<Event>,
    ) -> Result<bool, CallError> {
        if let Arguments::Json = reading.format.arguments {
            if self.stream.position() == 0 {
                input.skip_blanks();
                match input.rest().chars().next() {
                    Some('{') => {}
                    None => return misplaced(false, input),
                    Some(_) => return Err(CallError::NoObject),
                }
            }
            let mut delta = String::new();
            let mut position = self.stream.position();
            let text = &mut |text: &str| delta.push_str(text);
            let read = read(&mut self.stream, input, &mut position, text);
            self.push(&delta, events);
            self.arguments = read?;
            return misplaced(self.arguments.is_some(), input);
        }
        let mut json = String::new();
        let read = match &reading.format.arguments {
            Arguments::Elements(texts) => {
                let end = first_mark(&self.parts[self.at + 1..]).to_owned();
                let of = (reading, self.name.as_str());
                self.elements.read(input, of, texts, &end, &mut json)
            }
            Arguments::Dict(quote) => {
                return self.dict(input, reading, &quote.clone(), events);
            }
            Arguments::Json => Ok(()),
        };
        self.feed(&json, events)?;
        read?;
        misplaced(self.elements.is_complete(), input)
    }

    fn dict(
        &mut self,
        input: &mut Input,
        reading: &Reading,
        quote: &str,
        events: &mut Vec<Event>,
    ) -> Result<bool, CallError> {
        let mut json = String::new();
        loop {
            let more = self.dict.read(input, reading, quote, &mut json);
            // Each bit by itself, so that a mistake is found where it is.
            self.feed(&json, events)?;
            json.clear();
            if !more? {
                return Ok(self.dict.is_complete() && self.arguments.is_some());
            }
        }
    }

    /// Reads JSON that was translated, and says it.
    fn feed(&mut self, json: &str, events: &mut Vec<Event>) -> Result<(), CallError> {
        let before = self.stream.position();
        let read = self.stream.read(json, &mut |_, _| {});
        let bytes = (self.stream.position() - before) as usize;
        self.push(&json[..bytes], events);
        read?;
        if self.stream.is_complete() && self.arguments.is_none() {
            self.arguments = self.stream.take();
        }
        Ok(())
    }
}

/// Whether a part is read; a control token that comes before its end is a mistake.
fn misplaced(is_complete: bool, input: &Input) -> Result<bool, CallError> {
    match input.misplaced() {
        Some(error) if !is_complete => Err(error),
        _ => Ok(is_complete),
    }
}

/// Reads a mark, with blanks before it.
fn text(mark: &str, input: &mut Input, reading: &Reading) -> Result<bool, CallError> {
    if mark.is_empty() {
        return Ok(true);
    }
    input.take(blanks(input.rest()));
    match input.at_mark(mark, reading) {
        Found::No if reading.format.is_optional(mark) => Ok(true),
        Found::Yes => {
            input.take_mark(mark);
            Ok(true)
        }
        Found::Maybe => Ok(false),
        // What is cut here is not wrong.
        Found::No if input.is_last() && mark.starts_with(input.rest()) => Ok(false),
        Found::No => Err(CallError::Expected { expected: mark.to_owned() }),
    }
}

/// Reads a word of some characters, with blanks before it; whether it has ended.
fn word(word: &mut String, input: &mut Input, has: impl Fn(u8) -> bool) -> bool {
    if word.is_empty() {
        input.take(blanks(input.rest()));
    }
    let rest = input.rest();
    let length = rest.bytes().position(|byte| !has(byte)).unwrap_or(rest.len());
    let ended = length < rest.len() || input.is_cut() && !input.is_last();
    word.push_str(&rest[..length]);
    input.take(length);
    ended
}
