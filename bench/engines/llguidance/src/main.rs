//! llguidance, as the harness measures it.

use std::error::Error;
use std::sync::Arc;

use grammask_bench_protocol::{Constraint, Engine, Session, Stages, Start, Token, serve};
use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::{ApproximateTokEnv, TokEnv, TokRxInfo, TokTrie};
use llguidance::{Matcher, ParserFactory};
use serde_json::Value;
use serde_json::value::RawValue;

struct Llguidance {
    factory: ParserFactory,
}

impl Engine for Llguidance {
    type Constraint = Compiled;

    const NOTES: &'static [&'static str] = &[
        "llguidance keeps nothing from schema to schema but its trie and slices",
        "without its tokenizer it does not force tokens, which would need the time of tokenizing",
    ];

    fn new(tokens: &[Token], _: &Start) -> Result<Self, Box<dyn Error>> {
        // Control tokens begin with a byte that no text has.
        let named = |name: &[u8]| [&[TokTrie::SPECIAL_TOKEN_MARKER], name].concat();
        let words: Vec<Vec<u8>> = tokens
            .iter()
            .map(|token| match token {
                Token::Gap => Vec::new(),
                Token::Ordinary(bytes) => bytes.clone(),
                Token::Control(name) | Token::End(name) => named(name),
            })
            .collect();
        let end = tokens.iter().position(|token| matches!(token, Token::End(_)));
        let end = end.ok_or("no token ends generation")? as u32;
        let trie = TokTrie::from(&TokRxInfo::new(words.len() as u32, end), &words);
        let environment: TokEnv = Arc::new(ApproximateTokEnv::new(trie));
        let mut factory = ParserFactory::new_simple(&environment)?;
        factory.quiet();
        Ok(Self { factory })
    }

    /// It remembers none.
    fn forget(&mut self) {}

    fn constraint(&self, schema: &RawValue, stages: &mut Stages) -> Result<Compiled, Vec<String>> {
        let why = |error: &dyn ToString| vec![error.to_string()];
        let schema: Value = serde_json::from_str(schema.get()).map_err(|error| why(&error))?;
        let parser = stages.time("compile", || {
            self.factory.create_parser(TopLevelGrammar::from_json_schema(schema))
        });
        Ok(Compiled(Matcher::new(Ok(parser.map_err(|error| why(&error))?))))
    }
}

struct Compiled(Matcher);

impl Constraint for Compiled {
    type Session<'a> = State;

    fn start(&self) -> State {
        State(self.0.deep_clone())
    }
}

struct State(Matcher);

impl Session for State {
    fn fill(&mut self, words: &mut [u32]) {
        match self.0.compute_mask_or_eos() {
            Ok(mask) => {
                let mask = mask.as_slice();
                let len = words.len().min(mask.len());
                words[..len].copy_from_slice(&mask[..len]);
            }
            Err(_) => words.fill(0),
        }
    }

    fn accept(&mut self, token: u32) -> bool {
        self.0.consume_token(token).is_ok()
    }

    fn is_complete(&mut self) -> bool {
        self.0.is_accepting().unwrap_or(false)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    serve::<Llguidance>()
}
