//! Grammars and texts made to hang or to crash an engine, or to use up its memory.
//!
//! The first are those that llama.cpp falls over: a reversed count, left recursion that it does not
//! see, rules that lead to each other in many ways, deep nesting, references to erased rules. The
//! others aim at what an engine of this kind might do badly: unrolled counters, sets of stacks,
//! determinised alternatives, recursion on the machine's stack.
//!
//! The list is one for the tests and the harness. Both run each case in a process of its own, with
//! limits on time and memory.

mod cases;

use std::time::Instant;

use grammask_gbnf::{
    AdvanceErrorKind, Automaton, Code, CompileError, Grammar, Matcher, ParseConfig,
};

pub use cases::all;

/// A grammar made to break something, and what must come of it.
#[derive(Clone, Copy, Debug)]
pub struct Hostile {
    /// Its name.
    pub name: &'static str,
    /// Its text.
    pub grammar: fn() -> String,
    /// What must come of it.
    pub expected: Expected,
}

/// What must come of a hostile grammar.
#[derive(Clone, Copy, Debug)]
pub enum Expected {
    /// It works, and says this of these texts.
    Works(fn() -> Vec<Text>),
    /// It is refused with this error.
    Refused(Code),
}

/// A text and what must be said of it.
#[derive(Clone, Debug)]
pub struct Text {
    /// The text.
    pub text: String,
    /// What is true of it.
    pub answer: Answer,
}

/// What is said of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is in the language.
    Complete,
    /// It is not, but some text of the language begins so.
    Alive,
    /// No text of the language begins so.
    Refused,
    /// There are too many ways to read it: it is given up.
    Limited,
}

/// What a run took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    /// Bytes of the grammar.
    pub grammar: usize,
    /// Positions of the automaton.
    pub positions: usize,
    /// Interned values of the largest session.
    pub session: usize,
    /// Bytes of all texts.
    pub texts: usize,
    /// Milliseconds to parse.
    pub parse_ms: f64,
    /// Milliseconds to check.
    pub check_ms: f64,
    /// Milliseconds to compile.
    pub compile_ms: f64,
    /// Milliseconds to read all texts.
    pub match_ms: f64,
}

/// A text of up to this length is read byte by byte, a longer one in pieces.
const MAX_SINGLE_STEPS: usize = 50_000;
/// Bytes of a piece.
const PIECE: usize = 64;

impl Hostile {
    /// The texts; none if the grammar must be refused.
    pub fn texts(&self) -> Vec<Text> {
        match self.expected {
            Expected::Works(texts) => texts(),
            Expected::Refused(_) => Vec::new(),
        }
    }

    /// Parses and checks the grammar, compiles it in the given way, and reads the texts. Gives the
    /// automaton if there must be one.
    ///
    /// # Errors
    ///
    /// What came out otherwise.
    pub fn run(
        &self,
        compile: impl FnOnce(&Grammar) -> Result<Automaton, CompileError>,
    ) -> Result<(Option<Automaton>, Figures), String> {
        let text = (self.grammar)();
        let mut figures = Figures { grammar: text.len(), ..Figures::default() };
        let parsed = timed(&mut figures.parse_ms, || ParseConfig::new().parse(&text));
        let grammar = match parsed {
            Ok(grammar) => grammar,
            Err(found) => {
                let codes: Vec<_> = found.iter().map(|diagnostic| diagnostic.code).collect();
                return match self.expected {
                    Expected::Refused(code) if codes.contains(&code) => Ok((None, figures)),
                    _ => Err(format!("refused: {:.300}", found.to_string())),
                };
            }
        };
        let found = timed(&mut figures.check_ms, || grammar.check("root"));
        if let Expected::Refused(code) = self.expected
            && found.iter().any(|diagnostic| diagnostic.code == code)
        {
            return Ok((None, figures));
        }
        let compiled = timed(&mut figures.compile_ms, || compile(&grammar));
        if let Expected::Refused(code) = self.expected {
            return match compiled {
                Err(error) if error.diagnostic().code == code => Ok((None, figures)),
                Err(error) => Err(format!("refused: {error}")),
                Ok(_) => Err("not refused".to_owned()),
            };
        }
        let automaton = compiled.map_err(|error| error.to_string())?;
        figures.positions = automaton.size();
        for Text { text, answer } in self.texts() {
            figures.texts += text.len();
            let (got, session) = timed(&mut figures.match_ms, || read(&automaton, text.as_bytes()));
            figures.session = figures.session.max(session);
            if got? != answer {
                return Err(format!("{:.60} of {} bytes is not {answer:?}", text, text.len()));
            }
        }
        Ok((Some(automaton), figures))
    }
}

/// The answer to a text, and the size of the session.
fn read(automaton: &Automaton, text: &[u8]) -> (Result<Answer, String>, usize) {
    let mut matcher = Matcher::new(automaton);
    let piece = if text.len() > MAX_SINGLE_STEPS { PIECE } else { 1 };
    let mut answer = None;
    for bytes in text.chunks(piece) {
        if let Err(error) = matcher.advance(bytes) {
            answer = Some(match error.kind() {
                AdvanceErrorKind::Refused => Ok(Answer::Refused),
                AdvanceErrorKind::TooAmbiguous { .. } => Ok(Answer::Limited),
                _ => Err(error.to_string()),
            });
            break;
        }
    }
    let session = matcher.session().size();
    let reached = || {
        Ok(match (matcher.is_complete(), matcher.state().is_dead()) {
            (true, _) => Answer::Complete,
            (false, false) => Answer::Alive,
            (false, true) => Answer::Refused,
        })
    };
    (answer.unwrap_or_else(reached), session)
}

fn timed<T>(milliseconds: &mut f64, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = run();
    *milliseconds += start.elapsed().as_secs_f64() * 1000.0;
    result
}

/// The case with a name.
pub fn find(name: &str) -> Option<Hostile> {
    all().into_iter().find(|case| case.name == name)
}
