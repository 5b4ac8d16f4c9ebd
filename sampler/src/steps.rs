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
