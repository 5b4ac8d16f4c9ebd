//! What tokens have behind a terminal, frame by frame: how the rest of a rule reads what is left of a
//! token is the same wherever in a document the rule has been called. It is found once for each
//! frame and each set of places where tokens may come to it; a mask goes through the frames on the
//! stack, from the top down to those that no token gets through.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use grammask_gbnf::{ByteSet, Entry, FrameId, Label, NodeId};
use smallvec::SmallVec;

use crate::below::{Below, BelowNode};
use crate::crossings::Crossings;
use crate::departures::{Way, Ways};
use crate::exit::{Exit, ExitKey, ExitSet, ExitTable, Within};
use crate::generations::{Footprint, Generations};
use crate::interior::{Interior, Iterations};
use crate::lookahead::{Base, Bases, Lookahead, spilled_bytes};
use crate::tables::Tables;
use crate::token_set::{Found, TokenSet};
use crate::trie::TrieNode;

/// What is found frame by frame.
#[derive(Debug, Default)]
pub(crate) struct Exits {
    /// The exits that lead to each stack, as far as they have not been followed up.
    pending: BTreeMap<NodeId, ExitsTo>,
    /// Tables of which many tokens are allowed, by address: they are shared.
    bases: BTreeMap<usize, Base>,
    /// How often this is within another one.
    depth: usize,
}

/// The exits that lead to a stack.
#[derive(Debug, Default)]
struct ExitsTo {
    exits: ExitSet,
    /// Nodes, and nodes of what lies below others.
    nodes: Vec<TrieNode>,
    below: Vec<(Arc<Below>, BelowNode)>,
}

impl Exits {
    fn to(&mut self, below: NodeId) -> &mut ExitsTo {
        self.pending.entry(below).or_default()
    }

    /// Adds the tokens of a table.
    pub(crate) fn add_base(&mut self, base: Base) {
        self.bases.entry(base.address()).or_insert(base);
    }

    /// Takes the tables of which tokens are allowed.
    pub(crate) fn take_bases(&mut self) -> Bases {
        std::mem::take(&mut self.bases).into_values().collect()
    }

    /// A node leads to a stack.
    pub(crate) fn at_node(&mut self, below: NodeId, node: TrieNode) {
        self.to(below).nodes.push(node);
    }

    /// The end of a way leads to a stack.
    pub(crate) fn at_way(&mut self, below: NodeId, way: Way<'_>) {
        let to = self.to(below);
        match way.node {
            Below::ROOT => to.exits.extend(Exit::at(way.below)),
            node if way.below.has_children(node) => to.below.push((Arc::clone(way.below), node)),
            _ => {}
        }
    }
}

impl ExitsTo {
    fn into_exits(mut self, tables: &Tables, memo: &mut FrameMemo) -> ExitSet {
        if !self.nodes.is_empty() {
            self.exits.extend(Exit::at(&tables.below(self.nodes)));
        }
        if !self.below.is_empty() {
            self.below.sort_unstable_by_key(place);
            self.below.dedup_by_key(|nodes| place(nodes));
            let key = self.below.iter().map(place).collect();
            let nodes = memo.within.get(&key).unwrap_or_else(|| {
                let nodes = Arc::new(Within::new(self.below));
                memo.within.insert(key, Arc::clone(&nodes));
                nodes
            });
            self.exits.add(Exit::Within(nodes));
        }
        self.exits
    }
}

/// What makes a node of what lies below others the one.
fn place((below, node): &(Arc<Below>, BelowNode)) -> (usize, BelowNode) {
    (Arc::as_ptr(below).addr(), *node)
}

/// What tokens have that come to a frame by an exit.
#[derive(Debug)]
pub(crate) struct Through {
    /// The exit: kept, so that no other gets its address.
    _exit: Exit,
    tokens: TokenSet,
    bases: Bases,
    /// Where they get through to what lies below, unless at once.
    exits: ExitSet,
    bytes: usize,
}

impl Through {
    fn new(exit: Exit, tokens: TokenSet, bases: Bases, exits: ExitSet) -> Self {
        let bytes = tokens.bytes() + spilled_bytes(&bases) + exits.bytes();
        Self { _exit: exit, tokens, bases, exits, bytes }
    }
}

/// What reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Reader {
    Frame(FrameId),
    /// A terminal alone.
    Label(Label),
}

/// How a frame begins.
#[derive(Clone, Copy, Debug)]
struct FrameStart {
    first: ByteSet,
    /// Whether its rule may end at once.
    ends: bool,
}

/// The frames of one session.
#[derive(Debug)]
pub(crate) struct FrameMemo {
    starts: Generations<FrameId, FrameStart>,
    through: Generations<(ExitKey, Reader), Arc<Through>>,
    /// By their places, so that the same are found again.
    within: Generations<Box<[(usize, BelowNode)]>, Arc<Within>>,
}

/// So deep what is found frame by frame is found for itself within another one; then what is left of
/// a token, mostly little, is read with all frames at once.
const MOST_DEPTH: usize = 2;

/// How many bytes the beginnings of frames may take,
const STARTS: usize = 128 << 10;
/// and what tokens have behind them.
const TOKENS: usize = 4 << 20;
const WITHIN: usize = 1 << 20;

impl Default for FrameMemo {
    fn default() -> Self {
        Self {
            starts: Generations::new(STARTS),
            through: Generations::new(TOKENS),
            within: Generations::new(WITHIN),
        }
    }
}

impl FrameMemo {
    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.starts.bytes() + self.through.bytes() + self.within.bytes()
    }
}

impl Lookahead<'_> {
    /// Adds the exits of a term's table.
    pub(crate) fn exit_term(
        &mut self,
        node: TrieNode,
        entry: Entry,
        table: &Arc<Interior>,
        found: &mut Found,
    ) {
        found.extend(table.ends.tokens.iter().map(|&(_, token)| token));
        self.leave(entry.below, Exit::of_term(node, entry.label, table));
    }

    /// The same for a loop.
    pub(crate) fn exit_loop(&mut self, node: TrieNode, entry: Entry, table: &Arc<Iterations>) {
        self.leave(entry.below, Exit::of_loop(node, entry.label, table));
    }

    fn leave(&mut self, below: NodeId, exit: Option<Exit>) {
        if let Some(exits) = &mut self.exits {
            exits.to(below).exits.extend(exit);
        }
    }

    /// The same for many exits.
    fn leave_all(&mut self, below: NodeId, all: ExitSet) {
        if let Some(exits) = &mut self.exits {
            exits.to(below).exits.merge(all);
        }
    }

    /// Reads the terminal of a configuration byte by byte.
    pub(crate) fn walk_alone(&mut self, node: TrieNode, entry: Entry, found: &mut Found) {
        let alone = self.session.above(NodeId::BOTTOM, entry.label);
        self.walk_on(node, &alone, found);
        let out = self.go_out(found);
        self.leave_all(entry.below, out);
    }

    /// Adds the tokens behind all exits; gives those behind which nothing lies any more. Below a stack
    /// there are only such as come before it, so that each is visited once, with all exits that lead
    /// to it.
    pub(crate) fn go_out(&mut self, found: &mut Found) -> ExitSet {
        let mut out = ExitSet::default();
        while !self.session.is_spent()
            && let Some(exits) = &mut self.exits
            && let Some((node, to)) = exits.pending.pop_last()
        {
            let depth = exits.depth;
            let coming = to.into_exits(&self.engine.tables, &mut self.memo.frames);
            if node == NodeId::BOTTOM {
                out.merge(coming);
            } else if depth >= MOST_DEPTH {
                self.read_at_once(coming.as_slice(), node, found);
                if self.session.behind_all_above(node).is_complete() {
                    self.leave_all(NodeId::BOTTOM, coming);
                }
            } else {
                self.go_through(node, coming, found, &mut out);
            }
        }
        out
    }

    /// Reads with each frame on top of a set of stacks what comes to it by some exits; those that lead
    /// to the end of the text are added to `out`.
    fn go_through(
        &mut self,
        node: NodeId,
        mut coming: ExitSet,
        found: &mut Found,
        out: &mut ExitSet,
    ) {
        let frames: SmallVec<[_; 4]> = self.session.frames(node).collect();
        for (at, &top) in frames.iter().enumerate() {
            // The last one may have them.
            let is_last = at + 1 == frames.len();
            let take = |coming: &mut ExitSet| {
                if is_last { std::mem::take(coming) } else { coming.clone() }
            };
            let Some((frame, below)) = top else {
                out.merge(take(&mut coming));
                continue;
            };
            if self.session.is_spent() {
                return;
            }
            let start = self.frame_start(frame);
            self.session.spend(coming.as_slice().len() as u64);
            for exit in coming.as_slice() {
                if exit.first().intersects(&start.first) {
                    let through = self.through(exit, Reader::Frame(frame), found.len());
                    self.add_through(&through, below, found);
                }
            }
            if start.ends {
                self.leave_all(below, take(&mut coming));
            }
        }
    }

    fn frame_start(&mut self, frame: FrameId) -> FrameStart {
        self.memo.frames.starts.get(&frame).unwrap_or_else(|| {
            let node = self.session.alone(frame);
            let state = self.session.behind_all_above(node);
            let start = FrameStart { first: self.session.first(&state), ends: state.is_complete() };
            if !self.session.is_spent() {
                self.memo.frames.starts.insert(frame, start);
            }
            start
        })
    }

    /// What is read with `by` of what comes to it by an exit.
    fn through(&mut self, exit: &Exit, by: Reader, tokens: usize) -> Arc<Through> {
        let key = (exit.key(), by);
        if let Some(known) = self.memo.frames.through.get(&key) {
            return known;
        }
        let deeper = |outer: &Exits| Exits { depth: outer.depth + 1, ..Exits::default() };
        let exits = self.exits.as_ref().map(deeper);
        let mut inner =
            Lookahead { exits, ..Lookahead::new(self.engine, &mut *self.session, &mut *self.memo) };
        let mut found = Found::with_spare(tokens, &mut inner.memo.spare);
        match by {
            Reader::Frame(frame) => inner.read_with_frame(exit, frame, &mut found),
            Reader::Label(label) => inner.read_with_label(exit, label, &mut found),
        }
        let exits = inner.go_out(&mut found);
        let bases = inner.exits.as_mut().map(Exits::take_bases).unwrap_or_default();
        let tokens = found.into_set_sparing(&mut self.memo.spare);
        let through = Arc::new(Through::new(exit.clone(), tokens, bases, exits));
        if !self.session.is_spent() {
            self.memo.frames.through.insert(key, Arc::clone(&through));
        }
        through
    }

    /// Adds what has been read, with the exits to what lies below.
    fn add_through(&mut self, through: &Through, below: NodeId, found: &mut Found) {
        found.add(&through.tokens);
        let Some(exits) = &mut self.exits else { return };
        through.bases.iter().for_each(|base| exits.add_base(base.clone()));
        exits.to(below).exits.merge(through.exits.clone());
    }

    /// Reads with a frame what comes to it by an exit: where that is much, with each of its terminals
    /// alone, which other frames have as well.
    fn read_with_frame(&mut self, exit: &Exit, frame: FrameId, found: &mut Found) {
        let node = self.session.alone(frame);
        let state = self.session.behind_all_above(node);
        let crossings = OnceCell::new();
        let ways = self.ways(exit, &self.session.first(&state), &crossings);
        let is_much = |(ways, large): &(Ways<'_>, SmallVec<[TrieNode; 4]>)| {
            let size = ways.iter().map(|(_, way)| way.len()).sum();
            !large.is_empty() || self.engine.tables.is_much(size)
        };
        if !ways.as_ref().is_some_and(is_much) {
            return self.read_at_once(std::slice::from_ref(exit), node, found);
        }
        for &entry in state.entries() {
            if exit.first().intersects(&self.session.first_of(entry.label)) {
                let through = self.through(exit, Reader::Label(entry.label), found.len());
                self.add_through(&through, entry.below, found);
            }
        }
    }

    /// Reads with all that a set of stacks may go on with what comes to it by some exits.
    fn read_at_once(&mut self, coming: &[Exit], node: NodeId, found: &mut Found) {
        let state = self.session.behind_all_above(node);
        let first = self.session.first(&state);
        let crossings: Vec<_> = coming.iter().map(|_| OnceCell::new()).collect();
        let mut all = Ways::new();
        for (exit, crossings) in coming.iter().zip(&crossings) {
            match (self.ways(exit, &first, crossings), exit) {
                (Some((ways, large)), _) => {
                    all.extend(ways);
                    for node in large {
                        self.walk(node, &state, found);
                    }
                }
                (None, Exit::Table(exit)) => {
                    let state = self.session.above(node, exit.label);
                    self.walk_on(exit.node, &state, found);
                }
                (None, Exit::At(_) | Exit::Within(_)) => {}
            }
        }
        self.follow(all, &state, found);
    }

    /// Reads with a terminal what comes to it by an exit of which the ways are known.
    fn read_with_label(&mut self, exit: &Exit, label: Label, found: &mut Found) {
        let crossings = OnceCell::new();
        let first = self.session.first_of(label);
        let Some((ways, large)) = self.ways(exit, &first, &crossings) else { return };
        let start = self.session.above(NodeId::BOTTOM, label);
        for node in large {
            self.walk(node, &start, found);
        }
        let mut pending: Vec<(Label, Ways<'_>)> = vec![(label, ways)];
        while let Some((label, ways)) = pending.pop() {
            for (byte, way) in ways {
                let (label, ends) = self.session.label_after(label, byte);
                if label.is_none() && !ends {
                    continue;
                }
                found.extend(way.tokens().iter().map(|&(_, token)| token));
                if ends && let Some(exits) = &mut self.exits {
                    exits.at_way(NodeId::BOTTOM, way);
                }
                let Some(label) = label else { continue };
                if way.node == Below::ROOT && !way.below.large.is_empty() {
                    let state = self.session.above(NodeId::BOTTOM, label);
                    for &node in &way.below.large {
                        self.walk(node, &state, found);
                    }
                }
                let mut further = Ways::new();
                way.further(&self.session.first_of(label), &self.engine.tables, &mut further);
                if !further.is_empty() {
                    pending.push((label, further));
                }
            }
        }
    }

    /// The ways that an exit opens to what begins with some bytes, and the nodes below which much
    /// lies; nothing if a terminal can go on with those bytes in more places than are known. There are
    /// no more for fewer bytes.
    fn ways<'a>(
        &self,
        exit: &'a Exit,
        first: &ByteSet,
        crossings: &'a OnceCell<Arc<Crossings>>,
    ) -> Option<(Ways<'a>, SmallVec<[TrieNode; 4]>)> {
        let tables = &self.engine.tables;
        let way = |below| Way { below, node: Below::ROOT };
        let mut ways = Ways::new();
        let mut at_once: SmallVec<[&Arc<Below>; 4]> = SmallVec::new();
        match exit {
            Exit::At(nodes) => at_once.push(nodes),
            Exit::Within(nodes) => {
                for &(ref below, node) in &nodes.nodes {
                    Way { below, node }.further(first, tables, &mut ways);
                }
            }
            Exit::Table(exit) => match &exit.table {
                ExitTable::Interior(table) => {
                    let both = first.intersection(&table.ambiguous);
                    if let Label::Term(term) = exit.label
                        && !both.is_empty()
                    {
                        let terms = self.session.terms();
                        let build = || tables.crossings(exit.node, term, both, terms);
                        let nodes = crossings.get_or_init(build).nodes()?;
                        ways.extend(nodes.iter().map(|(byte, nodes)| (*byte, way(nodes))));
                    }
                    let exits = table.exits.belows(first, tables);
                    ways.extend(exits.map(|(byte, nodes)| (byte, way(nodes))));
                    at_once.push(&table.ends);
                }
                ExitTable::Iterations(table) => {
                    let Label::Counted { min, max, .. } = exit.label else { return None };
                    if first.intersects(&table.ambiguous) {
                        return None;
                    }
                    let exits = table.exits(min..=max);
                    ways.extend(exits.map(|(byte, nodes)| (byte, way(nodes))));
                    at_once.extend(table.ends(min..=max));
                }
            },
        }
        ways.retain(|(byte, _)| first.contains(*byte));
        at_once.retain(|nodes| nodes.first.intersects(first));
        at_once.iter().for_each(|nodes| way(nodes).further(first, tables, &mut ways));
        Some((ways, at_once.iter().flat_map(|nodes| &nodes.large).copied().collect()))
    }
}

impl Footprint for FrameStart {
    fn bytes(&self) -> usize {
        0
    }
}

impl Footprint for Through {
    fn bytes(&self) -> usize {
        self.bytes
    }
}
