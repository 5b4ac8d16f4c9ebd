//! From tools to a grammar, and how it comes into force.

mod build;
mod rules;

use std::collections::HashMap;
use std::sync::Arc;

use grammask_gbnf::{Expr, Grammar};
use grammask_json_schema::{Arguments, Options, translate_object};

use crate::format::{Format, ObjectKeys};
use crate::parser::Parser;
use crate::reading::{ElementValues, Reading};
use crate::tools::{Tool, ToolChoice, ToolError, Tools};
use build::{Builder, sequence};
use rules::{PREFIX, Rules};

/// A grammar of calls, when it comes into force, and the parser of what is written with it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The grammar; its start rule is `root`. Without rules if it never comes into force.
    pub grammar: Grammar,
    /// When it comes into force.
    pub activation: Activation,
    /// What ends the reasoning that the output begins with: only behind it the grammar may come into
    /// force. See [`Plan::in_reasoning`].
    pub behind: Option<Mark>,
    reading: Arc<Reading>,
    /// Whether the output begins with reasoning.
    begins_in_reasoning: bool,
}

/// When a grammar comes into force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Activation {
    /// Never: all may be written.
    Never,
    /// From the start: it is the grammar of all that is written, but for reasoning before it.
    Always,
    /// With one of these, which is then the first that the grammar reads. Behind what it has read all
    /// may be written again, if several calls are wanted; else nothing.
    OnTrigger {
        /// What it begins with.
        triggers: Vec<Trigger>,
        /// Whether it may come into force again.
        again: bool,
    },
}

/// What a call begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trigger {
    /// The mark. Of a text with a control token inside, as `<｜DSML｜function_calls>`, it is the token,
    /// and the grammar begins with that: what the format has before is written by then.
    pub mark: Mark,
    /// Whether it is one only where the output begins, behind blanks and reasoning.
    pub only_at_start: bool,
}

/// A text of a format, as the vocabulary has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// This control token.
    Token(String),
    /// This text.
    Text(String),
}

/// The grammar of calls of tools in a format.
///
/// With [`ToolChoice::Auto`] it comes into force where a call begins, as long as the format lets one
/// see that; where all of the output has a form, as with channels, it is a grammar of content and
/// calls. `parallel` is whether there may be several calls, if the format has that. `is_control` says
/// which texts are control tokens of the vocabulary: these marks are references to tokens, all others
/// are text. Arguments are always held to the schema of their tool, whatever the format;
/// of [`Options`] all are in force, but that a dict has no blanks.
///
/// # Errors
///
/// [`ToolError`]: what cannot be enforced is never left out in silence.
///
/// ```
/// use grammask_agents::{Activation, Format, Mark, ToolChoice, Tools, plan};
/// use grammask_json_schema::Options;
/// use serde_json::json;
///
/// let tools = Tools::from_openai(&json!([{"type": "function", "function": {"name": "now"}}]))?;
/// let format = Format::named("hermes").expect("a known format");
/// let is_control = |text: &str| text == "<tool_call>" || text == "</tool_call>";
/// let options = Options::default();
/// let plan = plan(&tools, &ToolChoice::Auto, true, format, &is_control, &options)?;
/// assert!(plan.grammar.to_string().starts_with(r#"root ::= <tool_call> "\n{\"name\": \"now\""#));
/// let Activation::OnTrigger { triggers, again: true } = &plan.activation else { panic!() };
/// assert_eq!(triggers[0].mark, Mark::Token("<tool_call>".into()));
/// # Ok::<(), grammask_agents::ToolError>(())
/// ```
pub fn plan(
    tools: &Tools,
    choice: &ToolChoice,
    parallel: bool,
    format: &Arc<Format>,
    is_control: &dyn Fn(&str) -> bool,
    options: &Options,
) -> Result<Plan, ToolError> {
    let chosen: Vec<&Tool> = match choice {
        ToolChoice::Named(name) => {
            let tool = tools.get(name);
            vec![tool.ok_or_else(|| ToolError::Unknown { name: name.clone() })?]
        }
        ToolChoice::None => Vec::new(),
        ToolChoice::Required if tools.is_empty() => return Err(ToolError::NoTools),
        ToolChoice::Auto | ToolChoice::Required => tools.iter().collect(),
    };
    if chosen.is_empty() {
        // Nothing may be called.
        let reading = Arc::new(Reading::new(format, Some(HashMap::new()), is_control));
        return Ok(Plan::new(Grammar::default(), Activation::Never, reading));
    }
    let syntax = format.syntax(is_control);
    let mut builder = Builder {
        format,
        is_control,
        extended: options.notation == grammask_json_schema::Notation::Extended,
        rules: Rules::default(),
        tools: Vec::with_capacity(chosen.len()),
    };
    let mut values = HashMap::with_capacity(chosen.len());
    for (index, tool) in chosen.into_iter().enumerate() {
        let Arguments { translation, elements, other_elements } =
            translate_object(tool.parameters(), &syntax, options).map_err(|error| {
                let within = error.pointer();
                let within = if within.starts_with('/') { within } else { "" };
                let pointer = format!("{}{within}", tool.pointer());
                ToolError::Schema { tool: tool.name().to_owned(), pointer, error: Box::new(error) }
            })?;
        if !translation.report.satisfiable {
            let (tool, pointer) = (tool.name().to_owned(), tool.pointer().to_owned());
            return Err(ToolError::Uncallable { tool, pointer });
        }
        let declared = elements.into_iter().collect();
        values.insert(tool.name().to_owned(), ElementValues { declared, others: other_elements });
        let rule = builder.rules.add(&format!("{PREFIX}{index}"), &translation.grammar);
        builder.tools.push((tool.name().to_owned(), rule));
    }
    let reading = Arc::new(Reading::new(format, Some(values), is_control));
    let is_one = !parallel || !format.parallel || matches!(choice, ToolChoice::Named(_));
    let is_auto = *choice == ToolChoice::Auto;
    let (root, activation) = builder.root(is_auto, !is_one)?;
    let mut grammar = Grammar::default();
    grammar.add("root", root);
    grammar.rules.append(&mut builder.rules.grammar.rules);
    Ok(Plan::new(grammar, activation, reading))
}

impl Plan {
    fn new(grammar: Grammar, activation: Activation, reading: Arc<Reading>) -> Self {
        Self { grammar, activation, behind: None, reading, begins_in_reasoning: false }
    }

    /// The same for an output that begins with reasoning, whether the prompt has its first mark or
    /// the model writes it: think first, then be strict. The grammar waits for the mark that ends
    /// the reasoning, what looks like a call before it is none, and up to two line ends may come
    /// before a call that must come. In a format without marks around reasoning this is the same
    /// plan; channels have reasoning in the grammar.
    ///
    /// ```
    /// use grammask_agents::{Event, Format, Mark, ToolChoice, Tools, plan};
    /// use serde_json::json;
    ///
    /// let tools = Tools::from_openai(&json!([{"type": "function", "function": {"name": "now"}}]))?;
    /// let format = Format::named("qwen3").expect("a known format");
    /// let plan = plan(&tools, &ToolChoice::Required, true, format, &|_| false, &Default::default())?;
    /// let plan = plan.in_reasoning();
    /// assert_eq!(plan.behind, Some(Mark::Text("</think>".into())));
    /// assert_eq!(plan.parser().push_text("Hm. ")[0], Event::Reasoning { text: "Hm. ".into() });
    /// # Ok::<(), grammask_agents::ToolError>(())
    /// ```
    #[must_use]
    pub fn in_reasoning(mut self) -> Self {
        let Some((_, end)) = self.reasoning() else { return self };
        self.behind = Some(end);
        if self.activation == Activation::Always && !self.begins_in_reasoning {
            for rule in self.grammar.rules.iter_mut().filter(|rule| rule.name == "root") {
                let line_ends = Expr::literal("\n").repeat(0, Some(2));
                rule.body = sequence(vec![line_ends, Expr::clone(&rule.body)]).into();
            }
        }
        self.begins_in_reasoning = true;
        self
    }

    /// The marks around reasoning, if the format has any: what looks like a call between them is
    /// none.
    pub fn reasoning(&self) -> Option<(Mark, Mark)> {
        let (start, end) = self.reading.format.reasoning()?;
        let mark = |text: &str| {
            let is_token = self.reading.tokens.contains(text);
            if is_token { Mark::Token(text.to_owned()) } else { Mark::Text(text.to_owned()) }
        };
        Some((mark(start), mark(end)))
    }

    /// A parser of what is written under this plan.
    pub fn parser(&self) -> Parser {
        let parser = Parser::of(Arc::clone(&self.reading));
        if self.begins_in_reasoning { parser.in_reasoning() } else { parser }
    }

    pub(crate) fn reading(&self) -> &Reading {
        &self.reading
    }
}

/// What a call that is an object begins with.
pub(crate) fn object_start(keys: &ObjectKeys) -> String {
    format!("{{\"{}\": \"", keys.name)
}

/// A text of the format as the vocabulary has it.
pub(crate) fn marks(format: &Format, is_control: &dyn Fn(&str) -> bool, text: &str) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let found = format.control().iter().filter(|token| is_control(token));
        let found = found.filter_map(|token| Some((rest.find(token.as_str())?, token))).min();
        let Some((at, token)) = found else {
            marks.push(Mark::Text(rest.to_owned()));
            break;
        };
        if at > 0 {
            marks.push(Mark::Text(rest[..at].to_owned()));
        }
        marks.push(Mark::Token(token.clone()));
        rest = &rest[at + token.len()..];
    }
    marks
}
