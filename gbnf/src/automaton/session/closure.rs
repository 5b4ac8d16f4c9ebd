//! What positions lead to: the calls, choices and counts on the way are followed up to the terminals,
//! and what lies below a terminal that ends is popped.

use std::cmp::Ordering;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{Entry, Reached, Session, State};
use crate::automaton::label::Label;
use crate::automaton::members::Guesses;
use crate::automaton::program::{Op, Position};
use crate::automaton::stack::{Frame, NodeId, Stacks};
use crate::automaton::texts::TextId;
use crate::automaton::tracks::TrackId;

/// What popping a node leads to.
#[derive(Clone, Debug)]
pub(super) struct Expansion {
    pub(super) state: Arc<State>,
    /// On what it depends that is not known.
    pub(super) guesses: Guesses,
}

/// A position to be followed up, with what lies below; the heap yields the lowest rank first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item {
    rank: u32,
    frame: Frame,
    below: NodeId,
}

impl Ord for Item {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.rank, other.frame, other.below).cmp(&(self.rank, self.frame, self.below))
    }
}

impl PartialOrd for Item {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Session {
    /// Finds what follows the terminal of a configuration: what is found while looking ahead is
    /// forgotten afterwards, and each mask of the same string would find it again.
    pub fn prepare(&mut self, entry: Entry) {
        self.pop(entry.below);
    }

    /// What popping `node` leads to: the state behind a terminal that ends above it, as far as it
    /// does not depend on the items around.
    pub(super) fn pop(&mut self, node: NodeId) -> Arc<State> {
        if let Some(known) = self.expansion(node) {
            return known;
        }
        // What a frame's rule returns to comes first; iteratively, as stacks may be deep.
        let mut path: SmallVec<[NodeId; 8]> = SmallVec::from_slice(&[node]);
        while let Some(&node) = path.last() {
            let missing = self.returns_to(node).find(|&below| !self.is_expanded(below));
            if let Some(below) = missing {
                path.push(below);
                continue;
            }
            path.pop();
            if !self.is_expanded(node) {
                let before = self.members.guesses();
                let state = Arc::new(self.expand(node));
                let guesses = self.members.guesses_since(before);
                if self.expanded.len() <= node.index() {
                    self.expanded.resize(node.index() + 1, None);
                }
                self.expanded[node.index()] = Some(Expansion { state, guesses });
                self.expansions.push(node);
            }
        }
        self.expansion(node).unwrap_or_default()
    }

    /// What popping a node leads to, if that is known; whoever asks for it guesses what has been
    /// guessed for it.
    fn expansion(&mut self, node: NodeId) -> Option<Arc<State>> {
        let Some(Some(Expansion { state, guesses })) = self.expanded.get(node.index()) else {
            return None;
        };
        self.members.guess(*guesses);
        Some(Arc::clone(state))
    }

    fn is_expanded(&self, node: NodeId) -> bool {
        matches!(self.expanded.get(node.index()), Some(Some(_)))
    }

    /// The nodes below the frames that may return at once.
    fn returns_to(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        self.stacks
            .tops(node)
            .iter()
            .filter(|(frame, _)| self.returns(*frame))
            .map(|&(_, below)| below)
    }

    fn returns(&self, frame: Frame) -> bool {
        if Stacks::is_bottom(frame) {
            return true;
        }
        self.program.returns[frame.position.index()]
            && match self.program.op(frame.position) {
                Op::Count(index) => {
                    let bounds = self.program.loops[*index as usize].bounds();
                    self.counts.may_end(frame.argument, bounds)
                }
                Op::After(index) => {
                    let shape = &self.program.shapes[*index as usize];
                    self.members.may_close(shape, frame.argument)
                }
                _ => true,
            }
    }

    fn expand(&mut self, node: NodeId) -> State {
        let mut found = Reached::new(TextId::EMPTY);
        let returned: SmallVec<[NodeId; 4]> = self.returns_to(node).collect();
        for below in returned {
            if let Some(state) = self.expansion(below) {
                found.entries.extend_from_slice(&state.entries);
                found.complete |= state.complete;
            }
        }
        let tops: SmallVec<[(Frame, NodeId); 4]> = SmallVec::from_slice(self.stacks.tops(node));
        for (frame, below) in tops {
            if !Stacks::is_bottom(frame) {
                self.add_frame(frame, below);
            }
        }
        self.close_into(found)
    }

    /// Adds what popping a node leads to.
    pub(super) fn add_popped(&mut self, node: NodeId, found: &mut Reached) {
        let popped = self.pop_after(node);
        found.entries.extend_from_slice(&popped.entries);
        found.complete |= popped.complete;
    }

    /// What has been found, with that to which the pending positions lead.
    pub(super) fn close_into(&mut self, mut found: Reached) -> State {
        let closed = self.close();
        if found.entries.is_empty() {
            return State { complete: found.complete, ..closed };
        }
        found.entries.extend_from_slice(&closed.entries);
        let entries = self.canonical(found.entries);
        State { entries, complete: found.complete, ..closed }
    }

    /// What popping a node leads to while items are pending.
    fn pop_after(&mut self, node: NodeId) -> Arc<State> {
        let pending = std::mem::take(&mut self.pending);
        let popped = self.pop(node);
        self.pending = pending;
        popped
    }

    /// The argument of a position that is entered anew.
    fn first_argument(&self, position: Position) -> u32 {
        match self.program.op(position) {
            Op::Count(index) => self.first_counts[*index as usize],
            _ => 0,
        }
    }

    pub(super) fn add(&mut self, position: Position, below: NodeId) {
        let argument = self.first_argument(position);
        self.add_frame(Frame { position, argument }, below);
    }

    pub(super) fn add_frame(&mut self, frame: Frame, below: NodeId) {
        let rank = self.program.ranks[frame.position.index()];
        self.pending.push(Item { rank, frame, below });
    }

    /// `below` with the way on to `next` on top; a call at the end of a rule leaves nothing, and a
    /// repetition on top of itself is one.
    fn push(&mut self, next: Position, mut below: NodeId) -> NodeId {
        if next == Position::RETURN {
            return below;
        }
        if self.program.stars[next.index()] {
            below = self.below_all(next, below);
        }
        let argument = self.first_argument(next);
        self.stacks.push(Frame { position: next, argument }, below)
    }

    /// The stacks of a set, but without a position where it is on top.
    fn below_all(&mut self, position: Position, node: NodeId) -> NodeId {
        let tops = self.stacks.tops(node);
        let Some(&(_, below)) = tops.iter().find(|(frame, _)| frame.position == position) else {
            return node;
        };
        let others: SmallVec<[(Frame, NodeId); 4]> =
            tops.iter().filter(|(frame, _)| frame.position != position).copied().collect();
        let others = others.into_iter().map(|(frame, below)| self.stacks.push(frame, below));
        let nodes = others.chain([below]).collect();
        self.unite(nodes)
    }

    pub(super) fn unite(&mut self, nodes: SmallVec<[NodeId; 4]>) -> NodeId {
        self.stacks.union(nodes, &self.program, &mut self.counts)
    }

    /// Follows the pending positions up to their terminals. Each position is visited once, with
    /// everything that can lie below it, however many ways lead there; only positions in circles
    /// (rules that are just each other) may be visited again.
    pub(super) fn close(&mut self) -> State {
        let program = Arc::clone(&self.program);
        let mut entries: SmallVec<[Entry; 8]> = SmallVec::new();
        let mut done: FxHashMap<Frame, NodeId> = FxHashMap::default();
        while let Some(Item { rank, frame, below }) = self.pending.pop()
            && !self.is_spent()
        {
            self.spend(1);
            let mut all: SmallVec<[NodeId; 4]> = SmallVec::from_slice(&[below]);
            while let Some(item) = self.pending.peek()
                && item.rank == rank
                && item.frame == frame
            {
                all.push(item.below);
                self.pending.pop();
            }
            let mut below = self.unite(all);
            match program.op(frame.position) {
                Op::Return => {}
                Op::Fork(to) => {
                    if to.iter().any(|to| program.ranks[to.index()] == rank) {
                        let known = done.get(&frame).copied();
                        let all: SmallVec<[NodeId; 4]> = known.into_iter().chain([below]).collect();
                        let all = self.unite(all);
                        if known == Some(all) {
                            continue;
                        }
                        done.insert(frame, all);
                        below = all;
                    }
                    for &to in to {
                        self.add(to, below);
                    }
                }
                &Op::Take { label, next } => {
                    let below = self.push(next, below);
                    entries.push(Entry { label, track: TrackId::NONE, below });
                }
                &Op::Token { token, next } => {
                    let below = self.push(next, below);
                    let label = Label::Token(token);
                    entries.push(Entry { label, track: TrackId::NONE, below });
                }
                &Op::Item(list) => {
                    let label = Label::Item { list, state: frame.argument };
                    entries.push(Entry { label, track: TrackId::NONE, below });
                }
                &Op::ItemEnd(list) => {
                    let label = Label::ItemEnd { list, state: frame.argument };
                    entries.push(Entry { label, track: TrackId::NONE, below });
                }
                &Op::Call { to, next } => {
                    let below = self.push(next, below);
                    self.add(to, below);
                }
                Op::Count(index) => {
                    let looped = &program.loops[*index as usize];
                    let bounds = looped.bounds();
                    if self.counts.may_end(frame.argument, bounds) {
                        self.add(looped.next, below);
                    }
                    if let Some(argument) = self.counts.increment(frame.argument, bounds) {
                        let frame = Frame { position: looped.count, argument };
                        let node = self.stacks.push(frame, below);
                        self.add(looped.body, node);
                    }
                }
                &Op::Key(index) => {
                    let shape = &program.shapes[index as usize];
                    let (state, context) = self.members.key_start(index, shape, frame.argument);
                    let label = Label::Key { shape: index, state, context };
                    entries.push(Entry { label, track: TrackId::NONE, below });
                }
                Op::After(index) => {
                    let shape = &program.shapes[*index as usize];
                    if self.members.may_close(shape, frame.argument) {
                        self.add(shape.next, below);
                    }
                    if self.members.may_go_on(shape, frame.argument, &self.terms) {
                        let key = Frame { position: shape.key, argument: frame.argument };
                        let node = self.stacks.push(key, below);
                        self.add(shape.separator, node);
                        if shape.separator_nullable {
                            self.add_frame(key, below);
                        }
                    }
                }
            }
        }
        State { entries: self.canonical(entries), ..State::default() }
    }

    /// Each label in the same items once, sorted.
    pub(super) fn canonical(&mut self, mut entries: SmallVec<[Entry; 8]>) -> SmallVec<[Entry; 2]> {
        let place = |entry: &Entry| (entry.label, entry.track);
        if !entries.is_sorted_by(|one, other| place(one) < place(other)) {
            entries.sort_unstable();
            entries.dedup();
            self.drop_contained(&mut entries);
            let mut kept = 0;
            let mut at = 0;
            while let Some(&Entry { label, track, below }) = entries.get(at) {
                let like = |entry: &&Entry| entry.label == label && entry.track == track;
                let same = entries[at..].iter().take_while(like).count();
                let below = match same {
                    1 => below,
                    _ => {
                        self.unite(entries[at..at + same].iter().map(|entry| entry.below).collect())
                    }
                };
                entries[kept] = Entry { label, track, below };
                kept += 1;
                at += same;
            }
            entries.truncate(kept);
        }
        SmallVec::from_slice(&entries)
    }
}
