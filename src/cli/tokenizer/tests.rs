//! Tokenizers that are trained here are written as the metadata of GGUF files, and what is read from these
//! must encode any text as they do.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::Cursor;
use std::sync::LazyLock;

use grammask::sampler::gguf::Header;
use grammask::sampler::{TokenId, Vocabulary};
use proptest::prelude::*;
use serde_json::{Value, json};
use tokenizers::models::TrainerWrapper;
use tokenizers::models::bpe::{BPE, BpeTrainer};
use tokenizers::models::unigram::{Unigram, UnigramTrainer};
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::metaspace::{Metaspace, PrependScheme};
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::{AddedToken, PreTokenizerWrapper, SplitDelimiterBehavior, Tokenizer};

use super::GgufTokenizer;
use super::hugging_face::HuggingFace;
use super::pre_tokenizer::Scheme;

const SPECIAL: [&str; 3] = ["<unk>", "<s>", "<|im_end|>"];
const ADDED: [&str; 3] = ["<tool_call>", "   ", "\n\n\n"];

/// What texts are made of: words, marks and blanks of many scripts, and the texts of tokens.
const PARTS: [&str; 48] = [
    "the",
    "The",
    "cat's",
    "don'T",
    "I'LL",
    "HTTPServer",
    "camelCase",
    " ",
    "  ",
    "    ",
    "\n",
    "\n\n",
    "\r\n",
    "\t",
    "\u{a0}",
    "\u{3000}",
    "7",
    "1234567",
    "٣٤",
    "½",
    "²",
    ".",
    ",",
    "...",
    "(-_-)",
    "{\"a\": ",
    "}",
    "<b>",
    "$€",
    "’s",
    "été",
    "e\u{301}",
    "ß",
    "ſ",
    "İ",
    "Ǆ",
    "привет",
    "Ἑλλάς",
    "שלום",
    "مرحبا",
    "कि",
    "ไทย",
    "漢字かな",
    "한국어",
    "🙂👩‍👩‍👧",
    "\u{0}",
    "<s>",
    "<tool_call>",
];

fn text() -> impl Strategy<Value = String> {
    let parts = prop::collection::vec(prop::sample::select(&PARTS[..]), 0..24);
    let anything = prop::collection::vec(any::<char>(), 0..12);
    prop_oneof![
        4 => parts.prop_map(|parts| parts.concat()),
        1 => anything.prop_map(String::from_iter),
    ]
}

/// Lines of all parts, in orders that differ.
fn corpus() -> Vec<String> {
    let part = |line: usize, at: usize| PARTS[(line * at + line / 7 + at * at) % PARTS.len()];
    (0..600).map(|line| (0..20).map(|at| part(line, at)).collect()).collect()
}

/// Metadata of GGUF.
#[derive(Clone)]
enum Meta {
    Id(u32),
    Flag(bool),
    Text(String),
    Texts(Vec<String>),
    Types(Vec<i32>),
    Scores(Vec<f32>),
}

/// A GGUF file without tensors.
fn gguf(entries: &[(&str, Meta)]) -> Vec<u8> {
    fn text(bytes: &mut Vec<u8>, text: &str) {
        bytes.extend((text.len() as u64).to_le_bytes());
        bytes.extend(text.as_bytes());
    }
    let mut bytes = b"GGUF\x03\0\0\0".to_vec();
    bytes.extend(0_u64.to_le_bytes());
    bytes.extend((entries.len() as u64).to_le_bytes());
    for (key, value) in entries {
        text(&mut bytes, &format!("tokenizer.ggml.{key}"));
        let kind = |bytes: &mut Vec<u8>, kind: u32| bytes.extend(kind.to_le_bytes());
        let list = |bytes: &mut Vec<u8>, of: u32, len: usize| {
            kind(bytes, 9);
            kind(bytes, of);
            bytes.extend((len as u64).to_le_bytes());
        };
        match value {
            Meta::Id(id) => {
                kind(&mut bytes, 4);
                bytes.extend(id.to_le_bytes());
            }
            Meta::Flag(flag) => {
                kind(&mut bytes, 7);
                bytes.push((*flag).into());
            }
            Meta::Text(value) => {
                kind(&mut bytes, 8);
                text(&mut bytes, value);
            }
            Meta::Texts(values) => {
                list(&mut bytes, 8, values.len());
                for value in values {
                    text(&mut bytes, value);
                }
            }
            Meta::Types(values) => {
                list(&mut bytes, 5, values.len());
                bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            }
            Meta::Scores(values) => {
                list(&mut bytes, 6, values.len());
                bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            }
        }
    }
    bytes
}

fn read(entries: &[(&str, Meta)]) -> Result<GgufTokenizer, String> {
    let file = gguf(entries);
    let header = Header::read(Cursor::new(&file)).expect("it is whole");
    let vocabulary = Vocabulary::from_gguf(Cursor::new(&file)).expect("it has tokens");
    GgufTokenizer::new(&header, &vocabulary).map_err(|error| error.to_string())
}

/// A tokenizer, the texts of its tokens by id, and their types.
struct Trained {
    tokenizer: Tokenizer,
    file: Value,
    texts: Vec<String>,
    types: Vec<i32>,
}

fn train(mut tokenizer: Tokenizer, trainer: impl Into<TrainerWrapper>) -> Trained {
    tokenizer.train(&mut trainer.into(), corpus().iter()).expect("it can be trained");
    tokenizer
        .add_tokens(ADDED.map(|text| AddedToken::from(text, false)))
        .expect("they can be added");
    let file = tokenizer.to_string(false).expect("it can be written");
    let file: Value = serde_json::from_str(&file).expect("it is JSON");
    let ids = tokenizer.get_vocab(true);
    // Unigram may have learnt an added token, whose first id nobody gets.
    let count = 1 + ids.values().max().copied().unwrap_or_default();
    let text = |id| tokenizer.id_to_token(id).filter(|text| ids[text] == id);
    let texts: Vec<String> =
        (0..count).map(|id| text(id).unwrap_or_else(|| format!("<|unused {id}|>"))).collect();
    let kind = |text: &String| match &**text {
        "<unk>" => 2,
        text if SPECIAL.contains(&text) => 3,
        text if ADDED.contains(&text) => 4,
        _ => 1,
    };
    let types = texts.iter().map(kind).collect();
    Trained { tokenizer, file, texts, types }
}

fn special() -> Vec<AddedToken> {
    SPECIAL.map(|text| AddedToken::from(text, true)).into()
}

/// Byte-level BPE with the words of a scheme, and the same from GGUF.
fn byte_pairs(pre: &str) -> (Tokenizer, GgufTokenizer) {
    let scheme = Scheme::named(pre).expect("it is known");
    let split = |cut: &&str| {
        let pattern = SplitPattern::Regex((*cut).to_owned());
        let split = Split::new(pattern, SplitDelimiterBehavior::Isolated, false);
        PreTokenizerWrapper::Split(split.expect("an expression"))
    };
    let mut steps: Vec<PreTokenizerWrapper> = scheme.cuts().iter().map(split).collect();
    steps.push(PreTokenizerWrapper::ByteLevel(ByteLevel::new(false, false, false)));
    let model = BPE::builder().ignore_merges(scheme.keeps_whole_words()).build().expect("a model");
    let mut tokenizer = Tokenizer::new(model);
    tokenizer.with_pre_tokenizer(Some(Sequence::new(steps)));
    let trainer = BpeTrainer::builder()
        .show_progress(false)
        .vocab_size(700)
        .min_frequency(1)
        .initial_alphabet(ByteLevel::alphabet().into_iter().collect())
        .special_tokens(special());
    let Trained { tokenizer, file, texts, types } = train(tokenizer, trainer.build());
    let merges = file["model"]["merges"].as_array().expect("a list").iter().map(|merge| {
        let part = |at: usize| merge[at].as_str().expect("a text");
        format!("{} {}", part(0), part(1))
    });
    let read = read(&[
        ("model", Meta::Text("gpt2".to_owned())),
        ("pre", Meta::Text(pre.to_owned())),
        ("tokens", Meta::Texts(texts)),
        ("token_type", Meta::Types(types)),
        ("merges", Meta::Texts(merges.collect())),
        ("add_bos_token", Meta::Flag(false)),
    ]);
    (tokenizer, read.expect("it is read"))
}

/// One scheme of each kind.
static BYTE_PAIRS: LazyLock<Vec<(&str, Tokenizer, GgufTokenizer)>> = LazyLock::new(|| {
    let names = ["llama-bpe", "qwen2", "qwen35", "gpt-2", "smollm", "gpt-4o", "tekken"];
    let more =
        ["glm4", "default", "falcon", "deepseek-llm", "deepseek-v3", "deepseek-coder", "viking"];
    let all = names.into_iter().chain(more);
    all.map(|name| {
        let (tokenizer, read) = byte_pairs(name);
        (name, tokenizer, read)
    })
    .collect()
});

fn ids(tokenizer: &Tokenizer, text: &str) -> Vec<TokenId> {
    let encoding = tokenizer.encode(text, false).expect("it can be encoded");
    encoding.get_ids().iter().copied().map(TokenId).collect()
}

static UNIGRAM: LazyLock<(Tokenizer, GgufTokenizer)> = LazyLock::new(|| {
    let mut tokenizer = Tokenizer::new(Unigram::default());
    tokenizer.with_pre_tokenizer(Some(Metaspace::new('▁', PrependScheme::Never, false)));
    let trainer = UnigramTrainer::builder()
        .show_progress(false)
        .vocab_size(400)
        .unk_token(Some("<unk>".to_owned()))
        .special_tokens(special())
        .build()
        .expect("settings");
    let Trained { tokenizer, file, texts, types } = train(tokenizer, trainer);
    let mut scores = vec![0.0; texts.len()];
    for (at, piece) in file["model"]["vocab"].as_array().expect("a list").iter().enumerate() {
        scores[at] = piece[1].as_f64().expect("a score") as f32;
    }
    // As the metadata round them.
    let pieces = texts.iter().cloned().zip(scores.iter().map(|&score| f64::from(score)));
    let model = Unigram::from(pieces.collect(), Some(0), false).expect("a model");
    let mut rounded = tokenizer.clone();
    rounded.with_model(model);
    let read = read(&[
        ("model", Meta::Text("t5".to_owned())),
        ("tokens", Meta::Texts(texts)),
        ("token_type", Meta::Types(types)),
        ("scores", Meta::Scores(scores)),
        ("unknown_token_id", Meta::Id(0)),
        ("add_space_prefix", Meta::Flag(false)),
        ("add_eos_token", Meta::Flag(false)),
    ]);
    (rounded, read.expect("it is read"))
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn byte_pairs_are_those_of_the_tokenizer(text in text()) {
        for (name, tokenizer, read) in &*BYTE_PAIRS {
            let found = read.encode(&text).expect("all bytes are tokens");
            prop_assert_eq!(found, ids(tokenizer, &text), "{}", name);
        }
    }

    #[test]
    fn pieces_of_unigram_are_those_of_the_tokenizer(text in text()) {
        let (tokenizer, read) = &*UNIGRAM;
        let found = read.encode(&text).expect("there is an unknown token");
        prop_assert_eq!(found, ids(tokenizer, &text));
    }
}

/// What llama.cpp's `llm_tokenizer_spm` does, looking at all pairs before each merge.
fn spm(pieces: &[(String, f32)], text: &str, adds_prefix: bool) -> Vec<TokenId> {
    let special = |rest: &str| {
        let found = SPECIAL.iter().filter(|special| rest.starts_with(**special));
        found.max_by_key(|special| special.len()).copied()
    };
    let by_text: HashMap<&str, (u32, f32)> =
        (0..).zip(pieces).map(|(id, (text, score))| (&**text, (id, *score))).collect();
    let mut tokens = Vec::new();
    let mut plain = String::new();
    let flush = |plain: &mut String, tokens: &mut Vec<TokenId>| {
        if plain.is_empty() {
            return;
        }
        let prefix = if adds_prefix { "▁" } else { "" };
        let text = prefix.to_owned() + &plain.replace(' ', "▁");
        plain.clear();
        let mut parts: Vec<String> = text.chars().map(String::from).collect();
        while let Some((_, Reverse(right))) = (1..parts.len())
            .filter_map(|right| {
                let (_, score) = by_text.get(&*(parts[right - 1].clone() + &parts[right]))?;
                // Scores here are small whole numbers.
                Some((*score as i64, Reverse(right)))
            })
            .max()
        {
            let merged = parts.remove(right);
            parts[right - 1] += &merged;
        }
        for part in parts {
            match by_text.get(&*part) {
                Some((id, _)) => tokens.push(TokenId(*id)),
                None => tokens.extend(
                    part.bytes().map(|byte| TokenId(by_text[&*format!("<0x{byte:02X}>")].0)),
                ),
            }
        }
    };
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(special) = special(rest) {
            flush(&mut plain, &mut tokens);
            tokens.push(TokenId(by_text[special].0));
            rest = &rest[special.len()..];
        } else {
            plain.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    flush(&mut plain, &mut tokens);
    tokens
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn pieces_are_those_of_a_plain_search(
        pieces in prop::collection::btree_set("▁?[abé]{0,5}", 1..60),
        scores in prop::collection::vec(-9_i8..9, 60),
        text in prop_oneof!["([abé ß]|<s>|<unk>){0,24}", "[ab ]{0,60}", text()],
        adds_prefix in any::<bool>(),
    ) {
        let bytes = (0..=255_u8).map(|byte| format!("<0x{byte:02X}>"));
        let learnt = pieces.into_iter().filter(|piece| !piece.is_empty()).zip(scores);
        let pieces: Vec<(String, f32)> = SPECIAL
            .map(|text| (text.to_owned(), 0.0))
            .into_iter()
            .chain(bytes.map(|text| (text, 0.0)))
            .chain(learnt.map(|(text, score)| (text, score.into())))
            .collect();
        let kind = |(id, _)| match id { 0 => 2, 1 | 2 => 3, 3..259 => 6, _ => 1 };
        let read = read(&[
            ("model", Meta::Text("llama".to_owned())),
            ("tokens", Meta::Texts(pieces.iter().map(|(text, _)| text.clone()).collect())),
            ("token_type", Meta::Types(pieces.iter().enumerate().map(kind).collect())),
            ("scores", Meta::Scores(pieces.iter().map(|(_, score)| *score).collect())),
            ("add_space_prefix", Meta::Flag(adds_prefix)),
        ]).expect("it is read");
        prop_assert_eq!(read.encode(&text).expect("bytes are tokens"), spm(&pieces, &text, adds_prefix));
    }
}

/// The tokens of a tiny vocabulary of one-byte pieces.
fn tiny(more: Vec<(&'static str, Meta)>) -> Result<GgufTokenizer, String> {
    let tokens = ["a", "b", "ab", "<s>"].map(str::to_owned).into();
    let mut entries =
        vec![("tokens", Meta::Texts(tokens)), ("token_type", Meta::Types(vec![1, 1, 1, 3]))];
    entries.extend(more);
    read(&entries)
}

#[test]
fn mistakes_are_named() {
    let model = |name: &str| ("model", Meta::Text(name.to_owned()));
    let gpt2 = |more: Vec<(&'static str, Meta)>| {
        let merges = ("merges", Meta::Texts(vec!["a b".to_owned()]));
        tiny([vec![model("gpt2"), merges], more].concat())
    };
    let pre = |name: &str| ("pre", Meta::Text(name.to_owned()));
    let cases = [
        (tiny(vec![model("gpt2"), pre("qwen2")]), "tokenizer.ggml.merges: is missing"),
        (tiny(vec![model("bert")]), "tokenizer.ggml.model: \"bert\" cannot split prompts"),
        (gpt2(vec![pre("no-such")]), "tokenizer.ggml.pre: \"no-such\" is not known"),
        (
            gpt2(vec![pre("qwen2"), ("add_bos_token", Meta::Flag(true))]),
            "tokenizer.ggml.add_bos_token: is true, but tokenizer.ggml.bos_token_id is missing",
        ),
        (
            gpt2(vec![pre("qwen2"), ("bos_token_id", Meta::Id(9))]),
            "tokenizer.ggml.bos_token_id: is 9, and there are 4 tokens",
        ),
        (
            tiny(vec![model("llama"), ("scores", Meta::Scores(vec![1.0]))]),
            "tokenizer.ggml.scores: has 1 entries for 4 tokens",
        ),
        (
            tiny(vec![model("llama"), ("scores", Meta::Scores(vec![0.0, f32::NAN, 0.0, 0.0]))]),
            "tokenizer.ggml.scores[1]: is no finite number",
        ),
        (
            tiny(vec![model("t5"), ("unknown_token_id", Meta::Id(7))]),
            "tokenizer.ggml.unknown_token_id",
        ),
    ];
    for (result, expected) in cases {
        let error = result.expect_err(expected);
        assert!(error.contains(expected), "{error}: {expected}");
    }
    let guess = gpt2(Vec::new()).expect("it is read");
    assert!(guess.note.expect("it is said").starts_with("tokenizer.ggml.pre is missing"));
}

#[test]
fn what_no_token_spells_is_refused() {
    for model in ["gpt2", "llama"] {
        let model = ("model", Meta::Text(model.to_owned()));
        let pre = ("pre", Meta::Text("qwen2".to_owned()));
        let merges = ("merges", Meta::Texts(vec!["a b".to_owned(), "b c".to_owned()]));
        let prefix = ("add_space_prefix", Meta::Flag(false));
        let tokenizer = tiny(vec![model, pre, merges, prefix]).expect("it is read");
        let ids = [3, 2, 0].map(TokenId);
        assert_eq!(tokenizer.encode("<s>aba"), Ok(ids.into()));
        let error = tokenizer.encode("abé").expect_err("é is no token").to_string();
        assert_eq!(error, "no token of the vocabulary spells the byte 0xC3 of the prompt");
    }
}

#[test]
fn a_tokenizer_json_is_run_as_it_says() {
    let (tokenizer, _) = &byte_pairs("qwen2");
    let file = tokenizer.to_string(false).expect("it can be written");
    let mut file: Value = serde_json::from_str(&file).expect("it is JSON");
    let (start, text) = (
        json!({"SpecialToken": {"id": "<s>", "type_id": 0}}),
        json!({"Sequence": {"id": "A", "type_id": 0}}),
    );
    file["post_processor"] = json!({
        "type": "TemplateProcessing",
        "single": [start, text],
        "pair": [text, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}},
    });
    let path = std::env::temp_dir().join(format!("grammask-{}.json", std::process::id()));
    let read = |file: &Value| {
        std::fs::write(&path, file.to_string()).expect("it can be written");
        HuggingFace::read(&path)
    };
    let found = read(&file).expect("it is read").expect("it is a tokenizer");
    for text in corpus() {
        let expected = ids(tokenizer, &text);
        assert_eq!(found.encode(&text, false), Ok(expected.clone()));
        let start = vec![TokenId(1)];
        assert_eq!(found.encode(&text, true), Ok([start, expected].concat()));
    }
    // What comes of these merges is longer than any token, at which the crate panics.
    let vocabulary = file["model"]["vocab"].as_object().expect("an object");
    let longest = vocabulary.keys().max_by_key(|text| text.len()).cloned();
    file["model"]["merges"] = json!([[longest, longest]]);
    let error = read(&file).expect_err("it contradicts itself").to_string();
    assert!(error.contains("the tokenizer contradicts itself"), "{error}");
    assert!(read(&json!({"tokens": ["a"]})).expect("it is read").is_none());
    std::fs::remove_file(&path).expect("it is there");
}

#[test]
fn ends_are_those_of_the_file() {
    let tokenizer = tiny(vec![
        ("model", Meta::Text("gpt2".to_owned())),
        ("pre", Meta::Text("llama-bpe".to_owned())),
        ("merges", Meta::Texts(Vec::new())),
        ("bos_token_id", Meta::Id(3)),
    ]);
    let ends = tokenizer.expect("it is read").ends().clone();
    assert_eq!((ends.bos.token, ends.bos.is_added), (Some(TokenId(3)), true));
    assert_eq!((ends.eos.token, ends.eos.is_added), (None, false));
}
