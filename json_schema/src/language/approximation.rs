//! Sets of texts that no automaton says exactly.

use super::store::{LanguageId, Languages, TooLarge};

/// A set of texts between two languages; mostly the two are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Approximation {
    /// Only texts of the set: what is written.
    pub(crate) lower: LanguageId,
    /// All texts of the set: whether there are any, and what is outside, goes by it.
    pub(crate) upper: LanguageId,
}

impl From<LanguageId> for Approximation {
    fn from(language: LanguageId) -> Self {
        Self { lower: language, upper: language }
    }
}

impl Approximation {
    /// What is in both sets.
    pub(crate) fn and(self, other: Self, languages: &mut Languages) -> Result<Self, TooLarge> {
        Ok(Self {
            lower: languages.and([self.lower, other.lower])?,
            upper: languages.and([self.upper, other.upper])?,
        })
    }

    /// What is not in the set.
    pub(crate) fn not(self, languages: &mut Languages) -> Result<Self, TooLarge> {
        Ok(Self { lower: languages.not(self.upper)?, upper: languages.not(self.lower)? })
    }
}
