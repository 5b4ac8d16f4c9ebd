//! Names of hosts: RFC 1123, section 2.1.

use super::{Result, whole};
use crate::language::{Approximation, LanguageId, Languages};
use crate::options::Notation;

pub(super) const NOTE: &str = "no label with `--` in the third place, so no A-label";
pub(super) const PLAIN_NOTE: &str = "no label with `--` in the third place, so no A-label; \
                                     what follows the third label has at most 61 characters";

/// What a label may begin with.
pub(super) const LETTER_OR_DIGIT: &str = r"[A-Za-z\d]";

/// What it may have inside.
const INNER: &str = r"[A-Za-z\d-]";

/// The greatest number of characters of a label.
const LABEL: u32 = 63;

/// A label: letters, digits and inner hyphens. Hyphens in the third and fourth place are for
/// A-labels (RFC 5890, section 2.3.1), and which of these are valid no automaton can say.
fn label(first: &str) -> String {
    let (a, c) = (LETTER_OR_DIGIT, INNER);
    format!("{first}(?:{a}|{c}{a}(?:{c}*{a})?|{c}-{a}(?:{c}*{a})?)?")
}

/// A label of at most 63 characters.
pub(super) fn counted_label(languages: &mut Languages, first: &str) -> Result<LanguageId> {
    let label = whole(languages, &label(first))?;
    let lengths = languages.lengths(1, Some(LABEL))?;
    Ok(languages.and([label, lengths])?)
}

/// Names of labels, of which the first `labels` are as given and the others ASCII with at most 61
/// characters in all: so as A-labels they have at most `64 * labels + 61`. That a name is at most
/// so long and its labels at most 63 would take an automaton a state for each pair of counts; what
/// follows the first labels is too short for a longer one.
pub(super) fn names(
    languages: &mut Languages,
    counted: LanguageId,
    first: &str,
    dot: &str,
    labels: u32,
) -> Result<LanguageId> {
    let any = label(first);
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

/// Names of ASCII labels: at most 253 characters, 255 octets with the lengths of the labels (RFC
/// 1035, section 2.3.4). In plain notation so many labels are counted by themselves.
pub(super) fn ascii_names(
    languages: &mut Languages,
    notation: Notation,
    counted_labels: u32,
) -> Result<LanguageId> {
    if notation == Notation::Plain {
        let label = counted_label(languages, LETTER_OR_DIGIT)?;
        return names(languages, label, LETTER_OR_DIGIT, r"\.", counted_labels);
    }
    let any = label(LETTER_OR_DIGIT);
    let names = whole(languages, &format!(r"{any}(?:\.{any})*"))?;
    // Lengths in characters of names: of any character each state would know the ways to write it.
    let short = format!(r"{INNER}{{1,{LABEL}}}");
    let labels = whole(languages, &format!(r"{short}(?:\.{short})*"))?;
    let lengths = whole(languages, r"[A-Za-z\d.-]{1,253}")?;
    Ok(languages.and([names, labels, lengths])?)
}

/// `hostname`
pub(super) fn hostname(languages: &mut Languages, notation: Notation) -> Result<Approximation> {
    let upper = whole(languages, r"[A-Za-z\d-]+(?:\.[A-Za-z\d-]+)*")?;
    Ok(Approximation { lower: ascii_names(languages, notation, 3)?, upper })
}
