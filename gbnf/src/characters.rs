//! Literals and classes from their source text: escapes and ranges.

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Dialect;
use crate::grammar::{CharClass, Expr, ExprKind, next_char, previous_char};
use crate::span::Span;

/// The literal whose text between the quotes is `source`, at byte `base`.
pub(crate) fn literal(
    source: &str,
    base: usize,
    dialect: Dialect,
    faults: &mut Vec<Diagnostic>,
) -> ExprKind {
    let mut text = String::with_capacity(source.len());
    let mut matches_nothing = false;
    let mut at = 0;
    while let Some(length) = source[at..].find('\\') {
        text.push_str(&source[at..at + length]);
        at += length;
        match code_point(source, &mut at, base) {
            Ok((value, span)) => match char::from_u32(value) {
                Some(character) => text.push(character),
                None if dialect == Dialect::LlamaCpp => matches_nothing = true,
                None => faults.push(no_character(value, span)),
            },
            Err(fault) => faults.push(fault),
        }
    }
    text.push_str(&source[at..]);
    if matches_nothing {
        return ExprKind::Class(CharClass::nothing());
    }
    ExprKind::Literal(text.into())
}

/// The class whose text between the brackets is `source`, at byte `base`.
pub(crate) fn class(
    source: &str,
    base: usize,
    dialect: Dialect,
    faults: &mut Vec<Diagnostic>,
) -> ExprKind {
    let negated = source.starts_with('^');
    let mut at = usize::from(negated);
    if at == source.len() {
        if dialect == Dialect::Grammask {
            faults.push(empty_class(negated, Span::new(base - 1, base + source.len() + 1)));
        }
        // llama.cpp: no element, so the empty text.
        return Expr::empty().kind;
    }
    let mut ranges = Vec::new();
    while at < source.len() {
        let range = match range(source, &mut at, base) {
            Ok(range) => range,
            Err(fault) => {
                faults.push(fault);
                continue;
            }
        };
        let [(low, low_span), (high, high_span)] = range;
        match dialect {
            Dialect::LlamaCpp => ranges.extend(characters_between(low, high)),
            Dialect::Grammask => match (char::from_u32(low), char::from_u32(high)) {
                (Some(low), Some(high)) if low <= high => ranges.push((low, high)),
                (Some(_), Some(_)) => {
                    let span = Span::new(low_span.start, high_span.end);
                    let [low, high] = [low_span, high_span]
                        .map(|span| &source[span.start - base..span.end - base]);
                    let fault = format!("reversed range '{low}-{high}'");
                    faults
                        .push(Diagnostic::new(Code::ReversedRange, span, fault).with_help(
                            format!("it matches nothing; did you mean '{high}-{low}'?"),
                        ));
                }
                (None, _) => faults.push(no_character(low, low_span)),
                (_, None) => faults.push(no_character(high, high_span)),
            },
        }
    }
    match (ranges.is_empty(), negated) {
        (true, true) => ExprKind::Any,
        (true, false) => ExprKind::Class(CharClass::nothing()),
        (false, negated) => ExprKind::Class(CharClass { negated, ranges }),
    }
}

type CodePoint = (u32, Span);

/// A range, or a single code point as a range; a `-` at the end is a code point.
fn range(source: &str, at: &mut usize, base: usize) -> Result<[CodePoint; 2], Diagnostic> {
    let low = code_point(source, at, base)?;
    let rest = &source.as_bytes()[*at..];
    if rest.len() > 1 && rest[0] == b'-' {
        *at += 1;
        Ok([low, code_point(source, at, base)?])
    } else {
        Ok([low, low])
    }
}

/// One code point at byte `at`, which moves past it, also after a fault.
fn code_point(source: &str, at: &mut usize, base: usize) -> Result<CodePoint, Diagnostic> {
    let start = *at;
    let mut characters = source[start..].chars();
    let character = characters.next().unwrap_or_default();
    *at += character.len_utf8();
    let mut value = character as u32;
    if character == '\\' {
        let kind = characters.next().unwrap_or_default();
        *at = source.len().min(*at + kind.len_utf8());
        let digits = match kind {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        value = match kind {
            't' => u32::from(b'\t'),
            'r' => u32::from(b'\r'),
            'n' => u32::from(b'\n'),
            '\\' | '"' | '[' | ']' | '-' => kind as u32,
            'x' | 'u' | 'U' => {
                let found = source.as_bytes()[*at..]
                    .iter()
                    .take(digits)
                    .take_while(|byte| byte.is_ascii_hexdigit())
                    .count();
                let hex = &source[*at..*at + found];
                *at += found;
                if found < digits {
                    let span = Span::new(base + start, base + *at);
                    let fault = format!("'\\{kind}' needs {digits} hexadecimal digits");
                    return Err(Diagnostic::new(Code::BadEscape, span, fault));
                }
                u32::from_str_radix(hex, 16).unwrap_or(u32::MAX)
            }
            _ => return Err(unknown_escape(kind, Span::new(base + start, base + *at))),
        };
    }
    Ok((value, Span::new(base + start, base + *at)))
}

fn unknown_escape(kind: char, span: Span) -> Diagnostic {
    let help = match kind {
        '\'' | '/' | '^' | '.' => format!("write '\\x{:02X}'", kind as u32),
        '0' => "write '\\x00'".to_owned(),
        'a' => "write '\\x07'".to_owned(),
        'b' => "write '\\x08'".to_owned(),
        'v' => "write '\\x0B'".to_owned(),
        'f' => "write '\\x0C'".to_owned(),
        'd' => "write the class '[0-9]'".to_owned(),
        'w' => "write the class '[0-9A-Za-z_]'".to_owned(),
        's' => "write the class '[ \\t\\r\\n]'".to_owned(),
        _ => r#"the escapes are \t \r \n \\ \" \[ \] \- \x41 \u0041 \U00000041"#.to_owned(),
    };
    let shown = if kind.is_control() { kind.escape_debug().to_string() } else { kind.to_string() };
    Diagnostic::new(Code::BadEscape, span, format!("unknown escape '\\{shown}'")).with_help(help)
}

fn no_character(value: u32, span: Span) -> Diagnostic {
    let what = if value > u32::from(char::MAX) { "is beyond U+10FFFF" } else { "is a surrogate" };
    let fault = format!("the escape is no character: U+{value:04X} {what}");
    let diagnostic = Diagnostic::new(Code::NoCharacter, span, fault);
    if value > u32::from(char::MAX) {
        return diagnostic;
    }
    diagnostic.with_help("write the character itself, or '\\U' with its eight digits")
}

fn empty_class(negated: bool, span: Span) -> Diagnostic {
    let help = if negated {
        "write '.' for any character, '[\\x5E]' for a circumflex"
    } else {
        "write '\"\"' for the empty text, '[\\[\\]]' for brackets"
    };
    Diagnostic::new(Code::EmptyClass, span, "empty class").with_help(help)
}

/// What is left of a range of llama.cpp's, whose ends may be any 32-bit numbers.
fn characters_between(low: u32, high: u32) -> Option<(char, char)> {
    let low = match char::from_u32(low) {
        Some(low) => low,
        None if low > u32::from(char::MAX) => return None,
        None => next_char('\u{D7FF}')?,
    };
    let high = match char::from_u32(high) {
        Some(high) => high,
        None if high > u32::from(char::MAX) => char::MAX,
        None => previous_char('\u{E000}')?,
    };
    (low <= high).then_some((low, high))
}
