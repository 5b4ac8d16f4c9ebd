//! Tokenizers that are trained here, and what their own decoders make of each token.

use std::collections::HashMap;

use serde_json::{Value, json};
use tokenizers::decoders::bpe::BPEDecoder;
use tokenizers::decoders::wordpiece::WordPiece as WordPieceDecoder;
use tokenizers::models::TrainerWrapper;
use tokenizers::models::bpe::{BPE, BpeTrainer};
use tokenizers::models::unigram::{Unigram, UnigramTrainer};
use tokenizers::models::wordlevel::{WordLevel, WordLevelTrainer};
use tokenizers::models::wordpiece::{WordPiece, WordPieceTrainer};
use tokenizers::normalizers::Replace;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::metaspace::{Metaspace, PrependScheme};
use tokenizers::pre_tokenizers::whitespace::Whitespace;
use tokenizers::{AddedToken, DecoderWrapper, NormalizerWrapper, PreTokenizerWrapper, Tokenizer};

use crate::corpus;

/// The tokens that end generation or begin something.
pub(crate) const SPECIAL: [&str; 4] = ["<unk>", "<s>", "</s>", "<|im_end|>"];

fn special() -> Vec<AddedToken> {
    SPECIAL.map(|text| AddedToken::from(text, true)).into()
}

fn train(tokenizer: &mut Tokenizer, trainer: impl Into<TrainerWrapper>) {
    tokenizer.train(&mut trainer.into(), corpus::lines(3_000).iter()).expect("it can be trained");
}

fn finish(tokenizer: &mut Tokenizer) -> Value {
    let added = ["<tool_call>", "   ", "\n\n\n"].map(|text| AddedToken::from(text, false));
    tokenizer.add_tokens(added).expect("they can be added");
    let text = tokenizer.to_string(false).expect("it can be written");
    serde_json::from_str(&text).expect("it is JSON")
}

/// BPE over bytes, as most models have it.
pub(crate) fn byte_level() -> Value {
    let mut tokenizer = Tokenizer::new(BPE::default());
    tokenizer
        .with_pre_tokenizer(Some(ByteLevel::new(false, true, true)))
        .with_decoder(Some(ByteLevel::default()));
    let alphabet = ByteLevel::alphabet().into_iter().collect();
    let trainer = BpeTrainer::builder()
        .show_progress(false)
        .vocab_size(6_000)
        .min_frequency(1)
        .initial_alphabet(alphabet)
        .special_tokens(special());
    train(&mut tokenizer, trainer.build());
    finish(&mut tokenizer)
}

/// BPE over characters with bytes for what is none of them, as Llama 2 and Gemma have it.
pub(crate) fn byte_fallback() -> Value {
    let mut tokenizer = Tokenizer::new(BPE::default());
    let blanks = Replace::new(" ", "▁").expect("a pattern");
    tokenizer.with_normalizer(Some(NormalizerWrapper::Replace(blanks))).expect("a normalizer");
    let trainer = BpeTrainer::builder().show_progress(false).vocab_size(4_000).min_frequency(1);
    // Without a pre-tokenizer the lines are words; long ones are not needed.
    let trainer = trainer.special_tokens(special()).max_token_length(Some(12));
    train(&mut tokenizer, trainer.build());
    let mut file = finish(&mut tokenizer);
    // The bytes come behind the special tokens.
    let first = SPECIAL.len() as u64;
    let later = |id: u64| if id < first { id } else { id + 256 };
    let vocab = file["model"]["vocab"].as_object_mut().expect("an object");
    for id in vocab.values_mut() {
        *id = later(id.as_u64().expect("an id")).into();
    }
    vocab.extend((0..256).map(|byte| (format!("<0x{byte:02X}>"), (first + byte).into())));
    for token in file["added_tokens"].as_array_mut().expect("a list") {
        token["id"] = later(token["id"].as_u64().expect("an id")).into();
    }
    file["model"]["byte_fallback"] = true.into();
    file["model"]["unk_token"] = "<unk>".into();
    file["decoder"] = json!({"type": "Sequence", "decoders": [
        {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
        {"type": "ByteFallback"},
        {"type": "Fuse"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0},
    ]});
    file
}

/// Unigram with blanks as `▁`, as T5 and XLM-R have it.
pub(crate) fn unigram() -> Value {
    let mut tokenizer = Tokenizer::new(Unigram::default());
    tokenizer
        .with_pre_tokenizer(Some(Metaspace::new('▁', PrependScheme::Always, true)))
        .with_decoder(Some(Metaspace::new('▁', PrependScheme::Always, true)));
    let trainer = UnigramTrainer::builder()
        .show_progress(false)
        .vocab_size(3_000)
        .unk_token(Some("<unk>".to_owned()))
        .special_tokens(special())
        .build()
        .expect("settings");
    train(&mut tokenizer, trainer);
    finish(&mut tokenizer)
}

/// `WordPiece`, as BERT has it.
pub(crate) fn word_piece(cleanup: bool) -> Value {
    let mut tokenizer = Tokenizer::new(WordPiece::default());
    tokenizer
        .with_pre_tokenizer(Some(Whitespace {}))
        .with_decoder(Some(WordPieceDecoder::new("##".to_owned(), cleanup)));
    let trainer = WordPieceTrainer::builder()
        .show_progress(false)
        .vocab_size(4_000)
        .min_frequency(1)
        .special_tokens(special());
    train(&mut tokenizer, trainer.build());
    finish(&mut tokenizer)
}

/// BPE with a mark at the ends of words, as the first GPT had it.
pub(crate) fn end_of_word() -> Value {
    let model = BPE::builder().end_of_word_suffix("</w>".to_owned()).build().expect("a model");
    let mut tokenizer = Tokenizer::new(model);
    tokenizer
        .with_pre_tokenizer(Some(Whitespace {}))
        .with_decoder(Some(BPEDecoder::new("</w>".to_owned())));
    let trainer = BpeTrainer::builder()
        .show_progress(false)
        .vocab_size(3_000)
        .min_frequency(1)
        .end_of_word_suffix("</w>".to_owned())
        .special_tokens(special());
    train(&mut tokenizer, trainer.build());
    finish(&mut tokenizer)
}

/// Words without a decoder.
pub(crate) fn words() -> Value {
    let mut tokenizer = Tokenizer::new(WordLevel::default());
    tokenizer.with_pre_tokenizer(Some(PreTokenizerWrapper::Whitespace(Whitespace {})));
    let trainer = WordLevelTrainer::builder()
        .show_progress(false)
        .vocab_size(2_000_usize)
        .min_frequency(0_u64)
        .special_tokens(special())
        .build()
        .expect("settings");
    train(&mut tokenizer, trainer);
    finish(&mut tokenizer)
}

/// What each token spells within a text by a tokenizer itself.
pub(crate) struct Reference {
    tokenizer: Tokenizer,
    is_byte_level: bool,
    bytes: HashMap<char, u8>,
    /// A token before the one that is asked for, and one behind it.
    around: [u32; 2],
}

impl Reference {
    pub(crate) fn new(file: &Value) -> Self {
        let tokenizer: Tokenizer = file.to_string().parse().expect("the crate reads it");
        let is_byte_level = matches!(tokenizer.get_decoder(), Some(DecoderWrapper::ByteLevel(_)));
        let id = |text: &str| tokenizer.token_to_id(text);
        let around = ["a", "t"].map(|text| id(text).or_else(|| id(&format!("▁{text}"))));
        let around = around.map(|id| id.expect("letters are tokens"));
        // By its definition: what prints is itself, the others are counted from 256 on.
        let prints = |byte: &u8| matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
        let shown = (0..=255).filter(prints).map(|byte| (char::from(byte), byte));
        let hidden = (0..=255).filter(|byte| !prints(byte)).zip('\u{100}'..);
        let bytes = shown.chain(hidden.map(|(byte, c)| (c, byte))).collect();
        Self { tokenizer, is_byte_level, bytes, around }
    }

    fn decode(&self, ids: &[u32]) -> String {
        self.tokenizer.decode(ids, false).expect("the crate decodes it")
    }

    /// Number of ids.
    pub(crate) fn len(&self) -> u32 {
        1 + self.tokenizer.get_vocab(true).into_values().max().expect("there are tokens")
    }

    /// Whether a token is special.
    pub(crate) fn is_special(&self, id: u32) -> bool {
        let added = self.tokenizer.get_added_tokens_decoder();
        added.get(&id).is_some_and(|token| token.special)
    }

    /// What a token that is part of texts spells.
    pub(crate) fn spelling(&self, id: u32) -> Option<Vec<u8>> {
        let text = self.tokenizer.id_to_token(id)?;
        let [before, behind] = self.around;
        let start = self.decode(&[before]);
        let end = self.decode(&[before, behind]);
        let end = end.strip_prefix(&start).expect("the rest comes behind it");
        let all = self.decode(&[before, id, behind]);
        let within = all.strip_prefix(&start).and_then(|rest| rest.strip_suffix(end));
        let within = within.expect("the others are the same around it");
        if !within.contains('\u{fffd}') {
            return Some(within.as_bytes().to_vec());
        }
        // Broken characters the decoder cannot show.
        if self.is_byte_level {
            return text.chars().map(|c| self.bytes.get(&c).copied()).collect();
        }
        u8::from_str_radix(text.get(3..5)?, 16).ok().map(|byte| vec![byte])
    }
}
