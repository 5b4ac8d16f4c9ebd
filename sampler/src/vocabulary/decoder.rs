//! What the decoder of a `tokenizer.json` makes of a token within a text.
//!
//! A decoder is a chain of steps over the tokens of a text. What it does to the first token or the last
//! one, as to leave out a blank, is a matter of texts and not of tokens, and is left out here.

use std::borrow::Cow;

use serde_json::Value;

use super::byte_level;
use super::pieces::Piece;

/// The steps, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decoder {
    steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// Characters that stand for bytes.
    ByteLevel,
    /// `<0x0A>` is a byte.
    ByteFallback,
    /// A text instead of another one.
    Replace { pattern: String, content: String },
    /// What begins with the prefix goes on with a word; all else has a blank before it.
    WordPiece { prefix: String, cleanup: bool },
    /// A blank before each token.
    Words,
    /// Up to so many characters are taken off the ends.
    Strip { content: char, start: usize, stop: usize },
}

/// What a decoder of word pieces writes without the blank before it.
const CLEANED: [(&str, &str); 11] = [
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
];

/// What the parts of a tokenizer say that has no decoder.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Settings<'a> {
    pub(super) pre_tokenizer: Option<&'a Value>,
    pub(super) normalizer: Option<&'a Value>,
    pub(super) continuing_subword_prefix: Option<&'a str>,
    pub(super) end_of_word_suffix: Option<&'a str>,
    pub(super) byte_fallback: bool,
}

impl Decoder {
    /// The decoder that a file describes, or a message with the name of the field that is wrong.
    pub(super) fn read(value: &Value) -> Result<Self, (String, String)> {
        let mut decoder = Self { steps: Vec::new() };
        decoder.add(value, "decoder", &mut false)?;
        Ok(decoder)
    }

    /// The reverse of what a tokenizer without a decoder does to texts.
    pub(super) fn inferred(settings: &Settings) -> Self {
        let find = |value, kind| find(value?, kind);
        let mut steps = Vec::new();
        if find(settings.pre_tokenizer, "ByteLevel").is_some() {
            steps.push(Step::ByteLevel);
            return Self { steps };
        }
        let blank = find(settings.pre_tokenizer, "Metaspace").map(replacement);
        let blank = blank.or_else(|| {
            let replace = find(settings.normalizer, "Replace")?;
            (replace["pattern"]["String"] == " ").then(|| replace["content"].as_str())?
        });
        if let Some(blank) = blank {
            steps.push(Step::blank(blank));
        } else if let Some(prefix) = settings.continuing_subword_prefix {
            steps.push(Step::WordPiece { prefix: prefix.to_owned(), cleanup: false });
        } else if let Some(suffix) = settings.end_of_word_suffix {
            steps.push(Step::blank(suffix));
        }
        if settings.byte_fallback {
            steps.push(Step::ByteFallback);
        }
        if steps.is_empty() {
            steps.push(Step::Words);
        }
        Self { steps }
    }

    /// Whether a piece such as `<0x0A>` is a byte.
    pub(super) fn has_byte_fallback(&self) -> bool {
        self.steps.contains(&Step::ByteFallback)
    }

    /// Adds the steps of a decoder. Those over the tokens of a text have only one left when they have
    /// been fused.
    fn add(
        &mut self,
        value: &Value,
        field: &str,
        is_fused: &mut bool,
    ) -> Result<(), (String, String)> {
        let wrong =
            |name: &str, message: &str| Err((format!("{field}.{name}"), message.to_owned()));
        let Some(kind) = value["type"].as_str() else {
            return wrong("type", "is missing");
        };
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        match kind {
            "Sequence" => {
                let Some(decoders) = value["decoders"].as_array() else {
                    return wrong("decoders", "is not a list");
                };
                for (at, decoder) in decoders.iter().enumerate() {
                    self.add(decoder, &format!("{field}.decoders[{at}]"), is_fused)?;
                }
            }
            "ByteLevel" => {
                self.steps.push(Step::ByteLevel);
                *is_fused = true;
            }
            "ByteFallback" => self.steps.push(Step::ByteFallback),
            "Fuse" => *is_fused = true,
            "Metaspace" => self.steps.push(Step::blank(replacement(value))),
            "Replace" => {
                let Some(pattern) = value["pattern"]["String"].as_str() else {
                    return wrong("pattern", "is not {\"String\": ..}: no other pattern is known");
                };
                let Some(content) = text("content") else {
                    return wrong("content", "is not a text");
                };
                if !pattern.is_empty() {
                    self.steps.push(Step::Replace { pattern: pattern.to_owned(), content });
                }
            }
            "BPEDecoder" => {
                let Some(suffix) = text("suffix") else {
                    return wrong("suffix", "is not a text");
                };
                if !*is_fused && !suffix.is_empty() {
                    self.steps.push(Step::blank(&suffix));
                }
            }
            "WordPiece" => {
                let Some(prefix) = text("prefix") else {
                    return wrong("prefix", "is not a text");
                };
                let cleanup = value["cleanup"].as_bool().unwrap_or(true);
                if !*is_fused {
                    self.steps.push(Step::WordPiece { prefix, cleanup });
                }
            }
            "Strip" => {
                let mut content = value["content"].as_str().unwrap_or_default().chars();
                let (Some(content), None) = (content.next(), content.next()) else {
                    return wrong("content", "is not one character");
                };
                let count = |name: &str| value[name].as_u64().map(|count| count as usize);
                let (Some(start), Some(stop)) = (count("start"), count("stop")) else {
                    return wrong("start", "and \"stop\" are not both numbers of characters");
                };
                if !*is_fused {
                    self.steps.push(Step::Strip { content, start, stop });
                }
            }
            other => return wrong("type", &format!("the decoder {other:?} is not known")),
        }
        Ok(())
    }

    /// What an added token spells that the model has not learnt. It is found in texts as it is, also
    /// where its characters could stand for bytes.
    pub(super) fn spell_added(&self, text: &str) -> Vec<u8> {
        if self.steps.contains(&Step::ByteLevel) {
            return text.as_bytes().to_vec();
        }
        self.spell(text)
    }

    /// What a token spells within a text.
    pub(super) fn spell(&self, piece: &str) -> Vec<u8> {
        let mut text = Cow::Borrowed(piece);
        for step in &self.steps {
            let bytes = match step {
                Step::ByteLevel => byte_level::decode(&text),
                Step::ByteFallback => Piece::byte_of(&text).map(|byte| vec![byte]),
                _ => {
                    text = step.apply(text);
                    None
                }
            };
            match bytes.map(String::from_utf8) {
                None => {}
                Some(Ok(decoded)) => text = decoded.into(),
                // The other steps have nothing to do with what is no text.
                Some(Err(error)) => return error.into_bytes(),
            }
        }
        text.into_owned().into_bytes()
    }
}

impl Step {
    /// A text that stands for a blank.
    fn blank(pattern: &str) -> Self {
        Self::Replace { pattern: pattern.to_owned(), content: " ".to_owned() }
    }

    fn apply<'t>(&self, text: Cow<'t, str>) -> Cow<'t, str> {
        match self {
            Self::Replace { pattern, content } if text.contains(&**pattern) => {
                text.replace(&**pattern, content).into()
            }
            Self::Replace { .. } | Self::ByteLevel | Self::ByteFallback => text,
            Self::Words => format!(" {text}").into(),
            Self::WordPiece { prefix, cleanup } => {
                let spelled = match text.strip_prefix(&**prefix) {
                    Some(rest) => rest.to_owned(),
                    None => format!(" {text}"),
                };
                let replace = |text: String, &(pattern, content)| text.replace(pattern, content);
                let changes: &[_] = if *cleanup { &CLEANED } else { &[] };
                changes.iter().fold(spelled, replace).into()
            }
            Self::Strip { content, start, stop } => {
                let mut rest = &*text;
                for _ in 0..*start {
                    rest = match rest.strip_prefix(*content) {
                        Some(rest) => rest,
                        None => break,
                    };
                }
                for _ in 0..*stop {
                    rest = match rest.strip_suffix(*content) {
                        Some(rest) => rest,
                        None => break,
                    };
                }
                rest.to_owned().into()
            }
        }
    }
}

/// What a `Metaspace` writes for a blank.
fn replacement(metaspace: &Value) -> &str {
    metaspace["replacement"].as_str().filter(|text| !text.is_empty()).unwrap_or("▁")
}

/// The part of a kind among the parts of a pre-tokenizer or normalizer, in whatever sequences it is.
fn find<'v>(value: &'v Value, kind: &str) -> Option<&'v Value> {
    if value["type"] == kind {
        return Some(value);
    }
    let parts = value.get("pretokenizers").or_else(|| value.get("normalizers"))?;
    parts.as_array()?.iter().find_map(|part| find(part, kind))
}
