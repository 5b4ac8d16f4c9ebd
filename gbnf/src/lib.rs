//! GBNF text to [`Grammar`], automaton and matcher. Knows bytes; knows neither tokens nor JSON.

// What pest's derive asks for without its `std`.
extern crate alloc;

mod automaton;
mod characters;
mod check;
mod counts;
mod diagnostic;
mod dialect;
mod expected;
mod finite;
mod grammar;
mod graph;
mod line_index;
mod llama_cpp;
mod matcher;
mod members;
mod notation;
mod parse;
mod print;
mod similar;
mod source;
mod span;
mod syntax_error;
mod tree;
mod unique;
mod walk;

pub use automaton::{
    Automaton, Blurred, ByteSet, CompileError, CompileErrorKind, ContextId, Entry, Fingerprint,
    FrameId, FrozenTerms, Interner, KeyEnd, KeyStateId, KeyTerms, KnownKeys, Label, Length,
    Longest, Missing, Needs, NodeId, Pattern, Reading, Rounds, Session, Spelling, State,
    Surroundings, TermId, Terms, TextId, TrackId, ValueId, WrittenKeys,
};
pub use diagnostic::{Code, Diagnostic, Diagnostics, Severity};
pub use dialect::{Dialect, ParseConfig};
pub use expected::Expected;
pub use grammar::{
    All, CharClass, Expr, ExprKind, Grammar, Member, Members, Repetition, Rule, TokenName,
    TokenReference, Unique,
};
pub use line_index::{LineIndex, Position};
pub use matcher::{AdvanceError, AdvanceErrorKind, MOST_FORCED, Matcher};
pub use parse::{parse, parse_bytes, parse_with};
pub use span::Span;
