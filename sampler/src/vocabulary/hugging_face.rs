//! `tokenizer.json`, the files of Hugging Face's tokenizers.

use std::fmt;

use serde::de::{self, DeserializeOwned, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::decoder::{Decoder, Settings};
use super::pieces::{MOST_IDS, Piece, Pieces};
use super::{ModelConfig, Vocabulary, VocabularyError};

/// Decoder, normalizer and pre-tokenizer have no more bytes: ten times those of the largest.
const LARGEST_PART: usize = 1 << 24;

/// The parts that have a say in what tokens spell.
#[derive(Deserialize)]
struct File<'a> {
    #[serde(borrow)]
    model: Option<&'a RawValue>,
    #[serde(borrow)]
    added_tokens: Option<&'a RawValue>,
    #[serde(borrow)]
    decoder: Option<&'a RawValue>,
    #[serde(borrow)]
    pre_tokenizer: Option<&'a RawValue>,
    #[serde(borrow)]
    normalizer: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Model<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    vocab: Option<&'a RawValue>,
    #[serde(borrow)]
    merges: Option<&'a RawValue>,
    #[serde(borrow)]
    unk_token: Option<&'a RawValue>,
    #[serde(borrow)]
    unk_id: Option<&'a RawValue>,
    #[serde(borrow)]
    continuing_subword_prefix: Option<&'a RawValue>,
    #[serde(borrow)]
    end_of_word_suffix: Option<&'a RawValue>,
    #[serde(borrow)]
    byte_fallback: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct AddedToken {
    id: u64,
    content: String,
    #[serde(default)]
    special: bool,
}

/// The kinds of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bpe,
    Unigram,
    WordPiece,
    WordLevel,
}

/// A text with parts of it that have been read as JSON, so that a mistake can be placed.
struct Document<'a>(&'a str);

impl Document<'_> {
    /// A field that may be missing.
    fn optional<T: DeserializeOwned>(
        &self,
        field: &str,
        part: Option<&RawValue>,
    ) -> Result<Option<T>, VocabularyError> {
        let read = |part: &RawValue| {
            serde_json::from_str(part.get()).map_err(|error| self.wrong(field, part, &error))
        };
        part.map(read).transpose()
    }

    /// A field that must be there.
    fn required<T: DeserializeOwned>(
        &self,
        field: &str,
        part: Option<&RawValue>,
    ) -> Result<T, VocabularyError> {
        self.optional(field, part)?.ok_or_else(|| wrong(field, "is missing"))
    }

    /// The place of a mistake within a part is told as one within the text.
    fn wrong(&self, field: &str, part: &RawValue, error: &serde_json::Error) -> VocabularyError {
        let within = format!(" at line {} column {}", error.line(), error.column());
        let message = error.to_string();
        let message = message.strip_suffix(&within).unwrap_or(&message);
        let start = (part.get().as_ptr() as usize).saturating_sub(self.0.as_ptr() as usize);
        let before = self.0.get(..start).unwrap_or_default();
        let line = before.matches('\n').count() + error.line();
        let column = match error.line() {
            1 => error.column() + before.len() - before.rfind('\n').map_or(0, |end| end + 1),
            _ => error.column(),
        };
        wrong(field, format!("{message} at line {line} column {column}"))
    }
}

fn wrong(field: &str, message: impl Into<String>) -> VocabularyError {
    VocabularyError::field("tokenizer.json", field, message)
}

/// Reads a `tokenizer.json`.
pub(super) fn read(json: &[u8], config: &ModelConfig) -> Result<Vocabulary, VocabularyError> {
    let text = str::from_utf8(json).map_err(|error| wrong("", error.to_string()))?;
    let file: File = serde_json::from_str(text).map_err(|error| wrong("", error.to_string()))?;
    let document = Document(text);
    let part = file.model.ok_or_else(|| wrong("model", "is missing"))?;
    let model: Model =
        serde_json::from_str(part.get()).map_err(|error| document.wrong("model", part, &error))?;
    let kind = kind(&document, &model)?;
    if kind == Kind::Bpe {
        document.required::<List>("model.merges", model.merges)?;
    }
    let decoder = decoder(&document, &file, &model)?;

    let mut pieces = Pieces::default();
    let mut put = |id: u64, text: String| {
        let bytes = decoder.spell(&text);
        let byte = Piece::byte_of(&text).filter(|_| decoder.has_byte_fallback());
        let piece = match byte {
            Some(byte) => Piece::byte(text, byte),
            None => Piece::ordinary(text, bytes),
        };
        let before = pieces.put(id, piece).map_err(|message| wrong("model.vocab", message))?;
        match before {
            None => Ok(()),
            Some(before) => {
                let message = format!("{:?} has the id {id} of another token", before.text);
                Err(wrong("model.vocab", message))
            }
        }
    };
    if kind == Kind::Unigram {
        let Scored(tokens) = document.required("model.vocab", model.vocab)?;
        for (id, text) in (0..).zip(tokens) {
            put(id, text)?;
        }
    } else {
        let Entries(entries) = document.required("model.vocab", model.vocab)?;
        for (text, id) in entries {
            put(id, text)?;
        }
    }
    let added: Option<Vec<AddedToken>> = document.optional("added_tokens", file.added_tokens)?;
    for AddedToken { id, content, special } in added.unwrap_or_default() {
        let known = pieces.get_mut(id).filter(|piece| piece.text == content);
        let piece = match known {
            _ if special => Piece::control(content),
            // The tokenizer makes it of other texts, too.
            Some(known) => Piece::added(content, known.bytes.clone()),
            None => {
                let bytes = decoder.spell_added(&content);
                Piece::added(content, bytes)
            }
        };
        pieces.put(id, piece).map_err(|message| wrong("added_tokens", message))?;
    }
    mark_unknown(&document, &model, &mut pieces)?;
    pieces.add(config, |text| decoder.spell_added(text))?;
    pieces.build(config)
}

/// The kind of a model. Old files do not say.
fn kind(document: &Document, model: &Model) -> Result<Kind, VocabularyError> {
    let name: Option<String> = document.optional("model.type", model.kind)?;
    match name.as_deref() {
        Some("BPE") => Ok(Kind::Bpe),
        Some("Unigram") => Ok(Kind::Unigram),
        Some("WordPiece") => Ok(Kind::WordPiece),
        Some("WordLevel") => Ok(Kind::WordLevel),
        Some(other) => {
            let message = format!("{other:?} is none of BPE, Unigram, WordPiece and WordLevel");
            Err(wrong("model.type", message))
        }
        None if model.merges.is_some() => Ok(Kind::Bpe),
        None if model.vocab.is_some_and(|vocab| vocab.get().starts_with('[')) => Ok(Kind::Unigram),
        None if model.continuing_subword_prefix.is_some() => Ok(Kind::WordPiece),
        None => Err(wrong("model.type", "is missing")),
    }
}

/// The decoder, or what stands for one.
fn decoder(document: &Document, file: &File, model: &Model) -> Result<Decoder, VocabularyError> {
    let value = |field: &str, part: Option<&RawValue>| {
        if part.is_some_and(|part| part.get().len() > LARGEST_PART) {
            return Err(wrong(field, format!("has more than {LARGEST_PART} bytes")));
        }
        document.optional::<Value>(field, part)
    };
    if let Some(decoder) = value("decoder", file.decoder)? {
        return Decoder::read(&decoder).map_err(|(field, message)| wrong(&field, message));
    }
    let pre_tokenizer = value("pre_tokenizer", file.pre_tokenizer)?;
    let normalizer = value("normalizer", file.normalizer)?;
    let text = |field, part| document.optional::<String>(field, part);
    let prefix = text("model.continuing_subword_prefix", model.continuing_subword_prefix)?;
    let suffix = text("model.end_of_word_suffix", model.end_of_word_suffix)?;
    let byte_fallback = document.optional("model.byte_fallback", model.byte_fallback)?;
    Ok(Decoder::inferred(&Settings {
        pre_tokenizer: pre_tokenizer.as_ref(),
        normalizer: normalizer.as_ref(),
        continuing_subword_prefix: prefix.as_deref().filter(|prefix| !prefix.is_empty()),
        end_of_word_suffix: suffix.as_deref().filter(|suffix| !suffix.is_empty()),
        byte_fallback: byte_fallback.unwrap_or_default(),
    }))
}

/// The token for what has no token is never part of a text.
fn mark_unknown(
    document: &Document,
    model: &Model,
    pieces: &mut Pieces,
) -> Result<(), VocabularyError> {
    let id: Option<u64> = document.optional("model.unk_id", model.unk_id)?;
    let text: Option<String> = document.optional("model.unk_token", model.unk_token)?;
    let unknown = match (id, text) {
        (Some(id), _) => {
            let unknown = pieces.get_mut(id);
            Some(unknown.ok_or_else(|| wrong("model.unk_id", format!("there is no token {id}")))?)
        }
        (None, Some(text)) => pieces.find_mut(&text),
        (None, None) => None,
    };
    if let Some(piece) = unknown {
        *piece = Piece::control(std::mem::take(&mut piece.text));
    }
    Ok(())
}

/// A map as the pairs that it lists, no more than there may be ids.
struct Entries(Vec<(String, u64)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntriesVisitor;

        impl<'de> Visitor<'de> for EntriesVisitor {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of ids by tokens")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    push(&mut entries, entry)?;
                }
                Ok(Entries(entries))
            }
        }

        deserializer.deserialize_map(EntriesVisitor)
    }
}

/// A list of tokens with scores, no more than there may be ids.
struct Scored(Vec<String>);

impl<'de> Deserialize<'de> for Scored {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ScoredVisitor;

        impl<'de> Visitor<'de> for ScoredVisitor {
            type Value = Scored;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of tokens with scores")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Scored, A::Error> {
                let mut tokens = Vec::new();
                while let Some((token, _)) = list.next_element::<(String, f64)>()? {
                    push(&mut tokens, token)?;
                }
                Ok(Scored(tokens))
            }
        }

        deserializer.deserialize_seq(ScoredVisitor)
    }
}

fn push<T, E: de::Error>(list: &mut Vec<T>, item: T) -> Result<(), E> {
    if list.len() as u64 >= MOST_IDS {
        return Err(E::custom(format!("there are more than {MOST_IDS} tokens")));
    }
    list.push(item);
    Ok(())
}

/// A list of which only that it is one matters.
struct List;

impl<'de> Deserialize<'de> for List {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListVisitor;

        impl<'de> Visitor<'de> for ListVisitor {
            type Value = List;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of pairs of tokens")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<List, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(List)
            }
        }

        deserializer.deserialize_seq(ListVisitor)
    }
}
