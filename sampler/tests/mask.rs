//! The fast mask against brute force: every token tried with the plain matcher.

use std::path::Path;
use std::sync::Arc;

use grammask_gbnf::{Automaton, Grammar};
use grammask_oracle::generate;
use grammask_sampler::{Constraint, Engine, TokenId, TokenMask, Vocabulary, fill_masks};
use proptest::collection::vec;
use proptest::prelude::*;

/// The mask by its definition: every token is tried byte by byte, in a session of its own. In the
/// order of their bytes, so that what a token shares with the one before need not be read again.
fn brute_force(constraint: &Constraint, automaton: &Automaton, text: &[u8]) -> TokenMask {
    let vocabulary = constraint.engine().vocabulary();
    let mut mask = TokenMask::new(vocabulary.len());
    let mut session = automaton.session();
    let start = session.start();
    let start = text.iter().fold(start, |state, &byte| session.step(&state, byte));
    // The states after each byte of the last token, up to one that is dead.
    let mut states = vec![start];
    let mut last: &[u8] = &[];
    for &token in vocabulary.ordered() {
        let bytes = vocabulary.bytes(token).expect("it is listed");
        let common = last.iter().zip(bytes).take_while(|(a, b)| a == b).count();
        states.truncate(common + 1);
        last = bytes;
        while let Some(state) = states.last()
            && !state.is_dead()
            && states.len() <= bytes.len()
        {
            let next = session.step(state, bytes[states.len() - 1]);
            states.push(next);
        }
        if states.len() == bytes.len() + 1 && !states[bytes.len()].is_dead() {
            mask.insert(token);
        }
    }
    if states[0].is_complete() {
        vocabulary.eog_ids().iter().for_each(|&token| mask.insert(token));
    }
    mask
}

fn same(
    constraint: &Constraint,
    automaton: &Automaton,
    text: &[u8],
    what: &str,
) -> Result<(), TestCaseError> {
    if constraint.is_too_ambiguous() {
        return Ok(());
    }
    let (fast, slow) = (constraint.mask(), brute_force(constraint, automaton, text));
    let mut words = vec![u32::MAX; fast.len().div_ceil(32)];
    constraint.fill_words(&mut words);
    prop_assert_eq!(words, fast.words().collect::<Vec<_>>());
    if fast != slow {
        let vocabulary = constraint.engine().vocabulary();
        let show = |token: &TokenId| {
            String::from_utf8_lossy(vocabulary.bytes(*token).unwrap_or_default()).into_owned()
        };
        let only = |a: &TokenMask, b: &TokenMask| {
            let tokens: Vec<_> = a.tokens().filter(|&token| !b.contains(token)).collect();
            tokens.iter().take(20).map(show).collect::<Vec<_>>()
        };
        return Err(TestCaseError::fail(format!(
            "{what}: too wide {:?}, too narrow {:?}",
            only(&fast, &slow),
            only(&slow, &fast)
        )));
    }
    Ok(())
}

/// Whether there are so many ways to read a text that looking at all of them takes long.
fn is_large(constraint: &Constraint) -> bool {
    let matcher = constraint.matcher().expect("it is strict");
    matcher.state().entries().len() > 100 || matcher.session().size() > 5_000
}

/// The alphabet's vocabulary of the generators, with an end-of-generation token at the end.
fn engine(tokens: &[Vec<u8>]) -> Arc<Engine> {
    let mut builder = Vocabulary::builder();
    for token in tokens {
        builder.push(token);
    }
    builder.push_eog("</s>");
    Engine::new(builder.build().expect("generated tokens are not empty"))
}

/// Takes allowed tokens as `choices` say and compares the masks at each place; then back, to a
/// fork and to the start.
fn run(engine: &Arc<Engine>, grammar: &Grammar, choices: &[u16]) -> Result<(), TestCaseError> {
    let automaton = Automaton::compile(grammar, "root").expect("it compiles");
    let mut constraint = Constraint::with_automaton(engine, &automaton).expect("no references");
    let mut text = Vec::new();
    let fresh = constraint.clone();
    let mut masks = vec![constraint.mask()];
    same(&constraint, &automaton, &text, &format!("{grammar}\nat the start"))?;
    for &choice in choices {
        let eog = engine.vocabulary().eog_ids();
        let allowed: Vec<TokenId> =
            constraint.mask().tokens().filter(|token| !eog.contains(token)).collect();
        if allowed.is_empty() || is_large(&constraint) {
            break;
        }
        let token = allowed[choice as usize % allowed.len()];
        constraint.accept(token).expect("the mask allows it");
        text.extend_from_slice(engine.vocabulary().bytes(token).expect("it is allowed"));
        let what = format!("{grammar}\nafter {:?}", String::from_utf8_lossy(&text));
        same(&constraint, &automaton, &text, &what)?;
        masks.push(constraint.mask());
    }
    let fork = constraint.clone();
    let back = constraint.len() / 2;
    constraint.rollback(back);
    prop_assert_eq!(&constraint.mask(), &masks[masks.len() - 1 - back], "after rollback");
    prop_assert_eq!(&fork.mask(), &masks[masks.len() - 1], "the fork goes its own way");
    constraint.reset();
    prop_assert_eq!(&constraint.mask(), &fresh.mask(), "after reset");
    let other = Constraint::new(engine, grammar, "root").expect("it compiles");
    prop_assert_eq!(&constraint.mask(), &other.mask(), "as a fresh one");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Also where the tables of the engine are those of other grammars.
    #[test]
    fn masks_are_exact(
        grammars in vec(generate::grammars(), 1..=3),
        tokens in generate::vocabularies(),
        choices in generate::steps(12),
    ) {
        let engine = engine(&tokens);
        for grammar in &grammars {
            run(&engine, grammar, &choices)?;
        }
    }

    /// The masks of many texts at once are those that each has alone, whatever the number of threads.
    #[test]
    fn masks_of_many_are_those_of_each(
        grammars in vec(generate::grammars(), 1..=3),
        tokens in generate::vocabularies(),
        choices in vec(generate::steps(6), 1..=8),
    ) {
        let engine = engine(&tokens);
        let fresh: Vec<_> = grammars
            .iter()
            .map(|grammar| Constraint::new(&engine, grammar, "root").expect("it compiles"))
            .collect();
        for threads in [1, 2, 5] {
            // Clones of one constraint and constraints made apart, some at the same place.
            let mut constraints = Vec::new();
            for (at, choices) in choices.iter().enumerate() {
                let at = at % grammars.len();
                let apart = Constraint::new(&engine, &grammars[at], "root").expect("it compiles");
                for mut constraint in [fresh[at].clone(), apart] {
                    for &choice in choices {
                        let allowed: Vec<_> = constraint.mask().tokens().collect();
                        let Some(&token) = allowed.get(choice as usize % allowed.len().max(1))
                        else {
                            break;
                        };
                        if is_large(&constraint) {
                            break;
                        }
                        constraint.accept(token).expect("the mask allows it");
                        constraints.push(constraint.clone());
                    }
                    constraints.push(constraint);
                }
            }
            let mut masks = vec![TokenMask::new(engine.vocabulary().len()); constraints.len()];
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("threads").install(|| fill_masks(&constraints, &mut masks));
            for (constraint, mask) in constraints.iter().zip(&masks) {
                prop_assert_eq!(mask, &constraint.mask());
            }
        }
    }

    #[test]
    fn masks_in_lists_are_exact(
        grammar in generate::unique_grammars(),
        tokens in generate::vocabularies(),
        choices in generate::steps(12),
    ) {
        run(&engine(&tokens), &grammar, &choices)?;
    }

    #[test]
    fn masks_of_many_configurations_are_exact(
        grammar in generate::grammars_of_many_parts(),
        tokens in generate::vocabularies(),
        choices in generate::steps(6),
    ) {
        run(&engine(&tokens), &grammar, &choices)?;
    }

    #[test]
    fn masks_of_right_linear_rules_are_exact(
        grammar in generate::linear_grammars(),
        tokens in generate::vocabularies(),
        choices in generate::steps(12),
    ) {
        run(&engine(&tokens), &grammar, &choices)?;
    }
}

/// Keys that are looked ahead at are forgotten at first: that they mattered is known also where the same
/// has been asked before.
#[test]
fn keys_of_objects_in_a_row_are_compared() {
    let tokens: Vec<Vec<u8>> = (1..6).map(|len| vec![b'a'; len]).chain([b"ab".to_vec()]).collect();
    for body in
        ["@members(())([^=] *=> ()){0,3}", "@members(())([^=] *=> ()) @members(())([^b] *=> ())"]
    {
        let grammar = Grammar::parse(&format!("root ::= {body}")).expect("a grammar");
        run(&engine(&tokens), &grammar, &[0, 0, 1, 0]).expect("exact");
    }
}

/// Undeclared keys of which there are few may have been written all that begin in some way.
#[test]
fn few_undeclared_keys_are_compared() {
    let tokens: Vec<Vec<u8>> =
        ["c", "c,b", "a", "b", ",", "="].map(|t| t.as_bytes().to_vec()).into();
    let body = r#"@members(",")("aa=" => "a") | @members(",")(("a" | "b") "=" *=> [^a-b])"#;
    let grammar = Grammar::parse(&format!("root ::= {body}")).expect("a grammar");
    for choice in 0..4 {
        run(&engine(&tokens), &grammar, &[choice, 0]).expect("exact");
    }
}

/// As long as fewer keys have been written than there are, one is left; in the end there is none.
#[test]
fn numbers_of_which_few_are_left_are_compared() {
    let tokens = ["1", "2", "3", "0", "10", "12", "23", "231", ",", ",1", "1,", "12,3", "20,20"];
    let tokens: Vec<Vec<u8>> = tokens.map(|token| token.as_bytes().to_vec()).into();
    let engine = engine(&tokens);
    for body in ["[1-3] [0-2]{0,2}", "[1-3] [0-2]?", "[0-2]{3}"] {
        let grammar = Grammar::parse(&format!("root ::= @members(\",\")({body} *=> )"));
        let grammar = grammar.expect("a grammar");
        for n in 0..40 {
            let choices: Vec<u16> = (0..60).map(|at| (n * (at + 5) + at * at) % 11).collect();
            run(&engine, &grammar, &choices).expect("exact");
        }
    }
}

/// A key that has been written may be the beginning of a longer one, and what looks like it the end of a
/// shorter one with its value.
#[test]
fn written_keys_may_be_read_otherwise() {
    let tokens =
        ["'", "a", "b", "a'", "a=", "ab=", "a':1", "b'", "=", ":", "1", ",", "1,'a'", "1,a="];
    let tokens: Vec<Vec<u8>> = tokens.map(|token| token.as_bytes().to_vec()).into();
    let bodies = [
        r#"("'" [a-b]* "'") *=> ":1""#,
        r#"("a" [^=]* "="?) *=> [^a]"#,
        r#"("a" [a-b]*) *=> "=1"?"#,
    ];
    for body in bodies {
        let grammar = Grammar::parse(&format!(r#"root ::= @members(",")({body})"#));
        let grammar = grammar.expect("a grammar");
        for n in 0..60 {
            let choices: Vec<u16> = (0..14).map(|at| (n * (at + 3) + at) % 7).collect();
            run(&engine(&tokens), &grammar, &choices).expect("exact");
        }
    }
}

/// A token may have all of the next keys, and these must differ from the one that it ends.
#[test]
fn keys_within_tokens_are_compared() {
    let mut tokens: Vec<Vec<u8>> = vec![Vec::new()];
    for from in 0..4_usize.pow(5) / 3 {
        tokens.extend(b"',ab".map(|byte| [&tokens[from][..], &[byte]].concat()));
    }
    tokens.extend(
        [&b"','a','"[..], b"b','b'", b"','a','b'", b"=", b"'=a", b"'=b,'a'=", b"]"].map(Vec::from),
    );
    let engine = engine(&tokens[1..]);
    let bodies = [
        r#"("'" [a-b]* "'") *=> """#,
        r#"("'" [a-b]* "'") *=> ","? ; "'b'" ?=> """#,
        r#"("'" [a-b]* "'") *=> "=" ("a" | @members(",")("'" [a-b]* "'" *=> "=b") "]")"#,
    ];
    for body in bodies {
        let grammar = Grammar::parse(&format!(r#"root ::= @members(",")({body}) "]""#));
        let grammar = grammar.expect("a grammar");
        for n in 0..200 {
            let choices: Vec<u16> = (0..8).map(|at| (n * (at + 31) + 7 * at) % 97).collect();
            run(&engine, &grammar, &choices).expect("exact");
        }
    }
}

/// A literal that is no term, and tokens that lead through more rules than are looked at one by one.
#[test]
fn long_texts_and_deep_nesting() {
    let mut tokens: Vec<Vec<u8>> = (1..=3).map(|len| vec![b'x'; len]).collect();
    tokens.extend((1..200).map(|len| vec![b'('; len]));
    tokens.extend((1..200).map(|len| [vec![b'('; 100], vec![b')'; len]].concat()));
    tokens.extend((1..9).map(|len| [vec![b'x'; len], vec![b')'; 9 - len]].concat()));
    tokens.push(b")+((".to_vec());
    let text = "x".repeat(20_000);
    for grammar in [
        format!("root ::= \"(\" (root | \"{text}\")? \")\" (\"+\" root)?"),
        "root ::= e\ne ::= \"(\" e \")\" | e \"+\" e | [x]{1,3} | \"(\" f \")\" \nf ::= e?"
            .to_owned(),
    ] {
        let grammar = Grammar::parse(&grammar).expect("a grammar");
        run(&engine(&tokens), &grammar, &[0, 300, 9, 5, 0, 7, 3, 150, 11]).expect("exact");
    }
}

#[test]
fn masks_are_exact_on_a_real_vocabulary() {
    let engine = Engine::new(Vocabulary::from_name("o200k_base").expect("it is built in"));
    // Each grammar from a few seeds; every state on the way is compared.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/masks");
    let mut files: Vec<_> = folder
        .read_dir()
        .expect("it exists")
        .map(|file| file.expect("it is read").path())
        .collect();
    files.sort();
    for (index, file) in files.iter().enumerate() {
        let text = std::fs::read_to_string(file).expect("it is text");
        let grammar =
            Grammar::parse(&text).unwrap_or_else(|error| panic!("{}: {error:?}", file.display()));
        let mut states = 0;
        for seed in 0.. {
            if states >= 1000_usize.div_ceil(files.len()) {
                break;
            }
            let automaton = Automaton::compile(&grammar, "root").expect("it compiles");
            let mut constraint =
                Constraint::with_automaton(&engine, &automaton).expect("no references");
            let mut text = Vec::new();
            let mut random = seed * 7919_u64 + index as u64 + 1;
            for _ in 0..40 {
                let what = format!("{} at {:?}", file.display(), String::from_utf8_lossy(&text));
                same(&constraint, &automaton, &text, &what).expect("exact");
                states += 1;
                let mask = constraint.mask();
                let eog = engine.vocabulary().eog_ids();
                let allowed = mask.count() - eog.iter().filter(|&&id| mask.contains(id)).count();
                if allowed == 0 {
                    break;
                }
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                // Low ids are short and frequent pieces: they keep the walk in many states. So every
                // magnitude is as likely as every other.
                let magnitude = (random >> 33) as usize % (allowed.ilog2() as usize + 1);
                let choice = (random >> 40) as usize % (1 << magnitude);
                let mut tokens = mask.tokens().filter(|id| !eog.contains(id));
                let token = tokens.nth(choice).expect("counted");
                constraint.accept(token).expect("the mask allows it");
                text.extend_from_slice(engine.vocabulary().bytes(token).expect("it is allowed"));
            }
        }
    }
}
