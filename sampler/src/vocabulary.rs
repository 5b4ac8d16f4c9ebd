//! What the tokens of a model spell.

mod builder;
mod byte_level;
mod decoder;
mod end_of_generation;
mod error;
mod files;
mod gguf;
mod hugging_face;
mod list;
mod model_config;
mod pieces;
mod sentence_piece;
mod tiktoken;
mod tiktoken_file;

use std::borrow::Cow;
use std::io::{Read, Seek};
use std::ops::Range;
use std::path::{Path, PathBuf};

pub use builder::VocabularyBuilder;
pub use error::{EncodeError, VocabularyError};
pub use model_config::ModelConfig;
pub use tiktoken::TiktokenName;

use crate::TokenId;
use crate::gguf::Header;

/// What the tokens of a model spell, which of them are control tokens, and which end generation.
///
/// An id below [`len`](Self::len) is one of three things: an ordinary token, which is a part of texts
/// and spells at least one byte (not always whole characters); a control token, which is never part
/// of a text even where its own text is; or a gap, which is never allowed. Tokens that end
/// generation are control tokens. Some ordinary tokens may spell the same, as the byte `<0x41>` and the
/// letter `A` do in vocabularies of `SentencePiece`: where one is allowed, all are.
///
/// ```
/// use grammask_sampler::{TokenId, Vocabulary};
///
/// let vocabulary = Vocabulary::from_name("o200k_base")?;
/// assert_eq!(vocabulary.len(), 200_019);
/// assert_eq!(vocabulary.bytes(TokenId(0)), Some(&b"!"[..]));
/// assert_eq!(vocabulary.bytes(TokenId(199_998)), None); // a gap
/// assert_eq!(vocabulary.eog_ids(), [TokenId(199_999)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Vocabulary {
    /// What the tokens spell, one after the other.
    bytes: Cow<'static, [u8]>,
    /// Token i spells the bytes from offset i to offset i + 1.
    offsets: Vec<u32>,
    /// The control tokens, ascending.
    control: Vec<TokenId>,
    /// Those of them that end generation, ascending.
    eog: Vec<TokenId>,
    /// The ordinary tokens in the order of their bytes; of those that spell the same, the one comes
    /// first that tokenizers write.
    ordered: Vec<TokenId>,
    /// The length of the longest ordinary token.
    longest: usize,
    tokenizer: Tokenizer,
}

/// How a text becomes tokens.
#[derive(Clone, Copy, Debug)]
enum Tokenizer {
    Tiktoken(TiktokenName),
    Greedy,
}

#[cfg(test)]
impl Vocabulary {
    /// The vocabulary of ordinary tokens alone, none of them empty.
    pub(crate) fn of<T: AsRef<[u8]>>(tokens: impl IntoIterator<Item = T>) -> Self {
        let mut builder = Self::builder();
        for token in tokens {
            builder.push(token);
        }
        builder.build().expect("they can be tokens")
    }
}

impl Vocabulary {
    /// A built-in vocabulary. Takes a few milliseconds; its encoder, which takes a hundred times
    /// as long, is built when it is first used.
    pub fn tiktoken(name: TiktokenName) -> Self {
        tiktoken::load(name)
    }

    /// The built-in vocabulary with this name: `o200k_base`, `cl100k_base` or `r50k_base`.
    ///
    /// # Errors
    ///
    /// [`VocabularyError::UnknownName`].
    pub fn from_name(name: &str) -> Result<Self, VocabularyError> {
        name.parse().map(Self::tiktoken)
    }

    /// A vocabulary in JSON: `{"tokens": ["text" or {"hex": ".."}], "control": [ids], "eog": [ids]}`.
    /// `control` and `eog` may be left out; a token in `eog` is a control token too.
    ///
    /// # Errors
    ///
    /// [`VocabularyError::Format`], also for a field that it does not know,
    /// [`VocabularyError::Hex`], [`VocabularyError::IdOutOfRange`], and those of
    /// [`VocabularyBuilder::build`].
    ///
    /// ```
    /// use grammask_sampler::{TokenId, Vocabulary};
    ///
    /// let json = r#"{"tokens": ["a", {"hex": "c3"}, "</s>"], "eog": [2]}"#;
    /// let vocabulary = Vocabulary::from_json(json)?;
    /// assert_eq!(vocabulary.bytes(TokenId(1)), Some(&[0xc3][..]));
    /// # Ok::<(), grammask_sampler::VocabularyError>(())
    /// ```
    pub fn from_json(text: &str) -> Result<Self, VocabularyError> {
        list::from_json(text)
    }

    /// The vocabulary of a file, or of the folder of a model; what the file holds decides, not what it
    /// is called:
    ///
    /// - `tokenizer.json` of Hugging Face: see [`from_tokenizer_json`](Self::from_tokenizer_json);
    /// - a model of `SentencePiece`: see [`from_sentence_piece`](Self::from_sentence_piece);
    /// - a file of tiktoken: see [`from_tiktoken`](Self::from_tiktoken);
    /// - GGUF: see [`from_gguf`](Self::from_gguf);
    /// - a plain list: see [`from_json`](Self::from_json).
    ///
    /// The first three are read with the `tokenizer_config.json` and `generation_config.json` (or else
    /// `config.json`) beside them: see [`ModelConfig`]. A file with the name of a built-in vocabulary,
    /// as `o200k_base.tiktoken`, has its control tokens. Of a folder `tokenizer.json` is read, or
    /// `tokenizer.model`, or the only file with the ending `.gguf`, `.tiktoken` or `.model`.
    ///
    /// # Errors
    ///
    /// [`VocabularyError::File`] with the path and what is wrong there.
    ///
    /// ```
    /// use grammask_sampler::{TokenId, Vocabulary};
    ///
    /// let folder = std::env::temp_dir().join(format!("grammask-doc-{}", std::process::id()));
    /// std::fs::create_dir_all(&folder)?;
    /// std::fs::write(
    ///     folder.join("tokenizer.json"),
    ///     r#"{"decoder": {"type": "ByteLevel"}, "added_tokens": [],
    ///         "model": {"type": "BPE", "merges": [], "vocab": {"a": 0, "Ġ": 1, "<end>": 2}}}"#,
    /// )?;
    /// std::fs::write(folder.join("generation_config.json"), r#"{"eos_token_id": 2}"#)?;
    /// let vocabulary = Vocabulary::from_path(&folder)?;
    /// assert_eq!(vocabulary.bytes(TokenId(1)), Some(&b" "[..]));
    /// assert_eq!(vocabulary.eog_ids(), [TokenId(2)]);
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, VocabularyError> {
        files::from_path(path.as_ref())
    }

    /// The file that [`from_path`](Self::from_path) reads: the path itself, or one in the folder.
    ///
    /// # Errors
    ///
    /// [`VocabularyError::File`] if the folder has none, or several.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// let path = Path::new("model/vocabulary.json");
    /// assert_eq!(grammask_sampler::Vocabulary::locate(path)?, path);
    /// # Ok::<(), grammask_sampler::VocabularyError>(())
    /// ```
    pub fn locate(path: impl AsRef<Path>) -> Result<PathBuf, VocabularyError> {
        files::locate(path.as_ref())
    }

    /// The vocabulary of a file that has been read already: see [`from_path`](Self::from_path).
    ///
    /// # Errors
    ///
    /// [`VocabularyError::UnknownFormat`], or those of the format that it is.
    ///
    /// ```
    /// use grammask_sampler::{ModelConfig, Vocabulary};
    ///
    /// let config = ModelConfig::default();
    /// assert_eq!(Vocabulary::from_bytes(b"YQ== 0\n", &config)?.len(), 1);
    /// assert_eq!(Vocabulary::from_bytes(br#"{"tokens": ["a"]}"#, &config)?.len(), 1);
    /// assert!(Vocabulary::from_bytes(b"what?", &config).is_err());
    /// # Ok::<(), grammask_sampler::VocabularyError>(())
    /// ```
    pub fn from_bytes(bytes: &[u8], config: &ModelConfig) -> Result<Self, VocabularyError> {
        files::from_bytes(bytes, config)
    }

    /// The vocabulary of a `tokenizer.json`: byte-level BPE, BPE and Unigram of `SentencePiece`,
    /// `WordPiece`, and lists of words. A token spells what the decoder of the file makes of it within
    /// a text. Special tokens are control tokens; those that are named or known to do so end
    /// generation.
    ///
    /// # Errors
    ///
    /// [`VocabularyError::Field`] with the field and its place, and those of
    /// [`VocabularyBuilder::build`].
    ///
    /// ```
    /// use grammask_sampler::{ModelConfig, TokenId, Vocabulary};
    ///
    /// let json = r###"{"model": {"type": "WordPiece", "vocab": {"go": 0, "##ing": 1}},
    ///     "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true}}"###;
    /// let vocabulary = Vocabulary::from_tokenizer_json(json.as_bytes(), &ModelConfig::default())?;
    /// assert_eq!(vocabulary.bytes(TokenId(0)), Some(&b" go"[..]));
    /// assert_eq!(vocabulary.bytes(TokenId(1)), Some(&b"ing"[..]));
    /// # Ok::<(), grammask_sampler::VocabularyError>(())
    /// ```
    pub fn from_tokenizer_json(json: &[u8], config: &ModelConfig) -> Result<Self, VocabularyError> {
        hugging_face::read(json, config)
    }

    /// The vocabulary of a `.model` file of `SentencePiece`. `▁` spells a blank. Unused pieces are gaps.
    ///
    /// # Errors
    ///
    /// [`VocabularyError::Field`], and those of [`VocabularyBuilder::build`].
    ///
    /// ```
    /// use grammask_sampler::{ModelConfig, TokenId, Vocabulary};
    ///
    /// let vocabulary = Vocabulary::from_sentence_piece(
    ///     b"\x0a\x06\x0a\x04\xe2\x96\x81a",
    ///     &ModelConfig::default(),
    /// )?;
    /// assert_eq!(vocabulary.bytes(TokenId(0)), Some(&b" a"[..]));
    /// # Ok::<(), grammask_sampler::VocabularyError>(())
    /// ```
    pub fn from_sentence_piece(
        model: &[u8],
        config: &ModelConfig,
    ) -> Result<Self, VocabularyError> {
        sentence_piece::read(model, config)
    }

    /// The vocabulary of a file of tiktoken: on each line a token in base64 and its id. It lists no
    /// control tokens: they come from the caller.
    ///
    /// # Errors
    ///
    /// [`VocabularyError::Field`] with the line, and those of [`VocabularyBuilder::build`].
    ///
    /// ```
    /// use grammask_sampler::{ModelConfig, Vocabulary};
    ///
    /// let mut config = ModelConfig::default();
    /// config.add_control(3, "<|endoftext|>");
    /// let vocabulary = Vocabulary::from_tiktoken(b"YQ== 0\nYg== 1\n", &config)?;
    /// assert_eq!(vocabulary.len(), 4);
    /// assert_eq!(vocabulary.token_by_text(b"<|endoftext|>"), vocabulary.eog_ids().first().copied());
    /// # Ok::<(), grammask_sampler::VocabularyError>(())
    /// ```
    pub fn from_tiktoken(ranks: &[u8], config: &ModelConfig) -> Result<Self, VocabularyError> {
        tiktoken_file::read(ranks, config)
    }

    /// The vocabulary in the metadata of a GGUF file of version 2 or 3, as llama.cpp reads it: BPE
    /// (`gpt2`), SPM (`llama`), WPM (`bert`), UGM (`t5`). Tensors are not read.
    ///
    /// # Errors
    ///
    /// [`VocabularyError::Field`] with the key, [`VocabularyError::Unreadable`], and those of
    /// [`VocabularyBuilder::build`].
    ///
    /// ```
    /// use std::io::Cursor;
    /// use grammask_sampler::{Vocabulary, VocabularyError};
    ///
    /// let error = Vocabulary::from_gguf(Cursor::new(b"GGUF\x03\0\0\0\x01\0")).unwrap_err();
    /// assert_eq!(error.to_string(), "GGUF: tensor count: needs 8 bytes, and the file has 2 more");
    /// ```
    pub fn from_gguf(file: impl Read + Seek) -> Result<Self, VocabularyError> {
        gguf::read(&Header::read(file)?)
    }

    /// The vocabulary in the metadata of a GGUF file whose head has been read.
    ///
    /// # Errors
    ///
    /// As [`from_gguf`](Self::from_gguf).
    pub fn from_gguf_header(header: &Header) -> Result<Self, VocabularyError> {
        gguf::read(header)
    }

    /// A vocabulary to be put together token by token.
    pub fn builder() -> VocabularyBuilder {
        VocabularyBuilder::default()
    }

    /// How many ids there are, gaps included: one more than the highest id. Never 0.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// All ids, gaps included.
    pub fn ids(&self) -> impl Iterator<Item = TokenId> + use<> {
        (0..self.len() as u32).map(TokenId)
    }

    /// What a token spells; `None` for a gap and for an id out of range. A control token may spell
    /// nothing.
    pub fn bytes(&self, token: TokenId) -> Option<&[u8]> {
        if token.index() >= self.len() {
            return None;
        }
        let bytes = self.spelling(token);
        (!bytes.is_empty() || self.is_control(token)).then_some(bytes)
    }

    /// What an id below `len` spells; a gap spells nothing.
    fn spelling(&self, token: TokenId) -> &[u8] {
        let index = token.index();
        &self.bytes[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }

    /// Whether this is a control token.
    pub fn is_control(&self, token: TokenId) -> bool {
        self.control.binary_search(&token).is_ok()
    }

    /// Whether this token ends generation.
    pub fn is_eog(&self, token: TokenId) -> bool {
        self.eog.binary_search(&token).is_ok()
    }

    /// The control tokens, ascending; those that end generation are among them.
    pub fn control_ids(&self) -> &[TokenId] {
        &self.control
    }

    /// The tokens that end generation, ascending.
    pub fn eog_ids(&self) -> &[TokenId] {
        &self.eog
    }

    /// The ordinary tokens in the order of their bytes: no control tokens, no gaps. Of those that spell
    /// the same, bytes that `SentencePiece` writes only in need come last, and lower ids first.
    pub fn ordered(&self) -> &[TokenId] {
        &self.ordered
    }

    /// The length in bytes of the longest ordinary token; 0 if there is none.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// Takes over the ordinary tokens in the order of their bytes.
    fn set_ordered(&mut self, ordered: Vec<TokenId>) {
        self.longest = ordered.iter().map(|&id| self.spelling(id).len()).max().unwrap_or(0);
        self.ordered = ordered;
    }

    /// The token with exactly this text: a control token (the lowest of several) before an ordinary
    /// one (the first of several in the order of [`ordered`](Self::ordered)).
    ///
    /// ```
    /// use grammask_sampler::{TokenId, Vocabulary};
    ///
    /// let vocabulary = Vocabulary::from_name("r50k_base")?;
    /// assert_eq!(vocabulary.token_by_text(b"<|endoftext|>"), Some(TokenId(50_256)));
    /// assert_eq!(vocabulary.token_by_text(b"!"), Some(TokenId(0)));
    /// assert_eq!(vocabulary.token_by_text(b"no such token"), None);
    /// # Ok::<(), grammask_sampler::VocabularyError>(())
    /// ```
    pub fn token_by_text(&self, text: &[u8]) -> Option<TokenId> {
        let control = self.control.iter().find(|&&token| self.spelling(token) == text);
        control.copied().or_else(|| {
            let place = self.ordered.partition_point(|&token| self.spelling(token) < text);
            let found = self.ordered.get(place).copied();
            found.filter(|&token| self.spelling(token) == text)
        })
    }

    /// The tokens of a text in which the texts of control tokens are mere text.
    ///
    /// A built-in vocabulary encodes as tiktoken does. Any other takes the longest token that fits,
    /// again and again, which may end in a place where no token fits although other tokens would
    /// have spelled the text.
    ///
    /// # Errors
    ///
    /// [`EncodeError::Unspellable`] of a vocabulary that is not built in, [`EncodeError::Split`] of
    /// one that is.
    ///
    /// ```
    /// use grammask_sampler::{TokenId, Vocabulary};
    ///
    /// let vocabulary = Vocabulary::from_name("r50k_base")?;
    /// assert_eq!(vocabulary.encode("hello world")?, [TokenId(31_373), TokenId(995)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn encode(&self, text: &str) -> Result<Vec<TokenId>, EncodeError> {
        let mut tokens = Vec::new();
        self.encode_part(text, 0..text.len(), &mut tokens)?;
        Ok(tokens)
    }

    /// The tokens of a text, or of any bytes, by taking the longest one that fits, again and again,
    /// whatever the vocabulary: not as a tokenizer spells it, but without building one.
    ///
    /// # Errors
    ///
    /// [`EncodeError::Unspellable`].
    ///
    /// ```
    /// use grammask_sampler::{TokenId, Vocabulary};
    ///
    /// let vocabulary = Vocabulary::from_name("r50k_base")?;
    /// assert_eq!(vocabulary.encode_longest("hello world")?, [TokenId(31_373), TokenId(995)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn encode_longest(&self, text: impl AsRef<[u8]>) -> Result<Vec<TokenId>, EncodeError> {
        let mut tokens = Vec::new();
        list::encode_greedy(self, text.as_ref(), 0, &mut tokens)?;
        Ok(tokens)
    }

    /// The tokens of a text in which the texts of some tokens stand for these tokens: the leftmost
    /// one counts, the longest one of several. What lies between is encoded part by part.
    ///
    /// # Errors
    ///
    /// [`EncodeError::UnknownToken`] if one of them does not exist, else as [`encode`](Self::encode).
    ///
    /// ```
    /// use grammask_sampler::{TokenId, Vocabulary};
    ///
    /// let vocabulary = Vocabulary::from_name("r50k_base")?;
    /// let end = vocabulary.eog_ids()[0];
    /// let tokens = vocabulary.encode_with("hello<|endoftext|>", &[end])?;
    /// assert_eq!(tokens, [TokenId(31_373), end]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn encode_with(
        &self,
        text: &str,
        allowed_special: &[TokenId],
    ) -> Result<Vec<TokenId>, EncodeError> {
        let mut specials = Vec::new();
        for &token in allowed_special {
            let bytes = self.bytes(token).ok_or(EncodeError::UnknownToken { token })?;
            // Bytes that are no text occur in no text.
            if let Some(special) = std::str::from_utf8(bytes).ok().filter(|text| !text.is_empty()) {
                specials.push(Special { token, text: special, next: text.find(special) });
            }
        }
        let mut tokens = Vec::new();
        let mut start = 0;
        loop {
            for special in &mut specials {
                special.look_from(text, start);
            }
            let nearest = specials
                .iter()
                .filter_map(|special| Some((special.next?, special)))
                .min_by_key(|(at, special)| (*at, std::cmp::Reverse(special.text.len())));
            let Some((at, special)) = nearest else {
                self.encode_part(text, start..text.len(), &mut tokens)?;
                return Ok(tokens);
            };
            self.encode_part(text, start..at, &mut tokens)?;
            tokens.push(special.token);
            start = at + special.text.len();
        }
    }

    fn encode_part(
        &self,
        text: &str,
        range: Range<usize>,
        tokens: &mut Vec<TokenId>,
    ) -> Result<(), EncodeError> {
        let (part, start) = (&text[range.clone()], range.start);
        match self.tokenizer {
            Tokenizer::Tiktoken(name) if !part.is_empty() => name.encode(part, tokens),
            Tokenizer::Tiktoken(_) => Ok(()),
            Tokenizer::Greedy => list::encode_greedy(self, part.as_bytes(), start, tokens),
        }
    }
}

/// A token whose text is looked for, and where it comes next.
struct Special<'v> {
    token: TokenId,
    text: &'v str,
    next: Option<usize>,
}

impl Special<'_> {
    /// Moves on to the next occurrence from `start`, unless that is known already.
    fn look_from(&mut self, text: &str, start: usize) {
        if self.next.is_some_and(|next| next < start) {
            self.next = text[start..].find(self.text).map(|at| start + at);
        }
    }
}
