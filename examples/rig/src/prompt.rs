//! A conversation as the tokens of a prompt.

use grammask::agents::{Call, Mark, Plan};
use grammask::sampler::{TokenId, Vocabulary};
use rig_core::completion::CompletionRequest;
use rig_core::message::{AssistantContent, Message, ToolCall, ToolResultContent, UserContent};
use serde_json::json;

use crate::refusal::Refusal;

/// The format of calls that belongs to these prompts.
pub(crate) const FORMAT: &str = "hermes";

/// A prompt in `ChatML`, as Qwen and Hermes models read it: what is asked of the answer, and the
/// conversation. A model with a template of its own takes that instead.
///
/// Marks are control tokens where the vocabulary has them. What users, tools and models have said
/// is encoded as text, so that no mark in it is one.
pub(crate) fn prompt(
    request: &CompletionRequest,
    plan: &Plan,
    vocabulary: &Vocabulary,
) -> Result<Vec<TokenId>, Refusal> {
    let mut prompt = Prompt { vocabulary, tokens: Vec::new() };
    for message in task(request).iter().chain(&request.chat_history) {
        prompt.message(message, plan)?;
    }
    prompt.mark("<|im_start|>")?;
    prompt.text("assistant\n")?;
    Ok(prompt.tokens)
}

/// What the answer is held to, in words: a model writes better what it knows of.
fn task(request: &CompletionRequest) -> Option<Message> {
    let tools = (!request.tools.is_empty()).then(|| format!("Tools: {}", json!(request.tools)));
    let schema = request.output_schema.as_ref().map(|it| format!("Answer in JSON: {}", json!(it)));
    let parts: Vec<String> = tools.into_iter().chain(schema).collect();
    (!parts.is_empty()).then(|| Message::system(parts.join("\n")))
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

    fn message(&mut self, message: &Message, plan: &Plan) -> Result<(), Refusal> {
        self.mark("<|im_start|>")?;
        match message {
            Message::System { content } => {
                self.text("system\n")?;
                self.text(content)?;
            }
            Message::User { content } => {
                self.text("user\n")?;
                content.iter().try_for_each(|part| self.user(part))?;
            }
            Message::Assistant(turn) => {
                self.text("assistant\n")?;
                turn.content.iter().try_for_each(|part| self.assistant(part, plan))?;
            }
        }
        self.mark("<|im_end|>")?;
        self.text("\n")
    }

    fn user(&mut self, part: &UserContent) -> Result<(), Refusal> {
        match part {
            UserContent::Text(text) => self.text(&text.text),
            UserContent::ToolResult(result) => {
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
            _ => Err(Refusal::Content),
        }
    }

    fn assistant(&mut self, part: &AssistantContent, plan: &Plan) -> Result<(), Refusal> {
        match part {
            AssistantContent::Text(text) => self.text(&text.text),
            AssistantContent::ToolCall(call) => self.call(call, plan),
            // What they have thought in earlier turns, these models do not read again.
            AssistantContent::Reasoning(_) => Ok(()),
            _ => Err(Refusal::Content),
        }
    }

    fn call(&mut self, call: &ToolCall, plan: &Plan) -> Result<(), Refusal> {
        let (name, arguments) = (&*call.function.name, call.function.arguments_value());
        let call = Call { name, id: &call.id.wire(), arguments: &arguments };
        let marks = plan.write(&[call]).ok_or_else(|| Refusal::Call { name: name.to_owned() })?;
        marks.iter().try_for_each(|mark| match mark {
            Mark::Token(text) => self.mark(text),
            Mark::Text(text) => self.text(text),
        })
    }
}
