//! Forced text against what texts of the language go on with.

use grammask_gbnf::{Automaton, MOST_FORCED, Matcher};
use grammask_oracle::generate;
use grammask_sampler::{Constraint, Engine, TokenId, Vocabulary};
use proptest::prelude::*;

/// Goes on with the bytes that choices say, up to where the text may end and a choice says so.
fn complete(matcher: &mut Matcher, choices: &mut impl Iterator<Item = u16>) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    loop {
        let next: Vec<u8> = matcher.next_bytes().iter().collect();
        let choice = usize::from(choices.next()?);
        if matcher.is_complete() && (next.is_empty() || choice.is_multiple_of(3)) {
            return Some(text);
        }
        let byte = *next.get(choice / 3 % next.len().max(1))?;
        matcher.advance(&[byte]).ok()?;
        text.push(byte);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn every_text_goes_on_with_what_is_forced(
        grammar in generate::grammars(),
        tokens in generate::vocabularies(),
        begun in generate::steps(6),
        choices in proptest::collection::vec(any::<u16>(), 60),
    ) {
        let mut builder = Vocabulary::builder();
        for token in &tokens {
            builder.push(token);
        }
        let engine = Engine::new(builder.build().expect("generated tokens are not empty"));
        let automaton = Automaton::compile(&grammar, "root").expect("it compiles");
        let mut constraint =
            Constraint::with_automaton(&engine, &automaton).expect("no references");
        for choice in begun {
            let allowed: Vec<TokenId> = constraint.mask().tokens().collect();
            let Some(&token) = allowed.get(usize::from(choice) % allowed.len().max(1)) else { break };
            constraint.accept(token).expect("the mask allows it");
        }

        let forced = constraint.forced_bytes();
        let mut matcher = constraint.matcher().expect("it is strict").clone();
        for &byte in &forced {
            prop_assert!(!matcher.is_complete() && matcher.next_bytes().iter().eq([byte]));
            matcher.advance(&[byte]).expect("it may come next");
        }
        prop_assert!(
            forced.len() == MOST_FORCED || matcher.is_complete() || matcher.next_bytes().len() != 1
        );

        let vocabulary = engine.vocabulary();
        let encode = |text: &str| vocabulary.encode(text);
        let Ok(forced) = constraint.forced_tokens(&[], encode) else { return Ok(()) };
        let mut choices = choices.into_iter();
        while choices.len() > 0 {
            let text = complete(&mut constraint.matcher().expect("it is strict").clone(), &mut choices);
            if let Some(Ok(text)) = text.map(String::from_utf8)
                && let Ok(tokens) = encode(&text)
            {
                prop_assert!(tokens.starts_with(&forced), "{grammar}\n{forced:?} before {text:?}: {tokens:?}");
            }
        }
    }
}
