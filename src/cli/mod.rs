//! The command line: one file a subcommand, and what they share.
//!
//! Raw arguments ([`args`]) are resolved into what the library takes ([`schema_options`],
//! [`sampling`], [`vocabulary`], [`grammar_source`]); results go to stdout, all else to stderr
//! ([`output`]). Exit codes: 0 valid or done, 1 the input is invalid, 2 could not run.

mod args;
mod chain;
mod chat;
mod check;
mod convert;
mod failure;
mod generate;
mod grammar_source;
mod input;
mod mask;
mod match_;
mod output;
mod picture;
mod reading;
mod run;
mod sampling;
mod schema_options;
mod tokenizer;
mod trace;
mod vocabulary;

pub(crate) use run::run;
