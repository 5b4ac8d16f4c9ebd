//! What may be written: a grammar from the start or from a trigger on, tools, thinking before it.

use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use grammask::agents::{Format, Mark, Plan, ToolChoice, Tools, plan};
use grammask::gbnf::Grammar;
use grammask::json_schema::Notation;
use grammask::sampler::{Constraint, Engine, LazyGrammar, ThinkingBudget, TokenId, Trigger};
use grammask::{grammar_constraint, is_control, plan_constraint};
use serde_json::Value;

use super::model::Loaded;
use super::prompt;
use crate::cli::args::{AgentArgs, GenerateArgs};
use crate::cli::input::Source;
use crate::cli::output::Output;
use crate::cli::{grammar_source, schema_options};

/// The tools that may be called, as they are read.
pub(super) struct Toolbox {
    name: String,
    pub(super) value: Value,
    tools: Tools,
}

impl Toolbox {
    pub(super) fn read(path: &str, output: Output) -> anyhow::Result<Self> {
        let source = Source::read(path)?;
        let value = grammar_source::json(&source, "list of tools", output)?;
        let tools = Tools::from_openai(&value).with_context(|| source.name.clone())?;
        Ok(Self { name: source.name, value, tools })
    }
}

/// What may be written.
pub(super) struct Request {
    pub(super) constraint: Constraint,
    /// The grammar, whose words the random model knows.
    pub(super) grammar: Grammar,
    /// How calls are read back.
    pub(super) plan: Option<Plan>,
}

impl Request {
    pub(super) fn load(
        args: &GenerateArgs,
        tools: Option<&Toolbox>,
        loaded: &Loaded,
        output: Output,
    ) -> anyhow::Result<Self> {
        let engine = &loaded.engine;
        match tools {
            Some(tools) => Self::of_tools(tools, tool_format(args, loaded)?, args, engine),
            None => Self::of_grammar(args, engine, output),
        }
    }

    fn of_grammar(
        args: &GenerateArgs,
        engine: &Arc<Engine>,
        output: Output,
    ) -> anyhow::Result<Self> {
        let (grammar, root) = grammar_source::load(&args.source, output)?;
        let constraint = Constraint::new(engine, &grammar, root);
        let mut constraint = constraint.map_err(grammar_source::constraint_failure)?;
        if !args.agent.trigger.is_empty() {
            let mut lazy = LazyGrammar::new();
            for text in &args.agent.trigger {
                lazy = lazy.trigger(trigger(text, engine), constraint.clone());
            }
            if args.agent.rearm {
                lazy = lazy.rearm();
            }
            constraint = lazy.build(engine).context("--trigger")?;
        }
        let constraint = thinking(constraint, &args.agent, &args.agent.reasoning_end, engine)?;
        Ok(Self { constraint, grammar, plan: None })
    }

    fn of_tools(
        toolbox: &Toolbox,
        format: &'static Arc<Format>,
        args: &GenerateArgs,
        engine: &Arc<Engine>,
    ) -> anyhow::Result<Self> {
        let choice = match &*args.agent.tool_choice {
            "auto" => ToolChoice::Auto,
            "none" => ToolChoice::None,
            "required" => ToolChoice::Required,
            // As in a request, where a function is named by an object.
            text => match text.starts_with('{').then(|| serde_json::from_str::<Value>(text)) {
                Some(Ok(choice)) => ToolChoice::from_openai(&choice).context("--tool-choice")?,
                Some(Err(error)) => return Err(error).context("--tool-choice is not JSON"),
                None => ToolChoice::Named(text.to_owned()),
            },
        };
        let options = schema_options::resolve(&args.source.options, Notation::Extended);
        let parallel = args.agent.parallel_tool_calls;
        let is_control = |text: &str| is_control(engine, text);
        let mut plan = plan(&toolbox.tools, &choice, parallel, format, &is_control, &options)
            .with_context(|| toolbox.name.clone())?;
        if args.agent.reasoning_budget.is_some() {
            plan = plan.in_reasoning();
        }
        // Thinking is put before it here, with its budget.
        let end = plan.behind.take();
        let constraint = match plan_constraint(engine, &plan)? {
            Some(constraint) => constraint,
            // Any text.
            None => grammar_constraint(engine, "root ::= .*", "root")?,
        };
        let constraint = match (end, args.agent.reasoning_budget) {
            (Some(Mark::Text(end) | Mark::Token(end)), _) => {
                thinking(constraint, &args.agent, &end, engine)?
            }
            (None, None) => constraint,
            (None, Some(_)) => bail!(
                "--reasoning-budget: the format `{}` has no mark that ends thinking; leave it out",
                format.name()
            ),
        };
        Ok(Self { constraint, grammar: plan.grammar.clone(), plan: Some(plan) })
    }
}

/// How calls are written.
fn tool_format(args: &GenerateArgs, loaded: &Loaded) -> anyhow::Result<&'static Arc<Format>> {
    let template = loaded.model.as_ref().map(prompt::template).transpose()?.flatten();
    let name = match (&args.agent.tool_format, template.and_then(Format::of_template)) {
        (Some(name), _) => name,
        (None, Some(format)) => return Ok(format),
        (None, None) => "json",
    };
    Format::named(name).ok_or_else(|| {
        let names: Vec<&str> = Format::all().map(|format| format.name()).collect();
        anyhow!("--tool-format: there is no format `{name}`: {}", names.join(", "))
    })
}

/// A control token, a regular expression between slashes, or else a word.
fn trigger(text: &str, engine: &Engine) -> Trigger {
    let pattern = text.strip_prefix('/').and_then(|text| text.strip_suffix('/'));
    match (control_token(text, engine), pattern) {
        (Some(token), _) => Trigger::token(token),
        (None, Some(pattern)) => Trigger::pattern(pattern),
        (None, None) => Trigger::word(text),
    }
}

fn control_token(text: &str, engine: &Engine) -> Option<TokenId> {
    engine.vocabulary().token_by_text(text.as_bytes()).filter(|_| is_control(engine, text))
}

/// Thinking first, if it is asked for.
fn thinking(
    answer: Constraint,
    args: &AgentArgs,
    end: &str,
    engine: &Arc<Engine>,
) -> anyhow::Result<Constraint> {
    let Some(budget) = args.reasoning_budget else { return Ok(answer) };
    let token = control_token(end, engine);
    let trigger = token.map_or_else(|| Trigger::word(end), Trigger::token);
    let mut lazy = LazyGrammar::new().trigger(trigger.behind(), answer.clone()).required();
    if let Ok(tokens) = usize::try_from(budget) {
        let message = &args.reasoning_budget_message;
        let limit = match token {
            Some(token) => ThinkingBudget::new(tokens, message, answer).token(token),
            None => ThinkingBudget::new(tokens, format!("{message}{end}"), answer),
        };
        lazy = lazy.budget(limit);
    }
    lazy.build(engine).context("--reasoning-end")
}
