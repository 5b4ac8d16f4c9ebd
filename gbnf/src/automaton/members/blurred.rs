//! Members of which nothing is known but what may follow them, and keys of which nothing is known but that they
//! differ from those before them: what is the same after any of them is found once.

use smallvec::SmallVec;

use crate::automaton::members::{
    Context, ContextId, Forgotten, Guesses, KeyAfter, KeyStateId, MOST_FORGOTTEN,
    MOST_KEYS_OF_TOKEN, MemberState, MemberTables, Shape, WrittenKeys,
};
use crate::automaton::terms::{TermId, Terms};
use crate::automaton::texts::{SetId, TextId};

/// A key of so many bytes is long.
const LONG: u32 = 8;

/// What may follow the members that an object has, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Outlook {
    /// The end of the object.
    pub(super) may_close: Option<bool>,
    /// A further member.
    pub(super) may_go_on: Option<bool>,
    /// Members with undeclared keys: all of them, or none.
    undeclared: Option<bool>,
    /// Whether an undeclared key may have been written already.
    is_written: bool,
}

impl MemberTables {
    /// What may follow the members of a state.
    pub(crate) fn outlook(&mut self, shape: &Shape, state: u32, terms: &Terms) -> Outlook {
        let before = *self.states.get(state);
        if let Some(outlook) = before.blurred {
            return outlook;
        }
        let room = self.room(shape, state);
        let many = (0..shape.members.len() as u32).filter(|&member| shape.is_many(member));
        let mut allowed = many.map(|member| self.allowed(shape, state, member, room));
        let undeclared = allowed.next().filter(|&first| allowed.all(|other| other == first));
        Outlook {
            may_close: Some(self.may_close(shape, state)),
            may_go_on: Some(self.may_go_on(shape, state, terms)),
            undeclared,
            is_written: before.written != SetId::EMPTY || before.forgotten != Forgotten::Nothing,
        }
    }

    /// The state of members of which only is known what may follow them.
    pub(crate) fn blurred(&mut self, outlook: Outlook) -> u32 {
        self.states.intern(MemberState { blurred: Some(outlook), ..MemberState::START })
    }

    /// The context of a key of which is forgotten what has been read of it, as are the undeclared keys before
    /// it, from which it will differ; with what these have behind what has been read, where they begin so. Nothing
    /// if there is nothing to forget, or too much.
    pub(crate) fn blurred_key(
        &mut self,
        context: ContextId,
    ) -> Option<(ContextId, Option<WrittenKeys>)> {
        let Context { state, written, path, .. } = *self.contexts.get(context.0);
        let state = *self.states.get(state);
        if written.is_none() && path == TextId::EMPTY || state.blurred.is_some() {
            return None;
        }
        // See `some_key_left`: there are no more keys than sets.
        if written.is_some() && self.texts.sets_len() as u64 > MOST_FORGOTTEN / 2 {
            return None;
        }
        let forgotten = Forgotten::All;
        let state = self.states.intern(MemberState { written: SetId::EMPTY, forgotten, ..state });
        let blurred = Context { is_blurred: true, ..Context::start(state, None) };
        Some((ContextId(self.contexts.intern(blurred)), written.map(WrittenKeys)))
    }

    /// The context of a long key that differs from all those before it, of which is forgotten what has been
    /// read of it: what a token has behind it is mostly too short to be the same key. Nothing if it is not
    /// long.
    pub(crate) fn long_key(&mut self, context: ContextId) -> Option<ContextId> {
        let Context { state, written, length, is_blurred, .. } = *self.contexts.get(context.0);
        let state = *self.states.get(state);
        let forgets =
            is_blurred || state.blurred.is_some() || state.forgotten != Forgotten::Nothing;
        if forgets || written.is_some() || length < LONG {
            return None;
        }
        // Few lengths are told apart, and none beyond that of any token.
        let at_least = 1 << length.min(MOST_KEYS_OF_TOKEN as u32).ilog2();
        let forgotten = Forgotten::Long { at_least };
        let state = self.states.intern(MemberState { forgotten, ..state });
        let long = Context { is_blurred: true, ..Context::start(state, None) };
        Some(ContextId(self.contexts.intern(long)))
    }

    /// What is known, or else that it has been asked for.
    pub(super) fn ask(&self, known: Option<bool>) -> bool {
        if known.is_none() {
            self.guess(Guesses::MEMBER);
        }
        known.unwrap_or_default()
    }

    /// A byte of a key that leads from one state to another, where of the members before it only an
    /// outlook is known.
    pub(super) fn step_blurred(
        &mut self,
        shape: &Shape,
        (from, to): (KeyStateId, KeyStateId),
        context: ContextId,
        outlook: Outlook,
        terms: &Terms,
    ) -> KeyAfter {
        let complete = self.complete(to, terms);
        let mut after = KeyAfter::default();
        let to_tags: SmallVec<[_; 4]> = SmallVec::from_slice(self.tags(to));
        let undeclared = to_tags.iter().filter(|&&(_, member)| shape.is_many(member));
        let are_few = undeclared.map(|&(rest, _)| self.endings(rest, terms).is_some());
        let are_few: SmallVec<[bool; 4]> = are_few.collect();
        let goes_on = !are_few.contains(&true)
            || are_few.contains(&false) && outlook.undeclared == Some(true);
        if self.tags(from).len() == to_tags.len() && complete.is_none() && goes_on {
            // Any key may begin so, as with a quote.
            after.goes_on = Some((to, context));
            return after;
        }
        let is_undeclared = self.tags(to).iter().all(|&(_, member)| shape.is_many(member));
        if !self.ask(outlook.undeclared.filter(|_| is_undeclared)) {
            return after;
        }
        let rests = self.tags(to).iter().map(|&(rest, _)| rest);
        let rests: Vec<TermId> = rests.filter(|&rest| rest != TermId::EMPTY).collect();
        if rests.iter().any(|&rest| self.endings(rest, terms).is_none()) {
            // What has been read of the key would only be needed where it ends.
            after.goes_on = Some((to, context));
        } else if !rests.is_empty() {
            self.ask(None);
        }
        if let Some(complete) = complete
            && self.ask(Some(true).filter(|_| !outlook.is_written))
        {
            let unknown = self.blurred(Outlook { is_written: true, ..Outlook::default() });
            after.ends = complete.iter().map(|&(_, member)| (member, unknown)).collect();
        }
        after
    }
}
