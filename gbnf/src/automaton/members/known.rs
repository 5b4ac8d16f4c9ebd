//! Keys that are not just any: those that are declared, and those that have been written.

use crate::automaton::members::{Context, ContextId, KeyStateId, MemberTables, Shape};
use crate::automaton::terms::{ByteSet, Terms};
use crate::automaton::texts::SetId;

/// What such keys have behind what has been read of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownKeys {
    pub(crate) shape: u32,
    state: KeyStateId,
    written: Option<SetId>,
}

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
            for &(rest, member) in keys.get(state.0).iter() {
                if !shape.is_many(member) {
                    first.union_with(&terms.first(rest));
                }
            }
            first
        });
        for &(byte, _) in written.map_or(&[][..], |written| self.texts.children(written)) {
            first.insert_range(byte, byte);
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

    /// Whether one ends here.
    pub(crate) fn known_end(&mut self, shape: &Shape, known: KnownKeys, terms: &Terms) -> bool {
        let complete = self.complete(known.state, terms);
        complete.iter().any(|&(_, member)| !shape.is_many(member))
            || known.written.is_some_and(|written| self.texts.ends(written).is_some())
    }
}
