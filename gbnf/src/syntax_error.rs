//! Words for what pest did not like.

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Dialect;
use crate::notation::Rule;
use crate::source;
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
        "'" => "\"'\"".to_owned(),
        found if found.contains(char::is_control) => format!("'{}'", found.escape_debug()),
        found => format!("'{found}'"),
    };
    let expected_words = expected_words(expected);
    let in_body = expected_words.contains(&"an item");
    let message = match expected_words.split_last() {
        Some((last, [])) => format!("expected {last}, found {found_words}"),
        Some((last, others)) => {
            format!("expected {} or {last}, found {found_words}", others.join(", "))
        }
        None => format!("unexpected {found_words}"),
    };
    let diagnostic = Diagnostic::new(Code::Syntax, span, message);
    let at_start = offset == 0;
    let help = match found {
        "::=" if !at_start => Some(unexpected_definition(source::leading_name(piece))),
        ":=" | "=" | ":" | "->" if expected.contains(&Rule::defines) => {
            Some("a rule is written 'name ::= body'".to_owned())
        }
        "," if expected.contains(&Rule::count) => {
            Some("write '{0,n}' for at most n times".to_owned())
        }
        "|" if at_start && dialect == Dialect::LlamaCpp => {
            Some("llama.cpp wants '|' at the end of the line before".to_owned())
        }
        _ if at_start => Some(
            "a rule goes on in the next line only inside parentheses and next to '|'".to_owned(),
        ),
        ")" if !expected.contains(&Rule::EOI) => None,
        _ if in_body => help_in_body(found).map(str::to_owned),
        _ => None,
    };
    match help {
        Some(help) => diagnostic.with_help(help),
        None => diagnostic,
    }
}

/// What stands there: a word, a sign, or nothing.
fn found(rest: &str) -> &str {
    let sign = usize::from(rest.starts_with('@'));
    let word = source::leading_name(&rest[sign..]);
    if !word.is_empty() {
        return &rest[..sign + word.len()];
    }
    ["::=", ":=", "?=>", "*=>", "!=>", "=>", "->"]
        .into_iter()
        .find(|sign| rest.starts_with(sign))
        .or_else(|| rest.chars().next().map(|character| &rest[..character.len_utf8()]))
        .unwrap_or_default()
}

fn expected_words(expected: &[Rule]) -> Vec<&'static str> {
    let mut words = Vec::new();
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
            Rule::quoted => "its text in quotes",
            Rule::star | Rule::plus | Rule::optional | Rule::bounds => "a quantifier",
            Rule::required | Rule::maybe | Rule::many | Rule::never => {
                "one of '=>' '?=>' '*=>' '!=>'"
            }
            Rule::next_member | Rule::next_item => "';'",
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
    words
}

fn unexpected_definition(name: &str) -> String {
    format!(
        "the rule '{name}' goes on here: an alternative that is empty at the end of a line takes \
         the next line; write '\"\"' for it"
    )
}

/// What may have been meant by a sign that begins no item.
fn help_in_body(found: &str) -> Option<&'static str> {
    Some(match found {
        "'" => "literals stand in double quotes",
        ";" => "a rule ends with its line, without a ';'",
        "*" | "+" | "?" | "{" => "there is nothing before it to repeat",
        "!" => "'!' stands right before a token reference: '!<think>'",
        "/" => "GBNF has no regular expressions between slashes",
        "$" | "^" => "GBNF has no anchors: a rule matches the whole of its text",
        ")" => "there is no '(' for it",
        "]" => "there is no '[' for it",
        "}" => "there is no '{' for it",
        _ if found.starts_with('@') => "the words with '@' are '@members', '@unique' and '@all'",
        _ => return None,
    })
}
