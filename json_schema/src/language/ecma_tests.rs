//! The syntax of ECMA-262, case by case.

use proptest::prelude::*;

use super::ecma::PatternErrorKind::{self, *};
use super::{CharSet, Languages};

/// The texts of one code point that `pattern` matches as a whole.
fn characters(pattern: &str) -> CharSet {
    let mut languages = Languages::default();
    let language = languages.pattern(&format!("^(?:{pattern})$")).unwrap();
    let one = languages.lengths(1, Some(1)).unwrap();
    let language = languages.and([language, one]).unwrap();
    let dfa = languages.dfa(language, 10).unwrap();
    dfa.states()[0].transitions.first().map(|(set, _)| set.clone()).unwrap_or_default()
}

#[test]
fn escapes_stand_for_their_characters() {
    let spaces = [
        ('\t', '\r'),
        (' ', ' '),
        ('\u{a0}', '\u{a0}'),
        ('\u{1680}', '\u{1680}'),
        ('\u{2000}', '\u{200a}'),
        ('\u{2028}', '\u{2029}'),
        ('\u{202f}', '\u{202f}'),
        ('\u{205f}', '\u{205f}'),
        ('\u{3000}', '\u{3000}'),
        ('\u{feff}', '\u{feff}'),
    ];
    let digits = [('0', '9')];
    let word = [('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];
    let line_ends = [('\n', '\n'), ('\r', '\r'), ('\u{2028}', '\u{2029}')];
    let sets: &[(&str, &[(char, char)])] = &[
        (r"\d", &digits),
        (r"\w", &word),
        (r"\s", &spaces),
        (r"[\d]", &digits),
        (r"[\w-]", &[('-', '-'), ('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]),
        (r"[\d-x]", &[('-', '-'), ('0', '9'), ('x', 'x')]),
        (r"[a-\d]", &[('-', '-'), ('0', '9'), ('a', 'a')]),
        (r"[+--]", &[('+', '-')]),
        (r"[a-]", &[('-', '-'), ('a', 'a')]),
        (r"[-a]", &[('-', '-'), ('a', 'a')]),
        (r"[a-c-e]", &[('-', '-'), ('a', 'c'), ('e', 'e')]),
        (r"[\]\\]", &[('\\', ']')]),
        (r"[[]", &[('[', '[')]),
        (r"[a^]", &[('^', '^'), ('a', 'a')]),
        (r"[(|)]", &[('(', ')'), ('|', '|')]),
        (r"[.$*]", &[('$', '$'), ('*', '*'), ('.', '.')]),
        (r"[\b]", &[('\u{8}', '\u{8}')]),
        (r"[\B]", &[('B', 'B')]),
        (r"[\-\_]", &[('-', '-'), ('_', '_')]),
        (r"[\x41-\x43]", &[('A', 'C')]),
        (r"[\u0041-\u0043]", &[('A', 'C')]),
        (r"[\u{41}-\u{1F600}]", &[('A', '\u{1f600}')]),
        (r"[\ud83d\ude00-\ud83d\ude02]", &[('\u{1f600}', '\u{1f602}')]),
        (r"[\ud7ff-\ue000]", &[('\u{d7ff}', '\u{e000}')]),
        (r"[\ud800-\udfff]", &[]),
        (r"[\ud000-\udbff]", &[('\u{d000}', '\u{d7ff}')]),
        (r"[\1\12]", &[('\u{1}', '\u{1}'), ('\n', '\n')]),
        (r"[\8]", &[('8', '8')]),
        (r"[\cA\c1\c_]", &[('\u{1}', '\u{1}'), ('\u{11}', '\u{11}'), ('\u{1f}', '\u{1f}')]),
        (r"[\c]", &[('\\', '\\'), ('c', 'c')]),
        (r"[]", &[]),
        (r"[^]", &[('\0', char::MAX)]),
        (r"[^\S]", &spaces),
        (r"[^\D]", &digits),
        (r"[^\W]", &word),
        (r"[^.]", &[('\0', '-'), ('/', char::MAX)]),
        (r"\f", &[('\u{c}', '\u{c}')]),
        (r"\n", &[('\n', '\n')]),
        (r"\r", &[('\r', '\r')]),
        (r"\t", &[('\t', '\t')]),
        (r"\v", &[('\u{b}', '\u{b}')]),
        (r"\0", &[('\0', '\0')]),
        (r"\012", &[('\n', '\n')]),
        (r"\377", &[('\u{ff}', '\u{ff}')]),
        (r"\7", &[('\u{7}', '\u{7}')]),
        (r"\9", &[('9', '9')]),
        (r"\cJ", &[('\n', '\n')]),
        (r"\cj", &[('\n', '\n')]),
        (r"\xe9", &[('é', 'é')]),
        (r"\xg", &[]),
        (r"\x", &[('x', 'x')]),
        (r"\u00E9", &[('é', 'é')]),
        (r"\u", &[('u', 'u')]),
        (r"\u{e9}", &[('é', 'é')]),
        (r"\u{0000e9}", &[('é', 'é')]),
        (r"\u{0}", &[('\0', '\0')]),
        (r"\ud83d\ude00", &[('\u{1f600}', '\u{1f600}')]),
        (r"\ud83d", &[]),
        (r"\-", &[('-', '-')]),
        (r"\_", &[('_', '_')]),
        (r"\/", &[('/', '/')]),
        (r"\é", &[('é', 'é')]),
        (r"\a", &[('a', 'a')]),
        (r"\k", &[('k', 'k')]),
        (r"\p", &[('p', 'p')]),
        (r"\p{Lu}|\P{L}", &[]),
        (r"\p{Zl}", &[('\u{2028}', '\u{2028}')]),
        (r"\p{ASCII}", &[('\0', '\u{7f}')]),
        (r"\P{Any}", &[]),
        (r"[\p{ASCII_Hex_Digit}]", &[('0', '9'), ('A', 'F'), ('a', 'f')]),
        (r"\p{Script=Ogham}", &[('\u{1680}', '\u{169c}')]),
        (r"\p{sc=Ogam}", &[('\u{1680}', '\u{169c}')]),
        (r"\p{General_Category=Line_Separator}", &[('\u{2028}', '\u{2028}')]),
        (r"]", &[(']', ']')]),
        (r"{", &[('{', '{')]),
        (r"}", &[('}', '}')]),
    ];
    for &(pattern, ranges) in sets {
        if pattern == r"\p{Lu}|\P{L}" {
            assert!(characters(pattern).contains('A') && !characters(pattern).contains('a'));
        } else {
            assert_eq!(
                characters(pattern),
                CharSet::from_ranges(ranges.iter().copied()),
                "{pattern}"
            );
        }
    }
    for (negated, plain) in
        [(r"\D", &digits[..]), (r"\W", &word), (r"\S", &spaces), (".", &line_ends)]
    {
        let plain = CharSet::from_ranges(plain.iter().copied());
        assert_eq!(characters(negated), plain.complement(), "{negated}");
    }
}

#[test]
fn scripts_and_alphabetic_characters_are_known() {
    for (pattern, inside, outside) in [
        (r"\p{Script=Greek}", 'α', 'a'),
        (r"\p{Script_Extensions=Greek}", '\u{342}', 'a'),
        (r"\p{scx=Grek}", 'α', 'a'),
        (r"\p{Alphabetic}", 'é', '1'),
        (r"\p{L}", 'ж', '_'),
        (r"\p{Letter}", 'ж', '_'),
        (r"\p{Uppercase}", 'É', 'é'),
        (r"\p{White_Space}", '\u{85}', '\u{feff}'),
        (r"\p{Emoji}", '\u{1f600}', 'a'),
        (r"[^\p{L}\p{N}]", '-', '7'),
    ] {
        let set = characters(pattern);
        assert!(set.contains(inside) && !set.contains(outside), "{pattern}");
    }
}

#[test]
fn syntax_is_read_like_the_specification() {
    for (pattern, inside, outside) in [
        ("b", &["b", "abc", "b\n"][..], &["", "a"][..]),
        ("^a|b$", &["ax", "xb", "a\nb"], &["xa", "bx", "x\na"]),
        ("^a$", &["a"], &["a\n", "ba"]),
        ("^.$", &["é", "\u{1f600}"], &["\n", "\u{2029}", "ab"]),
        ("^a*?$", &["", "aa"], &["b"]),
        ("^a+?b??$", &["a", "aab"], &["b"]),
        ("^a{2}$", &["aa"], &["a", "aaa"]),
        ("^a{2,}$", &["aa", "aaaa"], &["a"]),
        ("^a{0,2}?$", &["", "aa"], &["aaa"]),
        ("^a{0}$", &[""], &["a"]),
        ("^a{,2}$", &["a{,2}"], &["a", "aa"]),
        ("^a{$", &["a{"], &["a"]),
        ("^a{1$", &["a{1"], &["a"]),
        ("^{}$", &["{}"], &[""]),
        ("^x{a}{2}$", &["x{a}}"], &["x{a}"]),
        ("^(?:a|bc)$", &["a", "bc"], &["ac", "b"]),
        ("^(a)(?<name_1>b)$", &["ab"], &["a"]),
        ("^(?=a)*b$", &["b"], &["ab"]),
        ("^(?=a)+[ab]$", &["a"], &["b"]),
        ("^(?!a){2}[ab]$", &["b"], &["a"]),
        ("^(?:(?!ab).)*$", &["", "ba", "a"], &["ab", "xaby"]),
        ("^(?=.*[0-9])(?=.*[a-z]).{2,3}$", &["a1", "1xa"], &["aa", "1", "a1a1"]),
        ("^(?!tag$|category$)", &["", "tags"], &["tag", "category"]),
        (r"\bcat\b", &["cat", "a cat.", "écat"], &["cats", "_cat"]),
        (r"^\Ba?\B$", &[""], &["a", " "]),
        (r"^\B.\B$", &[" ", "é"], &["a"]),
        (r"^(?:a|\b){2}$", &["a", "aa"], &["", "aaa", "b"]),
        (r"^\\$", &["\\"], &["\\\\"]),
        (r"^\c$", &["\\c"], &["c"]),
        (r"^(a)\2$", &["a\u{2}"], &["aa"]),
        (r"^\k<a>$", &["k<a>"], &[""]),
        (r"^\p{Lu}\p{Ll}*$", &["Éé", "A"], &["é"]),
        ("^[]$", &[], &["", "a"]),
        ("^(?:)$|^(|a)(b|)$", &["", "a", "ab", "b"], &["ba"]),
        ("^", &["", "a"], &[]),
        ("$^", &[""], &["a"]),
        ("a$b", &[], &["ab"]),
    ] {
        let mut languages = Languages::default();
        let language = languages.pattern(pattern).unwrap();
        for text in inside {
            assert!(languages.contains(language, text).unwrap(), "{pattern} on {text:?}");
        }
        for text in outside {
            assert!(!languages.contains(language, text).unwrap(), "{pattern} on {text:?}");
        }
    }
}

fn error(pattern: &str) -> (PatternErrorKind, usize) {
    let error = Languages::default().pattern(pattern).expect_err(pattern);
    (error.kind, error.offset)
}

#[test]
fn errors_say_what_and_where() {
    for (pattern, kind, offset) in [
        ("é(a", UnclosedGroup, 2),
        ("a)", UnopenedGroup, 1),
        ("(?a)", InvalidGroup, 0),
        ("(?P<n>a)", InvalidGroup, 0),
        ("(?", InvalidGroup, 0),
        ("(?<>a)", InvalidGroupName, 3),
        ("(?<a b>a)", InvalidGroupName, 4),
        ("x[a", UnclosedClass, 1),
        ("[a-", UnclosedClass, 0),
        ("[\\]", UnclosedClass, 0),
        ("[ab-a]", ReversedRange, 2),
        ("*a", NothingToRepeat, 0),
        ("a**", NothingToRepeat, 2),
        ("^*", NothingToRepeat, 1),
        ("\\b+", NothingToRepeat, 2),
        ("(?:+)", NothingToRepeat, 3),
        ("{1}", NothingToRepeat, 0),
        ("a{1}{2}", NothingToRepeat, 4),
        ("a{2,1}", ReversedCounts, 1),
        ("a{4294967296}", CountTooLarge, 1),
        ("a\\", TrailingBackslash, 1),
        ("[\\", TrailingBackslash, 1),
        ("\\u{110000}", InvalidCodePoint, 0),
        ("\\u{ffffffffffffffff}", InvalidCodePoint, 0),
        ("\\p{Nonsense}", UnknownProperty, 0),
        ("\\p{", UnknownProperty, 0),
        ("\\p{}", UnknownProperty, 0),
        ("\\p{^L}", UnknownProperty, 0),
        ("(a)\\1", Backreference, 3),
        ("\\2(a)(b)", Backreference, 0),
        ("(?<n>a)\\k<n>", Backreference, 7),
        ("a(?<=b)", LookBehind, 1),
        ("(?<!b)", LookBehind, 0),
        ("(?i:a)", InlineFlags, 0),
        ("(?-s:a)", InlineFlags, 0),
    ] {
        assert_eq!(error(pattern), (kind, offset), "{pattern}");
    }
    assert_eq!(error(&"(".repeat(1_000_000)), (TooDeep, 250));
    let nested = format!("{}a{}", "(".repeat(250), ")".repeat(250));
    assert!(Languages::default().pattern(&nested).is_ok());
    let text = Languages::default().pattern("(?i:a)").unwrap_err().to_string();
    assert!(text.ends_with("(at byte 0 of the pattern)"), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    /// Nothing that is written ends in a panic, and errors point between two characters.
    #[test]
    fn any_pattern_is_read_or_refused(
        pattern in r"([()\[\]{}|*+?^$.,:=!<>a-d0-9é-]|\\|\\[bBcdDkpPsSuwWx]|\(\?|\{[0-9]){0,16}",
        text in "[a-dpux0-9é({-]{0,4}",
    ) {
        let mut languages = Languages::default();
        match languages.pattern(&pattern) {
            Err(error) => prop_assert!(pattern.is_char_boundary(error.offset)),
            Ok(language) => {
                let found = languages.contains(language, &text).unwrap();
                let not = languages.not(language).unwrap();
                prop_assert_eq!(languages.contains(not, &text).unwrap(), !found);
            }
        }
    }
}
