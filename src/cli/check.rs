//! `grammask check`: every mistake in grammars.

use anyhow::bail;
use grammask::gbnf::{Automaton, Diagnostic, Diagnostics, Dialect, Grammar, ParseConfig, Severity};
use serde_json::{Value, json};

use super::args::{CheckArgs, DialectArg};
use super::failure::Invalid;
use super::grammar_source::message;
use super::input::Source;
use super::output::{Message, Output, print, print_json};

/// What has been counted.
#[derive(Default)]
struct Tally {
    errors: usize,
    warnings: usize,
    unread: usize,
}

pub(super) fn run(args: &CheckArgs, output: Output) -> anyhow::Result<()> {
    let mut tally = Tally::default();
    let mut files = Vec::new();
    for path in &args.grammars {
        match Source::read(path) {
            Ok(source) => files.push(file(&source, args, output, &mut tally)),
            Err(error) => {
                output.say(&Message::error(format!("{error:#}")));
                tally.unread += 1;
            }
        }
    }
    let Tally { errors, warnings, unread } = tally;
    let valid = errors == 0 && !(args.strict && warnings > 0);
    if output.is_json() {
        print_json(&json!({
            "valid": valid && unread == 0,
            "errors": errors,
            "warnings": warnings,
            "files": files,
        }))?;
    } else {
        let checked = counted(files.len(), "grammar");
        let found = match (errors, warnings) {
            (0, 0) => "no mistakes".to_owned(),
            (0, _) => counted(warnings, "warning"),
            (_, 0) => counted(errors, "error"),
            _ => format!("{}, {}", counted(errors, "error"), counted(warnings, "warning")),
        };
        print(&format!("{checked} checked: {found}\n"))?;
    }
    if unread > 0 {
        bail!("{} could not be read", counted(unread, "file"));
    }
    if valid { Ok(()) } else { Err(Invalid::Said.into()) }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn file(source: &Source, args: &CheckArgs, output: Output, tally: &mut Tally) -> Value {
    let text = source.text();
    let found = diagnostics(source, &text, args);
    let mut list = Vec::new();
    for (position, diagnostic) in found.with_positions() {
        match diagnostic.severity {
            Severity::Error => tally.errors += 1,
            Severity::Warning => tally.warnings += 1,
        }
        let message = message(&source.name, &text, position, diagnostic);
        if output.is_json() {
            list.push(message.to_json());
        } else {
            output.say(&message);
        }
    }
    if found.omitted() > 0 && !output.is_json() {
        output.say(&Message::note(format!("{}: and {} more", source.name, found.omitted())));
    }
    let invalid = found.has_errors() || (args.strict && !found.is_empty());
    json!({
        "path": source.name,
        "valid": !invalid,
        "diagnostics": list,
        "omitted": found.omitted(),
    })
}

fn diagnostics(source: &Source, text: &str, args: &CheckArgs) -> Diagnostics {
    let dialect = match args.dialect {
        DialectArg::Grammask => Dialect::Grammask,
        DialectArg::LlamaCpp => Dialect::LlamaCpp,
    };
    let config = ParseConfig::new().dialect(dialect).root(&args.root);
    let grammar = match config.parse_bytes(&source.bytes) {
        Ok(grammar) => grammar,
        Err(found) => return found,
    };
    let mut found = grammar.check(&args.root);
    match dialect {
        Dialect::Grammask => {
            if found.iter().all(|diagnostic| diagnostic.severity == Severity::Warning) {
                found.extend(compile(&grammar, &args.root));
            }
        }
        // llama.cpp has accepted it: whatever else is wrong is for the user to know.
        Dialect::LlamaCpp => {
            for diagnostic in &mut found {
                diagnostic.severity = Severity::Warning;
            }
        }
    }
    Diagnostics::new(text, found)
}

/// What only the compiler finds: keys of members that are not what they must be, and limits.
fn compile(grammar: &Grammar, root: &str) -> Option<Diagnostic> {
    Automaton::compile(grammar, root).err().map(|error| error.diagnostic())
}
