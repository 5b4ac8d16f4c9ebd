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
    /// How deep its parentheses nest.
    pub(crate) depth: usize,
    /// A fault with which the parser need not be asked, or must not.
    pub(crate) fault: Option<Diagnostic>,
    /// Whether something in it swallows a line like `name ::=`; see [`Cut::suspicious`].
    pub(crate) suspicious: bool,
}

/// How to cut.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    pub(crate) dialect: Dialect,
    /// Whether a literal, class or token reference that swallows a line like `name ::=` is taken
    /// for one whose end was forgotten. Right more often than not, but only where there is a
    /// mistake anyway.
    pub(crate) suspicious: bool,
}

/// The next rule of `text` (which may be a beginning of the whole text) from byte `from`.
pub(crate) fn next_piece(text: &str, from: usize, cut: Cut) -> Option<Piece> {
    let bytes = text.as_bytes();
    let start = skip_blanks(bytes, from);
    if start == bytes.len() {
        return None;
    }
    let mut at = start;
    let mut open = Vec::new();
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut too_deep = None;
    let mut suspicious = false;
    // Past the last byte that is neither blank nor comment.
    let mut end = start;
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
                if cut.dialect == Dialect::Grammask && bytes.get(next) == Some(&b'|') {
                    at = next;
                } else {
                    break None;
                }
            }
            b'"' | b'[' | b'<' => {
                let (next, what, end) = match byte {
                    b'"' => (skip_escaped(bytes, at + 1, b'"'), "literal", "'\"'"),
                    b'[' => (skip_escaped(bytes, at + 1, b']'), "class", "']'"),
                    _ => (skip_token(bytes, at), "token reference", "'>'"),
                };
                let swallows = |next| next_definition(&text[..next], at).is_some();
                let suspect = next.is_some_and(swallows);
                suspicious |= suspect;
                match next.filter(|_| !(cut.suspicious && suspect)) {
                    Some(next) => at = next,
                    None => break Some(unterminated(at, what, end)),
                }
            }
            b'(' => {
                depth += 1;
                deepest = deepest.max(depth);
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
        if !matches!(byte, b' ' | b'\t' | b'#' | b'\n' | b'\r') {
            end = at;
        }
    };
    if fault.is_some() {
        end = bytes.len();
    }
    let fault = too_deep.map(nested_too_deep).or(fault).or_else(|| {
        let &start = open.last().filter(|_| depth > 0)?;
        Some(unterminated(start, "group", "')'"))
    });
    Some(Piece { start, end, depth: deepest, fault, suspicious })
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

/// The name with which the text begins; empty if it begins with something else.
pub(crate) fn leading_name(text: &str) -> &str {
    &text[..count(text.as_bytes(), is_name_byte)]
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

fn skip_token(bytes: &[u8], mut at: usize) -> Option<usize> {
    // A text in quotes may have any character.
    if bytes[at..].starts_with(b"<[\"") {
        at = skip_escaped(bytes, at + 3, b'"')?;
    }
    bytes[at..].iter().position(|&byte| byte == b'>').map(|length| at + length + 1)
}

fn unterminated(at: usize, what: &str, end: &str) -> Diagnostic {
    Diagnostic::new(Code::Unterminated, Span::new(at, at + 1), format!("unterminated {what}"))
        .with_help(format!("nothing closes it: {end} is missing"))
}

fn nested_too_deep(at: usize) -> Diagnostic {
    let message = format!("parentheses nest deeper than {MAX_DEPTH}");
    Diagnostic::new(Code::Limit, Span::new(at, at + 1), message)
}
