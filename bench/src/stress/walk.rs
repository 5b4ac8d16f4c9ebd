//! Documents that are written at random through masks, and what is wrong or slow on the way.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use cpu_time::ThreadTime;
use grammask_sampler::{Constraint, Engine, TokenId, TokenMask};
use rand::RngExt;
use rand::seq::IndexedRandom;
use serde::Serialize;

use super::{Options, Random};

/// Of a schema so many slow steps are listed: the others are mostly like them.
const MOST_SLOW: usize = 3;
/// So many tokens of each mask are read, whether it allows them or not.
const READ: usize = 2;
/// Of so many allowed tokens the one is taken that is most to the taste.
const CANDIDATES: usize = 6;

/// What is wrong or slow, and behind which text.
#[derive(Serialize)]
pub struct Finding {
    what: String,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    milliseconds: Option<f64>,
}

/// What became of a schema.
#[derive(Default)]
pub struct Outcome {
    pub is_refused: bool,
    pub is_without_instances: bool,
    pub masks: usize,
    pub wrong: Vec<Finding>,
    pub slow: Vec<Finding>,
}

impl Outcome {
    fn wrong(&mut self, what: impl Into<String>, text: &[u8]) {
        let text = String::from_utf8_lossy(text).into_owned();
        self.wrong.push(Finding { what: what.into(), text, milliseconds: None });
    }

    /// Notes what took its time.
    fn timed(&mut self, what: &str, text: &[u8], started: ThreadTime, limit: f64) {
        let milliseconds = started.elapsed().as_secs_f64() * 1e3;
        if milliseconds > limit && self.slow.len() < MOST_SLOW {
            let text = String::from_utf8_lossy(text).into_owned();
            self.slow.push(Finding { what: what.into(), text, milliseconds: Some(milliseconds) });
        }
    }
}

/// Compiles a schema and writes documents under it.
pub fn check(
    engine: &Arc<Engine>,
    schema: &str,
    options: &Options,
    random: &mut Random,
) -> Outcome {
    let mut outcome = Outcome::default();
    let started = ThreadTime::now();
    // With the first mask, for which most of the tables are made.
    let compiled = catch_unwind(AssertUnwindSafe(|| {
        let spelling = options.spelling.options();
        let constraint = grammask::schema_constraint(engine, schema, &spelling).ok()?;
        let allowed = constraint.mask().count();
        Some((constraint, allowed))
    }));
    outcome.timed("compilation", &[], started, options.slow_compile_ms);
    let constraint = match compiled {
        Ok(Some((constraint, 0))) if !constraint.is_too_ambiguous() => {
            outcome.is_without_instances = true;
            return outcome;
        }
        Ok(Some((constraint, _))) => constraint,
        Ok(None) => {
            outcome.is_refused = true;
            return outcome;
        }
        Err(_) => {
            outcome.wrong("panic of the compilation", &[]);
            return outcome;
        }
    };
    for _ in 0..options.walks {
        let mut walk = Walk {
            engine,
            constraint: constraint.clone(),
            mask: TokenMask::new(engine.vocabulary().len()),
            text: Vec::new(),
            outcome: &mut outcome,
        };
        let walked = catch_unwind(AssertUnwindSafe(|| walk.run(options, random)));
        if walked.is_err() {
            walk.outcome.wrong("panic of a walk", &walk.text);
        }
        if !outcome.wrong.is_empty() {
            break;
        }
    }
    outcome
}

/// What tokens are preferred: by themselves most walks would stay in the first string.
#[derive(Clone, Copy)]
enum Taste {
    None,
    Long,
    Short,
    Quotes,
}

impl Taste {
    const ALL: [Self; 4] = [Self::None, Self::Long, Self::Short, Self::Quotes];

    fn score(self, bytes: &[u8]) -> isize {
        let length = bytes.len().cast_signed();
        let score = match self {
            Self::None => return 0,
            Self::Long => length,
            Self::Short => -length,
            Self::Quotes => 3 * isize::from(bytes.contains(&b'"')),
        };
        score + 4 * isize::from(bytes.is_ascii())
    }
}

/// A document as far as it is written.
struct Walk<'a> {
    engine: &'a Engine,
    constraint: Constraint,
    mask: TokenMask,
    text: Vec<u8>,
    outcome: &'a mut Outcome,
}

impl Walk<'_> {
    /// Writes until the text ends, something is wrong, or it is enough.
    fn run(&mut self, options: &Options, random: &mut Random) {
        for _ in 0..options.steps {
            if self.step(options, random).is_none() {
                break;
            }
        }
    }

    /// Writes a token; `None` if that was the end.
    fn step(&mut self, options: &Options, random: &mut Random) -> Option<()> {
        let started = ThreadTime::now();
        self.constraint.fill_mask(&mut self.mask);
        self.outcome.timed("mask", &self.text, started, options.slow_mask_ms);
        self.outcome.masks += 1;
        let allowed: Vec<TokenId> = self.mask.tokens().collect();
        if allowed.is_empty() {
            if self.constraint.is_too_ambiguous() {
                self.outcome.wrong("too ambiguous", &self.text);
            } else if !self.constraint.is_complete() {
                self.outcome.wrong("dead end", &self.text);
            }
            return None;
        }
        for _ in 0..READ {
            self.compare(TokenId(random.random_range(0..self.mask.len() as u32)))?;
        }
        let token = self.choose(&allowed, random)?;
        let started = ThreadTime::now();
        let accepted = self.constraint.accept(token);
        if accepted.is_err() {
            self.outcome.wrong(format!("allowed token {} is refused", token.0), &self.text);
            return None;
        }
        self.text.extend(self.engine.vocabulary().bytes(token)?);
        self.outcome.timed("commit", &self.text, started, options.slow_commit_ms);
        Some(())
    }

    /// Compares the bit of a token with what reading it says; `None` if they differ.
    fn compare(&mut self, token: TokenId) -> Option<()> {
        let bytes = self.engine.vocabulary().bytes(token).unwrap_or_default();
        let is_allowed = self.mask.contains(token);
        // A gap, and what spells nothing, is nothing that could be read.
        if bytes.is_empty() || self.constraint.clone().accept(token).is_ok() == is_allowed {
            return Some(());
        }
        let (token, bytes) = (token.0, String::from_utf8_lossy(bytes));
        let mask = if is_allowed { "allowed" } else { "forbidden" };
        let what = format!("token {token} {bytes:?} is {mask}, and reading it says otherwise");
        self.outcome.wrong(what, &self.text);
        None
    }

    /// One of the allowed tokens, to a taste that is drawn for it.
    fn choose(&self, allowed: &[TokenId], random: &mut Random) -> Option<TokenId> {
        let taste = *Taste::ALL.choose(random)?;
        let score = |token: TokenId| {
            self.engine.vocabulary().bytes(token).map_or(0, |bytes| taste.score(bytes))
        };
        (0..CANDIDATES)
            .filter_map(|_| allowed.choose(random).copied())
            .max_by_key(|token| score(*token))
    }
}
