//! The program with language models: files that are broken, prompts, caches, Ctrl-C.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use grammask::model_in_the_box;
use grammask::models::{Evaluation, EvaluationOptions};
use serde_json::Value;

/// The model in the box, as a file.
fn in_the_box() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/models/box.gguf")
}

/// A folder of one test, which is empty.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_grammask"));
    command.arg("generate").args(args).current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

fn run(args: &[&str]) -> Output {
    command(args).output().expect("the program starts")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("messages are text")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("what is written is text")
}

const NUMBER: [&str; 2] = ["--grammar", "root ::= [0-9]{1,8}"];

/// Runs a model from a file with these bytes, and expects that it cannot be run.
fn refuses(file: &Path, bytes: &[u8], more: &[&str], expected: &[&str]) {
    fs::write(file, bytes).expect("it can be written");
    let path = file.to_str().expect("a path is text");
    let output = run(&[&NUMBER[..], &["-m", path], more].concat());
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{message}");
    for part in expected {
        assert!(message.contains(part), "{message:?} has no {part:?}");
    }
    assert!(!message.contains("panicked"), "{message}");
}

/// The bytes of the box with a text put in the place of another one that is as long.
fn patched(text: &str, other: &str) -> Vec<u8> {
    assert_eq!(text.len(), other.len());
    let mut bytes = fs::read(in_the_box()).expect("the box");
    let found = bytes.windows(text.len()).position(|window| window == text.as_bytes());
    let at = found.unwrap_or_else(|| panic!("the box has {text:?}"));
    bytes[at..at + text.len()].copy_from_slice(other.as_bytes());
    bytes
}

#[test]
fn files_that_are_broken_are_refused_by_name() {
    let file = folder("broken").join("model.gguf");
    let whole = fs::read(in_the_box()).expect("the box");
    let at = |share: usize| &whole[..whole.len() * share / 100];
    for bytes in [&[][..], b"GGUF", b"not a model", at(1), at(20), at(60), at(99)] {
        refuses(&file, bytes, &[], &["model.gguf"]);
    }
    let architecture = patched("\u{5}\0\0\0\0\0\0\0llama", "\u{5}\0\0\0\0\0\0\0lemma");
    refuses(&file, &architecture, &[], &["model.gguf", "general.architecture", "lemma"]);
    let pre = patched("qwen2", "qwenX");
    refuses(&file, &pre, &[], &["model.gguf", "tokenizer.ggml.pre", "qwenX"]);
    let gone = run(&[&NUMBER[..], &["-m", "gone.gguf"]].concat());
    assert_eq!(gone.status.code(), Some(2));
    assert!(stderr(&gone).contains("gone.gguf"));
}

#[test]
fn templates_that_are_broken_are_refused_by_line() {
    let file = folder("templates").join("model.gguf");
    let chat = ["--chat", "-p", "hi"];
    let none = patched("tokenizer.chat_template", "tokenizer.chat_templatX");
    refuses(&file, &none, &chat, &["--chat", "has no tokenizer.chat_template"]);
    let broken = patched("for message in messages", "for message on messages");
    refuses(&file, &broken, &chat, &["tokenizer.chat_template", "line "]);
}

#[test]
fn a_prompt_cache_is_written_and_read() {
    let folder = folder("prompt_cache");
    let cache = folder.join("cache");
    let cache = cache.to_str().expect("a path is text");
    let prompt = "Write a person as JSON. ".repeat(20);
    let schema = ["--json-schema-file", "fixtures/schemas/person.json", "--format", "json"];
    let with = |more: &[&str]| {
        let output = run(&[&schema[..], &["-p", &prompt], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let result: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        result["tokens"].clone()
    };
    let plain = with(&[]);
    assert_eq!(with(&["--prompt-cache", cache]), plain);
    let written = fs::read(cache).expect("it is written");
    assert_eq!(with(&["--prompt-cache", cache]), plain);
    assert_eq!(fs::read(cache).expect("it is there"), written);
    // A prompt that begins alike.
    let longer = format!("{prompt}Now!");
    let other = |more: &[&str]| stdout(&run(&[&schema[..2], &["-p", &longer], more].concat()));
    assert_eq!(other(&["--prompt-cache", cache]), other(&[]));
    // Nothing else is left in the folder.
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 1);

    let hint = ["--prompt-cache", "delete it"];
    let file = folder.join("model.gguf");
    refuses(&file, &patched("grammask box", "grammask fox"), &hint_args(cache), &hint);
    fs::write(cache, &written[..written.len() / 2]).expect("it can be written");
    refuses(&file, &fs::read(in_the_box()).expect("the box"), &hint_args(cache), &hint);
}

/// What is known of a text is not evaluated again: a conversation that goes on, or goes on otherwise,
/// costs only what is new.
#[test]
fn what_texts_have_in_common_is_evaluated_once() {
    let model = model_in_the_box().expect("it is whole");
    let evaluation = || Evaluation::new(&model, EvaluationOptions::default());
    let ids = model.vocabulary().ordered();
    let prompt: Vec<_> = ids.iter().copied().cycle().take(100).collect();
    let mut kept = evaluation();
    let mut evaluated = 0;
    for (end, new) in [(&[][..], 100), (&ids[..1], 1), (&ids[1..3], 2), (&ids[1..2], 1)] {
        let text = [&prompt, end].concat();
        let logits = kept.logits(&text).expect("it fits").to_vec();
        evaluated += new;
        assert_eq!(kept.evaluated(), evaluated);
        let mut fresh = evaluation();
        let expected = fresh.logits(&text).expect("it fits");
        let difference = logits.iter().zip(expected).map(|(a, b)| (a - b).abs());
        assert!(difference.fold(0.0, f32::max) < 1e-3);
    }
}

fn hint_args(cache: &str) -> [&str; 4] {
    ["--prompt-cache", cache, "-p", "x"]
}

#[test]
fn a_context_that_is_full_is_shifted() {
    let args = ["--grammar", "root ::= [a-z ]{300}", "-c", "64", "-n", "320"];
    let full = run(&args);
    assert_eq!(full.status.code(), Some(2));
    assert!(stderr(&full).contains("room for 64 tokens"), "{}", stderr(&full));
    let shifted = run(&[&args[..], &["--keep", "4"]].concat());
    assert_eq!(shifted.status.code(), Some(0), "{}", stderr(&shifted));
    assert_eq!(stdout(&shifted).len(), 300);
}

/// The first Ctrl-C ends the text.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_text() {
    for model in [&["--vocab", "r50k_base"][..], &["--keep", "0"]] {
        let endless = ["--grammar", "root ::= [a-z]{1000000}", "-n", "-1"];
        let endless = [&endless[..], model].concat();
        let mut child = command(&endless)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut text = [0; 16];
        let mut out = child.stdout.take().expect("a pipe");
        out.read_exact(&mut text).expect("it writes");
        let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(status.expect("there is a kill").success());
        let mut rest = String::new();
        out.read_to_string(&mut rest).expect("the rest is text");
        let output = child.wait_with_output().expect("it ends");
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.starts_with("error: cut after "), "{message}");
        assert!(message.ends_with(" tokens (Ctrl-C)\n"), "{message}");
        assert!(text.iter().chain(rest.as_bytes()).all(u8::is_ascii_lowercase));
    }
}
