//! From the plan of tool calls to a constraint.

use std::sync::Arc;

use grammask_agents::{Activation, Mark, Plan};
use grammask_sampler::{Constraint, Engine, LazyGrammar, Trigger};

use crate::constrain::ConstrainError;

/// Whether a text is a control token of a vocabulary, as [`plan`](crate::agents::plan()) asks.
///
/// ```
/// use grammask::sampler::{Engine, Vocabulary};
///
/// let engine = Engine::new(Vocabulary::from_name("r50k_base")?);
/// assert!(grammask::is_control(&engine, "<|endoftext|>") && !grammask::is_control(&engine, "!"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn is_control(engine: &Engine, text: &str) -> bool {
    let vocabulary = engine.vocabulary();
    vocabulary.token_by_text(text.as_bytes()).is_some_and(|token| vocabulary.is_control(token))
}

/// The constraint of tool calls; nothing if there are none to be made, so that all may be written.
/// Of an output that begins with reasoning ([`Plan::in_reasoning`]) it is in force behind that, and
/// if a call must come, the reasoning must end.
///
/// # Errors
///
/// [`ConstrainError::Constraint`], [`ConstrainError::Lazy`].
///
/// ```
/// use grammask::agents::{Format, ToolChoice, Tools, plan};
/// use grammask::json_schema::Options;
/// use grammask::sampler::{Engine, Vocabulary};
/// use grammask::{is_control, plan_constraint};
///
/// let engine = Engine::new(Vocabulary::from_name("o200k_base")?);
/// let tools = serde_json::json!([{"type": "function", "function": {"name": "now"}}]);
/// let (tools, format) = (Tools::from_openai(&tools)?, Format::named("hermes").expect("is known"));
/// let is_control = |text: &str| is_control(&engine, text);
/// let plan = plan(&tools, &ToolChoice::Auto, true, format, &is_control, &Options::default())?;
/// let mut constraint = plan_constraint(&engine, &plan)?.expect("there is a tool");
/// let text = "Let me look.\n<tool_call>\n{\"name\": \"now\", \"arguments\": {}}\n</tool_call>\nSo.";
/// for token in engine.vocabulary().encode(text)? {
///     constraint.accept(token)?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn plan_constraint(
    engine: &Arc<Engine>,
    plan: &Plan,
) -> Result<Option<Constraint>, ConstrainError> {
    let calls = match &plan.activation {
        Activation::Never => return Ok(None),
        Activation::Always => Constraint::new(engine, &plan.grammar, "root")?,
        Activation::OnTrigger { triggers, again } => {
            let call = Constraint::new(engine, &plan.grammar, "root")?;
            let lazy = with_triggers(engine, triggers, &call);
            let calls = if *again { lazy.rearm() } else { lazy }.build(engine)?;
            match plan.reasoning().filter(|_| plan.behind.is_none()) {
                None => calls,
                // What looks like a call in the reasoning is none.
                Some((start, end)) => {
                    let end = mark_trigger(engine, &end).behind();
                    let thinking = LazyGrammar::new().trigger(end, calls.clone()).build(engine)?;
                    with_triggers(engine, triggers, &calls)
                        .trigger(mark_trigger(engine, &start).behind(), thinking)
                        .build(engine)?
                }
            }
        }
    };
    let Some(end) = &plan.behind else { return Ok(Some(calls)) };
    let thinking = LazyGrammar::new().trigger(mark_trigger(engine, end).behind(), calls);
    let is_required = plan.activation == Activation::Always;
    let thinking = if is_required { thinking.required() } else { thinking };
    Ok(Some(thinking.build(engine)?))
}

/// What any of these triggers leads to.
fn with_triggers(
    engine: &Engine,
    triggers: &[grammask_agents::Trigger],
    target: &Constraint,
) -> LazyGrammar {
    triggers.iter().fold(LazyGrammar::new(), |lazy, trigger| {
        let (Mark::Token(text) | Mark::Text(text)) = &trigger.mark;
        let begins = if trigger.only_at_start {
            Trigger::pattern(format!("^\\s*({})", escaped(text)))
        } else {
            mark_trigger(engine, &trigger.mark)
        };
        lazy.trigger(begins, target.clone())
    })
}

/// What finds a mark: the token, if it is one of the vocabulary.
fn mark_trigger(engine: &Engine, mark: &Mark) -> Trigger {
    let (Mark::Token(text) | Mark::Text(text)) = mark;
    let token = matches!(mark, Mark::Token(_))
        .then(|| engine.vocabulary().token_by_text(text.as_bytes()))
        .flatten();
    token.map_or_else(|| Trigger::word(text), Trigger::token)
}

/// A text as a regular expression of ECMAScript.
fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut escaped, char| {
        if "\\^$.*+?()[]{}|/".contains(char) {
            escaped.push('\\');
        }
        escaped.push(char);
        escaped
    })
}
