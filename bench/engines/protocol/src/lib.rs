//! What the harness and an engine that it measures say to each other: a line of JSON each, over the
//! engine's standard input and output.
//!
//! The harness begins with a [`Start`]; the engine answers [`Ready`]. Each [`Job`] that follows is
//! answered with [`Done`]. An engine is a program of its own that calls [`serve`]; it takes its own
//! times.

mod process;
mod serve;
mod vocabulary;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub use process::{peak_mb, processor_ms, resident_mb};
pub use serve::{Constraint, Engine, Session, Stages, is_allowed, serve};
pub use vocabulary::{Token, read_vocabulary, write_vocabulary};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What an engine must know before it sees a schema.
#[derive(Debug, Serialize, Deserialize)]
pub struct Start {
    /// A file that [`write_vocabulary`] has written.
    pub vocabulary: String,
    /// Nothing but what is built from the vocabulary alone is kept from schema to schema.
    pub isolated: bool,
    /// How documents are spelled, for engines that let one choose.
    pub spelling: serde_json::Value,
}

/// An engine that has its vocabulary.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ready {
    /// From the tokens in memory to the engine, in processor time.
    pub startup_ms: f64,
    /// Memory in use then.
    pub rss_mb: f64,
    /// What copying a mask takes.
    pub copy_us: f64,
    /// What asking for the processor time takes, which no time has in it.
    pub clock_us: f64,
    /// What must be known to read its figures.
    pub notes: Vec<String>,
}

/// A schema with instances.
#[derive(Serialize, Deserialize)]
pub struct Job {
    /// The schema as it is written.
    pub schema: Box<RawValue>,
    /// The instances, as tokens.
    pub instances: Vec<Vec<u32>>,
    /// How often all of it is read: the second time, what is kept of the first is there.
    pub passes: usize,
    /// Whether the times of each token are noted, which takes memory that is not the engine's.
    pub timed: bool,
}

/// What became of a schema.
#[derive(Debug, Serialize, Deserialize)]
pub enum Done {
    /// It has a constraint.
    Read(Reading),
    /// It has none.
    Refused(Refusal),
    /// The engine panicked, which says this.
    Panicked(String),
}

/// A schema's constraint, and what it says to instances.
#[derive(Debug, Serialize, Deserialize)]
pub struct Reading {
    /// From the schema to the first mask, in parts.
    pub stages: Vec<(String, Time)>,
    /// By instance, once for each pass.
    pub passes: Vec<Vec<Instance>>,
    /// The most memory that has been in use so far.
    pub peak_rss_mb: f64,
    /// What the tables take that are kept for further schemas, if the engine says it.
    pub table_bytes: Option<u64>,
}

/// Why a schema has no constraint.
#[derive(Debug, Serialize, Deserialize)]
pub struct Refusal {
    /// In a few words each.
    pub reasons: Vec<String>,
    /// How long it took to find out.
    pub time: Time,
    /// The most memory that has been in use so far.
    pub peak_rss_mb: f64,
}

/// What a constraint says to an instance.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Instance {
    /// All tokens are allowed, and the text may end behind them.
    pub accepted: bool,
    /// How many tokens are allowed, one after the other.
    pub tokens: usize,
    /// What these took, if that is noted.
    pub times: Vec<TokenTime>,
}

/// What one token took.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct TokenTime {
    /// Computing the mask before it, up to its words in the caller's buffer.
    pub mask: Time,
    /// Reading it.
    pub commit: Time,
    /// How many nodes of the trie were visited for the mask; none if it was known, or if the engine
    /// does not say.
    pub nodes: Option<u64>,
    /// How many tokens the mask allows.
    pub allowed: u32,
}

/// How long something took, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Time {
    /// Of the processor time of all threads.
    pub cpu: u64,
    /// On the clock.
    pub wall: u64,
}
