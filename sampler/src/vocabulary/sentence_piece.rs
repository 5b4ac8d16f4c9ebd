//! `.model` files of `SentencePiece`: a `ModelProto` in the wire format of protocol buffers.
//!
//! Of the two hundred fields five matter, so they are read here, without a compiler of schemas and
//! without copies: field 1 of the file is a piece (1: text, 3: type), field 2 the settings of the
//! training (42: the id of the end).

use super::pieces::{Piece, Pieces};
use super::{ModelConfig, Vocabulary, VocabularyError};

/// What `SentencePiece` writes for a blank.
const BLANK: &str = "▁";

/// What a piece spells within a text.
pub(super) fn spell(piece: &str) -> Vec<u8> {
    piece.replace(BLANK, " ").into_bytes()
}

/// Whether a file begins like such a model: with a piece, or with the settings.
pub(super) fn is_one(file: &[u8]) -> bool {
    matches!(file.first(), Some(0x0a | 0x12 | 0x1a))
}

pub(super) fn read(file: &[u8], config: &ModelConfig) -> Result<Vocabulary, VocabularyError> {
    let mut pieces = Pieces::default();
    let (mut id, mut end) = (0, None);
    for field in fields(file, "") {
        match field? {
            Field { number: 1, value: Value::Bytes(piece) } => {
                if let Some(piece) = read_piece(piece, id)? {
                    pieces.put(id, piece).map_err(|message| wrong("pieces", message))?;
                } else {
                    pieces.put_gap(id).map_err(|message| wrong("pieces", message))?;
                }
                id += 1;
            }
            Field { number: 2, value: Value::Bytes(settings) } => end = Some(read_end(settings)?),
            _ => {}
        }
    }
    if id == 0 {
        return Err(wrong("pieces", "there are none"));
    }
    pieces.add(config, spell)?;
    let mut config = config.clone();
    if let Some(end) = end.and_then(|end| u32::try_from(end).ok())
        && pieces.get_mut(end.into()).is_some_and(|piece| piece.is_control())
    {
        config.add_eog(end);
    }
    pieces.build(&config)
}

/// A piece; nothing if no text has it.
fn read_piece(bytes: &[u8], id: u64) -> Result<Option<Piece>, VocabularyError> {
    let place = format!("pieces[{id}]");
    let (mut text, mut kind) = (None, 1);
    for field in fields(bytes, &place) {
        match field? {
            Field { number: 1, value: Value::Bytes(bytes) } => {
                let piece = str::from_utf8(bytes);
                text = Some(
                    piece.map_err(|error| wrong(&format!("{place}.piece"), error.to_string()))?,
                );
            }
            Field { number: 3, value: Value::Number(number) } => kind = number,
            _ => {}
        }
    }
    let text = text.ok_or_else(|| wrong(&format!("{place}.piece"), "is missing"))?.to_owned();
    let bytes = spell(&text);
    Ok(Some(match kind {
        1 => Piece::ordinary(text, bytes),
        2 | 3 => Piece::control(text),
        4 => Piece::added(text, bytes),
        5 => return Ok(None),
        6 => {
            let byte = Piece::byte_of(&text).ok_or_else(|| {
                wrong(&format!("{place}.piece"), format!("{text:?} is not a byte such as <0x0A>"))
            })?;
            Piece::byte(text, byte)
        }
        other => {
            let message = format!("{other} is not a type from 1 to 6");
            return Err(wrong(&format!("{place}.type"), message));
        }
    }))
}

/// The id of the end in the settings of the training.
fn read_end(settings: &[u8]) -> Result<u64, VocabularyError> {
    let mut end = 2;
    for field in fields(settings, "trainer_spec") {
        if let Field { number: 42, value: Value::Number(number) } = field? {
            end = number;
        }
    }
    Ok(end)
}

fn wrong(field: &str, message: impl Into<String>) -> VocabularyError {
    VocabularyError::field("SentencePiece model", field, message)
}

/// A field of a message.
struct Field<'a> {
    number: u64,
    value: Value<'a>,
}

enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// A number of four or eight bytes, as scores are.
    Fixed,
}

/// The fields of a message; the last one is an error if the message breaks off.
fn fields<'a>(
    mut bytes: &'a [u8],
    place: &str,
) -> impl Iterator<Item = Result<Field<'a>, VocabularyError>> {
    std::iter::from_fn(move || {
        if bytes.is_empty() {
            return None;
        }
        let field = read_field(&mut bytes);
        if field.is_none() {
            bytes = &[];
        }
        Some(field.ok_or_else(|| wrong(place, "breaks off, or is no message of protocol buffers")))
    })
}

fn read_field<'a>(bytes: &mut &'a [u8]) -> Option<Field<'a>> {
    let tag = read_number(bytes)?;
    let value = match tag & 7 {
        0 => Value::Number(read_number(bytes)?),
        1 => {
            bytes.split_off(..8)?;
            Value::Fixed
        }
        2 => {
            let len = usize::try_from(read_number(bytes)?).ok()?;
            Value::Bytes(bytes.split_off(..len)?)
        }
        5 => {
            bytes.split_off(..4)?;
            Value::Fixed
        }
        _ => return None,
    };
    Some(Field { number: tag >> 3, value })
}

/// A number in groups of seven bits, the lowest first.
fn read_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.split_off_first()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}
