//! The program, run as `fixtures/cli/*.json` say: arguments, standard input, what comes out.
//!
//! `UPDATE_FIXTURES=1` rewrites the expected outputs that are given in full.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// What came out of a run.
struct Outcome {
    exit: i32,
    stdout: String,
    stderr: String,
}

fn run(case: &Value) -> Outcome {
    let args = case["args"].as_array().expect("args");
    let mut child = Command::new(env!("CARGO_BIN_EXE_grammask"))
        .args(args.iter().map(|arg| arg.as_str().expect("an argument is a string")))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("NO_COLOR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A program that does not read its input closes the pipe.
    let _ = stdin.write_all(text(&case["stdin"]).as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("the program ends");
    Outcome {
        exit: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).expect("stdout is text"),
        stderr: String::from_utf8(output.stderr).expect("stderr is text"),
    }
}

/// A text, as a string or as a list of lines.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Array(lines) => {
            lines.iter().map(|line| line.as_str().expect("a line").to_owned() + "\n").collect()
        }
        other => other.as_str().expect("a text").to_owned(),
    }
}

fn lines(text: &str) -> Value {
    if text.is_empty() || text.ends_with('\n') {
        text.lines().map(Value::from).collect()
    } else {
        text.into()
    }
}

#[test]
fn fixtures() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cli");
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    let mut paths: Vec<_> = fs::read_dir(folder)
        .expect("fixtures")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let mut failures = Vec::new();
    for path in &paths {
        let file = fs::read_to_string(path).expect("a fixture is text");
        let mut cases: Vec<Value> = serde_json::from_str(&file).expect("a fixture is JSON");
        for case in &mut cases {
            let outcome = run(case);
            let found = [("stdout", &outcome.stdout), ("stderr", &outcome.stderr)];
            if update {
                case["exit"] = json!(outcome.exit);
                for (stream, found) in found {
                    if case.get(stream).is_some() {
                        case[stream] = lines(found);
                    }
                }
                continue;
            }
            let mut wrong = Vec::new();
            if case["exit"] != json!(outcome.exit) {
                wrong.push(format!("exit code {} instead of {}", outcome.exit, case["exit"]));
            }
            for (stream, found) in found {
                if let Some(expected) = case.get(stream)
                    && text(expected) != *found
                {
                    wrong.push(format!("other {stream} than expected"));
                }
                for part in case[format!("{stream}_has")].as_array().into_iter().flatten() {
                    let part = part.as_str().expect("a fragment is a string");
                    if !found.contains(part) {
                        wrong.push(format!("{stream} has no {part:?}"));
                    }
                }
            }
            if !wrong.is_empty() {
                let Outcome { stdout, stderr, .. } = outcome;
                failures.push(format!(
                    "{}: {}: {}\n--- stdout\n{stdout}--- stderr\n{stderr}",
                    path.file_name().unwrap_or_default().display(),
                    case["name"],
                    wrong.join("; ")
                ));
            }
        }
        if update {
            let text = serde_json::to_string_pretty(&cases).expect("a value is JSON") + "\n";
            fs::write(path, text).expect("a fixture can be written");
        }
    }
    assert!(!paths.is_empty(), "no fixtures");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_long_line_gives_a_short_picture() {
    let long = format!("root ::= \"{}\" | itme", "x".repeat(10_000_000));
    let case = json!({"args": ["check", "-"], "stdin": long});
    let Outcome { exit, stderr, .. } = run(&case);
    assert_eq!(exit, 1);
    assert!(stderr.len() < 2_000, "{} bytes", stderr.len());
    assert!(stderr.contains("<stdin>:1:10000015"), "{stderr}");
}

/// As `grammask generate | head -c 1`.
#[test]
fn a_closed_pipe_is_no_failure() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_grammask"))
        .args([
            "generate",
            "--grammar",
            "root ::= \"abc \"{100,}",
            "--vocab",
            "r50k_base",
            "-n",
            "-1",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}
