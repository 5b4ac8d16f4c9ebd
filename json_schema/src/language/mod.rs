//! An algebra of string languages over decoded code points.
//!
//! [`Languages`] holds regular languages that are closed under union, intersection and
//! complement; [`Languages::pattern`] reads patterns of ECMA-262; a [`Dfa`] answers what is asked
//! of a language as a whole.

mod approximation;
mod assertion;
mod automaton;
mod build;
mod class;
mod decided;
mod derive;
mod ecma;
mod emptiness;
mod escape;
mod facts;
mod minimise;
mod search;
mod shape;
mod snapshot;
mod store;

pub(crate) use approximation::Approximation;
pub(crate) use automaton::{Dfa, DfaState};
pub(crate) use class::CharSet;
pub(crate) use decided::MANY_TIMES;
pub(crate) use ecma::PatternError;
pub(crate) use shape::Shape;
pub(crate) use snapshot::Snapshot;
pub(crate) use store::{LanguageId, Languages, TooLarge};

#[cfg(test)]
mod ecma_tests;
#[cfg(test)]
mod tests;
