//! `grammask generate`: a text that a grammar or schema allows.

mod constraint;

use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail};
use grammask::agents::Pieces;
use grammask::sampler::{Chain, Vocabulary};
use grammask::{Ending, Generation, LanguageModel, RandomModel, Session, generate};
use serde_json::{Value, json};

use crate::cli::args::{GenerateArgs, ModelArg};
use crate::cli::failure::Invalid;
use crate::cli::output::{Output, print_json};
use crate::cli::trace::Trace;
use crate::cli::{sampling, vocabulary};
use constraint::Request;

pub(super) fn run(args: &GenerateArgs, output: Output) -> anyhow::Result<()> {
    let start = Instant::now();
    let engine = vocabulary::load(&args.vocab)?;
    let load = start.elapsed();

    let start = Instant::now();
    let Request { mut constraint, grammar, plan } = Request::load(args, &engine, output)?;
    let max_tokens = usize::try_from(args.max_tokens).ok();
    if let Some(tokens) = max_tokens.filter(|_| !args.cut) {
        if args.sampling.ignore_eos {
            bail!("--ignore-eos leaves no end that --max-tokens could keep: give --cut or -n -1");
        }
        let help = "or give --cut, which writes as much as there is room for";
        constraint.set_budget(tokens).map_err(|error| anyhow!("--max-tokens: {error}; {help}"))?;
    }
    let compile = start.elapsed();

    let mut chain = sampling::chain(&sampling::settings(&args.sampling)?, engine.vocabulary())?;
    let trace = args.trace.then(Trace::default);
    if let Some(trace) = &trace {
        chain = trace.watch(chain);
    }
    let mut session = Session::new(constraint, chain, sampling::mode(&args.mode));
    if let Some(plan) = &plan {
        session = session.with_parser(plan.parser());
    }
    let mut model: Box<dyn LanguageModel> = match args.model {
        ModelArg::Random => {
            Box::new(RandomModel::new(&engine, args.sampling.seed.value).with_words_of(&grammar))
        }
    };

    let start = Instant::now();
    let mut stream = Stream::default();
    let mut failure = None;
    let most = max_tokens.unwrap_or(usize::MAX);
    let generation = generate(&mut *model, &mut session, most, |_, token| {
        let vocabulary = engine.vocabulary();
        if let Some(trace) = &trace {
            let bytes = vocabulary.bytes(token).unwrap_or_default();
            let text = String::from_utf8_lossy(bytes);
            // A trace that nobody reads is no reason to stop.
            let _ = writeln!(io::stderr(), "{token} {text:?}: {}", trace.take());
        }
        if output.is_json() || vocabulary.is_control(token) {
            return ControlFlow::Continue(());
        }
        match stream.write(vocabulary.bytes(token).unwrap_or_default()) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        }
    })?;
    if let Some(error) = failure {
        return Err(error.into());
    }
    let times = Times { load, compile, generate: start.elapsed() };
    let seed = args.sampling.seed;
    if output.is_json() {
        let complete = session.is_complete();
        let mut result =
            result(&generation, complete, engine.vocabulary(), &times, session.chain());
        result["seed"] = json!(seed.value);
        if plan.is_some() {
            result["events"] = serde_json::to_value(session.last_events())?;
        }
        print_json(&result)?;
    } else {
        stream.finish()?;
        finish_line()?;
        if seed.by_chance {
            let _ = writeln!(io::stderr(), "seed: {}", seed.value);
        }
    }
    if generation.ending.is_complete() {
        return Ok(());
    }
    let count = generation.tokens.len();
    Err(Invalid::Unsaid(format!("cut after {count} tokens (--max-tokens)")).into())
}

/// How long it took.
struct Times {
    load: Duration,
    compile: Duration,
    generate: Duration,
}

fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

fn result(
    generation: &Generation,
    complete: bool,
    vocabulary: &Vocabulary,
    times: &Times,
    chain: &Chain,
) -> Value {
    let text = generation.text(vocabulary);
    let samplers = chain.names().zip(chain.timings()).map(|(name, timing)| {
        json!({"name": name, "ms": milliseconds(timing.total), "calls": timing.calls})
    });
    json!({
        "text": String::from_utf8_lossy(&text),
        "tokens": generation.tokens.iter().map(|token| token.0).collect::<Vec<_>>(),
        "complete": complete,
        "ending": match generation.ending {
            Ending::EndOfGeneration => "end-of-generation",
            Ending::Finished => "finished",
            Ending::MaxTokens => "max-tokens",
            _ => "stopped",
        },
        "timings": {
            "load_ms": milliseconds(times.load),
            "compile_ms": milliseconds(times.compile),
            "generate_ms": milliseconds(times.generate),
            "samplers": samplers.collect::<Vec<_>>(),
        },
    })
}

/// Text as it comes, in whole characters.
#[derive(Default)]
struct Stream {
    pieces: Pieces,
    text: String,
}

impl Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.pieces.push(bytes, &mut self.text);
        self.flush()
    }

    /// What is left is no character.
    fn finish(&mut self) -> io::Result<()> {
        self.pieces.finish(&mut self.text);
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.text.is_empty() {
            return Ok(());
        }
        let mut stdout = io::stdout().lock();
        stdout.write_all(self.text.as_bytes())?;
        stdout.flush()?;
        self.text.clear();
        Ok(())
    }
}

/// A line end, for people only: it is not part of the text.
fn finish_line() -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    if stdout.is_terminal() { writeln!(stdout) } else { Ok(()) }
}
