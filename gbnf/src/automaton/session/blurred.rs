//! Configurations in which the members of objects around are forgotten: what follows a value, or stands
//! before a key, mostly is the same whichever members are there.

use super::{Entry, Session, State};
use crate::automaton::label::Label;
use crate::automaton::members::{Outlook, WrittenKeys};
use crate::automaton::program::{Op, Position};
use crate::automaton::stack::{Frame, NodeId, Stacks};

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
}

impl Session {
    /// A configuration that differs only in the members that objects around have, of which nothing is
    /// known any more but whether the object may end and whether another one may come, and in what has
    /// been read of an undeclared key and of those before it. What follows is the same as far as
    /// [`Session::if_blurred`] finds it, but for keys that have been written. Nothing if there are lists
    /// whose items may have to be compared. Not for the inside of [`Session::look_ahead`].
    pub fn blurred(&mut self, entry: Entry) -> Option<Blurred> {
        if !self.program.lists.is_empty() || self.program.shapes.is_empty() {
            return None;
        }
        let below = self.blurred_node(entry.below);
        let blurred = Blurred { entry: Entry { below, ..entry }, written: None };
        let Label::Key { shape, state, context } = entry.label else { return Some(blurred) };
        let Some((context, written)) = self.members.blurred_key(context) else {
            return Some(blurred);
        };
        let label = Label::Key { shape, state, context };
        Some(Blurred { entry: Entry { label, ..blurred.entry }, written })
    }

    /// What is found with such a configuration; nothing if it has mattered which members an object has
    /// of which that is not known.
    pub fn if_blurred<T>(&mut self, find: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let before = self.members.guesses();
        let found = find(self);
        if self.members.guesses_since(before).members == 0 {
            return Some(found);
        }
        self.members.take_back(before);
        None
    }

    /// The state after `byte`, if it does not depend on what has been forgotten of keys and members: see
    /// [`Session::after_some_key`] and [`Session::behind_blurred`].
    pub fn step_unless_guessed(&mut self, state: &State, byte: u8) -> Option<State> {
        let before = self.members.guesses();
        let next = self.step(state, byte);
        if self.members.guesses() == before {
            return Some(next);
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

    fn blurred_node(&mut self, node: NodeId) -> NodeId {
        let mut path = Vec::new();
        let mut at = node;
        let mut blurred = loop {
            if let Some(&Some(known)) = self.blurred.get(at.index()) {
                break known;
            }
            // Several stacks, or none, stay as they are.
            let &[(frame, below)] = self.stacks.tops(at) else { break at };
            if Stacks::is_bottom(frame) {
                break at;
            }
            path.push((at, frame));
            at = below;
        };
        for (node, Frame { position, argument }) in path.into_iter().rev() {
            let argument = match self.program.op(position) {
                Op::After(index) | Op::Key(index) => {
                    let shape = &self.program.shapes[*index as usize];
                    let outlook = self.members.outlook(shape, argument, &self.terms);
                    self.members.blurred(outlook)
                }
                _ => argument,
            };
            blurred = self.stacks.push(Frame { position, argument }, blurred);
            if self.blurred.len() <= node.index() {
                self.blurred.resize(node.index() + 1, None);
            }
            self.blurred[node.index()] = Some(blurred);
        }
        blurred
    }
}
