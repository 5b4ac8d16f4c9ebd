//! Vocabularies of real formats: each id spells what the tokenizer makes of it.

#[path = "vocabularies/corpus.rs"]
mod corpus;
#[path = "vocabularies/hostile.rs"]
mod hostile;
#[path = "vocabularies/trained.rs"]
mod trained;
#[path = "vocabularies/written.rs"]
mod written;

use std::collections::HashMap;
use std::fmt::Write;
use std::io::Cursor;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use grammask_sampler::{ModelConfig, TiktokenName, TokenId, Vocabulary};
use serde_json::{Value, json};
use trained::Reference;

fn read(file: &Value) -> Vocabulary {
    let json = file.to_string();
    Vocabulary::from_tokenizer_json(json.as_bytes(), &ModelConfig::default()).expect("it is read")
}

/// Compares all ids; the number of them.
fn compare(file: &Value) -> usize {
    let (vocabulary, reference) = (read(file), Reference::new(file));
    assert_eq!(vocabulary.len(), reference.len() as usize);
    for token in vocabulary.ids() {
        assert_eq!(vocabulary.is_control(token), reference.is_special(token.0), "{token}");
        let expected = reference.spelling(token.0);
        if !vocabulary.is_control(token) {
            assert_eq!(vocabulary.bytes(token), expected.as_deref(), "{token}");
        }
    }
    let texts = trained::SPECIAL.map(|text| vocabulary.token_by_text(text.as_bytes()));
    assert_eq!(texts, [0, 1, 2, 3].map(|id| Some(TokenId(id))));
    assert_eq!(vocabulary.control_ids().len(), texts.len());
    assert_eq!(vocabulary.eog_ids(), [TokenId(2), TokenId(3)]);
    vocabulary.len()
}

fn assert_same(one: &Vocabulary, other: &Vocabulary) {
    assert_eq!(one.len(), other.len());
    for token in one.ids() {
        assert_eq!(one.bytes(token), other.bytes(token), "{token}");
        assert_eq!(one.is_control(token), other.is_control(token), "{token}");
    }
    assert_eq!(one.eog_ids(), other.eog_ids());
}

/// The reverse of a decoder is found where there is none.
fn without_decoder(mut file: Value) -> Value {
    file["decoder"] = Value::Null;
    file
}

#[test]
fn byte_level_tokens_are_those_of_the_tokenizer() {
    let file = trained::byte_level();
    let compared = compare(&file);
    assert!(compared > 5_000, "only {compared}");
    assert_same(&read(&file), &read(&without_decoder(file)));
}

#[test]
fn sentence_piece_tokens_are_those_of_the_tokenizer() {
    let file = trained::byte_fallback();
    let compared = compare(&file);
    assert!(compared > 3_000, "only {compared}");
    let vocabulary = read(&file);
    // Letters come before the bytes that spell the same.
    let letter = vocabulary.token_by_text(b"a").expect("there is one");
    assert!(letter.0 >= 260, "{letter}");
    assert_same(&vocabulary, &read(&without_decoder(file)));
}

#[test]
fn unigram_tokens_are_those_of_the_tokenizer() {
    let file = trained::unigram();
    let compared = compare(&file);
    assert!(compared > 1_000, "only {compared}");
    assert_same(&read(&file), &read(&without_decoder(file)));
}

#[test]
fn word_pieces_are_those_of_the_tokenizer() {
    for cleanup in [false, true] {
        let compared = compare(&trained::word_piece(cleanup));
        assert!(compared > 2_000, "only {compared}");
    }
}

#[test]
fn ends_of_words_are_blanks() {
    let file = trained::end_of_word();
    let compared = compare(&file);
    assert!(compared > 2_000, "only {compared}");
    assert_same(&read(&file), &read(&without_decoder(file)));
}

#[test]
fn words_stand_behind_blanks() {
    let compared = compare(&trained::words());
    assert!(compared > 1_000, "only {compared}");
}

/// The texts of a vocabulary by id, as the file writes them.
fn texts(file: &Value) -> Vec<String> {
    let mut texts: HashMap<u64, String> = HashMap::new();
    for (text, id) in file["model"]["vocab"].as_object().expect("an object") {
        texts.insert(id.as_u64().expect("an id"), text.clone());
    }
    for token in file["added_tokens"].as_array().expect("a list") {
        let text = token["content"].as_str().expect("a text").to_owned();
        texts.insert(token["id"].as_u64().expect("an id"), text);
    }
    (0..texts.len() as u64).map(|id| texts[&id].clone()).collect()
}

/// The types of tokens: 1 normal, 2 unknown, 3 control, 4 added, 6 bytes.
fn types(file: &Value, texts: &[String]) -> Vec<i32> {
    let added = file["added_tokens"].as_array().expect("a list");
    let kind = |(id, text): (usize, &String)| match added.iter().find(|token| token["id"] == id) {
        Some(token) if token["content"] == "<unk>" => 2,
        Some(token) if token["special"] == true => 3,
        Some(_) => 4,
        None if text.starts_with("<0x") && text.ends_with('>') => 6,
        None => 1,
    };
    texts.iter().enumerate().map(kind).collect()
}

/// A GGUF file with what converters write.
fn gguf(version: u32, model: &str, texts: &[String], types: Vec<i32>, end: u32) -> Vec<u8> {
    use written::Value as V;
    written::gguf(
        version,
        &[
            ("general.architecture", V::Text("llama")),
            ("general.alignment", V::U32(32)),
            ("tokenizer.ggml.model", V::Text(model)),
            ("tokenizer.ggml.tokens", V::Texts(texts.iter().map(|text| &**text).collect())),
            ("tokenizer.ggml.scores", V::F32s(vec![-1.0; texts.len()])),
            ("tokenizer.ggml.merges", V::Texts(vec!["a b", "▁ t"])),
            ("tokenizer.ggml.token_type", V::I32s(types)),
            ("tokenizer.ggml.eos_token_id", V::U32(end)),
            ("tokenizer.ggml.add_bos_token", V::Bool(true)),
        ],
    )
}

#[test]
fn gguf_has_the_tokens_of_the_tokenizer() {
    for (file, model) in [(trained::byte_level(), "gpt2"), (trained::byte_fallback(), "llama")] {
        let texts = texts(&file);
        let types = types(&file, &texts);
        for version in [2, 3] {
            let bytes = gguf(version, model, &texts, types.clone(), 2);
            let vocabulary = Vocabulary::from_gguf(Cursor::new(bytes)).expect("it is read");
            assert_same(&vocabulary, &read(&file));
        }
    }
    // Its pieces have blanks before words instead of marks before the rest.
    let file = trained::word_piece(false);
    let texts: Vec<String> = texts(&file);
    let types = types(&file, &texts);
    let pieces = texts.iter().zip(&types).map(|(text, kind)| match text.strip_prefix("##") {
        _ if *kind != 1 => text.clone(),
        Some(rest) => rest.to_owned(),
        None => format!("▁{text}"),
    });
    let pieces: Vec<String> = pieces.collect();
    let bytes = gguf(3, "bert", &pieces, types, 2);
    let vocabulary = Vocabulary::from_gguf(Cursor::new(bytes)).expect("it is read");
    let expected = read(&file);
    // The last three are added: here they are written as they are, by the decoder behind a blank.
    for token in vocabulary.ids().filter(|token| token.index() < vocabulary.len() - 3) {
        assert_eq!(vocabulary.bytes(token), expected.bytes(token), "{token}");
    }
}

#[test]
fn a_sentence_piece_model_has_the_tokens_of_the_tokenizer() {
    let file = trained::byte_fallback();
    let texts = texts(&file);
    let types = types(&file, &texts);
    let pieces: Vec<(&str, u64)> = texts
        .iter()
        .zip(types)
        .map(|(text, kind)| (&**text, u64::from(kind.cast_unsigned())))
        .collect();
    let model = written::sentence_piece(&pieces, 2);
    let vocabulary = Vocabulary::from_sentence_piece(&model, &ModelConfig::default());
    assert_same(&vocabulary.expect("it is read"), &read(&file));
}

/// The characters of byte-level BPE by byte.
fn alphabet() -> Vec<char> {
    let prints = |byte: &u8| matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    let mut others = '\u{100}'..;
    let character = |byte| {
        if prints(&byte) { char::from(byte) } else { others.next().expect("there are enough") }
    };
    (0..=255).map(character).collect()
}

#[test]
fn large_vocabularies_are_the_same_in_each_format() {
    let alphabet = alphabet();
    for name in TiktokenName::ALL {
        let known = Vocabulary::tiktoken(name);
        let mut ranks = String::new();
        let mut vocab = serde_json::Map::new();
        let (mut texts, mut types, mut added) = (Vec::new(), Vec::new(), Vec::new());
        let mut config = ModelConfig::default();
        for token in known.ids() {
            let Some(bytes) = known.bytes(token) else {
                texts.push(format!("[unused{token}]"));
                types.push(5);
                continue;
            };
            if known.is_control(token) {
                let text = String::from_utf8_lossy(bytes).into_owned();
                added.push(json!({"id": token.0, "content": text, "special": true}));
                config.add_control(token.0, text.clone());
                texts.push(text);
                types.push(3);
                continue;
            }
            let _ = writeln!(ranks, "{} {token}", BASE64_STANDARD.encode(bytes));
            let text: String = bytes.iter().map(|&byte| alphabet[usize::from(byte)]).collect();
            vocab.insert(text.clone(), token.0.into());
            texts.push(text);
            types.push(1);
        }
        let file = json!({
            "added_tokens": added,
            "decoder": {"type": "ByteLevel"},
            "model": {"type": "BPE", "merges": [], "vocab": vocab},
        });
        assert_same(&read(&file), &known);
        let read = Vocabulary::from_tiktoken(ranks.as_bytes(), &config).expect("it is read");
        assert_same(&read, &known);
        let bytes = gguf(3, "gpt2", &texts, types, known.eog_ids()[0].0);
        assert_same(&Vocabulary::from_gguf(Cursor::new(bytes)).expect("it is read"), &known);
    }
}

#[test]
fn ends_of_generation_come_from_all_places() {
    let file = json!({
        "added_tokens": [
            {"id": 1, "content": "<end>", "special": true},
            {"id": 2, "content": "<stop>", "special": true},
            {"id": 3, "content": "<|im_end|>", "special": false},
            {"id": 4, "content": "<tool>", "special": true},
        ],
        "decoder": {"type": "ByteLevel"},
        "model": {"type": "BPE", "merges": [], "vocab": {"a": 0, "</s>": 5}},
    })
    .to_string();
    let mut config = ModelConfig::default();
    config.read_tokenizer_config(br#"{"eos_token": {"content": "<end>"}}"#).unwrap();
    config.read_generation_config(br#"{"eos_token_id": [2, 1]}"#).unwrap();
    let vocabulary = Vocabulary::from_tokenizer_json(file.as_bytes(), &config).unwrap();
    assert_eq!(vocabulary.eog_ids(), [1, 2, 3].map(TokenId));
    assert_eq!(vocabulary.control_ids(), [1, 2, 3, 4].map(TokenId));
    // It is a text that has been learnt like any other.
    assert_eq!(vocabulary.bytes(TokenId(5)), Some(&b"</s>"[..]));

    let texts = ["a", "<|end|>", "<|return|>", "<|call|>", "</s>"].map(str::to_owned);
    let ends = |texts: &[String], types: &[i32], end| {
        let bytes = gguf(3, "gpt2", texts, types.to_vec(), end);
        Vocabulary::from_gguf(Cursor::new(bytes)).unwrap().eog_ids().to_vec()
    };
    assert_eq!(ends(&texts, &[1, 3, 3, 3, 1], 2), [2, 3, 4].map(TokenId));
    assert_eq!(ends(&texts[..3], &[1, 3, 3], 0), [0, 1, 2].map(TokenId));
}

/// What small files say that converters write seldom: each token with what it spells, `!` before the
/// text of a control token, `-` for a gap, and the ends of generation.
#[test]
fn small_files_spell_what_they_should() {
    let rows: Value = serde_json::from_str(include_str!("vocabularies/small.json")).expect("JSON");
    for row in rows.as_array().expect("a list") {
        let name = row["name"].as_str().expect("a name");
        let mut config = ModelConfig::default();
        if let Some(file) = row.get("tokenizer_config") {
            config.read_tokenizer_config(file.to_string().as_bytes()).expect(name);
        }
        let vocabulary = match row.get("gguf") {
            Some(model) => {
                let list = |key: &str| row[key].as_array().cloned().unwrap_or_default();
                let tokens = list("tokens");
                let tokens: Vec<&str> = tokens.iter().filter_map(Value::as_str).collect();
                let types = list("types");
                let types =
                    types.iter().filter_map(Value::as_i64).map(|kind| kind as i32).collect();
                let mut entries = vec![
                    ("tokenizer.ggml.model", written::Value::Text(model.as_str().expect("a text"))),
                    ("tokenizer.ggml.tokens", written::Value::Texts(tokens)),
                    ("tokenizer.ggml.token_type", written::Value::I32s(types)),
                ];
                if row.get("types").is_none() {
                    entries.pop();
                }
                Vocabulary::from_gguf(Cursor::new(written::gguf(3, &entries)))
            }
            None => Vocabulary::from_tokenizer_json(row["file"].to_string().as_bytes(), &config),
        };
        let vocabulary = vocabulary.expect(name);
        let spelled = vocabulary.ids().map(|token| match vocabulary.bytes(token) {
            None => "-".to_owned(),
            Some(bytes) => {
                let mark = if vocabulary.is_control(token) { "!" } else { "" };
                mark.to_owned() + &bytes.escape_ascii().to_string()
            }
        });
        assert_eq!(json!(spelled.collect::<Vec<_>>()), row["spelled"], "{name}");
        let ends: Vec<u32> = vocabulary.eog_ids().iter().map(|token| token.0).collect();
        assert_eq!(json!(ends), row["ends"], "{name}");
    }
}
