//! Keys that are not just any: those that are declared, and those that have been written.

use crate::automaton::members::{Context, ContextId, KeyStateId, MemberTables, Shape};
use crate::automaton::terms::{ByteSet, TermId, Terms};
use crate::automaton::texts::SetId;

/// What such keys have behind what has been read of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KnownKeys {
    pub(crate) shape: u32,
    state: KeyStateId,
    written: Option<SetId>,
}

impl KnownKeys {
    /// The declared ones of them.
    #[must_use]
    pub fn declared(self) -> Self {
        Self { written: None, ..self }
    }

    /// The ones that have been written, if there are any.
    pub fn written(self) -> Option<WrittenKeys> {
        self.written.map(WrittenKeys)
    }
}

/// What undeclared keys that have been written have behind what has been read of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenKeys(pub(super) SetId);

impl MemberTables {
    /// The keys that may be going on in a context.
    pub(crate) fn known_keys(
        &self,
        shape: u32,
        state: KeyStateId,
        context: ContextId,
    ) -> KnownKeys {
        let Context { written, .. } = *self.contexts.get(context.0);
        KnownKeys { shape, state, written }
    }

    /// The bytes with which they go on.
    pub(crate) fn known_first(
        &mut self,
        shape: &Shape,
        known: KnownKeys,
        terms: &Terms,
    ) -> ByteSet {
        let KnownKeys { state, written, .. } = known;
        let keys = &self.keys;
        let mut first = *self.declared_first.entry(state).or_insert_with(|| {
            let mut first = ByteSet::default();
            for &(rest, member) in keys.get(state.0).tags.iter() {
                if !shape.is_many(member) {
                    first.union_with(&terms.first(rest));
                }
            }
            first
        });
        for &(byte, _) in written.map_or(&[][..], |written| self.texts.children(written)) {
            first.insert(byte);
        }
        first
    }

    /// What they have behind a further byte; `None` if none goes on so.
    pub(crate) fn known_after(
        &mut self,
        shape: &Shape,
        known: KnownKeys,
        byte: u8,
        terms: &Terms,
    ) -> Option<KnownKeys> {
        let state = self.key_step(known.state, byte, terms);
        let written = known.written.and_then(|written| self.texts.child(written, byte));
        let is_declared = self.tags(state).iter().any(|&(_, member)| !shape.is_many(member));
        (is_declared || written.is_some()).then_some(KnownKeys { state, written, ..known })
    }

    /// Whether a term matches more texts than there are such keys, the empty one aside: one of them is neither
    /// declared nor written.
    pub(crate) fn outnumber(&mut self, known: KnownKeys, term: TermId, terms: &Terms) -> bool {
        let most_known = self.most_known(self.tags(known.state).len(), known.written);
        self.longer_endings(term, terms).is_none_or(|count| count > most_known)
    }

    /// The members of those that are declared, each with what is left of its key.
    pub(crate) fn declared(
        &self,
        shape: &Shape,
        known: KnownKeys,
    ) -> impl Iterator<Item = (u32, TermId)> {
        let tags = self.tags(known.state).iter();
        let declared = tags.filter(|&&(_, member)| !shape.is_many(member));
        declared.map(|&(rest, member)| (member, rest))
    }

    /// Whether a member may come, as far as that depends on those before it and not on its key.
    pub(crate) fn allows(&self, shape: &Shape, context: ContextId, member: u32) -> bool {
        let state = self.contexts.get(context.0).state;
        self.allowed(shape, state, member, self.room(shape, state))
    }

    /// Whether all keys that may come are declared.
    pub(crate) fn allows_declared_only(
        &self,
        shape: &Shape,
        state: KeyStateId,
        context: ContextId,
    ) -> bool {
        let members = self.contexts.get(context.0).state;
        let room = self.room(shape, members);
        let mut many = self.tags(state).iter().filter(|&&(_, member)| shape.is_many(member));
        !many.any(|&(_, member)| self.allowed(shape, members, member, room))
    }

    /// What written keys have behind each byte with which they go on.
    pub(crate) fn written_after(
        &self,
        written: WrittenKeys,
    ) -> impl Iterator<Item = (u8, WrittenKeys)> {
        self.texts.children(written.0).iter().map(|&(byte, set)| (byte, WrittenKeys(set)))
    }

    /// Whether keys that begin with these bytes end behind them, and none does before.
    pub(crate) fn is_only_end(
        &mut self,
        mut state: KeyStateId,
        bytes: &[u8],
        terms: &Terms,
    ) -> bool {
        for (at, &byte) in bytes.iter().enumerate() {
            if at > 0 && self.complete(state, terms).is_some() {
                return false;
            }
            state = self.key_step(state, byte, terms);
        }
        self.tags(state).iter().all(|&(rest, _)| rest == TermId::EMPTY)
    }

    /// Whether one of them ends here.
    pub(crate) fn written_end(&self, written: WrittenKeys) -> bool {
        self.texts.ends(written.0).is_some()
    }
}
