//! What tokens have of the value of a member, whatever lies behind the value: for all schemas that
//! have it, if many may.
//!
//! After every key the same few ways to begin a value are walked through. Which tokens they allow
//! depends on the value alone, up to where a token has read all of it; only from there on does the
//! walk need to know what follows.

use std::sync::Arc;

use grammask_gbnf::{ByteSet, Entry, Session, State, Surroundings, TermId, Terms, ValueId};

use crate::below::Below;
use crate::generations::{Footprint, Generations};
use crate::keys::Key;
use crate::lookahead::Lookahead;
use crate::meant::{Meant, PlacedTokens};
use crate::tables::Tables;
use crate::token_id::TokenId;
use crate::token_set::Found;
use crate::trie::TrieNode;
use crate::walk::walk_below;

/// The tokens of a value that begins behind some nodes.
#[derive(Debug)]
pub(crate) struct ValueTokens {
    /// The nodes: kept, so that no others get their address.
    starts: Arc<Below>,
    /// Those with which the value is not at its end, or just there.
    tokens: PlacedTokens,
    /// What lies behind the places where the value ends.
    behind: Below,
    /// The same of nodes below which much lies.
    behind_large: Arc<Below>,
}

/// The values of one session.
#[derive(Debug)]
pub(crate) struct ValueMemo {
    /// By where they begin.
    values: Generations<(usize, ValueId), Arc<ValueTokens>>,
    /// What lies behind them, by what lies around them.
    behind: Generations<(usize, Surroundings), BehindValue>,
}

/// The tokens that lie behind a value whichever members there are; nothing if that is found out of too
/// few of them.
#[derive(Clone, Debug)]
struct BehindValue {
    /// The value: kept, so that no other gets its address.
    _value: Arc<ValueTokens>,
    behind: Option<Arc<TokensBehind>>,
}

/// Tokens that lie behind a value.
#[derive(Debug)]
struct TokensBehind {
    allowed: PlacedTokens,
    /// Those of which it is not known, each with its place in the trie, by which they are in order.
    open: Vec<(TrieNode, TokenId)>,
}

/// So many tokens are looked at one by one; if more are, what leads to them is read at once.
const MOST_OPEN: usize = 64;

/// How many bytes either may take.
const VALUES: usize = 512 << 10;

impl Default for ValueMemo {
    fn default() -> Self {
        Self { values: Generations::new(VALUES), behind: Generations::new(VALUES) }
    }
}

impl Lookahead<'_> {
    /// The tokens of a value that begins behind some nodes; nothing if there is too much work.
    pub(crate) fn value(
        &mut self,
        starts: &Arc<Below>,
        value: ValueId,
    ) -> Option<Arc<ValueTokens>> {
        let tables = &self.engine.tables;
        if let Some(term) = self.session.term_of_value(value) {
            let terms = &**self.session.terms();
            let build = || Some(ValueTokens::new(terms, &term, starts, tables));
            return tables.value(starts, terms.fingerprint(term), build);
        }
        let shared = self.session.fingerprint_of_value(value);
        let mut build = || {
            let start = self.session.start_of_value(value);
            let tokens = ValueTokens::new(&mut *self.session, &start, starts, tables);
            (!self.session.is_spent()).then_some(tokens)
        };
        if let Some(shared) = shared {
            return tables.value(starts, shared, build);
        }
        let key = (Arc::as_ptr(starts).addr(), value);
        if let Some(known) = self.memo.values.values.get(&key) {
            return Some(known);
        }
        let tokens = Arc::new(build()?);
        self.memo.values.values.insert(key, Arc::clone(&tokens));
        Some(tokens)
    }

    /// The same behind one node.
    pub(crate) fn value_behind(
        &mut self,
        node: TrieNode,
        value: ValueId,
    ) -> Option<Arc<ValueTokens>> {
        let start = self.engine.tables.below(&[node][..]);
        self.value(&start, value)
    }

    /// Adds the tokens of the value of a member and of what lies behind it, as far as their nodes are
    /// meant; `key` is that of the member.
    pub(crate) fn add_value(
        &mut self,
        tokens: &Arc<ValueTokens>,
        (key, member): (Key<'_>, u32),
        meant: &Meant,
        found: &mut Found,
    ) {
        meant.of_placed(&tokens.tokens).for_each(|tokens| found.add_list(tokens));
        let ValueTokens { behind, behind_large, .. } = &**tokens;
        if !behind.has_children(Below::ROOT) && behind_large.nodes.is_empty() {
            return;
        }
        if let Some(known) = self.behind_value(tokens, (key.entry, member)) {
            meant.of_placed(&known.allowed).for_each(|tokens| found.add_list(tokens));
            return self.settle(key, meant.of(&known.open), found);
        }
        let state = self.session.behind_member(key.entry, member);
        let behind = tokens.walk_behind(self.session, &self.engine.tables, &state);
        meant.of_placed(&behind.allowed).for_each(|tokens| found.add_list(tokens));
        self.settle(key, meant.of(&behind.open), found);
        for &node in behind_large.large.iter().filter(|&&node| meant.contains(node)) {
            self.walk(node, &state, found);
        }
    }

    /// The tokens that lie behind the value of a member whichever members there are, and those of which
    /// that is not known, if they are few.
    fn behind_value(
        &mut self,
        tokens: &Arc<ValueTokens>,
        (entry, member): (Entry, u32),
    ) -> Option<Arc<TokensBehind>> {
        if !tokens.behind_large.large.is_empty() {
            return None;
        }
        let around = self.session.blurred_member(entry, member)?;
        let key = (Arc::as_ptr(tokens).addr(), around);
        let known = self.memo.values.behind.get(&key).unwrap_or_else(|| {
            let behind = self.session.if_blurred(|session| {
                let state = session.behind_blurred(around);
                tokens.walk_behind(session, &self.engine.tables, &state)
            });
            let behind = behind.filter(|behind| behind.open.len() <= MOST_OPEN).map(Arc::new);
            let known = BehindValue { _value: Arc::clone(tokens), behind };
            if self.session.is_spent() {
                return known;
            }
            self.memo.values.behind.insert(key, known.clone());
            known
        });
        known.behind
    }
}

impl ValueTokens {
    /// Reads what lies below some nodes as a value.
    pub(crate) fn new<R: Reader>(
        mut reader: R,
        start: &R::State,
        starts: &Arc<Below>,
        tables: &Tables,
    ) -> Self {
        let trie = &tables.trie;
        let whole = starts.whole(tables);
        let mut tokens = whole.tokens.to_vec();
        let ends = read_through(
            &mut reader,
            vec![(Below::ROOT, start.clone())],
            |node| whole.children(node),
            |node| tokens.extend_from_slice(whole.tokens_of(node)),
        );
        let large_ends = read_through(
            &mut reader,
            whole.large.iter().map(|&node| (node, start.clone())).collect(),
            |node| trie.children(node),
            |node| tokens.extend(trie.tokens_at(node).map(|token| (node, token))),
        );
        Self {
            starts: Arc::clone(starts),
            tokens: tokens.into(),
            behind: whole.behind(&ends),
            behind_large: tables.below(large_ends),
        }
    }

    /// Walks through what lies behind the value.
    fn walk_behind(&self, session: &mut Session, tables: &Tables, state: &State) -> TokensBehind {
        let (mut allowed, mut open) = (Vec::new(), Vec::new());
        for below in [&self.behind, &self.behind_large] {
            let mut add = |more: &[_]| allowed.extend_from_slice(more);
            let mut leave_open = |more: &[_]| open.extend_from_slice(more);
            walk_below((session, tables), (below, Below::ROOT), state, &mut add, &mut leave_open);
        }
        open.sort_unstable();
        TokensBehind { allowed: allowed.into(), open }
    }
}

impl Footprint for BehindValue {
    fn bytes(&self) -> usize {
        self.behind.as_ref().map_or(0, |behind| behind.allowed.bytes() + size_of_val(&*behind.open))
    }
}

impl Footprint for ValueTokens {
    fn bytes(&self) -> usize {
        // What begins the value may be kept for it alone.
        self.tokens.bytes() + self.starts.bytes() + self.behind.bytes()
    }
}

/// What reads a value.
pub(crate) trait Reader {
    /// How much has been read.
    type State: Clone;

    /// The bytes that may come next, and perhaps more.
    fn first(&self, state: &Self::State) -> ByteSet;

    /// The state behind a byte, if there is one, and whether the value may end there.
    fn read(&mut self, state: &Self::State, byte: u8) -> Option<(Self::State, bool)>;
}

impl Reader for &mut Session {
    type State = State;

    fn first(&self, state: &State) -> ByteSet {
        Session::first(self, state)
    }

    fn read(&mut self, state: &State, byte: u8) -> Option<(State, bool)> {
        let next = self.step(state, byte);
        let may_end = next.is_complete();
        (!next.is_dead()).then_some((next, may_end))
    }
}

impl Reader for &Terms {
    type State = TermId;

    fn first(&self, &term: &TermId) -> ByteSet {
        Terms::first(self, term)
    }

    fn read(&mut self, &term: &TermId, byte: u8) -> Option<(TermId, bool)> {
        let next = self.next(term, byte);
        (next != TermId::NOTHING).then(|| (next, self.nullable(next)))
    }
}

/// Reads from some nodes on, each with a state, as far as a value reaches; `add` is given each node on
/// the way. Where the value may end is returned.
fn read_through<R: Reader, N: Copy, C: Iterator<Item = (u8, N)>>(
    reader: &mut R,
    mut pending: Vec<(N, R::State)>,
    children: impl Fn(N) -> C,
    mut add: impl FnMut(N),
) -> Vec<N> {
    let mut ends = Vec::new();
    while let Some((node, state)) = pending.pop() {
        let first = reader.first(&state);
        for (byte, child) in children(node).filter(|&(byte, _)| first.contains(byte)) {
            let Some((next, may_end)) = reader.read(&state, byte) else { continue };
            add(child);
            if may_end {
                ends.push(child);
            }
            pending.push((child, next));
        }
    }
    ends
}
