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

/// A page, and what to set its sliders to before it is read.
type Page = (String, Vec<(&'static str, f64)>);

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

    /// The numbers that pages show. Node.js has no sliders: pages with moves have none there.
    fn numbers(&self, pages: &[Page]) -> Vec<Option<Value>> {
        match self {
            Self::Chromium(name) => in_chromium(name, pages).into_iter().map(Some).collect(),
            Self::Node => {
                let number = |(page, moves): &Page| moves.is_empty().then(|| in_node(page));
                pages.iter().map(number).collect()
            }
        }
    }
}

/// Opens all pages as frames of one, as a browser takes long to start.
fn in_chromium(name: &str, pages: &[Page]) -> Vec<Value> {
    let escape = |page: &str| page.replace('&', "&amp;").replace('"', "&quot;");
    let frames = pages.iter().map(|(page, moves)| {
        let moves = escape(&json!(moves).to_string());
        format!("<iframe srcdoc=\"{}\" data-moves=\"{moves}\"></iframe>", escape(page))
    });
    let script = "
        onload = () => {
          const read = (frame) => {
            const page = frame.contentWindow;
            page.requestAnimationFrame = (paint) => paint();
            for (const [name, value] of JSON.parse(frame.dataset.moves)) {
              const slider = page.document.querySelector(`input[type=range][name=${name}]`);
              slider.value = value;
              slider.dispatchEvent(new page.Event('input'));
            }
            return JSON.parse(page.document.getElementById('numbers').textContent);
          };
          const all = [...document.querySelectorAll('iframe')].map(read);
          // What ends with a letter or a digit only needs no escapes.
          const bytes = new TextEncoder().encode(JSON.stringify(all));
          const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'));
          document.body.textContent = `numbers:${hex.join('')}.`;
        };";
    let frames = frames.collect::<String>();
    let document =
        format!("<!doctype html><meta charset=\"utf-8\"><script>{script}</script>{frames}");
    let path = path("frames.html");
    fs::write(&path, document).expect("the page is written");
    let flags = ["--headless", "--disable-gpu", "--no-sandbox", "--disable-dev-shm-usage"];
    let mut command = Command::new(name);
    command.args(flags).arg(format!("--user-data-dir={}", self::path("chromium").display()));
    command.arg("--dump-dom").arg(format!("file://{}", path.display()));
    let document = output(&mut command, "");
    let (_, rest) = document.rsplit_once("numbers:").expect("the page has run");
    let (hex, _) = rest.split_once('.').expect("the end of the numbers");
    let digits = hex.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).expect("digits"));
    let bytes: Vec<u8> =
        digits.map(|pair| u8::from_str_radix(pair, 16).expect("two digits")).collect();
    serde_json::from_slice(&bytes).expect("the numbers are JSON")
}

/// Runs what a page computes.
fn in_node(page: &str) -> Value {
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
    let text = output(&mut Command::new("node"), &program);
    serde_json::from_str(&text).expect("the numbers are JSON")
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
    let path = path("numbers.html");
    let html = path.to_str().expect("the path is text");
    let mut args = Vec::new();
    let (mut pages, mut expected) = (Vec::<Page>::new(), Vec::new());
    for chain_args in &chains {
        for (source, file) in &logits {
            let all = [source, &chain_args[..], &["--history", HISTORY, "--html", html]].concat();
            expected.push(chain(&all, file));
            pages.push((fs::read_to_string(&path).expect("a page is written"), Vec::new()));
            args.push(all);
        }
    }
    // A page whose sliders are moved shows what the command says with these settings.
    let all = SamplerKind::ALL.map(SamplerKind::name).join(";");
    for (source, file) in &logits {
        let common = ["--samplers", &all, "--history", HISTORY, "--html", html];
        let start = [source, &common[..]].concat();
        chain(&start, file);
        let page = fs::read_to_string(&path).expect("a page is written");
        for moves in MOVES {
            let flags = moves.iter().flat_map(|(flag, _, value)| [*flag, *value]);
            let moved = start.iter().copied().chain(flags).collect::<Vec<_>>();
            expected.push(chain(&moved, file));
            let number = |text: &str| text.parse().expect("a number");
            let moves = moves.iter().map(|(_, slider, value)| (*slider, number(value)));
            pages.push((page.clone(), moves.collect()));
            args.push(moved);
        }
    }
    let numbers = reader.numbers(&pages);
    assert_eq!(numbers.len(), pages.len());
    for ((args, expected), got) in args.iter().zip(&expected).zip(numbers) {
        let difference = got.and_then(|got| difference(expected, &got));
        assert_eq!(difference, None, "{args:?}");
    }
}

/// Settings: the flag of the command, the slider of the page, and the value of both.
const MOVES: [&[(&str, &str, &str)]; 4] = [
    &[("--temp", "temperature", "1.5"), ("--top-k", "top_k", "7"), ("--seed", "seed", "8")],
    &[
        ("--repeat-penalty", "repeat_penalty", "1.3"),
        ("--presence-penalty", "presence_penalty", "0.5"),
        ("--frequency-penalty", "frequency_penalty", "0.25"),
        ("--repeat-last-n", "repeat_last_n", "3"),
        ("--min-p", "min_p", "0"),
    ],
    &[
        ("--dry-multiplier", "dry_multiplier", "0.5"),
        ("--dry-base", "dry_base", "1.25"),
        ("--dry-allowed-length", "dry_allowed_length", "1"),
        ("--dry-penalty-last-n", "dry_last_n", "9"),
        ("--top-p", "top_p", "0.75"),
        ("--typical", "typical", "0.9"),
    ],
    &[
        ("--top-n-sigma", "top_n_sigma", "1.5"),
        ("--xtc-probability", "xtc_probability", "0.5"),
        ("--xtc-threshold", "xtc_threshold", "0.05"),
        ("--dynatemp-range", "temperature_range", "0.5"),
        ("--dynatemp-exp", "temperature_exponent", "1.5"),
        ("--top-a", "top_a", "0.2"),
        ("--epsilon-cutoff", "epsilon_cutoff", "0.001"),
        ("--eta-cutoff", "eta_cutoff", "0.002"),
    ],
];

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
