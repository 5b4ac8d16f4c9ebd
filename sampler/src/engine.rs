//! The mask engine of a vocabulary: which tokens may come next.
//!
//! A mask is the union over the configurations of a state. For each, the tokens that stay inside
//! the terminal are known from a table that all grammars share ([`crate::interior`]); only where
//! tokens leave the terminal does the walk through the trie go on with what lies below. The
//! result is kept by configuration.

use std::sync::{Arc, Mutex, PoisonError};

use grammask_gbnf::{
    Automaton, ByteSet, CompileError, Entry, Grammar, KeyEnd, Label, Session, State, TermId, Terms,
    TextId, TokenName, TokenReference, TrackId,
};
use rustc_hash::FxHashMap;

use crate::interior::{Interior, Iterations, TokenSet};
use crate::mask::TokenMask;
use crate::token_id::TokenId;
use crate::trie::{TokenTrie, TrieNode};
use crate::vocabulary::Vocabulary;

/// A vocabulary with everything that is known about it: the trie of its tokens and the tables of
/// terminals, shared by all grammars that are compiled on it.
///
/// ```
/// use grammask_gbnf::{Expr, Grammar};
/// use grammask_sampler::{Constraint, Engine, Vocabulary};
///
/// let engine = Engine::new(Vocabulary::from_json(r#"{"tokens": ["a", "ab", "b", ""]}"#
///     .replace(r#", """#, "").as_str())?);
/// let mut grammar = Grammar::default();
/// grammar.add("root", Expr::literal("ab"));
/// let constraint = Constraint::new(&engine, &grammar, "root")?;
/// assert_eq!(constraint.mask().count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Engine {
    vocabulary: Vocabulary,
    trie: TokenTrie,
    terms: Arc<Terms>,
    interiors: Mutex<Generations<TermId, Arc<Interior>>>,
    /// By (rest of an iteration, iteration).
    iterations: Mutex<Generations<(TermId, TermId), Arc<Iterations>>>,
}

/// How many tables of terminals are kept per generation.
const MAX_INTERIORS: usize = 4096;
/// The same for counted loops, whose tables are larger.
const MAX_ITERATIONS: usize = 128;
/// How many masks a constraint keeps per generation.
const MAX_MASKS: usize = 512;

/// A bounded table: when it is full, the older half goes.
#[derive(Debug)]
pub(crate) struct Generations<K, V> {
    young: FxHashMap<K, V>,
    old: FxHashMap<K, V>,
    limit: usize,
}

impl<K: Copy + Eq + std::hash::Hash, V: Clone> Generations<K, V> {
    fn new(limit: usize) -> Self {
        Self { young: FxHashMap::default(), old: FxHashMap::default(), limit }
    }

    fn get(&mut self, key: K) -> Option<V> {
        if let Some(value) = self.young.get(&key) {
            return Some(value.clone());
        }
        let value = self.old.remove(&key)?;
        self.insert(key, value.clone());
        Some(value)
    }

    fn insert(&mut self, key: K, value: V) {
        if self.young.len() >= self.limit {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }
}

/// The mask of one configuration.
#[derive(Clone, Debug)]
struct EntryMask {
    /// The tokens that stay inside the terminal, where a table has them.
    base: Option<Base>,
    /// All others.
    more: Arc<TokenSet>,
}

#[derive(Clone, Debug)]
enum Base {
    Interior(Arc<Interior>),
    Iterations(Arc<Iterations>),
    /// The tokens of a loop that begin not too many iterations.
    Some(Arc<TokenMask>),
}

impl Base {
    fn add_to(&self, mask: &mut TokenMask) {
        match self {
            Self::Interior(table) => table.inside.add_to(mask),
            Self::Iterations(table) => mask.union_with(&table.inside),
            Self::Some(tokens) => mask.union_with(tokens),
        }
    }
}

/// Masks that have been computed, by configuration and the text on which it depends: those of one
/// session.
#[derive(Debug)]
pub(crate) struct MaskMemo(Generations<(Entry, TextId), EntryMask>);

impl Default for MaskMemo {
    fn default() -> Self {
        Self(Generations::new(MAX_MASKS))
    }
}

impl Engine {
    /// Builds the trie of a vocabulary.
    pub fn new(vocabulary: Vocabulary) -> Arc<Self> {
        let trie = TokenTrie::new(&vocabulary);
        Arc::new(Self {
            trie,
            vocabulary,
            terms: Arc::default(),
            interiors: Mutex::new(Generations::new(MAX_INTERIORS)),
            iterations: Mutex::new(Generations::new(MAX_ITERATIONS)),
        })
    }

    /// The vocabulary.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Compiles a grammar so that it shares what is known about terminals.
    ///
    /// # Errors
    ///
    /// As [`Automaton::compile`].
    pub fn compile(&self, grammar: &Grammar, root: &str) -> Result<Automaton, CompileError> {
        Automaton::compile_with(grammar, root, &self.terms)
    }

    /// Whether the automaton was compiled by this engine.
    pub(crate) fn owns(&self, automaton: &Automaton) -> bool {
        Arc::ptr_eq(automaton.terms(), &self.terms)
    }

    /// Number of nodes of the trie.
    pub fn trie_len(&self) -> usize {
        self.trie.len()
    }

    /// The token that a reference names, if it exists.
    pub fn resolve(&self, reference: &TokenReference) -> Option<TokenId> {
        match &reference.token {
            TokenName::Id(id) => {
                let token = TokenId(*id);
                self.vocabulary.bytes(token).map(|_| token)
            }
            TokenName::Text(text) => self.vocabulary.token_by_text(text.as_bytes()),
        }
    }

    /// Whether a reference means this token. An end-of-generation token is never meant.
    pub(crate) fn means(&self, reference: &TokenReference, token: TokenId) -> bool {
        !self.vocabulary.is_eog(token)
            && (self.resolve(reference) == Some(token)) != reference.negated
    }

    /// The tokens that may come next in a state of a session of an automaton on this engine:
    /// all that some text of the language goes on with, and the end-of-generation tokens exactly
    /// if the text may end.
    pub(crate) fn fill(
        &self,
        session: &mut Session,
        memo: &mut MaskMemo,
        state: &State,
        mask: &mut TokenMask,
    ) {
        mask.clear();
        for &entry in state.entries() {
            let key = (entry, state.text_of(entry));
            let entry_mask = memo.0.get(key).unwrap_or_else(|| {
                let start = state.only(entry);
                let computed =
                    session.look_ahead(|session| self.entry_mask(session, &start, entry));
                memo.0.insert(key, computed.clone());
                computed
            });
            if let Some(base) = &entry_mask.base {
                base.add_to(mask);
            }
            entry_mask.more.add_to(mask);
        }
        if state.is_complete() {
            self.vocabulary.eog_ids().iter().for_each(|&token| mask.insert(token));
        }
    }

    fn interior(&self, term: TermId) -> Arc<Interior> {
        let build = || Interior::new(term, &self.trie, self.vocabulary.len(), &self.terms);
        shared(&self.interiors, term, build)
    }

    fn iterations(&self, rest: TermId, item: TermId) -> Arc<Iterations> {
        let build = || Iterations::new(rest, item, &self.trie, self.vocabulary.len(), &self.terms);
        shared(&self.iterations, (rest, item), build)
    }

    /// The mask of a configuration; `start` is the state with only that.
    fn entry_mask(&self, session: &mut Session, start: &State, entry: Entry) -> EntryMask {
        let mut tokens = Vec::new();
        let base = match entry.label {
            // Within an item of a list it matters which token leaves the terminal.
            _ if entry.track != TrackId::NONE => {
                self.walk(session, TokenTrie::ROOT, start, &mut tokens);
                None
            }
            Label::Term(term) => self.term(session, start, entry, term, &mut tokens),
            Label::Counted { .. } => self.counted(session, start, entry, &mut tokens),
            Label::Key { .. } => self.key(session, start, entry, &mut tokens),
            Label::Text { .. } => {
                self.walk(session, TokenTrie::ROOT, start, &mut tokens);
                None
            }
            Label::Item { .. } | Label::ItemEnd { .. } => None,
            Label::Token(token) => {
                let reference = session.token(token);
                if reference.negated {
                    tokens.extend(self.vocabulary.ids().filter(|&id| {
                        self.vocabulary.bytes(id).is_some() && self.means(reference, id)
                    }));
                } else {
                    tokens.extend(
                        self.resolve(reference).filter(|&token| self.means(reference, token)),
                    );
                }
                None
            }
        };
        tokens.sort_unstable();
        tokens.dedup();
        EntryMask { base, more: Arc::new(TokenSet::new(tokens, self.vocabulary.len())) }
    }

    /// The tokens of a term; those that leave it are added to `tokens`.
    fn term(
        &self,
        session: &mut Session,
        start: &State,
        entry: Entry,
        term: TermId,
        tokens: &mut Vec<TokenId>,
    ) -> Option<Base> {
        let table = self.interior(term);
        let below = session.behind(start, entry);
        let first = session.first(&below);
        if first.intersects(&table.ambiguous) {
            self.walk(session, TokenTrie::ROOT, start, tokens);
            return None;
        }
        for &node in &table.ends {
            tokens.extend(self.trie.token(node));
            self.walk_if(session, node, &below, &first, tokens);
        }
        self.leave(session, &below, &first, table.exits.iter().copied(), tokens);
        Some(Base::Interior(table))
    }

    /// The tokens of a counted loop; those that leave it are added to `tokens`.
    fn counted(
        &self,
        session: &mut Session,
        start: &State,
        entry: Entry,
        tokens: &mut Vec<TokenId>,
    ) -> Option<Base> {
        let Label::Counted { rest, item, min, max } = entry.label else { return None };
        let table = self.iterations(rest, item);
        let below = session.behind(start, entry);
        let first = session.first(&below);
        if first.intersects(&table.ambiguous) {
            self.walk(session, TokenTrie::ROOT, start, tokens);
            return None;
        }
        let exits = table
            .exits
            .iter()
            .filter(|&&(_, begun, _)| (min..=max).contains(&begun))
            .map(|&(byte, _, node)| (byte, node));
        self.leave(session, &below, &first, exits, tokens);
        if max as usize >= self.vocabulary.longest() {
            return Some(Base::Iterations(table));
        }
        Some(Base::Some(Arc::new(table.at_most(max))))
    }

    /// The tokens that leave a terminal at the given nodes, sorted by byte, into the state below.
    fn leave(
        &self,
        session: &mut Session,
        below: &State,
        first: &ByteSet,
        exits: impl Iterator<Item = (u8, TrieNode)>,
        tokens: &mut Vec<TokenId>,
    ) {
        let mut at = None;
        let mut after = State::default();
        for (byte, node) in exits {
            if !first.contains(byte) {
                continue;
            }
            if at != Some(byte) {
                after = session.step(below, byte);
                at = Some(byte);
            }
            if !after.is_dead() {
                tokens.extend(self.trie.token(node));
                self.walk(session, node, &after, tokens);
            }
        }
    }

    /// The tokens of a member's key: where any undeclared key may be written, its own tokens; and
    /// exactly what the guard says wherever a key ends.
    fn key(
        &self,
        session: &mut Session,
        start: &State,
        entry: Entry,
        tokens: &mut Vec<TokenId>,
    ) -> Option<Base> {
        let Some((free, others)) = session.key_terms(entry.label) else {
            self.walk(session, TokenTrie::ROOT, start, tokens);
            return None;
        };
        let table = self.interior(free);
        if !table.exits.is_empty() || !table.ambiguous.is_empty() {
            // The key could end in several places of one token.
            self.walk(session, TokenTrie::ROOT, start, tokens);
            return None;
        }
        // Undeclared keys lead to the same places, as long as no further key is read within the
        // token.
        let mut same: Option<(KeyEnd, State)> = None;
        for &node in &table.ends {
            let path = self.trie.path(node);
            let end = session.key_end(entry.label, &path);
            if end == KeyEnd::None {
                continue;
            }
            tokens.extend(self.trie.token(node));
            if !self.trie.has_children(node) {
                continue;
            }
            if let KeyEnd::Free(members) = &end {
                if same.as_ref().is_none_or(|(known, _)| *known != end) {
                    let state = session.after_some_key(start, entry, members);
                    same = Some((end.clone(), state));
                }
                if let Some((_, state)) = &same {
                    let (steps, found) = (session.key_steps(), tokens.len());
                    self.walk(session, node, state, tokens);
                    if session.key_steps() == steps {
                        continue;
                    }
                    tokens.truncate(found);
                }
            }
            let read = |state: State, byte| session.step(&state, byte);
            let state = path.into_iter().fold(start.clone(), read);
            self.walk(session, node, &state, tokens);
        }
        for rest in others {
            self.walk_along(session, rest, start, tokens);
        }
        Some(Base::Interior(table))
    }

    /// The tokens below a node that a state allows.
    fn walk(
        &self,
        session: &mut Session,
        node: TrieNode,
        state: &State,
        tokens: &mut Vec<TokenId>,
    ) {
        let first = session.first(state);
        self.walk_if(session, node, state, &first, tokens);
    }

    fn walk_if(
        &self,
        session: &mut Session,
        node: TrieNode,
        state: &State,
        first: &ByteSet,
        tokens: &mut Vec<TokenId>,
    ) {
        // The depth is that of a token.
        for child in self.trie.children(node) {
            let byte = self.trie.byte(child);
            if !first.contains(byte) {
                continue;
            }
            let next = session.step(state, byte);
            if next.is_dead() {
                continue;
            }
            tokens.extend(self.trie.token(child));
            if self.trie.has_children(child) {
                self.walk(session, child, &next, tokens);
            }
        }
    }

    /// The tokens that a state allows and that begin as a match of `rest` does.
    fn walk_along(
        &self,
        session: &mut Session,
        rest: TermId,
        start: &State,
        tokens: &mut Vec<TokenId>,
    ) {
        let mut pending = vec![(TokenTrie::ROOT, rest, start.clone())];
        while let Some((node, rest, state)) = pending.pop() {
            for child in self.trie.children(node) {
                let byte = self.trie.byte(child);
                let rest = self.terms.next(rest, byte);
                if rest == TermId::NOTHING {
                    continue;
                }
                let next = session.step(&state, byte);
                if next.is_dead() {
                    continue;
                }
                tokens.extend(self.trie.token(child));
                if self.terms.nullable(rest) {
                    self.walk(session, child, &next, tokens);
                } else if self.trie.has_children(child) {
                    pending.push((child, rest, next));
                }
            }
        }
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
