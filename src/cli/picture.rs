//! Pictures of messages: the line, and a mark under the place.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level as Title, Renderer, Snippet};
use grammask::gbnf::{LineIndex, Position, Span};

use super::output::{Level, Message};

/// A place in a text.
#[derive(Clone, Debug)]
pub(super) struct Place<'a> {
    /// What the text is called.
    pub(super) name: &'a str,
    pub(super) text: &'a str,
    pub(super) span: Span,
    pub(super) position: Position,
    /// Words under the mark.
    pub(super) label: String,
}

impl<'a> Place<'a> {
    /// A place whose line has to be found.
    pub(super) fn new(name: &'a str, text: &'a str, span: Span, label: impl Into<String>) -> Self {
        let position = LineIndex::new(text).position(span.start);
        Self { name, text, span, position, label: label.into() }
    }
}

/// How many characters of a line are shown, at most, before and after the place.
const BEFORE: usize = 60;
const AFTER: usize = 60;

/// A part of one line.
struct Excerpt {
    text: String,
    range: Range<usize>,
}

/// The line of a place; of a long line only what is around it. Never looks at more than the line.
fn excerpt(text: &str, span: Span) -> Excerpt {
    let floor = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = floor(span.start);
    let line_start = text[..start].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let line_end = text[start..].find(['\n', '\r']).map_or(text.len(), |at| start + at);
    let end = floor(span.end).clamp(start, line_end);
    let from = text[line_start..start].char_indices().rev().nth(BEFORE - 1);
    let from = from.map_or(line_start, |(at, _)| line_start + at);
    let to = text[start..line_end].char_indices().nth(AFTER).map_or(line_end, |(at, _)| start + at);
    let mut shown = String::new();
    if from > line_start {
        shown.push('…');
    }
    let shift = shown.len();
    shown.push_str(&text[from..to]);
    let range = shift + start - from..shift + end.min(to) - from;
    if to < line_end {
        shown.push('…');
    }
    Excerpt { text: shown, range }
}

fn snippet<'a>(place: &'a Place<'_>, kind: AnnotationKind) -> Snippet<'a, Annotation<'a>> {
    let Excerpt { text, range } = excerpt(place.text, place.span);
    let mut annotation = kind.span(range);
    if !place.label.is_empty() {
        annotation = annotation.label(place.label.as_str());
    }
    Snippet::source(text).path(place.name).line_start(place.position.line).annotation(annotation)
}

/// Where the renderer believes a place to be, and where it is: the line may be an excerpt.
fn columns(place: &Place<'_>) -> (String, String) {
    let Position { line, column } = place.position;
    let Excerpt { text, range } = excerpt(place.text, place.span);
    let seen = text[..range.start].chars().count() + 1;
    (format!("{}:{line}:{seen}\n", place.name), format!("{}:{line}:{column}\n", place.name))
}

/// The message as text of one or more lines, without a line end.
pub(super) fn render(message: &Message<'_>, styled: bool) -> String {
    let level = match message.level {
        Level::Error => Title::ERROR,
        Level::Warning => Title::WARNING,
        Level::Note => Title::NOTE,
    };
    let mut title = level.primary_title(message.text.as_str());
    if let Some(code) = message.code {
        title = title.id(code);
    }
    let mut group = Group::with_title(title);
    if let Some(place) = &message.place {
        group = group.element(snippet(place, AnnotationKind::Primary));
    }
    for place in &message.related {
        group = group.element(snippet(place, AnnotationKind::Context));
    }
    if let Some(help) = &message.help {
        group = group.element(Title::HELP.message(help.as_str()));
    }
    // Lines are short already: nothing is to be cut.
    let renderer = if styled { Renderer::styled() } else { Renderer::plain() };
    let mut picture = renderer.term_width(400).render(&[group]);
    for place in message.place.iter().chain(&message.related) {
        let (seen, actual) = columns(place);
        picture = picture.replacen(&seen, &actual, 1);
    }
    picture
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let text = format!("a\n{}é!{}\nb", "é".repeat(1_000_000), "z".repeat(1_000_000));
        let at = text.find('!').unwrap_or_default();
        let Excerpt { text: shown, range } = excerpt(&text, Span::new(at, at + 1));
        assert_eq!(shown[range].to_string(), "!");
        assert_eq!(shown.chars().count(), 1 + BEFORE + AFTER + 1);
        let place = Place::new("t", &text, Span::new(at, at + 500), "here");
        assert_eq!(place.position.to_string(), "2:1000002");
        let picture = render(&Message::error("no").at(place), false);
        assert!(picture.len() < 1_000 && picture.contains("t:2:1000002"), "{picture}");
    }

    #[test]
    fn the_end_of_a_text_is_a_place() {
        let Excerpt { text, range } = excerpt("ab\n", Span::new(3, 3));
        assert_eq!((text.as_str(), range), ("", 0..0));
        let Excerpt { text, range } = excerpt("aé", Span::new(2, 9));
        assert_eq!((text.as_str(), range), ("aé", 1..3));
    }
}
