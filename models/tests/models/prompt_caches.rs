//! Files of texts that have been evaluated: what is none is an error.

use candle_core::quantized::GgmlDType;
use grammask_models::{Architecture, Evaluation, EvaluationOptions, Model, PromptCacheError};
use proptest::prelude::*;

use crate::text;
use crate::tiny::{Random, Tiny};

fn model() -> Model {
    Tiny::new(Architecture::Llama).with_layers(1).finish(11).model(GgmlDType::F32)
}

fn saved(model: &Model) -> Vec<u8> {
    let mut evaluation = Evaluation::new(model, EvaluationOptions::default());
    evaluation.logits(&text(3, 11)).expect("there are logits");
    let mut file = Vec::new();
    evaluation.save(&mut file).expect("it is saved");
    file
}

/// An error or not, within bounded memory.
fn restore(model: &Model, file: &[u8]) -> Result<(), PromptCacheError> {
    let mut result = Ok(());
    let used = allocation_counter::measure(|| {
        let options = EvaluationOptions { context_length: Some(64), keep: Some(1) };
        result = Evaluation::restore(model, options, file).map(|_| ());
    });
    assert!(used.bytes_max < 1 << 20, "{}", used.bytes_max);
    result
}

#[test]
fn files_that_break_off_or_go_on_are_errors() {
    let model = model();
    let mut file = saved(&model);
    restore(&model, &file).expect("it is restored");
    for len in 0..file.len() {
        let error = restore(&model, &file[..len]).expect_err("it breaks off");
        assert!(error.to_string().contains("prompt cache"), "{error}");
    }
    file.push(0);
    let error = restore(&model, &file).expect_err("it goes on");
    assert_eq!(error.to_string(), "prompt cache: end: something follows");
}

#[test]
fn files_of_others_are_errors() {
    let model = model();
    let file = saved(&model);
    // Other weights, the same head.
    let other = Tiny::new(Architecture::Llama).with_layers(1).finish(12).model(GgmlDType::F32);
    assert!(matches!(restore(&other, &file), Err(PromptCacheError::OtherModel)));
    let options = EvaluationOptions { context_length: Some(2), ..EvaluationOptions::default() };
    let error = Evaluation::restore(&model, options, &*file).expect_err("it is too long");
    assert!(matches!(error, PromptCacheError::TooLong { len: 3, limit: 2 }), "{error}");
    let mut newer = file;
    newer[15] = 2;
    let error = restore(&model, &newer).expect_err("it is newer").to_string();
    assert_eq!(error, "it is no prompt cache of this version: version 2 is not 1");
}

proptest! {
    /// Whatever is changed is found, and no claim is believed.
    #[test]
    fn changed_files_are_errors(at in any::<prop::sample::Index>(), seed in any::<u64>()) {
        let model = model();
        let mut file = saved(&model);
        let at = at.index(file.len());
        let mut random = Random(seed);
        for byte in file.iter_mut().skip(at).take(1 + random.next() as usize % 8) {
            *byte ^= 1 + (random.next() % 255) as u8;
        }
        prop_assert!(restore(&model, &file).is_err());
    }
}
