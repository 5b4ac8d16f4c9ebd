//! A budget of tokens that is kept: whatever is picked, the text can be completed with what is left.

mod costs;
mod spelling;

use std::fmt;
use std::sync::Arc;

use grammask_gbnf::{
    Automaton, ByteSet, Entry, KeyTerms, KnownKeys, Label, Needs, Session, Spelling, State, TermId,
    Terms, TrackId,
};

pub(crate) use costs::Costs;
use spelling::TokenSpelling;

use crate::engine::{Engine, MaskMemo};
use crate::interior::Interior;
use crate::mask::TokenMask;
use crate::token_id::TokenId;
use crate::trie::TokenTrie;

/// What completing the texts of an automaton takes in the tokens of an engine.
pub(crate) fn needs(engine: &Arc<Engine>, automaton: &Automaton) -> Arc<Needs> {
    Arc::new(automaton.needs(Box::new(TokenSpelling::new(engine))))
}

/// How many tokens spell what is left of a text behind each of its bytes, and before the first.
pub(crate) fn spelled(engine: &Arc<Engine>, text: &[u8]) -> Vec<Option<u32>> {
    TokenSpelling::new(engine).count(text)
}

/// How many tokens may still come, and what completing a text takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget<'a> {
    needs: &'a Arc<Needs>,
    left: usize,
    end: usize,
}

impl<'a> Budget<'a> {
    /// A budget of `left` tokens for what follows, `end` of them for the end.
    pub(crate) fn new(needs: &'a Arc<Needs>, left: usize, end: usize) -> Self {
        Self { needs, left, end }
    }

    /// Whether what is left suffices once another token has led to a state.
    fn suffices(&self, session: &mut Session, state: &State) -> bool {
        let needed = session.needed(state, self.needs);
        needed.is_some_and(|needed| needed as usize + self.end < self.left)
    }

    /// Leaves of a mask the tokens after which what is left suffices.
    pub(crate) fn retain(
        &self,
        engine: &Engine,
        session: &mut Session,
        memo: &mut MaskMemo,
        state: &State,
        mask: &mut TokenMask,
    ) {
        let Some(most) = self.left.checked_sub(1 + self.end) else {
            // Only the end fits.
            let eog = engine.vocabulary().eog_ids().iter().copied();
            let ends: Vec<_> = eog.filter(|&token| self.left > 0 && mask.contains(token)).collect();
            mask.clear();
            mask.extend(ends);
            return;
        };
        let (mut sure, mut open) = (TokenMask::new(mask.len()), TokenMask::new(mask.len()));
        if state.is_complete() {
            open.extend(engine.vocabulary().eog_ids().iter().copied());
        }
        for &entry in state.entries() {
            let mut allowed = TokenMask::new(mask.len());
            if !engine.fill(session, memo, &state.only(entry), &mut allowed) {
                // What only all configurations together have.
                open.union_with(mask);
                continue;
            }
            let Some(top) = self.top(engine, session, entry) else {
                open.union_with(&allowed);
                continue;
            };
            let costs = engine.costs(top.term, self.needs, session.terms());
            let within = most.checked_sub(top.behind as usize);
            let within = within.map(|most| u32::try_from(most).unwrap_or(u32::MAX));
            let mut fitting = TokenMask::new(mask.len());
            costs.add_within(within, &mut fitting);
            fitting.intersect_with(&allowed);
            if let Some(inside) = &top.inside {
                fitting.intersect_with(inside);
            }
            let is_allowed = |&token: &TokenId| allowed.contains(token);
            let known: Vec<_> = top.known.into_iter().filter(is_allowed).collect();
            for &token in &known {
                fitting.remove(token);
            }
            sure.union_with(&fitting);
            // What stays inside of the terminal does nothing else.
            if top.is_unambiguous {
                costs.subtract_from(&mut allowed, top.inside.as_ref());
            }
            open.union_with(&allowed);
            open.extend(known);
        }
        open.subtract(&sure);
        *mask = sure;
        session.look_ahead(|session| self.probe(engine, session, state, &open, mask));
    }

    /// The terminal of a configuration, if it is one of which tables tell.
    fn top(&self, engine: &Engine, session: &mut Session, entry: Entry) -> Option<Top> {
        match entry.label {
            _ if entry.track != TrackId::NONE => None,
            Label::Term(term) => {
                let behind = session.needed_behind(entry, self.needs)?;
                let is_unambiguous = engine.is_unambiguous(session, entry, term);
                Some(Top { term, behind, is_unambiguous, known: Vec::new(), inside: None })
            }
            // With the shortest texts it makes no difference how many iterations there are at most.
            Label::Counted { rest, item, min, max }
                if min <= MOST_COUNTED && self.needs.counts_shortest() =>
            {
                let behind = session.needed_behind(entry, self.needs)?;
                let table =
                    engine.tables.iterations(TokenTrie::ROOT, (rest, item), session.terms());
                let first = session.first_behind(entry);
                let terms = session.terms();
                let mut ambiguous = table.ambiguous;
                if !table.ends.is_empty() {
                    ambiguous.union_with(&terms.first(item));
                }
                let is_unambiguous = first.is_some_and(|first| !first.intersects(&ambiguous));
                let term = terms.concat(rest, terms.repeat(item, min, None));
                let inside = table.at_most(max, &engine.tables.characters);
                let inside = inside.map(|tokens| tokens.to_mask(engine.vocabulary().len()));
                Some(Top { term, behind, is_unambiguous, known: Vec::new(), inside })
            }
            Label::Key { .. } => {
                let KeyTerms { free, only, .. } = session.key_terms(entry.label)?;
                let (&[term], Some(member)) = (&free[..], only) else { return None };
                let behind = session.needed_behind_some_key(entry, member, self.needs)?;
                let table = engine.tables.interior(TokenTrie::ROOT, term, session.terms());
                let ambiguous = engine.ambiguous(term, &table, session.terms());
                let is_unambiguous = ambiguous.is_empty() && table.exits.is_empty();
                let known = engine.known_keys(session, session.known_keys(entry.label)?);
                Some(Top { term, behind, is_unambiguous, known, inside: None })
            }
            _ => None,
        }
    }

    /// Adds to `found` those of some tokens after which what is left suffices.
    fn probe(
        &self,
        engine: &Engine,
        session: &mut Session,
        state: &State,
        tokens: &TokenMask,
        found: &mut TokenMask,
    ) {
        let vocabulary = engine.vocabulary();
        let mut rest = tokens.clone();
        if !state.has_tokens() {
            let mut ordered = Vec::new();
            engine.in_order(tokens, &mut ordered);
            for &token in &ordered {
                rest.remove(token);
            }
            engine.read_in_order(session, state, &ordered, |session, token, state| {
                if self.suffices(session, state) {
                    found.insert(token);
                }
            });
        }
        for token in rest.tokens() {
            let fits = if vocabulary.is_eog(token) {
                self.left > 0
            } else {
                let text = (!vocabulary.is_control(token)).then(|| vocabulary.bytes(token));
                let after = session
                    .after_token(state, text.flatten(), |reference| engine.means(reference, token));
                self.suffices(session, &after)
            };
            if fits {
                found.insert(token);
            }
        }
    }
}

/// Loops of which more iterations are missing are not looked up in tables.
const MOST_COUNTED: u32 = 64;

/// The terminal of a configuration.
struct Top {
    term: TermId,
    /// What comes behind it needs.
    behind: u32,
    /// Whether what a token does inside of it is all that the token does.
    is_unambiguous: bool,
    /// Tokens of which this does not tell: beginnings of keys that are declared or have been written.
    known: Vec<TokenId>,
    /// All of which the table tells; nothing if that is no bounded loop, which has no more tokens.
    inside: Option<TokenMask>,
}

/// Why a budget cannot be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BudgetError {
    /// It may take more tokens to complete the text.
    TooSmall {
        /// The budget.
        budget: usize,
        /// With so many tokens the text can be completed, whatever comes in between.
        needed: usize,
        /// With fewer than so many it never can.
        at_least: usize,
    },
    /// No way to complete the text is known: the vocabulary cannot spell any terminal by terminal, or
    /// it is too far to seek.
    Unknown,
}

impl fmt::Display for BudgetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooSmall { budget, needed, at_least } => write!(
                f,
                "a budget of {budget} tokens is too small: {needed} are needed to be sure that the \
                 text can be completed (no text has fewer than {at_least}); allow {needed} or more"
            ),
            Self::Unknown => f.write_str(
                "no budget can be kept: the tokens of the vocabulary spell no text that completes \
                 the grammar, or none that is soon found",
            ),
        }
    }
}

impl std::error::Error for BudgetError {}

impl Engine {
    /// What the tokens that stay inside of a term leave to be written of it.
    fn costs(&self, term: TermId, needs: &Needs, terms: &Terms) -> Arc<Costs> {
        self.tables.costs(term, terms, |term| needs.term(term))
    }

    /// Whether what a token does inside of the terminal of a configuration is all that it does.
    fn is_unambiguous(&self, session: &mut Session, entry: Entry, term: TermId) -> bool {
        let table = self.tables.interior(TokenTrie::ROOT, term, session.terms());
        let ambiguous = self.ambiguous(term, &table, session.terms());
        let behind = session.first_behind(entry);
        behind.is_some_and(|behind| !behind.intersects(&ambiguous))
    }

    /// The bytes that can be read inside of a term where it may end, at crossroads too, of which
    /// [`Interior::ambiguous`] does not tell.
    fn ambiguous(&self, term: TermId, table: &Interior, terms: &Terms) -> ByteSet {
        let mut bytes = table.ambiguous;
        for rest in self.tables.left_at_crossroads(term, table, terms) {
            bytes.union_with(&terms.first(rest));
        }
        bytes
    }

    /// The tokens with which known keys begin.
    fn known_keys(&self, session: &mut Session, known: KnownKeys) -> Vec<TokenId> {
        let trie = &self.tables.trie;
        let mut tokens = Vec::new();
        let mut ahead = vec![(TokenTrie::ROOT, known)];
        while let Some((node, known)) = ahead.pop() {
            for byte in session.known_first(known).iter() {
                if let Some(child) = trie.child(node, byte)
                    && let Some(known) = session.known_after(known, byte)
                {
                    tokens.extend(trie.tokens_at(child));
                    ahead.push((child, known));
                }
            }
        }
        tokens
    }

    /// The ordinary ones of some tokens, in the order of their bytes.
    fn in_order(&self, tokens: &TokenMask, ordered: &mut Vec<TokenId>) {
        let vocabulary = self.vocabulary();
        if tokens.count() * 16 > tokens.len() {
            let all = vocabulary.ordered().iter().copied();
            ordered.extend(all.filter(|&token| tokens.contains(token)));
            return;
        }
        ordered.extend(
            tokens.tokens().filter(|&token| {
                !vocabulary.is_control(token) && vocabulary.bytes(token).is_some()
            }),
        );
        ordered.sort_unstable_by_key(|&token| vocabulary.bytes(token));
    }
}
