//! Masks that have nearly all tokens in common: what they share is kept once.
//!
//! Behind an expression of a programming language tens of thousands of tokens may come, and which ones differs in
//! some dozens from place to place, as brackets are open or not. Such masks are a core and a list each.

use std::sync::Arc;

use crate::mask::TokenMask;
use crate::token_id::TokenId;
use crate::token_set::TokenSet;

/// So many cores are known.
const MOST_CORES: usize = 8;

/// A mask that differs in more tokens from a core does not share it.
const MOST_DIFFERING: usize = 512;

/// What so many masks share is counted as a part of each.
pub(crate) const SHARED_BY: usize = 16;

/// What masks have in common, with the core that has been asked for last at the end.
#[derive(Debug, Default)]
pub(crate) struct Cores(Vec<Arc<TokenMask>>);

impl Cores {
    /// A set as a core and the tokens that it has besides; without a core if it is a list or like no other mask.
    pub(crate) fn share(&mut self, set: TokenSet) -> (Option<Arc<TokenMask>>, TokenSet) {
        let TokenSet::Many(mask) = set else { return (None, set) };
        let near = self.0.iter().enumerate().rev().find_map(|(at, core)| {
            let differing = mask.differing(core, MOST_DIFFERING)?;
            Some((at, differing))
        });
        let Some((at, differing)) = near else {
            if self.0.len() == MOST_CORES {
                self.0.remove(0);
            }
            self.0.push(Arc::clone(&mask));
            return (None, TokenSet::Many(mask));
        };
        let mut core = self.0.remove(at);
        let (besides, missing): (Vec<TokenId>, Vec<TokenId>) =
            differing.into_iter().partition(|&token| mask.contains(token));
        if !missing.is_empty() {
            // After some masks it has nothing any more that one of them lacks.
            let smaller = Arc::make_mut(&mut core);
            for token in missing {
                smaller.remove(token);
            }
        }
        self.0.push(Arc::clone(&core));
        (Some(core), TokenSet::Few(besides.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_that_share_a_core_are_what_they_were() {
        let mut cores = Cores::default();
        let mut alike = 0;
        for at in 0..60_u32 {
            // Two masks that are not alike, each with some tokens more or less.
            let mut mask = TokenMask::new(5_000);
            mask.extend((at % 2 * 2_000..at % 2 * 2_000 + 1_500).map(TokenId));
            mask.extend((4_000..4_000 + at * 7 % 40).map(TokenId));
            (0..at % 3)
                .for_each(|less| mask.remove(TokenId(at % 2 * 2_000 + at * 31 % 300 + less)));
            let (core, besides) = cores.share(TokenSet::Many(Arc::new(mask.clone())));
            let mut whole = besides.to_mask(5_000);
            if let Some(core) = core {
                whole.union_with(&core);
                alike += 1;
            }
            assert_eq!(whole, mask);
        }
        assert_eq!((alike, cores.0.len()), (58, 2));
    }

    #[test]
    fn few_tokens_are_a_list() {
        let mut cores = Cores::default();
        let (core, besides) = cores.share(TokenSet::Few([TokenId(3)].into()));
        assert!(core.is_none() && besides.contains(TokenId(3)));
    }
}
