//! Names of hosts: RFC 1123, section 2.1.

use super::{Result, whole};
use crate::language::{Approximation, LanguageId, Languages};

pub(super) const NOTE: &str = "no label with `--` in the third place, so no A-label; \
                               what follows the third label has at most 61 characters";

/// A label: letters, digits and inner hyphens. Hyphens in the third and fourth place are for
/// A-labels (RFC 5890, section 2.3.1), and which of these are valid no automaton can say.
/// `counts` are those of what is left of the two ways to go on after the third character.
fn label([letter, hyphen]: [&str; 2]) -> String {
    let (a, c) = (r"[A-Za-z\d]", r"[A-Za-z\d-]");
    format!("{a}(?:{a}|{c}{a}(?:{c}{letter}{a})?|{c}-{a}(?:{c}{hyphen}{a})?)?")
}

/// A name of at most `64 * labels + 61` characters. That a name is at most so long and its labels
/// at most 63 would take an automaton a state for each pair of counts. So the first labels are
/// counted one by one, and what follows them as a whole, which is too short for a longer label.
pub(super) fn name(languages: &mut Languages, labels: u32) -> Result<LanguageId> {
    let counted = label(["{0,59}", "{0,58}"]);
    let short = whole(languages, &format!(r"{counted}(?:\.{counted}){{0,{}}}", labels - 1))?;
    let first = whole(languages, &format!(r"(?:{counted}\.){{{labels}}}"))?;
    let any = label(["*", "*"]);
    let rest = whole(languages, &format!(r"{any}(?:\.{any})*"))?;
    let lengths = languages.lengths(1, Some(61))?;
    let rest = languages.and([rest, lengths])?;
    let long = languages.sequence([first, rest])?;
    Ok(languages.alt([short, long])?)
}

/// At most 253 characters: 255 octets with the lengths of the labels (RFC 1035, section 2.3.4).
pub(super) fn hostname(languages: &mut Languages) -> Result<Approximation> {
    let upper = whole(languages, r"[A-Za-z\d-]+(?:\.[A-Za-z\d-]+)*")?;
    Ok(Approximation { lower: name(languages, 3)?, upper })
}
