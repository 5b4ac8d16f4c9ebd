//! How an object is written where a format is not JSON: the arguments of tool calls.

use grammask_gbnf::{Expr, ExprKind, TokenName, TokenReference};

/// How an object and what is in it are written: see [`translate_object`](crate::translate_object).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Syntax {
    /// As JSON.
    #[default]
    Json,
    /// Its members are elements, one after the other. Strings in them are raw text, all other values
    /// are JSON.
    Elements(Elements),
    /// As JSON without blanks, but for keys, which are raw, and for what stands around strings, which
    /// are raw, too.
    Dict(Quote),
}

/// The texts around the key and the value of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elements {
    /// Before the key: `<parameter=`.
    pub open: String,
    /// After the key: `>`. No key has the first character of it.
    pub after_key: String,
    /// Then, before a string: a line end.
    pub before_text: String,
    /// Before any other value. If it is the same as before a string, `null`, `true` and `false` are
    /// no strings where they may be values, and where other values may stand as well, strings are
    /// written as JSON.
    pub before_json: String,
    /// After the value: a line end, `</parameter>` and a line end.
    pub close: String,
    /// The part of that which no string may have: `</parameter>`.
    pub stop: String,
    /// Those parts of the texts, but for `after_key`, that are control tokens of the vocabulary.
    pub tokens: Vec<String>,
}

/// What stands around a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quote {
    /// A token of the vocabulary, which no text has.
    Token(String),
    /// A text, which no string may have.
    Text(String),
}

/// How the value of an element is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementValue {
    /// As it is: it is a string.
    Text,
    /// As a string unless it is one of the literals `null`, `true` and `false`, as far as these may be
    /// values.
    TextOr {
        /// Whether `null` is a value.
        null: bool,
        /// Whether `false` and `true` are.
        booleans: [bool; 2],
    },
    /// As JSON.
    Json {
        /// Whether it may be a string.
        or_string: bool,
    },
}

impl Syntax {
    /// What the keys of an object do not have here.
    pub(crate) fn forbidden_in_keys(&self) -> Vec<char> {
        match self {
            Self::Json => Vec::new(),
            Self::Elements(elements) => elements.after_key.chars().take(1).chain(['\n']).collect(),
            Self::Dict(_) => " \t\r\n:,{}[]\"<>|".chars().collect(),
        }
    }

    /// The text of a key.
    pub(crate) fn key(&self, key: &str) -> String {
        let (open, close) = self.around_keys();
        format!("{open}{key}{close}")
    }

    pub(crate) fn around_keys(&self) -> (&str, &str) {
        match self {
            Self::Json => ("\"", "\""),
            // Keys are told apart by their texts: what has tokens stands before them.
            Self::Elements(elements) if elements.open_has_tokens() => ("", &elements.after_key),
            Self::Elements(elements) => (&elements.open, &elements.after_key),
            Self::Dict(_) => ("", ":"),
        }
    }
}

impl Elements {
    /// Whether what stands before a key is no text.
    pub(crate) fn open_has_tokens(&self) -> bool {
        self.tokens.iter().any(|token| self.open.contains(token))
    }

    /// One of the texts, with references to tokens.
    pub(crate) fn expr(&self, text: &str) -> Expr {
        let mut items = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let found = self.tokens.iter().filter_map(|token| Some((rest.find(token)?, token)));
            let (at, token) = found.min().map_or((rest.len(), None), |(at, it)| (at, Some(it)));
            if at > 0 {
                items.push(Expr::literal(rest[..at].to_owned()));
            }
            rest = &rest[at..];
            if let Some(token) = token {
                items.push(token_expr(token));
                rest = &rest[token.len()..];
            }
        }
        Expr::sequence(items)
    }
}

fn token_expr(token: &str) -> Expr {
    let token = TokenName::Text(token.to_owned());
    Expr::new(ExprKind::Token(TokenReference { negated: false, token }))
}

impl Quote {
    pub(crate) fn expr(&self) -> Expr {
        match self {
            Self::Text(text) => Expr::literal(text.clone()),
            Self::Token(token) => token_expr(token),
        }
    }

    /// What no string may have.
    pub(crate) fn stop(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Token(_) => None,
        }
    }
}
