//! Random texts of the languages against the jsonschema crate.

use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

/// The texts of a format in a notation.
fn texts_of(name: &str, notation: Notation, languages: &mut Languages) -> Approximation {
    Format::named(name).unwrap().language(languages, notation).unwrap()
}

/// The text that these choices lead to; where they end, a short way to an end, if one is found.
fn walk(
    languages: &mut Languages,
    language: LanguageId,
    choices: &[(u32, u32, u32)],
) -> Option<String> {
    let mut text = String::new();
    let mut state = languages.initial(language);
    let mut choices = choices.iter();
    for _ in 0..400 {
        let choice = choices.next();
        if choice.is_none() && languages.accepts(state) {
            return Some(text);
        }
        let mut transitions = languages.transitions(state).unwrap();
        transitions.retain(|(_, to)| languages.has_text(to.language()).unwrap());
        let (set, to) = match choice {
            _ if transitions.is_empty() => return Some(text),
            Some(&(which, ..)) => &transitions[which as usize % transitions.len()],
            None => transitions.iter().min_by_key(|(_, to)| languages.shortest(*to))?,
        };
        let &(_, range, offset) = choice.unwrap_or(&(0, 0, 0));
        let ranges = set.ranges();
        let (first, last) = ranges[range as usize % ranges.len()];
        let span = last as u32 - first as u32 + 1;
        text.push(char::from_u32(first as u32 + offset % span).unwrap_or(first));
        state = *to;
    }
    None
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
    let judge = jsonschema::options().should_validate_formats(true).build(&json!({"format": name}));
    let judge = judge.unwrap();
    let choices = proptest::collection::vec(any::<(u32, u32, u32)>(), 0..80);
    let config =
        ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(choices in choices)| {
        let mut languages = Languages::default();
        let texts = texts_of(name, Notation::Extended, &mut languages);
        let plain = texts_of(name, Notation::Plain, &mut languages);
        for (language, larger) in
            [(texts.lower, vec![texts.upper]), (plain.lower, vec![texts.lower, plain.upper])]
        {
            let Some(text) = walk(&mut languages, language, &choices) else { continue };
            for larger in larger {
                prop_assert!(languages.contains(larger, &text).unwrap(), "{}: {:?}", name, text);
            }
            let valid = judge.is_valid(&Value::String(text.clone()));
            prop_assert!(valid || is_mistaken(name, &text), "{}: {:?}", name, text);
        }
    });
}

#[test]
fn names_are_of_their_formats() {
    for (name, format) in Format::ALL {
        assert_eq!((format.name(), Format::named(name)), (name, Some(format)));
    }
}

/// Plain GBNF takes an automaton that is not too large.
#[test]
fn plain_automata() {
    for (name, _) in Format::ALL {
        let mut languages = Languages::default();
        let texts = texts_of(name, Notation::Plain, &mut languages);
        assert!(languages.dfa(texts.lower, crate::normal::MAX_STATES).is_ok(), "{name}");
    }
}

#[test]
fn texts_are_valid() {
    for (name, _) in Format::ALL {
        check(name);
    }
}

/// The local time and the offset of a leap second determine each other.
#[test]
fn leap_seconds() {
    const DAY: u32 = 24 * 60;
    let mut languages = Languages::default();
    let texts = texts_of("time", Notation::Extended, &mut languages).lower;
    let clock = |minute: u32| format!("{:02}:{:02}", minute / 60, minute % 60);
    for local in 0..DAY {
        for offset in (0..DAY).step_by(7).chain([(local + 1) % DAY, DAY - 1 - local]) {
            for (sign, utc) in [('+', local + DAY - offset), ('-', local + offset)] {
                let text = format!("{}:60{sign}{}", clock(local), clock(offset));
                let expected = utc % DAY == DAY - 1;
                assert_eq!(languages.contains(texts, &text).unwrap(), expected, "{text}");
            }
        }
    }
}
