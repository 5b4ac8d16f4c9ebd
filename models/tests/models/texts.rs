//! Whatever was evaluated before, logits are those of the text.

use candle_core::quantized::GgmlDType;
use grammask_models::{Architecture, EvaluateError, Evaluation, EvaluationOptions};
use grammask_sampler::TokenId;
use proptest::prelude::*;

use crate::tiny::{ALL, TOKENS, Tiny};
use crate::{difference, fresh, text};

/// One step of a text: how much of it stays, and what follows.
fn step() -> impl Strategy<Value = (prop::sample::Index, Vec<u32>)> {
    let tokens = prop::collection::vec(0..TOKENS as u32, 0..12);
    (any::<prop::sample::Index>(), tokens)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// It grows, goes back and goes on otherwise, and is saved and restored in between.
    #[test]
    fn logits_depend_on_the_text_alone(
        which in 0..ALL.len(),
        steps in prop::collection::vec((step(), any::<bool>()), 1..8),
    ) {
        let model = Tiny::new(ALL[which]).finish(6).model(GgmlDType::F32);
        let options = EvaluationOptions::default();
        let mut evaluation = Evaluation::new(&model, options);
        let mut tokens = vec![TokenId(0)];
        for ((stay, more), restored) in steps {
            tokens.truncate(1 + stay.index(tokens.len()));
            tokens.extend(more.into_iter().map(TokenId));
            let logits = evaluation.logits(&tokens).expect("there are logits");
            prop_assert!(difference(logits, &fresh(&model, &tokens)) < 1e-4);
            prop_assert_eq!(evaluation.tokens(), &tokens);
            if restored {
                let mut file = Vec::new();
                evaluation.save(&mut file).expect("it is saved");
                evaluation = Evaluation::restore(&model, options, &*file).expect("it is restored");
                prop_assert_eq!(evaluation.tokens(), &tokens);
            }
        }
    }

    /// In one layer what a position keeps does not depend on what is before it, so that behind a shift
    /// all is as if what was dropped had never been there.
    #[test]
    fn a_shift_is_as_if_the_middle_had_not_been(
        which in 0..ALL.len(),
        keep in 0_usize..6,
        context in 12_usize..24,
        growth in prop::collection::vec(1_usize..5, 1..12),
        seed in any::<u64>(),
    ) {
        let model = Tiny::new(ALL[which]).with_layers(1).finish(7).model(GgmlDType::F32);
        let options = EvaluationOptions { context_length: Some(context), keep: Some(keep) };
        let mut evaluation = Evaluation::new(&model, options);
        let all = text(10 + growth.iter().sum::<usize>(), seed);
        let mut len = 10;
        let mut seen = all[..len].to_vec();
        evaluation.logits(&all[..len]).expect("there are logits");
        for more in growth {
            // What llama.cpp does.
            while seen.len() + more > context {
                let count = ((seen.len() - keep) / 2).max(1);
                seen.drain(keep..keep + count);
            }
            seen.extend_from_slice(&all[len..len + more]);
            len += more;
            let logits = evaluation.logits(&all[..len]).expect("there are logits");
            prop_assert!(difference(logits, &fresh(&model, &seen)) < 1e-4);
            prop_assert_eq!(evaluation.tokens(), &all[..len]);
            // It goes back a little, and is saved.
            let mut file = Vec::new();
            evaluation.save(&mut file).expect("it is saved");
            evaluation = Evaluation::restore(&model, options, &*file).expect("it is restored");
            let last = all[len - 1];
            let other = TokenId((last.0 + 1) % TOKENS as u32);
            let changed = [&all[..len - 1], &[other]].concat();
            *seen.last_mut().expect("a token") = other;
            let logits = evaluation.logits(&changed).expect("there are logits");
            prop_assert!(difference(logits, &fresh(&model, &seen)) < 1e-4);
            *seen.last_mut().expect("a token") = last;
            evaluation.logits(&all[..len]).expect("there are logits");
        }
    }
}

#[test]
fn long_prompts_come_in_batches() {
    for architecture in [Architecture::Llama, Architecture::Gemma3, Architecture::Lfm2] {
        let model = Tiny::new(architecture).finish(8).model(GgmlDType::F32);
        let tokens = text(1_100, 8);
        let at_once = fresh(&model, &tokens);
        let mut evaluation = Evaluation::new(&model, EvaluationOptions::default());
        let mut logits = Vec::new();
        for end in (100..=1_100).step_by(100) {
            logits = evaluation.logits(&tokens[..end]).expect("there are logits").to_vec();
        }
        assert!(difference(&at_once, &logits) < 1e-4, "{architecture:?}");
    }
}

#[test]
fn texts_that_do_not_fit_are_errors() {
    let model = Tiny::new(Architecture::Llama).finish(9).model(GgmlDType::F32);
    let options = |keep| EvaluationOptions { context_length: Some(16), keep };
    let tokens = text(40, 9);
    for keep in [None, Some(0), Some(4), Some(100)] {
        let mut evaluation = Evaluation::new(&model, options(keep));
        let error = evaluation.logits(&tokens[..17]).expect_err("it is too long");
        assert!(matches!(error, EvaluateError::PromptTooLong { len: 17, limit: 16 }), "{error}");
        assert!(evaluation.tokens().is_empty());
        evaluation.logits(&tokens[..16]).expect("it fits");
        let next = evaluation.logits(&tokens[..17]).map(<[f32]>::len);
        if keep.is_some_and(|keep| keep < 16) {
            assert_eq!(next.expect("something is dropped"), TOKENS);
            // What begins otherwise is another prompt.
            let error = evaluation.logits(&tokens[1..20]).expect_err("it is too long");
            assert!(matches!(error, EvaluateError::PromptTooLong { .. }), "{error}");
            // What was dropped is evaluated again.
            let logits = evaluation.logits(&tokens[..6]).expect("it fits").to_vec();
            assert!(difference(&logits, &fresh(&model, &tokens[..6])) < 1e-4);
        } else {
            let error = next.expect_err("it is full");
            assert_eq!(error.to_string(), "the context of 16 tokens is full");
            let logits = evaluation.logits(&tokens[..16]).expect("it is known").to_vec();
            assert!(difference(&logits, &fresh(&model, &tokens[..16])) < 1e-4);
        }
    }
    let mut evaluation = Evaluation::new(&model, options(None));
    assert!(matches!(evaluation.logits(&[]), Err(EvaluateError::NoTokens)));
    let strange = [TokenId(0), TokenId(TOKENS as u32)];
    let error = evaluation.logits(&strange).expect_err("there is no such token");
    assert_eq!(error.to_string(), format!("the model has no token {TOKENS}: there are {TOKENS}"));
}

/// Room is made for what there is, not for what there might be.
#[test]
fn absurd_contexts_take_no_room() {
    let model = Tiny::new(Architecture::Llama).finish(10).model(GgmlDType::F32);
    let options =
        EvaluationOptions { context_length: Some(usize::MAX), ..EvaluationOptions::default() };
    let used = allocation_counter::measure(|| {
        let mut evaluation = Evaluation::new(&model, options);
        evaluation.logits(&text(5, 10)).expect("there are logits");
    });
    assert!(used.bytes_max < 1 << 22, "{}", used.bytes_max);
}
