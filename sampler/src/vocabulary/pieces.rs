//! The tokens that a file of a model lists, on their way to a vocabulary.

use rustc_hash::FxHashSet;

use super::{ModelConfig, Vocabulary, VocabularyError, end_of_generation};

/// Ids end below this: four times those of most large vocabularies. A file could claim any id.
pub(super) const MOST_IDS: u64 = 1 << 20;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Part of texts.
    Ordinary,
    /// Part of texts as a whole: added to what the tokenizer has learnt.
    Added,
    /// One byte, for texts that no other tokens spell.
    Byte,
    /// Never part of a text.
    Control,
}

/// A token as a file writes it, and what it spells.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) bytes: Vec<u8>,
    pub(super) kind: Kind,
}

impl Piece {
    /// A token that spells nothing is none of a text.
    pub(super) fn ordinary(text: String, bytes: Vec<u8>) -> Self {
        let kind = if bytes.is_empty() { Kind::Control } else { Kind::Ordinary };
        Self { text, bytes, kind }
    }

    /// A token that was added.
    pub(super) fn added(text: String, bytes: Vec<u8>) -> Self {
        let kind = if bytes.is_empty() { Kind::Control } else { Kind::Added };
        Self { text, bytes, kind }
    }

    /// A control token spells its text.
    pub(super) fn control(text: String) -> Self {
        Self { bytes: text.clone().into_bytes(), text, kind: Kind::Control }
    }

    pub(super) fn is_control(&self) -> bool {
        self.kind == Kind::Control
    }

    /// The byte of a piece such as `<0x0A>`.
    pub(super) fn byte_of(text: &str) -> Option<u8> {
        let digits = text.strip_prefix("<0x")?.strip_suffix('>')?.as_bytes();
        let digit = |byte: u8| char::from(byte).to_digit(16);
        match digits {
            &[high, low] => Some((digit(high)? * 16 + digit(low)?) as u8),
            _ => None,
        }
    }

    /// A token that spells one byte, as `<0x0A>` does.
    pub(super) fn byte(text: String, byte: u8) -> Self {
        Self { text, bytes: vec![byte], kind: Kind::Byte }
    }
}

/// The tokens by id. A place without a token is a gap.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    pieces: Vec<Option<Piece>>,
}

impl Pieces {
    /// Puts a token at an id, and gives back what was there; what is wrong with the id otherwise.
    pub(super) fn put(&mut self, id: u64, piece: Piece) -> Result<Option<Piece>, String> {
        Ok(self.place(id)?.replace(piece))
    }

    /// Has a gap at an id unless there is a token.
    pub(super) fn put_gap(&mut self, id: u64) -> Result<(), String> {
        self.place(id).map(|_| ())
    }

    fn place(&mut self, id: u64) -> Result<&mut Option<Piece>, String> {
        if id >= MOST_IDS {
            return Err(format!("the id {id} is beyond {}", MOST_IDS - 1));
        }
        let at = id as usize;
        if at >= self.pieces.len() {
            self.pieces.resize_with(at + 1, || None);
        }
        Ok(&mut self.pieces[at])
    }

    /// The token with an id.
    pub(super) fn get_mut(&mut self, id: u64) -> Option<&mut Piece> {
        self.pieces.get_mut(usize::try_from(id).ok()?)?.as_mut()
    }

    /// The first token with a text.
    pub(super) fn find_mut(&mut self, text: &str) -> Option<&mut Piece> {
        self.pieces.iter_mut().flatten().find(|piece| piece.text == text)
    }

    /// Adds the tokens that a configuration lists: `bytes` says what those spell that are part of
    /// texts and were not there before.
    pub(super) fn add(
        &mut self,
        config: &ModelConfig,
        bytes: impl Fn(&str) -> Vec<u8>,
    ) -> Result<(), VocabularyError> {
        for (id, text, is_control) in config.added() {
            let known = self.get_mut(*id).filter(|piece| piece.text == *text);
            let piece = match known {
                _ if *is_control => Piece::control(text.clone()),
                // What has been said of it before is no less true.
                Some(_) => continue,
                None => Piece::added(text.clone(), bytes(text)),
            };
            self.put(*id, piece).map_err(|message| {
                VocabularyError::field("tokenizer_config.json", "added_tokens_decoder", message)
            })?;
        }
        Ok(())
    }

    /// The vocabulary. Tokens end generation if the configuration names them, or if their text is known
    /// to.
    pub(super) fn build(self, config: &ModelConfig) -> Result<Vocabulary, VocabularyError> {
        let texts: FxHashSet<&str> =
            self.pieces.iter().flatten().map(|piece| &*piece.text).collect();
        let mut builder = Vocabulary::builder();
        for piece in &self.pieces {
            let Some(Piece { text, bytes, kind }) = piece else {
                builder.push_gap();
                continue;
            };
            let is_end = config.ends_with(text)
                || (matches!(kind, Kind::Added | Kind::Control)
                    && end_of_generation::is_known(text, |other| texts.contains(other)));
            match kind {
                _ if is_end => builder.push_eog(bytes),
                Kind::Ordinary | Kind::Added => builder.push(bytes),
                Kind::Byte => builder.push_fallback(bytes),
                Kind::Control => builder.push_control(bytes),
            };
        }
        for text in config.eog_texts() {
            if !texts.contains(&**text) {
                let message = format!("there is no token {text:?}");
                return Err(VocabularyError::field("tokenizer_config.json", "eos_token", message));
            }
        }
        for &id in config.eog_ids() {
            if id >= self.pieces.len() as u64 {
                let message = format!("there is no token {id}");
                let file = "generation_config.json";
                return Err(VocabularyError::field(file, "eos_token_id", message));
            }
        }
        builder.mark_eog(config.eog_ids().iter().copied())?;
        builder.build()
    }
}
