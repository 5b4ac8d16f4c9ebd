//! Calls as a format writes them.

use std::fmt::Write as _;

use grammask_json_schema::ElementValue;
use serde_json::Value;

use crate::format::{Arguments, ElementTexts, Id, Part};
use crate::plan::{Mark, Plan, marks, object_start};

/// A call to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct Call<'a> {
    /// The name of the tool.
    pub name: &'a str,
    /// Its id, where the format has one; that of an index is made of it.
    pub id: &'a str,
    /// The arguments: an object.
    pub arguments: &'a Value,
}

impl Plan {
    /// Calls as the format writes them, for examples in prompts and for tests: the reverse of the
    /// parser. `None` if the format cannot carry one of them, or not so many.
    ///
    /// ```
    /// use grammask_agents::{Call, Format, Mark, ToolChoice, Tools, plan};
    /// use serde_json::json;
    ///
    /// let tools = Tools::from_openai(&json!([{"type": "function", "function": {
    ///     "name": "search", "parameters": {"properties": {"text": {"type": "string"}}},
    /// }}]))?;
    /// let format = Format::named("qwen3-coder").expect("a known format");
    /// let plan = plan(&tools, &ToolChoice::Auto, true, format, &|_| false, &Default::default())?;
    /// let call = Call { name: "search", id: "", arguments: &json!({"text": "a \"b\""}) };
    /// assert_eq!(plan.write(&[call]), Some(vec![Mark::Text(
    ///     "<tool_call>\n<function=search>\n<parameter=text>\na \"b\"\n</parameter>\n</function>\n\
    ///      </tool_call>".into(),
    /// )]));
    /// # Ok::<(), grammask_agents::ToolError>(())
    /// ```
    pub fn write(&self, calls: &[Call<'_>]) -> Option<Vec<Mark>> {
        let format = &self.reading().format;
        if calls.is_empty() || calls.len() > 1 && !format.parallel {
            return None;
        }
        let mut written = Written { plan: self, marks: Vec::new() };
        if let Some(channels) = &format.channels {
            let [call] = calls else { return None };
            written.mark(&channels.channel);
            let (channel, to) = (&channels.call_channel, &channels.recipient);
            written.text(&format!("{channel} to={to}{} ", call.name));
            written.mark(&channels.constrain);
            written.text(&channels.type_);
            written.mark(&channels.message);
            written.arguments(call)?;
            written.mark(&channels.call);
            return Some(written.marks);
        }
        let section = format.section.as_ref().filter(|one| !one.optional || calls.len() > 1);
        written.parts(section.map_or(&[], |section| &section.open), None)?;
        for (index, call) in calls.iter().enumerate() {
            let mut parts = &format.call[..];
            if index > 0 {
                written.parts(&format.separator, None)?;
            } else if !format.begins_with.is_empty() {
                // The prompt has it.
                parts = &parts[1..];
            }
            written.parts(parts, Some((index, call)))?;
        }
        written.parts(section.map_or(&[], |section| &section.close), None)?;
        Some(written.marks)
    }
}

struct Written<'p> {
    plan: &'p Plan,
    marks: Vec<Mark>,
}

impl Written<'_> {
    fn text(&mut self, text: &str) {
        match self.marks.last_mut() {
            Some(Mark::Text(before)) => before.push_str(text),
            _ => self.marks.push(Mark::Text(text.to_owned())),
        }
    }

    /// A text of the format, in which control tokens are such.
    fn mark(&mut self, text: &str) {
        let reading = self.plan.reading();
        for mark in marks(&reading.format, &|token| reading.tokens.contains(token), text) {
            match mark {
                Mark::Text(text) => self.text(&text),
                Mark::Token(_) => self.marks.push(mark),
            }
        }
    }

    fn parts(&mut self, parts: &[Part], call: Option<(usize, &Call<'_>)>) -> Option<()> {
        for part in parts {
            match (part, call) {
                (Part::Text(text), _) => self.mark(text),
                (_, None) => return None,
                (Part::Name, Some((_, call))) => self.text(call.name),
                (Part::Index, Some((index, _))) => self.text(&index.to_string()),
                (Part::Id, Some((_, call))) => self.id(call)?,
                (Part::Arguments, Some((_, call))) => self.arguments(call)?,
                (Part::Object, Some((_, call))) => {
                    let keys = self.plan.reading().format.object.as_ref()?;
                    let (start, arguments) = (object_start(keys), &keys.arguments);
                    self.text(&format!("{start}{}\", \"{arguments}\": ", call.name));
                    self.arguments(call)?;
                    if let Some(id) = &keys.id {
                        self.text(&format!(", \"{id}\": \""));
                        self.id(call)?;
                        self.text("\"");
                    }
                    self.text("}");
                }
            }
        }
        Some(())
    }

    fn id(&mut self, call: &Call<'_>) -> Option<()> {
        let Some(Id::Alphanumeric(length)) = self.plan.reading().format.id else { return None };
        let is_id = call.id.len() == length as usize
            && call.id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        self.text(call.id);
        is_id.then_some(())
    }

    fn arguments(&mut self, call: &Call<'_>) -> Option<()> {
        let arguments = call.arguments.as_object()?;
        let format = &self.plan.reading().format;
        match &format.arguments {
            Arguments::Json => self.text(&call.arguments.to_string()),
            Arguments::Dict(quote) => self.dict(call.arguments, quote)?,
            Arguments::Elements(texts) => {
                for (key, value) in arguments {
                    let kind = self.plan.reading().element(call.name, key);
                    self.element(texts, key, value, kind)?;
                }
            }
        }
        Some(())
    }

    fn element(
        &mut self,
        texts: &ElementTexts,
        key: &str,
        value: &Value,
        kind: ElementValue,
    ) -> Option<()> {
        let end = texts.after_key.chars().next()?;
        if key.is_empty() || key.contains([end, '\n']) {
            return None;
        }
        let is_told = texts.before_text != texts.before_json;
        let is_text = is_told || !matches!(kind, ElementValue::Json { .. });
        let (before, value) = match value {
            Value::String(text) if is_text => {
                let is_literal = matches!(text.as_str(), "null" | "true" | "false");
                let is_mixed = !is_told && matches!(kind, ElementValue::TextOr { .. });
                if text.contains(&texts.stop) || is_literal && is_mixed {
                    return None;
                }
                (&texts.before_text, text.clone())
            }
            value => (&texts.before_json, value.to_string()),
        };
        let (open, after, close) = (&texts.open, &texts.after_key, &texts.close);
        self.mark(open);
        self.text(&format!("{key}{after}{before}{value}"));
        self.mark(close);
        Some(())
    }

    /// As deep as values nest that the caller has.
    fn dict(&mut self, value: &Value, quote: &str) -> Option<()> {
        match value {
            Value::Object(members) => {
                for (index, (key, value)) in members.iter().enumerate() {
                    let mut bare = key.chars();
                    if key.is_empty() || bare.any(|c| " \t\r\n:,{}[]\"<>|".contains(c)) {
                        return None;
                    }
                    let mut before = String::new();
                    // Writing to a string never fails.
                    let _ = write!(before, "{}{key}:", if index == 0 { '{' } else { ',' });
                    self.text(&before);
                    self.dict(value, quote)?;
                }
                self.text(if members.is_empty() { "{}" } else { "}" });
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.text(if index == 0 { "[" } else { "," });
                    self.dict(item, quote)?;
                }
                self.text(if items.is_empty() { "[]" } else { "]" });
            }
            Value::String(text) => {
                if !self.plan.reading().is_control(quote) && text.contains(quote) {
                    return None;
                }
                self.mark(quote);
                self.text(text);
                self.mark(quote);
            }
            scalar => self.text(&scalar.to_string()),
        }
        Some(())
    }
}
