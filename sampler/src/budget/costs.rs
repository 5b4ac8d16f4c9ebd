//! What tokens leave to be written of a terminal that they stay inside of.

use grammask_gbnf::{TermId, Terms};
use rustc_hash::FxHashMap;

use crate::generations::Footprint;
use crate::mask::TokenMask;
use crate::token_set::TokenSet;
use crate::trie::TokenTrie;

/// The tokens inside of a term, by how many tokens the rest takes.
#[derive(Debug)]
pub(crate) struct Costs {
    /// In ascending order, each with all that take no more.
    levels: Box<[(u32, TokenSet)]>,
    /// All tokens inside, also those behind which the rest cannot be written.
    inside: TokenSet,
    len: usize,
}

impl Costs {
    /// Walks the trie through a term; `count` says what the rest of a term takes.
    pub(crate) fn new(
        term: TermId,
        terms: &Terms,
        trie: &TokenTrie,
        len: usize,
        count: impl Fn(TermId) -> Option<u32>,
    ) -> Self {
        let mut known: FxHashMap<TermId, Option<u32>> = FxHashMap::default();
        let mut found = Vec::new();
        let mut inside = TokenMask::new(len);
        let mut ahead = vec![(TokenTrie::ROOT, term)];
        while let Some((node, term)) = ahead.pop() {
            for (byte, child) in trie.children(node) {
                let next = terms.next(term, byte);
                if next == TermId::NOTHING || next == TermId::EMPTY {
                    continue;
                }
                if trie.has_token(child) {
                    inside.extend(trie.tokens_at(child));
                    let count = *known.entry(next).or_insert_with(|| count(next));
                    if let Some(count) = count {
                        found.extend(trie.tokens_at(child).map(|token| (count, token)));
                    }
                }
                if trie.has_children(child) {
                    ahead.push((child, next));
                }
            }
        }
        found.sort_unstable();
        let mut all = TokenMask::new(len);
        let levels = found.chunk_by(|(one, _), (other, _)| one == other).map(|same| {
            all.extend(same.iter().map(|&(_, token)| token));
            (same[0].0, TokenSet::from(all.clone()))
        });
        Self { levels: levels.collect(), inside: TokenSet::from(inside), len }
    }

    /// Adds the tokens behind which the rest takes no more than `most`; nothing is less than any.
    pub(crate) fn add_within(&self, most: Option<u32>, mask: &mut TokenMask) {
        let Some(most) = most else { return };
        let within = self.levels.partition_point(|&(count, _)| count <= most);
        if let Some((_, tokens)) = within.checked_sub(1).map(|last| &self.levels[last]) {
            match tokens.mask() {
                Some(tokens) => mask.union_with(tokens),
                None => mask.extend(tokens.tokens().iter().copied()),
            }
        }
    }

    /// Takes all tokens inside out of a mask; of a bounded loop only those that it has.
    pub(crate) fn subtract_from(&self, mask: &mut TokenMask, of_loop: Option<&TokenMask>) {
        let mut inside = self.inside.to_mask(self.len);
        if let Some(of_loop) = of_loop {
            inside.intersect_with(of_loop);
        }
        mask.subtract(&inside);
    }
}

impl Footprint for Costs {
    fn bytes(&self) -> usize {
        let levels = self.levels.iter().map(|(_, tokens)| tokens.bytes());
        size_of_val(&*self.levels) + levels.sum::<usize>() + self.inside.bytes()
    }
}
