//! Patterns of ECMA-262 to languages.
//!
//! A pattern is read as `new RegExp(pattern)` reads it, its web-compatible leniency (Annex B)
//! included, but over code points: `\u{..}` and `\p{..}` mean what they mean under the `u` flag,
//! and a surrogate that is no half of a pair matches nothing. Groups and the greed of quantifiers
//! do not matter for which texts match.

use super::escape::Escape;
use super::store::{LanguageId, Languages, TooLarge};

/// Why a pattern has no language, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} (at byte {offset} of the pattern)")]
pub(crate) struct PatternError {
    /// Bytes before the place.
    pub(crate) offset: usize,
    pub(crate) kind: PatternErrorKind,
}

impl From<TooLarge> for PatternError {
    fn from(error: TooLarge) -> Self {
        Self { offset: 0, kind: PatternErrorKind::TooLarge(error) }
    }
}

/// The kinds of [`PatternError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PatternErrorKind {
    #[error("the group is never closed: add `)`, or write `\\(` for the character")]
    UnclosedGroup,
    #[error("there is no group to close: write `\\)` for the character")]
    UnopenedGroup,
    #[error("`(?` must go on with `:`, `=`, `!` or `<name>`")]
    InvalidGroup,
    #[error("the name of a group is letters, digits, `_` and `$`, and ends with `>`")]
    InvalidGroupName,
    #[error("the class is never closed: add `]`, or write `\\[` for the character")]
    UnclosedClass,
    #[error("the range of the class is reversed: the lesser character comes first")]
    ReversedRange,
    #[error("there is nothing to repeat: write a backslash before it for the character")]
    NothingToRepeat,
    #[error("the counts are reversed: the lesser one comes first")]
    ReversedCounts,
    #[error("counts go up to {}", u32::MAX)]
    CountTooLarge,
    #[error("a backslash ends the pattern: write `\\\\` for the character")]
    TrailingBackslash,
    #[error("no code point is that large: the last one is `\\u{{10FFFF}}`")]
    InvalidCodePoint,
    #[error("no such property of Unicode characters")]
    UnknownProperty,
    #[error("a backreference is not regular: write out what it may repeat")]
    Backreference,
    #[error("look-behind is not supported: say it with what comes before, or with look-ahead")]
    LookBehind,
    #[error("inline flags are not supported: write both cases, `[aA]`")]
    InlineFlags,
    #[error("groups nest more than {MOST_NESTED} deep")]
    TooDeep,
    #[error(transparent)]
    TooLarge(TooLarge),
}

/// How deep groups may nest.
const MOST_NESTED: usize = 250;

pub(super) type Result<T> = std::result::Result<T, PatternError>;

impl Languages {
    /// The texts in which the pattern is found, be it only in a part of them.
    pub(crate) fn pattern(&mut self, pattern: &str) -> Result<LanguageId> {
        let mut parser =
            Parser { pattern, at: 0, depth: 0, groups: Groups::of(pattern), languages: self };
        let found = parser.disjunction()?;
        if parser.peek().is_some() {
            return Err(parser.error(PatternErrorKind::UnopenedGroup));
        }
        parser.build(|languages| languages.search(found))
    }
}

/// What an escape must know of the groups of a pattern: `\1` refers to one only if it exists.
#[derive(Debug, Default)]
pub(super) struct Groups {
    pub(super) capturing: u32,
    pub(super) named: bool,
}

impl Groups {
    fn of(pattern: &str) -> Self {
        let mut groups = Self::default();
        let mut in_class = false;
        let mut rest = pattern.chars();
        while let Some(c) = rest.next() {
            match c {
                '\\' => {
                    rest.next();
                }
                '[' => in_class = true,
                ']' => in_class = false,
                '(' if !in_class => {
                    let opened = rest.as_str();
                    let named = opened.starts_with("?<")
                        && !opened.starts_with("?<=")
                        && !opened.starts_with("?<!");
                    groups.named |= named;
                    groups.capturing += u32::from(named || !opened.starts_with('?'));
                }
                _ => {}
            }
        }
        groups
    }
}

/// Reads a pattern from left to right.
pub(super) struct Parser<'a> {
    pub(super) pattern: &'a str,
    pub(super) at: usize,
    depth: usize,
    pub(super) groups: Groups,
    languages: &'a mut Languages,
}

impl Parser<'_> {
    pub(super) fn rest(&self) -> &str {
        &self.pattern[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    /// An error at the place that is read next.
    pub(super) fn error(&self, kind: PatternErrorKind) -> PatternError {
        PatternError { offset: self.at, kind }
    }

    fn build<T>(
        &mut self,
        build: impl FnOnce(&mut Languages) -> std::result::Result<T, TooLarge>,
    ) -> Result<T> {
        build(self.languages).map_err(|error| self.error(PatternErrorKind::TooLarge(error)))
    }

    fn disjunction(&mut self) -> Result<LanguageId> {
        let mut alternatives = vec![self.alternative()?];
        while self.eat("|") {
            alternatives.push(self.alternative()?);
        }
        self.build(|languages| languages.alt(alternatives))
    }

    fn alternative(&mut self) -> Result<LanguageId> {
        let mut parts = Vec::new();
        while !matches!(self.peek(), None | Some('|' | ')')) {
            parts.push(self.term()?);
        }
        self.build(|languages| {
            parts
                .into_iter()
                .rev()
                .try_fold(LanguageId::EMPTY, |rest, part| languages.concat(part, rest))
        })
    }

    fn term(&mut self) -> Result<LanguageId> {
        if self.eat("^") {
            return self.build(Languages::start);
        }
        if self.eat("$") {
            return self.build(Languages::end);
        }
        for (escape, negated) in [("\\b", false), ("\\B", true)] {
            if self.eat(escape) {
                return self.build(|languages| languages.word_boundary(negated));
            }
        }
        let atom = self.atom()?;
        match self.quantifier()? {
            None => Ok(atom),
            Some((min, max)) => self.build(|languages| languages.repeat(atom, min, max)),
        }
    }

    fn atom(&mut self) -> Result<LanguageId> {
        let set = match self.peek() {
            Some('(') => return self.group(),
            Some('[') => self.class()?,
            Some('.') => {
                self.bump();
                super::escape::line_ends().complement()
            }
            Some('*' | '+' | '?') => return Err(self.error(PatternErrorKind::NothingToRepeat)),
            Some('{') if self.counts().is_some() => {
                return Err(self.error(PatternErrorKind::NothingToRepeat));
            }
            Some('\\') => self.atom_escape()?,
            _ => Escape::character(self.bump()).set(),
        };
        self.build(|languages| languages.class(set))
    }

    fn group(&mut self) -> Result<LanguageId> {
        let opening = self.at;
        let unclosed = PatternError { offset: opening, kind: PatternErrorKind::UnclosedGroup };
        self.eat("(");
        let mut ahead = None;
        if self.eat("?") {
            if self.eat("=") {
                ahead = Some(false);
            } else if self.eat("!") {
                ahead = Some(true);
            } else if self.eat("<") {
                if matches!(self.peek(), Some('=' | '!')) {
                    return Err(PatternError {
                        offset: opening,
                        kind: PatternErrorKind::LookBehind,
                    });
                }
                self.group_name()?;
            } else if !self.eat(":") {
                let kind = match self.peek() {
                    Some('i' | 'm' | 's' | '-') => PatternErrorKind::InlineFlags,
                    _ => PatternErrorKind::InvalidGroup,
                };
                return Err(PatternError { offset: opening, kind });
            }
        }
        if self.depth == MOST_NESTED {
            return Err(PatternError { offset: opening, kind: PatternErrorKind::TooDeep });
        }
        self.depth += 1;
        let inner = self.disjunction()?;
        self.depth -= 1;
        if !self.eat(")") {
            return Err(unclosed);
        }
        match ahead {
            None => Ok(inner),
            Some(negated) => self.build(|languages| languages.ahead(inner, negated)),
        }
    }

    fn group_name(&mut self) -> Result<()> {
        let start = self.at;
        while let Some(c) = self.peek() {
            if c == '>' && self.at > start {
                self.bump();
                return Ok(());
            }
            if !(c.is_alphanumeric() || c == '_' || c == '$') {
                break;
            }
            self.bump();
        }
        Err(self.error(PatternErrorKind::InvalidGroupName))
    }

    fn quantifier(&mut self) -> Result<Option<(u32, Option<u32>)>> {
        let counts = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                let Some((min, max, length)) = self.counts() else { return Ok(None) };
                let count = |digits: &str| {
                    digits.parse().map_err(|_| self.error(PatternErrorKind::CountTooLarge))
                };
                let min = count(min)?;
                let max = max.map(count).transpose()?;
                if max.is_some_and(|max| max < min) {
                    return Err(self.error(PatternErrorKind::ReversedCounts));
                }
                self.at += length;
                self.eat("?");
                return Ok(Some((min, max)));
            }
            _ => return Ok(None),
        };
        self.bump();
        self.eat("?");
        Ok(Some(counts))
    }

    /// The digits of `{m}`, `{m,}` or `{m,n}` and the length of it all; a brace that begins
    /// nothing of the kind stands for itself.
    fn counts(&self) -> Option<(&str, Option<&str>, usize)> {
        let inner = self.rest().strip_prefix('{')?;
        let (min, rest) = digits(inner)?;
        let (max, rest) = match rest.strip_prefix(',') {
            None => (Some(min), rest),
            Some(rest) => match digits(rest) {
                None => (None, rest),
                Some((max, rest)) => (Some(max), rest),
            },
        };
        let rest = rest.strip_prefix('}')?;
        Some((min, max, self.rest().len() - rest.len()))
    }
}

/// The digits that a text begins with, if it does, and the rest.
fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}
