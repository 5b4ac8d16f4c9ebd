//! `grammask chain`: its numbers are the library's, and those of its page are its own.
//!
//! The page is opened in a Chromium where there is one: `CHROMIUM` may name it. Else its JavaScript,
//! without what shows, runs in Node.js. Where there is neither, the page is left out.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use grammask::sampler::{
    Candidates, ChainSettings, PenaltySettings, SamplerKind, TokenId, Vocabulary, XtcSettings,
};
use serde_json::{Value, json};

/// A place for the files of a test.
fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// What a program prints.
fn output(command: &mut Command, stdin: &str) -> String {
    let mut child = command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    // A program that does not read its input closes the pipe.
    let _ = pipe.write_all(stdin.as_bytes());
    drop(pipe);
    let output = child.wait_with_output().expect("the program ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {stderr}");
    String::from_utf8(output.stdout).expect("the output is text")
}

/// What `grammask chain` says.
fn chain(args: &[&str], logits: &str) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_grammask"));
    command.args(["chain", "--format", "json"]).args(args);
    serde_json::from_str(&output(&mut command, logits)).expect("the output is JSON")
}

/// Where two values differ, numbers by more than 1e-6; nothing if they are alike.
fn difference(a: &Value, b: &Value) -> Option<String> {
    let keys = |object: &serde_json::Map<_, _>| object.keys().cloned().collect::<Vec<String>>();
    match (a, b) {
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let mut pairs = a.iter().zip(b).enumerate();
            pairs.find_map(|(i, (a, b))| Some(format!("[{i}]{}", difference(a, b)?)))
        }
        (Value::Object(a), Value::Object(b)) if keys(a) == keys(b) => {
            a.iter().find_map(|(key, a)| Some(format!(".{key}{}", difference(a, &b[key])?)))
        }
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap_or(f64::NAN), b.as_f64().unwrap_or(f64::NAN));
            let is_near = (a - b).abs() <= 1e-6 * a.abs().max(1.0);
            (!is_near).then(|| format!(": {a} and {b}"))
        }
        _ => (a != b).then(|| format!(": {a} and {b}")),
    }
}

/// What can read a page.
enum Reader {
    Chromium(String),
    Node,
}

impl Reader {
    fn find() -> Option<Self> {
        let runs = |name: &str| {
            let mut command = Command::new(name);
            let command = command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        let given = std::env::var("CHROMIUM").ok();
        let names = ["chromium", "chromium-browser", "google-chrome"].map(str::to_owned);
        let chromium = given.into_iter().chain(names).find(|name| runs(name));
        chromium.map(Self::Chromium).or_else(|| runs("node").then_some(Self::Node))
    }

    /// The numbers that a page shows.
    fn numbers(&self, page: &Path) -> Value {
        let text = match self {
            Self::Chromium(name) => {
                let page = format!("file://{}", page.display());
                let flags = ["--headless", "--disable-gpu", "--no-sandbox", "--dump-dom"];
                let document = output(Command::new(name).args(flags).arg(page), "");
                let (_, rest) = document.split_once("id=\"numbers\"").expect("the numbers");
                let (_, rest) = rest.split_once('>').expect("the end of a tag");
                let (numbers, _) = rest.split_once("</pre>").expect("the end of the numbers");
                let escapes = [("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", "\u{a0}"), ("&amp;", "&")];
                escapes
                    .into_iter()
                    .fold(numbers.to_owned(), |text, (from, to)| text.replace(from, to))
            }
            Self::Node => {
                let page = fs::read_to_string(page).expect("the page has been written");
                let mark = "<script type=\"application/json\" id=\"setup\">";
                let (_, rest) = page.split_once(mark).expect("what the page starts from");
                let (setup, rest) = rest.split_once("</script>").expect("its end");
                let (_, script) = rest.split_once("<script>").expect("what the page computes");
                let (script, _) = script.split_once("// The page:").expect("what it shows");
                let setup = Value::from(setup);
                let show = "
                    const setup = read(text);
                    for (const name of setup.chain) {
                      for (const [parameter] of explanations[name].parameters) {
                        if (!(parameter in setup.settings)) throw new Error(parameter);
                      }
                    }
                    console.log(JSON.stringify(report(setup, trace(setup))));";
                let program = format!("{script}\nconst text = {setup};\n{show}");
                output(&mut Command::new("node"), &program)
            }
        };
        serde_json::from_str(&text).expect("the numbers are JSON")
    }
}

/// Logits with ties, and with what is no number.
const TIES: &str =
    "[1, 2, 2, \"-inf\", 0.5, 2, 1, \"nan\", -3, 1, 0, 0, 2, 1.5, 1, 2, 1, 0, 2, 1, 2, 0]";
const TEXTS: &str =
    r#"{"he": 2, "hell": 3, "hello": 2.5, "</s>": 0, "<b>": 1, ":": 1.5, "é\n": 0.1}"#;
const HISTORY: &str = "1,2,3,1,2,3,5,0,1,2";

#[test]
fn the_numbers_of_a_page_are_those_of_the_command() {
    let Some(reader) = Reader::find() else {
        #[allow(clippy::print_stderr)] // For whoever looks at why it took no time.
        {
            eprintln!("neither Chromium nor Node.js: the page is left out");
        }
        return;
    };
    let each = |samplers: &'static str, args: &[&'static str]| {
        let mut all = vec!["--samplers", samplers, "--seed", "5"];
        all.extend(args);
        all
    };
    let all = SamplerKind::ALL.map(SamplerKind::name).join(";");
    let chains = [
        vec![],
        vec!["--samplers", &all],
        each("", &[]),
        each("penalties", &["--repeat-penalty", "1.3", "--frequency-penalty", "0.2"]),
        each("penalties", &["--presence-penalty", "0.7", "--repeat-last-n", "3"]),
        each("dry", &["--dry-multiplier", "0.8"]),
        each("dry", &["--dry-multiplier", "0.7", "--dry-base", "1.2", "--dry-allowed-length", "1"]),
        each("dry", &["--dry-multiplier", "1", "--dry-sequence-breaker", "none"]),
        each("top_n_sigma", &["--top-n-sigma", "1.2"]),
        each("top_k", &["--top-k", "7"]),
        each("top_k", &["--top-k", "200"]),
        each("typical", &["--typical", "0.4"]),
        each("top_n_sigma;typical", &["--top-n-sigma", "1", "--typical", "0.8"]),
        each("top_p", &["--top-p", "0.5"]),
        each("top_p", &["--top-p", "0.99"]),
        each("min_p", &["--min-p", "0.2"]),
        each("xtc", &["--xtc-probability", "0.9", "--xtc-threshold", "0.05"]),
        each("xtc", &["--xtc-probability", "0.1", "--xtc-threshold", "0.05"]),
        each("temperature", &["--temp", "0"]),
        each("temperature", &["--temp", "1.7"]),
        each("temperature", &["--temp", "1", "--dynatemp-range", "0.5", "--dynatemp-exp", "1.3"]),
        each("top_a", &["--top-a", "0.3"]),
        each("epsilon_cutoff", &["--epsilon-cutoff", "0.02"]),
        each("eta_cutoff", &["--eta-cutoff", "0.05"]),
        each("top_k;infill", &["--top-k", "6"]),
        each("adaptive_p", &["--adaptive-target", "0.3"]),
        each("top_k;adaptive_p", &["--adaptive-decay", "0.5"]),
        each("top_k", &["--logit-bias", "1+2.5", "--logit-bias", "2-inf"]),
        each("top_k", &["--mirostat", "1", "--mirostat-ent", "2"]),
        each("top_k", &["--mirostat", "2", "--mirostat-ent", "1.5", "--temp", "0.7"]),
        each(
            "dry;penalties;top_n_sigma;typ_p;top_p;min_p;xtc;temperature;top_k",
            &[
                "--dry-multiplier",
                "0.5",
                "--presence-penalty",
                "0.1",
                "--top-n-sigma",
                "2",
                "--typical",
                "0.95",
                "--xtc-probability",
                "1",
                "--dynatemp-range",
                "0.3",
            ],
        ),
    ];
    // Few distinct values, so that the order among equal ones matters.
    let many = |count: u32| {
        let values = (0..count).map(|i| f64::from(i.wrapping_mul(2_654_435_761) >> 28) / 4.0);
        serde_json::to_string(&values.collect::<Vec<_>>()).expect("logits are JSON")
    };
    let (hundreds, thousands) = (many(600), many(2000));
    let logits = [
        (&["--count", "30"][..], ""),
        (&["--count", "30", "--logits-seed", "9", "--allowed", "1,2,3,5,8,13,21"], ""),
        (&["--count", "3000", "--logits-seed", "2", "--top", "300"], ""),
        (&["--logits", "-"], TIES),
        (&["--logits", "-", "--top", "5"], &hundreds),
        (&["--logits", "-", "--top", "5"], &thousands),
        (&["--logits", "-", "--allowed", "0,1,2,4,5,6"], TEXTS),
        (&["--count", "200", "--vocab", "r50k_base", "--top", "5"], ""),
    ];
    let page = path("numbers.html");
    let html = page.to_str().expect("the path is text");
    for chain_args in &chains {
        for (source, file) in &logits {
            let mut args = source.to_vec();
            args.extend(chain_args);
            args.extend(["--history", HISTORY, "--html", html]);
            let expected = chain(&args, file);
            let got = reader.numbers(&page);
            assert_eq!(difference(&expected, &got), None, "{args:?}");
        }
    }
}

#[test]
fn a_page_needs_nothing_else() {
    let page = path("alone.html");
    chain(&["--logits", "-", "--html", page.to_str().expect("the path is text")], TEXTS);
    let page = fs::read_to_string(page).expect("the page has been written");
    assert!(page.contains("default-src 'none'"));
    for outside in ["src=", "href=", "@import", "url(", "fetch(", "import "] {
        assert!(!page.contains(outside), "{outside}");
    }
    // No text of a token ends the element that it stands in.
    assert_eq!((page.matches("</script>").count(), page.contains("\"</s>\"")), (2, false));
}

/// The steps of a chain in the library, as the command writes them.
fn steps(settings: &ChainSettings, logits: &[f32], history: &[u32]) -> Vec<Value> {
    let vocabulary: Vec<String> = (0..logits.len()).map(|id| format!("token {id}")).collect();
    let vocabulary = json!({ "tokens": vocabulary }).to_string();
    let vocabulary = Vocabulary::from_json(&vocabulary).expect("the vocabulary is valid");
    let mut chain = settings.chain(&vocabulary).expect("the settings are valid");
    for &id in history {
        chain.accept(TokenId(id));
    }
    let mut steps = Vec::new();
    let mut seen = |name: &str, candidates: &Candidates| {
        let mut candidates = candidates.clone();
        candidates.softmax();
        let mut cells = vec![Value::Null; logits.len()];
        for candidate in candidates.as_slice() {
            let logit = candidate.logit;
            let logit = if logit.is_finite() { json!(f64::from(logit)) } else { json!("-inf") };
            cells[candidate.id.index()] = json!({"logit": logit, "p": f64::from(candidate.p)});
        }
        steps.push(json!({"name": name, "cells": cells}));
    };
    let mut candidates = Candidates::from_logits(logits);
    seen("logits", &candidates);
    chain.apply_observed(&mut candidates, |sampler, candidates| seen(sampler.name(), candidates));
    steps
}

#[test]
fn the_numbers_of_the_command_are_those_of_the_library() {
    let logits: Vec<f32> = (0..40_u16).map(|i| f32::from(i * 37 % 41) / 7.0 - 2.0).collect();
    let file = serde_json::to_string(&logits).expect("logits are JSON");
    let cases = [
        (vec![], ChainSettings::default()),
        (
            vec!["--samplers", "penalties;top_n_sigma;top_p", "--presence-penalty", "1.5"],
            ChainSettings {
                samplers: vec![SamplerKind::Penalties, SamplerKind::TopNSigma, SamplerKind::TopP],
                penalties: PenaltySettings { presence: 1.5, ..PenaltySettings::default() },
                ..ChainSettings::default()
            },
        ),
        (
            vec!["--seed", "3", "--xtc-probability", "1", "--temp", "1.4", "--top-n-sigma", "2"],
            ChainSettings {
                seed: 3,
                xtc: XtcSettings { probability: 1.0, ..XtcSettings::default() },
                temperature: 1.4,
                top_n_sigma: 2.0,
                ..ChainSettings::default()
            },
        ),
    ];
    for (args, settings) in cases {
        let mut all = vec!["--logits", "-", "--top", "40", "--history", "3,4,3"];
        all.extend(&args);
        let said = chain(&all, &file);
        let steps = steps(&settings, &logits, &[3, 4, 3]);
        let names: Vec<&Value> = steps.iter().map(|step| &step["name"]).collect();
        let said_names = said["steps"].as_array().expect("steps").iter().map(|step| &step["name"]);
        assert!(said_names.eq(names), "{args:?}");
        for candidate in said["candidates"].as_array().expect("candidates") {
            let id = candidate["id"].as_u64().expect("an id") as usize;
            let cells = steps.iter().map(|step| step["cells"][id].clone()).collect();
            let expected = Value::Array(cells);
            assert_eq!(difference(&expected, &candidate["steps"]), None, "{args:?}: token {id}");
        }
    }
}
