//! Names of hosts: RFC 1123, section 2.1.

use super::{Result, whole};
use crate::language::{Approximation, LanguageId, Languages};

pub(super) const NOTE: &str = "no label with `--` in the third place, so no A-label; \
                               what follows the third label has at most 61 characters";

/// What a label may begin with.
pub(super) const LETTER_OR_DIGIT: &str = r"[A-Za-z\d]";

/// A label: letters, digits and inner hyphens. Hyphens in the third and fourth place are for
/// A-labels (RFC 5890, section 2.3.1), and which of these are valid no automaton can say. The
/// counts are those of what is left of the two ways to go on after the third character.
fn label(first: &str, [letter, hyphen]: [&str; 2]) -> String {
    let (a, c) = (LETTER_OR_DIGIT, r"[A-Za-z\d-]");
    format!("{first}(?:{a}|{c}{a}(?:{c}{letter}{a})?|{c}-{a}(?:{c}{hyphen}{a})?)?")
}

/// A label of at most 63 characters.
pub(super) fn counted_label(languages: &mut Languages, first: &str) -> Result<LanguageId> {
    whole(languages, &label(first, ["{0,59}", "{0,58}"]))
}

/// Names of at most `64 * labels + 61` characters. That a name is at most so long and its labels
/// at most 63 would take an automaton a state for each pair of counts. So the first labels are
/// counted one by one, and what follows them as a whole, which is too short for a longer label.
pub(super) fn names(
    languages: &mut Languages,
    counted: LanguageId,
    first: &str,
    dot: &str,
    labels: u32,
) -> Result<LanguageId> {
    let any = label(first, ["*", "*"]);
    let rest = whole(languages, &format!(r"{any}(?:{dot}{any})*"))?;
    let lengths = languages.lengths(1, Some(61))?;
    let mut names = languages.and([rest, lengths])?;
    let dot = whole(languages, dot)?;
    for _ in 0..labels {
        let longer = languages.sequence([counted, dot, names])?;
        names = languages.alt([counted, longer])?;
    }
    Ok(names)
}

/// Names of ASCII labels.
pub(super) fn ascii_names(languages: &mut Languages, labels: u32) -> Result<LanguageId> {
    let counted = counted_label(languages, LETTER_OR_DIGIT)?;
    names(languages, counted, LETTER_OR_DIGIT, r"\.", labels)
}

/// `hostname`: at most 253 characters, 255 octets with the lengths of the labels (RFC 1035,
/// section 2.3.4).
pub(super) fn hostname(languages: &mut Languages) -> Result<Approximation> {
    let upper = whole(languages, r"[A-Za-z\d-]+(?:\.[A-Za-z\d-]+)*")?;
    Ok(Approximation { lower: ascii_names(languages, 3)?, upper })
}
