//! Where tokens leave terminals into the same state: what several tables say of it is walked through
//! at once, as a string, a number and the white space before them end in the same few ways.

use std::sync::Arc;

use grammask_gbnf::{ByteSet, Entry, Label, NodeId, State, TextId};
use smallvec::SmallVec;

use crate::below::{Below, BelowNode};
use crate::by_byte::Exits;
use crate::lookahead::Lookahead;
use crate::tables::Tables;
use crate::token_id::TokenId;
use crate::token_set::Found;
use crate::trie::TrieNode;

/// No more of what tables say about one state is put off.
const MOST_AT_ONCE: usize = 64;

/// Of more nodes what lies below them is walked through at once.
const MOST_ALONE: usize = 8;

/// A state into which terminals are left, and by which nodes.
#[derive(Debug)]
pub(crate) struct Departure {
    /// What makes it the state: the stack below the terminal and the text.
    key: (NodeId, TextId),
    state: State,
    /// The bytes that may come next in it.
    pub(crate) first: ByteSet,
    at_once: SmallVec<[Arc<Below>; 2]>,
    /// Nodes behind a byte that is read in the state.
    behind_bytes: SmallVec<[(u8, Arc<Below>); 4]>,
}

impl Departure {
    /// Tokens leave a terminal at some nodes.
    pub(crate) fn at_once(&mut self, nodes: &Arc<Below>) {
        self.at_once.push(Arc::clone(nodes));
    }

    /// Tokens leave a terminal just before some nodes, which have this byte.
    pub(crate) fn behind_byte(&mut self, byte: u8, nodes: &Arc<Below>) {
        if self.first.contains(byte) {
            self.behind_bytes.push((byte, Arc::clone(nodes)));
        }
    }

    /// The same for all exits of a term.
    pub(crate) fn behind_exits(&mut self, exits: &Exits, tables: &Tables) {
        let belows = exits.belows(&self.first, tables);
        self.behind_bytes.extend(belows.map(|(byte, nodes)| (byte, Arc::clone(nodes))));
    }
}

impl Lookahead<'_> {
    /// The departure from the terminal of a configuration of a state; nothing if it depends on items that
    /// have been forgotten.
    pub(crate) fn departure(&mut self, state: &State, entry: Entry) -> Option<usize> {
        let key = (entry.below, state.text());
        let known = self.departures.iter().position(|departure| departure.key == key);
        known.or_else(|| {
            let state = self.session.behind_unless_item(state, entry, &[])?;
            let first = self.session.first(&state);
            let (at_once, behind_bytes) = (SmallVec::new(), SmallVec::new());
            self.departures.push(Departure { key, state, first, at_once, behind_bytes });
            Some(self.departures.len() - 1)
        })
    }

    /// Adds the tokens that leave terminals, as far as tables have said where since this has been
    /// done last.
    pub(crate) fn depart(&mut self, found: &mut Found) {
        while let Some(departure) = self.departures.pop() {
            self.follow_up(&departure, found);
        }
    }

    /// The same for one departure, if there is much of it: what tables say is not to pile up.
    pub(crate) fn depart_early(&mut self, departure: usize, found: &mut Found) {
        let Departure { at_once, behind_bytes, .. } = &self.departures[departure];
        if at_once.len() + behind_bytes.len() > MOST_AT_ONCE {
            let departure = self.departures.swap_remove(departure);
            self.follow_up(&departure, found);
        }
    }

    fn follow_up(&mut self, departure: &Departure, found: &mut Found) {
        let Departure { state, at_once, behind_bytes, first, .. } = departure;
        if state.is_dead() {
            return;
        }
        let mut ways: Ways<'_> = SmallVec::new();
        for below in at_once {
            let way = Way { below, node: Below::ROOT };
            self.add(way, state, found);
            if self.has_tables(below, state) {
                let small = below.nodes.iter().filter(|node| !below.large.contains(node));
                small.for_each(|&node| self.walk(node, state, found));
            } else {
                way.further(first, &self.engine.tables, &mut ways);
            }
        }
        let bytes = behind_bytes.iter();
        ways.extend(bytes.map(|(byte, below)| (*byte, Way { below, node: Below::ROOT })));
        self.follow(ways, state, found);
    }

    /// Whether a string of bounded length begins at some nodes, with a table for each below which anything
    /// lies.
    fn has_tables(&self, below: &Below, state: &State) -> bool {
        let tables = &self.engine.tables;
        let may_have = |&node| tables.is_large_for_many(node) || !tables.trie.has_children(node);
        let is_counted = |entry: &Entry| matches!(entry.label, Label::Counted { .. });
        below.nodes.len() <= MOST_ALONE
            && state.entries().iter().any(is_counted)
            && below.nodes.iter().all(may_have)
    }

    /// Adds what several ways read behind a state. The depth is that of a token.
    pub(crate) fn follow(&mut self, mut ways: Ways<'_>, state: &State, found: &mut Found) {
        ways.sort_by_key(|&(byte, _)| byte);
        for same in ways.chunk_by(|(one, _), (other, _)| one == other) {
            let Some(next) = self.step(state, same[0].0) else {
                for (_, way) in same {
                    self.leave_way_open(*way);
                }
                continue;
            };
            if next.is_dead() {
                continue;
            }
            let goes_on = same.iter().any(|(_, way)| way.below.has_children(way.node));
            let first = if goes_on { self.session.first(&next) } else { ByteSet::default() };
            let mut further: Ways<'_> = SmallVec::new();
            for &(_, way) in same {
                self.add(way, &next, found);
                if next.is_complete()
                    && let Some(exits) = &mut self.exits
                {
                    exits.at_way(NodeId::BOTTOM, way);
                }
                way.further(&first, &self.engine.tables, &mut further);
            }
            if !further.is_empty() {
                self.follow(further, &next, found);
            }
        }
    }

    /// Too little is known for the tokens from the end of a way on.
    fn leave_way_open(&mut self, way: Way<'_>) {
        let Way { below, node } = way;
        if node == Below::ROOT {
            self.leave_open(below.tokens.iter().map(|&(_, token)| token));
            let trie = &self.engine.tables.trie;
            for &node in &below.large {
                self.leave_open(trie.tokens_below(node).iter().copied());
            }
        }
        let trie = &self.engine.tables.trie;
        below.tokens_from(node, trie, |tokens| {
            self.leave_open(tokens.iter().map(|&(_, token)| token));
        });
    }

    /// Adds the tokens at the end of a way that leads to a state, and below it where much lies.
    fn add(&mut self, way: Way<'_>, state: &State, found: &mut Found) {
        found.extend(way.tokens().iter().map(|&(_, token)| token));
        if way.node == Below::ROOT {
            for &node in &way.below.large {
                self.walk(node, state, found);
            }
        }
    }
}

/// Ways by the byte that comes last in them.
pub(crate) type Ways<'a> = SmallVec<[(u8, Way<'a>); 8]>;

/// How far one of several has been walked.
#[derive(Clone, Copy)]
pub(crate) struct Way<'a> {
    pub(crate) below: &'a Arc<Below>,
    pub(crate) node: BelowNode,
}

impl<'a> Way<'a> {
    pub(crate) fn tokens(self) -> &'a [(TrieNode, TokenId)] {
        match self.node {
            Below::ROOT => &self.below.tokens,
            node => self.below.tokens_of(node),
        }
    }

    /// The number of nodes from its end on.
    pub(crate) fn len(self) -> usize {
        self.below.len(self.node)
    }

    /// Adds the ways on with some bytes.
    pub(crate) fn further(self, first: &ByteSet, tables: &Tables, ways: &mut Ways<'a>) {
        let Self { below, node } = self;
        let children = below.children(node).filter(|&(byte, _)| first.contains(byte));
        ways.extend(children.map(|(byte, node)| (byte, Self { node, ..self })));
        if let Some(apart) = below.apart(node) {
            let belows = apart.belows(first, tables);
            ways.extend(belows.map(|(byte, below)| (byte, Self { below, node: Below::ROOT })));
        }
    }
}
