//! Random texts of the languages against the jsonschema crate.

use super::*;
use crate::language::Dfa;
use proptest::prelude::*;
use serde_json::{Value, json};

const NAMES: [&str; 19] = [
    "date",
    "time",
    "date-time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uri-template",
    "uuid",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

fn languages_of(name: &str) -> (Languages, Approximation) {
    let mut languages = Languages::default();
    let format = Format::named(name).unwrap();
    let texts = format.language(&mut languages).unwrap();
    (languages, texts)
}

/// By state, how many code points an accepted text needs at least.
fn distances(dfa: &Dfa) -> Vec<usize> {
    let mut distances: Vec<usize> =
        dfa.states().iter().map(|state| if state.accepting { 0 } else { usize::MAX }).collect();
    loop {
        let before = distances.clone();
        for (at, state) in dfa.states().iter().enumerate() {
            for &(_, to) in &state.transitions {
                distances[at] = distances[at].min(distances[to].saturating_add(1));
            }
        }
        if before == distances {
            return distances;
        }
    }
}

/// The text that these choices lead to; where they end, the shortest way to an end.
fn walk(dfa: &Dfa, distances: &[usize], choices: &[(u32, u32, u32)]) -> String {
    let mut text = String::new();
    let mut state = 0;
    let mut choices = choices.iter();
    loop {
        let transitions = &dfa.states()[state].transitions;
        let choice = choices.next();
        if transitions.is_empty() || choice.is_none() && distances[state] == 0 {
            return text;
        }
        let (set, to) = match choice {
            Some(&(which, ..)) => &transitions[which as usize % transitions.len()],
            None => transitions.iter().min_by_key(|(_, to)| distances[*to]).unwrap(),
        };
        let &(_, range, offset) = choice.unwrap_or(&(0, 0, 0));
        let ranges = set.ranges();
        let (first, last) = ranges[range as usize % ranges.len()];
        let span = last as u32 - first as u32 + 1;
        text.push(char::from_u32(first as u32 + offset % span).unwrap_or(first));
        state = *to;
    }
}

/// Texts that the crate refuses although they are of the format.
fn is_mistaken(name: &str, text: &str) -> bool {
    match name {
        // A quoted local part may have `<` after a space, which the crate takes for the end of a
        // name, and a space after a backslash (RFC 5321, section 4.1.2).
        "email" | "idn-email" => text.contains(" <") || text.contains("\\ "),
        _ => false,
    }
}

fn check(name: &'static str) {
    let (mut languages, texts) = languages_of(name);
    let dfa = languages.dfa(texts.lower, crate::normal::MAX_STATES).unwrap();
    let above = languages.not(texts.upper).unwrap();
    let outside = languages.and([texts.lower, above]).unwrap();
    assert!(languages.dfa(outside, crate::normal::MAX_STATES).unwrap().is_empty(), "{name}");
    let distances = distances(&dfa);
    let judge = jsonschema::options().should_validate_formats(true).build(&json!({"format": name}));
    let judge = judge.unwrap();
    let choices = proptest::collection::vec(any::<(u32, u32, u32)>(), 0..80);
    let config =
        ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(choices in choices)| {
        let text = walk(&dfa, &distances, &choices);
        let valid = judge.is_valid(&Value::String(text.clone()));
        prop_assert!(valid || is_mistaken(name, &text), "{}: {:?}", name, text);
    });
}

#[test]
fn texts_are_valid() {
    for name in NAMES {
        check(name);
    }
}
