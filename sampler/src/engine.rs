//! The mask engine of a vocabulary: which tokens may come next.
//!
//! A mask is the union over the configurations of a state. For each, the tokens that stay inside
//! the terminal are known from a table that all grammars share ([`crate::interior`]); only where
//! tokens leave the terminal does the walk through the trie go on with what lies below. The
//! result is kept by configuration.

use std::sync::Arc;

use grammask_gbnf::{
    Automaton, CompileError, Entry, Grammar, KeyEnd, Label, Session, State, TextId, TokenName,
    TokenReference, TrackId,
};

use crate::interior::{Interior, Iterations};
use crate::mask::TokenMask;
use crate::tables::{Generations, Tables};
use crate::token_id::TokenId;
use crate::token_set::{Found, TokenSet};
use crate::trie::TokenTrie;
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
    pub(crate) tables: Tables,
}

/// How many masks a constraint keeps per generation.
const MAX_MASKS: usize = 512;

/// The mask of one configuration.
#[derive(Clone, Debug)]
struct EntryMask {
    /// The tokens that stay inside the terminal, where tables have them.
    bases: Box<[Base]>,
    /// All others.
    more: Arc<TokenSet>,
}

/// Tokens that a table has.
#[derive(Clone, Debug)]
pub(crate) enum Base {
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

    pub(crate) fn add_to_found(&self, found: &mut Found) {
        match self {
            Self::Interior(table) => found.add(&table.inside),
            Self::Iterations(table) => found.add_mask(&table.inside),
            Self::Some(tokens) => found.add_mask(tokens),
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
        Arc::new(Self { tables: Tables::new(&vocabulary), vocabulary })
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
        Automaton::compile_with(grammar, root, &self.tables.terms)
    }

    /// Whether the automaton was compiled by this engine.
    pub(crate) fn owns(&self, automaton: &Automaton) -> bool {
        Arc::ptr_eq(automaton.terms(), &self.tables.terms)
    }

    /// Number of nodes of the trie.
    pub fn trie_len(&self) -> usize {
        self.tables.trie.len()
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
            entry_mask.bases.iter().for_each(|base| base.add_to(mask));
            entry_mask.more.add_to(mask);
        }
        if state.is_complete() {
            self.vocabulary.eog_ids().iter().for_each(|&token| mask.insert(token));
        }
    }

    /// The mask of a configuration; `start` is the state with only that.
    fn entry_mask(&self, session: &mut Session, start: &State, entry: Entry) -> EntryMask {
        let mut found = Found::new(self.vocabulary.len());
        let bases = match entry.label {
            Label::Term(_) | Label::Counted { .. } | Label::Text { .. } => {
                let base = self.by_table(session, TokenTrie::ROOT, start, entry, &mut found);
                if base.is_none() {
                    self.walk_on(session, TokenTrie::ROOT, start, &mut found);
                }
                base.into_iter().collect()
            }
            Label::Key { .. } => self.key(session, start, entry, &mut found),
            Label::Item { .. } | Label::ItemEnd { .. } => Box::default(),
            Label::Token(token) => {
                let reference = session.token(token);
                if reference.negated {
                    found.extend(self.vocabulary.ids().filter(|&id| {
                        self.vocabulary.bytes(id).is_some() && self.means(reference, id)
                    }));
                } else {
                    found.extend(
                        self.resolve(reference).filter(|&token| self.means(reference, token)),
                    );
                }
                Box::default()
            }
        };
        EntryMask { bases, more: Arc::new(found.into_set()) }
    }

    /// The tokens of a member's key: where undeclared keys may be written, their own tokens; and
    /// exactly what the guard says wherever a key ends, or few are left.
    fn key(
        &self,
        session: &mut Session,
        start: &State,
        entry: Entry,
        found: &mut Found,
    ) -> Box<[Base]> {
        let Some((free, others)) = session.key_terms(entry.label) else {
            self.walk(session, TokenTrie::ROOT, start, found);
            return Box::default();
        };
        let tables: Vec<_> = free.iter().map(|&free| self.tables.key(free)).collect();
        // The key could end in several places of one token.
        let ends_within = tables.iter().any(|table| !table.exits.is_empty());
        if ends_within || self.has_dead_end(session, TokenTrie::ROOT, start, None) {
            self.walk(session, TokenTrie::ROOT, start, found);
            return Box::default();
        }
        for table in &tables {
            self.key_ends(session, start, entry, table, found);
        }
        for rest in others {
            self.walk_along(session, rest, start, found);
        }
        tables.into_iter().map(Base::Interior).collect()
    }

    /// The tokens that a table of keys says nothing about.
    fn key_ends(
        &self,
        session: &mut Session,
        start: &State,
        entry: Entry,
        table: &Interior,
        found: &mut Found,
    ) {
        let trie = &self.tables.trie;
        let after = |session: &mut Session, path: Vec<u8>| {
            path.into_iter().fold(start.clone(), |state, byte| session.step(&state, byte))
        };
        for &node in &table.few_left {
            let state = after(session, trie.path(node));
            if !state.is_dead() {
                found.extend(trie.token(node));
                self.walk(session, node, &state, found);
            }
        }
        // Undeclared keys lead to the same places, as long as no further key is read within the
        // token; but within the items of a list, which are compared.
        let in_item = entry.track != TrackId::NONE;
        let mut same: Option<(KeyEnd, State)> = None;
        for &node in &table.ends {
            let path = trie.path(node);
            let end = session.key_end(entry.label, &path);
            if end == KeyEnd::None {
                continue;
            }
            if session.is_like(entry) && after(session, path.clone()).is_dead() {
                continue;
            }
            found.extend(trie.token(node));
            if !trie.has_children(node) {
                continue;
            }
            if let KeyEnd::Free(members) = &end {
                if in_item || same.as_ref().is_none_or(|(known, _)| *known != end) {
                    let state = session.after_some_key(start, entry, members, &path);
                    same = Some((end.clone(), state));
                }
                if let Some((_, state)) = &same {
                    let steps = session.key_steps();
                    let mut behind = Found::new(self.vocabulary.len());
                    self.walk(session, node, state, &mut behind);
                    if session.key_steps() == steps {
                        found.append(behind);
                        continue;
                    }
                }
            }
            let state = after(session, path);
            self.walk(session, node, &state, found);
        }
    }
}
