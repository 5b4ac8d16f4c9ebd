//! GBNF text to [`Grammar`], automaton and matcher. Knows bytes; knows neither tokens nor JSON.

mod automaton;
mod compile;
mod counting;
mod grammar;
mod graph;
mod label;
mod left_corner;
mod lower;
mod matcher;
mod members;
mod program;
mod session;
mod span;
mod stack;
mod terms;

pub use automaton::{Automaton, CompileError, CompileErrorKind};
pub use grammar::{
    CharClass, Expr, ExprKind, Grammar, Member, Members, Repetition, Rule, TokenName,
    TokenReference,
};
pub use label::Label;
pub use matcher::{AdvanceError, AdvanceErrorKind, Matcher};
pub use members::{ContextId, KeyStateId};
pub use session::{Entry, Session, State};
pub use span::Span;
pub use stack::NodeId;
pub use terms::{ByteSet, TermId, Terms};
