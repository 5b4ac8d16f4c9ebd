//! glrmask, as the harness measures it.

use std::error::Error;

use glrmask::{ConstraintState, Grammar, Vocab};
use grammask_bench_protocol::{Constraint, Engine, Session, Stages, Start, Token, serve};
use serde_json::value::RawValue;

struct Glrmask {
    vocabulary: Vocab,
}

impl Engine for Glrmask {
    type Constraint = Compiled;

    const NOTES: &'static [&'static str] = &[
        "glrmask ignores `format`, takes one space after `,` and `:`, and keys in declared order",
    ];

    fn new(tokens: &[Token], _: &Start) -> Result<Self, Box<dyn Error>> {
        let ordinary = (0..).zip(tokens).filter_map(|(id, token)| match token {
            Token::Ordinary(bytes) => Some((id, bytes.clone())),
            Token::Gap | Token::Control(_) | Token::End(_) => None,
        });
        Ok(Self { vocabulary: Vocab::new(ordinary.collect()) })
    }

    /// What it derives from a vocabulary is kept beside the vocabulary's clones.
    fn forget(&mut self) {}

    fn constraint(&self, schema: &RawValue, stages: &mut Stages) -> Result<Compiled, Vec<String>> {
        let grammar = stages.time("translate", || Grammar::from_json_schema(schema.get()));
        let grammar = grammar.map_err(|error| vec![error.to_string()])?;
        let constraint = stages.time("compile", || grammar.compile(&self.vocabulary));
        Ok(Compiled(constraint.map_err(|error| vec![error.to_string()])?))
    }
}

struct Compiled(glrmask::Constraint);

impl Constraint for Compiled {
    type Session<'a> = State<'a>;

    fn start(&self) -> State<'_> {
        State(self.0.start())
    }
}

struct State<'a>(ConstraintState<'a>);

impl Session for State<'_> {
    fn fill(&mut self, words: &mut [u32]) {
        self.0.fill_mask(words);
    }

    fn accept(&mut self, token: u32) -> bool {
        self.0.commit_token(token)
    }

    fn is_complete(&mut self) -> bool {
        self.0.is_accepting()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    serve::<Glrmask>()
}
