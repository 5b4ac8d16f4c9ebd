//! Grammars that were made to break something: each in a process of its own, with a limit on
//! memory and a watchdog. The harness runs the same list and measures.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout, reason = "a child speaks to its parent")]

use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{env, thread};

use grammask::gbnf::Automaton;
use grammask::sampler::{Constraint, Engine, Vocabulary};
use grammask_oracle::hostile::{self, Expected, Figures, Hostile};

/// In a child: the name of the case to run.
const CASE: &str = "GRAMMASK_HOSTILE_CASE";
/// What a child prints when all went well.
const DONE: &str = "hostile case done";
/// Most memory of a child, in kilobytes.
const MEMORY_KB: u64 = 1 << 20;
/// When the watchdog bites: generous, as the machine may be busy. A text that is read in more and more ways
/// up to the limit of work takes most of a minute on a slow one.
const WATCHDOG: Duration = Duration::from_secs(240);
/// How many children run at a time.
const CHILDREN: usize = 2;

#[test]
fn every_case_in_a_process_of_its_own() {
    if let Ok(name) = env::var(CASE) {
        run(&hostile::find(&name).expect("a case"));
        println!("{DONE}");
        return;
    }
    let cases = hostile::all();
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..CHILDREN {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(what) = watch(case) {
                        failures.lock().expect("a list").push(format!("{}: {what}", case.name));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("a list");
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// Runs a case in a child.
fn watch(case: &Hostile) -> Result<(), String> {
    let mut child = Command::new("sh")
        .args(["-c", &format!("ulimit -v {MEMORY_KB}; exec \"$0\" \"$@\"")])
        .arg(env::current_exe().expect("this program"))
        .args(["--exact", "every_case_in_a_process_of_its_own", "--nocapture", "--test-threads=1"])
        .env(CASE, case.name)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let start = Instant::now();
    while child.try_wait().map_err(|error| error.to_string())?.is_none() {
        if start.elapsed() > WATCHDOG {
            child.kill().map_err(|error| error.to_string())?;
            child.wait().map_err(|error| error.to_string())?;
            return Err(format!("stopped after {WATCHDOG:?}"));
        }
        thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    if String::from_utf8_lossy(&output.stdout).contains(DONE) {
        return Ok(());
    }
    let complaint: String = String::from_utf8_lossy(&output.stderr).chars().take(500).collect();
    Err(format!("{}: {complaint}", output.status))
}

/// In a child: a case, and masks at its start and after the first tokens of its first text.
fn run(case: &Hostile) {
    let engine = Engine::new(Vocabulary::from_name("o200k_base").expect("it is built in"));
    let (automaton, _) = figures(case);
    let Some(automaton) = automaton else { return };
    let mut constraint =
        Constraint::with_automaton(&engine, &automaton).expect("it refers to no tokens");
    let first = case.texts().into_iter().next().map(|text| text.text).unwrap_or_default();
    for byte in first.bytes().take(4) {
        let token = engine.vocabulary().token_by_text(&[byte]).expect("every byte is a token");
        let mask = constraint.mask();
        assert_eq!(mask.contains(token), constraint.accept(token).is_ok(), "byte {byte}");
    }
    constraint.mask();
}

fn figures(case: &Hostile) -> (Option<Automaton>, Figures) {
    case.run(|grammar| Automaton::compile(grammar, "root"))
        .unwrap_or_else(|what| panic!("{}: {what}", case.name))
}

#[test]
fn a_great_count_costs_what_a_small_one_does() {
    let of = |name| figures(&hostile::find(name).expect("a case")).1;
    let (small, great) = (of("up-to-ten"), of("up-to-a-million"));
    assert_eq!(small.positions, great.positions);
    assert_eq!(small.session, great.session);
}

#[test]
fn names_are_different_and_few_cases_hit_a_limit() {
    let may_be_limited = ["parentheses", "a-conjunction-of-loops-that-meet-late"];
    let cases = hostile::all();
    let mut names: Vec<_> = cases.iter().map(|case| case.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), cases.len());
    for case in cases {
        let limited = matches!(case.expected, Expected::Refused(grammask::gbnf::Code::Limit));
        let may_be = may_be_limited.iter().any(|name| case.name.contains(name));
        assert!(!limited || may_be, "{}", case.name);
    }
}
