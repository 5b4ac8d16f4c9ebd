//! The tools of a request, and which of them may be called.

use std::collections::HashSet;

use grammask_json_schema::SchemaError;
use serde_json::{Map, Value, json};
use thiserror::Error;

/// The functions that a model may call.
///
/// ```
/// use grammask_agents::Tools;
/// use serde_json::json;
///
/// let tools = Tools::from_openai(&json!([
///     {"type": "function", "function": {"name": "now"}},
///     {"type": "function", "function": {"name": "add", "parameters": {
///         "type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}},
///     }}},
/// ]))?;
/// assert_eq!(tools.iter().map(|tool| tool.name()).collect::<Vec<_>>(), ["now", "add"]);
///
/// let error = Tools::from_openai(&json!([{"type": "function", "function": {}}])).unwrap_err();
/// assert_eq!(error.to_string(), "a name expected at /0/function/name");
/// # Ok::<(), grammask_agents::ToolError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tools {
    tools: Vec<Tool>,
}

/// A function that a model may call.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    name: String,
    description: Option<String>,
    parameters: Value,
    strict: bool,
    /// Where its parameters stand among the tools.
    pointer: String,
}

/// Which tools must or may be called: `tool_choice`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// Any or none.
    #[default]
    Auto,
    /// None.
    None,
    /// At least one.
    Required,
    /// This one.
    Named(String),
}

/// What is wrong with tools, or with a choice among them.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ToolError {
    /// Something is not what the API of `OpenAI` has there.
    #[error("{expected} expected at {}", Place(.pointer))]
    Invalid {
        /// What should be there.
        expected: &'static str,
        /// The JSON Pointer of the place in the tools or the choice.
        pointer: String,
    },
    /// A name has other characters than letters, digits, `_` and `-`, or more than 64.
    #[error("the tool name {name:?} at {pointer} is not 1 to 64 letters, digits, `_` and `-`")]
    Name {
        /// The name.
        name: String,
        /// The JSON Pointer of the name.
        pointer: String,
    },
    /// Two tools have one name.
    #[error("the tool {name:?} at {pointer} is there twice; rename one of them")]
    Duplicate {
        /// The name.
        name: String,
        /// The JSON Pointer of the second one's name.
        pointer: String,
    },
    /// The parameters of a tool have no translation.
    #[error("the tool {tool:?}, parameters at {pointer}: {error}")]
    Schema {
        /// The tool.
        tool: String,
        /// The JSON Pointer of the place, within the tools.
        pointer: String,
        /// What is wrong; its pointers begin at the parameters.
        error: Box<SchemaError>,
    },
    /// No object is valid for the parameters of a tool: it cannot be called.
    #[error("the tool {tool:?} cannot be called: no object is valid at {pointer}")]
    Uncallable {
        /// The tool.
        tool: String,
        /// The JSON Pointer of its parameters.
        pointer: String,
    },
    /// The choice names a tool that there is not.
    #[error("no tool is named {name:?}, which the tool choice asks for")]
    Unknown {
        /// The name.
        name: String,
    },
    /// Plain GBNF cannot say what content of the format is.
    #[error(
        "plain GBNF cannot say where content of the format {format} ends; the extended notation can"
    )]
    Notation {
        /// The format.
        format: String,
    },
    /// A call is required, but there are no tools.
    #[error("a call is required, but there are no tools")]
    NoTools,
    /// More tools than allowed.
    #[error("more than {limit} tools")]
    TooMany {
        /// How many are allowed.
        limit: usize,
    },
}

/// A JSON Pointer in a sentence.
struct Place<'a>(&'a str);

impl std::fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_empty() { "the root" } else { self.0 })
    }
}

fn invalid(expected: &'static str, pointer: impl Into<String>) -> ToolError {
    ToolError::Invalid { expected, pointer: pointer.into() }
}

/// A member of an object that may be missing; `null` counts as missing, as clients send it.
fn member<'v>(object: &'v Map<String, Value>, key: &str) -> Option<&'v Value> {
    object.get(key).filter(|value| !value.is_null())
}

impl Tools {
    /// The most tools of a request.
    pub const MOST: usize = 10_000;

    /// Reads the `tools` of a request to the chat API of `OpenAI`: a list of
    /// `{"type": "function", "function": {"name", "description", "parameters", "strict"}}`, of which
    /// only the name must be there. Without `parameters` a function has no arguments. Other members
    /// are left alone.
    ///
    /// # Errors
    ///
    /// [`ToolError`] with the JSON Pointer of the first mistake. What is wrong with a schema is found
    /// by [`plan`](crate::plan).
    pub fn from_openai(tools: &Value) -> Result<Self, ToolError> {
        let items = tools.as_array().ok_or_else(|| invalid("a list of tools", ""))?;
        if items.len() > Self::MOST {
            return Err(ToolError::TooMany { limit: Self::MOST });
        }
        let mut names = HashSet::new();
        let mut tools = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let tool = Tool::from_openai(item, &format!("/{index}"))?;
            if !names.insert(tool.name.clone()) {
                let pointer = format!("/{index}/function/name");
                return Err(ToolError::Duplicate { name: tool.name, pointer });
            }
            tools.push(tool);
        }
        Ok(Self { tools })
    }

    /// The tools, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &Tool> {
        self.tools.iter()
    }

    /// The tool of this name.
    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }
}

impl Tool {
    fn from_openai(item: &Value, pointer: &str) -> Result<Self, ToolError> {
        let item = item.as_object().ok_or_else(|| invalid("a tool", pointer))?;
        if item.get("type").and_then(Value::as_str) != Some("function") {
            return Err(invalid("the type \"function\"", format!("{pointer}/type")));
        }
        let pointer = format!("{pointer}/function");
        let function = item.get("function").and_then(Value::as_object);
        let function = function.ok_or_else(|| invalid("a function", pointer.as_str()))?;
        let at = |key: &str| format!("{pointer}/{key}");
        let name = function.get("name").and_then(Value::as_str);
        let name = name.ok_or_else(|| invalid("a name", at("name")))?.to_owned();
        if !is_name(&name) {
            return Err(ToolError::Name { name, pointer: at("name") });
        }
        let description = match member(function, "description") {
            None => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(_) => return Err(invalid("a text", at("description"))),
        };
        let strict = match member(function, "strict") {
            None => false,
            Some(Value::Bool(strict)) => *strict,
            Some(_) => return Err(invalid("true or false", at("strict"))),
        };
        let parameters = match member(function, "parameters") {
            None => json!({"type": "object", "additionalProperties": false}),
            Some(schema @ (Value::Object(_) | Value::Bool(_))) => schema.clone(),
            Some(_) => return Err(invalid("a schema", at("parameters"))),
        };
        Ok(Self { name, description, parameters, strict, pointer: at("parameters") })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it does, in words.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// The JSON Schema of its arguments.
    pub fn parameters(&self) -> &Value {
        &self.parameters
    }

    /// Whether `strict` was asked for. Arguments are held to their schema in any case.
    pub fn strict(&self) -> bool {
        self.strict
    }

    pub(crate) fn pointer(&self) -> &str {
        &self.pointer
    }
}

/// The rule of `OpenAI` for names of functions: letters, digits, underscores and dashes, at most 64.
fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.bytes().all(is_name_byte)
}

/// Whether a name has this byte.
pub(crate) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

impl ToolChoice {
    /// Reads the `tool_choice` of a request to the chat API of `OpenAI`: `"auto"`, `"none"`, `"required"` or
    /// `{"type": "function", "function": {"name": ..}}`. `null` is the default, which is `auto`.
    ///
    /// # Errors
    ///
    /// [`ToolError::Invalid`] for anything else; nothing is taken for `auto`.
    ///
    /// ```
    /// use grammask_agents::ToolChoice;
    /// use serde_json::json;
    ///
    /// let choice = json!({"type": "function", "function": {"name": "now"}});
    /// assert_eq!(ToolChoice::from_openai(&choice)?, ToolChoice::Named("now".into()));
    /// assert!(ToolChoice::from_openai(&json!("any")).is_err());
    /// # Ok::<(), grammask_agents::ToolError>(())
    /// ```
    pub fn from_openai(choice: &Value) -> Result<Self, ToolError> {
        match choice {
            Value::Null => Ok(Self::Auto),
            Value::String(text) => match text.as_str() {
                "auto" => Ok(Self::Auto),
                "none" => Ok(Self::None),
                "required" => Ok(Self::Required),
                _ => Err(invalid("\"auto\", \"none\", \"required\" or a function", "")),
            },
            Value::Object(object) => {
                if object.get("type").and_then(Value::as_str) != Some("function") {
                    return Err(invalid("the type \"function\"", "/type"));
                }
                let name = choice.pointer("/function/name").and_then(Value::as_str);
                let name = name.ok_or_else(|| invalid("a name", "/function/name"))?;
                Ok(Self::Named(name.to_owned()))
            }
            _ => Err(invalid("\"auto\", \"none\", \"required\" or a function", "")),
        }
    }
}
