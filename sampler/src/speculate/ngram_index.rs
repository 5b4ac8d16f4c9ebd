//! Where n-grams of a text have come before.

use rustc_hash::FxHashMap;

use super::history::History;
use crate::TokenId;

/// The hash of some tokens, as `ngram-mod` of llama.cpp has it: a linear congruence.
pub(super) fn hash(tokens: &[TokenId]) -> u64 {
    let step = |hash: u64, token: &TokenId| {
        hash.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(u64::from(token.0))
    };
    tokens.iter().fold(0, step)
}

/// An entry for each n-gram of the history that is followed by enough tokens. Reads each token of a
/// text once or twice: it begins anew where the history has forgotten a part, which it does once in as
/// many tokens as it keeps. There are no more entries than tokens in the history.
#[derive(Clone, Debug)]
pub(super) struct NgramIndex<E> {
    n: usize,
    /// So many tokens have to follow.
    followed_by: usize,
    entries: FxHashMap<u64, E>,
    /// Where the history began.
    start: usize,
    /// The next place to be looked at: that behind an n-gram.
    next: usize,
}

impl<E> NgramIndex<E> {
    pub(super) fn new(n: usize, followed_by: usize) -> Self {
        Self { n, followed_by, entries: FxHashMap::default(), start: 0, next: n }
    }

    /// Takes in the places that have come to the history, in order: `add` gets the entries, the hash
    /// of an n-gram and the place behind it.
    pub(super) fn update(
        &mut self,
        history: &History,
        mut add: impl FnMut(&mut FxHashMap<u64, E>, u64, usize),
    ) {
        let kept = history.range();
        if kept.start != self.start {
            self.clear();
            self.start = kept.start;
            self.next = kept.start + self.n;
        }
        while self.next + self.followed_by <= kept.end {
            let place = self.next;
            let Some(ngram) = history.get(place - self.n..place) else { break };
            add(&mut self.entries, hash(ngram), place);
            self.next += 1;
        }
    }

    /// The n-gram at the end of the text: its hash and its tokens.
    pub(super) fn key<'a>(&self, history: &'a History) -> Option<(u64, &'a [TokenId])> {
        history.last(self.n).map(|key| (hash(key), key))
    }

    pub(super) fn get(&self, hash: u64) -> Option<&E> {
        self.entries.get(&hash)
    }

    pub(super) fn get_mut(&mut self, hash: u64) -> Option<&mut E> {
        self.entries.get_mut(&hash)
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.start = 0;
        self.next = self.n;
    }
}
