//! Why a lazy grammar could not be made.

use crate::token_id::TokenId;

/// Why a [`LazyGrammar`](crate::LazyGrammar) could not be made. Triggers are numbered from 0, in the
/// order in which they were given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LazyError {
    /// There is no trigger.
    #[error("a lazy grammar without a trigger would never begin: add one")]
    NoTrigger,
    /// A constraint is one of another engine.
    #[error(
        "the constraint of trigger {trigger} is one of another engine: make all with one engine"
    )]
    OtherEngine {
        /// Which trigger; one past the last for the budget.
        trigger: usize,
    },
    /// A constraint has ended already, and nothing may follow.
    #[error("the constraint of trigger {trigger} has ended already: give it at its start")]
    Ended {
        /// Which trigger; one past the last for the budget.
        trigger: usize,
    },
    /// What follows a trigger is lazy itself, and so has no end behind which free text may come.
    #[error("the constraint of trigger {trigger} is lazy itself: it has no end to re-arm behind")]
    LazyTarget {
        /// Which trigger; one past the last for the budget.
        trigger: usize,
    },
    /// A trigger token that the vocabulary does not have.
    #[error("the vocabulary has no token {token}, which trigger {trigger} names")]
    UnknownToken {
        /// Which trigger.
        trigger: usize,
        /// The token.
        token: TokenId,
    },
    /// A trigger token that ends generation.
    #[error("token {token} of trigger {trigger} ends generation: nothing can follow it")]
    EndOfGeneration {
        /// Which trigger.
        trigger: usize,
        /// The token.
        token: TokenId,
    },
    /// A word without a character.
    #[error("the word of trigger {trigger} is empty: it would be found everywhere")]
    EmptyWord {
        /// Which trigger.
        trigger: usize,
    },
    /// A pattern that cannot be read.
    #[error("trigger {trigger}: {error}")]
    Pattern {
        /// Which trigger.
        trigger: usize,
        /// What is wrong.
        error: PatternError,
    },
    /// The patterns take too much room, one by one or together.
    #[error(
        "the trigger patterns need more than {limit} bytes, the limit: repeat less in them, or search \
         for their beginning only"
    )]
    TooLarge {
        /// The most bytes.
        limit: usize,
    },
    /// A closing that has neither text nor token.
    #[error("the budget has nothing to close the text with: give a text or a token")]
    EmptyClosing,
    /// A closing that the vocabulary cannot spell or that ends generation.
    #[error("the closing of the budget: {0}")]
    Closing(crate::ConstraintError),
}

/// Why a trigger pattern cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("pattern {pattern:?}, byte {at}: {problem}")]
pub struct PatternError {
    pub(super) pattern: String,
    pub(super) at: usize,
    pub(super) problem: PatternProblem,
}

impl PatternError {
    /// The pattern.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Where in the pattern, in bytes.
    pub fn at(&self) -> usize {
        self.at
    }

    /// What is wrong.
    pub fn problem(&self) -> PatternProblem {
        self.problem
    }
}

/// The kinds of [`PatternError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternProblem {
    /// A bracket or parenthesis without its counterpart.
    #[error(
        "a bracket without its counterpart; to mean the character, write a backslash before it"
    )]
    Unbalanced,
    /// A count with nothing before it that could come several times.
    #[error("nothing to repeat; to mean the character, write a backslash before it")]
    NothingToRepeat,
    /// A brace that is no count.
    #[error("a brace that is no count; to mean the character, write \\{{")]
    Brace,
    /// A count whose greatest number is below its least.
    #[error("the greatest count is below the least")]
    ReversedCount,
    /// A count above the limit.
    #[error("a count above {limit}, the limit")]
    TooManyTimes {
        /// The greatest count.
        limit: u32,
    },
    /// Look-ahead or look-behind.
    #[error(
        "look-ahead and look-behind are not supported: match the text, with a group where to begin"
    )]
    LookAround,
    /// A reference to a group.
    #[error("references to groups are not supported")]
    BackReference,
    /// A group that ECMAScript does not have, or one with a name.
    #[error("groups are written (...) or (?:...)")]
    Group,
    /// Groups within groups.
    #[error("groups more than {limit} deep, the limit")]
    TooDeep {
        /// The greatest depth.
        limit: usize,
    },
    /// An escape that stands for nothing.
    #[error("an escape that stands for nothing")]
    Escape,
    /// A range in a class that is reversed or not of characters.
    #[error("a range must be of characters, the lesser one first")]
    Range,
    /// A class within a class that has another name than those of POSIX.
    #[error("no class has this name; to mean the bracket, write \\[")]
    ClassName,
    /// A class that matches nothing.
    #[error("a class that nothing matches")]
    EmptyClass,
    /// A class with bytes that are no characters beside characters beyond ASCII.
    #[error("a class of characters beyond ASCII cannot have single bytes")]
    BytesAndCharacters,
}
