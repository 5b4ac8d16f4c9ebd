//! What was pushed and is not read yet.

use crate::event::CallError;
use crate::reading::Reading;

/// Text, and perhaps a control token after it.
#[derive(Clone, Debug, Default)]
pub(super) struct Input {
    text: String,
    at: usize,
    control: Option<String>,
    /// Whether nothing more will come.
    last: bool,
}

/// Whether a mark comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Yes,
    No,
    /// More input will tell.
    Maybe,
}

/// What comes next, where all is text but for some marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scan {
    /// So much text; what is behind it may become a mark.
    Text(usize),
    /// A mark, by its number, behind so much text.
    Mark(usize, usize),
    /// A control token that is none of the marks, behind so much text.
    Control(usize),
}

impl Input {
    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(super) fn push_control(&mut self, token: &str) {
        self.control = Some(token.to_owned());
    }

    pub(super) fn end(&mut self) {
        self.last = true;
    }

    /// Forgets what was read.
    pub(super) fn forget(&mut self) {
        self.text.drain(..self.at);
        self.at = 0;
    }

    /// Where reading is, for [`Input::since`].
    pub(super) fn place(&self) -> (usize, Option<String>) {
        (self.at, self.control.clone())
    }

    /// What was read since then.
    pub(super) fn since(&self, (at, control): (usize, Option<String>)) -> String {
        let mut read = self.text[at..self.at].to_owned();
        if self.control.is_none() {
            read.extend(control);
        }
        read
    }

    /// The text that comes next.
    pub(super) fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Whether no text can follow the text that comes next.
    pub(super) fn is_cut(&self) -> bool {
        self.last || self.control.is_some()
    }

    /// The mistake of a control token that comes next, if it has no place there.
    pub(super) fn misplaced(&self) -> Option<CallError> {
        let token = self.control.clone().filter(|_| self.rest().is_empty())?;
        Some(CallError::Control { token })
    }

    pub(super) fn is_last(&self) -> bool {
        self.last
    }

    /// Whether there is nothing to read at the moment.
    pub(super) fn is_empty(&self) -> bool {
        self.rest().is_empty() && self.control.is_none()
    }

    pub(super) fn take(&mut self, bytes: usize) {
        self.at += bytes;
    }

    pub(super) fn take_control(&mut self) -> Option<String> {
        self.control.take()
    }

    pub(super) fn skip_blanks(&mut self) {
        self.at += blanks(self.rest());
    }

    /// Whether the mark comes next.
    pub(super) fn at_mark(&self, mark: &str, reading: &Reading) -> Found {
        self.at_mark_behind(0, mark, reading)
    }

    /// Whether it comes behind so much text.
    pub(super) fn at_mark_behind(&self, skipped: usize, mark: &str, reading: &Reading) -> Found {
        let rest = &self.rest()[skipped..];
        if mark.is_empty() {
            return Found::Yes;
        }
        if rest.is_empty() {
            return match &self.control {
                Some(token) if token == mark => Found::Yes,
                None if !self.last => Found::Maybe,
                _ => Found::No,
            };
        }
        if reading.is_control(mark) {
            Found::No
        } else if rest.starts_with(mark) {
            Found::Yes
        } else if !self.is_cut() && mark.starts_with(rest) {
            Found::Maybe
        } else {
            Found::No
        }
    }

    /// Reads the mark that comes next.
    pub(super) fn take_mark(&mut self, mark: &str) {
        if self.rest().is_empty() {
            self.control = None;
        } else {
            self.at += mark.len();
        }
    }

    /// Looks for the first of some marks.
    pub(super) fn scan<'m>(
        &self,
        marks: impl Iterator<Item = &'m str> + Clone,
        reading: &Reading,
    ) -> Scan {
        let rest = self.rest();
        let texts = marks.clone().enumerate().filter(|(_, mark)| !reading.is_control(mark));
        let begins = |c: char| texts.clone().any(|(_, mark)| mark.starts_with(c));
        for (at, _) in rest.match_indices(begins) {
            let here = &rest[at..];
            for (number, mark) in texts.clone() {
                if here.starts_with(mark) {
                    return Scan::Mark(at, number);
                }
                if !self.is_cut() && mark.starts_with(here) {
                    return Scan::Text(at);
                }
            }
        }
        match &self.control {
            None => Scan::Text(rest.len()),
            Some(token) => match marks.enumerate().find(|(_, mark)| mark == token) {
                Some((number, _)) => Scan::Mark(rest.len(), number),
                None => Scan::Control(rest.len()),
            },
        }
    }
}

/// The blanks of JSON, which may stand between the parts of a call; others are text.
pub(super) const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

/// How many bytes of blanks come first.
pub(super) fn blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches(BLANKS).len()
}
