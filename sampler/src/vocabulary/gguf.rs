//! The vocabulary in the metadata of a GGUF file.

use super::pieces::{Kind, MOST_IDS, Piece, Pieces};
use super::{
    ModelConfig, Vocabulary, VocabularyError, byte_level, end_of_generation, sentence_piece,
};
use crate::gguf::{GgufError, Header};

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

pub(super) fn read(header: &Header) -> Result<Vocabulary, VocabularyError> {
    let missing = |key: &str| wrong(key, "is missing");
    let model = header.text(MODEL)?.ok_or_else(|| missing(MODEL))?;
    let tokens = header.texts(TOKENS)?.ok_or_else(|| missing(TOKENS))?;
    let types = header.integers(TOKEN_TYPE)?;
    let count = tokens.len() as u64;
    if count > MOST_IDS {
        return Err(wrong(TOKENS, format!("has {count} items, more than {MOST_IDS}")));
    }
    let is_byte_level = match model {
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
    let mut pieces = Pieces::default();
    for (id, text) in (0..).zip(tokens) {
        let kind = types.as_ref().map_or(1, |types| types[id as usize]);
        let text = text.clone();
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
    for key in ENDS {
        let Some(end) = header.integer(key)? else {
            continue;
        };
        // Below the count, which is below 2^32.
        let end = Some(end as u32).filter(|_| end < count);
        config.add_eog(end.ok_or_else(|| wrong(key, format!("there are {count} tokens")))?);
    }
    pieces.build(&config)
}

fn wrong(field: &str, message: impl Into<String>) -> VocabularyError {
    VocabularyError::field("GGUF", field, message)
}

impl From<GgufError> for VocabularyError {
    fn from(error: GgufError) -> Self {
        match error {
            GgufError::Field { field, message } => wrong(&field, message),
            GgufError::Unreadable { message } => Self::Unreadable { message },
        }
    }
}
