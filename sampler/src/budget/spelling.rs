//! How many tokens of a vocabulary spell a text.

use std::sync::Arc;

use grammask_gbnf::{Label, Spelling, TokenReference};
use rustc_hash::FxHashSet;

use crate::engine::Engine;
use crate::token_id::TokenId;
use crate::trie::{TokenTrie, TrieNode};

/// After so many nodes of the trie the search for the least tokens is over.
const MOST_NODES: usize = 1 << 22;

/// The tokens of an engine.
pub(super) struct TokenSpelling {
    engine: Arc<Engine>,
    has_all_bytes: bool,
}

impl TokenSpelling {
    pub(super) fn new(engine: &Arc<Engine>) -> Self {
        let trie = &engine.tables.trie;
        let is_token =
            |byte| trie.child(TokenTrie::ROOT, byte).is_some_and(|node| trie.has_token(node));
        Self { engine: Arc::clone(engine), has_all_bytes: (0..=u8::MAX).all(is_token) }
    }
}

impl Spelling for TokenSpelling {
    fn has_all_bytes(&self) -> bool {
        self.has_all_bytes
    }

    fn count(&self, text: &[u8]) -> Vec<Option<u32>> {
        let trie = &self.engine.tables.trie;
        let mut counts = vec![None; text.len() + 1];
        counts[text.len()] = Some(0);
        for start in (0..text.len()).rev() {
            let mut node = TokenTrie::ROOT;
            for end in start + 1..=text.len() {
                let Some(child) = trie.child(node, text[end - 1]) else { break };
                node = child;
                if let Some(count) = counts[end].filter(|_| trie.has_token(node)) {
                    let count: u32 = count + 1;
                    counts[start] = Some(counts[start].map_or(count, |known| count.min(known)));
                }
            }
        }
        counts
    }

    /// Breadth first: what one token reaches, then what two do.
    fn least(
        &self,
        start: Label,
        step: &dyn Fn(Label, u8) -> (Option<Label>, bool),
    ) -> Option<u32> {
        let trie = &self.engine.tables.trie;
        let mut seen = FxHashSet::from_iter([start]);
        let mut reached = vec![start];
        let mut nodes = 0;
        for count in 1.. {
            let mut next = Vec::new();
            for label in std::mem::take(&mut reached) {
                let mut ahead: Vec<(TrieNode, Label)> = vec![(TokenTrie::ROOT, label)];
                while let Some((node, label)) = ahead.pop() {
                    for (byte, child) in trie.children(node) {
                        nodes += 1;
                        let (after, ends) = step(label, byte);
                        let is_token = trie.has_token(child);
                        if ends && is_token {
                            return Some(count);
                        }
                        let Some(after) = after else { continue };
                        if is_token && seen.insert(after) {
                            next.push(after);
                        }
                        ahead.push((child, after));
                    }
                }
            }
            if next.is_empty() || nodes > MOST_NODES {
                return None;
            }
            reached = next;
        }
        None
    }

    fn has_token(&self, reference: &TokenReference) -> bool {
        let vocabulary = self.engine.vocabulary();
        if !reference.negated {
            return self.engine.resolve(reference).is_some();
        }
        let exists = |&id: &TokenId| vocabulary.bytes(id).is_some();
        vocabulary.ids().filter(exists).any(|id| self.engine.means(reference, id))
    }
}
