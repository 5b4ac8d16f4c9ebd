//! The grammar that a command works with.

use anyhow::{anyhow, bail};
use grammask::gbnf::{
    Automaton, CompileError, CompileErrorKind, Diagnostic, Diagnostics, Dialect, Grammar,
    LineIndex, Position, Severity, Span, parse_bytes,
};
use grammask::json_schema::{
    Notation, Resources, SchemaError, SchemaErrorKind, Translation, translate_with,
};
use grammask::sampler::ConstraintError;
use serde_json::Value;

use super::args::{SchemaArgs, SourceArgs};
use super::failure::Invalid;
use super::input::Source;
use super::output::{Level, Message, Output};
use super::picture::Place;
use super::schema_options;

/// The grammar of `mask` and `generate`, and its start rule.
pub(super) fn load(args: &SourceArgs, output: Output) -> anyhow::Result<(Grammar, &str)> {
    let source =
        match (&args.grammar, &args.grammar_file, &args.json_schema, &args.json_schema_file) {
            (Some(text), ..) => Source::argument("grammar", text),
            (_, Some(path), ..) => Source::read(path)?,
            (_, _, Some(text), _) => {
                return schema(&Source::argument("schema", text), &args.options, output);
            }
            (.., Some(path)) => return schema(&Source::read(path)?, &args.options, output),
            _ => bail!("a grammar or a schema is needed"),
        };
    Ok((grammar(&source, &args.root, output)?, &args.root))
}

/// Parses and checks a grammar. Warnings are for `check` to show.
pub(super) fn grammar(source: &Source, root: &str, output: Output) -> anyhow::Result<Grammar> {
    let text = source.text();
    let found = match parse_bytes(&source.bytes, Dialect::Grammask) {
        Ok(grammar) => {
            let found = Diagnostics::new(&text, grammar.check(root));
            if !found.has_errors() {
                return Ok(grammar);
            }
            found
        }
        Err(found) => found,
    };
    for (position, diagnostic) in found.with_positions() {
        if diagnostic.severity == Severity::Error {
            output.say(&message(&source.name, &text, position, diagnostic));
        }
    }
    if found.omitted() > 0 {
        output.say(&Message::note(format!("and {} more mistakes", found.omitted())));
    }
    Err(Invalid::Said.into())
}

fn schema<'a>(
    source: &Source,
    args: &SchemaArgs,
    output: Output,
) -> anyhow::Result<(Grammar, &'a str)> {
    let translation = translation(source, args, Notation::Extended, output)?;
    for entry in translation.report.refused() {
        let mut text = format!("not enforced: {}", entry.pointer);
        if let Some(note) = &entry.note {
            text = format!("{text} ({note})");
        }
        output.say(&Message { level: Level::Warning, ..Message::note(text) });
    }
    if !translation.report.satisfiable {
        return Err(Invalid::Unsaid("no document is valid under this schema".to_owned()).into());
    }
    Ok((translation.grammar, "root"))
}

/// Reads and translates a schema.
pub(super) fn translation(
    source: &Source,
    args: &SchemaArgs,
    notation: Notation,
    output: Output,
) -> anyhow::Result<Translation> {
    let schema = json(source, "schema", output)?;
    let mut resources = Resources::new();
    for (uri, file) in &args.resources {
        let document = json(&Source::read(file)?, "resource", output)?;
        resources.insert(uri, document)?;
    }
    let options = schema_options::resolve(args, notation);
    match translate_with(&schema, &options, &resources) {
        Ok(translation) => Ok(translation),
        Err(error) => {
            if let SchemaErrorKind::Limit { .. } = error.kind() {
                bail!("{}: {error}", source.name);
            }
            say_schema_error(source, &error, output);
            Err(Invalid::Said.into())
        }
    }
}

/// Reads a JSON document; `what` it is.
pub(super) fn json(source: &Source, what: &str, output: Output) -> anyhow::Result<Value> {
    serde_json::from_slice(&source.bytes).map_err(|error| {
        say_json_error(source, what, &error, output);
        Invalid::Said.into()
    })
}

/// What `serde_json` says, without its line and column, which the picture shows.
fn say_json_error(source: &Source, what: &str, error: &serde_json::Error, output: Output) {
    let text = source.text();
    let words = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let words = words.strip_suffix(&place).unwrap_or(&words);
    // Its lines end with LF, its columns count bytes.
    let lines = source.bytes.split_inclusive(|&byte| byte == b'\n');
    let before: usize = lines.take(error.line().saturating_sub(1)).map(<[u8]>::len).sum();
    let at = before + error.column().saturating_sub(1);
    // A text that ends too early does so after its last character.
    let at = if error.is_eof() { text.trim_end().len() } else { at };
    let place = Place::new(&source.name, &text, Span::new(at, at + 1), words);
    output.say(&Message::error(format!("the {what} is not JSON")).at(place));
}

fn say_schema_error(source: &Source, error: &SchemaError, output: Output) {
    if let SchemaErrorKind::Unsupported(keywords) = error.kind() {
        for one in keywords {
            let text = format!(
                "{}: `{}` at {} cannot be enforced: {}",
                source.name,
                one.keyword,
                pointer(&one.pointer),
                in_flags(&one.reason)
            );
            output.say(&Message::error(text));
        }
        if let Some(help) = error.help() {
            output.say(&Message::note(in_flags(help)));
        }
        return;
    }
    let help = error.help().map(in_flags);
    output.say(&Message::error(format!("{}: {error}", source.name)).with_help(help));
}

/// The advice of the library, as it is typed here.
fn in_flags(help: &str) -> String {
    help.replace("the lenient option", "--lenient")
        .replace("the extended notation", "--extended")
        .replace("as a resource", "with --resource URI=FILE")
}

fn pointer(pointer: &str) -> &str {
    if pointer.is_empty() { "the root" } else { pointer }
}

/// A diagnostic of a grammar as a message.
pub(super) fn message<'a>(
    name: &'a str,
    text: &'a str,
    position: Position,
    diagnostic: &'a Diagnostic,
) -> Message<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::Error,
        Severity::Warning => Level::Warning,
    };
    let span = diagnostic.span;
    let place = Place { name, text, span, position, label: String::new() };
    let related = if diagnostic.related.is_empty() {
        Vec::new()
    } else {
        let index = LineIndex::new(text);
        let place = |(span, label): &(Span, String)| {
            let position = index.position(span.start);
            Place { name, text, span: *span, position, label: label.clone() }
        };
        diagnostic.related.iter().map(place).collect()
    };
    Message {
        level,
        code: Some(diagnostic.code.as_str()),
        related,
        ..Message::error(diagnostic.message.as_str())
    }
    .at(place)
    .with_help(diagnostic.help.as_deref())
}

/// Compiles what has been checked: what can still go wrong is a limit.
pub(super) fn compile(result: Result<Automaton, CompileError>) -> anyhow::Result<Automaton> {
    result.map_err(|error| compile_failure(&error))
}

/// A mistake of the grammar ends with 1, a limit with 2.
pub(super) fn compile_failure(error: &CompileError) -> anyhow::Error {
    match error.kind() {
        CompileErrorKind::UndefinedRule(_)
        | CompileErrorKind::UndefinedRoot(_)
        | CompileErrorKind::ReversedCount
        | CompileErrorKind::MemberKey(_)
        | CompileErrorKind::MemberCount(_)
        | CompileErrorKind::Item(_)
        | CompileErrorKind::ItemRecursion => Invalid::Unsaid(error.to_string()).into(),
        _ => anyhow!("{error}"),
    }
}

/// What a constraint refuses about a grammar.
pub(super) fn constraint_failure(error: ConstraintError) -> anyhow::Error {
    match error {
        ConstraintError::Compile(error) => compile_failure(&error),
        ConstraintError::NoSuchToken(_) => Invalid::Unsaid(error.to_string()).into(),
        error => error.into(),
    }
}
