//! The text so far, as far back as it is of use.

use std::ops::Range;

use crate::TokenId;

/// The last tokens of a text, by their positions in it.
///
/// Of a long text the beginning is forgotten: at least the last [`least`](Self::new) tokens are kept,
/// and at most twice as many, so that each token is moved once at most.
///
/// ```
/// use grammask_sampler::{History, TokenId};
///
/// let mut history = History::new(2);
/// history.extend(&[1, 2, 3, 4].map(TokenId));
/// assert_eq!(history.range(), 0..4);
/// history.extend(&[TokenId(5)]);
/// assert_eq!(history.range(), 3..5);
/// assert_eq!(history.get(3..5), Some(&[TokenId(4), TokenId(5)][..]));
/// assert_eq!(history.get(2..5), None);
/// ```
#[derive(Clone, Debug)]
pub struct History {
    tokens: Vec<TokenId>,
    /// The position of the first token that is kept.
    start: usize,
    least: usize,
}

impl History {
    /// No text; of one that comes at least this many of the last tokens are kept, one at least.
    pub fn new(least: usize) -> Self {
        Self { tokens: Vec::new(), start: 0, least: least.max(1) }
    }

    /// Adds tokens at the end.
    pub fn extend(&mut self, tokens: &[TokenId]) {
        self.tokens.extend_from_slice(tokens);
        if self.tokens.len() > self.least.saturating_mul(2) {
            let forgotten = self.tokens.len() - self.least;
            self.tokens.drain(..forgotten);
            self.tokens.shrink_to(self.least.saturating_mul(2));
            self.start += forgotten;
        }
    }

    /// The positions that are kept; it ends where the text does.
    pub fn range(&self) -> Range<usize> {
        self.start..self.start + self.tokens.len()
    }

    /// The tokens that are kept.
    pub fn tokens(&self) -> &[TokenId] {
        &self.tokens
    }

    /// The tokens at some positions; `None` unless all are kept.
    pub fn get(&self, positions: Range<usize>) -> Option<&[TokenId]> {
        let begin = positions.start.checked_sub(self.start)?;
        self.tokens.get(begin..positions.end.checked_sub(self.start)?)
    }

    /// The last so many tokens; `None` if there are fewer.
    pub fn last(&self, count: usize) -> Option<&[TokenId]> {
        self.tokens.len().checked_sub(count).map(|begin| &self.tokens[begin..])
    }

    /// Forgets the text.
    pub fn clear(&mut self) {
        self.tokens.clear();
        self.start = 0;
    }
}
