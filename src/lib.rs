//! grammask makes a language model write only what a grammar allows.
//!
//! This crate puts the parts together and adds a model to try them with; it touches no network. The
//! parts: [`gbnf`] (grammars, automata, matchers), [`json_schema`] (schemas to grammars), [`sampler`]
//! (vocabularies, masks, the sampler chain), [`agents`] (tool calls, outputs while they are written)
//! and [`models`] (language models that run in the process).
//!
//! # Example
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use grammask::json_schema::Options;
//! use grammask::sampler::{Chain, Dist, Engine, Mode, Vocabulary};
//! use grammask::{RandomModel, Session, generate, schema_constraint};
//!
//! let engine = Engine::new(Vocabulary::from_name("r50k_base")?);
//! let schema = r#"{"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"],
//!     "additionalProperties": false}"#;
//! let constraint = schema_constraint(&engine, schema, &Options::default())?;
//!
//! let mut chain = Chain::new();
//! chain.add(Dist::new(1));
//! let mut session = Session::new(constraint, chain, Mode::GrammarFirst);
//! let mut model = RandomModel::new(&engine, 1);
//! let generation = generate(&mut model, &mut session, 100, |_, _| ControlFlow::Continue(()))?;
//! let text = generation.text(engine.vocabulary());
//! assert!(text.starts_with(b"{") && text.ends_with(b"}"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Main types
//!
//! - [`grammar_constraint`], [`schema_constraint`], [`schema_grammar`]: from a text to what the next
//!   token may be.
//! - [`engine_for_schemas`]: an engine that has the tables which nearly every schema needs.
//! - [`plan_constraint`]: from the tools of an agent to a constraint.
//! - [`Session`]: one answer while it is written: constraint, chain, budget, events.
//! - [`LanguageModel`]: where logits come from; [`RandomModel`]: from nowhere;
//!   [`Evaluation`](models::Evaluation): from a GGUF file, as that of [`model_in_the_box`].
//! - [`generate`]: one token after the other until the end.
//!
//! # Features
//!
//! - `cli` (default): the program `grammask`. A library needs it not.
//! - `models` (default): language models from GGUF files, and one that comes along.
//! - `cuda`, `metal`: these run on graphics processors.

mod constrain;
mod generation;
mod model;
mod rehearsal;
mod session;
mod tool_calls;

pub use constrain::{
    ConstrainError, grammar_constraint, parse_grammar, schema_constraint, schema_grammar,
};
pub use generation::{Ending, Generation, GenerationError, generate};
#[cfg(feature = "models")]
pub use model::model_in_the_box;
pub use model::{LanguageModel, ModelError, RandomModel};
pub use rehearsal::engine_for_schemas;
pub use session::{RollbackError, Session};
pub use tool_calls::{is_control, plan_constraint};

pub use grammask_agents as agents;
pub use grammask_gbnf as gbnf;
pub use grammask_json_schema as json_schema;
#[cfg(feature = "models")]
pub use grammask_models as models;
pub use grammask_sampler as sampler;

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct ReadmeDoctests;

#[doc = include_str!("../docs/agents.md")]
#[cfg(doctest)]
pub struct AgentsDoctests;
