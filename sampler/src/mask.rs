//! Sets of tokens.

use fixedbitset::FixedBitSet;

use crate::block::Block;
use crate::generations::Footprint;
use crate::token_id::TokenId;

/// A set of tokens of a vocabulary: those that may come next.
///
/// [`TokenMask::words`] is the layout that inference servers exchange (vLLM, `XGrammar`,
/// llguidance): 32-bit words, little-endian, bit i % 32 of word i / 32 for token i.
///
/// ```
/// use grammask_sampler::{TokenId, TokenMask};
/// let mut mask = TokenMask::new(100);
/// mask.insert(TokenId(33));
/// assert!(mask.contains(TokenId(33)));
/// assert_eq!(mask.count(), 1);
/// assert_eq!(mask.words().collect::<Vec<_>>(), [0, 2, 0, 0]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenMask {
    bits: FixedBitSet,
}

impl TokenMask {
    /// No token of a vocabulary of `len` ids.
    pub fn new(len: usize) -> Self {
        Self { bits: FixedBitSet::with_capacity(len) }
    }

    /// Number of ids of the vocabulary.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.bits.len()
    }

    /// Whether the token is in the set; an id out of range is not.
    pub fn contains(&self, token: TokenId) -> bool {
        self.bits.contains(token.index())
    }

    /// Adds a token; an id out of range is left out.
    pub fn insert(&mut self, token: TokenId) {
        if token.index() < self.bits.len() {
            self.bits.insert(token.index());
        }
    }

    /// Takes a token out.
    pub fn remove(&mut self, token: TokenId) {
        if token.index() < self.bits.len() {
            self.bits.remove(token.index());
        }
    }

    /// Adds a token or takes it out.
    pub(crate) fn set(&mut self, token: TokenId, is_in: bool) {
        if is_in { self.insert(token) } else { self.remove(token) }
    }

    /// Takes all tokens out.
    pub fn clear(&mut self) {
        self.bits.clear();
    }

    /// Adds all tokens of `other`, a mask of the same vocabulary.
    pub fn union_with(&mut self, other: &Self) {
        self.bits.union_with(&other.bits);
    }

    /// Keeps only what `other`, a mask of the same vocabulary, has as well.
    pub(crate) fn intersect_with(&mut self, other: &Self) {
        self.bits.intersect_with(&other.bits);
    }

    /// Takes out all that `other`, a mask of the same vocabulary, has.
    pub(crate) fn subtract(&mut self, other: &Self) {
        self.bits.difference_with(&other.bits);
    }

    /// The tokens that only one of two masks of the same vocabulary has, if they are at most so many.
    pub(crate) fn differing(&self, other: &Self, most: usize) -> Option<Vec<TokenId>> {
        let mut differing = Vec::new();
        for (at, (one, other)) in self.bits.as_slice().iter().zip(other.bits.as_slice()).enumerate()
        {
            let mut left = one ^ other;
            while left != 0 {
                if differing.len() == most {
                    return None;
                }
                let bit = at * usize::BITS as usize + left.trailing_zeros() as usize;
                differing.push(TokenId(bit as u32));
                left &= left - 1;
            }
        }
        Some(differing)
    }

    /// Becomes the same as `other`, a mask of the same vocabulary.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.bits.clone_from(&other.bits);
    }

    /// Number of tokens.
    pub fn count(&self) -> usize {
        self.bits.count_ones(..)
    }

    /// The tokens, ascending.
    pub fn tokens(&self) -> impl Iterator<Item = TokenId> + '_ {
        self.bits.ones().map(|index| TokenId(index as u32))
    }

    /// The set in blocks, with the logits of its tokens: one for each id of the vocabulary.
    pub(crate) fn blocks<'a>(&'a self, logits: &'a [f32]) -> impl Iterator<Item = Block<'a>> {
        let blocks = Block::all(&logits[..self.len()]);
        blocks.zip(self.bits.as_slice()).map(|(block, &bits)| Block { bits, ..block })
    }

    /// The set as 32-bit words: bit i % 32 of word i / 32 for token i.
    pub fn words(&self) -> impl Iterator<Item = u32> + '_ {
        let halves = usize::BITS as usize / 32;
        self.bits
            .as_slice()
            .iter()
            .flat_map(move |&block| (0..halves).map(move |half| (block >> (32 * half)) as u32))
            .take(self.bits.len().div_ceil(32))
    }

    /// Writes the words into a caller's buffer; words beyond the vocabulary become 0.
    pub fn write_words(&self, buffer: &mut [u32]) {
        self.combine(buffer, |_, known| known);
    }

    /// Makes of the bits of a buffer and those that the mask has there what the buffer has then; beyond the
    /// vocabulary the mask has none.
    fn combine(&self, buffer: &mut [u32], of: impl Fn(usize, usize) -> usize) {
        // In blocks: a copy is one on most machines, and else several blocks are taken at once.
        const HALVES: usize = usize::BITS as usize / 32;
        let join = |words: [u32; HALVES]| {
            let halves = words.into_iter().rev();
            halves.fold(0_usize, |block, word| block.unbounded_shl(32) | word as usize)
        };
        let half = |block: usize, at: usize| (block >> (32 * at)) as u32;
        let known = self.bits.as_slice();
        let (blocks, rest) = buffer.as_chunks_mut::<HALVES>();
        let last = known.get(blocks.len()).copied().unwrap_or_default();
        let (within, beyond) = blocks.split_at_mut(blocks.len().min(known.len()));
        for (words, &known) in within.iter_mut().zip(known) {
            let block = of(join(*words), known);
            *words = std::array::from_fn(|at| half(block, at));
        }
        for word in beyond.as_flattened_mut() {
            *word = half(of(*word as usize, 0), 0);
        }
        for (at, word) in rest.iter_mut().enumerate() {
            *word = half(of(*word as usize, half(last, at) as usize), 0);
        }
    }
}

/// Where masks are put together.
pub(crate) trait MaskBuffer {
    /// Becomes the same as a mask, or empty.
    fn assign(&mut self, mask: Option<&TokenMask>);

    /// Adds all tokens of a mask.
    fn unite(&mut self, mask: &TokenMask);

    /// Adds a token; an id out of range is left out.
    fn add(&mut self, token: TokenId);

    /// Takes a token out.
    fn take_out(&mut self, token: TokenId);

    /// Takes out all tokens of a mask.
    fn take_out_all(&mut self, mask: &TokenMask);
}

impl MaskBuffer for TokenMask {
    fn assign(&mut self, mask: Option<&TokenMask>) {
        match mask {
            Some(mask) => self.copy_from(mask),
            None => self.clear(),
        }
    }

    fn unite(&mut self, mask: &TokenMask) {
        self.union_with(mask);
    }

    fn add(&mut self, token: TokenId) {
        self.insert(token);
    }

    fn take_out(&mut self, token: TokenId) {
        self.remove(token);
    }

    fn take_out_all(&mut self, mask: &TokenMask) {
        self.subtract(mask);
    }
}

/// A caller's words: see [`TokenMask::words`].
impl MaskBuffer for [u32] {
    fn assign(&mut self, mask: Option<&TokenMask>) {
        match mask {
            Some(mask) => mask.write_words(self),
            None => self.fill(0),
        }
    }

    fn unite(&mut self, mask: &TokenMask) {
        mask.combine(self, |bits, more| bits | more);
    }

    fn add(&mut self, token: TokenId) {
        if let Some(word) = self.get_mut(token.index() / 32) {
            *word |= 1 << (token.index() % 32);
        }
    }

    fn take_out(&mut self, token: TokenId) {
        if let Some(word) = self.get_mut(token.index() / 32) {
            *word &= !(1 << (token.index() % 32));
        }
    }

    fn take_out_all(&mut self, mask: &TokenMask) {
        mask.combine(self, |bits, less| bits & !less);
    }
}

impl Extend<TokenId> for TokenMask {
    fn extend<T: IntoIterator<Item = TokenId>>(&mut self, tokens: T) {
        tokens.into_iter().for_each(|token| self.insert(token));
    }
}

impl Footprint for TokenMask {
    fn bytes(&self) -> usize {
        size_of_val(self.bits.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_fit_buffers_of_any_length() {
        for len in [0, 1, 31, 32, 33, 64, 95, 96, 97, 200] {
            let mut mask = TokenMask::new(len);
            mask.extend((0..len as u32).filter(|id| id % 3 != 1).map(TokenId));
            for words in 0..9 {
                let mut buffer = vec![u32::MAX; words];
                mask.write_words(&mut buffer);
                let expected: Vec<u32> = mask.words().chain([0; 9]).take(words).collect();
                assert_eq!(buffer, expected, "{len} tokens, {words} words");
                buffer.unite(&mask);
                assert_eq!(buffer, expected, "{len} tokens, {words} words");
                buffer.assign(None);
                mask.tokens().for_each(|token| buffer.add(token));
                assert_eq!(buffer, expected, "{len} tokens, {words} words");
                buffer.fill(u32::MAX);
                buffer.take_out_all(&mask);
                let others: Vec<u32> = expected.iter().map(|word| !word).collect();
                assert_eq!(buffer, others, "{len} tokens, {words} words");
            }
        }
    }
}
