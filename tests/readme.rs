//! The commands of the README print what the README says.
//!
//! `UPDATE_FIXTURES=1` writes what they print into the README.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Words of a command: blanks separate them, single quotes hold them together.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in command.split('\'').enumerate() {
        if at % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// What a command prints: its results, then its diagnostics.
fn run(command: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_grammask"))
        .args(words(command).iter().skip(1))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the program starts");
    let [stdout, stderr] = [output.stdout, output.stderr]
        .map(|bytes| String::from_utf8(bytes).expect("the output is text").trim_end().to_owned());
    [stdout, stderr].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

#[test]
fn commands_print_what_the_readme_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(&path).expect("a README");
    let mut actual = String::new();
    let mut commands = 0;
    let mut parts = readme.split("```console\n");
    actual.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (block, rest) = part.split_once("```").expect("a block ends");
        let command = block.lines().next().and_then(|line| line.strip_prefix("$ "));
        let command = command.expect("a block begins with a command");
        commands += 1;
        actual.extend(["```console\n$ ", command, "\n", &run(command), "\n```", rest]);
    }
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        fs::write(&path, &actual).expect("the README can be written");
    } else {
        assert_eq!(actual, readme);
    }
    assert!(commands >= 5, "a command of each kind");
}
