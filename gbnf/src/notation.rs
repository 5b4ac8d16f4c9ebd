//! The pest parser of one rule; the notation itself is `gbnf.pest`.

// The derive makes public items without documentation.
#![allow(missing_docs, unreachable_pub, clippy::pedantic)]

#[derive(pest_derive::Parser)]
#[grammar = "gbnf.pest"]
pub(crate) struct Notation;
