//! The members that an object has.

use crate::automaton::members::{Context, ContextId, KeyStateId, MemberState, MemberTables};
use crate::automaton::texts::TextId;

/// A member state, as it can be asked.
#[derive(Clone, Copy)]
pub(crate) struct MembersPresent<'a> {
    tables: &'a MemberTables,
    state: &'a MemberState,
}

impl MembersPresent<'_> {
    /// How many there are; no more than the least number, where there is no greatest one.
    pub(crate) fn count(&self) -> u32 {
        self.state.count
    }

    /// Whether a declared one is among them.
    pub(crate) fn has(&self, member: u32) -> bool {
        self.tables.has_seen(self.state, member)
    }

    /// How many there are of a member that may occur repeatedly, if they are counted.
    pub(crate) fn count_of(&self, member: u32) -> u32 {
        self.tables.count_of(self.state, member)
    }

    /// Whether an undeclared key has been written.
    pub(crate) fn is_written(&self, key: &[u8]) -> bool {
        let texts = &self.tables.texts;
        let step = |node, &byte: &u8| texts.child(node, byte);
        let node = key.iter().try_fold(self.state.written, step);
        node.is_some_and(|node| texts.ends(node).is_some())
    }
}

impl MemberTables {
    /// The members of a state.
    pub(crate) fn present(&self, state: u32) -> MembersPresent<'_> {
        MembersPresent { tables: self, state: self.states.get(state) }
    }

    /// The state of the members before a key.
    pub(crate) fn members_of(&self, context: ContextId) -> u32 {
        self.contexts.get(context.0).state
    }

    /// Whether nothing of a key has been read.
    pub(crate) fn is_at_key_start(&self, shape: u32, state: KeyStateId) -> bool {
        self.key_starts.get(&shape) == Some(&state)
    }

    /// Whether what has been read of a key is the beginning of one that has been written.
    pub(crate) fn may_be_written(&self, context: ContextId) -> bool {
        self.contexts.get(context.0).written.is_some()
    }

    /// What has been read of a key, if undeclared ones must be remembered.
    pub(crate) fn path(&self, context: ContextId) -> Vec<u8> {
        let Context { path, .. } = *self.contexts.get(context.0);
        self.texts.between(TextId::EMPTY, path)
    }
}
