//! What comes out of rig's own interfaces, over a model without weights.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use futures::StreamExt;
use grammask::sampler::{BudgetError, Engine, TokenId, Vocabulary};
use grammask::{LanguageModel, ModelError, RandomModel};
use grammask_rig::{Local, LocalModel, Refusal};
use rig_agent::AgentBuilder;
use rig_agent::extractor::ExtractorBuilder;
use rig_core::Model;
use rig_core::completion::{CompletionRequest, CompletionResponse, FinishReason, ToolDefinition};
use rig_core::error::ProviderError;
use rig_core::message::{AssistantContent, Message, ToolChoice, ToolName, ToolResultContent};
use rig_core::streaming::{Item, StreamEvent};
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::json;

const SEEDS: u64 = 20;

static ENGINE: LazyLock<Arc<Engine>> =
    LazyLock::new(|| Engine::new(Vocabulary::from_name("o200k_base").expect("a known vocabulary")));

fn model() -> Model<Local, LocalModel<RandomModel>> {
    LocalModel::new(&ENGINE, RandomModel::new(&ENGINE, 1)).completion("random")
}

/// Something of each kind that types have.
#[derive(Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Order {
    #[schemars(length(max = 30))]
    customer: String,
    items: Vec<Line>,
    paid: bool,
    discount: Option<f64>,
    shipping: Shipping,
}

#[derive(Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Line {
    article: u64,
    count: u32,
    change: i64,
}

#[derive(Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "by", rename_all = "snake_case")]
enum Shipping {
    Letter,
    Parcel { grams: u16 },
}

/// Keys that it does not declare may come too.
#[derive(Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
struct Open {
    id: i32,
    tag: char,
}

#[tokio::test]
async fn an_answer_in_a_schema_is_a_value_of_the_type() {
    let agent = AgentBuilder::new(model()).build();
    let mut seen = HashSet::new();
    for seed in 0..SEEDS {
        let order = agent.prompt_typed::<Order>("An order").max_tokens(300).seed(seed).await;
        let order = order.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert!(order.usage.output_tokens.is_some_and(|tokens| tokens <= 300), "seed {seed}");
        seen.insert(serde_json::to_string(&order.output).expect("it is JSON"));
        let open = agent.prompt_typed::<Open>("Something").max_tokens(60).seed(seed).await;
        open.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
    assert!(seen.len() > SEEDS as usize / 2, "{seen:?}");
}

#[tokio::test]
async fn what_is_extracted_is_a_value_of_the_type() {
    let extractor = ExtractorBuilder::<Order>::new(model()).max_tokens(300).build();
    for seed in 0..SEEDS {
        let order = extractor.extract("Two of 17").seed(seed).await;
        let order = order.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(order.completion_calls().len(), 1, "seed {seed}: at once");
    }
}

fn tool<T: JsonSchema>(name: &str) -> ToolDefinition {
    let name = ToolName::new(name).expect("a name");
    ToolDefinition::new(name, "A tool", schema_for!(T).to_value())
}

fn with_tools(seed: u64) -> CompletionRequest {
    let request = CompletionRequest::new("Do something").seed(seed).max_tokens(300);
    request.tools(vec![tool::<Order>("order"), tool::<Line>("line")])
}

fn arguments<T: for<'de> Deserialize<'de>>(response: &CompletionResponse, name: &str) -> Vec<T> {
    let calls = response.tool_calls().inspect(|call| {
        assert_eq!(&*call.function.name, name);
        assert_eq!(call.function.invalid_arguments, None);
    });
    calls
        .map(|call| serde_json::from_value(call.function.arguments_value()).expect("arguments"))
        .collect()
}

#[tokio::test]
async fn calls_are_read_back_with_valid_arguments() {
    for seed in 0..SEEDS {
        let only = |name| ToolChoice::Specific {
            function_names: vec![ToolName::new(name).expect("a name")],
        };
        let response = model().call(with_tools(seed).tool_choice(only("line"))).await;
        let response = response.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert!(!arguments::<Line>(&response, "line").is_empty());
        assert_eq!(response.text().trim(), "", "seed {seed}: a call and nothing else");
        assert_eq!(response.finish_reason(), Some(FinishReason::ToolCalls));

        let request = with_tools(seed).tool_choice(only("order")).parallel_tool_calls(false);
        let response = model().call(request).await.expect("a response");
        assert_eq!(arguments::<Order>(&response, "order").len(), 1, "seed {seed}");
    }
}

#[tokio::test]
async fn a_call_and_its_result_are_read_again() {
    let request = with_tools(1).tool_choice(ToolChoice::Required);
    let first = model().call(request.clone()).await.expect("a response");
    let call = first.tool_calls().next().expect("a call");
    let result = Message::from(call.result(vec![ToolResultContent::text("12")]));
    let request = request.message(first.message().expect("a message")).message(result);
    let second = model().call(request.tool_choice(ToolChoice::None)).await.expect("a response");
    assert_eq!(second.tool_calls().count(), 0);
    assert!(second.usage.input_tokens > first.usage.input_tokens);
}

/// Wants to write a text, whatever the prompt.
struct Script {
    wanted: Vec<TokenId>,
    prompt: Option<usize>,
    logits: Vec<f32>,
}

impl LanguageModel for Script {
    fn vocabulary(&self) -> &Vocabulary {
        ENGINE.vocabulary()
    }

    fn logits(&mut self, tokens: &[TokenId]) -> Result<&[f32], ModelError> {
        let at = tokens.len() - *self.prompt.get_or_insert(tokens.len());
        let next = self.wanted.get(at).copied().unwrap_or(ENGINE.vocabulary().eog_ids()[0]);
        self.logits = vec![0.0; ENGINE.vocabulary().len()];
        self.logits[next.index()] = 100.0;
        Ok(&self.logits)
    }
}

async fn scripted(request: CompletionRequest, text: &str) -> CompletionResponse {
    let wanted = ENGINE.vocabulary().encode(text).expect("the vocabulary has each byte");
    let script = Script { wanted, prompt: None, logits: Vec::new() };
    let model = LocalModel::new(&ENGINE, script).completion("script");
    model.call(request.temperature(0.0)).await.expect("a response")
}

#[tokio::test]
async fn thinking_text_and_calls_are_told_apart() {
    let before = "<think>\nHm.\n</think>\nLet me see.\n<tool_call>\n{\"name\": \"line\", ";
    let count = |count| {
        let line = format!("{{\"article\": 17, \"count\": {count}, \"change\": -1}}");
        format!("{before}\"arguments\": {line}}}\n</tool_call>")
    };
    let response = scripted(with_tools(1), &count("2")).await;
    assert_eq!((response.reasoning().trim(), response.text().trim()), ("Hm.", "Let me see."));
    let line = Line { article: 17, count: 2, change: -1 };
    assert_eq!(arguments::<Line>(&response, "line"), [line]);
    // What no count is cannot be written.
    for wrong in ["-2", "4294967296", "\"two\"", "null", "2.5"] {
        let response = scripted(with_tools(1), &count(wrong)).await;
        assert_eq!(arguments::<Line>(&response, "line").len(), 1, "{wrong}");
    }
    // Nor a tool that there is not.
    let delete = "<tool_call>\n{\"name\": \"delete\", \"arguments\": {}}\n";
    let response = scripted(with_tools(1), delete).await;
    let names: Vec<_> = response.tool_calls().map(|call| call.function.name.to_string()).collect();
    assert!(matches!(&*names, [name] if name == "order" || name == "line"), "{names:?}");
}

#[tokio::test]
async fn several_calls_are_made_only_if_they_are_wanted() {
    let line = "{\"article\": 1, \"count\": 2, \"change\": 3}";
    let call =
        format!("<tool_call>\n{{\"name\": \"line\", \"arguments\": {line}}}\n</tool_call>\n");
    let twice = call.repeat(2);
    let request = || with_tools(1).tool_choice(ToolChoice::Required);
    assert_eq!(scripted(request(), twice.trim()).await.tool_calls().count(), 2);
    let one = scripted(request().parallel_tool_calls(false), twice.trim()).await;
    assert_eq!(one.tool_calls().count(), 1);
}

#[tokio::test]
async fn without_temperature_no_seed_matters() {
    let mut texts = [HashSet::new(), HashSet::new()];
    for (temperature, texts) in [0.0, 1.0].into_iter().zip(&mut texts) {
        for seed in 0..5 {
            let request = CompletionRequest::new("An order").output_schema(schema_for!(Order));
            let request = request.temperature(temperature).seed(seed).max_tokens(200);
            texts.insert(model().call(request).await.expect("a response").text());
        }
    }
    assert_eq!((texts[0].len(), texts[1].len()), (1, 5));
}

#[tokio::test]
async fn a_stream_is_the_answer_piece_by_piece() {
    for seed in 0..SEEDS {
        let request = with_tools(seed).tool_choice(ToolChoice::Required);
        let whole = model().call(request.clone()).await.expect("a response");
        let mut stream = model().stream(request).expect("a stream");
        let (mut pieces, mut ends) = (Vec::new(), Vec::new());
        while let Some(item) = stream.next().await {
            match item.expect("no error") {
                Item::Event(StreamEvent::Arguments { json, .. }) => pieces.push(json),
                Item::Event(StreamEvent::End { content, .. }) => ends.push(content),
                _ => {}
            }
        }
        let calls = |all: &[AssistantContent]| -> Vec<_> {
            let calls = all.iter().filter_map(|content| match content {
                AssistantContent::ToolCall(call) => Some(call.function.clone()),
                _ => None,
            });
            calls.collect()
        };
        // What each call has been given is new: its id.
        assert_eq!(calls(&ends), calls(&whole.choice), "seed {seed}");
        assert!(pieces.len() > calls(&ends).len(), "seed {seed}: {pieces:?}");
    }
}

#[tokio::test]
async fn a_budget_that_cannot_be_kept_is_an_error_with_both_numbers() {
    let request = CompletionRequest::new("An order").output_schema(schema_for!(Order));
    let error = model().call(request.clone().max_tokens(7)).await.expect_err("7 are too few");
    let ProviderError::Request(source) = &error else { panic!("{error:?}") };
    let Some(Refusal::Budget(BudgetError::TooSmall { budget: 7, needed, .. })) =
        source.downcast_ref()
    else {
        panic!("{error:?}")
    };
    let message = error.to_string();
    assert!(message.contains(" 7 ") && message.contains(&needed.to_string()), "{message}");
    // Just enough is enough.
    let response = model().call(request.max_tokens(*needed as u64)).await.expect("a response");
    serde_json::from_str::<Order>(&response.text()).expect("an order");
    assert_eq!(response.finish_reason(), Some(FinishReason::Stop));

    let agent = AgentBuilder::new(model()).max_tokens(7).build();
    let error = agent.prompt_typed::<Order>("An order").await.expect_err("7 are too few");
    let message = error.to_string();
    assert!(message.contains(" 7 ") && message.contains(&needed.to_string()), "{message}");
}

#[tokio::test]
async fn free_text_ends_with_its_budget_and_says_so() {
    let mut cut = 0;
    for seed in 0..SEEDS {
        let request = CompletionRequest::new("Talk").seed(seed).max_tokens(3);
        let response = model().call(request).await.expect("a response");
        let tokens = response.usage.output_tokens.expect("it is counted");
        assert!(tokens <= 3);
        let is_cut = response.finish_reason() == Some(FinishReason::Length);
        assert_eq!(is_cut, tokens == 3, "seed {seed}");
        cut += u32::from(is_cut);
    }
    assert!(cut > 0);
}

#[tokio::test]
async fn what_cannot_be_honoured_is_refused() {
    let text = || CompletionRequest::new("Talk").max_tokens(9);
    let schema = schema_for!(Order);
    let nobody =
        ToolChoice::Specific { function_names: vec![ToolName::new("nobody").expect("a name")] };
    for (request, message) in [
        (with_tools(1).output_schema(schema), "output_schema and tools"),
        (with_tools(1).tool_choice(nobody), "no tool is named \"nobody\""),
        (text().tool_choice(ToolChoice::Required), "there are no tools"),
        (text().stop(["."]), "stop"),
        (text().seed(1 << 40), "seed"),
        (text().model("another".to_owned()), "another"),
        (text().additional_params(json!({"temprature": 1})), "temprature"),
    ] {
        let error = model().call(request).await.expect_err(message);
        assert!(error.to_string().contains(message), "{error}");
    }
}
