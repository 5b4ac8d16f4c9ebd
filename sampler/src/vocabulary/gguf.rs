//! The metadata of GGUF files: keys and values in front of the tensors, which are never read.
//!
//! Header: the letters `GGUF`, a version (2 and 3 are the same here), the number of tensors, the number
//! of values. A value: its key, its type, itself. All numbers are little-endian; lengths have 64 bits.

use std::io::{BufReader, Read, Seek, SeekFrom};

use super::pieces::{Kind, MOST_IDS, Piece, Pieces};
use super::{
    ModelConfig, Vocabulary, VocabularyError, byte_level, end_of_generation, sentence_piece,
};

/// The first bytes of each file.
pub(super) const MAGIC: &[u8] = b"GGUF";

/// No key and no token has more bytes than this.
const LONGEST_TEXT: u64 = 1 << 16;

/// The ids that end generation: see `llama_vocab::impl::load`.
const ENDS: [&str; 6] = [
    "tokenizer.ggml.eos_token_id",
    "tokenizer.ggml.eot_token_id",
    "tokenizer.ggml.eom_token_id",
    "tokenizer.ggml.fim_pad_token_id",
    "tokenizer.ggml.fim_rep_token_id",
    "tokenizer.ggml.fim_sep_token_id",
];

const MODEL: &str = "tokenizer.ggml.model";
const TOKENS: &str = "tokenizer.ggml.tokens";
const TOKEN_TYPE: &str = "tokenizer.ggml.token_type";

/// What is asked of the metadata.
#[derive(Debug, Default)]
struct Metadata {
    model: Option<String>,
    tokens: Option<Vec<String>>,
    types: Option<Vec<i64>>,
    /// A key of [`ENDS`] and the id.
    ends: Vec<(&'static str, i64)>,
}

pub(super) fn read(file: impl Read + Seek) -> Result<Vocabulary, VocabularyError> {
    let Metadata { model, tokens, types, ends } = metadata(file)?;
    let missing = |key: &str| wrong(key, "is missing");
    let model = model.ok_or_else(|| missing(MODEL))?;
    let tokens = tokens.ok_or_else(|| missing(TOKENS))?;
    let is_byte_level = match &*model {
        "gpt2" => true,
        // Gemma 4 is BPE over the pieces of SentencePiece.
        "llama" | "t5" | "bert" | "gemma4" => false,
        other => {
            let known = "gpt2 (BPE), llama (SPM), t5 (UGM), bert (WPM) and gemma4";
            return Err(wrong(MODEL, format!("{other:?} is not known; there are {known}")));
        }
    };
    if let Some(types) = &types
        && types.len() != tokens.len()
    {
        let message = format!("has {} entries for {} tokens", types.len(), tokens.len());
        return Err(wrong(TOKEN_TYPE, message));
    }
    let count = tokens.len() as u64;
    let mut pieces = Pieces::default();
    for (id, text) in (0..).zip(tokens) {
        let kind = types.as_ref().map_or(1, |types| types[id as usize]);
        let piece = match kind {
            1 => {
                let bytes = if is_byte_level {
                    byte_level::decode(&text).unwrap_or_else(|| text.clone().into_bytes())
                } else {
                    sentence_piece::spell(&text)
                };
                Some(Piece::ordinary(text, bytes))
            }
            2 | 3 => Some(Piece::control(text)),
            4 => {
                let bytes = text.clone().into_bytes();
                Some(Piece::added(text, bytes))
            }
            6 => {
                let byte = Piece::byte_of(&text).ok_or_else(|| {
                    wrong(&format!("{TOKENS}[{id}]"), format!("{text:?} is not a byte like <0x0A>"))
                })?;
                Some(Piece::byte(text, byte))
            }
            // Undefined, unused.
            0 | 5 => None,
            other => {
                let message = format!("{other} is not a type from 0 to 6");
                return Err(wrong(&format!("{TOKEN_TYPE}[{id}]"), message));
            }
        };
        let put = match piece {
            Some(mut piece) => {
                // What is known to end generation does so whatever its type.
                if piece.kind == Kind::Ordinary && end_of_generation::is_listed(&piece.text) {
                    piece.kind = Kind::Added;
                }
                pieces.put(id, piece).map(|_| ())
            }
            None => pieces.put_gap(id),
        };
        put.map_err(|message| wrong(TOKENS, message))?;
    }
    let mut config = ModelConfig::default();
    for (key, end) in ends {
        let end = u32::try_from(end).ok().filter(|&end| u64::from(end) < count);
        config.add_eog(end.ok_or_else(|| wrong(key, format!("there are {count} tokens")))?);
    }
    pieces.build(&config)
}

/// Reads what is asked of the metadata, and passes over all else.
fn metadata(file: impl Read + Seek) -> Result<Metadata, VocabularyError> {
    let mut reader = Reader::new(file)?;
    if reader.bytes(4, "magic")? != MAGIC {
        return Err(wrong("magic", "is not \"GGUF\""));
    }
    match u32::from_le_bytes(reader.array("version")?) {
        2 | 3 => {}
        version if (2..4).contains(&version.swap_bytes()) => {
            return Err(wrong("version", "the file is big-endian, which is not supported"));
        }
        version => return Err(wrong("version", format!("{version} is neither 2 nor 3"))),
    }
    reader.u64("tensor count")?;
    let count = reader.u64("metadata count")?;
    let mut metadata = Metadata::default();
    for at in 0..count {
        let key = reader.text(&format!("key {at} of {count}"))?;
        let kind = reader.u32(&key)?;
        match &*key {
            MODEL => metadata.model = Some(reader.text_of(kind, &key)?),
            TOKENS => metadata.tokens = Some(reader.texts(kind, &key)?),
            TOKEN_TYPE => metadata.types = Some(reader.integers(kind, &key)?),
            _ => match ENDS.into_iter().find(|end| *end == key) {
                Some(end) => metadata.ends.push((end, reader.integer(kind, &key)?)),
                None => reader.skip(kind, &key)?,
            },
        }
    }
    Ok(metadata)
}

fn wrong(field: &str, message: impl Into<String>) -> VocabularyError {
    VocabularyError::field("GGUF", field, message)
}

const STRING: u32 = 8;
const ARRAY: u32 = 9;

/// The number of bytes of a value of a type that always has as many.
fn size(kind: u32) -> Option<u64> {
    match kind {
        0 | 1 | 7 => Some(1),
        2 | 3 => Some(2),
        4..=6 => Some(4),
        10..=12 => Some(8),
        _ => None,
    }
}

/// A file that knows how much of it is left: no length is believed beyond that.
struct Reader<F> {
    file: BufReader<F>,
    left: u64,
}

impl<F: Read + Seek> Reader<F> {
    fn new(mut file: F) -> Result<Self, VocabularyError> {
        let length = |file: &mut F| {
            let start = file.stream_position()?;
            let end = file.seek(SeekFrom::End(0))?;
            file.seek(SeekFrom::Start(start))?;
            Ok(end.saturating_sub(start))
        };
        let left = length(&mut file).map_err(|error| unreadable(&error))?;
        Ok(Self { file: BufReader::with_capacity(1 << 16, file), left })
    }

    /// Takes note that so many bytes are read.
    fn take(&mut self, len: u64, field: &str) -> Result<(), VocabularyError> {
        let breaks_off =
            || wrong(field, format!("needs {len} bytes, and the file has {} more", self.left));
        self.left = self.left.checked_sub(len).ok_or_else(breaks_off)?;
        Ok(())
    }

    fn array<const N: usize>(&mut self, field: &str) -> Result<[u8; N], VocabularyError> {
        self.take(N as u64, field)?;
        let mut bytes = [0; N];
        self.file.read_exact(&mut bytes).map_err(|error| unreadable(&error))?;
        Ok(bytes)
    }

    fn bytes(&mut self, len: u64, field: &str) -> Result<Vec<u8>, VocabularyError> {
        self.take(len, field)?;
        let mut bytes = vec![0; len as usize];
        self.file.read_exact(&mut bytes).map_err(|error| unreadable(&error))?;
        Ok(bytes)
    }

    fn pass(&mut self, len: u64, field: &str) -> Result<(), VocabularyError> {
        self.take(len, field)?;
        // No file is longer than this number can say.
        let len = i64::try_from(len).unwrap_or(i64::MAX);
        self.file.seek_relative(len).map_err(|error| unreadable(&error))
    }

    fn u32(&mut self, field: &str) -> Result<u32, VocabularyError> {
        self.array(field).map(u32::from_le_bytes)
    }

    fn u64(&mut self, field: &str) -> Result<u64, VocabularyError> {
        self.array(field).map(u64::from_le_bytes)
    }

    fn text(&mut self, field: &str) -> Result<String, VocabularyError> {
        let len = self.u64(field)?;
        if len > LONGEST_TEXT && len <= self.left {
            return Err(wrong(
                field,
                format!("is a text of {len} bytes, more than {LONGEST_TEXT}"),
            ));
        }
        let bytes = self.bytes(len, field)?;
        String::from_utf8(bytes).map_err(|error| wrong(field, error.to_string()))
    }

    fn text_of(&mut self, kind: u32, field: &str) -> Result<String, VocabularyError> {
        if kind != STRING {
            return Err(wrong(field, format!("has the type {kind}, and is no text")));
        }
        self.text(field)
    }

    /// The type of the items of an array, and their number. Each takes at least `size` bytes.
    fn items(&mut self, field: &str) -> Result<(u32, u64), VocabularyError> {
        let kind = self.u32(field)?;
        let count = self.u64(field)?;
        let least = size(kind).unwrap_or(8);
        if count > self.left / least {
            let message =
                format!("claims {count} items, and the file has {} bytes more", self.left);
            return Err(wrong(field, message));
        }
        Ok((kind, count))
    }

    /// An array with an item for each token.
    fn token_items(
        &mut self,
        kind: u32,
        field: &str,
        is_right: impl Fn(u32) -> bool,
    ) -> Result<(u32, u64), VocabularyError> {
        if kind != ARRAY {
            return Err(wrong(field, format!("has the type {kind}, and is no array")));
        }
        let (kind, count) = self.items(field)?;
        if !is_right(kind) {
            return Err(wrong(field, format!("its items have the type {kind}")));
        }
        if count > MOST_IDS {
            return Err(wrong(field, format!("has {count} items, more than {MOST_IDS}")));
        }
        Ok((kind, count))
    }

    fn texts(&mut self, kind: u32, field: &str) -> Result<Vec<String>, VocabularyError> {
        let (_, count) = self.token_items(kind, field, |kind| kind == STRING)?;
        (0..count).map(|_| self.text(field)).collect()
    }

    fn integers(&mut self, kind: u32, field: &str) -> Result<Vec<i64>, VocabularyError> {
        let is_integer = |kind| matches!(kind, 0..=5 | 10 | 11);
        let (kind, count) = self.token_items(kind, field, is_integer)?;
        (0..count).map(|_| self.integer(kind, field)).collect()
    }

    fn integer(&mut self, kind: u32, field: &str) -> Result<i64, VocabularyError> {
        Ok(match kind {
            0 => self.array::<1>(field)?[0].into(),
            1 => i8::from_le_bytes(self.array(field)?).into(),
            2 => u16::from_le_bytes(self.array(field)?).into(),
            3 => i16::from_le_bytes(self.array(field)?).into(),
            4 => self.u32(field)?.into(),
            5 => i32::from_le_bytes(self.array(field)?).into(),
            10 => i64::try_from(self.u64(field)?).unwrap_or(i64::MAX),
            11 => i64::from_le_bytes(self.array(field)?),
            other => return Err(wrong(field, format!("has the type {other}, and is no integer"))),
        })
    }

    /// Passes over a value.
    fn skip(&mut self, kind: u32, field: &str) -> Result<(), VocabularyError> {
        let (kind, count) = if kind == ARRAY { self.items(field)? } else { (kind, 1) };
        if let Some(size) = size(kind) {
            return self.pass(size.saturating_mul(count), field);
        }
        if kind != STRING {
            return Err(wrong(field, format!("the type {kind} is not known")));
        }
        for _ in 0..count {
            let len = self.u64(field)?;
            self.pass(len, field)?;
        }
        Ok(())
    }
}

fn unreadable(error: &std::io::Error) -> VocabularyError {
    VocabularyError::Unreadable { message: error.to_string() }
}
