//! What counts as GBNF.

use std::fmt;

/// Which texts are accepted, and what they mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// All of llama.cpp's notation, with extensions, and with mistakes refused that llama.cpp
    /// lets pass.
    #[default]
    Grammask,
    /// Accepts and refuses what llama.cpp accepts and refuses. What makes it hang or crash is
    /// refused.
    LlamaCpp,
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Grammask => "grammask",
            Self::LlamaCpp => "llama.cpp",
        })
    }
}

/// How to parse a grammar.
///
/// ```
/// use grammask_gbnf::{Dialect, ParseConfig};
///
/// let config = ParseConfig::new().dialect(Dialect::LlamaCpp).root("start");
/// assert!(config.parse("start ::= \"a\" | start \"b\"").is_err(), "left recursion");
/// ```
#[derive(Clone, Copy)]
pub struct ParseConfig<'a> {
    pub(crate) dialect: Dialect,
    pub(crate) root: &'a str,
    pub(crate) token_exists: Option<&'a dyn Fn(&str) -> bool>,
}

impl<'a> ParseConfig<'a> {
    /// The default: our dialect, start rule `root`, token references taken as they are.
    pub fn new() -> Self {
        Self { dialect: Dialect::default(), root: "root", token_exists: None }
    }

    /// Sets the dialect.
    #[must_use]
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// Sets the start rule. It matters to [`Dialect::LlamaCpp`] alone, which refuses a text
    /// without it; otherwise `Grammar::check` looks at the start rule.
    #[must_use]
    pub fn root(mut self, root: &'a str) -> Self {
        self.root = root;
        self
    }

    /// Refuses each reference `<text>` for which `exists`, called with the text including its
    /// angle brackets, is false: for grammars whose vocabulary is known.
    #[must_use]
    pub fn tokens(mut self, exists: &'a dyn Fn(&str) -> bool) -> Self {
        self.token_exists = Some(exists);
        self
    }
}

impl Default for ParseConfig<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ParseConfig<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParseConfig")
            .field("dialect", &self.dialect)
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}
