//! Configurations in which the members of objects and the items of lists around are forgotten: what
//! follows a value, or stands before a key, mostly is the same whichever members and items are there.

use smallvec::SmallVec;

use super::{Entry, Session, State};
use crate::automaton::label::Label;
use crate::automaton::members::{Guesses, Outlook, WrittenKeys};
use crate::automaton::program::{Op, Position};
use crate::automaton::stack::{Frame, NodeId, Stacks};
use crate::automaton::tracks::TrackId;

/// What lies around the value of a member, as far as what follows the value mostly depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Surroundings {
    position: Position,
    outlook: Outlook,
    below: NodeId,
}

/// A configuration of which some is forgotten.
#[derive(Clone, Copy, Debug)]
pub struct Blurred {
    /// The configuration.
    pub entry: Entry,
    /// What undeclared keys that have been written have behind what has been read of the key: none of them
    /// may come.
    pub written: Option<WrittenKeys>,
    /// Whether it lies within items: these must differ from others, and what ends a further one, or gets
    /// into one of which there are few, is a guess.
    pub has_items: bool,
}

/// What is known of the stacks of a node with what is forgotten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum BlurredNode {
    #[default]
    Missing,
    /// There are none: how a list goes on depends on its items.
    None,
    Some(NodeId),
}

impl BlurredNode {
    fn node(self) -> Option<NodeId> {
        match self {
            Self::Some(node) => Some(node),
            Self::Missing | Self::None => None,
        }
    }
}

impl Session {
    /// A configuration that differs only in the members that objects around have, of which nothing is
    /// known any more but whether the object may end and whether another one may come, and in what has
    /// been read of an undeclared key and of those before it; and in the items of lists, of which nothing
    /// is known any more. What follows is the same as far as [`Session::if_blurred`] finds it, but for keys
    /// that have been written and for items that are equal to others. Nothing if the items decide how a
    /// list may go on. Not for the inside of [`Session::look_ahead`].
    pub fn blurred(&mut self, entry: Entry) -> Option<Blurred> {
        let has_items = entry.track != TrackId::NONE;
        if !has_items && self.program.shapes.is_empty() {
            return None;
        }
        let below = self.blurred_node(entry.below)?;
        let entry = Entry { below, track: TrackId::NONE, ..entry };
        let blurred = Blurred { entry, written: None, has_items };
        let Label::Key { shape, state, context } = entry.label else { return Some(blurred) };
        let Some((context, written)) = self.members.blurred_key(context) else {
            return Some(blurred);
        };
        let label = Label::Key { shape, state, context };
        Some(Blurred { entry: Entry { label, ..blurred.entry }, written, ..blurred })
    }

    /// A configuration within a long key that differs only in what has been read of it. What follows is the
    /// same as far as [`Session::if_blurred`] finds it. Nothing if it is not such a one, or lies within
    /// items. Not for the inside of [`Session::look_ahead`].
    pub fn long_key(&mut self, entry: Entry) -> Option<Entry> {
        let Label::Key { shape, state, context } = entry.label else { return None };
        if entry.track != TrackId::NONE {
            return None;
        }
        let context = self.members.long_key(context)?;
        Some(Entry { label: Label::Key { shape, state, context }, ..entry })
    }

    /// What is found with such a configuration; nothing if it has mattered which members an object or
    /// which items a list has of which that is not known.
    pub fn if_blurred<T>(&mut self, find: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let before = self.members.guesses();
        let found = find(self);
        let guessed = self.members.guesses_since(before);
        if guessed.members == 0 && guessed.items == 0 {
            return Some(found);
        }
        self.members.take_back(before);
        None
    }

    /// The state after `byte`, if it does not depend on what has been forgotten of keys, members and
    /// items: see [`Session::after_some_key`], [`Session::behind_blurred`] and [`Session::blurred`].
    pub fn step_unless_guessed(&mut self, state: &State, byte: u8) -> Option<State> {
        self.unless_guessed(|session| session.step(state, byte), |_| true)
    }

    /// The same, if it does not depend on the items that have been forgotten.
    pub fn step_unless_item(&mut self, state: &State, byte: u8) -> Option<State> {
        if self.program.lists.is_empty() {
            return Some(self.step(state, byte));
        }
        self.unless_guessed(|session| session.step(state, byte), |guessed| guessed.items > 0)
    }

    /// The state behind the terminal of a configuration, if it does not depend on the items that have
    /// been forgotten: see [`Session::behind`].
    pub fn behind_unless_item(
        &mut self,
        state: &State,
        entry: Entry,
        bytes: &[u8],
    ) -> Option<State> {
        let behind = |session: &mut Self| session.behind(state, entry, bytes);
        self.unless_guessed(behind, |guessed| guessed.items > 0)
    }

    /// What is found, unless that is a guess that matters.
    fn unless_guessed(
        &mut self,
        find: impl FnOnce(&mut Self) -> State,
        matters: impl FnOnce(Guesses) -> bool,
    ) -> Option<State> {
        let before = self.members.guesses();
        let found = find(self);
        if self.members.guesses() == before || !matters(self.members.guesses_since(before)) {
            return Some(found);
        }
        self.members.take_back(before);
        None
    }

    /// What follows the value of `member`, whose key ends in a configuration, in such a configuration.
    /// Nothing for a configuration that is only looked ahead at and will be forgotten.
    pub fn blurred_member(&mut self, entry: Entry, member: u32) -> Option<Surroundings> {
        let Label::Key { shape: index, context, .. } = entry.label else { return None };
        if entry.below.index() >= self.lasting {
            return None;
        }
        let shape = &self.program.shapes[index as usize];
        let state = self.members.behind_key(shape, context, member);
        let outlook = self.members.outlook(shape, state, &self.terms);
        Some(Surroundings { position: shape.after, outlook, below: entry.below })
    }

    /// The state behind a value with these surroundings.
    pub fn behind_blurred(&mut self, around: Surroundings) -> State {
        let Surroundings { position, outlook, below } = around;
        let frame = Frame { position, argument: self.members.blurred(outlook) };
        let node = self.stacks.push(frame, below);
        State::clone(&self.pop(node))
    }

    /// The stacks with what is forgotten; nothing if a list within which they lie cannot be.
    fn blurred_node(&mut self, node: NodeId) -> Option<NodeId> {
        // What lies below comes first; iteratively, as stacks may be deep.
        let mut path: SmallVec<[NodeId; 16]> = SmallVec::from_slice(&[node]);
        while let Some(&node) = path.last() {
            let missing = self.stacks.tops(node).iter().find(|&&(frame, below)| {
                !Stacks::is_bottom(frame) && self.known_blurred(below) == BlurredNode::Missing
            });
            if let Some(&(_, below)) = missing {
                path.push(below);
                continue;
            }
            path.pop();
            if self.known_blurred(node) == BlurredNode::Missing {
                let blurred = self.blur_tops(node);
                if self.blurred.len() <= node.index() {
                    self.blurred.resize(node.index() + 1, BlurredNode::Missing);
                }
                self.blurred[node.index()] = blurred.map_or(BlurredNode::None, BlurredNode::Some);
            }
        }
        self.known_blurred(node).node()
    }

    fn known_blurred(&self, node: NodeId) -> BlurredNode {
        self.blurred.get(node.index()).copied().unwrap_or_default()
    }

    /// The same, where it is known of what lies below.
    fn blur_tops(&mut self, node: NodeId) -> Option<NodeId> {
        let tops: SmallVec<[(Frame, NodeId); 4]> = SmallVec::from_slice(self.stacks.tops(node));
        let mut nodes: SmallVec<[NodeId; 4]> = SmallVec::new();
        for (frame @ Frame { position, argument }, below) in tops {
            if Stacks::is_bottom(frame) {
                nodes.push(NodeId::BOTTOM);
                continue;
            }
            let argument = match self.program.op(position) {
                Op::After(index) | Op::Key(index) => {
                    let shape = &self.program.shapes[*index as usize];
                    let outlook = self.members.outlook(shape, argument, &self.terms);
                    self.members.blurred(outlook)
                }
                Op::ItemEnd(index) => {
                    let list = &self.program.lists[*index as usize];
                    self.lists.forgotten(list, argument)?
                }
                _ => argument,
            };
            let below = self.known_blurred(below).node()?;
            nodes.push(self.stacks.push(Frame { position, argument }, below));
        }
        Some(self.unite(nodes))
    }
}
