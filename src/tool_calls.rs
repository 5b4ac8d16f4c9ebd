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
    let (triggers, again) = match &plan.activation {
        Activation::Never => return Ok(None),
        Activation::Always => return Ok(Some(Constraint::new(engine, &plan.grammar, "root")?)),
        Activation::OnTrigger { triggers, again } => (triggers, *again),
    };
    let calls = Constraint::new(engine, &plan.grammar, "root")?;
    let mut lazy = LazyGrammar::new();
    for trigger in triggers {
        let (Mark::Token(text) | Mark::Text(text)) = &trigger.mark;
        let token = matches!(trigger.mark, Mark::Token(_))
            .then(|| engine.vocabulary().token_by_text(text.as_bytes()));
        let trigger = match token.flatten() {
            _ if trigger.only_at_start => Trigger::pattern(format!("^\\s*({})", escaped(text))),
            Some(token) => Trigger::token(token),
            None => Trigger::word(text),
        };
        lazy = lazy.trigger(trigger, calls.clone());
    }
    if again {
        lazy = lazy.rearm();
    }
    Ok(Some(lazy.build(engine)?))
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
