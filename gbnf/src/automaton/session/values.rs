//! The values of members by themselves: how a value can be read does not depend on what lies around
//! its object, nor on the members before it.

use super::{Entry, Reached, Session, State};
use crate::automaton::label::Label;
use crate::automaton::program::{Op, Position};
use crate::automaton::stack::{Frame, NodeId};
use crate::automaton::terms::{Fingerprint, TermId};
use crate::automaton::texts::TextId;
use crate::automaton::tracks::TrackId;

/// What follows the keys of some members: a value, with what separates it from the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ValueId(Position);

impl Session {
    /// The value behind a key of `member` that ends in a configuration; `None` if the value may be
    /// empty or where items of lists may have to be compared.
    pub fn value_of_member(&self, entry: Entry, member: u32) -> Option<ValueId> {
        let Label::Key { shape, .. } = entry.label else { return None };
        let value = &self.program.shapes[shape as usize].members[member as usize];
        let is_alone = self.program.lists.is_empty() && !value.value_nullable;
        is_alone.then_some(ValueId(value.value))
    }

    /// The state behind that value. An undeclared key is forgotten: the state is exact until
    /// [`Session::missed_keys`] changes.
    pub fn behind_member(&mut self, entry: Entry, member: u32) -> State {
        let Label::Key { shape: index, context, .. } = entry.label else {
            return State::default();
        };
        let shape = &self.program.shapes[index as usize];
        let position = shape.after;
        let argument = self.members.behind_key(shape, context, member);
        let node = self.stacks.push(Frame { position, argument }, entry.below);
        State::clone(&self.pop(node))
    }

    /// The terminal that a value is, if it is one.
    pub fn term_of_value(&self, value: ValueId) -> Option<TermId> {
        match self.program.op(value.0) {
            &Op::Take { label: Label::Term(term), next: Position::RETURN } => Some(term),
            _ => None,
        }
    }

    /// A hash of all that a value is made of, the same in the sessions of all automata. Nothing for
    /// what few others have.
    pub fn fingerprint_of_value(&mut self, value: ValueId) -> Option<Fingerprint> {
        let known = self.value_fingerprints.entry(value);
        *known.or_insert_with(|| self.program.fingerprint(value.0, &self.terms))
    }

    /// The state at the beginning of a value, with nothing behind it: it is complete where the value
    /// may end.
    pub fn start_of_value(&mut self, value: ValueId) -> State {
        self.start_at(value.0)
    }

    /// The state at a position with nothing behind its rule.
    pub(super) fn start_at(&mut self, position: Position) -> State {
        self.add(position, NodeId::BOTTOM);
        let start = self.close();
        let mut reached = Reached::new(TextId::EMPTY);
        self.reach(start, TrackId::NONE, &mut reached);
        self.finish(reached)
    }
}
