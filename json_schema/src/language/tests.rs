//! Languages against a naive backtracking matcher.

use proptest::prelude::*;

use super::{CharSet, Dfa, LanguageId, Languages};

/// A pattern, as the specification's matcher sees it.
#[derive(Clone, Debug)]
enum Node {
    Empty,
    Char(char),
    Set { negated: bool, chars: Vec<char> },
    Dot,
    Word { negated: bool },
    Space,
    Start,
    End,
    Boundary { negated: bool },
    Ahead { inner: Box<Node>, negated: bool },
    Concat(Vec<Node>),
    Alt(Vec<Node>),
    Repeat { inner: Box<Node>, min: u32, max: Option<u32> },
}

const ALPHABET: [char; 5] = ['a', 'b', '1', ' ', 'é'];

impl Node {
    fn pattern(&self) -> String {
        match self {
            Self::Empty => "(?:)".to_owned(),
            Self::Char(c) => c.to_string(),
            Self::Set { negated, chars } => {
                format!("[{}{}]", if *negated { "^" } else { "" }, String::from_iter(chars))
            }
            Self::Dot => ".".to_owned(),
            Self::Word { negated } => if *negated { "\\W" } else { "\\w" }.to_owned(),
            Self::Space => "\\s".to_owned(),
            Self::Start => "^".to_owned(),
            Self::End => "$".to_owned(),
            Self::Boundary { negated } => if *negated { "\\B" } else { "\\b" }.to_owned(),
            Self::Ahead { inner, negated } => {
                format!("(?{}{})", if *negated { "!" } else { "=" }, inner.pattern())
            }
            Self::Concat(parts) => {
                let parts: Vec<_> = parts.iter().map(Self::pattern).collect();
                format!("(?:{})", parts.join(")(?:"))
            }
            Self::Alt(cases) => {
                let cases: Vec<_> = cases.iter().map(Self::pattern).collect();
                format!("({})", cases.join("|"))
            }
            Self::Repeat { inner, min, max } => match max {
                Some(max) => format!("({}){{{min},{max}}}", inner.pattern()),
                None => format!("(?:{}){{{min},}}?", inner.pattern()),
            },
        }
    }

    /// Calls `then` with the ends of matches from `at` until it is content.
    fn matches(&self, text: &[char], at: usize, then: &mut dyn FnMut(usize) -> bool) -> bool {
        let is_word =
            |at: usize| text.get(at).is_some_and(|c| c.is_ascii_alphanumeric() || *c == '_');
        let mut one =
            |fits: &dyn Fn(char) -> bool| text.get(at).is_some_and(|&c| fits(c)) && then(at + 1);
        match self {
            Self::Empty => then(at),
            Self::Char(c) => one(&|d| d == *c),
            Self::Set { negated, chars } => one(&|c| chars.contains(&c) != *negated),
            Self::Dot => one(&|c| !"\n\r\u{2028}\u{2029}".contains(c)),
            Self::Word { negated } => one(&|c| (c.is_ascii_alphanumeric() || c == '_') != *negated),
            Self::Space => one(&|c| c == ' '),
            Self::Start => at == 0 && then(at),
            Self::End => at == text.len() && then(at),
            Self::Boundary { negated } => {
                let boundary = (at > 0 && is_word(at - 1)) != is_word(at);
                boundary != *negated && then(at)
            }
            Self::Ahead { inner, negated } => {
                inner.matches(text, at, &mut |_| true) != *negated && then(at)
            }
            Self::Concat(parts) => match parts.split_first() {
                None => then(at),
                Some((first, rest)) => {
                    let rest = Self::Concat(rest.to_vec());
                    first.matches(text, at, &mut |end| rest.matches(text, end, then))
                }
            },
            Self::Alt(cases) => cases.iter().any(|case| case.matches(text, at, then)),
            Self::Repeat { inner, min, max } => {
                if *max == Some(0) {
                    return then(at);
                }
                let rest = Self::Repeat {
                    inner: inner.clone(),
                    min: min.saturating_sub(1),
                    max: max.map(|max| max - 1),
                };
                let more = inner.matches(text, at, &mut |end| {
                    // An iteration beyond the minimum must read something.
                    !(*min == 0 && end == at) && rest.matches(text, end, then)
                });
                more || *min == 0 && then(at)
            }
        }
    }

    fn is_found(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        (0..=text.len()).any(|start| self.matches(&text, start, &mut |_| true))
    }
}

fn nodes() -> impl Strategy<Value = Node> {
    let char = || prop::sample::select(ALPHABET.to_vec());
    let leaf = prop_oneof![
        1 => Just(Node::Empty),
        6 => char().prop_map(Node::Char),
        2 => (any::<bool>(), prop::collection::vec(char(), 0..3))
            .prop_map(|(negated, chars)| Node::Set { negated, chars }),
        1 => Just(Node::Dot),
        1 => any::<bool>().prop_map(|negated| Node::Word { negated }),
        1 => Just(Node::Space),
        1 => Just(Node::Start),
        1 => Just(Node::End),
        2 => any::<bool>().prop_map(|negated| Node::Boundary { negated }),
    ];
    leaf.prop_recursive(5, 24, 4, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        prop_oneof![
            4 => prop::collection::vec(inner.clone(), 1..4).prop_map(Node::Concat),
            2 => prop::collection::vec(inner.clone(), 1..4).prop_map(Node::Alt),
            2 => (boxed(), any::<bool>()).prop_map(|(inner, negated)| Node::Ahead { inner, negated }),
            3 => (boxed(), 0..3u32, prop::option::of(0..3u32)).prop_map(|(inner, min, more)| {
                Node::Repeat { inner, min, max: more.map(|more| min + more) }
            }),
        ]
    })
}

/// All texts over the alphabet of at most so many code points.
fn texts(longest: usize) -> Vec<String> {
    let mut texts = vec![String::new()];
    let mut last = 0;
    for _ in 0..longest {
        let end = texts.len();
        for index in last..end {
            for c in ALPHABET {
                texts.push(format!("{}{c}", texts[index]));
            }
        }
        last = end;
    }
    texts
}

fn accepts(dfa: &Dfa, text: &str) -> bool {
    let mut state = &dfa.states()[0];
    for c in text.chars() {
        match state.transitions.iter().find(|(set, _)| set.contains(c)) {
            Some(&(_, to)) => state = &dfa.states()[to],
            None => return false,
        }
    }
    state.accepting
}

const LIMIT: usize = 20_000;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn patterns_match_like_the_specification(node in nodes()) {
        let pattern = node.pattern();
        let mut languages = Languages::default();
        let language = languages.pattern(&pattern).unwrap();
        let dfa = languages.dfa(language, LIMIT).unwrap();
        let (mut shortest, mut longest) = (None, None);
        for text in texts(5) {
            let expected = node.is_found(&text);
            prop_assert_eq!(languages.contains(language, &text).unwrap(), expected, "{} on {:?}", pattern, text);
            prop_assert_eq!(accepts(&dfa, &text), expected, "automaton of {} on {:?}", pattern, text);
            if expected {
                let length = text.chars().count() as u64;
                shortest = shortest.or(Some(length));
                longest = Some(length);
            }
        }
        prop_assert_eq!(dfa.is_empty(), dfa.lengths().is_none());
        for (min, max) in [(0, None), (3, None), (0, Some(1)), (2, Some(2)), (3, Some(4))] {
            let of_length = languages.lengths(min, max).unwrap();
            let both = languages.and([language, of_length]).unwrap();
            let is_empty = languages.dfa(both, LIMIT).unwrap().is_empty();
            if let Some(known) = languages.has_length(language, min.into(), max.map(u64::from)) {
                prop_assert_eq!(known, !is_empty, "{} of {} to {:?}", pattern, min, max);
            }
        }
        let others = languages.not(language).unwrap();
        let short = languages.lengths(0, Some(2)).unwrap();
        let long = languages.not(short).unwrap();
        let both = languages.and([others, long]).unwrap();
        for endless in [language, others, both] {
            if languages.is_evidently_endless(endless) {
                let lengths = languages.dfa(endless, LIMIT).unwrap().lengths();
                prop_assert!(lengths.is_some_and(|lengths| lengths.max.is_none()), "{}", pattern);
            }
        }
        // Other code points make other lengths.
        let letter = languages.class(CharSet::from_ranges(ALPHABET.map(|c| (c, c)))).unwrap();
        let letters = languages.repeat(letter, 0, None).unwrap();
        let spelled = languages.and([language, letters]).unwrap();
        let spelled = languages.dfa(spelled, LIMIT).unwrap();
        let lengths = spelled.lengths();
        match shortest {
            Some(shortest) => prop_assert_eq!(lengths.unwrap().min, shortest),
            None => prop_assert!(lengths.is_none_or(|lengths| lengths.min > 5)),
        }
        if let Some(max) = lengths.and_then(|lengths| lengths.max)
            && max <= 5
        {
            prop_assert_eq!(Some(max), longest);
            let mut found: Vec<String> = texts(5).into_iter().filter(|text| node.is_found(text)).collect();
            found.sort();
            prop_assert_eq!(spelled.texts(found.len() - 1), None);
            prop_assert_eq!(spelled.texts(found.len()), Some(found));
        }
    }

    /// In another store a language is what it would have been made there.
    #[test]
    fn languages_are_restored(a in nodes(), b in nodes(), other in nodes()) {
        let mut first = Languages::default();
        let made = [&a, &b].map(|node| first.pattern(&node.pattern()).unwrap());
        let either = first.alt(made).unwrap();
        let both = first.and(made).unwrap();
        let snapshot = first.snapshot([made[0], made[1], either, both]);
        let mut second = Languages::default();
        second.pattern(&other.pattern()).unwrap();
        let restored = second.restore(&snapshot).unwrap();
        let made = [&a, &b].map(|node| second.pattern(&node.pattern()).unwrap());
        prop_assert_eq!([restored[0], restored[1]], made);
        prop_assert_eq!(restored[2], second.alt(made).unwrap());
        prop_assert_eq!(restored[3], second.and(made).unwrap());
    }

    #[test]
    fn boolean_operations_go_by_membership(a in nodes(), b in nodes()) {
        let mut languages = Languages::default();
        let [x, y] = [&a, &b].map(|node| languages.pattern(&node.pattern()).unwrap());
        let and = languages.and([x, y]).unwrap();
        let or = languages.alt([x, y]).unwrap();
        let not = languages.not(x).unwrap();
        let only = languages.and([not, y]).unwrap();
        for text in texts(4) {
            let (in_a, in_b) = (a.is_found(&text), b.is_found(&text));
            let cases = [(and, in_a && in_b), (or, in_a || in_b), (not, !in_a), (only, !in_a && in_b)];
            for (language, expected) in cases {
                prop_assert_eq!(languages.contains(language, &text).unwrap(), expected,
                    "{} and {} on {:?}", a.pattern(), b.pattern(), text);
            }
        }
        // De Morgan, on whole languages.
        let not_y = languages.not(y).unwrap();
        let either = languages.alt([not, not_y]).unwrap();
        let neither = languages.not(and).unwrap();
        prop_assert_eq!(languages.dfa(either, LIMIT).unwrap(), languages.dfa(neither, LIMIT).unwrap());
        let nothing = languages.and([only, x]).unwrap();
        prop_assert!(languages.dfa(nothing, LIMIT).unwrap().is_empty());
        let everything = languages.alt([only, x, not_y]).unwrap();
        prop_assert!(languages.is_everything(everything).unwrap());
        // A search tells what the whole automaton does.
        for language in [x, y, and, not, either] {
            let is_empty = languages.dfa(language, LIMIT).unwrap().is_empty();
            prop_assert_eq!(languages.has_text(language).unwrap(), !is_empty);
        }
    }
}

fn dfa(pattern: &str) -> Dfa {
    let mut languages = Languages::default();
    let language = languages.pattern(pattern).unwrap();
    languages.dfa(language, LIMIT).unwrap()
}

#[test]
fn equal_languages_have_equal_automata() {
    for (a, b) in [
        ("^(?:a|b)*$", "^[ab]*$"),
        ("^(?!a)[^]*$", "^(?:[^a][^]*)?$"),
        ("^(?:(?!ab)[ab])*$", "^b*a?$|^b*a*$"),
        ("a", "^[^]*a[^]*$"),
        ("^(?:a{1,3}|a{2,5})$", "^a{1,5}$"),
        ("(?:)", ""),
        ("^(?=.*a)(?=.*b).{2}$", "^(?:ab|ba)$"),
        ("^.{2,}$|^.?$", "^.*$"),
    ] {
        assert_eq!(dfa(a), dfa(b), "{a} and {b}");
    }
    let mut languages = Languages::default();
    let everything = languages.pattern("").unwrap();
    assert!(languages.is_everything(everything).unwrap());
    assert!(dfa("a^").is_empty());
}

#[test]
fn repetitions_beside_all_texts_are_the_fewest() {
    let mut languages = Languages::default();
    let mut language = |pattern| languages.pattern(pattern).unwrap();
    for (pattern, same) in [
        (r"\w{1,16}", r"\w"),
        ("a{2,}b?", "a{2}"),
        ("x*(ab){0,3}c*d+", "d"),
        ("^a+b{3,5}", "^a+b{3}"),
        ("a{3,5}b+$", "a{3}b+$"),
        ("a*", ""),
    ] {
        assert_eq!(language(pattern), language(same), "{pattern}");
    }
    assert_ne!(language("^a{1,2}b"), language("^ab"));
}

#[test]
fn most_assertions_are_decided_by_what_lies_beside_them() {
    let mut languages = Languages::default();
    for (pattern, same) in [
        (r"\bab\b", r"(?:^|\W)ab(?:$|\W)"),
        (r"^\bab\b", r"^ab(?:$|\W)"),
        (r"^\B", r"^(?:$|\W)"),
        (r"a\Bb", "ab"),
        (r"a\bb", "[]"),
        (r"^[a.]{1,200}\b[a.]*$", r"^(?:[a.]{0,199}a(?:\.[a.]*)?|[a.]{0,199}\.a[a.]*)$"),
        (r"^a+b?c*\b(?:-|x)$", r"^a+b?c*-$"),
        (r"a(?!b)", "a(?:$|[^b])"),
        (r"(^|b)a(?=b|$)", "(?:^|b)a(?:b|$)"),
        (r"^(?:(?!a)[ab]|b\b)$", "^b$"),
        (r"^(?!$)(?=[ab])[a-c]*", "^[ab]"),
        (r"^(?=.{1,20}$)(?!-)[-a]{0,9}$", "^a[-a]{0,8}$"),
        (r"^(?!(?:aa|b)$)[ab]{1,16}$", "^(?:a|[ab]b|ba|[ab]{3,16})$"),
        (r"^(?=.*\bb)(?=.*a)[ab.]{16}$", r"^(?=.*(?:^|\W)b)(?=.*a)[ab.]{16}$"),
    ] {
        let [language, same] = [pattern, same].map(|pattern| languages.pattern(pattern).unwrap());
        assert!(!languages.asserts(language), "{pattern}");
        let [dfa, same] = [language, same].map(|language| languages.dfa(language, LIMIT).unwrap());
        assert_eq!(dfa, same, "{pattern}");
    }
    // Elsewhere an automaton says what is meant.
    for pattern in [r"^(?=a)\bb", r"^(?:a\b|b)\b", r"^(?=.*a).*b$", r"^a(?=.*a).{20}$"] {
        let language = languages.pattern(pattern).unwrap();
        assert!(languages.asserts(language), "{pattern}");
    }
}

#[test]
fn lengths_are_known() {
    let lengths = |pattern| dfa(pattern).lengths().map(|lengths| (lengths.min, lengths.max));
    assert_eq!(lengths("^a{2,300}$"), Some((2, Some(300))));
    assert_eq!(lengths("^(?:ab|c+)$"), Some((1, None)));
    assert_eq!(lengths("^$"), Some((0, Some(0))));
    assert_eq!(lengths("x"), Some((1, None)));
    assert_eq!(lengths("[]"), None);
}

#[test]
fn texts_and_lengths_are_languages() {
    let mut languages = Languages::default();
    let long = languages.lengths(3, Some(4)).unwrap();
    let short = languages.lengths(0, Some(3)).unwrap();
    let both = languages.and([long, short]).unwrap();
    assert_eq!(both, languages.lengths(3, Some(3)).unwrap());
    let all = languages.alt([long, short]).unwrap();
    assert_eq!(all, languages.lengths(0, Some(4)).unwrap());
    let text = languages.text("aé\u{10ffff}").unwrap();
    assert!(languages.contains(both, "aé\u{10ffff}").unwrap());
    assert!(languages.contains(text, "aé\u{10ffff}").unwrap());
    assert!(!languages.contains(text, "aé").unwrap());
    let not = languages.not(text).unwrap();
    assert_eq!(languages.alt([text, not]).unwrap(), LanguageId::EVERYTHING);
    assert_eq!(languages.and([text, not]).unwrap(), LanguageId::NOTHING);
    let shorter = languages.lengths(0, Some(262_144)).unwrap();
    let longer = languages.lengths(262_145, None).unwrap();
    assert_eq!(languages.not(shorter).unwrap(), longer);
    assert_eq!(languages.not(longer).unwrap(), shorter);
    assert_eq!(languages.alt([shorter, longer]).unwrap(), LanguageId::EVERYTHING);
    assert_eq!(languages.and([shorter, longer]).unwrap(), LanguageId::NOTHING);
}

/// What is too large ends in an error, and soon.
#[test]
fn limits_are_errors() {
    let mut languages = Languages::default();
    let large = languages.pattern("^(?:.{0,3000}a.{0,3000}){20}b$").unwrap();
    assert!(languages.dfa(large, LIMIT).is_err());
    let subsets = languages.pattern("a.{40}b").unwrap();
    assert!(languages.dfa(subsets, LIMIT).is_err());

    let hostile = [
        format!("^{}$", "a?".repeat(20_000)),
        format!("^{}$", "(?=a)".repeat(5_000)),
        format!("^{}{}$", "(?:a|".repeat(200), ")*".repeat(200)),
        format!("^{}{}$", "(?:a|\\b".repeat(200), "){2,9}".repeat(200)),
        format!("^{}a{}$", "(?:".repeat(240), "{0,4294967295}){4294967295}".repeat(240)),
        format!("^(?:{})*$", "\\b|^|$|".repeat(5_000)),
        "(?:a|\\b){4294967295}".to_owned(),
        "(?:\\b){4294967295}".to_owned(),
        format!(
            "^(?:{})$",
            (0..3_000).map(|n| format!("[^{n}]x{n}")).collect::<Vec<_>>().join("|")
        ),
        format!("^{}$", "(?!a)".repeat(3_000)),
        format!("{}x{}", "(?=".repeat(249), ")".repeat(249)),
        format!("{}x{}", "(?=(?:a|b*".repeat(124), ")*)".repeat(124)),
    ];
    for pattern in hostile {
        let mut languages = Languages::default();
        if let Ok(language) = languages.pattern(&pattern) {
            let _ = languages.contains(language, "aaaa");
            let _ = languages.dfa(language, LIMIT);
        }
    }
}
