//! What is said of a text, and the ways to find it out.

use std::fmt;

use grammask_gbnf::{Automaton, Matcher};
use grammask_sampler::{Constraint, TokenId, TokenMask};

/// What is said of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No text of the language begins so.
    Refused,
    /// Some texts of the language begin so; this is none.
    Prefix,
    /// It is a text of the language.
    Complete,
}

impl Verdict {
    /// From two answers; complete is alive.
    pub fn of(alive: bool, complete: bool) -> Self {
        match (alive, complete) {
            (_, true) => Self::Complete,
            (true, false) => Self::Prefix,
            (false, false) => Self::Refused,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Refused => "refused",
            Self::Prefix => "prefix",
            Self::Complete => "complete",
        })
    }
}

/// The bytes through a fresh matcher, `size` of them a step.
pub fn by_bytes(automaton: &Automaton, bytes: &[u8], size: usize) -> Verdict {
    let mut matcher = Matcher::new(automaton);
    let fits = bytes.chunks(size.max(1)).all(|step| matcher.advance(step).is_ok());
    Verdict::of(fits && !matcher.state().is_dead(), fits && matcher.is_complete())
}

/// The bytes through a clone of a matcher, one after the other.
pub fn by_matcher(matcher: &Matcher, bytes: &[u8]) -> Verdict {
    let mut matcher = matcher.clone();
    let fits = bytes.iter().all(|&byte| matcher.advance(&[byte]).is_ok());
    Verdict::of(fits && !matcher.state().is_dead(), fits && matcher.is_complete())
}

/// The tokens through masks, and the index of the token that is refused.
///
/// # Errors
///
/// If a mask and the answer to a single token differ.
pub fn by_masks(
    constraint: &Constraint,
    tokens: &[TokenId],
) -> Result<(Verdict, Option<usize>), String> {
    let mut constraint = constraint.clone();
    let vocabulary = constraint.engine().vocabulary();
    let end = vocabulary.eog_ids().first().copied();
    let mut mask = TokenMask::new(vocabulary.len());
    for (at, &token) in tokens.iter().enumerate() {
        constraint.fill_mask(&mut mask);
        let accepted = constraint.accept(token);
        if mask.contains(token) != accepted.is_ok() {
            return Err(format!(
                "token {token} at {at}: the mask says {}, reading it says {accepted:?}",
                mask.contains(token)
            ));
        }
        if accepted.is_err() {
            return Ok((Verdict::Refused, Some(at)));
        }
    }
    constraint.fill_mask(&mut mask);
    let complete = constraint.is_complete();
    if end.is_some_and(|end| mask.contains(end) != complete) {
        return Err("the mask says otherwise than the matcher whether the text may end".to_owned());
    }
    let is_dead = constraint.matcher().is_some_and(|matcher| matcher.state().is_dead());
    let alive = complete || !is_dead;
    Ok((Verdict::of(alive, complete), None))
}
