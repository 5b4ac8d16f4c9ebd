//! Counts that are split for llama.cpp: it reads the grammar, and the language is the same.

use grammask_gbnf::{Automaton, Dialect, Grammar, Label, Matcher, parse_with};

/// Grammars with the letters that are repeated, and the lengths of interest.
const GRAMMARS: [(&str, &[u32]); 14] = [
    (r#""a"{2000}"#, &[1_999, 2_000, 2_001]),
    (r#""a"{0,2000}"#, &[0, 2_000, 2_001]),
    (r#""a"{2001}"#, &[2_000, 2_001, 2_002]),
    (r#""a"{0,2001}"#, &[0, 1_999, 2_000, 2_001, 2_002]),
    (r#""a"{10000}"#, &[8_000, 9_999, 10_000, 10_001]),
    (r#""a"{0,50000}"#, &[0, 1, 1_999, 2_000, 47_999, 49_999, 50_000, 50_001]),
    (r#""a"{2001,}"#, &[2_000, 2_001, 7_000]),
    (r#""a"{1,5999}"#, &[0, 1, 2, 4_000, 4_001, 5_998, 5_999, 6_000]),
    (r#""a"{3000,7000}"#, &[2_999, 3_000, 4_999, 5_000, 5_001, 6_999, 7_000, 7_001]),
    (r#""a"{0,4100000}"#, &[0, 1, 1_999, 2_000, 4_001]),
    // Within the limit, were it not for what is repeated.
    (r#"("a"{0,50}){100}"#, &[0, 4_999, 5_000, 5_001]),
    (r#"(("a" | "a" "a"){30,40} | [a]?){0,60}"#, &[0, 1, 59, 4_800, 4_801]),
    (r#"(("a"{3000}){1,2001}){0,2}"#, &[0, 1, 3_000, 4_500, 6_000, 9_000]),
    (r#"("a" other){0,1500}"#, &[0, 1, 2, 2_999, 3_000, 3_001]),
];

#[test]
fn split_counts_are_the_same_counts() {
    for (body, lengths) in GRAMMARS {
        let text = format!("root ::= {body}\nother ::= \"a\"\n");
        let whole = Grammar::parse(&text).expect("a grammar");
        let split = whole.clone().with_split_counts();
        let printed = split.to_string();
        let read = parse_with(&printed, Dialect::LlamaCpp);
        assert_eq!(read.as_ref(), Ok(&split), "{body}:\n{printed}");
        let [whole, split] =
            [whole, split].map(|it| Automaton::compile(&it, "root").expect("it compiles"));
        for &length in lengths {
            let text = "a".repeat(length as usize);
            let verdicts = [&whole, &split].map(|automaton| {
                let mut matcher = Matcher::new(automaton);
                matcher.advance(text.as_bytes()).is_ok() && matcher.is_complete()
            });
            assert_eq!(verdicts[0], verdicts[1], "{length} in {body}:\n{printed}");
        }
    }
}

#[test]
fn split_counts_are_one_loop() {
    for counts in ["2001", "0,2001", "2,65535", "1000,4100000", "5000,"] {
        let text = format!("root ::= \"<\" [^>]{{{counts}}} \">\"\n");
        let whole = Grammar::parse(&text).expect("a grammar");
        let split = whole.clone().with_split_counts();
        assert_ne!(whole, split);
        let [whole, split] = [whole, split].map(|grammar| {
            let automaton = Automaton::compile(&grammar, "root").expect("it compiles");
            let mut session = automaton.session();
            let start = session.start();
            let inside = session.step(&start, b'<');
            let behind = (0..1_000).fold(inside.clone(), |state, _| session.step(&state, b'a'));
            [inside, behind].map(|state| {
                let labels = state.entries().iter().filter_map(|entry| match entry.label {
                    Label::Counted { min, max, .. } => Some((min, max)),
                    _ => None,
                });
                labels.collect::<Vec<_>>()
            })
        });
        assert!(whole.iter().all(|labels| labels.len() == 1), "{counts}");
        assert_eq!(whole, split, "{counts}");
    }
}

#[test]
fn small_counts_and_taken_names_are_left_alone() {
    let small = "root ::= (\"a\"{0,64} | [b]{2000})* root-item\nroot-item ::= \"c\"{5,}\n";
    let grammar = Grammar::parse(small).expect("a grammar");
    assert_eq!(grammar.clone().with_split_counts(), grammar);

    let taken = "root ::= root-2000 \"a\"{4001}\nroot-2000 ::= \"b\"\n";
    let split = Grammar::parse(taken).expect("a grammar").with_split_counts();
    let expected = "root ::= root-2000 root-2000-1{2} \"a\"\nroot-2000 ::= \"b\"\n\
                    root-2000-1 ::= \"a\"{2000}\n";
    assert_eq!(split.to_string(), expected);
}
