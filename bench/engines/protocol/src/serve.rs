//! The engine's side: it reads jobs, does them on one thread, and takes the times.

use std::any::Any;
use std::error::Error;
use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::OnceLock;
use std::time::Instant;

use cpu_time::ProcessTime;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::process::{peak_mb, resident_mb};
use crate::vocabulary::{Token, read_vocabulary};
use crate::{Done, Instance, Job, Reading, Ready, Refusal, Start, Time, TokenTime};

/// An engine with a vocabulary.
pub trait Engine: Sized {
    /// What it makes of a schema.
    type Constraint: Constraint;

    /// What must be known to read its figures.
    const NOTES: &'static [&'static str];

    /// Builds all that can be built before a schema is seen.
    ///
    /// # Errors
    ///
    /// What it cannot take of the vocabulary or the options.
    fn new(tokens: &[Token], start: &Start) -> Result<Self, Box<dyn Error>>;

    /// Forgets all schemas; outside the clock.
    fn forget(&mut self);

    /// What is made of a schema, with the time of each stage.
    ///
    /// # Errors
    ///
    /// Why there is no constraint for it.
    fn constraint(
        &self,
        schema: &RawValue,
        stages: &mut Stages,
    ) -> Result<Self::Constraint, Vec<String>>;

    /// How many bytes it keeps for further schemas, if that is known.
    fn table_bytes(&self) -> Option<u64> {
        None
    }
}

/// What a schema allows.
pub trait Constraint {
    /// A text that grows.
    type Session<'a>: Session
    where
        Self: 'a;

    /// The empty text.
    fn start(&self) -> Self::Session<'_>;
}

/// A text that grows token by token.
pub trait Session {
    /// The tokens that may come next, as 32-bit words: bit i % 32 of word i / 32 for token i.
    fn fill(&mut self, words: &mut [u32]);

    /// Reads a token; whether it could be read.
    fn accept(&mut self, token: u32) -> bool;

    /// Whether the text may end here.
    fn is_complete(&mut self) -> bool;

    /// How many nodes of the trie have been visited so far, if that is known: none for a mask that
    /// was there already.
    fn nodes(&self) -> Option<u64> {
        None
    }
}

/// The stages of making a constraint, with the time of each.
#[derive(Default)]
pub struct Stages(Vec<(String, Time)>);

impl Stages {
    /// Does a part of the work, within the clock.
    pub fn time<T>(&mut self, name: &str, work: impl FnOnce() -> T) -> T {
        let (result, time) = timed(work);
        self.0.push((name.to_owned(), time));
        result
    }
}

/// The time of some work, without what it takes to ask for it.
fn timed<T>(work: impl FnOnce() -> T) -> (T, Time) {
    let (result, Time { cpu, wall }) = timed_with_clock(work);
    (result, Time { cpu: cpu.saturating_sub(clock_ns()), wall })
}

fn timed_with_clock<T>(work: impl FnOnce() -> T) -> (T, Time) {
    // Of all threads: an engine may have others work for it.
    let (cpu, wall) = (ProcessTime::now(), Instant::now());
    let result = work();
    let wall = wall.elapsed().as_nanos() as u64;
    let cpu = cpu.elapsed().as_nanos() as u64;
    (result, Time { cpu, wall })
}

/// The processor time that asking for it takes: half a microsecond, as much as some masks.
fn clock_ns() -> u64 {
    static CLOCK: OnceLock<u64> = OnceLock::new();
    *CLOCK.get_or_init(|| usual(|| timed_with_clock(|| ()).1.cpu))
}

/// The usual one of many times.
fn usual(time: impl FnMut() -> u64) -> u64 {
    let mut times: Vec<u64> = std::iter::repeat_with(time).take(1001).collect();
    times.sort_unstable();
    times[times.len() / 2]
}

/// Serves the harness until it closes the pipe.
///
/// # Errors
///
/// What cannot be read, written or built.
pub fn serve<E: Engine>() -> Result<(), Box<dyn Error>> {
    let mut lines = io::stdin().lock().lines();
    let mut output = io::stdout().lock();
    let Some(start) = lines.next() else { return Ok(()) };
    let start: Start = serde_json::from_str(&start?)?;
    let tokens = read_vocabulary(Path::new(&start.vocabulary))?;
    let (engine, time) = timed(|| E::new(&tokens, &start));
    let mut engine = engine?;
    let words = tokens.len().div_ceil(32);
    drop(tokens);
    let ready = Ready {
        startup_ms: time.cpu as f64 / 1e6,
        rss_mb: resident_mb("self"),
        copy_us: copy_us(words),
        clock_us: clock_ns() as f64 / 1e3,
        notes: E::NOTES.iter().map(|&note| note.to_owned()).collect(),
    };
    say(&mut output, &ready)?;
    for line in lines {
        let job: Job = serde_json::from_str(&line?)?;
        if start.isolated {
            engine.forget();
        }
        let done = catch_unwind(AssertUnwindSafe(|| work(&engine, &job, words)));
        say(&mut output, &done.unwrap_or_else(|panic| Done::Panicked(message(&*panic))))?;
    }
    Ok(())
}

fn say(output: &mut impl Write, what: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *output, what)?;
    output.write_all(b"\n")?;
    output.flush()
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|&text| text.to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

/// The usual time of copying so many words.
fn copy_us(words: usize) -> f64 {
    let from = vec![1_u32; words];
    let mut to = vec![0_u32; words];
    let copy = || timed(|| std::hint::black_box(&mut to).copy_from_slice(&from)).1.wall;
    usual(copy) as f64 / 1e3
}

fn work<E: Engine>(engine: &E, job: &Job, words: usize) -> Done {
    let mut stages = Stages::default();
    let (constraint, time) = timed(|| engine.constraint(&job.schema, &mut stages));
    let constraint = match constraint {
        Ok(constraint) => constraint,
        Err(reasons) => {
            return Done::Refused(Refusal { reasons, time, peak_rss_mb: peak_mb("self") });
        }
    };
    let mut mask = vec![0; words];
    stages.time("first mask", || constraint.start().fill(&mut mask));
    let passes = (0..job.passes)
        .map(|_| {
            let instances = job.instances.iter();
            let read = |tokens: &Vec<u32>| read(constraint.start(), tokens, &mut mask, job.timed);
            instances.map(read).collect()
        })
        .collect();
    Done::Read(Reading {
        stages: stages.0,
        passes,
        peak_rss_mb: peak_mb("self"),
        table_bytes: engine.table_bytes(),
    })
}

/// Whether a mask has a token: bit i % 32 of word i / 32 is that of token i.
pub fn is_allowed(words: &[u32], token: u32) -> bool {
    words[token as usize / 32] >> (token % 32) & 1 == 1
}

fn read(mut session: impl Session, tokens: &[u32], words: &mut [u32], is_timed: bool) -> Instance {
    let mut instance = Instance::default();
    for &token in tokens {
        let before = session.nodes();
        let ((), mask) = timed(|| session.fill(words));
        let nodes = session.nodes().zip(before).map(|(after, before)| after - before);
        if !is_allowed(words, token) {
            return instance;
        }
        let allowed = words.iter().map(|word| word.count_ones()).sum();
        let (is_read, commit) = timed(|| session.accept(token));
        if !is_read {
            return instance;
        }
        instance.tokens += 1;
        if is_timed {
            let nodes = nodes.filter(|&nodes| nodes > 0);
            instance.times.push(TokenTime { mask, commit, nodes, allowed });
        }
    }
    instance.accepted = session.is_complete();
    instance
}
