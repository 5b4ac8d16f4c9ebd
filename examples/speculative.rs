//! A speculative loop: the grammar and the text so far draft tokens, the model looks at all of them
//! at once, and what it would have written itself is kept.
//!
//!     cargo run --example speculative

mod script;

use std::error::Error;

use grammask::json_schema::{Options, Order, Whitespace};
use grammask::sampler::{
    ChainSettings, Constraint, Drafts, Forced, Mode, NgramSimple, NgramSimpleSettings, TokenId,
    Vocabulary,
};
use grammask::{LanguageModel, Session, engine_for_schemas, generate, schema_constraint};
use script::Script;

const SCHEMA: &str = r#"{
    "type": "array", "minItems": 5, "maxItems": 9,
    "items": {
        "type": "object",
        "properties": {"identifier": {"type": "integer"}, "reachable": {"type": "boolean"}},
        "required": ["identifier", "reachable"],
        "additionalProperties": false
    }
}"#;

/// What the model would say.
const TEXT: &str = r#"[{"identifier":1,"reachable":true},{"identifier":2,"reachable":true},{"identifier":3,"reachable":false},{"identifier":4,"reachable":true},{"identifier":5,"reachable":true}]"#;

struct Outcome {
    /// With drafts,
    speculative: Vec<TokenId>,
    /// and without.
    plain: Vec<TokenId>,
    /// How often the model was asked, with drafts.
    rounds: usize,
}

fn session(constraint: &Constraint) -> Result<Session, Box<dyn Error + Send + Sync>> {
    let vocabulary = constraint.engine().vocabulary();
    let chain = ChainSettings { seed: 3, ..ChainSettings::default() }.chain(vocabulary)?;
    Ok(Session::new(constraint.clone(), chain, Mode::GrammarFirst))
}

fn run() -> Result<Outcome, Box<dyn Error + Send + Sync>> {
    let vocabulary = Vocabulary::from_name("o200k_base")?;
    // Without blanks, and in one order: the grammar knows more of what comes.
    let options =
        Options { whitespace: Whitespace::Compact, order: Order::Declared, ..Options::default() };
    let engine = engine_for_schemas(vocabulary.clone(), &options)?;
    let constraint = schema_constraint(&engine, SCHEMA, &options)?;
    let mut model = Script::new(engine.vocabulary(), TEXT)?;

    let mut drafts = Drafts::default();
    drafts.add(Forced::new(move |text: &str| vocabulary.encode(text)));
    let ngrams = NgramSimpleSettings { n: 3, m: 8 };
    drafts.add(NgramSimple::new(ngrams)?);

    let mut speculative = session(&constraint)?;
    let mut rounds = 0;
    while !speculative.constraint().is_ended() {
        let draft = drafts.draft(speculative.constraint(), 16)?;
        // A real model computes these rows in one batch.
        let mut logits = Vec::with_capacity(draft.len() + 1);
        for drafted in 0..=draft.len() {
            let text = [speculative.context(), &draft[..drafted]].concat();
            logits.push(model.logits(&text)?.to_vec());
        }
        let verified = speculative.verify(|sampler| sampler.verify(&draft, &logits))?;
        drafts.accept(&verified.tokens);
        rounds += 1;
    }

    let mut plain = session(&constraint)?;
    let go_on = |_: &mut Session, _| std::ops::ControlFlow::Continue(());
    let generation = generate(&mut model, &mut plain, usize::MAX, go_on)?;
    Ok(Outcome { speculative: speculative.tokens().to_vec(), rounds, plain: generation.tokens })
}

#[allow(clippy::print_stdout)] // Its purpose.
fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let Outcome { speculative, plain, rounds } = run()?;
    println!("{} tokens in {rounds} rounds, {} without drafts", speculative.len(), plain.len());
    Ok(())
}

#[test]
fn the_same_text_in_fewer_rounds() -> Result<(), Box<dyn Error + Send + Sync>> {
    let Outcome { speculative, plain, rounds } = run()?;
    assert_eq!(speculative, plain);
    assert!(rounds <= plain.len() * 2 / 3, "{rounds} rounds for {} tokens", plain.len());
    Ok(())
}
