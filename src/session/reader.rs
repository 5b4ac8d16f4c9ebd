//! What tokens say.

use grammask_agents::{Event, Parser, Pieces};
use grammask_sampler::{TokenId, Vocabulary};

/// Reads tokens as they come.
#[derive(Clone, Debug, Default)]
pub(super) struct Reader {
    /// Before the first token; nothing if all is content.
    start: Option<Parser>,
    parser: Option<Parser>,
    pieces: Pieces,
    /// How many tokens have been read.
    read: usize,
    /// The end has been read.
    ended: bool,
}

impl Reader {
    pub(super) fn new(parser: Parser) -> Self {
        Self { start: Some(parser.clone()), parser: Some(parser), ..Self::default() }
    }

    /// The events of the tokens that are new.
    pub(super) fn read(&mut self, tokens: &[TokenId], vocabulary: &Vocabulary) -> Vec<Event> {
        let mut events = Vec::new();
        for &token in &tokens[self.read..] {
            if self.ended {
                break;
            }
            let bytes = vocabulary.bytes(token).unwrap_or_default();
            let mut text = String::new();
            if vocabulary.is_eog(token) {
                self.finish(&mut events);
            } else if vocabulary.is_control(token) {
                self.pieces.finish(&mut text);
                self.push(text, &mut events);
                if let Some(parser) = &mut self.parser {
                    events.extend(parser.push_control(&String::from_utf8_lossy(bytes)));
                }
            } else {
                self.pieces.push(bytes, &mut text);
                self.push(text, &mut events);
            }
        }
        self.read = tokens.len();
        events
    }

    fn push(&mut self, text: String, events: &mut Vec<Event>) {
        match (&mut self.parser, events.last_mut()) {
            _ if text.is_empty() => {}
            (Some(parser), _) => events.extend(parser.push_text(&text)),
            (None, Some(Event::Content { text: before })) => before.push_str(&text),
            (None, _) => events.push(Event::Content { text }),
        }
    }

    /// Nothing comes any more.
    pub(super) fn finish(&mut self, events: &mut Vec<Event>) {
        if std::mem::replace(&mut self.ended, true) {
            return;
        }
        let mut text = String::new();
        self.pieces.finish(&mut text);
        self.push(text, events);
        if let Some(parser) = self.parser.take() {
            events.extend(parser.finish());
        }
    }

    /// Only these tokens have come. Where more had been read, what is left is read again.
    pub(super) fn rewind(&mut self, tokens: &[TokenId], vocabulary: &Vocabulary) {
        if tokens.len() < self.read {
            *self = self.start.take().map_or_else(Self::default, Self::new);
            self.read(tokens, vocabulary);
        }
    }
}
