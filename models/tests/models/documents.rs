//! All architectures write documents of a schema, within a budget.

use candle_core::quantized::GgmlDType;
use grammask_json_schema::{Options, translate};
use grammask_models::{Evaluation, EvaluationOptions};
use grammask_sampler::{ChainSettings, Constraint, Engine, GrammarSampler, Mode, TokenId};
use serde_json::{Value, json};

use crate::tiny::{ALL, Tiny};

const BUDGET: usize = 160;

#[test]
fn all_architectures_write_documents_of_a_schema() {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "pattern": "^[A-Z][a-z]+$"},
            "age": {"type": "integer", "minimum": 0, "maximum": 120},
            "tags": {"type": "array", "items": {"enum": ["a", "b", "c"]}, "uniqueItems": true},
            "place": {"type": ["object", "null"], "additionalProperties": {"type": "boolean"}},
        },
        "required": ["name", "age", "tags", "place"],
        "additionalProperties": false,
    });
    let judge = jsonschema::validator_for(&schema).expect("a schema");
    let grammar = translate(&schema, &Options::default()).expect("a grammar").grammar;
    for architecture in ALL {
        for kind in [GgmlDType::F32, GgmlDType::Q8_0] {
            let model = Tiny::new(architecture).finish(3).model(kind);
            let engine = Engine::new(model.vocabulary().clone());
            let mut constraint = Constraint::new(&engine, &grammar, "root").expect("a constraint");
            constraint.set_budget(BUDGET).expect("there is room");
            for seed in 0..3 {
                let chain = ChainSettings { seed, ..ChainSettings::default() };
                let chain = chain.chain(engine.vocabulary()).expect("a chain");
                let mut sampler =
                    GrammarSampler::new(constraint.clone(), chain, Mode::GrammarFirst);
                let mut evaluation = Evaluation::new(&model, EvaluationOptions::default());
                let mut tokens = vec![TokenId(0)];
                while !sampler.constraint().is_ended() {
                    let logits = evaluation.logits(&tokens).expect("there are logits");
                    let token = sampler.sample(logits).expect("a token");
                    sampler.accept(token).expect("it was allowed");
                    tokens.push(token);
                }
                assert!(tokens.len() - 1 <= BUDGET, "{architecture:?}");
                let bytes = tokens[1..].iter().filter_map(|&id| engine.vocabulary().bytes(id));
                let text = String::from_utf8(bytes.flatten().copied().collect()).expect("UTF-8");
                let document: Value = serde_json::from_str(text.trim_end_matches("<|endoftext|>"))
                    .unwrap_or_else(|error| panic!("{architecture:?}: {text}: {error}"));
                assert!(judge.is_valid(&document), "{architecture:?}: {text}");
            }
        }
    }
}
