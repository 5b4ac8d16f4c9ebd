//! Requests that have a plan, and those that have none: `fixtures/tool_requests`.

use std::fs;

use grammask_agents::{Activation, Call, Format, Mark, Plan, ToolChoice, ToolError, Tools, plan};
use grammask_gbnf::{Automaton, Matcher};
use grammask_json_schema::{Notation, Options, Order};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    tools: Value,
    #[serde(default)]
    choice: Value,
    #[serde(default)]
    parallel: bool,
    #[serde(default)]
    format: Option<String>,
    /// The message of the error.
    #[serde(default)]
    error: Option<String>,
    /// `never`, `always`, or what brings the grammar into force.
    #[serde(default)]
    activation: Value,
    #[serde(default)]
    accept: Vec<String>,
    #[serde(default)]
    reject: Vec<String>,
}

fn made(row: &Row) -> Result<Plan, ToolError> {
    let tools = Tools::from_openai(&row.tools)?;
    let choice = ToolChoice::from_openai(&row.choice)?;
    let format = Format::named(row.format.as_deref().unwrap_or("hermes")).unwrap();
    plan(&tools, &choice, row.parallel, format, &|_| false, &Options::default())
}

fn described(activation: &Activation) -> Value {
    match activation {
        Activation::Never => json!("never"),
        Activation::Always => json!("always"),
        Activation::OnTrigger { triggers, again } => {
            let triggers = triggers.iter().map(|trigger| match &trigger.mark {
                Mark::Text(text) | Mark::Token(text) => text.clone(),
            });
            json!({"triggers": triggers.collect::<Vec<_>>(), "again": again})
        }
    }
}

#[test]
fn requests() {
    let folder = format!("{}/../fixtures/tool_requests", env!("CARGO_MANIFEST_DIR"));
    let mut failures = Vec::new();
    let mut rows = 0;
    for file in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        for row in serde_json::from_str::<Vec<Row>>(&text).unwrap() {
            rows += 1;
            check(&row, &mut failures);
        }
    }
    assert!(rows > 20);
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

fn check(row: &Row, failures: &mut Vec<String>) {
    let name = &row.name;
    let plan = match (made(row), &row.error) {
        (Ok(plan), None) => plan,
        (Ok(_), Some(error)) => return failures.push(format!("{name}: not {error:?}")),
        (Err(error), expected) => {
            if Some(error.to_string()) != *expected {
                failures.push(format!("{name}: {error}"));
            }
            return;
        }
    };
    let activation = described(&plan.activation);
    if activation != row.activation {
        failures.push(format!("{name}: {activation}"));
    }
    if plan.activation == Activation::Never {
        assert!(plan.grammar.rules.is_empty());
        return;
    }
    let automaton = Automaton::compile(&plan.grammar, "root").unwrap();
    let takes = |text: &str| {
        let mut matcher = Matcher::new(&automaton);
        matcher.advance(text.as_bytes()).is_ok() && matcher.is_complete()
    };
    failures
        .extend(row.accept.iter().filter(|it| !takes(it)).map(|it| format!("{name}: not {it:?}")));
    failures.extend(row.reject.iter().filter(|it| takes(it)).map(|it| format!("{name}: {it:?}")));
}

#[test]
fn a_thousand_tools() {
    let tool = |at: usize| {
        let length = json!({"type": "string", "maxLength": at % 7});
        let parameters = json!({"type": "object", "properties": {"a": length}, "required": ["a"]});
        let name = format!("tool_{at}");
        json!({"type": "function", "function": {"name": name, "parameters": parameters}})
    };
    let mut all: Vec<Value> = (0..1_000).map(tool).collect();
    let tools = Tools::from_openai(&json!(all)).unwrap();
    for format in Format::all() {
        let plan =
            plan(&tools, &ToolChoice::Auto, true, format, &|_| false, &Options::default()).unwrap();
        // What strings, numbers and so on are is there once.
        assert!(plan.grammar.rules.len() < 4_100, "{}", plan.grammar.rules.len());
        Automaton::compile(&plan.grammar, "root").unwrap();
    }
    // The error names the tool.
    all[777]["function"]["parameters"]["properties"]["a"] = json!({"pattern": "(a)\\1"});
    let tools = Tools::from_openai(&json!(all)).unwrap();
    let format = Format::named("hermes").unwrap();
    let error = plan(&tools, &ToolChoice::Auto, true, format, &|_| false, &Options::default());
    let Err(ToolError::Schema { tool: name, pointer, .. }) = error else { panic!() };
    assert_eq!(name, "tool_777");
    assert_eq!(pointer, "/777/function/parameters/properties/a/pattern");
    let many = Tools::from_openai(&json!(vec![tool(0); Tools::MOST + 1]));
    assert_eq!(many, Err(ToolError::TooMany { limit: Tools::MOST }));
}

#[test]
fn plain_grammars() {
    let tools = json!([{"type": "function", "function": {"name": "f", "parameters": {
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a"],
    }}}]);
    let tools = Tools::from_openai(&tools).unwrap();
    let options =
        Options { notation: Notation::Plain, order: Order::Declared, ..Options::default() };
    for format in Format::all() {
        let made = plan(&tools, &ToolChoice::Auto, true, format, &|_| false, &options);
        if ["functionary-v3.2", "harmony"].contains(&format.name()) {
            assert!(matches!(made, Err(ToolError::Notation { .. })), "{}", format.name());
            continue;
        }
        let printed = made.unwrap().grammar.to_string();
        assert!(!printed.contains('@'), "{printed}");
        grammask_gbnf::ParseConfig::new()
            .dialect(grammask_gbnf::Dialect::LlamaCpp)
            .parse(&printed)
            .unwrap_or_else(|error| panic!("{}: {error}\n{printed}", format.name()));
    }
}

/// The tree of a plan is what its printed form reads as.
#[test]
fn printed_plans_parse_to_themselves() {
    let tools = json!([
        {"type": "function", "function": {"name": "f", "parameters": {
            "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a"],
        }}},
        {"type": "function", "function": {"name": "g"}},
    ]);
    let tools = Tools::from_openai(&tools).unwrap();
    for format in Format::all() {
        let control = |text: &str| {
            // GBNF has no names for tokens that are not in angle brackets.
            let is_named = text.starts_with('<') && text.ends_with('>');
            is_named && format.control().iter().any(|it| it == text)
        };
        for choice in [ToolChoice::Auto, ToolChoice::Required] {
            for is_control in [&control as &dyn Fn(&str) -> bool, &|_| false] {
                let made = plan(&tools, &choice, true, format, is_control, &Options::default());
                let grammar = made.unwrap().grammar;
                let printed = grammar.to_string();
                let read = grammask_gbnf::parse(&printed);
                assert_eq!(read.as_ref(), Ok(&grammar), "{}\n{printed}", format.name());
            }
        }
    }
}

/// Elements that begin with a token, in every order of members.
#[test]
fn tokens_before_keys() {
    let tools = json!([{"type": "function", "function": {"name": "f", "parameters": {
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
        "additionalProperties": {"type": "boolean"}, "maxProperties": 3,
    }}}]);
    let tools = Tools::from_openai(&tools).unwrap();
    let format = Format::named("deepseek-v3.2").unwrap();
    for order in [Order::Any, Order::Declared, Order::RequiredFirst] {
        let options = Options { order, ..Options::default() };
        let is_control = |text: &str| text == "｜DSML｜";
        let made = plan(&tools, &ToolChoice::Required, false, format, &is_control, &options);
        let plan = made.unwrap();
        let automaton = Automaton::compile(&plan.grammar, "root").unwrap();
        let takes = |arguments: Value| {
            let call = Call { name: "f", id: "", arguments: &arguments };
            let mut matcher = Matcher::new(&automaton);
            let read = plan.write(&[call]).unwrap().iter().all(|mark| match mark {
                Mark::Text(text) => matcher.advance(text.as_bytes()).is_ok(),
                Mark::Token(_) => matcher.advance_token(None, |_| true).is_ok(),
            });
            read && matcher.is_complete()
        };
        for arguments in [
            json!({}),
            json!({"b": 1}),
            json!({"a": "x", "b": 1, "c": true}),
            json!({"c": true, "d": false}),
        ] {
            assert!(takes(arguments.clone()), "{order:?} {arguments}");
        }
        assert_eq!(takes(json!({"c": true, "a": "x"})), order == Order::Any);
        for arguments in
            [json!({"b": "1"}), json!({"c": 1}), json!({"a": "", "b": 1, "c": true, "d": true})]
        {
            assert!(!takes(arguments.clone()), "{order:?} {arguments}");
        }
    }
}
