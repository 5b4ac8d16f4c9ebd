//! Whatever the random model writes under the plan of tool calls, the parser reads calls of it whose
//! arguments are valid for the schema of their tool: for all formats, choices and random tools.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use grammask::agents::{Activation, Event, Format, Mark, Plan, Tool, ToolChoice, Tools, plan};
use grammask::json_schema::{Options, Order};
use grammask::sampler::{Chain, Dist, Engine, Mode, TokenId, Vocabulary};
use grammask::{RandomModel, Session, generate, is_control, plan_constraint};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

/// Every byte, some pieces of calls, and the marks of a format as control tokens, if wanted.
fn small_vocabulary(format: &Format, with_tokens: bool) -> Arc<Engine> {
    let mut builder = Vocabulary::builder();
    let pieces = [
        "\"",
        "\",",
        "\":",
        "}",
        "]",
        "},",
        "{\"",
        ", ",
        "\n",
        "\n  ",
        "true",
        "12",
        "é",
        "}}\n<",
        "</",
        "\n</",
        ">\n",
        "\"}",
        "name",
        "\"name",
        ">>>",
        "parameter",
        "=",
        "null",
        "}<",
        "<|",
        "|>",
    ];
    for piece in pieces {
        builder.push(piece);
    }
    for byte in 0..=u8::MAX {
        if !pieces.contains(&char::from(byte).to_string().as_str()) {
            builder.push([byte]);
        }
    }
    if with_tokens {
        for token in format.control() {
            builder.push_control(token);
        }
    }
    builder.push_eog("</s>");
    Engine::new(builder.build().expect("distinct tokens"))
}

/// A real vocabulary, with the marks of a format as control tokens.
fn real_vocabulary(format: &Format) -> Arc<Engine> {
    let real = Vocabulary::from_name("r50k_base").expect("built in");
    let mut builder = Vocabulary::builder();
    for token in real.ids() {
        match real.bytes(token) {
            Some(bytes) if !real.is_control(token) => builder.push(bytes),
            _ => builder.push_gap(),
        };
    }
    for token in format.control() {
        builder.push_control(token);
    }
    builder.push_eog("<|endoftext|>");
    Engine::new(builder.build().expect("distinct tokens"))
}

/// Schemas of arguments, whose values come to an end by themselves.
fn schema() -> impl Strategy<Value = Value> {
    let scalar = select(vec![
        json!({"type": "string", "maxLength": 12}),
        json!({"type": "string", "minLength": 1, "maxLength": 4}),
        json!({"type": "string", "pattern": "^[a-z]{2,5}$"}),
        json!({"type": "string", "pattern": "[<>\"|]$", "maxLength": 6}),
        json!({"type": "string", "format": "date"}),
        json!({"type": "integer", "minimum": -3, "maximum": 120}),
        json!({"type": "number"}),
        json!({"type": "boolean"}),
        json!({"type": "null"}),
        json!({"enum": ["celsius", "null", "true", "a \"b\"\n", 5, null, [1, "x"], {"k": "v"}]}),
        json!({"enum": ["a", "null", "é<"]}),
        json!({"const": "\n"}),
        json!({"const": {"a": [null, "b"]}}),
        json!({"type": ["string", "null"], "maxLength": 5}),
        json!({"type": ["string", "boolean", "null"], "maxLength": 5}),
        json!({"type": ["string", "integer"], "maxLength": 5, "maximum": 99, "minimum": 0}),
        json!({"anyOf": [{"type": "string", "maxLength": 3}, {"type": "array", "items": {"type": "string", "maxLength": 2}, "maxItems": 2}]}),
        json!({}),
    ]);
    scalar.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            (inner.clone(), 0..2_usize, 2..4_usize)
                .prop_map(|(items, least, most)| json!({"type": "array", "items": items, "minItems": least, "maxItems": most})),
            object(inner.clone()),
            (inner.clone(), inner).prop_map(|(one, other)| json!({"anyOf": [one, other]})),
        ]
    })
}

fn object(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    let others = prop_oneof![
        3 => Just(json!(false)),
        1 => Just(json!({"type": "string", "maxLength": 4})),
        1 => Just(json!({"type": ["integer", "null"], "minimum": 0, "maximum": 9})),
        1 => Just(Value::Null),
    ];
    (btree_map("[a-z]{1,2}|[a-z]{2}_[a-z]|é", value, 0..4), vec(any::<bool>(), 4), others).prop_map(
        |(properties, required, others)| {
            let names = properties.keys().zip(required);
            let required: Vec<&String> =
                names.filter(|(_, required)| *required).map(|(name, _)| name).collect();
            let mut schema =
                json!({"type": "object", "properties": properties, "required": required});
            if !others.is_null() {
                schema["additionalProperties"] = others;
                schema["maxProperties"] = json!(5);
            }
            schema
        },
    )
}

fn tools() -> impl Strategy<Value = Value> {
    let parameters = prop_oneof![4 => object(schema()), 1 => Just(Value::Null)];
    vec(parameters, 1..4).prop_map(|all| {
        let names = ["get_weather", "now", "get", "a-B_9"];
        let tool = |(name, parameters): (&str, Value)| json!({"type": "function", "function": {"name": name, "parameters": parameters}});
        Value::Array(names.into_iter().zip(all).map(tool).collect())
    })
}

/// What a model is asked for.
#[derive(Clone, Debug)]
struct Request {
    tools: Value,
    /// The tool that must be called, where one must.
    named: Index,
    parallel: bool,
    /// Whether the output begins with reasoning.
    thinks: bool,
    seed: u32,
}

fn request() -> impl Strategy<Value = Request> {
    (tools(), any::<Index>(), any::<[bool; 2]>(), any::<u32>()).prop_map(
        |(tools, named, [parallel, thinks], seed)| Request { tools, named, parallel, thinks, seed },
    )
}

/// The calls in some events: names and arguments.
fn calls(events: &[Event]) -> Result<Vec<(String, Value)>, TestCaseError> {
    let mut calls = Vec::new();
    let mut text = String::new();
    for event in events {
        match event {
            Event::CallStart { name, .. } => {
                text.clear();
                calls.push((name.clone(), Value::Null));
            }
            Event::Arguments { delta, .. } => text.push_str(delta),
            Event::CallEnd { arguments, .. } => {
                let said: Value = serde_json::from_str(&text)
                    .map_err(|error| TestCaseError::fail(format!("{error}: {text}")))?;
                prop_assert_eq!(&said, arguments);
                calls.last_mut().expect("it has begun").1 = said;
            }
            Event::Error { .. } => return Err(TestCaseError::fail(format!("{event:?}"))),
            Event::Content { .. } | Event::Reasoning { .. } => {}
        }
    }
    Ok(calls)
}

/// What has been seen, so that the test cannot pass without any calls.
#[derive(Debug, Default)]
struct Seen {
    all: usize,
    ended: usize,
    calls: usize,
}

fn check(
    format: &'static Arc<Format>,
    engine: &Arc<Engine>,
    request: &Request,
    max_tokens: usize,
    seen: &mut Seen,
) -> Result<(), TestCaseError> {
    let tools = Tools::from_openai(&request.tools).expect("tools");
    let names: Vec<&str> = tools.iter().map(Tool::name).collect();
    let judges: HashMap<&str, jsonschema::Validator> = tools
        .iter()
        .map(|tool| (tool.name(), jsonschema::validator_for(tool.parameters()).expect("a schema")))
        .collect();
    let named = *request.named.get(&names);
    let choices = [ToolChoice::Auto, ToolChoice::Required, ToolChoice::Named(named.to_owned())];
    let is_control = |text: &str| is_control(engine, text);
    for choice in choices {
        let what = format!("{} {choice:?} {request:?}", format.name());
        let order = [Order::Any, Order::Declared, Order::RequiredFirst][request.seed as usize % 3];
        let (parallel, options) = (request.parallel, Options { order, ..Options::default() });
        let plan = match plan(&tools, &choice, parallel, format, &is_control, &options) {
            Ok(plan) => plan,
            Err(error) if error.to_string().contains("the format cannot carry") => continue,
            Err(error) => return Err(TestCaseError::fail(format!("{error}\n{what}"))),
        };
        let plan = if request.thinks { plan.in_reasoning() } else { plan };
        let (ended, events, text) = generated(engine, &plan, request, max_tokens);
        seen.all += 1;
        let found = calls(&events);
        let found = match found {
            Ok(found) => found,
            // Cut within a call.
            Err(_) if !ended => continue,
            Err(error) => return Err(TestCaseError::fail(format!("{error}\n{what}\n{text:?}"))),
        };
        if !ended {
            continue;
        }
        seen.ended += 1;
        seen.calls += found.len();
        let must = choice != ToolChoice::Auto;
        prop_assert!(!must || !found.is_empty(), "{what}\n{text:?}");
        let may_be_many = request.parallel && !matches!(choice, ToolChoice::Named(_));
        prop_assert!(found.len() <= 1 || may_be_many, "{what}\n{text:?}");
        for (name, arguments) in &found {
            prop_assert!(
                choice == ToolChoice::Auto || choice == ToolChoice::Required || name == named
            );
            if let Err(error) = judges[name.as_str()].validate(arguments) {
                return Err(TestCaseError::fail(format!("{error}: {arguments}\n{what}\n{text:?}")));
            }
        }
    }
    Ok(())
}

/// What the random model writes, from the begin of a call on where the grammar waits for it: whether
/// it has come to an end, the events and the text.
fn generated(
    engine: &Arc<Engine>,
    plan: &Plan,
    request: &Request,
    max_tokens: usize,
) -> (bool, Vec<Event>, String) {
    let vocabulary = engine.vocabulary();
    let constraint = plan_constraint(engine, plan).expect("a constraint").expect("a grammar");
    let mut chain = Chain::new();
    chain.add(Dist::new(request.seed));
    let mut session =
        Session::new(constraint, chain, Mode::GrammarFirst).with_parser(plan.parser());
    for token in begin(vocabulary, plan, request) {
        session.accept(token).expect("free text");
    }
    let mut model = RandomModel::new(engine, request.seed).with_words_of(&plan.grammar);
    let go_on = |_: &mut Session, _| ControlFlow::Continue(());
    let generation =
        generate(&mut model, &mut session, max_tokens, go_on).expect("some token always fits");
    let events = session.last_events();
    let text =
        session.tokens().iter().flat_map(|&token| vocabulary.bytes(token).unwrap_or_default());
    let text = String::from_utf8_lossy(&text.copied().collect::<Vec<u8>>()).into_owned();
    (generation.ending.is_complete(), events, text)
}

/// What a grammar waits for: reasoning with what looks like a call in it, content, and what a call
/// begins with.
fn begin(vocabulary: &Vocabulary, plan: &Plan, request: &Request) -> Vec<TokenId> {
    let triggers = match &plan.activation {
        Activation::OnTrigger { triggers, .. } => &triggers[..],
        _ => &[],
    };
    let trigger = (!triggers.is_empty()).then(|| &triggers[request.named.index(triggers.len())]);
    let text = |text: &str| Mark::Text(text.to_owned());
    let mut marks = Vec::new();
    let writes_mark = request.seed.is_multiple_of(2);
    if let Some((start, end)) = plan.reasoning()
        && (request.thinks || trigger.is_some() && writes_mark)
    {
        marks.extend(writes_mark.then_some(start));
        marks.push(text("Hm, a call: "));
        marks.extend(trigger.map(|trigger| trigger.mark.clone()));
        marks.extend([text(" no\n"), end]);
    }
    if let Some(trigger) = trigger {
        let contents: &[&str] =
            if trigger.only_at_start { &["", " \n"] } else { &["", "Hm.\n\n", "a < b", "\n"] };
        marks.push(text(contents[request.named.index(contents.len())]));
        // The format has text before its token.
        let is_inside = matches!(&trigger.mark, Mark::Token(token) if token == "｜DSML｜");
        marks.extend(is_inside.then(|| text("<")));
        marks.push(trigger.mark.clone());
    }
    let tokens = marks.iter().flat_map(|mark| match mark {
        Mark::Text(text) => vocabulary.encode_longest(text).expect("every byte"),
        Mark::Token(text) => vec![vocabulary.token_by_text(text.as_bytes()).expect("a token")],
    });
    tokens.collect()
}

/// Random requests for each of these formats and vocabularies.
fn run(engines: &[(&'static Arc<Format>, Arc<Engine>)], cases: u32, max_tokens: usize) {
    let seen = RefCell::new(Seen::default());
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let result = TestRunner::new(config).run(&request(), |request| {
        engines.iter().try_for_each(|(format, engine)| {
            check(format, engine, &request, max_tokens, &mut seen.borrow_mut())
        })
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    let seen = seen.into_inner();
    assert!(seen.ended * 10 > seen.all * 6 && seen.calls * 2 > seen.all, "{seen:?}");
}

#[test]
fn calls_of_a_small_vocabulary() {
    let engines: Vec<_> = Format::all()
        .flat_map(|format| [true, false].map(|tokens| (format, small_vocabulary(format, tokens))))
        .collect();
    run(&engines, 24, 500);
}

#[test]
fn calls_of_a_real_vocabulary() {
    let engines: Vec<_> = Format::all().map(|format| (format, real_vocabulary(format))).collect();
    run(&engines, 4, 300);
}

/// A call that must come comes behind the reasoning, which has to end.
#[test]
fn a_call_behind_the_reasoning() {
    let tools = json!([{"type": "function", "function": {"name": "now"}}]);
    let tools = Tools::from_openai(&tools).expect("tools");
    for format in Format::all() {
        for engine in [true, false].map(|tokens| small_vocabulary(format, tokens)) {
            let (vocabulary, options) = (engine.vocabulary(), Options::default());
            let is_control = |text: &str| is_control(&engine, text);
            let plan = plan(&tools, &ToolChoice::Required, false, format, &is_control, &options);
            let plan = plan.expect("a plan").in_reasoning();
            let Some((_, end)) = plan.reasoning() else {
                assert_eq!(plan.behind, None);
                continue;
            };
            let end = match &end {
                Mark::Token(text) => vec![vocabulary.token_by_text(text.as_bytes()).expect("it")],
                Mark::Text(text) => vocabulary.encode_longest(text).expect("every byte"),
            };
            let mut constraint = plan_constraint(&engine, &plan).expect("it").expect("a call");
            for token in vocabulary.encode_longest("Hm, {").expect("every byte") {
                constraint.accept(token).expect("free text");
                assert!(!constraint.is_complete());
            }
            let everything = constraint.mask().count();
            for token in end {
                constraint.accept(token).expect("the end of it");
            }
            assert!(constraint.mask().count() < 12 && everything > 256, "{}", format.name());
            for _ in 0..2 {
                let line_end = vocabulary.token_by_text(b"\n").expect("every byte");
                constraint.accept(line_end).expect("a line end");
            }
            assert!(constraint.mask().count() < 12 && !constraint.is_complete());
        }
    }
}
