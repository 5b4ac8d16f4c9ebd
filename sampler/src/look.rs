//! How the mask of a configuration is looked for: one way after the other, as what is fast for most grammars is
//! slow where there are many ways to read a token.

use grammask_gbnf::{Entry, Label, Session, State};
use rustc_hash::FxHashMap;

use crate::engine::Engine;
use crate::few_states;
use crate::frames::Exits;
use crate::lookahead::{EntryMask, Lookahead, LookaheadMemo};

/// How a mask is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Look {
    /// Frame by frame: see [`crate::frames`].
    Frames,
    /// By the tables of terminals, as long as that takes little work.
    Quick,
    /// By the tables of terminals.
    Tables,
    /// Byte by byte through the states that are met, which are kept: see [`crate::few_states`].
    States,
    /// Byte by byte.
    Plain,
}

/// How many masks of each terminal have been found in ways that are not always worth while, and how many have
/// taken too much work.
#[derive(Debug, Default)]
pub(crate) struct Looks(FxHashMap<(Look, Label), Record>);

#[derive(Clone, Copy, Debug, Default)]
struct Record {
    found: u32,
    given_up: u32,
}

/// Of so many terminals that is known.
const MOST_RECORDS: usize = 1024;

/// The most work for a mask frame by frame.
const BY_FRAMES: u64 = 1 << 13;

impl Looks {
    /// Frame by frame so many masks must have been found for each that has taken too much work: where there are
    /// many ways to read, nearly all masks do.
    const FRAMES_FOR_ONE: u32 = 16;
    /// So many masks may take too much work by tables, however many have been found.
    const SPARE: u32 = 2;

    fn note(&mut self, look: Look, label: Label, is_found: bool) {
        if !matches!(look, Look::Frames | Look::Quick) {
            return;
        }
        if self.0.len() >= MOST_RECORDS {
            self.0.clear();
        }
        let record = self.0.entry((look, uncounted(label))).or_default();
        record.found += u32::from(is_found);
        record.given_up += u32::from(!is_found);
    }

    fn is_worth_while(&self, look: Look, label: Label) -> bool {
        let known = self.0.get(&(look, uncounted(label))).copied();
        let Record { found, given_up } = known.unwrap_or_default();
        match look {
            Look::Frames => given_up * Self::FRAMES_FOR_ONE <= found,
            _ => given_up <= found + Self::SPARE,
        }
    }
}

/// The same for all numbers of iterations.
fn uncounted(label: Label) -> Label {
    match label {
        Label::Counted { rest, item, .. } => Label::Counted { rest, item, min: 0, max: 0 },
        _ => label,
    }
}

impl Engine {
    /// The mask of a configuration, with the text of a state; nothing if it takes too much work.
    pub(crate) fn entry_mask(
        &self,
        session: &mut Session,
        memo: &mut LookaheadMemo,
        state: &State,
        entry: Entry,
        most_work: u64,
    ) -> Option<EntryMask> {
        let start = state.only(entry);
        session.limited(most_work, |session| session.prepare(entry))?;
        let (before, work) = (session.steps(), session.work());
        let mut mask = None;
        for (look, most) in self.looks(session, memo, entry.label) {
            // Each has a limit of its own, unless there is less for all.
            let left = if most_work < self.most_work() {
                most_work.saturating_sub(session.work() - work)
            } else {
                u64::MAX
            };
            mask = self.look(look, most.min(left), session, memo, (&start, entry));
            if mask.is_some() || most <= left {
                memo.looks.note(look, entry.label, mask.is_some());
            }
            if mask.is_some() || left <= most {
                break;
            }
        }
        // The root is one of them.
        self.tables.count_visited(session.steps() - before + 1);
        mask
    }

    /// The same frame by frame only, which finds out what tokens have behind the frames of a configuration: nothing
    /// if that takes too much work, or mostly does for its terminal.
    pub(crate) fn by_frames(
        &self,
        session: &mut Session,
        memo: &mut LookaheadMemo,
        state: &State,
        entry: Entry,
    ) -> Option<EntryMask> {
        if !memo.looks.is_worth_while(Look::Frames, entry.label) {
            return None;
        }
        let start = state.only(entry);
        session.limited(BY_FRAMES, |session| session.prepare(entry))?;
        let mask = self.look(Look::Frames, BY_FRAMES, session, memo, (&start, entry));
        memo.looks.note(Look::Frames, entry.label, mask.is_some());
        mask
    }

    /// The most work for a mask, with a large vocabulary some seconds.
    pub(crate) fn most_work(&self) -> u64 {
        (32 * self.trie_len() as u64).max(1 << 16)
    }

    /// How a mask is looked for, one way after the other, with the most work for each (see
    /// [`Session::limited`]): where there are too many ways to read what is left of tokens, what is fast
    /// otherwise is slow, but mostly all of them lead to the same few states.
    fn looks(
        &self,
        session: &Session,
        memo: &LookaheadMemo,
        label: Label,
    ) -> impl Iterator<Item = (Look, u64)> + use<> {
        let first = if session.has_independent_frames() {
            // Where characters are counted there are many states.
            [(Look::Frames, BY_FRAMES), (Look::Quick, 1 << 7)]
                .map(|(look, most)| memo.looks.is_worth_while(look, label).then_some((look, most)))
        } else {
            [Some((Look::Tables, 1 << 14)), None]
        };
        let others = [
            (Look::States, 1 << 17),
            (Look::Tables, self.most_work().min(1 << 17)),
            (Look::Plain, self.most_work()),
        ];
        first.into_iter().flatten().chain(others)
    }

    /// The mask of the configuration of a state; nothing if it takes too much work.
    fn look(
        &self,
        look: Look,
        most_work: u64,
        session: &mut Session,
        memo: &mut LookaheadMemo,
        (start, entry): (&State, Entry),
    ) -> Option<EntryMask> {
        if look == Look::States && !matches!(entry.label, Label::Token(_)) {
            return self.look_by_states(most_work, session, start);
        }
        let find = |session: &mut Session| {
            let mut lookahead = Lookahead {
                exits: (look == Look::Frames).then(Exits::default),
                is_plain: look == Look::Plain,
                ..Lookahead::new(self, session, memo)
            };
            lookahead.entry_mask(start, entry)
        };
        session.look_ahead_keeping(|session| session.limited(most_work, find))
    }

    /// The mask of a state through the states that are met; nothing if it takes too much work.
    pub(crate) fn look_by_states(
        &self,
        most_work: u64,
        session: &mut Session,
        start: &State,
    ) -> Option<EntryMask> {
        let find = |session: &mut Session| few_states::tokens(session, start, &self.tables);
        let found = session.look_ahead(|session| session.limited(most_work, find))?;
        Some(found.into_set().into())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::engine::MaskMemo;
    use crate::mask::TokenMask;
    use crate::vocabulary::Vocabulary;
    use grammask_gbnf::Automaton;
    use grammask_oracle::generate;
    use proptest::prelude::*;

    proptest! {
        /// Whichever way a mask is looked for, it is the same.
        #[test]
        fn all_ways_to_look_are_one(
            grammar in prop_oneof![
                9 => generate::grammars(),
                1 => generate::grammars_of_many_parts(),
            ],
            tokens in generate::vocabularies(),
            choices in generate::steps(8),
        ) {
            let engine = Engine::new(Vocabulary::of(&tokens));
            let mut session = Automaton::compile(&grammar, "root").expect("it compiles").session();
            let mut state = session.start();
            for choice in choices {
                let mut memo = MaskMemo::default();
                let mut apart = TokenMask::new(engine.vocabulary().len());
                if engine.fill(&mut session, &mut memo, &state, &mut apart)
                    && !state.has_tokens()
                    && let together = engine.mask_together(&mut session, &mut memo, &state)
                    && together.is_some()
                {
                    let mut tokens = TokenMask::new(engine.vocabulary().len());
                    engine.unite(&state, Some(together.into_iter().collect()), &mut tokens);
                    prop_assert_eq!(tokens, apart);
                }
                for &entry in state.entries() {
                    let mut looks = vec![Look::Quick, Look::Tables, Look::States, Look::Plain];
                    if session.has_independent_frames() {
                        looks.push(Look::Frames);
                    }
                    let masks = looks.into_iter().filter_map(|look| {
                        let mut memo = LookaheadMemo::default();
                        let only = state.only(entry);
                        let mask = engine.look(look, 1 << 14, &mut session, &mut memo, (&only, entry))?;
                        let mut tokens = TokenMask::new(engine.vocabulary().len());
                        EntryMask::unite(&[Arc::new(mask)], engine.vocabulary().len(), &mut tokens);
                        Some((look, tokens))
                    });
                    let masks: Vec<_> = masks.collect();
                    for (look, mask) in &masks {
                        prop_assert_eq!(mask, &masks[0].1, "{:?} and {:?}", look, masks[0].0);
                    }
                }
                let bytes: Vec<u8> = session.first(&state).iter().collect();
                let live = bytes.into_iter().map(|byte| session.step(&state, byte));
                let live: Vec<_> = live.filter(|next| !next.is_dead()).collect();
                if live.is_empty() || session.size() > 5_000 {
                    break;
                }
                state = live[choice as usize % live.len()].clone();
            }
        }
    }
}
