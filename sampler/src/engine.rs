//! The mask engine of a vocabulary: which tokens may come next.
//!
//! A mask is the union over the configurations of a state. For each, the tokens that stay inside
//! the terminal are known from a table that all grammars share ([`crate::interior`]); only where
//! tokens leave the terminal does the walk through the trie go on with what lies below. The
//! result is kept by configuration.

use std::sync::{Arc, Mutex, PoisonError};

use grammask_gbnf::{Entry, Session, State, Terms, TextId, TokenName, TokenReference};
use smallvec::SmallVec;

use crate::frames::Exits;
use crate::generations::Generations;
use crate::lookahead::{EntryMask, Lookahead, LookaheadMemo};
use crate::mask::TokenMask;
use crate::tables::{self, Tables};
use crate::token_id::TokenId;
use crate::vocabulary::Vocabulary;

/// A vocabulary with everything that is known about it: the trie of its tokens and the tables of
/// terminals, shared by all grammars that are used with it.
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
    /// The terms of the grammars that are compiled for it: most have numbers and strings.
    terms: Mutex<Arc<Terms>>,
}

/// Grammars are compiled among the terms of earlier ones as long as these are no more, about half a
/// MB. With ten times as many the slowest tenth of first masks come a tenth sooner, the others when
/// they come now, and more holes stay in memory.
const MOST_TERMS: usize = 2_000;

/// How many bytes the masks of a constraint may take.
const MASKS: usize = 2 << 20;

/// Masks that have been computed, by configuration and the text on which it depends: those of one
/// session. Nothing for a configuration with forgotten members if the mask depends on them.
#[derive(Debug)]
pub(crate) struct MaskMemo {
    masks: Generations<(Entry, TextId), Option<Arc<EntryMask>>>,
    lookahead: LookaheadMemo,
}

impl Default for MaskMemo {
    fn default() -> Self {
        Self { masks: Generations::new(MASKS), lookahead: LookaheadMemo::default() }
    }
}

impl Engine {
    /// The most that [`Engine::table_bytes`] says, unless one table alone takes more than its share.
    pub const MOST_TABLE_BYTES: usize = tables::MOST_BYTES;

    /// Builds the trie of a vocabulary.
    pub fn new(vocabulary: Vocabulary) -> Arc<Self> {
        Arc::new(Self { tables: Tables::new(&vocabulary), vocabulary, terms: Mutex::default() })
    }

    /// The terms among which the next grammar is compiled.
    pub(crate) fn terms(&self) -> Arc<Terms> {
        let mut terms = self.terms.lock().unwrap_or_else(PoisonError::into_inner);
        if terms.len() > MOST_TERMS {
            *terms = Arc::default();
        }
        Arc::clone(&terms)
    }

    /// The vocabulary.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Number of nodes of the trie.
    pub fn trie_len(&self) -> usize {
        self.tables.trie.len()
    }

    /// How many bytes the tables take that have been built for the terminals of grammars: at most
    /// [`Engine::MOST_TABLE_BYTES`]. What has not been asked for the longest goes first.
    pub fn table_bytes(&self) -> usize {
        self.tables.bytes()
    }

    /// How many nodes of the trie have been visited so far, for the masks of all constraints on this
    /// engine: what masks cost that were not known. A mask that is known visits none.
    pub fn nodes_visited(&self) -> u64 {
        self.tables.visited()
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
        let mut mask_of = |&entry: &Entry| {
            if let Some(blurred) = session.blurred(entry) {
                let key = (blurred, state.text_of(blurred));
                let known = memo.masks.get(&key).unwrap_or_else(|| {
                    let lookahead = &mut memo.lookahead;
                    let mask = session.if_blurred(|session| {
                        Arc::new(self.entry_mask(session, lookahead, state, blurred))
                    });
                    memo.masks.insert(key, mask.clone());
                    mask
                });
                if let Some(mask) = known {
                    return mask;
                }
            }
            let key = (entry, state.text_of(entry));
            memo.masks.get(&key).flatten().unwrap_or_else(|| {
                let mask = Arc::new(self.entry_mask(session, &mut memo.lookahead, state, entry));
                memo.masks.insert(key, Some(Arc::clone(&mask)));
                mask
            })
        };
        let entries: SmallVec<[Arc<EntryMask>; 4]> =
            state.entries().iter().map(&mut mask_of).collect();
        let mut masks = entries.iter().flat_map(|entry| entry.masks());
        match masks.next() {
            Some(first) => mask.copy_from(first),
            None => mask.clear(),
        }
        masks.for_each(|more| mask.union_with(more));
        mask.extend(entries.iter().flat_map(|entry| entry.tokens()));
        if state.is_complete() {
            self.vocabulary.eog_ids().iter().for_each(|&token| mask.insert(token));
        }
    }

    /// The mask of a configuration, with the text of a state.
    fn entry_mask(
        &self,
        session: &mut Session,
        memo: &mut LookaheadMemo,
        state: &State,
        entry: Entry,
    ) -> EntryMask {
        let start = state.only(entry);
        let before = session.steps();
        let exits = memo.frames.exits(session);
        let (mut mask, given_up) = self.look(session, memo, (&start, entry), exits);
        if given_up {
            memo.frames.give_up();
            (mask, _) = self.look(session, memo, (&start, entry), None);
        }
        // The root is one of them.
        self.tables.count_visited(session.steps() - before + 1);
        mask
    }

    /// The mask of the configuration of a state, frame by frame if there are exits, and whether that
    /// has taken too much work.
    fn look(
        &self,
        session: &mut Session,
        memo: &mut LookaheadMemo,
        (start, entry): (&State, Entry),
        exits: Option<Exits>,
    ) -> (EntryMask, bool) {
        session.look_ahead(|session| {
            let (departures, assumed) = (Vec::new(), None);
            let mut lookahead =
                Lookahead { engine: self, session, memo, departures, exits, assumed };
            let mask = lookahead.entry_mask(start, entry);
            (mask, lookahead.has_given_up())
        })
    }
}
