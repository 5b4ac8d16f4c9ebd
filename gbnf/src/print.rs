//! A tree as GBNF text.
//!
//! What needs no extension prints as text that llama.cpp reads too, with two cares: an empty
//! alternative prints as `()`, because at the end of a line llama.cpp would take the next line for
//! it; and what llama.cpp does not let a quantifier follow stands in parentheses.

use std::fmt::{self, Write};

use crate::grammar::{
    CharClass, Expr, ExprKind, Grammar, Member, Repetition, Rule, TokenName, TokenReference,
};

/// One rule a line. Parsing the text gives the grammar again, if it is in the canonical shape that
/// [`ExprKind`] describes.
///
/// ```
/// use grammask_gbnf::{Expr, Grammar};
///
/// let mut grammar = Grammar::default();
/// grammar.add("root", Expr::choice([Expr::literal("\"é\"\n"), Expr::empty()]));
/// assert_eq!(grammar.to_string(), "root ::= \"\\\"é\\\"\\n\" | ()\n");
/// ```
impl fmt::Display for Grammar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rules.iter().try_for_each(|rule| writeln!(f, "{rule}"))
    }
}

/// `name ::= body`, without a line end.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ::= {}", self.name, self.body)
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut ahead = vec![Step::Expr(self, Place::Body)];
        while let Some(step) = ahead.pop() {
            match step {
                Step::Expr(expr, place) => print(f, expr, place, &mut ahead)?,
                Step::Text(text) => f.write_str(text)?,
                Step::Quantifier(min, max) => quantifier(f, min, max)?,
                Step::Bounds(min, max) => bounds(f, min, max)?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for CharClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.negated { "[^" } else { "[" })?;
        for &(low, high) in &self.ranges {
            class_character(f, low)?;
            if low != high {
                f.write_char('-')?;
                class_character(f, high)?;
            }
        }
        f.write_char(']')
    }
}

impl fmt::Display for TokenReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let not = if self.negated { "!" } else { "" };
        match &self.token {
            TokenName::Id(id) => write!(f, "{not}<[{id}]>"),
            TokenName::Text(text) if is_bare(text) => write!(f, "{not}{text}"),
            TokenName::Text(text) => {
                write!(f, "{not}<[")?;
                literal(f, text)?;
                f.write_str("]>")
            }
        }
    }
}

/// Whether the text of a token is its name as it is.
fn is_bare(text: &str) -> bool {
    let inside = text.strip_prefix('<').and_then(|text| text.strip_suffix('>'));
    inside.is_some_and(|inside| !inside.starts_with('[') && !inside.contains('>'))
}

/// What is still to be printed.
enum Step<'a> {
    Expr(&'a Expr, Place),
    Text(&'static str),
    Quantifier(u32, Option<u32>),
    Bounds(u32, Option<u32>),
}

/// What an expression is part of, which decides whether it needs parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// A body of its own.
    Body,
    Alternative,
    InSequence,
    Repeated,
}

/// Prints `expr` up to its parts, which go on the stack `ahead`, the first one on top.
fn print<'a>(
    f: &mut fmt::Formatter<'_>,
    expr: &'a Expr,
    place: Place,
    ahead: &mut Vec<Step<'a>>,
) -> fmt::Result {
    let in_parentheses = match &expr.kind {
        ExprKind::Choice(_) => place > Place::Body,
        ExprKind::Sequence(items) => !items.is_empty() && place > Place::Alternative,
        ExprKind::Repeat { .. } => place == Place::Repeated,
        ExprKind::Literal(text) => text.is_empty() && place == Place::Repeated,
        _ => false,
    };
    if in_parentheses {
        f.write_char('(')?;
        ahead.push(Step::Text(")"));
    }
    match &expr.kind {
        ExprKind::Literal(text) => literal(f, text)?,
        ExprKind::Class(class) => write!(f, "{class}")?,
        ExprKind::Any => f.write_char('.')?,
        ExprKind::Reference(name) => f.write_str(name)?,
        ExprKind::Token(token) => write!(f, "{token}")?,
        ExprKind::Sequence(items) if items.is_empty() => f.write_str("()")?,
        ExprKind::Sequence(items) => push_items(ahead, items, Place::InSequence, " "),
        ExprKind::Choice(items) => push_items(ahead, items, Place::Alternative, " | "),
        ExprKind::Repeat { item, min, max } => {
            ahead.push(Step::Quantifier(*min, *max));
            ahead.push(Step::Expr(item, Place::Repeated));
        }
        ExprKind::Members(members) => {
            f.write_str("@members(")?;
            ahead.push(Step::Text(")"));
            for (at, member) in members.members.iter().enumerate().rev() {
                push_member(ahead, member);
                ahead.push(Step::Text(if at == 0 { "" } else { "; " }));
            }
            ahead.push(Step::Text("("));
            if (members.min, members.max) != (0, None) {
                ahead.push(Step::Bounds(members.min, members.max));
            }
            ahead.push(Step::Text(")"));
            ahead.push(Step::Expr(&members.separator, Place::Body));
        }
        ExprKind::Unique(list) => {
            f.write_str("@unique(")?;
            ahead.push(Step::Text(")"));
            if let Some(rest) = &list.rest {
                ahead.push(Step::Quantifier(0, None));
                ahead.push(Step::Expr(rest, Place::Repeated));
                ahead.push(Step::Text(if list.first.is_empty() { "" } else { "; " }));
            }
            push_items(ahead, &list.first, Place::Body, "; ");
            ahead.push(Step::Text("("));
            if (list.min, list.max) != (0, None) {
                ahead.push(Step::Bounds(list.min, list.max));
            }
            ahead.push(Step::Text(")"));
            ahead.push(Step::Expr(&list.separator, Place::Body));
        }
        ExprKind::All(found) => {
            f.write_str("@all(")?;
            ahead.push(Step::Text(")"));
            for none in found.none.iter().rev() {
                ahead.push(Step::Text(")"));
                ahead.push(Step::Expr(none, Place::Body));
                ahead.push(Step::Text("; !("));
            }
            push_items(ahead, &found.all, Place::Body, "; ");
        }
    }
    Ok(())
}

fn push_items<'a>(
    ahead: &mut Vec<Step<'a>>,
    items: &'a [Expr],
    place: Place,
    between: &'static str,
) {
    for (at, item) in items.iter().enumerate().rev() {
        ahead.push(Step::Expr(item, place));
        if at > 0 {
            ahead.push(Step::Text(between));
        }
    }
}

fn push_member<'a>(ahead: &mut Vec<Step<'a>>, member: &'a Member) {
    let arrow = match member.repetition {
        Repetition::Required => " => ",
        Repetition::Optional => " ?=> ",
        Repetition::MANY => " *=> ",
        Repetition::Many { .. } => " *=>",
        Repetition::Never => " !=> ",
    };
    if member.repetition != Repetition::Never {
        ahead.push(Step::Expr(&member.value, Place::Body));
    }
    if let Repetition::Many { min, max } = member.repetition
        && member.repetition != Repetition::MANY
    {
        ahead.push(Step::Text(" "));
        ahead.push(Step::Bounds(min, max));
    }
    ahead.push(Step::Text(arrow));
    ahead.push(Step::Expr(&member.key, Place::Body));
}

fn quantifier(f: &mut fmt::Formatter<'_>, min: u32, max: Option<u32>) -> fmt::Result {
    match (min, max) {
        (0, None) => f.write_char('*'),
        (1, None) => f.write_char('+'),
        (0, Some(1)) => f.write_char('?'),
        (min, max) => bounds(f, min, max),
    }
}

fn bounds(f: &mut fmt::Formatter<'_>, min: u32, max: Option<u32>) -> fmt::Result {
    match max {
        None => write!(f, "{{{min},}}"),
        Some(max) if min == max => write!(f, "{{{min}}}"),
        Some(max) => write!(f, "{{{min},{max}}}"),
    }
}

fn literal(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    // Runs of ordinary characters in one go: a literal may be long.
    let mut rest = text;
    while let Some(at) = rest.find(|c| matches!(c, '"' | '\\') || needs_code_point(c)) {
        let (plain, special) = rest.split_at(at);
        f.write_str(plain)?;
        let mut characters = special.chars();
        match characters.next() {
            Some(c @ ('"' | '\\')) => write!(f, "\\{c}")?,
            Some(c) => code_point(f, c)?,
            None => {}
        }
        rest = characters.as_str();
    }
    f.write_str(rest)?;
    f.write_char('"')
}

fn class_character(f: &mut fmt::Formatter<'_>, c: char) -> fmt::Result {
    match c {
        '\\' | '[' | ']' | '-' => write!(f, "\\{c}"),
        // Only at the beginning it means something else, and there is no '\^'.
        '^' => f.write_str("\\x5E"),
        c if needs_code_point(c) => code_point(f, c),
        c => f.write_char(c),
    }
}

/// Whether `c` would not be seen, or would move what is around it.
fn needs_code_point(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    c.is_control()
        || c.is_whitespace()
        || matches!(
            c as u32,
            0xAD | 0x34F
                | 0x61C
                | 0x180E
                | 0x200B..=0x200F
                | 0x202A..=0x202E
                | 0x2060..=0x206F
                | 0xD7FC..=0xF8FF
                | 0xFE00..=0xFE0F
                | 0xFEFF
                | 0xFFF0..=0xFFFF
                | 0xE0000..
        )
}

fn code_point(f: &mut fmt::Formatter<'_>, c: char) -> fmt::Result {
    match (c, c as u32) {
        ('\t', _) => f.write_str("\\t"),
        ('\r', _) => f.write_str("\\r"),
        ('\n', _) => f.write_str("\\n"),
        (_, value @ ..=0xFF) => write!(f, "\\x{value:02X}"),
        (_, value @ ..=0xFFFF) => write!(f, "\\u{value:04X}"),
        (_, value) => write!(f, "\\U{value:08X}"),
    }
}
