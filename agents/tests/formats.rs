//! Outputs of models with the events they must give: `fixtures/tool_calls`.

use std::fs;
use std::path::PathBuf;

use grammask_agents::{Activation, Event, Format, Mark, Parser, Plan, ToolChoice, Tools, plan};
use grammask_gbnf::{Automaton, Matcher, TokenName};
use grammask_json_schema::Options;
use serde::Deserialize;
use serde_json::Value;

/// A file: a format and the tools of its outputs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    source: String,
    tools: Value,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    /// Texts, and control tokens as `{"control": ".."}`.
    output: Vec<Piece>,
    /// The choice of tools in the request; without, any of them.
    #[serde(default)]
    choice: Value,
    #[serde(default)]
    in_reasoning: bool,
    events: Vec<Value>,
    /// The pieces of the output that are the calls, from one to before another: the grammar takes
    /// them. Without, the output is malformed or no call.
    #[serde(default)]
    calls: Vec<String>,
    /// Calls that the grammar does not take.
    #[serde(default)]
    refused: Vec<String>,
}

#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum Piece {
    Text(String),
    Control { control: String },
}

fn files() -> Vec<(PathBuf, File)> {
    let folder = format!("{}/../fixtures/tool_calls", env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let file = serde_json::from_str(&text);
        let file = file.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path, file)
    };
    paths.into_iter().map(read).collect()
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
                Event::Arguments { index: again, delta: more },
            ) if index == again => delta.push_str(more),
            _ => all.push(event),
        }
    }
    all
}

/// Reads an output cut into pieces of so many characters.
fn events(mut parser: Parser, output: &[Piece], size: usize) -> Vec<Event> {
    let mut events = Vec::new();
    for piece in output {
        match piece {
            Piece::Control { control } => events.extend(parser.push_control(control)),
            Piece::Text(text) => {
                let chars: Vec<char> = text.chars().collect();
                for piece in chars.chunks(size) {
                    events.extend(parser.push_text(&piece.iter().collect::<String>()));
                }
            }
        }
    }
    events.extend(parser.finish());
    merged(events)
}

/// The same output where no mark is a control token.
fn plain(output: &[Piece]) -> Vec<Piece> {
    let text = output.iter().map(|piece| match piece {
        Piece::Text(text) | Piece::Control { control: text } => text.as_str(),
    });
    vec![Piece::Text(text.collect())]
}

fn plan_of(file: &File, choice: &ToolChoice, is_control: &dyn Fn(&str) -> bool) -> Plan {
    let format = Format::named(&file.format).expect("a known format");
    let tools = Tools::from_openai(&file.tools).unwrap();
    plan(&tools, choice, true, format, is_control, &Options::default()).unwrap()
}

fn json(events: &[Event]) -> Vec<Value> {
    events.iter().map(|event| serde_json::to_value(event).unwrap()).collect()
}

#[test]
fn outputs_give_their_events() {
    let mut failures = Vec::new();
    for (path, file) in files() {
        assert!(file.rows.len() >= 4 && file.source.len() > 20, "{}", path.display());
        let control: Vec<&str> = file
            .rows
            .iter()
            .flat_map(|row| &row.output)
            .filter_map(|piece| match piece {
                Piece::Control { control } => Some(control.as_str()),
                Piece::Text(_) => None,
            })
            .collect();
        for row in &file.rows {
            let choice = ToolChoice::from_openai(&row.choice).unwrap();
            let plan = |is_control: &dyn Fn(&str) -> bool| {
                let plan = plan_of(&file, &choice, is_control);
                if row.in_reasoning { plan.in_reasoning() } else { plan }
            };
            let (of_tokens, of_text) = (plan(&|text| control.contains(&text)), plan(&|_| false));
            for (what, plan, output) in
                [("tokens", &of_tokens, row.output.clone()), ("text", &of_text, plain(&row.output))]
            {
                for size in [1_000_000, 1, 2, 3, 7] {
                    let found = json(&events(plan.parser(), &output, size));
                    if found != row.events {
                        let found = serde_json::to_string(&found).unwrap();
                        failures.push(format!(
                            "{} {} as {what} in {size}: {found}",
                            file.format, row.name
                        ));
                        break;
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn grammars_take_the_calls() {
    let mut failures = Vec::new();
    for (_, file) in files() {
        let lazy = plan_of(&file, &ToolChoice::Auto, &|_| false);
        let strict = plan_of(&file, &ToolChoice::Required, &|_| false);
        let automaton = |plan: &Plan| Automaton::compile(&plan.grammar, "root").unwrap();
        let (of_lazy, of_strict) = (automaton(&lazy), automaton(&strict));
        assert_eq!(strict.activation, Activation::Always);
        let verdict = |automaton: &Automaton, text: &str| {
            let mut matcher = Matcher::new(automaton);
            matcher.advance(text.as_bytes()).map_err(|error| error.valid_up_to())?;
            if matcher.is_complete() { Ok(()) } else { Err(text.len()) }
        };
        for row in &file.rows {
            for call in &row.calls {
                for (what, automaton) in [("auto", &of_lazy), ("required", &of_strict)] {
                    if let Err(at) = verdict(automaton, call) {
                        failures.push(format!(
                            "{} {} {what}: at {at} of {call:?}",
                            file.format, row.name
                        ));
                    }
                }
                // It begins with what brings it into force.
                if let Activation::OnTrigger { triggers, .. } = &lazy.activation {
                    let begins = triggers.iter().any(|trigger| match &trigger.mark {
                        Mark::Text(text) => call.starts_with(text.as_str()),
                        Mark::Token(_) => false,
                    });
                    assert!(begins, "{} {}", file.format, row.name);
                }
            }
            for call in &row.refused {
                for automaton in [&of_lazy, &of_strict] {
                    if verdict(automaton, call).is_ok() {
                        failures.push(format!("{} {}: takes {call:?}", file.format, row.name));
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// The whole outputs of formats where marks are tokens, token by token.
#[test]
fn grammars_take_the_tokens() {
    let mut read = 0;
    for (_, file) in files() {
        let format = Format::named(&file.format).expect("a known format");
        let is_control = |text: &str| format.control().iter().any(|token| token == text);
        let tools = Tools::from_openai(&file.tools).unwrap();
        let options = Options::default();
        let plan = plan(&tools, &ToolChoice::Required, true, format, &is_control, &options);
        let plan = plan.unwrap();
        let automaton = Automaton::compile(&plan.grammar, "root").unwrap();
        for call in file.rows.iter().flat_map(|row| &row.calls) {
            let mut matcher = Matcher::new(&automaton);
            let mut rest = call.as_str();
            while !rest.is_empty() {
                let found =
                    format.control().iter().filter_map(|one| Some((rest.find(one.as_str())?, one)));
                let (at, token) = match found.min() {
                    Some((at, token)) => (at, Some(token)),
                    None => (rest.len(), None),
                };
                matcher
                    .advance(&rest.as_bytes()[..at])
                    .unwrap_or_else(|error| panic!("{} {rest}: {error}", file.format));
                rest = &rest[at..];
                if let Some(token) = token {
                    let is = |name: &TokenName| *name == TokenName::Text(token.clone());
                    matcher
                        .advance_token(None, |reference| is(&reference.token))
                        .unwrap_or_else(|error| panic!("{} {rest}: {error}", file.format));
                    rest = &rest[token.len()..];
                    read += 1;
                }
            }
            assert!(matcher.is_complete(), "{} {call}", file.format);
        }
    }
    assert!(read > 30);
}
