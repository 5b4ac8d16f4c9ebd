//! Tokens with their logits, many at once: what becomes candidates.

use crate::candidates::Candidate;
use crate::token_id::TokenId;

/// Some of the tokens whose ids follow one another, with a logit for each id.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block<'a> {
    /// Bit i is set if the token with the logit at i is one of them; no bit is beyond the logits.
    pub bits: usize,
    /// The first id.
    pub start: u32,
    /// At most [`Block::IDS`].
    pub logits: &'a [f32],
}

impl<'a> Block<'a> {
    /// How many ids a block has, but for the last.
    pub(crate) const IDS: usize = usize::BITS as usize;

    /// A token for each of some logits.
    pub(crate) fn all(logits: &'a [f32]) -> impl Iterator<Item = Self> {
        let starts = (0..).step_by(Self::IDS);
        starts.zip(logits.chunks(Self::IDS)).map(|(start, logits)| {
            let bits = usize::MAX >> (Self::IDS - logits.len());
            Self { bits, start, logits }
        })
    }

    /// Whether all ids are tokens.
    pub(crate) fn is_full(self) -> bool {
        self.bits.count_ones() as usize == self.logits.len()
    }

    /// Whether a logit is above another one, that of a token or not.
    pub(crate) fn has_above(self, least: f32) -> bool {
        // A sum rather than a search: several at once are compared.
        self.logits.iter().map(|&logit| u32::from(logit > least)).sum::<u32>() > 0
    }

    /// In blocks of fewer ids.
    pub(crate) fn parts(self, ids: usize) -> impl Iterator<Item = Self> {
        let starts = (0..).step_by(ids);
        starts.zip(self.logits.chunks(ids)).map(move |(at, logits)| {
            let bits = (self.bits >> at) & (usize::MAX >> (Self::IDS - logits.len()));
            Self { bits, start: self.start + at, logits }
        })
    }

    /// The tokens.
    pub(crate) fn candidates(self) -> impl Iterator<Item = Candidate> {
        let mut left = self.bits;
        std::iter::from_fn(move || {
            let at = left.trailing_zeros();
            let &logit = self.logits.get(at as usize)?;
            left &= left - 1;
            Some(Candidate { id: TokenId(self.start + at), logit, p: 0.0 })
        })
    }

    /// The same of a block that is [full](Self::is_full), faster.
    pub(crate) fn all_candidates(self) -> impl Iterator<Item = Candidate> {
        let tokens = (self.start..).zip(self.logits);
        tokens.map(|(id, &logit)| Candidate { id: TokenId(id), logit, p: 0.0 })
    }
}
