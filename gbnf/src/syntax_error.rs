//! Words for what pest did not like.

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Dialect;
use crate::notation::Rule;
use crate::source::{self, is_name_byte};
use crate::span::Span;

/// A syntax error at byte `offset` of `piece`, which is a part of `text`, where pest would have
/// taken one of `expected`.
pub(crate) fn describe(
    text: &str,
    piece: &str,
    offset: usize,
    expected: &[Rule],
    dialect: Dialect,
) -> Diagnostic {
    let start = piece.as_ptr() as usize - text.as_ptr() as usize + offset;
    let rest = &piece[offset..];
    let found = found(rest);
    let span = Span::new(start, start + found.len());
    let found_words = match found {
        "" => "the end of the rule".to_owned(),
        found => format!("'{}'", found.escape_debug()),
    };
    let message = match expected_words(expected) {
        words if words.is_empty() => format!("unexpected {found_words}"),
        words => format!("expected {words}, found {found_words}"),
    };
    let diagnostic = Diagnostic::new(Code::Syntax, span, message);
    match help(piece, offset, found, expected, dialect) {
        Some(help) => diagnostic.with_help(help),
        None => diagnostic,
    }
}

/// What stands there: a word, a sign, or nothing.
fn found(rest: &str) -> &str {
    let word = rest.bytes().take_while(|&byte| is_name_byte(byte)).count();
    if word > 0 {
        return &rest[..word];
    }
    ["::=", ":=", "?=>", "*=>", "!=>", "=>", "->"]
        .into_iter()
        .find(|sign| rest.starts_with(sign))
        .or_else(|| rest.chars().next().map(|character| &rest[..character.len_utf8()]))
        .unwrap_or_default()
}

fn expected_words(expected: &[Rule]) -> String {
    let mut words: Vec<&str> = Vec::new();
    for rule in expected {
        let word = match rule {
            Rule::name => "a rule name",
            Rule::defines => "'::='",
            Rule::count => "a number",
            Rule::comma => "','",
            Rule::end_bounds => "'}'",
            Rule::close => "')'",
            Rule::bar => "'|'",
            Rule::token | Rule::token_text => "a token reference",
            Rule::token_id => "a token id",
            Rule::star | Rule::plus | Rule::optional | Rule::bounds => "a quantifier",
            Rule::required | Rule::maybe | Rule::many | Rule::never => {
                "one of '=>' '?=>' '*=>' '!=>'"
            }
            Rule::next_member => "';'",
            Rule::member => "a member",
            Rule::separator => "a separator in parentheses",
            Rule::EOI => "the end of the rule",
            Rule::not => continue,
            _ => "an item",
        };
        if !words.contains(&word) {
            words.push(word);
        }
    }
    // In a body nearly everything may follow; that list helps nobody.
    if words.contains(&"an item") {
        words.retain(|word| *word != "a token reference" && *word != "a quantifier");
        if words.contains(&"the end of the rule") {
            words.retain(|word| *word != "'|'");
        }
    }
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

fn help(
    piece: &str,
    offset: usize,
    found: &str,
    expected: &[Rule],
    dialect: Dialect,
) -> Option<String> {
    let help = match found {
        "::=" => {
            let name = source::defined_name(piece, 0)?;
            format!(
                "the rule '{name}' goes on here: an alternative that is empty at the end of a \
                 line takes the next line; write '\"\"' for it"
            )
        }
        ":=" | "=" | ":" | "->" if expected.contains(&Rule::defines) => {
            "a rule is written 'name ::= body'".to_owned()
        }
        "'" => "literals stand in double quotes".to_owned(),
        ";" => "a rule ends with its line, without a ';'".to_owned(),
        "|" if offset == 0 && dialect == Dialect::LlamaCpp => {
            "llama.cpp wants '|' at the end of the line before".to_owned()
        }
        "," if expected.contains(&Rule::count) => "write '{0,n}' for at most n times".to_owned(),
        "*" | "+" | "?" | "{" if expected.contains(&Rule::literal) => {
            "there is nothing before it to repeat".to_owned()
        }
        "!" => "'!' stands right before a token reference: '!<think>'".to_owned(),
        "/" => "GBNF has no regular expressions between slashes".to_owned(),
        "$" | "^" => "GBNF has no anchors: a rule matches the whole of its text".to_owned(),
        ")" => "there is no '(' for it".to_owned(),
        "]" => "there is no '[' for it".to_owned(),
        _ if offset == 0 && expected.contains(&Rule::name) => {
            "a rule goes on in the next line only inside parentheses and next to '|'".to_owned()
        }
        _ => return None,
    };
    Some(help)
}
