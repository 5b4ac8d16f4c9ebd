//! `grammask generate`: a text that a grammar or schema allows.

mod constraint;
mod evaluate;
mod interrupt;
mod model;
mod progress;
mod prompt;
mod prompt_cache;
mod report;
mod stream;
mod threads;

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail};
use grammask::sampler::{Constraint, TokenId, Vocabulary};
use grammask::{Generation, LanguageModel, Session, generate};
use serde_json::json;

use crate::cli::args::GenerateArgs;
use crate::cli::failure::Invalid;
use crate::cli::output::{Message, Output, print_json};
use crate::cli::sampling;
use crate::cli::trace::Trace;
use constraint::{Request, Toolbox};
use interrupt::Interrupt;
use model::Loaded;
use report::{Clocked, Report, Times};
use stream::Stream;

pub(super) fn run(args: &GenerateArgs, output: Output) -> anyhow::Result<()> {
    threads::settle(&args.model)?;
    let mut times = Times::default();
    let start = Instant::now();
    let loaded = Loaded::load(&args.model, output)?;
    times.load = start.elapsed();

    let start = Instant::now();
    let tools = args.agent.tools.as_deref().map(|path| Toolbox::read(path, output)).transpose()?;
    let Request { mut constraint, grammar, plan } =
        Request::load(args, tools.as_ref(), &loaded, output)?;
    set_budget(args, &mut constraint)?;
    times.compile = start.elapsed();

    let vocabulary = loaded.engine.vocabulary();
    let mut chain = sampling::chain(&sampling::settings(&args.sampling)?, vocabulary)?;
    let trace = args.trace.then(Trace::default);
    if let Some(trace) = &trace {
        chain = trace.watch(chain);
    }
    let mut session = Session::new(constraint.clone(), chain, sampling::mode(&args.mode));
    if let Some(plan) = &plan {
        session = session.with_parser(plan.parser());
    }
    let prompt = prompt::tokens(&args.model, &loaded, tools.as_ref().map(|tools| &tools.value))?;
    if let Some(note) = loaded.tokenizer.note().filter(|_| !prompt.is_empty()) {
        output.say(&Message::note(note));
    }
    for &token in &prompt {
        session.accept_prompt(token);
    }

    let interrupt = Interrupt::watch()?;
    let mut evaluated = 0;
    let mut model: Box<dyn LanguageModel> = match &loaded.model {
        None => Box::new(model::random(&loaded.engine, args.sampling.seed.value, &grammar)),
        Some(model) => {
            let read = evaluate::prompt(args, &loaded, model, &prompt, &interrupt, output)?;
            (times.prompt, evaluated) = (read.time, read.evaluated);
            read.model
        }
    };

    let start = Instant::now();
    let mut clocked = Clocked { model: &mut *model, spent: Duration::ZERO };
    let generation =
        write(args, &mut clocked, &mut session, vocabulary, trace.as_ref(), &interrupt, output)?;
    times.model = clocked.spent;
    times.generate = start.elapsed();

    let seed = args.sampling.seed;
    if output.is_json() {
        let report = Report {
            generation: &generation,
            constraint,
            chain: session.chain(),
            is_complete: session.is_complete(),
            model: &loaded.name,
            prompt: prompt.len(),
            evaluated,
            times: &times,
        };
        let mut result = report.to_json();
        result["seed"] = json!(seed.value);
        if plan.is_some() {
            result["events"] = serde_json::to_value(session.last_events())?;
        }
        print_json(&result)?;
    } else if seed.by_chance {
        let _ = writeln!(io::stderr(), "seed: {}", seed.value);
    }
    if generation.ending.is_complete() {
        return Ok(());
    }
    let count = generation.tokens.len();
    let reason = if interrupt.has_come() { "Ctrl-C" } else { "--max-tokens" };
    Err(Invalid::Unsaid(format!("cut after {count} tokens ({reason})")).into())
}

/// The text is complete within --max-tokens, unless it may be cut.
fn set_budget(args: &GenerateArgs, constraint: &mut Constraint) -> anyhow::Result<()> {
    let max_tokens = usize::try_from(args.max_tokens).ok();
    let Some(tokens) = max_tokens.filter(|_| !args.cut) else { return Ok(()) };
    if args.sampling.ignore_eos {
        bail!("--ignore-eos leaves no end that --max-tokens could keep: give --cut or -n -1");
    }
    let help = "or give --cut, which writes as much as there is room for";
    constraint.set_budget(tokens).map_err(|error| anyhow!("--max-tokens: {error}; {help}"))
}

/// Writes the text, token by token, and shows it while it comes, unless JSON is asked for.
fn write(
    args: &GenerateArgs,
    model: &mut Clocked<'_>,
    session: &mut Session,
    vocabulary: &Vocabulary,
    trace: Option<&Trace>,
    interrupt: &Interrupt,
    output: Output,
) -> anyhow::Result<Generation> {
    let mut stream = Stream::default();
    let mut failure = None;
    let max_tokens = usize::try_from(args.max_tokens).unwrap_or(usize::MAX);
    // Ctrl-C may have come while the prompt was read.
    let most = if interrupt.has_come() { 0 } else { max_tokens };
    let on_token = |_: &mut Session, token: TokenId| {
        let bytes = vocabulary.bytes(token).unwrap_or_default();
        if let Some(trace) = trace {
            let text = String::from_utf8_lossy(bytes);
            // A trace that nobody reads is no reason to stop.
            let _ = writeln!(io::stderr(), "{token} {text:?}: {}", trace.take());
        }
        if !output.is_json()
            && !vocabulary.is_control(token)
            && let Err(error) = stream.write(bytes)
        {
            failure = Some(error);
            return ControlFlow::Break(());
        }
        if interrupt.has_come() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let generation = generate(model, session, most, on_token)?;
    if let Some(error) = failure {
        return Err(error.into());
    }
    if !output.is_json() {
        stream.finish()?;
    }
    Ok(generation)
}
