//! The tree of a grammar: what the parser reads, the JSON Schema translator writes, the printer
//! prints and the compiler compiles.

use std::borrow::Cow;
use std::sync::Arc;

use crate::span::Span;

/// A grammar: named rules in source order.
///
/// A name may be defined twice; the last definition counts, as in llama.cpp (the checker warns).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Grammar {
    /// The rules, in source order.
    pub rules: Vec<Rule>,
}

/// A rule `name ::= body`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    /// The name: one or more of `A-Z a-z 0-9 - _`.
    pub name: String,
    /// Where the name stands.
    pub name_span: Span,
    /// The right-hand side, which grammars share that have it in common.
    pub body: Arc<Expr>,
}

/// An expression with its place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands; the default span in a tree that was not parsed.
    pub span: Span,
}

/// The forms of an expression.
///
/// The canonical shape, which the parser yields and which `parse(print(g)) == g` needs:
/// a group is no node of its own (`("a")` is the literal); a sequence or choice never has exactly
/// one item; a choice has at least two; the empty sequence is `()` (also an empty alternative).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ExprKind {
    /// `"text"`: these code points; the empty literal `""` matches the empty text.
    Literal(Cow<'static, str>),
    /// `[a-z]`, `[^"]`: one code point.
    Class(CharClass),
    /// `.`: any one code point, line ends included.
    Any,
    /// A rule's name.
    Reference(Cow<'static, str>),
    /// `<[7]>`, `<think>`, `!<[7]>`: one token of the vocabulary.
    Token(TokenReference),
    /// One after the other; empty: the empty text.
    Sequence(Vec<Expr>),
    /// One of them.
    Choice(Vec<Expr>),
    /// `x*`, `x+`, `x?`, `x{m,n}`: at least `min`, at most `max` times.
    Repeat {
        /// What is repeated.
        item: Box<Expr>,
        /// Least number of times.
        min: u32,
        /// Greatest number of times; `None`: unbounded.
        max: Option<u32>,
    },
    /// `@members(...)`: members in any order, each key at most once (extension).
    Members(Box<Members>),
    /// `@unique(...)`: a list of items of which no two are equal (extension).
    Unique(Box<Unique>),
    /// `@all(...)`: what several regular expressions match (extension).
    All(Box<All>),
}

/// A set of code points, as written.
///
/// A class that matches nothing is always written as the negation of everything:
/// see [`CharClass::nothing`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CharClass {
    /// Whether the ranges are what is *not* matched.
    pub negated: bool,
    /// Inclusive ranges in source order, each with start <= end; may overlap; not empty.
    pub ranges: Vec<(char, char)>,
}

impl CharClass {
    /// The class that matches no code point: `[^\x00-\U0010FFFF]`.
    pub fn nothing() -> Self {
        Self { negated: true, ranges: vec![('\0', char::MAX)] }
    }

    /// The matched code points as sorted, disjoint, non-adjacent inclusive ranges.
    /// Surrogates never occur.
    pub fn matched(&self) -> Vec<(char, char)> {
        // Most are written that way.
        let is_apart =
            |pair: &[(char, char)]| next_char(pair[0].1).is_some_and(|next| next < pair[1].0);
        if !self.negated && self.ranges.windows(2).all(is_apart) {
            return self.ranges.clone();
        }
        let mut ranges = self.ranges.clone();
        ranges.sort_unstable();
        let mut merged: Vec<(char, char)> = Vec::new();
        for (lo, hi) in ranges {
            match merged.last_mut() {
                Some(last) if next_char(last.1).is_none_or(|next| lo <= next) => {
                    last.1 = last.1.max(hi);
                }
                _ => merged.push((lo, hi)),
            }
        }
        if !self.negated {
            return merged;
        }
        let mut rest = Vec::new();
        let mut from = Some('\0');
        for (lo, hi) in merged {
            if let (Some(start), Some(end)) = (from, previous_char(lo))
                && start <= end
            {
                rest.push((start, end));
            }
            from = next_char(hi);
        }
        if let Some(start) = from {
            rest.push((start, char::MAX));
        }
        rest
    }
}

/// The code point after `c`, surrogates skipped; `None` after U+10FFFF.
pub(crate) fn next_char(c: char) -> Option<char> {
    match c {
        '\u{D7FF}' => Some('\u{E000}'),
        c => char::from_u32(c as u32 + 1),
    }
}

/// The code point before `c`, surrogates skipped; `None` before U+0000.
pub(crate) fn previous_char(c: char) -> Option<char> {
    match c {
        '\u{E000}' => Some('\u{D7FF}'),
        c => char::from_u32((c as u32).checked_sub(1)?),
    }
}

/// A reference to a token of the vocabulary.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TokenReference {
    /// `!<...>`: any one token but this one (and no end-of-generation token).
    pub negated: bool,
    /// Which token.
    pub token: TokenName,
}

/// How a grammar names a token.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TokenName {
    /// `<[7]>`: by id.
    Id(u32),
    /// By its text: `<think>`, angle brackets included; any other text as `<["[TOOL_CALLS]"]>`.
    Text(String),
}

/// `@members(SEP){min,max}( KEY => VALUE ; KEY ?=> VALUE ; KEY *=> VALUE ; KEY !=> )`.
///
/// Members `key value` in any order with the separator between two of them. No key text occurs
/// twice. What a [`Repetition::Many`] key matches is less whatever the other three kinds match
/// literally: a declared or forbidden key is never taken for an undeclared one. Where a key matches
/// several of the [`Repetition::Many`] entries, any of them may take it: a text matches if its
/// members can be shared out so that all counts are right.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Members {
    /// The members; the order carries no meaning.
    pub members: Vec<Member>,
    /// What stands between two members.
    pub separator: Expr,
    /// Least number of members.
    pub min: u32,
    /// Greatest number of members; `None`: unbounded.
    pub max: Option<u32>,
}

/// One entry of [`Members`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    /// The key as it is spelled, quotes included: a non-empty literal, or for
    /// [`Repetition::Many`] any regular expression that does not match the empty text.
    pub key: Expr,
    /// How often it may occur.
    pub repetition: Repetition,
    /// What follows the key; the empty sequence for [`Repetition::Never`].
    pub value: Expr,
}

/// How often a member of [`Members`] may occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Repetition {
    /// `=>`: exactly once.
    Required,
    /// `?=>`: at most once.
    Optional,
    /// `*=>`, `*=>{m,n}`: between `min` and `max` times, with a different key text each time.
    Many {
        /// Least number of times. If it is not 0, the key must have infinitely many matches.
        min: u32,
        /// Greatest number of times; `None`: unbounded.
        max: Option<u32>,
    },
    /// `!=>`: never; takes the key away from the [`Repetition::Many`] members.
    Never,
}

/// `@unique(SEP){min,max}( ITEM ; ITEM ; ITEM* )`.
///
/// Items in order with the separator between two of them, no two of them equal. Two items are equal
/// if their texts are, where
///
/// - blanks (space, tab, CR, LF) outside of strings do not count; a string goes from a double quote
///   to the next one that no backslash escapes;
/// - the order of the parts that commas separate between a `{` and its `}` does not count, nor does
///   it in such parts. (Strings are one character here. A comma between other brackets separates no
///   parts.) In an item in which `{}` and `[]` do not match, it does count.
///
/// So items that are JSON values are told apart by their values, as long as strings and numbers are
/// spelled in one way.
///
/// ```
/// use grammask_gbnf::{Automaton, Matcher, parse};
///
/// let grammar = parse(r#"root ::= "[" @unique(";"){1,3}( ([{}a-z, ]+)* ) "]""#)?;
/// let mut matcher = Matcher::new(&Automaton::compile(&grammar, "root")?);
/// matcher.advance(b"[{a,b};{b, a}")?;
/// assert!(matcher.advance(b"]").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Unique {
    /// The first items, each by itself. None of them is `x*`, which would be [`Unique::rest`], nor
    /// matches the empty text.
    pub first: Vec<Expr>,
    /// Any further item; `None`: there is none. Does not match the empty text.
    pub rest: Option<Expr>,
    /// What stands between two items.
    pub separator: Expr,
    /// Least number of items.
    pub min: u32,
    /// Greatest number of items; `None`: unbounded.
    pub max: Option<u32>,
}

/// The texts that all of some regular expressions match and none of some others (extension).
///
/// Each may use rules, but no token references, no members, no lists of unique items, and no rules
/// that recurse elsewhere than at their ends.
///
/// ```
/// use grammask_gbnf::{Automaton, Matcher, parse};
///
/// let grammar = parse(r#"root ::= @all( [a-z]+; .{3}; !"not" )"#)?;
/// let mut matcher = Matcher::new(&Automaton::compile(&grammar, "root")?);
/// assert!(matcher.clone().advance(b"not").is_err());
/// matcher.advance(b"now")?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct All {
    /// What must match; not empty.
    pub all: Vec<Expr>,
    /// What must not.
    pub none: Vec<Expr>,
}

impl Repetition {
    /// `*=>`: any number of times.
    pub const MANY: Self = Self::Many { min: 0, max: None };

    /// Whether it is `*=>`, with whatever bounds.
    pub fn is_many(self) -> bool {
        matches!(self, Self::Many { .. })
    }

    /// Least number of times.
    pub fn min(self) -> u32 {
        match self {
            Self::Required => 1,
            Self::Optional | Self::Never => 0,
            Self::Many { min, .. } => min,
        }
    }

    /// Greatest number of times; `None`: unbounded.
    pub fn max(self) -> Option<u32> {
        match self {
            Self::Required | Self::Optional => Some(1),
            Self::Never => Some(0),
            Self::Many { max, .. } => max,
        }
    }
}

impl Expr {
    /// An expression without a place.
    pub fn new(kind: ExprKind) -> Self {
        Self { kind, span: Span::default() }
    }

    /// `"text"`.
    pub fn literal(text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ExprKind::Literal(text.into()))
    }

    /// A reference to the rule `name`.
    pub fn reference(name: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ExprKind::Reference(name.into()))
    }

    /// The empty text.
    pub fn empty() -> Self {
        Self::new(ExprKind::Sequence(Vec::new()))
    }

    /// What matches nothing.
    pub fn nothing() -> Self {
        Self::new(ExprKind::Class(CharClass::nothing()))
    }

    /// A class of the given inclusive ranges.
    pub fn class(ranges: impl IntoIterator<Item = (char, char)>) -> Self {
        let ranges: Vec<_> = ranges.into_iter().collect();
        if ranges.is_empty() {
            return Self::nothing();
        }
        Self::new(ExprKind::Class(CharClass { negated: false, ranges }))
    }

    /// A class of everything but the given inclusive ranges.
    pub fn class_except(ranges: impl IntoIterator<Item = (char, char)>) -> Self {
        let ranges: Vec<_> = ranges.into_iter().collect();
        if ranges.is_empty() {
            return Self::new(ExprKind::Any);
        }
        Self::new(ExprKind::Class(CharClass { negated: true, ranges }))
    }

    /// One after the other, in canonical shape (a single item stands for itself).
    pub fn sequence(items: impl IntoIterator<Item = Self>) -> Self {
        let mut items: Vec<_> = items.into_iter().collect();
        if items.len() == 1 { items.remove(0) } else { Self::new(ExprKind::Sequence(items)) }
    }

    /// One of them, in canonical shape (a single item stands for itself; none matches nothing).
    pub fn choice(items: impl IntoIterator<Item = Self>) -> Self {
        let mut items: Vec<_> = items.into_iter().collect();
        match items.len() {
            0 => Self::nothing(),
            1 => items.remove(0),
            _ => Self::new(ExprKind::Choice(items)),
        }
    }

    /// What all of some expressions match and none of some others; at least one must match.
    pub fn all(all: impl IntoIterator<Item = Self>, none: impl IntoIterator<Item = Self>) -> Self {
        let (all, none) = (all.into_iter().collect(), none.into_iter().collect());
        Self::new(ExprKind::All(Box::new(All { all, none })))
    }

    /// At least `min` and at most `max` times.
    #[must_use]
    pub fn repeat(self, min: u32, max: Option<u32>) -> Self {
        Self::new(ExprKind::Repeat { item: Box::new(self), min, max })
    }

    /// `x?`.
    #[must_use]
    pub fn optional(self) -> Self {
        self.repeat(0, Some(1))
    }
}

impl Grammar {
    /// The body of the rule `name`: its last definition.
    pub fn rule(&self, name: &str) -> Option<&Rule> {
        self.rules.iter().rev().find(|rule| rule.name == name)
    }

    /// Adds the rule `name ::= body` at the end.
    pub fn add(&mut self, name: impl Into<String>, body: impl Into<Arc<Expr>>) {
        let (name, body) = (name.into(), body.into());
        self.rules.push(Rule { name, name_span: Span::default(), body });
    }
}
