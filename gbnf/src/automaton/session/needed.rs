//! What a text needs to be completed, from a state on.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::hash_map::Entry::{Occupied, Vacant};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{Entry, Session, State};
use crate::automaton::label::Label;
use crate::automaton::program::Op;
use crate::automaton::shortest::{KeyRest, NEVER, Needs, Present, plus, times};
use crate::automaton::stack::{Frame, NodeId, Stacks};
use crate::automaton::texts::TextId;

/// After so many steps the search for items that differ is over.
const MOST_STEPS: usize = 20_000;

/// What nodes of a session need.
#[derive(Debug, Default)]
pub(super) struct NodeNeeds {
    /// Whose they are.
    of: Option<Arc<Needs>>,
    in_tokens: Vec<Option<u32>>,
    in_bytes: Vec<Option<u32>>,
}

impl NodeNeeds {
    pub(super) fn truncate(&mut self, len: usize) {
        self.in_tokens.truncate(len);
        self.in_bytes.truncate(len);
    }

    fn of(&mut self, needs: &Needs) -> &mut Vec<Option<u32>> {
        if needs.ignores_items() { &mut self.in_bytes } else { &mut self.in_tokens }
    }
}

impl Session {
    /// How many tokens complete a text at most, from a state on: there is a token that may come next
    /// behind which it is at least one less. Nothing if none do, or if items of lists that differ are
    /// not soon found. The text of a state that is complete needs none.
    ///
    /// ```
    /// # use grammask_gbnf::{Label, Spelling, TokenReference};
    /// # struct Letters;
    /// # impl Spelling for Letters {
    /// #     fn has_all_bytes(&self) -> bool { true }
    /// #     fn count(&self, text: &[u8]) -> Vec<Option<u32>> {
    /// #         (0..=text.len() as u32).rev().map(Some).collect()
    /// #     }
    /// #     fn least(&self, _: Label, _: &dyn Fn(Label, u8) -> (Option<Label>, bool)) -> Option<u32> {
    /// #         None
    /// #     }
    /// #     fn has_token(&self, _: &TokenReference) -> bool { false }
    /// # }
    /// use std::sync::Arc;
    /// use grammask_gbnf::{Automaton, parse};
    ///
    /// let automaton = Automaton::compile(&parse("root ::= \"[\" root{2} \"]\" | \"x\"")?, "root")?;
    /// let needs = Arc::new(automaton.needs(Box::new(Letters)));
    /// let mut session = automaton.session();
    /// let start = session.start();
    /// assert_eq!(session.needed(&start, &needs), Some(1));
    /// let within = session.step(&start, b'[');
    /// assert_eq!(session.needed(&within, &needs), Some(3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn needed(&mut self, state: &State, needs: &Arc<Needs>) -> Option<u32> {
        self.ask_for(needs);
        let needed = match self.needed_at(state, needs) {
            NEVER => needs.bytes().map_or(NEVER, |bytes| {
                self.look_ahead(|session| session.needed_for_items(state, needs, bytes))
            }),
            needed => needed,
        };
        (needed != NEVER).then_some(needed)
    }

    /// The same behind the terminal of a configuration.
    pub fn needed_behind(&mut self, entry: Entry, needs: &Arc<Needs>) -> Option<u32> {
        self.ask_for(needs);
        Some(self.needed_below(entry.below, needs)).filter(|&needed| needed != NEVER)
    }

    /// The same behind the key of a configuration, if it is an undeclared one of `member` that nobody
    /// has to tell from others: nothing if further such keys are needed, or it cannot be completed.
    pub fn needed_behind_some_key(
        &mut self,
        entry: Entry,
        member: u32,
        needs: &Arc<Needs>,
    ) -> Option<u32> {
        let Label::Key { shape, context, .. } = entry.label else { return None };
        let below = self.needed_behind(entry, needs)?;
        let members = self.members.members_of(context);
        let key =
            self.with_members(members, |present| needs.behind_some_key(shape, member, present))?;
        Some(plus(key, below)).filter(|&needed| needed != NEVER)
    }

    fn ask_for(&mut self, needs: &Arc<Needs>) {
        if !self.needed.of.as_ref().is_some_and(|of| Arc::ptr_eq(of, needs)) {
            self.needed = NodeNeeds { of: Some(Arc::clone(needs)), ..NodeNeeds::default() };
        }
    }

    fn needed_at(&mut self, state: &State, needs: &Needs) -> u32 {
        if state.complete {
            return 0;
        }
        let entries: SmallVec<[Entry; 4]> = SmallVec::from_slice(&state.entries);
        entries.into_iter().map(|entry| self.needed_of(entry, needs)).min().unwrap_or(NEVER)
    }

    fn needed_of(&mut self, entry: Entry, needs: &Needs) -> u32 {
        if self.is_like(entry) && !needs.ignores_items() {
            return NEVER;
        }
        let top = match entry.label {
            Label::Key { shape, state, context } => {
                let keys = self.members.tags(state);
                if self.members.is_at_key_start(shape, state) {
                    let members = self.members.members_of(context);
                    self.with_members(members, |present| needs.member(shape, present))
                } else {
                    let keys: SmallVec<[_; 4]> = SmallVec::from_slice(keys);
                    let program = &self.program.shapes[shape as usize];
                    let is_declared = |&(_, member): &(_, u32)| !program.is_many(member);
                    let may_be_known =
                        keys.iter().any(is_declared) || self.members.may_be_written(context);
                    let path = || self.members.path(context);
                    let of_key = |(rest, member)| {
                        if !self.members.allows(program, context, member) {
                            return NEVER;
                        }
                        let key = KeyRest { rest, member, path: &path, may_be_known };
                        let members = self.members.members_of(context);
                        self.with_members(members, |present| needs.within_key(shape, &key, present))
                    };
                    keys.into_iter().map(of_key).min().unwrap_or(NEVER)
                }
            }
            label => needs.label(label),
        };
        if top == NEVER { NEVER } else { plus(top, self.needed_below(entry.below, needs)) }
    }

    fn with_members<T>(&self, members: u32, count: impl FnOnce(Present<'_>) -> T) -> T {
        let members = self.members.present(members);
        count(Present {
            count: members.count(),
            has: &|member| members.has(member),
            count_of: &|member| members.count_of(member),
            is_written: &|key| members.is_written(key),
        })
    }

    /// What all that lies on a stack needs, for the stack that needs the least.
    fn needed_below(&mut self, node: NodeId, needs: &Needs) -> u32 {
        let known = |session: &mut Self, node: NodeId| {
            session.needed.of(needs).get(node.index()).copied().flatten()
        };
        if let Some(known) = known(self, node) {
            return known;
        }
        // What lies below comes first; iteratively, as stacks may be deep.
        let mut path = vec![node];
        while let Some(&node) = path.last() {
            if known(self, node).is_some() {
                path.pop();
                continue;
            }
            let tops: SmallVec<[(Frame, NodeId); 4]> = SmallVec::from_slice(self.stacks.tops(node));
            let is_missing = |session: &mut Self, &(frame, below): &(Frame, NodeId)| {
                !Stacks::is_bottom(frame) && known(session, below).is_none()
            };
            if let Some(&(_, below)) = tops.iter().find(|top| is_missing(self, top)) {
                path.push(below);
                continue;
            }
            let of_top = |(frame, below): (Frame, NodeId)| {
                if Stacks::is_bottom(frame) {
                    return 0;
                }
                let frame = self.needed_in(frame, needs);
                plus(frame, known(self, below).unwrap_or(NEVER))
            };
            let needed = tops.into_iter().map(of_top).min().unwrap_or(NEVER);
            let nodes = self.needed.of(needs);
            if nodes.len() <= node.index() {
                nodes.resize(node.index() + 1, None);
            }
            nodes[node.index()] = Some(needed);
            path.pop();
        }
        known(self, node).unwrap_or(NEVER)
    }

    /// What the rest of a frame's rule needs.
    fn needed_in(&mut self, frame: Frame, needs: &Needs) -> u32 {
        let program = Arc::clone(&self.program);
        match program.op(frame.position) {
            Op::Count(index) => {
                let looped = &program.loops[*index as usize];
                let done = self.counts.most(frame.argument);
                let more = times(looped.min.saturating_sub(done), needs.position(looped.body));
                plus(more, needs.position(looped.next))
            }
            &Op::Key(index) => {
                self.with_members(frame.argument, |present| needs.member(index, present))
            }
            &Op::After(index) => {
                self.with_members(frame.argument, |present| needs.behind_member(index, present))
            }
            Op::Item(index) => {
                // A further item has to differ from those before it.
                if !self.lists.is_new(frame.argument) && !needs.ignores_items() {
                    return NEVER;
                }
                let count = self.lists.state(frame.argument).count;
                needs.items(&program.lists[*index as usize], count)
            }
            Op::ItemEnd(index) => {
                let list = &program.lists[*index as usize];
                let count = self.lists.state(frame.argument).count.saturating_add(1);
                if count >= list.min {
                    return needs.position(list.next);
                }
                // The next item has to differ.
                let more = if needs.ignores_items() { needs.items(list, count) } else { NEVER };
                plus(needs.separator(list), more)
            }
            _ => needs.position(frame.position),
        }
    }

    /// The same where items must differ from others: the least of the shortest texts up to where that
    /// is no longer so, and what is needed from there on. Best first: what is needed if items need not
    /// differ says how long a text becomes at least (Hart, Nilsson, Raphael, "A formal basis for the
    /// heuristic determination of minimum cost paths", 1968).
    fn needed_for_items(&mut self, start: &State, needs: &Arc<Needs>, bytes: &Needs) -> u32 {
        let mut ahead: BinaryHeap<Reverse<(u32, Vec<u8>, usize)>> = BinaryHeap::new();
        let mut states = vec![start.clone()];
        // The same state behind a text that is longer or comes later leads to nothing better.
        let mut known: FxHashMap<(SmallVec<[Entry; 2]>, TextId), Vec<u8>> = FxHashMap::default();
        let mut steps = 0;
        ahead.push(Reverse((self.needed_at(start, bytes), Vec::new(), 0)));
        while let Some(Reverse((_, text, at))) = ahead.pop() {
            let state = states[at].clone();
            if known.get(&(state.entries.clone(), state.text)).is_some_and(|best| *best != text) {
                continue;
            }
            let behind = self.needed_at(&state, needs);
            if behind != NEVER {
                return plus(needs.count(&text)[0], behind);
            }
            let first: Vec<u8> = self.first(&state).iter().collect();
            for byte in first {
                steps += 1;
                if steps > MOST_STEPS {
                    return NEVER;
                }
                let after = self.step(&state, byte);
                let least = self.needed_at(&after, bytes);
                if after.is_dead() || least == NEVER {
                    continue;
                }
                let mut longer = text.clone();
                longer.push(byte);
                let best = known.entry((after.entries.clone(), after.text));
                let is_better = |best: &Vec<u8>| (longer.len(), &longer) < (best.len(), best);
                match best {
                    Occupied(best) if !is_better(best.get()) => continue,
                    Occupied(mut best) => _ = best.insert(longer.clone()),
                    Vacant(best) => _ = best.insert(longer.clone()),
                }
                ahead.push(Reverse((plus(longer.len() as u32, least), longer, states.len())));
                states.push(after);
            }
        }
        NEVER
    }
}
