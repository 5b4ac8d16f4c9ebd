//! Sets of tokens that take no more room than they need.

use std::sync::Arc;

use crate::generations::Footprint;
use crate::mask::TokenMask;
use crate::preorder::{Preorder, Scan};
use crate::token_id::TokenId;

/// A set of tokens, as a list where it is small.
#[derive(Clone, Debug)]
pub(crate) enum TokenSet {
    Few(Box<[TokenId]>),
    /// Shared by what is alike.
    Many(Arc<TokenMask>),
}

impl Default for TokenSet {
    fn default() -> Self {
        Self::Few(Box::default())
    }
}

/// From what share of the vocabulary on a list is larger than a mask.
const FEW: usize = 32;

impl TokenSet {
    /// The tokens as a mask, if they are one.
    pub(crate) fn mask(&self) -> Option<&TokenMask> {
        match self {
            Self::Few(_) => None,
            Self::Many(mask) => Some(mask),
        }
    }

    /// Whether a token is in it; a list is read through.
    pub(crate) fn contains(&self, token: TokenId) -> bool {
        match self {
            Self::Few(tokens) => tokens.contains(&token),
            Self::Many(mask) => mask.contains(token),
        }
    }

    /// The tokens as a mask of so many ids.
    pub(crate) fn to_mask(&self, len: usize) -> TokenMask {
        match self {
            Self::Few(tokens) => {
                let mut mask = TokenMask::new(len);
                mask.extend(tokens.iter().copied());
                mask
            }
            Self::Many(mask) => TokenMask::clone(mask),
        }
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Few(tokens) => tokens.is_empty(),
            Self::Many(mask) => mask.count() == 0,
        }
    }

    /// The tokens but for some.
    pub(crate) fn minus(self, others: &TokenMask) -> Self {
        match self {
            Self::Few(tokens) => {
                Self::Few(tokens.into_iter().filter(|&token| !others.contains(token)).collect())
            }
            Self::Many(mut mask) => {
                Arc::make_mut(&mut mask).subtract(others);
                Self::from(Arc::unwrap_or_clone(mask))
            }
        }
    }

    /// Where it lies, which no other does that has tokens as long as it is there.
    pub(crate) fn address(&self) -> usize {
        match self {
            Self::Few(tokens) => tokens.as_ptr().addr(),
            Self::Many(tokens) => Arc::as_ptr(tokens).addr(),
        }
    }

    /// Adds the tokens to a mask.
    pub(crate) fn add_to(&self, mask: &mut TokenMask) {
        match self {
            Self::Few(tokens) => mask.extend(tokens.iter().copied()),
            Self::Many(tokens) => mask.union_with(tokens),
        }
    }

    /// The tokens, if they are a list.
    pub(crate) fn tokens(&self) -> &[TokenId] {
        match self {
            Self::Few(tokens) => tokens,
            Self::Many(_) => &[],
        }
    }
}

impl From<TokenMask> for TokenSet {
    fn from(mask: TokenMask) -> Self {
        if mask.count() * FEW <= mask.len() {
            return Self::Few(mask.tokens().collect());
        }
        Self::Many(Arc::new(mask))
    }
}

/// Lists that are used again: memory that has just been used is quicker than new one.
#[derive(Debug, Default)]
pub(crate) struct SpareLists(Vec<Vec<TokenId>>);

/// A list with room for more tokens is not kept: few masks need it.
const MOST_ROOM: usize = 1 << 13;

impl SpareLists {
    fn take(&mut self) -> Vec<TokenId> {
        self.0.pop().unwrap_or_default()
    }

    fn put(&mut self, mut list: Vec<TokenId>) {
        if list.capacity() <= MOST_ROOM {
            list.clear();
            self.0.push(list);
        }
    }
}

/// Tokens as they are found: one by one, or many at once.
#[derive(Debug)]
pub(crate) struct Found {
    tokens: Vec<TokenId>,
    many: Option<Box<TokenMask>>,
    /// Number of ids of the vocabulary.
    len: usize,
}

impl Found {
    pub(crate) fn new(len: usize) -> Self {
        Self { tokens: Vec::new(), many: None, len }
    }

    /// The same with a list that was used before.
    pub(crate) fn with_spare(len: usize, spare: &mut SpareLists) -> Self {
        Self { tokens: spare.take(), ..Self::new(len) }
    }

    /// Number of ids of the vocabulary.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Adds all tokens of a set.
    pub(crate) fn add(&mut self, set: &TokenSet) {
        match set {
            TokenSet::Few(tokens) => self.tokens.extend_from_slice(tokens),
            TokenSet::Many(tokens) => self.add_mask(tokens),
        }
    }

    /// Adds all tokens of a mask.
    pub(crate) fn add_mask(&mut self, tokens: &TokenMask) {
        match &mut self.many {
            Some(many) => many.union_with(tokens),
            None => self.many = Some(Box::new(tokens.clone())),
        }
    }

    /// Adds some tokens.
    pub(crate) fn add_list(&mut self, tokens: &[TokenId]) {
        if self.is_much(self.tokens.len() + tokens.len()) {
            mask(&mut self.many, self.len).extend(tokens.iter().copied());
        } else {
            self.tokens.extend_from_slice(tokens);
        }
    }

    /// A long list becomes a mask.
    fn drain_if_many(&mut self) {
        if self.is_much(self.tokens.len()) {
            mask(&mut self.many, self.len).extend(self.tokens.drain(..));
        }
    }

    /// Adds the tokens that a scan of a tree has reached.
    pub(crate) fn add_reached(&mut self, scan: &Scan, tree: &Preorder) {
        if let Some(tokens) = tree.most_reached(scan) {
            self.take_in(Box::new(tokens));
        } else if self.is_much(self.tokens.len() + scan.len()) {
            let many = mask(&mut self.many, self.len);
            tree.reached(scan).for_each(|tokens| many.extend(tokens.iter().copied()));
        } else {
            self.tokens.reserve(scan.len());
            tree.reached(scan).for_each(|tokens| self.tokens.extend_from_slice(tokens));
        }
    }

    /// Adds what has been found elsewhere, of which the list is spared.
    pub(crate) fn append(&mut self, mut other: Self, spare: &mut SpareLists) {
        self.tokens.append(&mut other.tokens);
        if let Some(many) = other.many {
            self.take_in(many);
        }
        spare.put(other.tokens);
    }

    /// Adds all tokens of a mask that nobody else needs.
    fn take_in(&mut self, tokens: Box<TokenMask>) {
        match &mut self.many {
            Some(many) => many.union_with(&tokens),
            many => *many = Some(tokens),
        }
    }

    /// Whether so many tokens make a mask.
    fn is_much(&self, tokens: usize) -> bool {
        tokens * FEW > self.len
    }

    pub(crate) fn into_set(self) -> TokenSet {
        self.into_set_and_list().0
    }

    /// The same; the list is spared.
    pub(crate) fn into_set_sparing(self, spare: &mut SpareLists) -> TokenSet {
        let (set, list) = self.into_set_and_list();
        spare.put(list);
        set
    }

    /// The same, and the list.
    fn into_set_and_list(self) -> (TokenSet, Vec<TokenId>) {
        let is_much = self.is_much(self.tokens.len());
        let Self { tokens, many, len } = self;
        let set = if many.is_none() && !is_much {
            TokenSet::Few(tokens[..].into())
        } else {
            let mut mask = many.map_or_else(|| TokenMask::new(len), |many| *many);
            mask.extend(tokens.iter().copied());
            TokenSet::Many(Arc::new(mask))
        };
        (set, tokens)
    }
}

/// The mask of so many ids, to which more is added.
fn mask(many: &mut Option<Box<TokenMask>>, len: usize) -> &mut TokenMask {
    many.get_or_insert_with(|| Box::new(TokenMask::new(len)))
}

impl From<TokenMask> for Found {
    fn from(mask: TokenMask) -> Self {
        Self { tokens: Vec::new(), len: mask.len(), many: Some(Box::new(mask)) }
    }
}

impl Extend<TokenId> for Found {
    fn extend<T: IntoIterator<Item = TokenId>>(&mut self, tokens: T) {
        self.tokens.extend(tokens);
        self.drain_if_many();
    }
}

impl Footprint for TokenSet {
    fn bytes(&self) -> usize {
        match self {
            Self::Few(tokens) => size_of_val(&**tokens),
            Self::Many(tokens) => size_of::<TokenMask>() + tokens.bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preorder::Reach;
    use crate::trie::TokenTrie;
    use crate::vocabulary::Vocabulary;
    use grammask_oracle::generate;
    use proptest::prelude::*;

    proptest! {
        /// Whether few tokens or most of them are reached, those are found, beside what was there.
        #[test]
        fn what_a_scan_reaches_is_found(
            tokens in generate::vocabularies(),
            closed in prop::collection::vec(any::<u8>(), 0..3),
            before in any::<bool>(),
        ) {
            let vocabulary = Vocabulary::of(&tokens);
            let trie = TokenTrie::new(&vocabulary);
            let is_open = |byte: u8| !closed.iter().any(|closed| closed % 8 == byte % 8);
            let scan = trie.scan(TokenTrie::ROOT, (), |_, (), byte, _| {
                if is_open(byte) { Reach::Into(()) } else { Reach::Out }
            });
            let mut expected = TokenMask::new(vocabulary.len());
            let is_reached = |&token: &TokenId| {
                vocabulary.bytes(token).is_some_and(|bytes| bytes.iter().all(|&byte| is_open(byte)))
            };
            expected.extend(vocabulary.ordered().iter().copied().filter(is_reached));
            let mut found = Found::new(vocabulary.len());
            if before {
                let first = vocabulary.ordered().first().copied();
                let mut mask = TokenMask::new(vocabulary.len());
                mask.extend(first);
                found.add_mask(&mask);
                expected.extend(first);
            }
            found.add_reached(&scan, trie.tree());
            prop_assert_eq!(found.into_set().to_mask(vocabulary.len()), expected);
        }
    }
}
