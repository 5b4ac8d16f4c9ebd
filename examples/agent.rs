//! An agent: a model that may call tools, which are run and answered until it has no more to ask.
//!
//!     cargo run --example agent

mod script;

use std::error::Error;
use std::fmt::Write;
use std::ops::ControlFlow;

use grammask::agents::{Event, Format, ToolChoice, Tools, plan};
use grammask::json_schema::Options;
use grammask::sampler::{Chain, Engine, Greedy, Mode, Vocabulary};
use grammask::{Session, generate, is_control, plan_constraint};
use script::Script;
use serde_json::{Value, json};

/// The tool itself.
fn weather(arguments: &Value) -> Value {
    json!({"city": arguments["city"], "sky": "clear", "days": arguments["days"]})
}

/// The conversation, a line for each part.
fn run() -> Result<String, Box<dyn Error + Send + Sync>> {
    let engine = Engine::new(Vocabulary::from_name("o200k_base")?);
    let tools = Tools::from_openai(&json!([{"type": "function", "function": {
        "name": "weather",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1}},
            "required": ["city", "days"],
            "additionalProperties": false
        }
    }}]))?;
    let format = Format::named("hermes").ok_or("no such format")?;
    let is_control = |text: &str| is_control(&engine, text);
    let plan = plan(&tools, &ToolChoice::Auto, true, format, &is_control, &Options::default())?;
    let constraint = plan_constraint(&engine, &plan)?.ok_or("there is a tool")?;

    let call = r#"{"name": "weather", "arguments": {"city": "Oslo", "days": 2}}"#;
    let first = format!("I look it up.\n<tool_call>\n{call}\n</tool_call>");
    let mut conversation = String::new();
    for said in [&*first, "It will be clear."] {
        let mut model = Script::new(engine.vocabulary(), said)?;
        let mut chain = Chain::new();
        chain.add(Greedy);
        let mut session =
            Session::new(constraint.clone(), chain, Mode::GrammarFirst).with_parser(plan.parser());
        let mut events = Vec::new();
        generate(&mut model, &mut session, 500, |session, _| {
            events.extend(session.events());
            ControlFlow::Continue(())
        })?;
        events.extend(session.last_events());

        let (mut name, mut said, mut answers) = (String::new(), String::new(), Vec::new());
        for event in events {
            match event {
                Event::Content { text } => said += &text,
                Event::CallStart { name: called, .. } => name = called,
                Event::CallEnd { arguments, .. } => {
                    writeln!(conversation, "calls {name} with {arguments}")?;
                    answers.push(weather(&arguments));
                }
                Event::Error { text, reason, .. } => {
                    writeln!(conversation, "malformed ({reason}): {text}")?;
                }
                Event::Reasoning { .. } | Event::Arguments { .. } => {}
            }
        }
        writeln!(conversation, "says {:?}", said.trim())?;
        if answers.is_empty() {
            break;
        }
        // A real model would find these in its next prompt.
        for answer in answers {
            writeln!(conversation, "is told {answer}")?;
        }
    }
    Ok(conversation)
}

#[allow(clippy::print_stdout)] // Its purpose.
fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    print!("{}", run()?);
    Ok(())
}

#[test]
fn a_tool_is_called_and_answered() -> Result<(), Box<dyn Error + Send + Sync>> {
    let expected = [
        r#"calls weather with {"city":"Oslo","days":2}"#,
        r#"says "I look it up.""#,
        r#"is told {"city":"Oslo","sky":"clear","days":2}"#,
        r#"says "It will be clear.""#,
    ];
    assert_eq!(run()?.lines().collect::<Vec<_>>(), expected);
    Ok(())
}
