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
    /// In ascending order.
    levels: Box<[(u32, TokenSet)]>,
    /// Those behind which the rest cannot be written.
    unspelled: TokenSet,
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
        let mut levels: Vec<(Option<u32>, TokenMask)> = vec![(None, TokenMask::new(len))];
        // The level of each rest.
        let mut known: FxHashMap<TermId, usize> = FxHashMap::default();
        let mut ahead = vec![(TokenTrie::ROOT, term)];
        while let Some((node, term)) = ahead.pop() {
            for (byte, child) in trie.children(node) {
                let next = terms.next(term, byte);
                if next == TermId::NOTHING || next == TermId::EMPTY {
                    continue;
                }
                if trie.has_token(child) {
                    let level = *known.entry(next).or_insert_with(|| {
                        let count = count(next);
                        let level = levels.iter().position(|(other, _)| *other == count);
                        level.unwrap_or_else(|| {
                            levels.push((count, TokenMask::new(len)));
                            levels.len() - 1
                        })
                    });
                    levels[level].1.extend(trie.tokens_at(child));
                }
                if trie.has_children(child) {
                    ahead.push((child, next));
                }
            }
        }
        let (_, unspelled) = levels.swap_remove(0);
        let levels = levels.into_iter();
        let mut levels: Vec<(u32, TokenSet)> =
            levels.filter_map(|(count, tokens)| Some((count?, TokenSet::from(tokens)))).collect();
        levels.sort_unstable_by_key(|&(count, _)| count);
        Self { levels: levels.into(), unspelled: TokenSet::from(unspelled), len }
    }

    /// Adds the tokens behind which the rest takes no more than `most`; nothing is less than any.
    pub(crate) fn add_within(&self, most: Option<u32>, mask: &mut TokenMask) {
        let Some(most) = most else { return };
        let within = self.levels.iter().take_while(|&&(count, _)| count <= most);
        within.for_each(|(_, tokens)| tokens.add_to(mask));
    }

    /// Takes all tokens inside out of a mask; of a bounded loop only those that it has.
    pub(crate) fn subtract_from(&self, mask: &mut TokenMask, of_loop: Option<&TokenMask>) {
        let mut inside = TokenMask::new(self.len);
        self.unspelled.add_to(&mut inside);
        self.add_within(Some(u32::MAX), &mut inside);
        if let Some(of_loop) = of_loop {
            inside.intersect_with(of_loop);
        }
        mask.subtract(&inside);
    }
}

impl Footprint for Costs {
    fn bytes(&self) -> usize {
        let levels = self.levels.iter().map(|(_, tokens)| tokens.bytes());
        size_of_val(&*self.levels) + levels.sum::<usize>() + self.unspelled.bytes()
    }
}
