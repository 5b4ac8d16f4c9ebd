//! GBNF text to [`Grammar`], automaton and matcher. Knows bytes; knows neither tokens nor JSON.

mod grammar;
mod span;

pub use grammar::{
    CharClass, Expr, ExprKind, Grammar, Member, Members, Repetition, Rule, TokenName,
    TokenReference,
};
pub use span::Span;
