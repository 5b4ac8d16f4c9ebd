//! Results on stdout, everything else on stderr.

use std::io::{self, IsTerminal, Write};

use serde_json::{Value, json};

use super::args::{Color, Format};
use super::picture::{self, Place};

/// How to write.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    pub(super) format: Format,
    /// Whether stderr gets colours.
    styled: bool,
    /// Whether stdout gets colours.
    pub(super) styled_results: bool,
}

/// How bad a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    Error,
    Warning,
    Note,
}

/// Something to tell the user.
#[derive(Debug)]
pub(super) struct Message<'a> {
    pub(super) level: Level,
    pub(super) code: Option<&'a str>,
    pub(super) text: String,
    /// Where, with words under the place.
    pub(super) place: Option<Place<'a>>,
    pub(super) help: Option<String>,
    /// Other places, each with what it is.
    pub(super) related: Vec<Place<'a>>,
}

impl<'a> Message<'a> {
    fn new(level: Level, text: impl Into<String>) -> Self {
        Self { level, code: None, text: text.into(), place: None, help: None, related: Vec::new() }
    }

    pub(super) fn error(text: impl Into<String>) -> Self {
        Self::new(Level::Error, text)
    }

    pub(super) fn note(text: impl Into<String>) -> Self {
        Self::new(Level::Note, text)
    }

    pub(super) fn at(mut self, place: Place<'a>) -> Self {
        self.place = Some(place);
        self
    }

    pub(super) fn with_help(mut self, help: Option<impl Into<String>>) -> Self {
        self.help = help.map(Into::into);
        self
    }

    /// The message as an object of JSON.
    pub(super) fn to_json(&self) -> Value {
        let place = |place: &Place| {
            json!({
                "path": place.name,
                "line": place.position.line,
                "column": place.position.column,
                "start": place.span.start,
                "end": place.span.end,
            })
        };
        let mut object = json!({"severity": self.level.name(), "message": self.text});
        if let Some(code) = self.code {
            object["code"] = code.into();
        }
        if let Some(at) = &self.place {
            object["place"] = place(at);
            if !at.label.is_empty() {
                object["place"]["label"] = at.label.clone().into();
            }
        }
        if let Some(help) = &self.help {
            object["help"] = help.as_str().into();
        }
        if !self.related.is_empty() {
            let related = self.related.iter().map(|other| {
                let mut object = place(other);
                object["label"] = other.label.clone().into();
                object
            });
            object["related"] = related.collect();
        }
        object
    }
}

impl Level {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

impl Output {
    pub(super) fn new(format: Format, color: Color) -> Self {
        // https://no-color.org: set and not empty.
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let styled = |is_terminal: bool| match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => is_terminal && !no_color,
        };
        Self {
            format,
            styled: styled(io::stderr().is_terminal()),
            styled_results: styled(io::stdout().is_terminal()),
        }
    }

    pub(super) fn is_json(self) -> bool {
        self.format == Format::Json
    }

    /// Writes a message to stderr: a picture, or one line of JSON. That nobody listens is no
    /// failure.
    pub(super) fn say(self, message: &Message<'_>) {
        let text = if self.is_json() {
            message.to_json().to_string()
        } else {
            picture::render(message, self.styled)
        };
        let _ = writeln!(io::stderr().lock(), "{text}");
    }
}

/// Writes a result to stdout.
pub(super) fn print(text: &str) -> io::Result<()> {
    io::stdout().lock().write_all(text.as_bytes())
}

/// Writes a result to stdout, over several lines.
pub(super) fn print_json(value: &Value) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    serde_json::to_writer_pretty(&mut stdout, value)?;
    Ok(writeln!(stdout)?)
}
