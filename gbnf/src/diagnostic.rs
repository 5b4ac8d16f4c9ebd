//! What is wrong with a grammar, and where.

use std::fmt;

use crate::line_index::{LineIndex, Position};
use crate::span::Span;

/// What kind of mistake a [`Diagnostic`] reports. The code of a kind never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Code {
    /// `G001`: the text breaks the notation.
    Syntax,
    /// `G002`: the text is not UTF-8.
    NotUtf8,
    /// `G003`: a name that no rule defines.
    UndefinedRule,
    /// `G004`: a range of characters from a greater to a smaller one.
    ReversedRange,
    /// `G005`: a repetition whose minimum is above its maximum.
    ReversedCount,
    /// `G006`: a class without characters.
    EmptyClass,
    /// `G007`: an escape for a code point that is no character.
    NoCharacter,
    /// `G008`: an escape that does not exist or lacks digits.
    BadEscape,
    /// `G009`: a literal, class, group or token reference without its end.
    Unterminated,
    /// `G010`: a limit is exceeded; the message names it and the value.
    Limit,
    /// `G011`: the start rule is not defined.
    MissingStart,
    /// `G012`: no text matches the grammar.
    MatchesNothing,
    /// `G013`: keys of `@members` that break its rules.
    BadMembers,
    /// `G014`: a token reference that is not one token of the vocabulary.
    UnknownToken,
    /// `G015`: items of `@unique` that break its rules.
    BadItem,
    /// `G016`: parts of `@all` that break its rules.
    BadConjunction,
    /// `G020`: llama.cpp does not have this.
    NotInDialect,
    /// `G021`: llama.cpp refuses left recursion.
    LeftRecursion,
    /// `G022`: llama.cpp never returns from this.
    Hangs,
    /// `G101`: a rule is defined again.
    DuplicateRule,
    /// `G102`: a rule that the start rule does not lead to.
    UnreachableRule,
    /// `G103`: an alternative that no finite text matches.
    NeverFinishes,
    /// `G104`: any amount of whitespace: a model may go on writing it.
    UnboundedWhitespace,
}

impl Code {
    /// The code as users see it: `G003`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Syntax => "G001",
            Self::NotUtf8 => "G002",
            Self::UndefinedRule => "G003",
            Self::ReversedRange => "G004",
            Self::ReversedCount => "G005",
            Self::EmptyClass => "G006",
            Self::NoCharacter => "G007",
            Self::BadEscape => "G008",
            Self::Unterminated => "G009",
            Self::Limit => "G010",
            Self::MissingStart => "G011",
            Self::MatchesNothing => "G012",
            Self::BadMembers => "G013",
            Self::UnknownToken => "G014",
            Self::BadItem => "G015",
            Self::BadConjunction => "G016",
            Self::NotInDialect => "G020",
            Self::LeftRecursion => "G021",
            Self::Hangs => "G022",
            Self::DuplicateRule => "G101",
            Self::UnreachableRule => "G102",
            Self::NeverFinishes => "G103",
            Self::UnboundedWhitespace => "G104",
        }
    }

    /// Whether a grammar with this mistake can still be used.
    pub fn severity(self) -> Severity {
        match self {
            Self::DuplicateRule
            | Self::UnreachableRule
            | Self::NeverFinishes
            | Self::UnboundedWhitespace => Severity::Warning,
            _ => Severity::Error,
        }
    }
}

/// How bad a [`Diagnostic`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The grammar cannot be used.
    Error,
    /// The grammar can be used but is probably not what was meant.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

/// One mistake in a grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of mistake.
    pub code: Code,
    /// How bad.
    pub severity: Severity,
    /// One line, lower case, without a dot at the end.
    pub message: String,
    /// The place.
    pub span: Span,
    /// What to do about it.
    pub help: Option<String>,
    /// Other places that matter, each with what it is.
    pub related: Vec<(Span, String)>,
}

impl Diagnostic {
    /// A diagnostic with the severity that goes with its code.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        let (severity, message) = (code.severity(), message.into());
        Self { code, severity, message, span, help: None, related: Vec::new() }
    }

    /// Adds a hint.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn with_related(mut self, span: Span, what: impl Into<String>) -> Self {
        self.related.push((span, what.into()));
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]: {}", self.severity, self.code.as_str(), self.message)
    }
}

/// The mistakes of one grammar text, in the order of the text, with their lines and columns.
///
/// Holds at most [`Diagnostics::MAX`]; [`Diagnostics::omitted`] says how many more were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    items: Vec<(Position, Diagnostic)>,
    omitted: usize,
}

impl Diagnostics {
    /// How many mistakes are kept.
    pub const MAX: usize = 100;

    /// Orders `diagnostics` by place in `source`, and computes their lines and columns.
    /// Errors are kept before warnings where there are too many.
    ///
    /// ```
    /// use grammask_gbnf::{Diagnostics, Grammar};
    ///
    /// let text = "root ::= \"a\"\nother ::= \"b\"";
    /// let lints = Diagnostics::new(text, Grammar::parse(text)?.check("root"));
    /// assert_eq!(lints.to_string(), "2:1: warning[G102]: rule 'other' is never used");
    /// # Ok::<(), Diagnostics>(())
    /// ```
    pub fn new(source: &str, mut diagnostics: Vec<Diagnostic>) -> Self {
        let omitted = diagnostics.len().saturating_sub(Self::MAX);
        diagnostics.sort_by_key(|diagnostic| (diagnostic.severity, diagnostic.span.start));
        diagnostics.truncate(Self::MAX);
        diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
        let index = LineIndex::new(source);
        let items = diagnostics
            .into_iter()
            .map(|diagnostic| (index.position(diagnostic.span.start), diagnostic))
            .collect();
        Self { items, omitted }
    }

    /// The mistakes in the order of the text.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Diagnostic> {
        self.items.iter().map(|(_, diagnostic)| diagnostic)
    }

    /// The mistakes with their lines and columns.
    pub fn with_positions(&self) -> impl ExactSizeIterator<Item = (Position, &Diagnostic)> {
        self.items.iter().map(|(position, diagnostic)| (*position, diagnostic))
    }

    /// How many are held.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// How many more were found than are held.
    pub fn omitted(&self) -> usize {
        self.omitted
    }

    /// Whether one of them is an error.
    pub fn has_errors(&self) -> bool {
        self.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::iter::Map<
        std::vec::IntoIter<(Position, Diagnostic)>,
        fn((Position, Diagnostic)) -> Diagnostic,
    >;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter().map(|(_, diagnostic)| diagnostic)
    }
}

/// One line a diagnostic: `2:5: error[G003]: undefined rule 'itme'`.
impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (position, diagnostic)) in self.items.iter().enumerate() {
            let line_end = if at == 0 { "" } else { "\n" };
            write!(f, "{line_end}{position}: {diagnostic}")?;
        }
        if self.omitted > 0 {
            write!(f, "\nand {} more", self.omitted)?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_are_counted_and_errors_stay() {
        let warning = Diagnostic::new(Code::DuplicateRule, Span::new(0, 1), "w");
        let error = Diagnostic::new(Code::Syntax, Span::new(2, 3), "e");
        let mut all = vec![warning; Diagnostics::MAX + 5];
        all.push(error);
        let kept = Diagnostics::new("abc", all);
        assert_eq!((kept.len(), kept.omitted()), (Diagnostics::MAX, 6));
        assert!(kept.has_errors());
        assert!(kept.to_string().ends_with("1:3: error[G001]: e\nand 6 more"));
    }
}
