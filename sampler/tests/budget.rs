//! Budgets that are kept: whatever is picked, the text is complete within the budget.

use std::sync::Arc;

use grammask_gbnf::{Grammar, parse};
use grammask_oracle::generate;
use grammask_sampler::{
    BudgetError, Chain, Constraint, Engine, GrammarSampler, Greedy, LazyGrammar, Mode,
    ThinkingBudget, TokenId, TokenMask, Trigger, Vocabulary,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// A vocabulary of some tokens, with an end-of-generation token at the end; and with each byte as a
/// token, if `has_all_bytes`.
fn engine(tokens: &[Vec<u8>], has_all_bytes: bool) -> Arc<Engine> {
    let mut builder = Vocabulary::builder();
    for token in tokens {
        builder.push(token);
    }
    for byte in 0..=u8::MAX {
        if has_all_bytes && !tokens.iter().any(|token| token[..] == [byte]) {
            builder.push([byte]);
        }
    }
    builder.push_eog("</s>");
    Engine::new(builder.build().expect("generated tokens are not empty"))
}

/// The tokens after which the budget suffices, one by one.
fn accepted(constraint: &Constraint) -> TokenMask {
    let vocabulary = constraint.engine().vocabulary();
    let mut mask = TokenMask::new(vocabulary.len());
    for id in vocabulary.ids() {
        if constraint.clone().accept(id).is_ok() {
            mask.insert(id);
        }
    }
    mask
}

fn ids(mask: &TokenMask) -> Vec<u32> {
    mask.tokens().map(|token| token.0).collect()
}

/// The least number of tokens of a complete text, that at the end included; nothing if it is more
/// than `most` or there is too much to look at.
fn least_tokens(constraint: &Constraint, most: usize) -> Option<usize> {
    let mut reached = vec![constraint.clone()];
    for count in 1..=most {
        if reached.iter().any(Constraint::is_complete) {
            return Some(count);
        }
        if reached.len() > 300 {
            return None;
        }
        let next = reached.iter().flat_map(|constraint| {
            let tokens: Vec<TokenId> = constraint.mask().tokens().collect();
            tokens.into_iter().filter_map(|token| {
                let mut next = constraint.clone();
                next.accept(token).ok().map(|()| next)
            })
        });
        reached = next.collect();
    }
    None
}

/// Whether there are so many ways to read a text that looking at all of them takes long.
fn is_large(constraint: &Constraint) -> bool {
    let matcher = constraint.matcher().expect("it is strict");
    matcher.state().entries().len() > 50 || matcher.session().size() > 5_000
}

fn run(
    engine: &Arc<Engine>,
    grammar: &Grammar,
    more: usize,
    choices: &[u16],
) -> Result<(), TestCaseError> {
    let fresh = Constraint::new(engine, grammar, "root").expect("it compiles");
    let mut constraint = fresh.clone();
    let needed = match constraint.set_budget(0) {
        Err(BudgetError::TooSmall { budget: 0, needed, at_least }) => {
            prop_assert!(at_least <= needed && needed > 0);
            if let Some(least) = least_tokens(&fresh, 4) {
                prop_assert!(at_least <= least && least <= needed, "{grammar}: {least}");
            }
            needed
        }
        Err(BudgetError::Unknown) => {
            // Each terminal by itself must be spelled, as it can be where each byte is a token; items
            // that differ must be soon found.
            let has_all_bytes = engine.vocabulary().len() > 256;
            let is_empty = fresh.mask().count() == 0;
            let has_items = grammar.to_string().contains("@unique");
            prop_assert!(!has_all_bytes || is_empty || has_items, "{grammar}");
            return Ok(());
        }
        other => return Err(TestCaseError::fail(format!("{other:?}"))),
    };
    prop_assert!(constraint.set_budget(needed - 1).is_err() && constraint.budget().is_none());
    far_budgets_change_nothing(&fresh, grammar, choices)?;
    let budget = needed + more;
    constraint.set_budget(budget).expect("so much is needed");
    for at in 0.. {
        let left = constraint.budget().expect("it has been set");
        prop_assert_eq!(left, budget - at);
        let needed = constraint.needed();
        prop_assert!(needed.is_some_and(|needed| needed <= left), "{grammar}: {needed:?}");
        if constraint.is_ended() || is_large(&constraint) || constraint.is_too_ambiguous() {
            return Ok(());
        }
        let mask = constraint.mask();
        let expected = ids(&accepted(&constraint));
        prop_assert_eq!(ids(&mask), expected, "{}\nafter {} of {}", grammar, at, budget);
        let tokens: Vec<TokenId> = mask.tokens().collect();
        prop_assert!(!tokens.is_empty(), "{grammar}\nafter {at} of {budget}");
        // From each place there is a token behind which at least one less is needed.
        let lowers = tokens.iter().any(|&token| {
            let mut next = constraint.clone();
            next.accept(token).is_ok() && next.needed() < needed
        });
        prop_assert!(lowers, "{grammar}\nafter {at} of {budget}: {needed:?}");
        let choice = choices[at % choices.len()] as usize;
        let token = tokens[choice % tokens.len()];
        constraint.accept(token).expect("the mask has it");
        if choice.is_multiple_of(5) {
            constraint.rollback(1);
            prop_assert_eq!((constraint.budget(), constraint.mask()), (Some(left), mask));
            constraint.accept(token).expect("the mask has it");
        }
    }
    Ok(())
}

/// As long as a budget is far, each mask is that of the grammar.
fn far_budgets_change_nothing(
    fresh: &Constraint,
    grammar: &Grammar,
    choices: &[u16],
) -> Result<(), TestCaseError> {
    // Otherwise there are places of which it is not known what they need.
    let is_known = fresh.engine().vocabulary().len() > 256;
    if !is_known || grammar.to_string().contains("@unique") {
        return Ok(());
    }
    let mut constraint = fresh.clone();
    constraint.set_budget(FAR).expect("it is enough");
    let mut free = fresh.clone();
    for choice in choices {
        if free.is_ended() || is_large(&free) || free.is_too_ambiguous() {
            return Ok(());
        }
        let mask = free.mask();
        prop_assert_eq!(ids(&constraint.mask()), ids(&mask), "{}", grammar);
        let token = mask.tokens().nth(*choice as usize % mask.count()).expect("so many there are");
        free.accept(token).expect("the mask has it");
        constraint.accept(token).expect("the mask has it");
    }
    if free.is_ended() {
        prop_assert_eq!(constraint.mask().count(), 0);
    }
    Ok(())
}

/// A sampler that has read on to see whether its pick fits, against a constraint that reads what is
/// accepted alone.
fn sampled(
    engine: &Arc<Engine>,
    grammar: &Grammar,
    more: usize,
    steps: &[(Step, u32)],
) -> Result<(), TestCaseError> {
    let mut constraint = Constraint::new(engine, grammar, "root").expect("it compiles");
    let Err(BudgetError::TooSmall { needed, .. }) = constraint.set_budget(0) else { return Ok(()) };
    constraint.set_budget(needed + more).expect("so much is needed");
    let mut chain = Chain::new();
    chain.add(Greedy);
    let mut sampler = GrammarSampler::new(constraint.clone(), chain, Mode::GrammarFirst);
    for &(step, seed) in steps {
        if constraint.is_ended() || is_large(&constraint) {
            return Ok(());
        }
        let tokens: Vec<TokenId> = constraint.mask().tokens().collect();
        let mixed = |id: u32| id.wrapping_mul(2_654_435_761) ^ seed.wrapping_mul(40_503);
        let logits: Vec<f32> = (0..engine.vocabulary().len() as u32)
            .map(|id| f32::from((mixed(id) >> 7) as u16))
            .collect();
        let picked = sampler.sample(&logits).expect("there are tokens");
        prop_assert!(tokens.contains(&picked), "{}", grammar);
        match step {
            Step::Accept => {}
            Step::SampleAgain => prop_assert_eq!(sampler.sample(&logits), Ok(picked)),
            Step::Back => {
                sampler.rollback(1);
                constraint.rollback(1);
            }
            Step::Limit => {
                let needed = constraint.needed().expect("it is known");
                sampler.set_budget(needed).expect("so much is needed");
                constraint.set_budget(needed).expect("so much is needed");
            }
        }
        // What has been picked may not fit any more.
        let other = tokens[seed as usize % tokens.len()];
        let token = if seed.is_multiple_of(3) { other } else { picked };
        let is_accepted = constraint.accept(token).is_ok();
        prop_assert_eq!(sampler.accept(token).is_ok(), is_accepted, "{}", grammar);
        prop_assert_eq!(sampler.constraint().len(), constraint.len());
        prop_assert_eq!(sampler.constraint().budget(), constraint.budget());
        prop_assert_eq!(ids(&sampler.constraint().mask()), ids(&constraint.mask()), "{}", grammar);
    }
    Ok(())
}

/// What happens between a pick and the next one.
#[derive(Clone, Copy, Debug)]
enum Step {
    Accept,
    SampleAgain,
    /// The token before the pick is taken back.
    Back,
    /// The budget becomes as small as it may.
    Limit,
}

fn steps() -> impl Strategy<Value = Vec<(Step, u32)>> {
    let step = prop_oneof![
        5 => Just(Step::Accept),
        1 => Just(Step::SampleAgain),
        1 => Just(Step::Back),
        1 => Just(Step::Limit),
    ];
    vec((step, any::<u32>()), 1..12)
}

/// More tokens than any text of the grammars here needs.
const FAR: usize = 100_000;

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn budgets_are_kept(
        grammar in generate::grammars(),
        tokens in generate::vocabularies(),
        has_all_bytes in any::<bool>(),
        more in 0_usize..12,
        choices in vec(any::<u16>(), 1..8),
    ) {
        run(&engine(&tokens, has_all_bytes), &grammar, more, &choices)?;
    }

    #[test]
    fn samplers_keep_budgets(
        grammar in prop_oneof![generate::grammars(), generate::members_grammars()],
        tokens in generate::vocabularies(),
        more in 0_usize..12,
        steps in steps(),
    ) {
        sampled(&engine(&tokens, true), &grammar, more, &steps)?;
    }

    #[test]
    fn budgets_of_members_are_kept(
        grammar in generate::members_grammars(),
        tokens in generate::vocabularies(),
        has_all_bytes in any::<bool>(),
        more in 0_usize..12,
        choices in vec(any::<u16>(), 1..8),
    ) {
        run(&engine(&tokens, has_all_bytes), &grammar, more, &choices)?;
    }

    #[test]
    fn budgets_of_lists_are_kept(
        grammar in generate::unique_grammars(),
        tokens in generate::vocabularies(),
        has_all_bytes in any::<bool>(),
        more in 0_usize..12,
        choices in vec(any::<u16>(), 1..8),
    ) {
        run(&engine(&tokens, has_all_bytes), &grammar, more, &choices)?;
    }
}

/// Where much of the vocabulary lies behind the end of a terminal that may as well go on.
#[test]
fn budgets_are_kept_at_crossroads() {
    let tokens = [&b"a"[..], b"aa", b"b", b"x"].map(<[u8]>::to_vec);
    let engine = engine(&tokens, false);
    for repetition in ["*", "{0,9}"] {
        let text =
            format!("root ::= [a-c]{repetition} list \"b\"\nlist ::= \"x\" list \"x\" | [a-z]");
        let grammar = parse(&text).expect("it is a grammar");
        for more in 0..4 {
            run(&engine, &grammar, more, &[0, 1, 2]).expect("budgets are kept");
        }
    }
}

/// A list that begins within an item needs what it needs elsewhere: no item of it has to differ yet.
#[test]
fn budgets_are_kept_where_a_list_begins_within_an_item() {
    let engine = engine(&[b"a".to_vec()], true);
    let text = r#"root ::= "a" @unique(",")([a-b]{1,2}*) outer
outer ::= @unique(","){1}(item*)
item ::= "{" @unique(","){1}("a"*) "}""#;
    let grammar = parse(text).expect("it is a grammar");
    for more in 0..4 {
        run(&engine, &grammar, more, &[0, 1, 2]).expect("budgets are kept");
    }
}

/// Free text that may end at any time needs nothing but the end; what a trigger leads to must fit.
#[test]
fn budgets_of_lazy_grammars_are_kept() {
    let tokens: Vec<Vec<u8>> =
        ["a", "<", "[[", "[", "]", "é", "\u{e9}!"].map(|text| text.as_bytes().to_vec()).to_vec();
    let mut builder = Vocabulary::builder();
    for token in &tokens {
        builder.push(token);
    }
    for byte in 0..=u8::MAX {
        if !tokens.iter().any(|token| token[..] == [byte]) {
            builder.push([byte]);
        }
    }
    builder.push_control("</think>");
    builder.push_eog("</s>");
    let engine = Engine::new(builder.build().expect("the tokens are distinct"));
    let end = engine.vocabulary().token_by_text(b"</think>").expect("it has been added");
    let grammar =
        parse(r#"root ::= "<" list; list ::= "[" list* "]""#.replace("; ", "\n").as_str());
    let list = Constraint::new(&engine, &grammar.expect("it is a grammar"), "root");
    let list = list.expect("it compiles");
    let auto = LazyGrammar::new().trigger(Trigger::word("<"), list.clone());
    let think = LazyGrammar::new().trigger(Trigger::token(end).behind(), list.clone()).required();
    let limited = think.clone().budget(ThinkingBudget::new(3, "so", list.clone()).token(end));
    let by_word = LazyGrammar::new().trigger(Trigger::word("</").behind(), list.clone()).required();
    let by_limit = by_word.clone().budget(ThinkingBudget::new(3, "so</", list.clone()));
    let late = by_word.clone().budget(ThinkingBudget::new(1, "so</", list.clone()));
    let closed = by_word.clone().budget(ThinkingBudget::new(0, "so</", list.clone()));
    // What has been said may be the beginning of the word.
    let again = LazyGrammar::new().trigger(Trigger::word("[[["), list.clone()).required();
    let again_list = list.clone();
    let behind = LazyGrammar::new().trigger(Trigger::word("[[[<").behind(), list).required();
    let cases = [
        (auto.clone(), 1),
        (auto.rearm(), 1),
        (think, 5),
        (limited, 5),
        (by_word.clone(), 6),
        (by_limit, 6),
        (late, 12),
        (closed, 8),
        (behind, 7),
    ];
    assert_eq!(again.build(&engine).expect("the trigger is valid").needed(), None);
    for (lazy, needed) in cases {
        let constraint = lazy.build(&engine).expect("the triggers are valid");
        assert_eq!(constraint.needed(), Some(needed), "{lazy:?}");
        for (more, seed) in (0..4).flat_map(|more| (0..40_usize).map(move |seed| (more, seed))) {
            let mut constraint = constraint.clone();
            constraint.set_budget(needed + more).expect("it is enough");
            let mut choice = seed + 1;
            for at in 0.. {
                assert!(at <= needed + more, "{lazy:?}");
                let mask = constraint.mask();
                if constraint.is_ended() {
                    break;
                }
                let left = constraint.needed();
                assert_eq!(ids(&mask), ids(&accepted(&constraint)), "{needed} at {at}: {left:?}");
                // Tokens of the first few, as nearly all are bytes.
                let tokens: Vec<TokenId> = mask.tokens().collect();
                choice = choice * 31 % 1009;
                let token = tokens[choice % tokens.len().min(8)];
                constraint.accept(token).expect("the mask has it");
            }
        }
    }
    // Who knows what else that would begin.
    let by_two = by_word.trigger(Trigger::word("so"), again_list);
    let mut constraint = by_two.build(&engine).expect("the triggers are valid");
    assert_eq!(constraint.set_budget(100), Err(BudgetError::Unknown));
}
