//! `grammask match`: whether a text matches a grammar, and where it stops.

use anyhow::{Context, bail};
use grammask::gbnf::{Automaton, Grammar, LineIndex, Matcher};
use grammask::sampler::Constraint;
use serde_json::{Value, json};

use super::args::MatchArgs;
use super::failure::Invalid;
use super::input::Source;
use super::output::{Output, print, print_json};
use super::reading::{self, Stop};
use super::{grammar_source, vocabulary};

pub(super) fn run(args: &MatchArgs, output: Output) -> anyhow::Result<()> {
    let grammar_text = Source::read(&args.grammar)?;
    let grammar = grammar_source::grammar(&grammar_text, &args.root, output)?;
    let source = match (&args.text, &args.input) {
        (Some(text), _) => Source::argument("text", text),
        (None, Some(path)) => Source::read(path)?,
        (None, None) => bail!("a text is needed"),
    };
    let stop = read(&grammar, args, &source)?;
    if output.is_json() {
        print_json(&result(stop.as_ref(), &source))?;
    } else {
        print(if stop.is_none() { "matches\n" } else { "does not match\n" })?;
        if let Some(stop) = &stop {
            stop.say(&source, output);
        }
    }
    if stop.is_none() { Ok(()) } else { Err(Invalid::Said.into()) }
}

/// Where the text stops to match; `None` if it matches.
fn read(grammar: &Grammar, args: &MatchArgs, source: &Source) -> anyhow::Result<Option<Stop>> {
    let automaton = grammar_source::compile(Automaton::compile(grammar, &args.root))?;
    let (stop, matcher) = if automaton.tokens().is_empty() {
        let mut matcher = Matcher::new(&automaton);
        (reading::bytes(&mut matcher, &source.bytes)?, matcher)
    } else {
        let Some(name) = &args.vocab else {
            bail!("the grammar refers to tokens: say of which vocabulary with --vocab");
        };
        let engine = vocabulary::load(name)?;
        let mut constraint = Constraint::new(&engine, grammar, &args.root)
            .map_err(grammar_source::constraint_failure)?;
        let stop = reading::tokens(&mut constraint, &automaton, &source.bytes)?;
        (stop, constraint.matcher().context("the text has not come to the grammar")?.clone())
    };
    Ok(stop.or_else(|| {
        let early = || Stop { at: source.bytes.len(), expected: matcher.expected() };
        (!matcher.is_complete()).then(early)
    }))
}

fn result(stop: Option<&Stop>, source: &Source) -> Value {
    let Some(stop) = stop else { return json!({"matches": true}) };
    let text = source.text();
    let position = LineIndex::new(&text).position(stop.at);
    json!({
        "matches": false,
        "prefix": stop.at == source.bytes.len(),
        "offset": stop.at,
        "line": position.line,
        "column": position.column,
        "expected": stop.expected.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}
