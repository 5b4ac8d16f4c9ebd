//! The number of a token.

/// The number of a token in a vocabulary.
///
/// ```
/// use grammask_sampler::TokenId;
///
/// assert_eq!(TokenId(7).index(), 7);
/// assert_eq!(TokenId(7).to_string(), "7");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenId(pub u32);

impl TokenId {
    /// The number as an index into a table by token.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl std::fmt::Display for TokenId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
