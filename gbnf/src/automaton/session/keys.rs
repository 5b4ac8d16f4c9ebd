//! What the key of a member may be, asked from outside: by declared keys, written ones and all others.

use std::sync::Arc;

use super::{Entry, Session, State};
use crate::automaton::label::Label;
use crate::automaton::members::{
    KeyEnd, KeyEnds, KeyTerms, KnownKeys, MOST_KEYS_OF_TOKEN, WrittenKeys,
};
use crate::automaton::terms::{ByteSet, TermId};

impl Session {
    /// So many keys may end behind [`Session::after_some_key`] for it to be exact, as in a token of no
    /// more bytes.
    pub const MOST_KEYS_OF_TOKEN: usize = MOST_KEYS_OF_TOKEN;

    /// What is left of the keys of a label, where undeclared ones are possible and there are more than a
    /// few.
    pub fn key_terms(&mut self, label: Label) -> Option<KeyTerms> {
        let Label::Key { shape, state, context } = label else { return None };
        self.members.key_terms(&self.program.shapes[shape as usize], state, context, &self.terms)
    }

    /// What is found next depends on which keys have been written before that of a label: if they have
    /// been forgotten, it is a guess. Whether it is.
    pub fn compare_key(&mut self, label: Label) -> bool {
        let before = self.members.guesses();
        if let Label::Key { context, .. } = label {
            self.members.compare_key(context);
        }
        self.members.guesses() != before
    }

    /// What is left of the declared keys of a label and of those that have been written.
    pub fn known_keys(&self, label: Label) -> Option<KnownKeys> {
        let Label::Key { shape, state, context } = label else { return None };
        Some(self.members.known_keys(shape, state, context))
    }

    /// The bytes with which known keys go on.
    pub fn known_first(&mut self, known: KnownKeys) -> ByteSet {
        self.members.known_first(&self.program.shapes[known.shape as usize], known, &self.terms)
    }

    /// What known keys have behind a further byte; `None` if none goes on so.
    pub fn known_after(&mut self, known: KnownKeys, byte: u8) -> Option<KnownKeys> {
        let shape = &self.program.shapes[known.shape as usize];
        self.members.known_after(shape, known, byte, &self.terms)
    }

    /// What written keys have behind each byte with which they go on.
    pub fn written_after(&self, written: WrittenKeys) -> impl Iterator<Item = (u8, WrittenKeys)> {
        self.members.written_after(written)
    }

    /// Whether one of the written keys ends here.
    pub fn written_end(&self, written: WrittenKeys) -> bool {
        self.members.written_end(written)
    }

    /// Whether the keys of a label that begin with these bytes end behind them, and none does before,
    /// whatever keys have been written.
    pub fn is_only_end(&mut self, label: Label, bytes: &[u8]) -> bool {
        let Label::Key { state, .. } = label else { return false };
        self.members.is_only_end(state, bytes, &self.terms)
    }

    /// What the key of a label is if it ends after these bytes.
    pub fn key_end(&mut self, label: Label, bytes: &[u8]) -> KeyEnd {
        let Label::Key { shape, state, context } = label else { return KeyEnd::None };
        let shape = &self.program.shapes[shape as usize];
        self.members.end(shape, state, context, bytes, &self.terms)
    }

    /// The state behind the key of a configuration of `state` that ends with `bytes` and is an
    /// undeclared key of these members: exact until [`Session::missed_keys`] changes, as only then
    /// has a further key been compared with this one.
    pub fn after_some_key(
        &mut self,
        state: &State,
        entry: Entry,
        members: &[u32],
        bytes: &[u8],
    ) -> State {
        let Label::Key { shape: index, context, .. } = entry.label else {
            return State::default();
        };
        let program = Arc::clone(&self.program);
        let shape = &program.shapes[index as usize];
        let ends = members
            .iter()
            .map(|&member| (member, self.members.with_some_key(shape, context, member)))
            .collect();
        let ended = self.after_keys(index, entry.below, ends);
        self.reached_by(state, entry, bytes, &ended)
    }

    /// The bytes that may follow an undeclared key of `member` that ends in a configuration, or more; `None` if
    /// that depends on what has been forgotten of members, or an item may end with it.
    pub fn first_behind_some_key(&mut self, entry: Entry, member: u32) -> Option<ByteSet> {
        let Label::Key { shape: index, context, .. } = entry.label else { return None };
        let program = Arc::clone(&self.program);
        let before = self.members.guesses();
        let behind = self.members.with_some_key(&program.shapes[index as usize], context, member);
        let behind = self.after_keys(index, entry.below, KeyEnds::from_slice(&[(member, behind)]));
        // As if there were more keys left, where these have been forgotten.
        let guessed = self.members.guesses_since(before);
        let is_known = guessed.members == 0 && guessed.items == 0;
        self.members.take_back(before);
        self.first_unless_item(&behind).filter(|_| is_known)
    }

    /// How often a further key has been compared with one of [`Session::after_some_key`].
    pub fn missed_keys(&self) -> u64 {
        self.members.guesses().keys
    }

    /// Whether a term matches more texts than some known keys are, the empty one aside.
    pub fn outnumber(&mut self, known: KnownKeys, term: TermId) -> bool {
        self.members.outnumber(known, term, &self.terms)
    }

    /// The members of known keys that are declared, each with what is left of its key: one text.
    pub fn declared_keys(&self, known: KnownKeys) -> impl Iterator<Item = (u32, TermId)> {
        self.members.declared(&self.program.shapes[known.shape as usize], known)
    }

    /// Whether a member may come whose key is that of a label, as far as that depends on the members
    /// before it.
    pub fn allows_member(&self, label: Label, member: u32) -> bool {
        let Label::Key { shape, context, .. } = label else { return false };
        self.members.allows(&self.program.shapes[shape as usize], context, member)
    }

    /// Whether the key of a label can only be a declared one.
    pub fn allows_declared_keys_only(&self, label: Label) -> bool {
        let Label::Key { shape, state, context } = label else { return false };
        let shape = &self.program.shapes[shape as usize];
        self.members.allows_declared_only(shape, state, context)
    }
}
