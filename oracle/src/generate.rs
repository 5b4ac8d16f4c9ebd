//! Random grammars.
