//! What is known about the terminals of a vocabulary: tables that are built when they are first
//! needed and shared by all grammars.

use std::sync::{Arc, Mutex, PoisonError};

use grammask_gbnf::{TermId, Terms};
use rustc_hash::FxHashMap;

use crate::class_loop::ClassLoop;
use crate::interior::{Interior, Iterations};
use crate::trie::{TokenTrie, TrieNode};
use crate::vocabulary::Vocabulary;

/// The tables of a vocabulary.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(crate) trie: TokenTrie,
    pub(crate) terms: Arc<Terms>,
    /// Number of ids of the vocabulary.
    pub(crate) len: usize,
    /// By (where in the trie, term).
    interiors: Mutex<Generations<(TrieNode, TermId), Arc<Interior>>>,
    keys: Mutex<Generations<TermId, Arc<Interior>>>,
    /// By (where in the trie, rest of an iteration, iteration).
    iterations: Mutex<Generations<(TrieNode, TermId, TermId), Arc<Iterations>>>,
    /// By (where in the trie, class).
    class_loops: Mutex<Generations<(TrieNode, TermId), Arc<ClassLoop>>>,
}

/// How many tables of terms are kept per generation.
const MAX_INTERIORS: usize = 4096;
/// The same for counted loops, whose tables are larger.
const MAX_ITERATIONS: usize = 128;
/// The same for loops over a class.
const MAX_CLASS_LOOPS: usize = 512;
/// Below a node is much if it is more than this share of the trie: in a large vocabulary some
/// hundred nodes.
const LARGE: usize = 1024;

impl Tables {
    pub(crate) fn new(vocabulary: &Vocabulary) -> Self {
        Self {
            trie: TokenTrie::new(vocabulary),
            terms: Arc::default(),
            len: vocabulary.len(),
            interiors: Mutex::new(Generations::new(MAX_INTERIORS)),
            keys: Mutex::new(Generations::new(MAX_INTERIORS)),
            iterations: Mutex::new(Generations::new(MAX_ITERATIONS)),
            class_loops: Mutex::new(Generations::new(MAX_CLASS_LOOPS)),
        }
    }

    /// The tokens of a term, below a node.
    pub(crate) fn interior(&self, node: TrieNode, term: TermId) -> Arc<Interior> {
        shared(&self.interiors, (node, term), || Interior::new(node, term, self))
    }

    /// The tokens of a key.
    pub(crate) fn key(&self, term: TermId) -> Arc<Interior> {
        shared(&self.keys, term, || Interior::of_key(term, self))
    }

    /// The tokens of a counted loop, below a node.
    pub(crate) fn iterations(&self, node: TrieNode, rest: TermId, item: TermId) -> Arc<Iterations> {
        let build = || Iterations::new(node, rest, item, self);
        shared(&self.iterations, (node, rest, item), build)
    }

    /// The tokens below a node that stay in the loop that a term is, if it is one over a class
    /// and much is below the node.
    pub(crate) fn class_loop(&self, node: TrieNode, term: TermId) -> Option<Arc<ClassLoop>> {
        if !self.is_large(node) {
            return None;
        }
        let class = self.terms.class_loop(term);
        (class != TermId::NOTHING)
            .then(|| shared(&self.class_loops, (node, class), || ClassLoop::new(node, class, self)))
    }

    /// Whether much is below a node.
    pub(crate) fn is_large(&self, node: TrieNode) -> bool {
        self.trie.below(node) > self.trie.len() / LARGE
    }
}

/// A shared table, built if it is not there. It is built outside the lock: two threads may build
/// the same table, and either is right.
fn shared<K: Copy + Eq + std::hash::Hash, V>(
    tables: &Mutex<Generations<K, Arc<V>>>,
    key: K,
    build: impl FnOnce() -> V,
) -> Arc<V> {
    let known = tables.lock().unwrap_or_else(PoisonError::into_inner).get(key);
    known.unwrap_or_else(|| {
        let table = Arc::new(build());
        let mut tables = tables.lock().unwrap_or_else(PoisonError::into_inner);
        tables.insert(key, Arc::clone(&table));
        table
    })
}

/// A bounded table: when it is full, the older half goes.
#[derive(Debug)]
pub(crate) struct Generations<K, V> {
    young: FxHashMap<K, V>,
    old: FxHashMap<K, V>,
    limit: usize,
}

impl<K: Copy + Eq + std::hash::Hash, V: Clone> Generations<K, V> {
    pub(crate) fn new(limit: usize) -> Self {
        Self { young: FxHashMap::default(), old: FxHashMap::default(), limit }
    }

    pub(crate) fn get(&mut self, key: K) -> Option<V> {
        if let Some(value) = self.young.get(&key) {
            return Some(value.clone());
        }
        let value = self.old.remove(&key)?;
        self.insert(key, value.clone());
        Some(value)
    }

    pub(crate) fn insert(&mut self, key: K, value: V) {
        if self.young.len() >= self.limit {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }
}
