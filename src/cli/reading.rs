//! Reading a text: how far a grammar allows it.

use anyhow::{Context, bail};
use grammask::gbnf::{AdvanceErrorKind, Automaton, Expected, Matcher, Span};
use grammask::sampler::{Constraint, ConstraintError, Engine, TokenId};

use super::input::Source;
use super::output::{Message, Output};
use super::picture::Place;

/// The end of what a grammar allows of a text.
#[derive(Debug)]
pub(super) struct Stop {
    /// The byte that it does not allow; the text's length if it ends too early.
    pub(super) at: usize,
    /// What could have come there.
    pub(super) expected: Vec<Expected>,
}

impl Stop {
    /// Shows the place.
    pub(super) fn say(&self, source: &Source, output: Output) {
        let text = source.text();
        let expected = format!("expected {}", Expected::list(&self.expected));
        let early = self.at >= source.bytes.len();
        let words = if early { "the text ends too early" } else { "the text does not match" };
        let width =
            text.get(self.at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
        let place = Place::new(&source.name, &text, Span::new(self.at, self.at + width), expected);
        output.say(&Message::error(words).at(place));
    }
}

/// Reads bytes. The matcher is then behind the last whole character that fits.
pub(super) fn bytes(matcher: &mut Matcher, text: &[u8]) -> anyhow::Result<Option<Stop>> {
    let Err(error) = matcher.advance(text) else { return Ok(None) };
    if error.kind() != AdvanceErrorKind::Refused {
        return Err(error.into());
    }
    let at = whole_characters(text, error.valid_up_to());
    matcher.advance(&text[..at])?;
    Ok(Some(Stop { at, expected: matcher.expected() }))
}

/// The greatest place up to `at` that is not in the midst of a character.
fn whole_characters(text: &[u8], at: usize) -> usize {
    let is_continuation = |byte: u8| byte & 0xC0 == 0x80;
    let back =
        (0..=3.min(at)).find(|back| !text.get(at - back).is_some_and(|&b| is_continuation(b)));
    match back {
        // What follows is no character anyway.
        None => at,
        Some(back) => at - back,
    }
}

/// Reads a text token by token; of the control tokens only those are recognised that the grammar
/// refers to.
pub(super) fn tokens(
    constraint: &mut Constraint,
    automaton: &Automaton,
    text: &[u8],
) -> anyhow::Result<Option<Stop>> {
    let engine = std::sync::Arc::clone(constraint.engine());
    let text = str::from_utf8(text).context("a text that is read as tokens must be UTF-8")?;
    let tokens = engine.vocabulary().encode_with(text, &referred_tokens(automaton, &engine))?;
    feed(constraint, &tokens)
}

/// The control tokens that a grammar refers to.
fn referred_tokens(automaton: &Automaton, engine: &Engine) -> Vec<TokenId> {
    let vocabulary = engine.vocabulary();
    let mut tokens: Vec<TokenId> = automaton
        .tokens()
        .iter()
        .filter_map(|reference| engine.resolve(reference))
        .filter(|&token| vocabulary.is_control(token) && !vocabulary.is_eog(token))
        .collect();
    tokens.sort_unstable();
    tokens.dedup();
    tokens
}

fn feed(constraint: &mut Constraint, tokens: &[TokenId]) -> anyhow::Result<Option<Stop>> {
    let engine = std::sync::Arc::clone(constraint.engine());
    let vocabulary = engine.vocabulary();
    let mut at = 0;
    for &token in tokens {
        let bytes = vocabulary.bytes(token).unwrap_or_default();
        match constraint.accept(token) {
            Ok(()) => at += bytes.len(),
            Err(ConstraintError::Refused { .. }) => {
                let Some(mut matcher) = constraint.matcher().cloned() else {
                    return Ok(Some(Stop { at, expected: Vec::new() }));
                };
                let inside = if vocabulary.is_control(token) {
                    0
                } else {
                    self::bytes(&mut matcher, bytes)?.map_or(0, |stop| stop.at)
                };
                return Ok(Some(Stop { at: at + inside, expected: matcher.expected() }));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(None)
}

/// Reads a prefix into a constraint: as bytes where the grammar knows no tokens.
pub(super) fn prefix(
    constraint: &mut Constraint,
    automaton: &Automaton,
    text: &str,
) -> anyhow::Result<Option<Stop>> {
    if !automaton.tokens().is_empty() {
        return tokens(constraint, automaton, text.as_bytes());
    }
    if let Some(stop) = bytes(&mut Matcher::new(automaton), text.as_bytes())? {
        return Ok(Some(stop));
    }
    let vocabulary = constraint.engine().vocabulary();
    let byte_tokens: Option<Vec<TokenId>> =
        text.bytes().map(|byte| vocabulary.token_by_text(&[byte])).collect();
    let tokens = match byte_tokens {
        Some(tokens) => tokens,
        None => vocabulary.encode(text)?,
    };
    if feed(constraint, &tokens)?.is_some() {
        bail!("the tokens of the prefix do not spell it");
    }
    Ok(None)
}
