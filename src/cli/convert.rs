//! `grammask convert`: a schema as a grammar, and a report.

use std::fs;
use std::io::Write;

use anyhow::Context;
use grammask::json_schema::{Notation, Report, openai_strict};
use serde_json::json;

use super::args::{ConvertArgs, LintArg, OrderArg};
use super::failure::Invalid;
use super::grammar_source;
use super::input::Source;
use super::output::{Message, Output, print, print_json};

pub(super) fn run(args: &ConvertArgs, output: Output) -> anyhow::Result<()> {
    let notation = if args.extended { Notation::Extended } else { Notation::Plain };
    let source = Source::read(&args.schema)?;
    if let Some(LintArg::OpenaiStrict) = args.lint {
        lint(&source, output)?;
    }
    let translation = grammar_source::translation(&source, &args.options, notation, output)?;
    let (grammar, report) = (&translation.grammar, &translation.report);
    if output.is_json() {
        print_json(&json!({"grammar": grammar.to_string(), "report": report}))?;
    } else {
        print(&grammar.to_string())?;
    }
    match args.report.as_deref() {
        // It is in the result already.
        Some("-") | None if output.is_json() => {}
        Some("-") => print(&lines(report, output)?)?,
        Some(path) => {
            fs::write(path, lines(report, output)?)
                .with_context(|| format!("cannot write {path}"))?;
        }
        None => {
            let _ = std::io::stderr().lock().write_all(lines(report, output)?.as_bytes());
        }
    }
    if !args.extended && args.options.order == OrderArg::Any {
        output.say(&Message::note(
            "plain GBNF cannot say \"in any order\": the properties are in the order of the schema; \
             --extended prints any order",
        ));
    }
    Ok(())
}

/// Says each breach of `OpenAI`'s strict subset.
fn lint(source: &Source, output: Output) -> anyhow::Result<()> {
    let breaches = openai_strict(&grammar_source::json(source, "schema", output)?);
    for breach in &breaches {
        let message = Message::error(format!("{}: {breach}", source.name));
        output.say(
            &Message { code: Some("openai-strict"), ..message }.with_help(Some(breach.help())),
        );
    }
    if breaches.is_empty() { Ok(()) } else { Err(Invalid::Said.into()) }
}

fn lines(report: &Report, output: Output) -> anyhow::Result<String> {
    if output.is_json() {
        return Ok(serde_json::to_string_pretty(report)? + "\n");
    }
    Ok(report.to_string())
}
