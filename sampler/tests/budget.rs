//! Budgets that are kept: whatever is picked, the text is complete within the budget.

use std::sync::Arc;

use grammask_gbnf::Grammar;
use grammask_oracle::generate;
use grammask_sampler::{BudgetError, Constraint, Engine, TokenId, TokenMask, Vocabulary};
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
    Engine::new(builder.build().expect("generated tokens are distinct"))
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
            // Each terminal by itself must be spelled, as it can be where each byte is a token.
            let has_all_bytes = engine.vocabulary().len() > 256;
            let is_empty = fresh.mask().count() == 0;
            prop_assert!(!has_all_bytes || is_empty, "{grammar}");
            return Ok(());
        }
        other => return Err(TestCaseError::fail(format!("{other:?}"))),
    };
    prop_assert!(constraint.set_budget(needed - 1).is_err() && constraint.budget().is_none());
    let budget = needed + more;
    constraint.set_budget(budget).expect("so much is needed");
    for at in 0.. {
        let left = constraint.budget().expect("it has been set");
        prop_assert_eq!(left, budget - at);
        let needed = constraint.needed();
        prop_assert!(needed.is_some_and(|needed| needed <= left), "{grammar}: {needed:?}");
        if constraint.is_ended() || is_large(&constraint) {
            return Ok(());
        }
        let mask = constraint.mask();
        prop_assert_eq!(&mask, &accepted(&constraint), "{}\nafter {} of {}", grammar, at, budget);
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
