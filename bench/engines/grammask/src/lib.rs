//! grammask, as the harness measures it.

use std::error::Error;
use std::sync::Arc;

use grammask::json_schema::{Numbers, Options, Order, Whitespace, parse_schema, translate};
use grammask::sampler::{self, TokenId, Vocabulary};
use grammask_bench_protocol::{Constraint, Engine, Session, Stages, Start, Token, serve};
use serde::Deserialize;
use serde_json::value::RawValue;

struct Grammask {
    engine: Arc<sampler::Engine>,
    options: Options,
}

/// What may be chosen of the spelling of documents.
#[derive(Deserialize)]
struct Spelling {
    order: Order,
    numbers: Numbers,
    whitespace: Whitespace,
}

impl Engine for Grammask {
    type Constraint = Compiled;

    const NOTES: &'static [&'static str] = &[];

    fn new(tokens: &[Token], start: &Start) -> Result<Self, Box<dyn Error>> {
        let mut builder = Vocabulary::builder();
        for token in tokens {
            match token {
                Token::Gap => builder.push_gap(),
                Token::Ordinary(bytes) => builder.push(bytes),
                Token::Control(name) => builder.push_control(name),
                Token::End(name) => builder.push_eog(name),
            };
        }
        let Spelling { order, numbers, whitespace } = Spelling::deserialize(&start.spelling)?;
        let options = Options { order, numbers, whitespace, ..Options::default() };
        Ok(Self { engine: grammask::engine_for_schemas(builder.build()?, &options)?, options })
    }

    fn forget(&mut self) {
        let vocabulary = self.engine.vocabulary().clone();
        self.engine = grammask::engine_for_schemas(vocabulary, &self.options)
            .expect("it could be made before");
    }

    fn constraint(&self, schema: &RawValue, stages: &mut Stages) -> Result<Compiled, Vec<String>> {
        let schema = parse_schema(schema.get().as_bytes(), &self.options.limits)
            .map_err(|error| vec![error.to_string()])?;
        let translation = stages.time("translate", || translate(&schema, &self.options));
        let grammar = translation.map_err(|error| error.reasons())?.grammar;
        let constraint =
            stages.time("compile", || sampler::Constraint::new(&self.engine, &grammar, "root"));
        Ok(Compiled(constraint.map_err(|error| vec![error.to_string()])?))
    }

    fn table_bytes(&self) -> Option<u64> {
        Some(self.engine.table_bytes() as u64)
    }
}

struct Compiled(sampler::Constraint);

impl Constraint for Compiled {
    type Session<'a> = State;

    fn start(&self) -> State {
        State(self.0.clone())
    }
}

struct State(sampler::Constraint);

impl Session for State {
    fn fill(&mut self, words: &mut [u32]) {
        self.0.fill_words(words);
    }

    fn accept(&mut self, token: u32) -> bool {
        self.0.accept(TokenId(token)).is_ok()
    }

    fn is_complete(&mut self) -> bool {
        self.0.is_complete()
    }

    fn nodes(&self) -> Option<u64> {
        Some(self.0.engine().nodes_visited())
    }
}

/// Serves the harness until it closes the pipe.
///
/// # Errors
///
/// As [`serve`].
pub fn run() -> Result<(), Box<dyn Error>> {
    serve::<Grammask>()
}
