//! Regular expressions: ECMA-262, section 22.2.1, as the flag `u` has them, and with the escapes
//! of other characters than letters and digits that patterns have without it.
//!
//! Groups that nest are not regular, nor is the number of groups that a reference refers to. That
//! two numbers are in order is, but takes a state for each number, wherever it may stand. So the
//! language here is what some thousand states can say.

use std::ops::Range;

pub(super) const NOTE: &str = "groups nest at most twice; look-around, and a named group, one and \
    in front, have neither groups nor counts inside; no backreferences and no `\\0`; the ends of a \
    range and the bounds of a count are in order as far as few states can tell";

const HEX: &str = r"[\dA-Fa-f]";

/// An escape that stands for one character.
fn character_escape() -> String {
    let braced = format!(r"\{{(?:{HEX}{{1,5}}|10{HEX}{{4}})\}}");
    format!(r"\\(?:[fnrtv!-/:-@[-`{{-~]|c[A-Za-z]|x{HEX}{{2}}|u(?:{HEX}{{4}}|{braced}))")
}

/// An escape that stands for a set of characters: the categories of Unicode by their short names.
const SET_ESCAPE: &str = concat!(
    r"\\(?:[dDsSwW]|[pP]\{",
    r"(?:L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?|C[cfno]?)\})",
);

/// Ranges begin with a character of such a span and end with none before its last one.
const SPANS: [(char, char); 10] = [
    (' ', ','),
    ('.', '/'),
    (':', '@'),
    ('G', 'Z'),
    ('[', '['),
    ('^', '`'),
    ('g', 'z'),
    ('{', '~'),
    ('\u{a0}', '\u{2ff}'),
    ('\u{370}', '\u{4ff}'),
];

/// Characters that ranges begin with more often and that are spans of their own.
const FIRSTS: &str = "0123456789ABCDEFabcdefÀàΑαАаЀאءぁァ一가";

/// Ranges of a class without escapes.
fn literal_ranges() -> impl Iterator<Item = String> {
    let firsts = FIRSTS.chars().map(|first| (first, first));
    firsts.chain(SPANS).map(|(first, last)| {
        // What stands for itself at the end of a range.
        let ends = [(' ', ','), ('.', '['), ('^', char::MAX)].map(|(from, to)| {
            let (from, to) = (u32::from(from.max(last)), u32::from(to));
            if from <= to { format!(r"\u{{{from:x}}}-\u{{{to:x}}}") } else { String::new() }
        });
        let [first, last] = [first, last].map(u32::from);
        format!(r"[\u{{{first:x}}}-\u{{{last:x}}}]-[{}]", ends.concat())
    })
}

/// Ranges between hexadecimal numbers, of which the second one has the greater first digit; or
/// those of a block, which goes from zeros on.
fn escaped_ranges() -> impl Iterator<Item = String> {
    let digits = |digits: Range<u32>| -> String {
        let digits = digits.filter_map(|digit| char::from_digit(digit, 16));
        digits.flat_map(|digit| [digit, digit.to_ascii_uppercase()]).collect()
    };
    let greater = move |kind: char, more: usize, most: u32| {
        (0..most).map(move |digit| {
            let (one, above) = (digits(digit..digit + 1), digits(digit + 1..most));
            format!(r"\\{kind}[{one}]{HEX}{{{more}}}-\\{kind}[{above}]{HEX}{{{more}}}")
        })
    };
    let block = (0..16).map(move |digit| {
        let one = digits(digit..digit + 1);
        format!(r"\\u0[{one}]00-\\u0[{one}]{HEX}{{2}}")
    });
    // Half of the numbers with a D are surrogates, which would join with what follows.
    greater('x', 1, 16).chain(greater('u', 3, 13)).chain(block)
}

/// A class.
fn class(ranges: impl Iterator<Item = String>) -> String {
    let ranges = ranges.collect::<Vec<_>>().join("|");
    let escape = character_escape();
    format!(r"\[\^?-?(?:[^\\\]-]|{escape}|\\-|\\b|{SET_ESCAPE}|{ranges})*-?\]")
}

/// What may be repeated, but for groups.
fn atom(class: &str) -> String {
    format!(r"[^\^$\\.*+?()[\]{{}}|]|\.|{}|{SET_ESCAPE}|{class}", character_escape())
}

/// Counts: one bound, or two of which the second one is greater by its number of digits, by its
/// first digit, or exactly so below 20.
fn counts() -> String {
    let mut pairs: Vec<String> = Vec::new();
    for one in 0..10 {
        pairs.push(format!(r"{one},(?:[{one}-9]|[1-9]\d{{1,3}})"));
        pairs.push(format!(r"1{one},(?:1[{one}-9]|[2-9]\d|[1-9]\d{{2,3}})"));
    }
    for ten in 2..10 {
        let above = if ten < 9 { format!(r"[{}-9]\d|", ten + 1) } else { String::new() };
        pairs.push(format!(r"{ten}\d,(?:{above}{ten}9|[1-9]\d{{2,3}})"));
    }
    format!(r"\{{(?:\d{{1,4}},?|{}|[1-9]\d{{2}},[1-9]\d{{3}})\}}", pairs.join("|"))
}

/// Alternatives of terms.
fn disjunction(repeated: &str, quantifier: &str, others: &str) -> String {
    format!(r"(?:(?:{repeated})(?:{quantifier}\??)?|[|^$]|\\[bB]{others})*")
}

/// `Pattern`
pub(super) fn pattern() -> String {
    let simple = atom(&class(literal_ranges()));
    let full = atom(&class(literal_ranges().chain(escaped_ranges())));
    let quantifier = format!("(?:[*+?]|{})", counts());
    let plain = disjunction(&simple, "[*+?]", "");
    let group = |inner: &str| format!(r"\((?:\?:)?{inner}\)");
    let inner = group(&disjunction(&simple, &quantifier, ""));
    let outer = group(&disjunction(&format!("{full}|{inner}"), &quantifier, ""));
    let around = format!(r"|\(\?<?[=!]{plain}\)");
    let whole = disjunction(&format!("{full}|{outer}"), &quantifier, &around);
    format!(r"(?:\^?\(\?<[A-Za-z_$][\w$]*>{plain}\)(?:{quantifier}\??)?)?{whole}")
}
