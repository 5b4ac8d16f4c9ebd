//! Internationalised names of hosts: RFC 5890 to 5893.
//!
//! A U-label is a conjunction: of characters that the protocol allows (RFC 5892), of what it says
//! about their context (appendix A), of the place of hyphens, and of its length. The letters are
//! those of blocks in which the derived property goes by category and no sequence is changed by
//! normalisation form C.

use super::{Result, host, whole};
use crate::language::{Approximation, LanguageId, Languages};

pub(super) const NOTE: &str = "no A-labels; U-labels of at most 12 characters, all in Latin, \
    Greek, Cyrillic, Hebrew, Arabic, Armenian, Georgian, Devanagari, Thai, Hiragana, Katakana, Han \
    or Hangul; beside right-to-left labels only ASCII ones; what follows the third label is ASCII \
    of at most 61 characters";

/// How many characters a U-label may have so that its A-label has at most 63, whatever they are:
/// Punycode (RFC 3492) writes each as few digits, but how many depends on all of them.
const MOST: u32 = 12;

/// What separates labels (RFC 3490, section 3.1).
const DOT: &str = r"[.\u3002\uFF0E\uFF61]";

const HEBREW: &str = r"\u05D0-\u05EA";

/// Letters of Arabic that join to both sides, and those that join to the right.
const DUAL: &str = r"\u0626\u0628\u062A-\u062E\u0633-\u063A\u0641-\u0647\u0649\u064A";
const RIGHT: &str = r"\u0622-\u0625\u0627\u0629\u062F-\u0632\u0648";
/// Letters and signs of Arabic that do not matter for joining here.
const ARABIC: &str = r"\u0621\u066E-\u066F\u0671-\u0674\u0679-\u06BF\u06C1\u06C3-\u06D2\u06D5\u06EE\u06EF\u06FA-\u06FF";

const GREEK: &str = r"\u0390\u03AC-\u03CE";
const HIRAGANA: &str = r"\u3041-\u3096\u309D\u309E";
const KATAKANA: &str = r"\u30A1-\u30FA\u30FD\u30FE";
const HAN: &str = r"\u3005\u3007\u3400-\u4DBF\u4E00-\u9FEF\u{20000}-\u{2A6D6}";

/// What a label may begin with, written from left to right.
const LETTERS: &str = concat!(
    r"a-z\d\u00DF-\u00F6\u00F8-\u00FF",
    r"\u0430-\u045F\u0561-\u0586\u10D0-\u10FA",
    r"\u0904-\u0928\u092A-\u0930\u0932\u0933\u0935-\u0939\u093D\u0950\u0960\u0961\u0966-\u096F",
    r"\u0E01-\u0E30\u0E32\u0E40-\u0E46\u0E50-\u0E59\u06F0-\u06F9",
    r"\u3006\u30FC\uAC00-\uD7A3",
);

/// Lower-case letters of Latin Extended-A.
fn latin() -> String {
    let pairs = [(0x101, 0x137), (0x13A, 0x13E), (0x142, 0x148), (0x14B, 0x177), (0x17A, 0x17E)];
    let letters = pairs.into_iter().flat_map(|(first, last)| (first..=last).step_by(2));
    // A ligature that falls apart.
    letters.filter(|&letter| letter != 0x133).filter_map(char::from_u32).collect()
}

/// Signs that stand after letters; those of Thai are either above or below.
const SIGNS: &str = r"\u0900-\u0903\u093E-\u094D\u0962\u0963\u0E31\u0E34-\u0E39\u0E47-\u0E4E";

/// Hyphens stand inside, but not in the third and fourth place (RFC 5891, section 4.2.3.1).
const HYPHENS: [&str; 2] = ["[^-](?:[^]*[^-])?", "[^]{0,3}|[^]{2}[^-][^]+|[^]{2}-[^-][^]*"];

/// What all these rules and those of hyphens and length say.
fn label(languages: &mut Languages, rules: &[String]) -> Result<LanguageId> {
    let mut all = vec![languages.lengths(1, Some(MOST))?];
    for rule in rules.iter().map(String::as_str).chain(HYPHENS) {
        all.push(whole(languages, rule)?);
    }
    Ok(languages.and(all)?)
}

/// A U-label without characters that are written from right to left.
fn left_to_right(languages: &mut Languages) -> Result<LanguageId> {
    let latin = latin();
    let first = format!(r"{LETTERS}{latin}{GREEK}{HIRAGANA}{KATAKANA}{HAN}\u0F0B\u30FB");
    let rules = [
        format!(r"[{first}][{first}{SIGNS}\u00B7\u0375\u200C\u200D-]*"),
        // Joiners after a virama; the middle dot between two l; the keraia before Greek.
        r"(?:[^\u200C\u200D]|\u094D[\u200C\u200D])*".to_owned(),
        r"(?:[^l\u00B7]|l(?:\u00B7?l)*)*".to_owned(),
        format!(r"(?:[^\u0375]|\u0375[{GREEK}])*"),
        format!(r"[^\u30FB]*|[^]*[{HIRAGANA}{KATAKANA}{HAN}][^]*"),
        // The order of signs in normalisation form C: vowels before the marks of tones.
        r"(?:[^\u0E48-\u0E4B]|[\u0E48-\u0E4B]+[^\u0E38\u0E39\u0E48-\u0E4B])*[\u0E48-\u0E4B]*"
            .to_owned(),
    ];
    label(languages, &rules)
}

/// A U-label that is written from right to left: it begins with such a letter and has digits of
/// one kind (RFC 5893, section 2).
fn right_to_left(languages: &mut Languages) -> Result<LanguageId> {
    let letter = format!("{HEBREW}{DUAL}{RIGHT}{ARABIC}");
    let rules = [
        format!(
            r"[{letter}](?:[{letter}\u05F3\u05F4\u200C\d\u06F0-\u06F9-]*|[{letter}\u05F3\u05F4\u200C\u0660-\u0669-]*)"
        ),
        // A non-joiner where letters would join; the geresh and the gershayim after Hebrew.
        format!(r"(?:[^\u200C]|[{DUAL}]\u200C(?:[{DUAL}]\u200C)*[{DUAL}{RIGHT}])*"),
        format!(r"(?:[^\u05F3\u05F4]|[{HEBREW}][\u05F3\u05F4])*"),
    ];
    label(languages, &rules)
}

/// Names of at most `64 * labels + 61` characters as A-labels.
pub(super) fn names(languages: &mut Languages, dot: &str, labels: u32) -> Result<LanguageId> {
    let left = left_to_right(languages)?;
    let right = right_to_left(languages)?;
    // No label begins with a digit where one is written from right to left.
    let mut names = Vec::new();
    for (others, first) in [(left, host::LETTER_OR_DIGIT), (right, "[A-Za-z]")] {
        let ascii = host::counted_label(languages, first)?;
        let label = languages.alt([ascii, others])?;
        names.push(host::names(languages, label, first, dot, labels)?);
    }
    Ok(languages.alt(names)?)
}

/// `idn-hostname`
pub(super) fn hostname(languages: &mut Languages) -> Result<Approximation> {
    let upper = languages.lengths(1, None)?;
    Ok(Approximation { lower: names(languages, DOT, 3)?, upper })
}
