//! How long free text may be, and how it ends then.

use grammask_gbnf::{Expr, ExprKind, Grammar, TokenName, TokenReference};

use super::error::LazyError;
use crate::constraint::Constraint;
use crate::engine::Engine;
use crate::token_id::TokenId;
use std::sync::Arc;

/// A limit of free text, as for thinking: when so many tokens of it have been read, at the end of the
/// next whole character, a closing has to follow and then what a constraint allows.
///
/// See [`LazyGrammar::budget`](crate::LazyGrammar::budget) for an example.
#[derive(Clone, Debug)]
pub struct ThinkingBudget {
    tokens: usize,
    text: String,
    token: Option<TokenId>,
    target: Constraint,
}

impl ThinkingBudget {
    /// After this many tokens of free text comes `closing`, as text, and then what `target` allows.
    /// With 0 tokens the closing is the first that comes.
    pub fn new(tokens: usize, closing: impl Into<String>, target: Constraint) -> Self {
        Self { tokens, text: closing.into(), token: None, target }
    }

    /// A token behind the text of the closing, as an end tag that is a control token.
    #[must_use]
    pub fn token(self, token: TokenId) -> Self {
        Self { token: Some(token), ..self }
    }

    /// What follows the closing.
    pub(super) fn target(&self) -> &Constraint {
        &self.target
    }

    /// The number of tokens, and the grammar of the closing.
    pub(super) fn compile(&self, engine: &Arc<Engine>) -> Result<(usize, Constraint), LazyError> {
        let mut closing = Vec::new();
        if !self.text.is_empty() {
            closing.push(Expr::literal(self.text.clone()));
        }
        if let Some(token) = self.token {
            if engine.vocabulary().is_eog(token) {
                let error = crate::ConstraintError::AfterEnd { token };
                return Err(LazyError::Closing(error));
            }
            let token = TokenName::Id(token.0);
            let reference = TokenReference { token, negated: false };
            closing.push(Expr::new(ExprKind::Token(reference)));
        }
        if closing.is_empty() {
            return Err(LazyError::EmptyClosing);
        }
        let mut grammar = Grammar::default();
        grammar.add("root", Expr::sequence(closing));
        let closing = Constraint::new(engine, &grammar, "root").map_err(LazyError::Closing)?;
        Ok((self.tokens, closing))
    }
}
