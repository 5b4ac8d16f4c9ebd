//! What was before the last tokens, so that they can be taken back.

use std::collections::VecDeque;

use crate::TokenId;

/// The last tokens, up to a number of them. Those that have left it are kept, four bytes each: they
/// are the last ones again when others are taken back.
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    /// The newest first.
    last: VecDeque<TokenId>,
    /// The newest last.
    before: Vec<TokenId>,
}

impl Window {
    /// Takes in a token; returns the one that leaves, if there are `capacity` of them.
    pub(super) fn push(&mut self, token: TokenId, capacity: usize) -> Option<TokenId> {
        let is_full = self.last.len() >= capacity;
        let leaving = if is_full { self.last.pop_back() } else { None };
        self.before.extend(leaving);
        self.last.push_front(token);
        leaving
    }

    /// Takes back the newest token; returns it, and the one that is among the last again.
    pub(super) fn pop(&mut self) -> Option<(TokenId, Option<TokenId>)> {
        let token = self.last.pop_front()?;
        let returning = self.before.pop();
        self.last.extend(returning);
        Some((token, returning))
    }

    /// The last tokens, the newest first.
    pub(super) fn newest_first(&mut self) -> &[TokenId] {
        self.last.make_contiguous()
    }

    pub(super) fn clear(&mut self) {
        self.last.clear();
        self.before.clear();
    }
}

/// A state that each token may change, and what it was before each.
#[derive(Clone, Debug)]
pub(super) struct Undo<T> {
    pub(super) now: T,
    before: Vec<T>,
}

impl<T: Copy> Undo<T> {
    pub(super) fn new(start: T) -> Self {
        Self { now: start, before: Vec::new() }
    }

    /// A token comes.
    pub(super) fn keep(&mut self) {
        self.before.push(self.now);
    }

    /// The state before the last tokens, before all of them if they are fewer.
    pub(super) fn rollback(&mut self, tokens: usize) {
        let rest = self.before.len().saturating_sub(tokens);
        if let Some(&before) = self.before.get(rest) {
            self.now = before;
            self.before.truncate(rest);
        }
    }
}
