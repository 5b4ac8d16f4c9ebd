//! The formats of tool calls, as data: one file each in `data/`.

use std::sync::{Arc, LazyLock};

use grammask_json_schema::{Elements, Quote, Syntax};
use serde::Deserialize;

/// How a family of models writes tool calls, reasoning and content.
///
/// ```
/// use grammask_agents::Format;
///
/// let format = Format::named("qwen3").expect("a known format");
/// assert_eq!(format.name(), "hermes");
/// assert!(format.control().iter().any(|token| token == "<tool_call>"));
/// assert!(Format::named("none of them").is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Format {
    name: String,
    aliases: Vec<String>,
    source: String,
    /// What its chat templates have, all of it; nothing if it cannot be told from them.
    #[serde(default)]
    template: Vec<String>,
    control: Vec<String>,
    /// The marks around reasoning.
    #[serde(default)]
    pub(crate) reasoning: Option<(String, String)>,
    /// What the prompt has of the output.
    #[serde(default)]
    pub(crate) begins_with: String,
    /// Whether there are calls only where the output begins.
    #[serde(default)]
    pub(crate) only_at_start: bool,
    /// A mark that may stand before the first call.
    #[serde(default)]
    pub(crate) lead: Option<String>,
    /// Marks around calls that models leave out at times: they are written, and need not be there
    /// when calls are read.
    #[serde(default)]
    pub(crate) optional: Vec<String>,
    /// What stands around all calls.
    #[serde(default)]
    pub(crate) section: Option<Section>,
    /// What a call is made of.
    pub(crate) call: Vec<Part>,
    /// What stands between two calls.
    #[serde(default)]
    pub(crate) separator: Vec<Part>,
    /// Whether there may be several calls.
    #[serde(default = "yes")]
    pub(crate) parallel: bool,
    /// The keys of a call that is an object.
    #[serde(default)]
    pub(crate) object: Option<ObjectKeys>,
    #[serde(default)]
    pub(crate) arguments: Arguments,
    #[serde(default)]
    pub(crate) id: Option<Id>,
    /// What stands for a tool's name where content follows.
    #[serde(default)]
    pub(crate) content_name: Option<String>,
    #[serde(default)]
    pub(crate) channels: Option<Channels>,
}

fn yes() -> bool {
    true
}

/// What stands around all calls.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Section {
    pub(crate) open: Vec<Part>,
    pub(crate) close: Vec<Part>,
    /// Whether a single call may do without.
    #[serde(default)]
    pub(crate) optional: bool,
}

/// A part of a call. In the data a text, where those with a `$` stand for the others.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub(crate) enum Part {
    /// This text; if it is a control token of the vocabulary, that token. Blanks at its ends are
    /// written, and need not be there when it is read.
    Text(String),
    Name,
    Id,
    Index,
    /// The arguments by themselves.
    Arguments,
    /// An object with name, arguments and perhaps an id.
    Object,
}

impl From<String> for Part {
    fn from(text: String) -> Self {
        match text.as_str() {
            "$name" => Self::Name,
            "$id" => Self::Id,
            "$index" => Self::Index,
            "$arguments" => Self::Arguments,
            "$object" => Self::Object,
            _ => Self::Text(text),
        }
    }
}

impl Part {
    /// The text that a reader looks for; empty for blanks alone.
    pub(crate) fn mark(&self) -> &str {
        match self {
            Self::Text(text) => text.trim(),
            Self::Object => "{",
            Self::Name | Self::Id | Self::Index | Self::Arguments => "",
        }
    }
}

/// The keys of a call that is an object.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ObjectKeys {
    pub(crate) name: String,
    pub(crate) arguments: String,
    #[serde(default)]
    pub(crate) id: Option<String>,
}

/// How ids look.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Id {
    /// So many ASCII letters or digits.
    Alphanumeric(u32),
    /// This text with the name and the index of the call.
    OfIndex(String),
}

/// How arguments are written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Arguments {
    #[default]
    Json,
    Elements(ElementTexts),
    /// With the quotes of its strings.
    Dict(String),
}

/// See [`Elements`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ElementTexts {
    pub(crate) open: String,
    pub(crate) after_key: String,
    pub(crate) before_text: String,
    pub(crate) before_json: String,
    pub(crate) close: String,
    pub(crate) stop: String,
    /// What models write for some values, and the JSON of these.
    #[serde(default)]
    pub(crate) literals: Vec<(String, String)>,
}

impl ElementTexts {
    /// What stands between a value and the mark that ends it.
    pub(crate) fn before_stop(&self) -> &str {
        self.close.split_once(&self.stop).map_or("", |(before, _)| before)
    }
}

/// The marks and names of messages in channels: all of the output is such messages.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Channels {
    pub(crate) start: String,
    pub(crate) channel: String,
    pub(crate) constrain: String,
    pub(crate) message: String,
    pub(crate) end: String,
    pub(crate) call: String,
    #[serde(rename = "return")]
    pub(crate) return_: String,
    pub(crate) role: String,
    /// The channel of reasoning.
    pub(crate) reasoning: String,
    /// The channel of calls, and of content for the user before them.
    pub(crate) call_channel: String,
    /// The channel of content.
    pub(crate) content: String,
    /// What stands before a tool's name in a recipient.
    pub(crate) recipient: String,
    /// The type of arguments.
    #[serde(rename = "type")]
    pub(crate) type_: String,
}

impl Channels {
    /// What ends a message.
    pub(crate) fn ends(&self) -> [&str; 4] {
        [&self.end, &self.call, &self.return_, &self.start]
    }
}

const DATA: [&str; 15] = [
    include_str!("data/deepseek-v3.json"),
    include_str!("data/deepseek-v3.1.json"),
    include_str!("data/deepseek-v3.2.json"),
    include_str!("data/function-gemma.json"),
    include_str!("data/functionary-v3.2.json"),
    include_str!("data/gemma-4.json"),
    include_str!("data/harmony.json"),
    include_str!("data/hermes.json"),
    include_str!("data/json.json"),
    include_str!("data/kimi-k2.json"),
    include_str!("data/llama-3.json"),
    include_str!("data/mistral-v3.json"),
    include_str!("data/mistral-v11.json"),
    include_str!("data/mistral-v13.json"),
    include_str!("data/qwen3-coder.json"),
];

static FORMATS: LazyLock<Vec<Arc<Format>>> = LazyLock::new(|| {
    let read = |text| Arc::new(serde_json::from_str(text).expect("the data of a format"));
    DATA.into_iter().map(read).collect()
});

impl Format {
    /// The format of this name or alias.
    pub fn named(name: &str) -> Option<&'static Arc<Self>> {
        Self::all().find(|one| one.name == name || one.aliases.iter().any(|alias| alias == name))
    }

    /// The format in which a model writes calls that has this chat template: the one of whose marks, all of
    /// which are there, most are. `None` if the template says nothing of calls, or of none that is known.
    ///
    /// ```
    /// use grammask_agents::Format;
    ///
    /// let template = "{%- for call in message.tool_calls %}<tool_call>{{ call | tojson }}</tool_call>{% endfor %}";
    /// assert_eq!(Format::of_template(template).map(|format| format.name()), Some("hermes"));
    /// assert!(Format::of_template("{{ messages[0].content }}").is_none());
    /// ```
    pub fn of_template(template: &str) -> Option<&'static Arc<Self>> {
        let has_marks = |format: &&Arc<Self>| {
            !format.template.is_empty() && format.template.iter().all(|it| template.contains(it))
        };
        Self::all().filter(has_marks).max_by_key(|format| format.template.len())
    }

    /// All formats, by name.
    pub fn all() -> impl Iterator<Item = &'static Arc<Self>> {
        FORMATS.iter()
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Other names, mostly of models that write it.
    pub fn aliases(&self) -> &[String] {
        &self.aliases
    }

    /// Where the family has published it.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Those of its marks, or parts of them, that are control tokens in the family's tokenizer.
    pub fn control(&self) -> &[String] {
        &self.control
    }

    /// The marks around reasoning, if it has any.
    pub fn reasoning(&self) -> Option<(&str, &str)> {
        self.reasoning.as_ref().map(|(start, end)| (start.as_str(), end.as_str()))
    }

    /// Whether models leave the mark out at times.
    pub(crate) fn is_optional(&self, mark: &str) -> bool {
        self.optional.iter().any(|one| one == mark)
    }

    /// All that may be the begin of these parts: each time the mark, and the parts from it on. There
    /// are several where the first marks may be left out.
    pub(crate) fn openings<'p>(&self, parts: &'p [Part]) -> Vec<(&'p str, &'p [Part])> {
        let mut openings = Vec::new();
        let mut rest = parts;
        while let [part, behind @ ..] = rest {
            match part.mark() {
                "" if matches!(part, Part::Text(_)) => {}
                "" => break,
                mark => {
                    openings.push((mark, rest));
                    if !self.is_optional(mark) {
                        break;
                    }
                }
            }
            rest = behind;
        }
        openings
    }

    /// How arguments are written, given which texts are control tokens.
    pub(crate) fn syntax(&self, is_control: &dyn Fn(&str) -> bool) -> Syntax {
        match &self.arguments {
            Arguments::Json => Syntax::Json,
            Arguments::Elements(texts) => {
                let ElementTexts { open, after_key, before_text, before_json, close, stop, .. } =
                    texts.clone();
                Syntax::Elements(Elements {
                    open,
                    after_key,
                    before_text,
                    before_json,
                    close,
                    stop,
                    tokens: self.control.iter().filter(|it| is_control(it)).cloned().collect(),
                })
            }
            Arguments::Dict(quote) if is_control(quote) => {
                Syntax::Dict(Quote::Token(quote.clone()))
            }
            Arguments::Dict(quote) => Syntax::Dict(Quote::Text(quote.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn templates_tell_formats_apart() {
        for format in Format::all() {
            let found = Format::of_template(&format.template.join(" "));
            let is_told = format.name() != "json";
            assert_eq!(found.map(|one| one.name()), is_told.then_some(format.name()));
        }
    }

    #[test]
    fn names_are_unique_and_sources_are_cited() {
        let mut names = HashSet::new();
        for format in Format::all() {
            assert!(names.insert(format.name().to_owned()), "{}", format.name());
            for alias in format.aliases() {
                assert!(names.insert(alias.clone()), "{alias}");
            }
            assert!(format.source().len() > 20, "{}", format.name());
        }
    }
}
