//! For tests only: what a grammar means, written as plainly as possible, and random grammars.
//!
//! [`Reference`] decides whether a text belongs to the language of a grammar, and whether it can
//! still become one that does: Earley's algorithm over plain BNF of bytes. It shares no idea with
//! the production automaton but the grammar's tree. [`generate`] makes grammars, texts and
//! vocabularies to compare the two on; [`enumerate`] lists a language up to a length.
//!
//! Use it from integration tests (`tests/*.rs`): inside the unit tests of `grammask-gbnf` itself
//! the tree types would be those of another build of the crate.

mod bnf;
mod conjunction;
pub mod enumerate;
pub mod generate;
pub mod hostile;
mod keys;
mod members;
mod reference;
mod unique;
mod utf8;

pub use reference::{Chart, Reference};
