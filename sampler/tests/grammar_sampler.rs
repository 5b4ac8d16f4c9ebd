//! Constraint and chain together, and what they do with bad input.

use std::sync::Arc;

use grammask_gbnf::Grammar;
use grammask_sampler::{
    Chain, Constraint, ConstraintError, Dist, Engine, GrammarSampler, Mode, Penalties,
    PenaltySettings, SampleError, TokenId, Vocabulary,
};

const VOCABULARY: &str =
    r#"{"tokens": ["a", "b", "ab", "c", "<think>", "</s>"], "control": [4], "eog": [5]}"#;

fn engine() -> Arc<Engine> {
    Engine::new(Vocabulary::from_json(VOCABULARY).expect("it is well formed"))
}

fn constraint(grammar: &str) -> Constraint {
    let grammar = Grammar::parse(grammar).expect("it has no mistakes");
    Constraint::new(&engine(), &grammar, "root").expect("it compiles")
}

fn chain(seed: u32) -> Chain {
    let settings = PenaltySettings { last_n: 8, repeat: 1.3, frequency: 0.1, presence: 0.1 };
    let mut chain = Chain::new();
    chain.add(Penalties::new(settings).expect("the settings are valid")).add(Dist::new(seed));
    chain
}

fn tokens(constraint: &Constraint) -> Vec<u32> {
    constraint.mask().tokens().map(|token| token.0).collect()
}

#[test]
fn every_mode_writes_only_what_the_grammar_allows() {
    for mode in [Mode::GrammarFirst, Mode::Rejection, Mode::Exact] {
        for seed in 0..50 {
            let mut sampler =
                GrammarSampler::new(constraint("root ::= \"ab\"+"), chain(seed), mode);
            let mut text = Vec::new();
            for _ in 0..40 {
                let token = sampler.sample(&[1.0, 0.5, 0.0, 2.0, 3.0, -1.0]).expect("one may come");
                sampler.accept(token).expect("it was picked");
                if sampler.constraint().is_ended() {
                    break;
                }
                text.extend_from_slice(engine().vocabulary().bytes(token).expect("it exists"));
            }
            let whole = text.len() / 2 * 2;
            assert!(text[..whole].chunks(2).all(|pair| pair == b"ab"), "{mode:?} {seed}");
        }
    }
}

#[test]
fn a_refused_draw_moves_nothing_but_the_random_stream() {
    // Almost surely the chain draws "c", which is refused, and then again among "a" and "ab".
    let logits = [0.0, 0.0, 0.0, 40.0, 0.0, 0.0];
    let mut sampler =
        GrammarSampler::new(constraint("root ::= \"ab\"+"), chain(7), Mode::Rejection);
    let token = sampler.sample(&logits).expect("one may come");
    assert!([TokenId(0), TokenId(2)].contains(&token));
    assert!(sampler.constraint().is_empty());
    // As a chain whose stream is one draw further, and whose penalties have seen nothing.
    let mut further = chain(7);
    let mut candidates = grammask_sampler::Candidates::from_logits(&logits);
    further.sample(&mut candidates);
    candidates.set([(TokenId(0), 0.0), (TokenId(2), 0.0)]);
    assert_eq!(further.sample(&mut candidates), Some(token));
}

#[test]
fn bad_tokens_change_nothing() {
    let mut constraint = constraint("root ::= \"ab\" <think>?");
    let before = tokens(&constraint);
    assert_eq!(before, [0, 2]);
    let unknown = ConstraintError::UnknownToken { token: TokenId(99), len: 6 };
    assert_eq!(constraint.accept(TokenId(99)), Err(unknown));
    for refused in [1, 3, 4, 5].map(TokenId) {
        assert_eq!(
            constraint.accept(refused),
            Err(ConstraintError::Refused { token: refused }),
            "the end, too, is refused too early"
        );
        assert_eq!(tokens(&constraint), before);
    }
    constraint.accept(TokenId(2)).expect("it may come");
    assert_eq!(tokens(&constraint), [4, 5], "a control token only where it is referred to");
    constraint.accept(TokenId(5)).expect("the text is complete");
    let after = ConstraintError::AfterEnd { token: TokenId(0) };
    assert_eq!(constraint.accept(TokenId(0)), Err(after));
    assert!(tokens(&constraint).is_empty());
    constraint.rollback(1);
    assert_eq!(tokens(&constraint), [4, 5]);
    constraint.reset();
    assert_eq!(tokens(&constraint), before);
}

#[test]
fn what_cannot_be_asked_is_an_error() {
    let grammar = Grammar::parse("root ::= <[77]>").expect("it has no mistakes");
    assert!(matches!(
        Constraint::new(&engine(), &grammar, "root"),
        Err(ConstraintError::NoSuchToken(_))
    ));
    let mut sampler = GrammarSampler::new(constraint("root ::= \"x\""), chain(1), Mode::default());
    let wrong = SampleError::Logits { expected: 6, given: 2 };
    assert_eq!(sampler.sample(&[0.0; 2]), Err(wrong));
    assert_eq!(sampler.sample(&[0.0; 6]), Err(SampleError::NoToken), "nothing spells an x");
}
