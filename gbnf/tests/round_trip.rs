//! Printing a tree and parsing the text gives the tree again.

use grammask_gbnf::{
    Dialect, Expr, ExprKind, Grammar, Member, Members, Repetition, TokenName, TokenReference,
    parse_with,
};
use proptest::prelude::*;

fn character() -> impl Strategy<Value = char> {
    prop_oneof![
        prop::sample::select(vec![
            '"',
            '\\',
            '[',
            ']',
            '^',
            '-',
            '#',
            '\n',
            '\r',
            '\t',
            '\0',
            '\x7F',
            ' ',
            '(',
            '|',
            '.',
            '<',
            '>',
            'é',
            '\u{85}',
            '\u{200B}',
            '\u{FEFF}',
            '\u{FFFF}',
            '😀',
            '\u{10FFFF}',
        ]),
        prop::char::range('a', 'e'),
        any::<char>(),
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b-1", "c_2", "-", "0"]).prop_map(str::to_owned)
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(character(), 0..4).prop_map(|characters| characters.into_iter().collect())
}

fn class() -> impl Strategy<Value = Expr> {
    let range = (character(), character()).prop_map(|(a, b)| (a.min(b), a.max(b)));
    let range = prop_oneof![range, character().prop_map(|c| (c, c))];
    (prop::collection::vec(range, 1..4), any::<bool>()).prop_map(|(ranges, negated)| {
        if negated { Expr::class_except(ranges) } else { Expr::class(ranges) }
    })
}

fn token() -> impl Strategy<Value = Expr> {
    let token = prop_oneof![
        any::<u32>().prop_map(TokenName::Id),
        "<[a-z |\"(#\n][^>]{0,3}>".prop_map(TokenName::Text),
    ];
    (any::<bool>(), token)
        .prop_map(|(negated, token)| Expr::new(ExprKind::Token(TokenReference { negated, token })))
}

/// A token with any text.
fn quoted_token() -> impl Strategy<Value = Expr> {
    (any::<bool>(), text()).prop_map(|(negated, text)| {
        Expr::new(ExprKind::Token(TokenReference { negated, token: TokenName::Text(text) }))
    })
}

fn leaf() -> impl Strategy<Value = Expr> {
    prop_oneof![
        text().prop_map(Expr::literal),
        class(),
        Just(Expr::new(ExprKind::Any)),
        name().prop_map(Expr::reference),
        token(),
        Just(Expr::empty()),
    ]
}

fn bounds() -> impl Strategy<Value = (u32, Option<u32>)> {
    prop_oneof![
        Just((0, None)),
        Just((1, None)),
        Just((0, Some(1))),
        (0..5_u32).prop_map(|min| (min, None)),
        (0..5_u32, 0..5_u32).prop_map(|(min, more)| (min, Some(min + more))),
        Just((0, Some(u32::MAX))),
    ]
}

/// What llama.cpp has, up to names.
fn plain() -> impl Strategy<Value = Expr> {
    leaf().prop_recursive(4, 24, 4, |part| {
        let parts = prop::collection::vec(part.clone(), 0..4);
        prop_oneof![
            parts.clone().prop_map(Expr::sequence),
            prop::collection::vec(part.clone(), 1..4).prop_map(Expr::choice),
            (part, bounds()).prop_map(|(item, (min, max))| item.repeat(min, max)),
        ]
    })
}

fn member() -> impl Strategy<Value = Member> {
    let repetition = prop::sample::select(vec![
        Repetition::Required,
        Repetition::Optional,
        Repetition::MANY,
        Repetition::Never,
    ]);
    let many = bounds().prop_map(|(min, max)| Repetition::Many { min, max });
    let repetition = prop_oneof![3 => repetition, 1 => many];
    (repetition, plain(), plain()).prop_map(|(repetition, key, value)| Member {
        key: if repetition.is_many() { key } else { Expr::literal("") },
        repetition,
        value: if repetition == Repetition::Never { Expr::empty() } else { value },
    })
}

fn members() -> impl Strategy<Value = Expr> {
    (prop::collection::vec(member(), 0..4), plain(), bounds()).prop_map(
        |(mut members, separator, (min, max))| {
            // Each key its own text.
            for (at, member) in members.iter_mut().enumerate() {
                if let ExprKind::Literal(key) = &mut member.key.kind {
                    *key = format!("\"{key}{at}\":").into();
                }
            }
            Expr::new(ExprKind::Members(Box::new(Members { members, separator, min, max })))
        },
    )
}

fn grammar(body: impl Strategy<Value = Expr>) -> impl Strategy<Value = Grammar> {
    prop::collection::vec((name(), body), 0..4).prop_map(|rules| {
        let mut grammar = Grammar::default();
        for (name, body) in rules {
            grammar.add(name, body);
        }
        for name in ["a", "b-1", "c_2", "-", "0"] {
            grammar.add(name, Expr::empty());
        }
        grammar
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printed_grammars_parse_to_themselves(
        grammar in grammar(prop_oneof![
            3 => plain(),
            1 => (members(), plain()).prop_map(|(a, b)| Expr::sequence([a, b])),
            1 => members().prop_map(Expr::optional),
            1 => quoted_token(),
        ])
    ) {
        let text = grammar.to_string();
        prop_assert_eq!(Grammar::parse(&text).map_err(|found| found.to_string()), Ok(grammar), "{}", text);
    }

    /// Nothing in the dialect of llama.cpp is refused by the parser, but what it cannot say.
    #[test]
    fn printed_grammars_are_syntax_to_llama_cpp(grammar in grammar(plain())) {
        let text = grammar.to_string().replace("c_2", "c-2").replace('\0', "0");
        if let Err(found) = parse_with(&text, Dialect::LlamaCpp) {
            for diagnostic in found.iter() {
                let code = diagnostic.code.as_str();
                let nothing_left = diagnostic.message.contains("nothing before");
                prop_assert!(
                    matches!(code, "G010" | "G011" | "G021" | "G022") || nothing_left,
                    "{}\n{}", text, diagnostic
                );
            }
        }
    }

    #[test]
    fn no_text_panics(text in "[ -~\n\té]{0,60}") {
        for dialect in [Dialect::Grammask, Dialect::LlamaCpp] {
            if let Ok(grammar) = parse_with(&text, dialect) {
                grammar.check("root");
            }
        }
    }

    #[test]
    fn no_text_made_of_pieces_panics(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "root ::= ", "a ::=", "a", "\"x\"", "\"", "[", "[a-z]", "]", "(", ")", "|", "\n", "*", "?",
            "{", "}", "2", ",", "@members", "=>", "*=>", "!=>", ";", "<t>", "<", "!", "#", "\\u", " ",
            "[z-a]", "\\", ".", "é", "\r",
        ]), 0..25)
    ) {
        let text = pieces.concat();
        for dialect in [Dialect::Grammask, Dialect::LlamaCpp] {
            if let Ok(grammar) = parse_with(&text, dialect) {
                grammar.check("root");
                let printed = grammar.to_string();
                prop_assert_eq!(Grammar::parse(&printed), Ok(grammar), "{}\n{}", text, printed);
            }
        }
    }
}
