//! What begins the constrained part of a text.

use regex_syntax::hir::{Hir, HirKind, Look};

use super::ecmascript;
use super::error::LazyError;
use super::search::Pattern;
use crate::token_id::TokenId;

/// What begins the constrained part of a text: a word, a pattern or a token.
///
/// Triggers are looked for at the end of each token, in all free text since the last constrained
/// part, control tokens by their texts. What is constrained begins with the trigger, as in
/// llama.cpp: a grammar for `<tool>...` reads `<tool>` as well. Of a pattern it begins with the first
/// group that is not empty. [`Trigger::behind`] leaves the trigger out.
///
/// ```
/// use grammask_gbnf::parse;
/// use grammask_sampler::{Constraint, Engine, LazyGrammar, TokenId, Trigger, Vocabulary};
///
/// let engine = Engine::new(Vocabulary::from_name("r50k_base")?);
/// let numbers = Constraint::new(&engine, &parse(r#"root ::= "[" [0-9]+ "]""#)?, "root")?;
/// let trigger = Trigger::pattern(r"call:\s*(\[)");
/// let mut constraint = LazyGrammar::new().trigger(trigger, numbers).build(&engine)?;
/// for token in engine.vocabulary().encode("I call: [")? {
///     constraint.accept(token)?;
/// }
/// assert_eq!(constraint.mask().tokens().next(), Some(TokenId(15))); // "0"
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Trigger {
    what: What,
    is_behind: bool,
}

#[derive(Clone, Debug)]
enum What {
    Word(String),
    WholeWord(String),
    Token(TokenId),
    Pattern(String),
    FullPattern(String),
}

impl Trigger {
    fn new(what: What) -> Self {
        Self { what, is_behind: false }
    }

    /// A text, wherever it occurs, in the midst of a longer word too.
    pub fn word(text: impl Into<String>) -> Self {
        Self::new(What::Word(text.into()))
    }

    /// A text that is not part of a longer word: where it begins or ends with a letter, digit or
    /// underscore of ASCII, no other one is beside it. So it is known only with what follows it,
    /// or with the end of generation.
    pub fn whole_word(text: impl Into<String>) -> Self {
        Self::new(What::WholeWord(text.into()))
    }

    /// A token.
    pub fn token(token: TokenId) -> Self {
        Self::new(What::Token(token))
    }

    /// A regular expression as ECMAScript writes them, which is read byte by byte, as by `std::regex`
    /// in llama.cpp. It is searched for; `^` and `$` are the start of the free text and the end of the
    /// token. There is no look-ahead and no reference to groups.
    pub fn pattern(pattern: impl Into<String>) -> Self {
        Self::new(What::Pattern(pattern.into()))
    }

    /// A regular expression for all of the free text, as `COMMON_GRAMMAR_TRIGGER_TYPE_PATTERN_FULL` of
    /// llama.cpp: `^` and `$` are put around it where they are missing.
    pub fn full_pattern(pattern: impl Into<String>) -> Self {
        Self::new(What::FullPattern(pattern.into()))
    }

    /// What is constrained begins behind the trigger, as behind a tag that ends the thinking.
    #[must_use]
    pub fn behind(self) -> Self {
        Self { is_behind: true, ..self }
    }

    /// The token, if it is one, and whether what is constrained begins behind it.
    pub(super) fn as_token(&self) -> Option<(TokenId, bool)> {
        match self.what {
            What::Token(token) => Some((token, self.is_behind)),
            _ => None,
        }
    }

    /// The text, if it is a word wherever it occurs, and whether what is constrained begins behind it.
    pub(super) fn as_word(&self) -> Option<(&[u8], bool)> {
        match &self.what {
            What::Word(text) => Some((text.as_bytes(), self.is_behind)),
            _ => None,
        }
    }

    /// The patterns that are searched for; none for a token.
    pub(super) fn patterns(&self, trigger: usize) -> Result<Vec<Pattern>, LazyError> {
        let mut ends_with_token = true;
        let hirs = match &self.what {
            What::Token(_) => Vec::new(),
            What::Word(text) | What::WholeWord(text) if text.is_empty() => {
                return Err(LazyError::EmptyWord { trigger });
            }
            What::Word(text) => vec![Hir::literal(text.as_bytes())],
            What::WholeWord(text) => {
                ends_with_token = false;
                let edge = |byte: Option<u8>| match byte {
                    Some(byte) if byte.is_ascii_alphanumeric() || byte == b'_' => {
                        Hir::look(Look::WordAscii)
                    }
                    _ => Hir::empty(),
                };
                let (first, last) = (text.bytes().next(), text.bytes().last());
                ends_with_token |= !last.is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_');
                vec![Hir::concat(vec![edge(first), Hir::literal(text.as_bytes()), edge(last)])]
            }
            What::Pattern(pattern) => regular(pattern, trigger)?,
            What::FullPattern(pattern) => regular(&anchored(pattern), trigger)?,
        };
        let is_behind = self.is_behind;
        let pattern = |hir| Pattern { hir, trigger, ends_with_token, is_behind };
        Ok(hirs.into_iter().map(pattern).collect())
    }
}

/// As `common_params_sampling` of llama.cpp completes it.
fn anchored(pattern: &str) -> String {
    if pattern.is_empty() {
        return "^$".to_owned();
    }
    let begin = if pattern.starts_with('^') { "" } else { "^" };
    let end = if pattern.ends_with('$') { "" } else { "$" };
    format!("{begin}{pattern}{end}")
}

/// A pattern that begins with `^` and ends with `$` as it is written is tried on the whole text first.
/// That makes a difference only if these do not hold for all of it.
fn regular(pattern: &str, trigger: usize) -> Result<Vec<Hir>, LazyError> {
    let hir = ecmascript::parse(pattern).map_err(|error| LazyError::Pattern { trigger, error })?;
    let is_written_so = pattern.starts_with('^') && pattern.ends_with('$');
    let is_look = |hir: Option<&Hir>, look| hir.map(Hir::kind) == Some(&HirKind::Look(look));
    let is_whole = match hir.kind() {
        HirKind::Concat(parts) => {
            is_look(parts.first(), Look::Start) && is_look(parts.last(), Look::End)
        }
        _ => false,
    };
    if !is_written_so || is_whole {
        return Ok(vec![hir]);
    }
    let (start, end) = (Hir::look(Look::Start), Hir::look(Look::End));
    Ok(vec![Hir::concat(vec![start, hir.clone(), end]), hir])
}
