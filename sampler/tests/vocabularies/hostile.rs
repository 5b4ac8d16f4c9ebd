//! What is no vocabulary is an error, within bounded memory.

use std::fs;
use std::path::Path;

use grammask_sampler::{ModelConfig, Vocabulary};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::written;

/// A small file of each format, with what reads it.
fn files() -> Vec<Vec<u8>> {
    use written::Value as V;
    let gguf = written::gguf(
        3,
        &[
            ("general.name", V::Text("small")),
            ("tokenizer.ggml.model", V::Text("llama")),
            ("tokenizer.ggml.tokens", V::Texts(vec!["<unk>", "</s>", "<0x0A>", "▁the", "é"])),
            ("tokenizer.ggml.scores", V::F32s(vec![0.0; 5])),
            ("tokenizer.ggml.token_type", V::I32s(vec![2, 3, 6, 1, 1])),
            ("tokenizer.ggml.eos_token_id", V::U32(1)),
            ("tokenizer.ggml.add_bos_token", V::Bool(true)),
        ],
    );
    let pieces = [("<unk>", 2), ("</s>", 3), ("<0x0A>", 6), ("▁the", 1), ("é", 1), ("x", 5)];
    let json = json!({
        "added_tokens": [{"id": 3, "content": "</s>", "special": true}],
        "decoder": {"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
            {"type": "ByteFallback"}, {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        ]},
        "model": {"type": "BPE", "unk_token": "a", "merges": [["a", "b"], ["b", "▁"]],
            "vocab": {"a": 0, "▁": 1, "<0x0A>": 2}},
    });
    vec![
        gguf,
        written::sentence_piece(&pieces, 1),
        json.to_string().into_bytes(),
        b"YQ== 0\nYg== 1\nYWI= 2\n".to_vec(),
        br#"{"tokens": ["a", {"hex": "c3"}, "</s>"], "control": [2], "eog": [2]}"#.to_vec(),
    ]
}

/// No panic, no more than some bytes: ids up to a million have to have room.
fn read(bytes: &[u8]) -> Result<Vocabulary, String> {
    let mut read = Err(String::new());
    let config = ModelConfig::default();
    let used = allocation_counter::measure(|| {
        read = Vocabulary::from_bytes(bytes, &config).map_err(|error| error.to_string());
    });
    assert!(used.bytes_max < 1 << 28, "{} bytes for {} of the file", used.bytes_max, bytes.len());
    if read.is_err() {
        let bound = (1 << 17) + 4 * bytes.len() as u64;
        assert!(used.bytes_max < bound, "{} bytes for {} of it", used.bytes_max, bytes.len());
    }
    read
}

#[test]
fn files_that_break_off_are_errors() {
    for file in files() {
        assert!(read(&file).is_ok(), "{:?}", read(&file).err());
        for len in 0..file.len() {
            match read(&file[..len]) {
                Err(message) => assert!(message.contains(": "), "{message}"),
                // A list by lines, and one of fields, may end earlier.
                Ok(_) => assert!(file[0] == b'Y' || file[0] == b'\n', "{len}"),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_bytes_do_harm(
        which in 0_usize..5,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut file = files().swap_remove(which);
        for (at, byte) in changes {
            let at = at.index(file.len());
            file[at] = byte;
        }
        if let Some(cut) = cut {
            file.truncate(cut.index(file.len()));
        }
        let _ = read(&file);
    }
}

#[test]
fn messages_name_the_field() {
    let rows: Value = serde_json::from_str(include_str!("errors.json")).expect("it is JSON");
    let mut wrong = Vec::new();
    for row in rows.as_array().expect("a list") {
        let file = match &row["file"] {
            Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        let mut config = ModelConfig::default();
        let beside = |name: &str| row.get(name).unwrap_or(&json!({})).to_string();
        let result = config
            .read_tokenizer_config(beside("tokenizer_config").as_bytes())
            .and_then(|config| {
                config.read_generation_config(beside("generation_config").as_bytes())
            })
            .and_then(|config| Vocabulary::from_bytes(file.as_bytes(), config));
        let message = result.expect_err(&file).to_string();
        if row["message"] != message {
            wrong.push(json!({"file": file, "expected": row["message"], "got": message}));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn depth_and_length_have_bounds() {
    let deep = "[".repeat(1 << 20);
    for field in ["model", "decoder", "added_tokens", "version"] {
        let file = format!("{{\"{field}\": {deep}");
        read(file.as_bytes()).expect_err("it breaks off");
        let file = format!("{{\"tokens\": 1, \"{field}\": {deep}{}}}", "]".repeat(1 << 20));
        read(file.as_bytes()).expect_err("it is no vocabulary");
    }
    let decoder = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let file = format!(
        r#"{{"model": {{"type": "WordLevel", "vocab": {{"a": 0}}}}, "decoder": {decoder}}}"#
    );
    let message = read(file.as_bytes()).expect_err("it is too deep");
    assert!(message.contains("decoder: recursion limit"), "{message}");
    let many = "\"a\": 0, ".repeat((1 << 20) + 1);
    let file = format!(r#"{{"model": {{"type": "WordLevel", "vocab": {{{many}"b": 1}}}}}}"#);
    let config = ModelConfig::default();
    let error = Vocabulary::from_bytes(file.as_bytes(), &config).expect_err("they are too many");
    let message = error.to_string();
    assert!(message.contains("model.vocab: there are more than 1048576 tokens"), "{message}");
}

#[test]
fn lengths_are_not_believed() {
    use written::Value as V;
    let file = written::gguf(3, &[("tokenizer.ggml.tokens", V::Texts(vec!["a", "b"]))]);
    let head = 4 + 4 + 8 + 8;
    let key = "tokenizer.ggml.tokens".len();
    let count = head + 8 + key + 4 + 4;
    let length = count + 8;
    for (at, name) in
        [(8, ""), (16, "key 1 of"), (head, "key 0"), (count, "tokens"), (length, "tokens")]
    {
        for claim in [u64::MAX, 1 << 62, 1 << 40, 1 << 31] {
            let mut file = file.clone();
            file[at..at + 8].copy_from_slice(&claim.to_le_bytes());
            let message = read(&file).expect_err("it is too much");
            assert!(message.starts_with("GGUF: ") && message.contains(name), "{message}");
        }
    }
}

#[test]
fn paths_are_told_apart_by_what_is_there() {
    let folder = std::env::temp_dir().join(format!("grammask-vocabularies-{}", std::process::id()));
    let names = ["model.gguf", "tokenizer.model", "tokenizer.json", "ranks.tiktoken", "list.json"];
    for (name, file) in names.into_iter().zip(files()) {
        let folder = folder.join(name);
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join(name), &file).expect("a file");
        let expected = read(&file).expect("it is read");
        let vocabulary = Vocabulary::from_path(folder.join(name)).expect("it is read");
        assert_eq!(vocabulary.len(), expected.len());
        // What it is called makes no difference.
        let renamed = folder.join("renamed");
        fs::write(&renamed, &file).expect("a file");
        assert_eq!(Vocabulary::from_path(&renamed).expect("it is read").len(), expected.len());
        match Vocabulary::from_path(&folder) {
            Ok(vocabulary) => assert_eq!(vocabulary.len(), expected.len()),
            Err(error) => {
                assert!(name == "list.json" && error.to_string().contains("the folder has no "));
            }
        }
        if name != "list.json" && name != "model.gguf" {
            let config = br#"{"eos_token_id": 0}"#;
            fs::write(folder.join("generation_config.json"), config).expect("a file");
            let vocabulary = Vocabulary::from_path(&folder).expect("it is read");
            assert_eq!(vocabulary.eog_ids()[0].0, 0, "{name}");
        }
    }
    let known = Vocabulary::from_name("r50k_base").expect("it is built in");
    let line = "YQ== 0\n";
    let path = folder.join("r50k_base.tiktoken");
    fs::write(&path, line).expect("a file");
    let vocabulary = Vocabulary::from_path(&path).expect("it is read");
    assert_eq!(vocabulary.eog_ids(), known.eog_ids());
    let missing = Vocabulary::from_path(Path::new("/no/such/file")).expect_err("there is none");
    assert!(missing.to_string().starts_with("/no/such/file: cannot read it: "), "{missing}");
    fs::remove_dir_all(&folder).expect("it was made");
}
