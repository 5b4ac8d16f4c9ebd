//! From a request to what the model may write.

use std::sync::Arc;

use grammask::agents::{Format, ToolChoice, ToolError, Tools, plan};
use grammask::json_schema::{Options, Order, Whitespace};
use grammask::sampler::{Engine, Mode, TokenId};
use grammask::{Session, grammar_constraint, is_control, plan_constraint, schema_constraint};
use rig_core::completion::CompletionRequest;
use rig_core::message;
use schemars::Schema;
use schemars::transform::{RecursiveTransform, Transform};
use serde_json::{Value, json};

use crate::prompt::{self, prompt};
use crate::refusal::Refusal;
use crate::wire::Payload;

/// The tokens of an answer if a request does not say how many there may be.
const MAX_TOKENS: u64 = 4_096;

/// One answer to be written.
pub(crate) struct Turn {
    pub(crate) prompt: Vec<TokenId>,
    /// It has a budget.
    pub(crate) session: Session,
    /// Whether any text is an answer.
    pub(crate) any_text: bool,
}

impl Turn {
    /// All that can be refused is refused here.
    pub(crate) fn new(engine: &Arc<Engine>, payload: &Payload) -> Result<Self, Refusal> {
        let Payload { request, settings, parallel } = payload;
        // A model is led to the declared names, in their order, and need not think of gaps.
        let (order, whitespace) = (Order::Declared, Whitespace::Python);
        let options = Options { order, whitespace, ..Options::default() };
        let (tools, choice) = tools(request)?;
        let format = Format::named(prompt::FORMAT).expect("grammask has the format");
        let is_control = |text: &str| is_control(engine, text);
        let plan = plan(&tools, &choice, *parallel, format, &is_control, &options)?;
        let calls = plan_constraint(engine, &plan).map_err(Refusal::Calls)?;
        let any_text = calls.is_none() && request.output_schema.is_none();
        // Where nothing can be called, what looks like a call is text.
        let parser = calls.is_some().then(|| plan.parser());
        let constraint = match (calls, &request.output_schema) {
            (Some(_), Some(_)) if choice == ToolChoice::Auto => {
                return Err(Refusal::SchemaAndTools);
            }
            // With a schema, too: a call that is required is all of the answer.
            (Some(calls), _) => calls,
            (None, Some(schema)) => {
                let schema = bounded(schema.as_value().clone()).to_string();
                schema_constraint(engine, &schema, &options).map_err(Refusal::Schema)?
            }
            (None, None) => {
                grammar_constraint(engine, "root ::= .*", "root").map_err(Refusal::Calls)?
            }
        };
        let chain = settings.chain(engine.vocabulary())?;
        let mut session = Session::new(constraint, chain, Mode::GrammarFirst);
        if let Some(parser) = parser {
            session = session.with_parser(parser);
        }
        let max_tokens = request.max_tokens.unwrap_or(MAX_TOKENS);
        session.set_budget(usize::try_from(max_tokens).unwrap_or(usize::MAX))?;
        let prompt = prompt(request, &plan, engine.vocabulary())?;
        for &token in &prompt {
            session.accept_prompt(token);
        }
        Ok(Self { prompt, session, any_text })
    }
}

/// The tools that may be called, and whether one must be.
fn tools(request: &CompletionRequest) -> Result<(Tools, ToolChoice), Refusal> {
    let mut offered: Vec<_> = request.tools.iter().collect();
    let choice = match &request.tool_choice {
        None | Some(message::ToolChoice::Auto) => ToolChoice::Auto,
        Some(message::ToolChoice::None) => ToolChoice::None,
        Some(message::ToolChoice::Required) => ToolChoice::Required,
        Some(message::ToolChoice::Specific { function_names: names }) => {
            if names.is_empty() {
                return Err(Refusal::NothingChosen);
            }
            let unknown = names.iter().find(|name| offered.iter().all(|tool| tool.name != **name));
            if let Some(name) = unknown {
                return Err(ToolError::Unknown { name: name.to_string() }.into());
            }
            offered.retain(|tool| names.contains(&tool.name));
            ToolChoice::Required
        }
    };
    let tools = offered.into_iter().map(|tool| {
        let parameters = bounded(tool.parameters.clone());
        let (name, description) = (&tool.name, &tool.description);
        let function = json!({"name": name, "description": description, "parameters": parameters});
        json!({"type": "function", "function": function})
    });
    Ok((Tools::from_openai(&Value::Array(tools.collect()))?, choice))
}

/// A schema whose integers fit into the types that schemars made it of: it names 32 and 64 bits as
/// `format`, which in JSON Schema is a name like any other.
fn bounded(schema: Value) -> Value {
    let Ok(mut schema) = Schema::try_from(schema.clone()) else { return schema };
    RecursiveTransform(|schema: &mut Schema| {
        let (least, most): (Value, Value) = match schema.get("format").and_then(Value::as_str) {
            Some("int32") => (i32::MIN.into(), i32::MAX.into()),
            Some("int64" | "int") => (i64::MIN.into(), i64::MAX.into()),
            Some("uint32") => (0.into(), u32::MAX.into()),
            Some("uint64" | "uint") => (0.into(), u64::MAX.into()),
            _ => return,
        };
        for (key, bound) in [("minimum", least), ("maximum", most)] {
            if schema.get(key).is_none() {
                schema.insert(key.to_owned(), bound);
            }
        }
    })
    .transform(&mut schema);
    schema.to_value()
}
