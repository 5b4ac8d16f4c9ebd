//! Chat templates: how a model wants the messages of a conversation written.
//!
//! They are Jinja as Hugging Face's `apply_chat_template` runs it: blocks leave no line ends and no
//! blanks behind (`trim_blocks`, `lstrip_blocks`), `break` and `continue` end loops, strings have the
//! methods that they have in Python, and there are `raise_exception`, `strftime_now`, and a `tojson`
//! that writes what Python's `json.dumps` does.

mod python;
#[cfg(test)]
mod tests;

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, SystemTime};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Value;
use minijinja::{Environment, Error, ErrorKind, context};
use thiserror::Error as ThisError;

/// Work and memory that a template may take: an instruction, or 64 bytes of what it makes, takes 1. The
/// templates of models take some thousands.
const FUEL: u64 = 500_000;

/// Lists that hold one list twice, and so on, look small and take forever to be written or compared, which
/// is no work that is counted.
const PATIENCE: Duration = Duration::from_secs(5);

/// Values within values need stack when they are written, compared and dropped; no template can nest them
/// deeper than its fuel allows.
const STACK: usize = 1 << 28;

/// What is told a model.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Conversation<'a> {
    pub(super) system: Option<&'a str>,
    pub(super) user: &'a str,
    /// A list of tools as in a request to the chat API of `OpenAI`.
    pub(super) tools: Option<&'a serde_json::Value>,
    /// The texts of the tokens that a model's texts begin and end with; empty if it has none.
    pub(super) bos: &'a str,
    pub(super) eos: &'a str,
}

/// Why a template gives no prompt.
#[derive(Debug, ThisError)]
pub(super) enum TemplateError {
    /// It is no template, or it went wrong.
    #[error("line {line}: {message}")]
    Template {
        /// Counted from 1.
        line: usize,
        /// What the matter is.
        message: String,
    },
    /// It takes too much time or memory.
    #[error(
        "takes more than {FUEL} steps, {} MiB or {} s",
        (FUEL * 64) >> 20,
        PATIENCE.as_secs()
    )]
    TooMuch,
    /// The tools cannot be given to it.
    #[error("the tools: {0}")]
    Tools(String),
    /// There is no room to run it.
    #[error("cannot be run: {0}")]
    Thread(#[from] std::io::Error),
}

impl From<Error> for TemplateError {
    fn from(error: Error) -> Self {
        if error.kind() == ErrorKind::OutOfFuel {
            return Self::TooMuch;
        }
        let message = match error.detail() {
            // What the template itself says is no mistake in it.
            Some(detail) if error.kind() == ErrorKind::InvalidOperation => detail.to_owned(),
            Some(detail) => format!("{}: {detail}", error.kind()),
            None => error.kind().to_string(),
        };
        Self::Template { line: error.line().unwrap_or(1), message }
    }
}

/// The prompt that a template makes of a conversation, up to where the model's answer begins. `now` is
/// the time that the template is told, if it asks.
///
/// # Errors
///
/// [`TemplateError`].
pub(super) fn apply(
    template: &str,
    conversation: &Conversation<'_>,
    now: SystemTime,
) -> Result<String, TemplateError> {
    apply_within(PATIENCE, template, conversation, now)
}

fn apply_within(
    patience: Duration,
    template: &str,
    conversation: &Conversation<'_>,
    now: SystemTime,
) -> Result<String, TemplateError> {
    let context = context_of(conversation)?;
    let template = without_marks(template);
    let (sender, result) = mpsc::channel();
    // A thread that takes too long is left behind: the program is about to end.
    thread::Builder::new().stack_size(STACK).spawn(move || {
        // Nobody may be waiting any more.
        let _ = sender.send(render(&template, context, now));
    })?;
    result.recv_timeout(patience).unwrap_or(Err(TemplateError::TooMuch))
}

/// What a template knows.
fn context_of(conversation: &Conversation<'_>) -> Result<Value, TemplateError> {
    let tools = match conversation.tools {
        Some(tools) => python::from_json(tools).map_err(TemplateError::Tools)?,
        None => Value::from(()),
    };
    let message = |role: &str, content: &str| context! { role, content };
    let system = conversation.system.map(|content| message("system", content));
    let user = message("user", conversation.user);
    Ok(context! {
        messages => system.into_iter().chain([user]).collect::<Vec<_>>(),
        tools,
        documents => (),
        add_generation_prompt => true,
        bos_token => conversation.bos,
        eos_token => conversation.eos,
    })
}

fn render(template: &str, context: Value, now: SystemTime) -> Result<String, TemplateError> {
    let mut environment = Environment::new();
    environment.set_fuel(Some(FUEL));
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
    environment.add_filter("tojson", python::to_json);
    environment.add_function("raise_exception", |message: String| -> Result<Value, Error> {
        Err(Error::new(ErrorKind::InvalidOperation, message))
    });
    environment
        .add_function("strftime_now", move |format: String| python::format_time(now, &format));
    Ok(environment.template_from_named_str("chat", template)?.render(context)?)
}

/// A template without the blocks that mark what an assistant has said, which are for training only
/// (`{% generation %}` of `transformers`): they become blocks that always count.
fn without_marks(template: &str) -> String {
    let mut rest = template;
    let mut plain = String::with_capacity(template.len());
    while let Some(at) = rest.find("{%") {
        let Some(len) = rest[at..].find("%}") else { break };
        let (before, block) = (&rest[..at], &rest[at + 2..at + len]);
        plain.push_str(before);
        let word = block.trim_matches(['-', '+']).trim();
        let replacement = match word {
            "generation" => Some("if true"),
            "endgeneration" => Some("endif"),
            _ => None,
        };
        if let Some(replacement) = replacement {
            plain.extend(["{%", &block.replace(word, replacement), "%}"]);
            rest = &rest[at + len + 2..];
        } else {
            plain.push_str("{%");
            rest = &rest[at + 2..];
        }
    }
    plain + rest
}
