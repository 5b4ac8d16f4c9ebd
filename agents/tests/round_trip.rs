//! Random calls, written and read again, in whatever pieces; and texts that are no calls.

use std::sync::Arc;

use grammask_agents::{Call, Event, Format, Mark, Parser, Plan, ToolChoice, Tools, plan};
use grammask_gbnf::{Automaton, Matcher, TokenName};
use grammask_json_schema::Options;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Tools whose arguments nest, are strings, and are either.
fn tools() -> Tools {
    let any = json!({"type": "object"});
    let value = json!({"$ref": "#/$defs/v"});
    let values = json!({
        "v": {"anyOf": [
            {"type": ["string", "integer", "boolean", "null"]},
            {"type": "array", "items": value},
            {"type": "object", "additionalProperties": value},
        ]},
    });
    let parameters = json!({
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "maybe": {"type": ["string", "null", "boolean"]},
            "count": {"type": "integer"},
            "value": value,
            "values": {"type": "array", "items": value},
        },
        "additionalProperties": false,
        "$defs": values,
    });
    let tool = |name: &str, parameters: &Value| json!({"type": "function", "function": {"name": name, "parameters": parameters}});
    let tools = json!([tool("f", &parameters), tool("get_all-2", &parameters), tool("any", &any)]);
    Tools::from_openai(&tools).unwrap()
}

/// Strings with what means something to some format.
fn string() -> impl Strategy<Value = String> {
    let marks = Format::all().flat_map(|format| format.control().to_vec()).chain(
        [
            "</parameter>",
            "\n",
            "\"",
            "\\",
            "{",
            "}",
            ":",
            ",",
            "[",
            "]",
            ">>>",
            "null",
            "true",
            "é",
            "\u{1f600}",
        ]
        .map(str::to_owned),
    );
    let marks: Vec<String> = marks.collect();
    let piece = prop_oneof![
        proptest::sample::select(marks),
        "[a-z <>|/=\"\t]{0,4}",
        any::<char>().prop_map(String::from),
    ];
    vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        string().prop_map(Value::String),
        any::<i32>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
    ];
    scalar.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::Array),
            vec(("[a-z_]{1,6}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn arguments() -> impl Strategy<Value = Value> {
    let maybe = prop_oneof![
        string().prop_map(Value::String),
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
    ];
    let members = (
        proptest::option::of(string().prop_map(Value::String)),
        proptest::option::of(maybe),
        proptest::option::of(any::<i32>().prop_map(Value::from)),
        proptest::option::of(value()),
        proptest::option::of(vec(value(), 0..3).prop_map(Value::Array)),
    );
    members.prop_map(|(text, maybe, count, value, values)| {
        let all = [
            ("values", values),
            ("text", text),
            ("count", count),
            ("maybe", maybe),
            ("value", value),
        ];
        let members = all.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
        Value::Object(members.collect::<Map<_, _>>())
    })
}

fn calls() -> impl Strategy<Value = Vec<(&'static str, String, Value)>> {
    let name = proptest::sample::select(vec!["f", "get_all-2", "any"]);
    vec((name, "[A-Za-z0-9]{9}", arguments()), 1..4)
}

/// Pushes a text cut at these places.
fn push(parser: &mut Parser, text: &str, cuts: &[usize], events: &mut Vec<Event>) {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut % (text.len() + 1)).collect();
    places.extend([0, text.len()]);
    places.retain(|&place| text.is_char_boundary(place));
    places.sort_unstable();
    for pair in places.windows(2) {
        events.extend(parser.push_text(&text[pair[0]..pair[1]]));
    }
}

/// The events of some pieces, of which some are control tokens; the text between these is cut.
fn read(
    mut parser: Parser,
    pieces: &[String],
    is_control: impl Fn(&str) -> bool,
    cuts: &[usize],
) -> Vec<Event> {
    let mut events = Vec::new();
    let mut text = String::new();
    for piece in pieces {
        if is_control(piece) {
            push(&mut parser, &std::mem::take(&mut text), cuts, &mut events);
            events.extend(parser.push_control(piece));
        } else {
            text.push_str(piece);
        }
    }
    push(&mut parser, &text, cuts, &mut events);
    events.extend(parser.finish());
    events
}

/// The calls in some events, each with its name, id and arguments, twice: as text and as a value.
fn found(events: &[Event]) -> Vec<(String, Option<String>, Value, Value)> {
    let mut found: Vec<(String, Option<String>, Value, Value)> = Vec::new();
    let mut text = String::new();
    for event in events {
        match event {
            Event::CallStart { name, id, .. } => {
                text.clear();
                found.push((name.clone(), id.clone(), Value::Null, Value::Null));
            }
            Event::Arguments { delta, .. } => text.push_str(delta),
            Event::CallEnd { id, arguments, .. } => {
                let last = found.last_mut().unwrap();
                last.1 = last.1.take().or_else(|| id.clone());
                last.2 = serde_json::from_str(&text).unwrap();
                last.3 = arguments.clone();
            }
            other => panic!("{other:?}"),
        }
    }
    found
}

fn is_read_by_the_grammar(plan: &Plan, marks: &[Mark]) -> bool {
    let mut matcher = Matcher::new(&Automaton::compile(&plan.grammar, "root").unwrap());
    let read = marks.iter().all(|mark| match mark {
        Mark::Text(text) => matcher.advance(text.as_bytes()).is_ok(),
        Mark::Token(token) => {
            let is = |name: &TokenName| *name == TokenName::Text(token.clone());
            matcher.advance_token(None, |reference| is(&reference.token)).is_ok()
        }
    });
    read && matcher.is_complete()
}

fn round_trip(
    format: &'static Arc<Format>,
    with_tokens: bool,
    calls: &[(&'static str, String, Value)],
    cuts: &[usize],
) -> Result<(), TestCaseError> {
    let is_control = |text: &str| with_tokens && format.control().iter().any(|token| token == text);
    let options = Options::default();
    let plan = plan(&tools(), &ToolChoice::Required, true, format, &is_control, &options).unwrap();
    let calls: Vec<Call<'_>> =
        calls.iter().map(|(name, id, arguments)| Call { name, id, arguments }).collect();
    let calls = if plan.write(&calls).is_some() { &calls[..] } else { &calls[..1] };
    // What the format cannot carry.
    let Some(written) = plan.write(calls) else { return Ok(()) };
    prop_assert!(is_read_by_the_grammar(&plan, &written), "{} {written:?}", format.name());
    let mut parser = plan.parser();
    let mut events = Vec::new();
    for mark in &written {
        match mark {
            Mark::Text(text) => push(&mut parser, text, cuts, &mut events),
            Mark::Token(token) => events.extend(parser.push_control(token)),
        }
    }
    events.extend(parser.finish());
    let read = found(&events);
    prop_assert_eq!(read.len(), calls.len());
    for ((name, id, text, arguments), call) in read.iter().zip(calls) {
        prop_assert_eq!(name, call.name);
        prop_assert_eq!(text, call.arguments);
        prop_assert_eq!(arguments, call.arguments);
        if format.name() == "mistral-v3" || format.name() == "mistral-v11" {
            prop_assert_eq!(id.as_deref(), Some(call.id));
        }
    }
    Ok(())
}

/// Texts made of marks, JSON and other things.
fn noise() -> impl Strategy<Value = Vec<String>> {
    let marks = Format::all().flat_map(|format| {
        let call = Call { name: "f", id: "abcdefghi", arguments: &json!({"text": "a\nb"}) };
        let plan =
            plan(&tools(), &ToolChoice::Required, true, format, &|_| false, &Options::default());
        let Some(Mark::Text(text)) = plan.unwrap().write(&[call]).map(|mut it| it.remove(0)) else {
            panic!("{}", format.name())
        };
        let chars: Vec<char> = text.chars().collect();
        let parts = chars.chunks(9).map(String::from_iter).collect::<Vec<String>>();
        format.control().iter().cloned().chain(parts).chain([text.clone()]).collect::<Vec<_>>()
    });
    let marks: Vec<String> = marks.collect();
    vec(prop_oneof![4 => proptest::sample::select(marks), 1 => string()], 0..14)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn calls_are_read_as_they_are_written(calls in calls(), cuts in vec(any::<usize>(), 0..30)) {
        for format in Format::all() {
            for with_tokens in [false, true] {
                round_trip(format, with_tokens, &calls, &cuts)?;
            }
        }
    }
}

#[test]
fn strings_that_only_begin_as_json_end_where_they_end() {
    for text in ["\"", "\"\\", "\"a\\\"", "[\"\\", "{"] {
        let calls =
            [("f", "abcdefghi".to_owned(), json!({"maybe": text, "value": text, "text": text}))];
        for format in Format::all() {
            round_trip(format, false, &calls, &[]).unwrap();
        }
    }
}

proptest! {
    #[test]
    fn pieces_make_no_difference(
        pieces in noise(),
        cuts in vec(any::<usize>(), 0..40),
        with_tokens in any::<bool>(),
        in_reasoning in any::<bool>(),
    ) {
        for format in Format::all() {
            let is_control = |text: &str| with_tokens && format.control().iter().any(|token| token == text);
            let events = |cuts: &[usize]| {
                let parser = Parser::new(format, is_control);
                let parser = if in_reasoning { parser.in_reasoning() } else { parser };
                merged(read(parser, &pieces, is_control, cuts))
            };
            let (whole, cut) = (events(&[]), events(&cuts));
            prop_assert_eq!(&whole, &cut, "{}", format.name());
            // Each call that begins has one end.
            let begun = whole.iter().filter(|event| matches!(event, Event::CallStart { .. })).count();
            let ended = whole.iter().filter(|event| {
                matches!(event, Event::CallEnd { .. } | Event::Error { index: Some(_), .. })
            }).count();
            prop_assert_eq!(begun, ended);
        }
    }
}

proptest! {
    #[test]
    fn nothing_is_called_where_nothing_may_be(
        pieces in noise(),
        cuts in vec(any::<usize>(), 0..40),
        with_tokens in any::<bool>(),
        in_reasoning in any::<bool>(),
    ) {
        for format in Format::all() {
            let is_control = |text: &str| with_tokens && format.control().iter().any(|token| token == text);
            let plan = plan(&tools(), &ToolChoice::None, true, format, &is_control, &Options::default());
            let plan = plan.unwrap();
            let plan = if in_reasoning { plan.in_reasoning() } else { plan };
            let events = read(plan.parser(), &pieces, is_control, &cuts);
            let mut said = String::new();
            for event in &events {
                match event {
                    Event::Content { text } | Event::Reasoning { text } => said.push_str(text),
                    other => prop_assert!(false, "{}: {other:?}", format.name()),
                }
            }
            // Of a format without other marks all is there.
            if plan.reasoning().is_none() && !["harmony", "functionary-v3.2"].contains(&format.name()) {
                prop_assert_eq!(said, pieces.concat(), "{}", format.name());
            }
        }
    }
}

/// Events of one text after the other are one.
fn merged(events: Vec<Event>) -> Vec<Event> {
    let mut all: Vec<Event> = Vec::new();
    for event in events {
        match (all.last_mut(), &event) {
            (Some(Event::Content { text }), Event::Content { text: more })
            | (Some(Event::Reasoning { text }), Event::Reasoning { text: more }) => {
                text.push_str(more);
            }
            (
                Some(Event::Arguments { index, delta }),
                Event::Arguments { index: i, delta: more },
            ) if index == i => {
                delta.push_str(more);
            }
            _ => all.push(event),
        }
    }
    all
}
