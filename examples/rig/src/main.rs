//! Agents of rig over a model that knows nothing: what it writes is noise, and valid.

use std::convert::Infallible;

use grammask::json_schema::Options;
use grammask::sampler::Vocabulary;
use grammask::{RandomModel, engine_for_schemas};
use grammask_rig::LocalModel;
use rig_agent::AgentBuilder;
use rig_agent::agent::hook::{CompletionCallAction, CompletionCallEvent};
use rig_agent::agent::{AgentHook, HookContext};
use rig_agent::run::RequestPatch;
use rig_core::message::ToolChoice;
use rig_core::tool::PortableTool;
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is asked for.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Person {
    #[schemars(length(min = 1, max = 20))]
    name: String,
    age: u8,
    languages: Vec<Language>,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Language {
    English,
    French,
    Hungarian,
}

/// A tool that may be called.
struct Add;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Summands {
    left: i32,
    right: i32,
}

impl PortableTool for Add {
    const NAME: &'static str = "add";
    type Args = Summands;
    type Output = i64;
    type Error = Infallible;

    fn description(&self) -> String {
        "Adds two numbers".to_owned()
    }

    fn parameters(&self) -> Value {
        schema_for!(Summands).to_value()
    }

    async fn call(&self, summands: Summands) -> Result<i64, Infallible> {
        println!("the tool is called: {summands:?}");
        Ok(i64::from(summands.left) + i64::from(summands.right))
    }
}

/// One call, then text: noise would hardly call a tool by itself, nor stop to call one.
struct CallOnce;

impl AgentHook for CallOnce {
    async fn on_completion_call(
        &self,
        _: &HookContext,
        event: CompletionCallEvent<'_>,
    ) -> CompletionCallAction {
        let choice = if event.turn == 1 { ToolChoice::Required } else { ToolChoice::None };
        CompletionCallAction::patch(RequestPatch::new().tool_choice(choice))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = engine_for_schemas(Vocabulary::from_name("o200k_base")?, &Options::default())?;
    let model = LocalModel::new(&engine, RandomModel::new(&engine, 1)).completion("random");

    let agent = AgentBuilder::new(model.clone()).output_schema::<Person>().max_tokens(120).build();
    println!("an answer: {}", agent.prompt("Who are you?").await?.output());
    let person = agent.prompt_typed::<Person>("And who else?").seed(7).await?.output;
    println!("another one: {person:?}");

    let agent = AgentBuilder::new(model).tool(Add).max_tokens(40).build();
    let run = agent.prompt("What is 2 + 3?").add_hook(CallOnce).max_turns(2).await?;
    println!("what is said about it: {:?}", run.output());

    let refused = agent.prompt("What is 2 + 3?").add_hook(CallOnce).max_tokens(5).await;
    println!("in 5 tokens: {}", refused.err().ok_or("a call in 5 tokens?")?);
    Ok(())
}
