//! What the parser of an output has to know: a format, tools, and which marks are control tokens.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use grammask_json_schema::ElementValue;

use crate::format::{Arguments, Format, Part};

/// A format with the tools of a request, on a vocabulary.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) format: Arc<Format>,
    /// How the elements of each tool are read; `None`: there may be any tool.
    tools: Option<HashMap<String, ElementValues>>,
    /// All marks.
    marks: HashSet<String>,
    /// Those that are control tokens of the vocabulary.
    control: HashSet<String>,
    /// Those parts of marks that are.
    pub(crate) tokens: HashSet<String>,
    /// Whether anything may be called: if not, what looks like a call is content.
    pub(crate) may_call: bool,
    /// What ends content: the begin of reasoning first, if there is any, then those of calls.
    pub(crate) content_ends: Vec<String>,
    /// What a call begins with: with a section, where that may be left out, or is none, without one.
    pub(crate) openers: Vec<Opener>,
    /// The marks behind calls that may be left out.
    pub(crate) tails: Vec<String>,
    /// Where reading goes on behind a malformed call.
    pub(crate) resync: Vec<(String, Resync)>,
}

/// How the values of a tool's arguments are written as elements.
#[derive(Clone, Debug, Default)]
pub(crate) struct ElementValues {
    pub(crate) declared: HashMap<String, ElementValue>,
    pub(crate) others: Option<ElementValue>,
}

/// What the first call begins with.
#[derive(Clone, Debug)]
pub(crate) struct Opener {
    pub(crate) mark: String,
    pub(crate) parts: Vec<Part>,
    pub(crate) in_section: bool,
}

/// What a mark behind a malformed call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resync {
    /// The end of the call, which is part of its text.
    End,
    /// The begin of the first one.
    Begin,
    /// The begin of another one in a section.
    Next,
    /// The end of all calls.
    Close,
}

impl Reading {
    pub(crate) fn new(
        format: &Arc<Format>,
        tools: Option<HashMap<String, ElementValues>>,
        is_control: &dyn Fn(&str) -> bool,
    ) -> Self {
        let may_call = tools.as_ref().is_none_or(|tools| !tools.is_empty());
        let section = format.section.as_ref();
        let call_mark = first_mark(&format.call);
        let call = without_tail(format);
        let close = section.map_or("", |section| first_mark(&section.close));
        let ends = [&format.call[call.len()..], section.map_or(&[], |section| &section.close)];
        let mut tails = ends.map(first_mark).map(str::to_owned).to_vec();
        tails.retain(|tail| may_call && format.is_optional(tail));
        let mut openers = Vec::new();
        let mut open = |parts: &[Part], in_section| {
            let openings = format.openings(parts).into_iter().enumerate();
            openers.extend(openings.map(|(index, (mark, parts))| Opener {
                mark: mark.to_owned(),
                parts: parts.to_vec(),
                in_section: in_section && index == 0,
            }));
        };
        if let Some(section) = section {
            open(&[&section.open, call].concat(), true);
        }
        if section.is_none_or(|section| section.optional) {
            open(call, false);
        }
        if !may_call && format.content_name.is_none() {
            openers.clear();
        }

        let mut content_ends: Vec<String> =
            format.reasoning.iter().map(|(start, _)| start.clone()).collect();
        let mut resync = Vec::new();
        if let Some(channels) = &format.channels {
            content_ends.extend(channels.ends().map(str::to_owned));
            resync.extend(channels.ends().map(|mark| (mark.to_owned(), Resync::Close)));
        } else {
            if !format.only_at_start {
                content_ends.extend(openers.iter().map(|opener| opener.mark.clone()));
                content_ends.extend(tails.iter().cloned());
            }
            let behind = format.call.iter().rev().take_while(|part| matches!(part, Part::Text(_)));
            let end = behind.map(Part::mark).find(|mark| !mark.is_empty()).unwrap_or_default();
            let begins = openers.iter().map(|opener| (opener.mark.as_str(), Resync::Begin));
            // A single bracket may be anything.
            resync.extend(
                [(end, Resync::End), (close, Resync::Close)]
                    .into_iter()
                    .chain(begins)
                    .chain([(call_mark, Resync::Next)])
                    .filter(|(mark, _)| mark.len() > 1)
                    .map(|(mark, what)| (mark.to_owned(), what)),
            );
        }

        let marks = all_marks(format, may_call);
        let tokens = format.control().iter().filter(|token| is_control(token)).cloned().collect();
        let control = marks.iter().filter(|mark| is_control(mark)).cloned().collect();
        Self {
            format: Arc::clone(format),
            tools,
            marks,
            control,
            tokens,
            may_call,
            content_ends,
            openers,
            tails,
            resync,
        }
    }

    /// Whether the mark is a control token, so that no text is this mark.
    pub(crate) fn is_control(&self, mark: &str) -> bool {
        self.control.contains(mark)
    }

    /// Whether a control token is read as text: it is only a part of a mark, or a mark of calls where
    /// nothing may be called.
    pub(crate) fn is_text(&self, token: &str) -> bool {
        let is_of_calls = || !self.may_call && self.tokens.contains(token);
        let is_part = || self.marks.iter().any(|mark| mark.contains(token));
        !self.marks.contains(token) && (is_of_calls() || is_part())
    }

    /// Whether there is a tool of this name.
    pub(crate) fn has_tool(&self, name: &str) -> bool {
        self.tools.as_ref().is_none_or(|tools| tools.contains_key(name))
    }

    /// How the value of an argument is written as an element.
    pub(crate) fn element(&self, tool: &str, key: &str) -> ElementValue {
        let values = self.tools.as_ref().and_then(|tools| tools.get(tool));
        let found = values.and_then(|values| values.declared.get(key).copied().or(values.others));
        found.unwrap_or(ElementValue::Json { or_string: true })
    }
}

/// What the first of some parts begins with.
pub(crate) fn first_mark(parts: &[Part]) -> &str {
    parts.iter().map(Part::mark).find(|mark| !mark.is_empty()).unwrap_or_default()
}

/// The parts of a call without the mark at its end, if that may be left out.
fn without_tail(format: &Format) -> &[Part] {
    match format.call.split_last() {
        Some((last, before)) if format.is_optional(last.mark()) => before,
        _ => &format.call,
    }
}

/// All marks of a format, without the blanks around them: those of calls only if there may be any.
fn all_marks(format: &Format, may_call: bool) -> HashSet<String> {
    let mut marks: Vec<&str> =
        format.reasoning.iter().flat_map(|(start, end)| [start.as_str(), end]).collect();
    if may_call {
        let section =
            format.section.iter().flat_map(|section| section.open.iter().chain(&section.close));
        marks.extend(section.chain(&format.call).chain(&format.separator).map(Part::mark));
        marks.extend(format.lead.as_deref());
        match &format.arguments {
            Arguments::Json => {}
            Arguments::Dict(quote) => marks.push(quote),
            Arguments::Elements(texts) => {
                let [open, text, json] = [&texts.open, &texts.before_text, &texts.before_json];
                marks.extend([open, &texts.after_key, text, json, &texts.stop].map(|it| it.trim()));
            }
        }
    }
    if let Some(channels) = &format.channels {
        marks.extend(channels.ends());
        marks.extend([&channels.channel, &channels.constrain, &channels.message].map(|it| &**it));
    }
    marks.into_iter().filter(|mark| !mark.is_empty()).map(str::to_owned).collect()
}
