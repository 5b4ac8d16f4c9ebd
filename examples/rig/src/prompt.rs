//! A conversation as the tokens of a prompt.

use grammask::agents::{Call, Mark, Plan};
use grammask::sampler::{TokenId, Vocabulary};
use rig_core::completion::CompletionRequest;
use rig_core::message::{
    AssistantContent, AssistantMessage, Message, ToolCall, ToolResult, ToolResultContent,
    UserContent,
};
use serde_json::{Value, json};

use crate::refusal::Refusal;

/// The format of calls that belongs to these prompts.
pub(crate) const FORMAT: &str = "hermes";

/// A prompt in `ChatML`, as Qwen and Hermes models read it: the conversation, and what is asked of the
/// answer. A model with a template of its own takes that instead.
///
/// Marks are control tokens where the vocabulary has them. What users, tools and models have said
/// is encoded as text, so that no mark in it is one.
pub(crate) fn prompt(
    request: &CompletionRequest,
    plan: &Plan,
    vocabulary: &Vocabulary,
) -> Result<Vec<TokenId>, Refusal> {
    let mut prompt = Prompt { vocabulary, tokens: Vec::new() };
    if let Some(task) = task(request) {
        prompt.turn("system", |prompt| prompt.text(&task))?;
    }
    for message in &request.chat_history {
        match message {
            Message::System { content } => {
                prompt.turn("system", |prompt| prompt.text(content))?;
            }
            Message::User { content } => {
                prompt.turn("user", |prompt| prompt.user(content))?;
            }
            Message::Assistant(AssistantMessage { content, .. }) => {
                prompt.turn("assistant", |prompt| prompt.assistant(content, plan))?;
            }
        }
    }
    prompt.mark("<|im_start|>")?;
    prompt.text("assistant\n")?;
    Ok(prompt.tokens)
}

/// What the answer is held to, in words: a model writes better what it knows of.
fn task(request: &CompletionRequest) -> Option<String> {
    let tools = request.tools.iter().map(|tool| {
        json!({"name": tool.name, "description": tool.description, "parameters": tool.parameters})
    });
    let tools: Vec<Value> = tools.collect();
    let tools = (!tools.is_empty()).then(|| format!("Tools: {}", Value::Array(tools)));
    let schema = request.output_schema.as_ref();
    let schema = schema.map(|schema| format!("Answer in JSON: {}", schema.as_value()));
    let parts: Vec<String> = tools.into_iter().chain(schema).collect();
    (!parts.is_empty()).then(|| parts.join("\n"))
}

struct Prompt<'v> {
    vocabulary: &'v Vocabulary,
    tokens: Vec<TokenId>,
}

impl Prompt<'_> {
    fn text(&mut self, text: &str) -> Result<(), Refusal> {
        self.tokens.extend(self.vocabulary.encode(text)?);
        Ok(())
    }

    fn mark(&mut self, text: &str) -> Result<(), Refusal> {
        self.tokens.extend(self.vocabulary.encode_with(text, self.vocabulary.control_ids())?);
        Ok(())
    }

    fn turn(
        &mut self,
        role: &str,
        content: impl FnOnce(&mut Self) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        self.mark("<|im_start|>")?;
        self.text(&format!("{role}\n"))?;
        content(self)?;
        self.mark("<|im_end|>")?;
        self.text("\n")
    }

    fn user(&mut self, content: &[UserContent]) -> Result<(), Refusal> {
        for part in content {
            match part {
                UserContent::Text(text) => self.text(&text.text)?,
                UserContent::ToolResult(result) => self.result(result)?,
                _ => return Err(Refusal::Content),
            }
        }
        Ok(())
    }

    fn result(&mut self, result: &ToolResult) -> Result<(), Refusal> {
        self.mark("<tool_response>")?;
        for part in &result.content {
            match part {
                ToolResultContent::Text(text) => self.text(&text.text)?,
                ToolResultContent::Json { value } => self.text(&value.to_string())?,
                ToolResultContent::Image(_) => return Err(Refusal::Content),
            }
        }
        self.mark("</tool_response>")
    }

    fn assistant(&mut self, content: &[AssistantContent], plan: &Plan) -> Result<(), Refusal> {
        for part in content {
            match part {
                AssistantContent::Text(text) => self.text(&text.text)?,
                AssistantContent::ToolCall(call) => self.call(call, plan)?,
                // What a model has thought in earlier turns, these models do not read again.
                AssistantContent::Reasoning(_) => {}
                _ => return Err(Refusal::Content),
            }
        }
        Ok(())
    }

    fn call(&mut self, call: &ToolCall, plan: &Plan) -> Result<(), Refusal> {
        let (name, arguments) = (&*call.function.name, call.function.arguments_value());
        let id = call.id.wire();
        let marks = plan.write(&[Call { name, id: &id, arguments: &arguments }]);
        for mark in marks.ok_or_else(|| Refusal::Call { name: name.to_owned() })? {
            match mark {
                Mark::Token(text) => self.mark(&text)?,
                Mark::Text(text) => self.text(&text)?,
            }
        }
        Ok(())
    }
}
