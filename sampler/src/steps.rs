//! Where tokens lead that have been read before.

use grammask_gbnf::{Interner, State};
use rustc_hash::FxHashMap;

use crate::token_id::TokenId;

/// So many steps are kept, each some hundred bytes with the state that it leads to; then all are forgotten.
const MOST: usize = 1 << 12;

/// The states of a session that texts have been in, and which token leads from one to another. Texts of one
/// grammar begin alike, and in the midst of a string most tokens lead to where they come from.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    states: Interner<State>,
    after: FxHashMap<(u32, TokenId), u32>,
}

impl Steps {
    /// The state behind a token, if it has been read from this one.
    pub(crate) fn after(&self, state: &State, token: TokenId) -> Option<&State> {
        let from = self.states.find(state)?;
        Some(self.states.get(*self.after.get(&(from, token))?))
    }

    pub(crate) fn insert(&mut self, state: &State, token: TokenId, next: &State) {
        if self.after.len() >= MOST {
            *self = Self::default();
        }
        let mut id = |state: &State| {
            self.states.find(state).unwrap_or_else(|| self.states.intern(state.clone()))
        };
        let step = (id(state), token);
        let next = id(next);
        self.after.insert(step, next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraint::Constraint;
    use crate::engine::Engine;
    use crate::vocabulary::Vocabulary;
    use grammask_gbnf::parse;

    #[test]
    fn steps_lead_where_bytes_do() {
        let engine = Engine::new(Vocabulary::of(["a", "b", "ba"]));
        // Each number of letters is another state, and there are more of them than are kept.
        let grammar = parse(r#"root ::= ("a" "b"?){0,9000} [ab]* "a""#).expect("a grammar");
        let start = Constraint::new(&engine, &grammar, "root").expect("it compiles");
        let tokens: Vec<u32> =
            (0..MOST as u32 + 100).map(|at| [0, 1, 0, 2, 0, 0][at as usize % 6]).collect();
        for _ in 0..2 {
            let mut constraint = start.clone();
            let matcher =
                |constraint: &Constraint| constraint.matcher().expect("it is strict").clone();
            let mut state = matcher(&start).state().clone();
            for (at, &token) in tokens.iter().enumerate() {
                constraint.accept(TokenId(token)).expect("it is allowed");
                let matcher = matcher(&constraint);
                for &byte in engine.vocabulary().bytes(TokenId(token)).expect("a token") {
                    state = matcher.session().step(&state, byte);
                }
                assert_eq!(matcher.state(), &state, "behind {at} tokens");
            }
        }
    }
}
