//! Own tokens: what can be said of a terminal's state whatever comes behind the terminal.
//!
//! A token is *inside* if it can be read without leaving the terminal. Where a token leaves it,
//! the walk through the trie has to go on with what lies below; those places are few and are kept
//! in the table: inside a JSON string, 195,516 tokens of `o200k_base` stay inside, and 81 nodes
//! with children lead out.

use std::sync::Arc;

use grammask_gbnf::{ByteSet, TermId, Terms};

use crate::below::{Below, Belows};
use crate::dfa::Dfa;
use crate::mask::TokenMask;
use crate::tables::Tables;
use crate::token_id::TokenId;
use crate::token_set::{Found, TokenSet};
use crate::trie::{Reach, TokenTrie, TrieNode};

/// The tokens of a term, and where tokens leave it.
#[derive(Debug)]
pub(crate) struct Interior {
    /// Tokens after which the term is not at its end, or need not be.
    pub(crate) inside: TokenSet,
    /// Nodes at which the term is at its end and cannot go on.
    pub(crate) ends: Arc<Below>,
    /// Nodes from which on the table knows nothing: in a key, where only few are left.
    pub(crate) few_left: Box<[TrieNode]>,
    /// Nodes whose byte cannot be read inside, although the term may end before it; by byte.
    pub(crate) exits: Belows<u8>,
    /// Bytes that somewhere can be read inside *or* behind the end of the term: where the
    /// following text may begin with one of them, the table does not tell all.
    pub(crate) ambiguous: ByteSet,
}

impl Interior {
    /// Walks the trie below a node through one term.
    pub(crate) fn new(start: TrieNode, term: TermId, tables: &Tables, terms: &Terms) -> Self {
        Self::until(start, term, (tables, terms), |_| false)
    }

    /// Walks the trie through a key for as long as plenty of keys are left.
    pub(crate) fn of_key(term: TermId, tables: &Tables, terms: &Terms) -> Self {
        Self::until(TokenTrie::ROOT, term, (tables, terms), |term| !terms.has_plenty(term))
    }

    /// Walks the trie below a node through one term, up to where `stops` says so. Where much lies
    /// below and the term is a loop over a class, only what leaves the loop is walked through.
    fn until(
        start: TrieNode,
        term: TermId,
        (tables, terms): (&Tables, &Terms),
        stops: impl Fn(TermId) -> bool,
    ) -> Self {
        let trie = &tables.trie;
        let mut dfa = Dfa::new(TermId::NOTHING, terms);
        let mut inside = Found::new(tables.len);
        let mut outside = Outside { ends: Vec::new(), few_left: Vec::new(), stops };
        let mut exits = Vec::new();
        let mut ambiguous = ByteSet::default();
        let mut pending = vec![(start, term)];
        while let Some((top, term)) = pending.pop() {
            // That the term may end at the start has been followed up already.
            let has_read = top != start;
            let first = terms.first(term);
            if first.len() <= FEW_BYTES && !(has_read && terms.nullable(term)) {
                for byte in first.iter() {
                    let Some(child) = trie.child(top, byte) else { continue };
                    let next = terms.next(term, byte);
                    if outside.goes_on(&[child], next) {
                        inside.extend(trie.token(child));
                        pending.push((child, next));
                    }
                }
                continue;
            }
            if top == start
                && let Some((run, states)) = tables.class_run(top, term, terms, &outside.stops)
            {
                inside.add(&run.inside);
                for &state in &states {
                    if terms.nullable(state) {
                        ambiguous.union_with(&terms.first(state));
                    }
                }
                let last = states.last().copied().unwrap_or(term);
                inside.extend(run.ends.iter().filter_map(|&end| trie.token(end)));
                pending.extend(run.ends.iter().map(|&end| (end, last)));
                for (exit, nodes) in run.exits() {
                    let state = states[exit.read as usize];
                    let next = exit.bytes().fold(state, |term, byte| terms.next(term, byte));
                    if next == TermId::NOTHING {
                        if terms.nullable(state)
                            && exit.bytes().len() == 1
                            && let Some(byte) = exit.bytes().next()
                        {
                            let first = trie.child(top, byte);
                            let nodes = nodes.iter().filter(|&&node| Some(node) != first);
                            exits.extend(nodes.map(|&node| (byte, node)));
                        }
                    } else if outside.goes_on(nodes, next) {
                        inside.extend(nodes.iter().filter_map(|&node| trie.token(node)));
                        let nodes = nodes.iter().filter(|&&node| trie.has_children(node));
                        pending.extend(nodes.map(|&node| (node, next)));
                    }
                }
                continue;
            }
            let at = (dfa.number(term), has_read);
            trie.scan(top, at, &mut inside, |node, (state, has_read), byte, below| {
                let may_end = has_read && dfa.nullable(state);
                let next = dfa.next(state, byte);
                if next == Dfa::DEAD {
                    if may_end {
                        exits.push((byte, node));
                    }
                    return Reach::Out;
                }
                if may_end {
                    ambiguous.insert_range(byte, byte);
                }
                if !outside.goes_on(&[node], dfa.term(next)) {
                    return Reach::Out;
                }
                let Some(below) = below else { return Reach::Into((next, true)) };
                if dfa.loops(next).contains(below.kinds) {
                    if dfa.nullable(next) {
                        ambiguous.union_with(&terms.first(dfa.term(next)));
                    }
                    return Reach::All;
                }
                Reach::Into((next, true))
            });
        }
        Self {
            inside: inside.into_set(),
            ends: tables.below(outside.ends),
            few_left: outside.few_left.into(),
            exits: tables.belows(exits),
            ambiguous,
        }
    }
}

/// A term that goes on with so few bytes is followed byte by byte: a scan would look at all children.
const FEW_BYTES: usize = 8;

/// Where a walk through a term stops, `stops` said of a term.
struct Outside<S> {
    ends: Vec<TrieNode>,
    few_left: Vec<TrieNode>,
    stops: S,
}

impl<S: Fn(TermId) -> bool> Outside<S> {
    /// Whether the walk goes on at some nodes, where `next` is left of the term; if not, they are
    /// noted.
    fn goes_on(&mut self, nodes: &[TrieNode], next: TermId) -> bool {
        if next == TermId::EMPTY {
            self.ends.extend_from_slice(nodes);
        } else if (self.stops)(next) {
            self.few_left.extend_from_slice(nodes);
        } else {
            return true;
        }
        false
    }
}

/// The tokens of a counted loop, with the number of iterations that each begins: one table for
/// all counts.
#[derive(Debug)]
pub(crate) struct Iterations {
    /// Tokens that do not leave the loop, as a mask.
    pub(crate) inside: TokenMask,
    /// The same, those first that begin the fewest iterations.
    tokens: Box<[TokenId]>,
    /// How many of them begin at most as many iterations as the index says.
    at_most: Box<[u32]>,
    /// Nodes whose byte is no part of the loop although an iteration ends before it, with the
    /// iterations begun until then; by byte.
    pub(crate) exits: Belows<(u8, u32)>,
    /// Bytes with which an iteration can begin somewhere: see [`Interior::ambiguous`].
    pub(crate) ambiguous: ByteSet,
}

impl Iterations {
    /// Walks the trie below a node through `rest`, then any number of `item`, of which no match is
    /// a proper prefix of another.
    pub(crate) fn new(
        start: TrieNode,
        rest: TermId,
        item: TermId,
        tables: &Tables,
        terms: &Terms,
    ) -> Self {
        let trie = &tables.trie;
        let mut dfa = Dfa::new(item, terms);
        let mut inside = TokenMask::new(tables.len);
        let mut begins = Vec::new();
        let mut exits = Vec::new();
        let mut ambiguous = ByteSet::default();
        // The state, how many iterations have begun, and whether anything has been read.
        let first = (dfa.number(rest), 0, false);
        trie.scan(start, first, &mut inside, |node, (state, begun, has_read), byte, _| {
            let between = state == Dfa::END;
            let next = dfa.next(state, byte);
            // That the loop may end at the start has been followed up already.
            let may_end = between && has_read;
            if next == Dfa::DEAD {
                if may_end {
                    exits.push(((byte, begun), node));
                }
                return Reach::Out;
            }
            if may_end {
                ambiguous.insert_range(byte, byte);
            }
            let begun = begun + u32::from(between);
            begins.extend(trie.token(node).map(|token| (begun, token)));
            Reach::Into((next, begun, true))
        });
        let (tokens, at_most) = sorted(&begins);
        Self { inside, tokens, at_most, exits: tables.belows(exits), ambiguous }
    }

    /// The tokens that begin at most `max` iterations.
    pub(crate) fn at_most(&self, max: u32) -> TokenMask {
        let few = self.at_most.get(max as usize).map_or(self.tokens.len(), |&few| few as usize);
        let (fewer, more) = self.tokens.split_at(few);
        if more.len() > fewer.len() {
            let mut mask = TokenMask::new(self.inside.len());
            mask.extend(fewer.iter().copied());
            return mask;
        }
        let mut mask = self.inside.clone();
        for &token in more {
            mask.remove(token);
        }
        mask
    }
}

/// Tokens in the order of the iterations that they begin, and how many begin at most 0, 1, 2 and so
/// on.
fn sorted(begins: &[(u32, TokenId)]) -> (Box<[TokenId]>, Box<[u32]>) {
    let most = begins.iter().map(|&(begun, _)| begun as usize).max().unwrap_or(0);
    let mut at_most = vec![0_u32; most + 1];
    for &(begun, _) in begins {
        at_most[begun as usize] += 1;
    }
    for begun in 1..=most {
        at_most[begun] += at_most[begun - 1];
    }
    // Where the next one goes, from behind.
    let mut next = at_most.clone();
    let mut tokens = vec![TokenId(0); begins.len()];
    for &(begun, token) in begins.iter().rev() {
        let place = &mut next[begun as usize];
        *place -= 1;
        tokens[*place as usize] = token;
    }
    (tokens.into(), at_most.into())
}
