//! The matcher against the oracle: a slow, obvious recogniser.

use grammask_gbnf::{Automaton, Expr, Grammar, Matcher};
use grammask_oracle::{Reference, enumerate, generate};
use proptest::prelude::*;

fn matcher(grammar: &Grammar) -> Matcher {
    Matcher::new(&Automaton::compile(grammar, "root").expect("generated grammars compile"))
}

/// Both read a text along, and are asked for every byte at every place.
fn agree(grammar: &Grammar, text: &[u8]) -> Result<(), TestCaseError> {
    let reference = Reference::new(grammar, "root");
    let mut matcher = matcher(grammar);
    let mut chart = reference.start();
    for at in 0..=text.len() {
        let context = || format!("{grammar}\nafter {:?}", String::from_utf8_lossy(&text[..at]));
        let next: Vec<u8> = matcher.next_bytes().iter().collect();
        let expected = chart.next_bytes();
        if reference.gave_up() || next != expected && gives_up(&matcher) {
            break;
        }
        prop_assert_eq!(matcher.is_complete(), chart.matches(), "complete: {}", context());
        prop_assert_eq!(next, expected, "next bytes: {}", context());
        let Some(&byte) = text.get(at) else { break };
        let alive = matcher.advance(&[byte]).is_ok();
        prop_assert_eq!(alive, chart.allows(byte), "byte {}: {}", byte, context());
        if !alive {
            break;
        }
        chart.push(byte);
    }
    Ok(())
}

/// Whether a byte takes more work than the limit, each by itself.
fn gives_up(matcher: &Matcher) -> bool {
    let is_allowed = |byte| matcher.accepts_token(Some(&[byte]), |_| false, u64::MAX);
    (0..=u8::MAX).any(|byte| is_allowed(byte).is_err())
}

/// Both read a walk through the language, and the same with some mistakes.
fn agree_on_walks(grammar: &Grammar, steps: &[u16], changes: &[u32]) -> Result<(), TestCaseError> {
    let reference = Reference::new(grammar, "root");
    let walk = generate::walk(&reference, steps);
    prop_assume!(!reference.gave_up());
    agree(grammar, &walk)?;
    agree(grammar, &generate::mutate(&walk, changes))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn reads_what_the_reference_reads(
        grammar in generate::grammars(),
        steps in generate::steps(24),
        changes in generate::changes(),
    ) {
        agree_on_walks(&grammar, &steps, &changes)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn right_linear_rules_are_what_the_reference_makes_of_them(
        grammar in generate::linear_grammars(),
        steps in generate::steps(24),
        changes in generate::changes(),
    ) {
        agree_on_walks(&grammar, &steps, &changes)?;
    }

    #[test]
    fn right_linear_rules_read_as_with_a_stack(
        grammar in generate::linear_grammars(),
        steps in generate::steps(24),
        changes in generate::changes(),
    ) {
        let walk = generate::walk(&Reference::new(&grammar, "root"), &steps);
        for text in [generate::mutate(&walk, &changes), walk] {
            let (mut terminals, mut stack) = (matcher(&grammar), matcher(&with_stack(&grammar)));
            for byte in text {
                prop_assert_eq!(terminals.is_complete(), stack.is_complete(), "{}", grammar);
                prop_assert_eq!(terminals.next_bytes(), stack.next_bytes(), "{}", grammar);
                let alive = terminals.advance(&[byte]).is_ok();
                prop_assert_eq!(alive, stack.advance(&[byte]).is_ok(), "{}", grammar);
                if !alive {
                    break;
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn many_parts_are_what_the_reference_makes_of_them(
        grammar in generate::grammars_of_many_parts(),
        steps in generate::steps(12),
        changes in generate::changes(),
    ) {
        agree_on_walks(&grammar, &steps, &changes)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn bytes_around_one_lead_where_it_does(
        grammar in prop_oneof![generate::grammars(), generate::members_grammars(), generate::unique_grammars()],
        steps in generate::steps(12),
    ) {
        let automaton = Automaton::compile(&grammar, "root").expect("generated grammars compile");
        let mut session = automaton.session();
        let mut state = session.start();
        for step in steps {
            let next: Vec<_> = (0..=u8::MAX).map(|byte| session.step(&state, byte)).collect();
            for byte in 0..=u8::MAX {
                let (to, around) = session.step_around(&state, byte);
                prop_assert!(around.contains(&byte));
                for other in around {
                    prop_assert_eq!(&next[usize::from(other)], &to, "{} {}: {}", byte, other, grammar);
                }
            }
            let mut live: Vec<_> = next.into_iter().filter(|next| !next.is_dead()).collect();
            if live.is_empty() {
                break;
            }
            state = live.swap_remove(usize::from(step) % live.len());
        }
    }
}

/// The same language, but with each rule also inside of an alternative that matches nothing.
fn with_stack(grammar: &Grammar) -> Grammar {
    let mut changed = Grammar::default();
    for rule in &grammar.rules {
        let inside = Expr::sequence([Expr::reference(rule.name.clone()), Expr::nothing()]);
        changed.add(rule.name.clone(), Expr::choice([Expr::clone(&rule.body), inside]));
    }
    changed
}

/// Rules that can begin alike: which of them is open is a set, and there are 2^`sets` of these.
fn alike(sets: usize) -> String {
    let rest = "[ab] ".repeat(sets);
    format!("root ::= a\na ::= \"a\" a | \"b\" a | \"a\" b\nb ::= {rest} (\"c\" a | \"\")\n")
}

#[test]
fn right_linear_rules_are_terminals_unless_they_have_many_states() {
    let automaton = |text: &str| {
        let grammar = Grammar::parse(text).expect("it parses");
        (Automaton::compile(&grammar, "root").expect("it compiles"), grammar)
    };
    let few = automaton(&alike(3)).0;
    let states = (0..30_000)
        .map(|state| {
            let (next, other) = ((state + 1) % 30_000, state * 7 % 30_000);
            format!("s{state} ::= [a-m]* (\"n\" s{next} | \"o\" s{other} | \"\\\"\")\n")
        })
        .collect::<Vec<_>>()
        .concat();
    let many_rules = automaton(&format!("root ::= s0\n{states}")).0;
    for automaton in [&few, &many_rules] {
        assert!(automaton.size() < 10, "a terminal: {}", automaton.size());
    }
    let terms = many_rules.terms().len();
    let mut matcher = Matcher::new(&many_rules);
    matcher.advance(&b"abno".repeat(1_000)).expect("it is a text");
    assert!(many_rules.terms().len() < terms + 20_000, "only what is read is looked at");

    let (many_states, grammar) = automaton(&alike(200));
    assert!(many_states.size() > 200, "positions: {}", many_states.size());
    agree(&grammar, &b"ab".repeat(150)).expect("the same");
}

#[test]
fn states_without_loops_are_terminals() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/masks/states-without-loops.gbnf");
    let counted = std::fs::read_to_string(path).expect("it is text");
    let (states, _) = counted.split_once("word-10 ::=").expect("its end is counted");
    let not_counted = format!("{states}word-10 ::= gap-10\ngap-10 ::= \"\\\"\"\n");
    for text in [&counted, &not_counted] {
        let grammar = Grammar::parse(text).expect("it parses");
        let automaton = Automaton::compile(&grammar, "root").expect("it compiles");
        assert!(automaton.size() < 10, "a terminal: {}", automaton.size());
        for text in ["ab é\\n cdefghij", "abcdefghi", "abcdefghi \\", "abcdefghi kl", "a  "] {
            agree(&grammar, format!("\"{text}\"").as_bytes()).expect("the same");
        }
    }
}

proptest! {
    // The oracle writes members out in all orders, which takes its time.
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn members_are_what_the_reference_makes_of_them(
        grammar in generate::members_grammars(),
        steps in generate::steps(24),
        changes in generate::changes(),
    ) {
        agree_on_walks(&grammar, &steps, &changes)?;
    }
}

proptest! {
    // The oracle looks for a way to finish each text, which takes its time.
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn lists_are_what_the_reference_makes_of_them(
        grammar in generate::unique_grammars(),
        steps in generate::steps(24),
        changes in generate::changes(),
    ) {
        agree_on_walks(&grammar, &steps, &changes)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn rollback_clone_and_reset_are_as_fresh(
        grammar in generate::grammars(),
        steps in generate::steps(20),
        back in 0usize..20,
    ) {
        let reference = Reference::new(&grammar, "root");
        let walk = generate::walk(&reference, &steps);
        prop_assume!(!reference.gave_up());
        let mut used = matcher(&grammar);
        for byte in &walk {
            used.advance(&[*byte]).expect("the walk is viable");
        }
        let clone = used.clone();
        used.rollback(back);
        let kept = walk.len().saturating_sub(back);
        let mut fresh = matcher(&grammar);
        for byte in &walk[..kept] {
            fresh.advance(&[*byte]).expect("the walk is viable");
        }
        prop_assert_eq!(used.steps(), kept);
        prop_assert_eq!(used.next_bytes(), fresh.next_bytes());
        prop_assert_eq!(used.is_complete(), fresh.is_complete());
        for byte in &walk[kept..] {
            used.advance(&[*byte]).expect("the walk is viable");
        }
        prop_assert_eq!(used.next_bytes(), clone.next_bytes());
        prop_assert_eq!(used.state(), clone.state(), "states are canonical");
        used.reset();
        prop_assert_eq!(used.next_bytes(), matcher(&grammar).next_bytes());
    }
}

/// All texts over an alphabet up to `longest` bytes, found by following every byte that may come.
fn texts(matcher: &Matcher, alphabet: &[u8], longest: usize) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let mut pending = vec![(matcher.clone(), Vec::new())];
    while let Some((matcher, text)) = pending.pop() {
        if matcher.is_complete() {
            found.push(text.clone());
        }
        if text.len() == longest {
            continue;
        }
        let next = matcher.next_bytes();
        for &byte in alphabet.iter().filter(|&&byte| next.contains(byte)) {
            let (mut matcher, mut text) = (matcher.clone(), text.clone());
            matcher.advance(&[byte]).expect("it may come next");
            text.push(byte);
            pending.push((matcher, text));
        }
    }
    found.sort_unstable();
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn rewriting_left_recursion_keeps_the_language(grammar in generate::plain_grammars()) {
        let reference = Reference::new(&grammar, "root");
        let ascii: Vec<u8> = generate::ALPHABET.iter().copied().filter(u8::is_ascii).collect();
        let mut expected = enumerate::texts(&reference, &ascii, 4, usize::MAX);
        expected.sort_unstable();
        prop_assert_eq!(texts(&matcher(&grammar), &ascii, 4), expected, "{}", grammar);
    }
}
