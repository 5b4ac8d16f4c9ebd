//! Cuts a grammar text into rules, by a linear scan that knows literals, classes, token
//! references, comments and brackets.

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Dialect;
use crate::span::Span;

/// How deep parentheses may nest. The parser recurses, so this must be known before it runs.
pub(crate) const MAX_DEPTH: usize = 1_000;

/// One rule's text, `start..end`, blanks and comments before it left out.
pub(crate) struct Piece {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// A fault with which the parser need not be asked, or must not.
    pub(crate) fault: Option<Diagnostic>,
}

/// The next rule of `text` (which may be a beginning of the whole text) from byte `from`.
pub(crate) fn next_piece(text: &str, from: usize, dialect: Dialect) -> Option<Piece> {
    let bytes = text.as_bytes();
    let start = skip_blanks(bytes, from);
    if start == bytes.len() {
        return None;
    }
    let mut at = start;
    let mut open = Vec::new();
    let mut depth = 0_usize;
    let mut too_deep = None;
    // Right after `::=` or `|`, where a line end does not finish the rule.
    let mut unfinished = false;
    let fault = loop {
        let Some(&byte) = bytes.get(at) else { break None };
        let was_unfinished = std::mem::replace(&mut unfinished, false);
        match byte {
            b' ' | b'\t' => {
                unfinished = was_unfinished;
                at += 1;
            }
            b'#' => {
                unfinished = was_unfinished;
                at = skip_comment(bytes, at);
            }
            b'\n' | b'\r' if depth > 0 || was_unfinished => {
                unfinished = was_unfinished;
                at += 1;
            }
            b'\n' | b'\r' => {
                let next = skip_blanks(bytes, at);
                if dialect == Dialect::Grammask && bytes.get(next) == Some(&b'|') {
                    at = next;
                } else {
                    break None;
                }
            }
            b'"' => match skip_escaped(bytes, at + 1, b'"') {
                Some(next) => at = next,
                None => break Some(unterminated(at, "literal", "'\"'")),
            },
            b'[' => match skip_escaped(bytes, at + 1, b']') {
                Some(next) => at = next,
                None => break Some(unterminated(at, "class", "']'")),
            },
            b'<' => match bytes[at..].iter().position(|&byte| byte == b'>') {
                Some(length) => at += length + 1,
                None => break Some(unterminated(at, "token reference", "'>'")),
            },
            b'(' => {
                depth += 1;
                if depth <= MAX_DEPTH {
                    open.push(at);
                } else if too_deep.is_none() {
                    too_deep = Some(at);
                }
                at += 1;
            }
            b')' => {
                depth = depth.saturating_sub(1);
                open.truncate(depth);
                at += 1;
            }
            b'|' => {
                unfinished = true;
                at += 1;
            }
            b':' if bytes[at..].starts_with(b"::=") => {
                unfinished = true;
                at += 3;
            }
            _ => at += 1,
        }
    };
    let end = if fault.is_some() { bytes.len() } else { at };
    let fault = too_deep.map(nested_too_deep).or(fault).or_else(|| {
        let &start = open.last().filter(|_| depth > 0)?;
        Some(unterminated(start, "group", "')'"))
    });
    Some(Piece { start, end, fault })
}

/// The next line after byte `from` that looks like `name ::=`, wherever it stands: the place to go
/// on after a fault.
pub(crate) fn next_definition(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        at += bytes[at..].iter().position(|&byte| byte == b'\n' || byte == b'\r')? + 1;
        let name = at + count(&bytes[at..], |byte| byte == b' ' || byte == b'\t');
        let name_end = name + count(&bytes[name..], is_name_byte);
        let blanks = count(&bytes[name_end..], |byte| byte == b' ' || byte == b'\t');
        if name_end > name && bytes[name_end + blanks..].starts_with(b"::=") {
            return Some(name);
        }
        at = name_end;
    }
}

/// The name that the text at byte `start` defines, if it looks like `name ::=`.
pub(crate) fn defined_name(text: &str, start: usize) -> Option<&str> {
    let rest = &text[start..];
    let (name, body) = rest.split_at(count(rest.as_bytes(), is_name_byte));
    let defines = body.trim_start_matches([' ', '\t']).starts_with("::=");
    (defines && !name.is_empty()).then_some(name)
}

/// Whether `byte` may stand in a name.
pub(crate) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

fn count(bytes: &[u8], fits: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|&&byte| fits(byte)).count()
}

/// Past blanks, line ends and comments.
fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            b'#' => at = skip_comment(bytes, at),
            _ => break,
        }
    }
    at
}

fn skip_comment(bytes: &[u8], at: usize) -> usize {
    at + count(&bytes[at..], |byte| byte != b'\r' && byte != b'\n')
}

/// Past the next `close` that no backslash precedes.
fn skip_escaped(bytes: &[u8], mut at: usize, close: u8) -> Option<usize> {
    loop {
        at += bytes.get(at..)?.iter().position(|&byte| byte == close || byte == b'\\')?;
        if bytes[at] == close {
            return Some(at + 1);
        }
        // A backslash with the first byte of what it escapes; the rest of a longer character is
        // neither.
        at += 2;
    }
}

fn unterminated(at: usize, what: &str, end: &str) -> Diagnostic {
    Diagnostic::new(Code::Unterminated, Span::new(at, at + 1), format!("unterminated {what}"))
        .with_help(format!("nothing closes it: {end} is missing"))
}

fn nested_too_deep(at: usize) -> Diagnostic {
    let message = format!("parentheses nest deeper than {MAX_DEPTH}");
    Diagnostic::new(Code::Limit, Span::new(at, at + 1), message)
}
