//! Messages in channels: each has a header that says what it is.

use std::sync::Arc;

use super::call::Call;
use super::input::Scan;
use super::{Parser, State};
use crate::event::{CallError, Event};

impl Parser {
    /// Reads the header of a message.
    pub(super) fn header(&mut self) -> bool {
        let reading = Arc::clone(&self.reading);
        let (State::Header(header), Some(channels)) = (&mut self.state, &reading.format.channels)
        else {
            return false;
        };
        let ends = channels.ends();
        let marks = [channels.message.as_str()].into_iter().chain(ends);
        let scan = self.input.scan(marks, &reading);
        let (Scan::Text(length) | Scan::Mark(length, _) | Scan::Control(length)) = scan;
        header.push_str(&self.input.rest()[..length]);
        self.input.take(length);
        match scan {
            Scan::Text(_) => false,
            // The mark of a channel or of a type, if it is a token.
            Scan::Control(_) => {
                header.extend(self.input.take_control());
                true
            }
            Scan::Mark(_, 0) => {
                self.input.take_mark(&channels.message);
                let header = std::mem::take(header);
                self.message(&header);
                true
            }
            Scan::Mark(_, number) => {
                self.input.take_mark(ends[number - 1]);
                let header = std::mem::take(header);
                if !header.contains(&channels.channel) && header.trim() != channels.role {
                    self.header_as_content(&header);
                }
                true
            }
        }
    }

    /// A message with this header begins.
    fn message(&mut self, header: &str) {
        let reading = Arc::clone(&self.reading);
        let Some(channels) = &reading.format.channels else { return };
        self.at_mark();
        let word = |behind: &str| {
            let (_, rest) = header.split_once(behind)?;
            let rest = rest.trim_start();
            let length = rest.find(|c: char| c.is_whitespace() || c == '<').unwrap_or(rest.len());
            Some(&rest[..length])
        };
        let Some(recipient) = word("to=") else {
            let is_reasoning = word(&channels.channel) == Some(&channels.reasoning);
            self.state = if is_reasoning { State::Reasoning } else { State::Content };
            return;
        };
        let text = format!("{header}{}", channels.message);
        if !reading.may_call {
            self.state = State::Content;
            return self.say_all(false, &text);
        }
        self.state = match recipient.strip_prefix(channels.recipient.as_str()) {
            Some(name) if reading.has_tool(name) => {
                State::Call(Box::new(Call::named(reading.format.call.clone(), name, text)))
            }
            name => {
                let name = name.unwrap_or(recipient).to_owned();
                let reason = CallError::UnknownTool { name };
                State::Broken { text, index: None, reason, in_section: false }
            }
        };
    }

    /// What was no header after all.
    pub(super) fn header_as_content(&mut self, header: &str) {
        let text = header.trim();
        if !text.is_empty() {
            self.events.push(Event::Content { text: text.to_owned() });
        }
    }
}
