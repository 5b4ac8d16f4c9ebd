//! Own tokens: what can be said of a terminal's state whatever comes behind the terminal.
//!
//! A token is *inside* if it can be read without leaving the terminal. Where a token leaves it,
//! the walk through the trie has to go on with what lies below; those places are few and are kept
//! in the table: inside a JSON string, 195,516 tokens of `o200k_base` stay inside, and 81 nodes
//! with children lead out.

use grammask_gbnf::{ByteSet, Label, Session, TermId, Terms};

use crate::mask::TokenMask;
use crate::token_id::TokenId;
use crate::trie::{TokenTrie, TrieNode};

/// A set of tokens, as a list where it is small.
#[derive(Debug)]
pub(crate) enum TokenSet {
    Few(Box<[TokenId]>),
    Many(Box<TokenMask>),
}

/// From what share of the vocabulary on a list is larger than a mask.
const FEW: usize = 32;

impl TokenSet {
    pub(crate) fn new(tokens: Vec<TokenId>, len: usize) -> Self {
        if tokens.len() * FEW <= len {
            return Self::Few(tokens.into());
        }
        let mut mask = TokenMask::new(len);
        tokens.into_iter().for_each(|token| mask.insert(token));
        Self::Many(Box::new(mask))
    }

    pub(crate) fn add_to(&self, mask: &mut TokenMask) {
        match self {
            Self::Few(tokens) => tokens.iter().for_each(|&token| mask.insert(token)),
            Self::Many(tokens) => mask.union_with(tokens),
        }
    }
}

/// The tokens of a terminal's state, and where tokens leave it.
#[derive(Debug)]
pub(crate) struct Interior {
    /// Tokens after which the terminal is not at its end, or need not be.
    pub(crate) inside: TokenSet,
    /// Nodes at which the terminal is at its end and cannot go on.
    pub(crate) ends: Box<[TrieNode]>,
    /// Nodes whose byte cannot be read inside, although the terminal may end before it; by byte.
    pub(crate) exits: Box<[(u8, TrieNode)]>,
    /// Bytes that somewhere can be read inside *or* behind the end of the terminal: where the
    /// following text may begin with one of them, the table does not tell all.
    pub(crate) ambiguous: ByteSet,
}

/// The one spelling of labels with equal interiors, for tokens of at most `longest` bytes: more
/// iterations than a token has bytes make no difference.
pub(crate) fn situation(label: Label, longest: usize, terms: &Terms) -> Option<Label> {
    match label {
        Label::Term(_) => Some(label),
        Label::Counted { rest, item, min, max } => {
            let longest = u32::try_from(longest).unwrap_or(u32::MAX).saturating_add(1);
            let min = min.min(longest);
            let max = if max >= longest { u32::MAX } else { max };
            if max == u32::MAX && min <= 1 {
                let term = terms.concat(rest, terms.repeat(item, min, None));
                return Some(Label::Term(term));
            }
            Some(Label::Counted { rest, item, min, max })
        }
        Label::Text { .. } | Label::Token(_) | Label::Key { .. } => None,
    }
}

/// Walks the trie through one terminal.
pub(crate) fn interior(
    label: Label,
    trie: &TokenTrie,
    len: usize,
    terms: &Terms,
) -> (Interior, usize) {
    let mut inside = Vec::new();
    let mut ends = Vec::new();
    let mut exits = Vec::new();
    let mut ambiguous = ByteSet::default();
    let mut visited = 0;
    let mut pending = vec![(TokenTrie::ROOT, label, false)];
    while let Some((node, label, may_end)) = pending.pop() {
        for child in trie.children(node) {
            visited += 1;
            let byte = trie.byte(child);
            let (next, next_may_end) = match label {
                Label::Term(term) => step_term(term, byte, terms),
                _ => Session::step_terminal(label, byte, terms),
            };
            match next {
                Some(next) => {
                    if may_end {
                        ambiguous.insert_range(byte, byte);
                    }
                    if let Some(token) = trie.token(child) {
                        inside.push(token);
                    }
                    if trie.has_children(child) {
                        pending.push((child, next, next_may_end));
                    }
                }
                None if next_may_end => {
                    if may_end {
                        ambiguous.insert_range(byte, byte);
                    }
                    ends.push(child);
                }
                None if may_end => exits.push((byte, child)),
                None => {}
            }
        }
    }
    inside.sort_unstable();
    exits.sort_unstable();
    let interior = Interior {
        inside: TokenSet::new(inside, len),
        ends: ends.into(),
        exits: exits.into(),
        ambiguous,
    };
    (interior, visited)
}

/// As [`Session::step_terminal`], for the labels that are walked most.
fn step_term(term: TermId, byte: u8, terms: &Terms) -> (Option<Label>, bool) {
    match terms.next(term, byte) {
        TermId::NOTHING => (None, false),
        TermId::EMPTY => (None, true),
        next => (Some(Label::Term(next)), terms.nullable(next)),
    }
}
