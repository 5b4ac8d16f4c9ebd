//! Frames by themselves: how the rest of a rule can be read does not depend on what lies below it.

use super::{Entry, Session, State};
use crate::automaton::label::{self, After, Label};
use crate::automaton::stack::{Frame, NodeId};
use crate::automaton::tracks::TrackId;

/// What is left of a rule that has called another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FrameId(Frame);

impl Session {
    /// Whether there are rules that are called, and a frame that is read by itself is read as it is on a
    /// stack: there are neither members nor lists, of which what has been read says how they go on. Of a
    /// grammar that is a few terminals there are too few frames for that to be worth while.
    pub fn has_independent_frames(&self) -> bool {
        self.program.has_independent_frames()
    }

    /// The frames on top of a set of stacks, each with what lies below it; nothing for the end of the
    /// text. What lies below comes before the set in the order of nodes.
    pub fn frames(&self, node: NodeId) -> impl Iterator<Item = Option<(FrameId, NodeId)>> {
        self.stacks.tops(node).iter().map(|&(frame, below)| {
            let position = *self.program.alike.get(frame.position.index())?;
            Some((FrameId(Frame { position, ..frame }), below))
        })
    }

    /// What follows a byte in a terminal that is neither a key nor a token reference: how it goes on,
    /// and whether it may end.
    pub fn label_after(&self, label: Label, byte: u8) -> (Option<Label>, bool) {
        let After { label, ends } = label::step(label, byte, &self.terms, &self.program.texts);
        (label, ends)
    }

    /// The stack with nothing but a frame: where the frame's rule may end, a state above it is complete.
    pub fn alone(&mut self, FrameId(frame): FrameId) -> NodeId {
        self.stacks.push(frame, NodeId::BOTTOM)
    }

    /// The state with only a terminal, above a set of stacks.
    pub fn above(&self, below: NodeId, label: Label) -> State {
        State::default().only(Entry { label, track: TrackId::NONE, below })
    }

    /// The state in which only a set of stacks is left.
    pub fn behind_all_above(&mut self, below: NodeId) -> State {
        State::clone(&self.pop(below))
    }
}
