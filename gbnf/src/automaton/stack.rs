//! Sets of stacks, as interned nodes: a graph-structured stack in canonical form.
//!
//! A node is a sorted list of (top frame -> node for everything below), each frame once. Two sets
//! that are built from the same stacks are the same node, so that a state of the matcher is small
//! however ambiguous the grammar is, and results can be kept by node.

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use std::hash::BuildHasher;

use crate::automaton::counting::CountingSets;
use crate::automaton::interner::Interner;
use crate::automaton::program::{Op, Position, Program};
use crate::automaton::work::Work;

/// A set of stacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    /// The set that holds exactly the empty stack.
    pub const BOTTOM: Self = Self(0);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What lies on a stack: where to go on, and with which count or which seen members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Frame {
    pub(crate) position: Position,
    /// A counting set or a member state; 0 where the position has neither.
    pub(crate) argument: u32,
}

/// The frame below which nothing lies.
const BOTTOM: Frame = Frame { position: Position::NONE, argument: 0 };

/// All nodes of a session.
#[derive(Debug)]
pub(crate) struct Stacks {
    frames: Vec<(Frame, NodeId)>,
    ends: Vec<u32>,
    index: HashTable<NodeId>,
    unions: Interner<SmallVec<[NodeId; 4]>>,
    /// The union of the nodes of each of `unions`.
    united: Vec<NodeId>,
    /// Each node is some, and each part of a union.
    pub(crate) work: Work,
}

/// How much [`Stacks`] hold at some time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StacksMark {
    nodes: usize,
    unions: usize,
}

impl Default for Stacks {
    fn default() -> Self {
        let mut stacks = Self {
            frames: Vec::new(),
            ends: Vec::new(),
            index: HashTable::new(),
            unions: Interner::default(),
            united: Vec::new(),
            work: Work::default(),
        };
        stacks.intern(&[(BOTTOM, NodeId::BOTTOM)]);
        stacks
    }
}

impl Stacks {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// How much there is, for [`Stacks::forget_since`].
    pub(crate) fn mark(&self) -> StacksMark {
        StacksMark { nodes: self.len(), unions: self.unions.len() }
    }

    /// Forgets all nodes that have been made since.
    pub(crate) fn forget_since(&mut self, mark: StacksMark) {
        for index in (mark.nodes..self.len()).rev() {
            let hash = FxBuildHasher.hash_one(self.tops(NodeId(index as u32)));
            if let Ok(place) = self.index.find_entry(hash, |known| known.index() == index) {
                place.remove();
            }
            self.ends.pop();
            self.frames.truncate(self.ends.last().map_or(0, |&end| end as usize));
        }
        self.unions.truncate(mark.unions);
        self.united.truncate(mark.unions);
    }

    /// The top frames with what lies below each; for the bottom node its marker frame.
    pub(crate) fn tops(&self, node: NodeId) -> &[(Frame, NodeId)] {
        let start = node.index().checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.frames[start as usize..self.ends[node.index()] as usize]
    }

    pub(crate) fn is_bottom(frame: Frame) -> bool {
        frame == BOTTOM
    }

    /// `frame` on top of each stack of `below`.
    pub(crate) fn push(&mut self, frame: Frame, below: NodeId) -> NodeId {
        self.intern(&[(frame, below)])
    }

    fn intern(&mut self, tops: &[(Frame, NodeId)]) -> NodeId {
        let hash = FxBuildHasher.hash_one(tops);
        if let Some(&node) = self.index.find(hash, |&node| self.tops(node) == tops) {
            return node;
        }
        self.work.spend(1);
        let node = NodeId(self.ends.len() as u32);
        self.frames.extend_from_slice(tops);
        self.ends.push(self.frames.len() as u32);
        let (frames, ends) = (&self.frames, &self.ends);
        self.index.insert_unique(hash, node, |&node| {
            let start = node.index().checked_sub(1).map_or(0, |before| ends[before]);
            FxBuildHasher.hash_one(&frames[start as usize..ends[node.index()] as usize])
        });
        node
    }

    /// The stacks of all of them. Uniting them two by two would make a node for each beginning of
    /// the list. Where there has been too much work, one of the nodes.
    pub(crate) fn union(
        &mut self,
        mut nodes: SmallVec<[NodeId; 4]>,
        program: &Program,
        counts: &mut CountingSets,
    ) -> NodeId {
        nodes.sort_unstable();
        nodes.dedup();
        if let [node] = nodes[..] {
            return node;
        }
        if let Some(known) = self.unions.find(&nodes) {
            return self.united[known as usize];
        }
        self.work.spend(nodes.len() as u64);
        if self.work.is_too_much() {
            return nodes[0];
        }
        let mut tops: Vec<_> = nodes.iter().flat_map(|&node| self.tops(node)).copied().collect();
        merge_counts(&mut tops, program, counts);
        tops.sort_unstable();
        let mut merged: Vec<(Frame, NodeId)> = Vec::with_capacity(tops.len());
        for same in tops.chunk_by(|(first, _), (second, _)| first == second) {
            let below = same.iter().map(|&(_, below)| below).collect();
            // As deep as the stacks are: grow ours.
            let below =
                stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.union(below, program, counts));
            merged.push((same[0].0, below));
        }
        let node = self.intern(&merged);
        self.unions.intern(nodes);
        self.united.push(node);
        node
    }
}

/// Two counting sets of one loop on the same stacks are one set.
fn merge_counts(tops: &mut Vec<(Frame, NodeId)>, program: &Program, counts: &mut CountingSets) {
    if !tops.iter().any(|(frame, _)| matches!(program.op(frame.position), Op::Count(_))) {
        return;
    }
    tops.sort_unstable_by_key(|&(frame, below)| (frame.position, below, frame.argument));
    tops.dedup_by(|next, last| {
        if next.0.position != last.0.position || next.1 != last.1 {
            return false;
        }
        match program.op(next.0.position) {
            Op::Count(index) => {
                let bounds = program.loops[*index as usize].bounds();
                last.0.argument = counts.union(last.0.argument, next.0.argument, bounds);
                true
            }
            _ => next.0.argument == last.0.argument,
        }
    });
}
