//! The output of a model to content, reasoning and calls, while it is written.

mod call;
mod channels;
mod dict;
mod elements;
mod input;
mod object;

use std::sync::Arc;

use crate::event::{CallError, Event};
use crate::format::{Format, Part};
use crate::reading::{Reading, Resync, first_mark};
use call::{Call, Progress};
use input::{Found, Input, Scan, blanks};

/// Reads the output of a model piece by piece, each byte once, and says what is in it as soon as it
/// is known.
///
/// Text that may be the begin of a mark waits until that is known, which takes no more than the
/// longest mark. Line ends next to a mark belong to the format. All else is said at once. What is
/// said does not depend on the pieces, but for where text and arguments are cut.
///
/// Blanks around the parts of a call may be others than the format has; everything else is as the
/// format says, or the call is an [`Event::Error`] with its text, behind which reading goes on. What
/// is between the brackets of arguments is JSON whatever marks are in its strings.
///
/// ```
/// use grammask_agents::{Event, Format, Parser};
///
/// let mut parser = Parser::new(Format::named("mistral").expect("a known format"), |_| false);
/// let mut events = parser.push_text("Let me see.[TOOL_CA");
/// events.extend(parser.push_text("LLS]now[ARGS]{\"zone\": \"U"));
/// assert_eq!(events, [
///     Event::Content { text: "Let me see.".into() },
///     Event::CallStart { index: 0, name: "now".into(), id: None },
///     Event::Arguments { index: 0, delta: "{\"zone\": \"U".into() },
/// ]);
/// ```
#[derive(Clone, Debug)]
pub struct Parser {
    reading: Arc<Reading>,
    input: Input,
    state: State,
    /// How many calls have begun.
    calls: usize,
    /// Line ends that belong to the text unless a mark follows.
    line_ends: usize,
    /// Whether what was read last is a mark.
    behind_mark: bool,
    events: Vec<Event>,
}

#[derive(Clone, Debug)]
enum State {
    /// Where the output begins, if there are calls only there: how many blanks came so far.
    Start {
        blanks: usize,
    },
    /// Where an output begins that begins within reasoning.
    Opening,
    Content,
    Reasoning,
    Call(Box<Call>),
    /// Behind a call in a section.
    Between,
    /// Before a message in a channel: what was read of its header.
    Header(String),
    /// In a malformed call.
    Broken {
        text: String,
        index: Option<usize>,
        reason: CallError,
        in_section: bool,
    },
}

impl Parser {
    /// A parser for a format where any tool may be called. `is_control` says which texts are control
    /// tokens of the vocabulary: no text is one of these. With tools, a parser comes from their
    /// [`Plan`](crate::Plan).
    pub fn new(format: &Arc<Format>, is_control: impl Fn(&str) -> bool) -> Self {
        Self::of(Arc::new(Reading::new(format, None, &is_control)))
    }

    pub(crate) fn of(reading: Arc<Reading>) -> Self {
        let format = &reading.format;
        let state = match &format.channels {
            Some(_) => State::Header(String::new()),
            None if format.only_at_start && reading.may_call => State::Start { blanks: 0 },
            // What the prompt has is no content.
            None if !format.begins_with.is_empty() && !reading.may_call => {
                State::Call(Box::new(Call::new(format.call[1..].to_vec(), false)))
            }
            None => State::Content,
        };
        let mut input = Input::default();
        if reading.may_call {
            input.push(&format.begins_with);
        }
        Self {
            reading,
            input,
            state,
            calls: 0,
            line_ends: 0,
            behind_mark: false,
            events: Vec::new(),
        }
    }

    /// The same for an output that begins within reasoning, as the prompts of some models end with
    /// its mark. The mark may come all the same.
    ///
    /// ```
    /// use grammask_agents::{Event, Format, Parser};
    ///
    /// let parser = Parser::new(Format::named("deepseek-r1").expect("a known format"), |_| false);
    /// let events = parser.in_reasoning().push_text("Hm.</think>Yes.");
    /// assert_eq!(events[0], Event::Reasoning { text: "Hm.".into() });
    /// assert_eq!(events[1], Event::Content { text: "Yes.".into() });
    /// ```
    #[must_use]
    pub fn in_reasoning(mut self) -> Self {
        if self.reading.format.reasoning.is_some() {
            self.state = State::Opening;
            self.behind_mark = true;
        }
        self
    }

    /// Reads text.
    pub fn push_text(&mut self, text: &str) -> Vec<Event> {
        self.input.push(text);
        self.run();
        std::mem::take(&mut self.events)
    }

    /// Reads a control token, given its text. One that is no part of the format is left out of content
    /// and reasoning, and is an error in a call.
    pub fn push_control(&mut self, token: &str) -> Vec<Event> {
        if self.reading.is_text(token) {
            return self.push_text(token);
        }
        self.input.push_control(token);
        self.run();
        std::mem::take(&mut self.events)
    }

    /// The output has ended. A call whose arguments have ended is one, although its last mark is not
    /// there: that may be the token that ended the output.
    pub fn finish(mut self) -> Vec<Event> {
        self.input.end();
        self.run();
        self.settle_line_ends();
        match std::mem::replace(&mut self.state, State::Content) {
            State::Call(call) if !self.reading.may_call => self.say_all(false, &call.text),
            State::Call(mut call) => match call.end() {
                Some(end) => self.events.push(end),
                // The mark of a call that the prompt has is none.
                None if call.text == self.reading.format.begins_with => {}
                None => {
                    let (text, index) = (call.text, call.index);
                    self.events.push(Event::Error { index, text, reason: CallError::Unfinished });
                }
            },
            State::Broken { text, index, reason, .. } => {
                self.events.push(Event::Error { index, text, reason });
            }
            State::Header(header) => self.header_as_content(&header),
            State::Start { .. }
            | State::Opening
            | State::Content
            | State::Reasoning
            | State::Between => {}
        }
        self.events
    }

    /// Reads as far as it goes.
    fn run(&mut self) {
        while self.step() {}
        self.input.forget();
    }

    /// Reads a little; `false`: more input is needed.
    fn step(&mut self) -> bool {
        if self.input.is_empty() && !self.input.is_last() {
            return false;
        }
        match &mut self.state {
            State::Start { .. } => self.start(),
            State::Opening => self.opening(),
            State::Content => self.text(false),
            State::Reasoning => self.text(true),
            State::Call(_) => self.call(),
            State::Between => self.between(),
            State::Header(_) => self.header(),
            State::Broken { .. } => self.broken(),
        }
    }

    /// Line ends, and perhaps the begin of reasoning.
    fn opening(&mut self) -> bool {
        let reading = Arc::clone(&self.reading);
        let rest = self.input.rest();
        self.input.take(rest.len() - rest.trim_start_matches('\n').len());
        let mark = reading.format.reasoning.as_ref().map_or("", |(start, _)| start.as_str());
        match self.input.at_mark(mark, &reading) {
            Found::Maybe => return false,
            Found::Yes => self.input.take_mark(mark),
            Found::No => {}
        }
        self.state = State::Reasoning;
        true
    }

    fn start(&mut self) -> bool {
        let reading = Arc::clone(&self.reading);
        let State::Start { blanks: skipped } = &mut self.state else { return false };
        *skipped += blanks(&self.input.rest()[*skipped..]);
        let skipped = *skipped;
        let lead = reading.format.lead.as_deref();
        let think = reading.format.reasoning.as_ref().map(|(start, _)| start.as_str());
        let separator = Some(first_mark(&reading.format.separator));
        let separator = separator.filter(|mark| self.calls > 0 && !mark.is_empty());
        let marks = lead.into_iter().chain(think).chain(separator);
        let openers = reading.openers.iter().map(|opener| opener.mark.as_str());
        let mut may_come = false;
        for mark in marks.chain(openers) {
            match self.input.at_mark_behind(skipped, mark, &reading) {
                Found::No => continue,
                Found::Maybe => {
                    may_come = true;
                    continue;
                }
                Found::Yes => {}
            }
            self.input.take(skipped);
            if let Some(opener) = reading.openers.iter().find(|opener| opener.mark == mark) {
                self.begin_call(opener.parts.clone(), opener.in_section);
                return true;
            }
            if Some(mark) == separator {
                let parts = [&reading.format.separator[..], &reading.format.call].concat();
                self.begin_call(parts, false);
                return true;
            }
            self.input.take_mark(mark);
            if Some(mark) == think {
                self.at_mark();
                self.state = State::Reasoning;
            }
            return true;
        }
        if may_come {
            return false;
        }
        self.state = State::Content;
        true
    }

    /// Content or reasoning.
    fn text(&mut self, is_reasoning: bool) -> bool {
        let reading = Arc::clone(&self.reading);
        let end = reading.format.reasoning.as_ref().map(|(_, end)| end.as_str());
        let scan = match (&reading.format.channels, end) {
            (None, Some(end)) if is_reasoning => self.input.scan([end].into_iter(), &reading),
            _ => self.input.scan(reading.content_ends.iter().map(String::as_str), &reading),
        };
        let (Scan::Text(length) | Scan::Mark(length, _) | Scan::Control(length)) = scan;
        self.say(is_reasoning, length);
        let number = match scan {
            Scan::Text(_) => return false,
            Scan::Control(_) => {
                // A mark that has no place here is text.
                let token = self.input.take_control();
                if let Some(token) = token.filter(|token| reading.tokens.contains(token)) {
                    self.say_all(is_reasoning, &token);
                }
                return true;
            }
            Scan::Mark(_, number) => number,
        };
        let content_ends = &reading.content_ends;
        if !is_reasoning && reading.tails.contains(&content_ends[number]) {
            let tail = &content_ends[number];
            self.input.take_mark(tail);
            // It ends calls, or it is text.
            if !self.behind_mark {
                self.say_all(false, tail);
            }
            return true;
        }
        if reading.format.channels.is_some() {
            self.at_mark();
            self.input.take_mark(&content_ends[number]);
            self.state = State::Header(String::new());
        } else if is_reasoning {
            self.at_mark();
            self.input.take_mark(end.unwrap_or_default());
            let only_at_start = reading.format.only_at_start && self.calls == 0;
            self.state = if only_at_start { State::Start { blanks: 0 } } else { State::Content };
        } else if let Some(opener) = number
            .checked_sub(usize::from(reading.format.reasoning.is_some()))
            .and_then(|number| reading.openers.get(number))
        {
            self.begin_call(opener.parts.clone(), opener.in_section);
        } else {
            self.at_mark();
            self.input.take_mark(&content_ends[number]);
            self.state = State::Reasoning;
        }
        true
    }

    /// Says so much of the input.
    fn say(&mut self, is_reasoning: bool, length: usize) {
        let mut text = &self.input.rest()[..length];
        if self.behind_mark {
            text = text.trim_start_matches('\n');
        }
        if !text.is_empty() {
            self.behind_mark = false;
            let said = text.trim_end_matches('\n');
            if !said.is_empty() {
                let text = "\n".repeat(self.line_ends) + said;
                self.line_ends = 0;
                self.events.push(if is_reasoning {
                    Event::Reasoning { text }
                } else {
                    Event::Content { text }
                });
            }
            self.line_ends += text.len() - said.len();
        }
        self.input.take(length);
    }

    /// Says a text that might have been something else.
    fn say_all(&mut self, is_reasoning: bool, text: &str) {
        let text = "\n".repeat(std::mem::take(&mut self.line_ends)) + text;
        if !text.is_empty() {
            let event =
                if is_reasoning { Event::Reasoning { text } } else { Event::Content { text } };
            self.events.push(event);
            self.behind_mark = false;
        }
    }

    /// Line ends next to a mark belong to the format.
    fn at_mark(&mut self) {
        self.line_ends = 0;
        self.behind_mark = true;
    }

    /// No mark follows: line ends are text.
    fn settle_line_ends(&mut self) {
        if self.line_ends > 0 {
            let text = "\n".repeat(std::mem::take(&mut self.line_ends));
            match self.state {
                State::Content | State::Start { .. } => self.events.push(Event::Content { text }),
                State::Reasoning => self.events.push(Event::Reasoning { text }),
                _ => {}
            }
        }
    }

    fn begin_call(&mut self, parts: Vec<Part>, in_section: bool) {
        if self.reading.may_call {
            self.at_mark();
        }
        self.state = State::Call(Box::new(Call::new(parts, in_section)));
    }

    fn call(&mut self) -> bool {
        let State::Call(call) = &mut self.state else { return false };
        let before = self.input.place();
        let read = call.read(&mut self.input, &self.reading, &mut self.calls, &mut self.events);
        call.text.push_str(&self.input.since(before));
        match read {
            Ok(Progress::Wait) => false,
            Ok(Progress::Content) => {
                self.at_mark();
                self.state = State::Content;
                true
            }
            // Where nothing may be called this is content.
            Err(_) if !self.reading.may_call => {
                let text = std::mem::take(&mut call.text);
                self.state = State::Content;
                self.say_all(false, &text);
                true
            }
            Ok(Progress::Done) => {
                let in_section = call.in_section;
                self.events.extend(call.end());
                self.state = self.behind_call(in_section);
                true
            }
            Err(reason) => {
                let (text, index) = (std::mem::take(&mut call.text), call.index);
                let in_section = call.in_section;
                self.state = State::Broken { text, index, reason, in_section };
                true
            }
        }
    }

    /// Where reading goes on behind a call.
    fn behind_call(&mut self, in_section: bool) -> State {
        self.behind_mark = true;
        if self.reading.format.channels.is_some() {
            State::Header(String::new())
        } else if in_section {
            State::Between
        } else if self.reading.format.only_at_start {
            // Some models write several, although the format has one.
            State::Start { blanks: 0 }
        } else {
            State::Content
        }
    }

    fn between(&mut self) -> bool {
        let reading = Arc::clone(&self.reading);
        self.input.skip_blanks();
        if self.input.rest().is_empty() && self.input.is_last() {
            return false;
        }
        let format = &reading.format;
        let close = format.section.as_ref().map_or("", |section| first_mark(&section.close));
        let separator = first_mark(&format.separator);
        let call = first_mark(&format.call);
        let mut may_come = false;
        for mark in [close, separator, call].into_iter().filter(|mark| !mark.is_empty()) {
            match self.input.at_mark(mark, &reading) {
                Found::No => {}
                Found::Maybe => may_come = true,
                Found::Yes if mark == close => {
                    self.input.take_mark(close);
                    self.at_mark();
                    self.state = State::Content;
                    return true;
                }
                Found::Yes => {
                    let separator = if mark == call { &[][..] } else { &format.separator };
                    self.begin_call([separator, &format.call].concat(), true);
                    return true;
                }
            }
        }
        if may_come {
            return false;
        }
        if self.input.rest().is_empty() {
            // A control token that has no place here.
            return self.input.take_control().is_some();
        }
        let reason = CallError::Expected { expected: close.to_owned() };
        self.state = State::Broken { text: String::new(), index: None, reason, in_section: true };
        true
    }

    fn broken(&mut self) -> bool {
        let reading = Arc::clone(&self.reading);
        let State::Broken { text, index, reason, in_section } = &mut self.state else {
            return false;
        };
        let marks = reading.resync.iter().map(|(mark, _)| mark.as_str());
        let scan = self.input.scan(marks, &reading);
        let (Scan::Text(length) | Scan::Mark(length, _) | Scan::Control(length)) = scan;
        text.push_str(&self.input.rest()[..length]);
        self.input.take(length);
        let number = match scan {
            Scan::Text(_) => return false,
            Scan::Control(_) => {
                text.extend(self.input.take_control());
                return true;
            }
            Scan::Mark(_, number) => number,
        };
        let (mark, what) = &reading.resync[number];
        let mut text = std::mem::take(text);
        if *what == Resync::End {
            text.push_str(mark);
            self.input.take_mark(mark);
        }
        self.events.push(Event::Error { index: *index, text, reason: reason.clone() });
        let in_section = *in_section && *what != Resync::Begin;
        self.state = self.behind_call(in_section);
        true
    }
}
