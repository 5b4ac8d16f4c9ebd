//! A look at all tokens byte by byte, with all configurations at once, for where however many ways to read
//! them lead to few states again and again.

use std::ops::RangeInclusive;

use grammask_gbnf::{Session, State};

use crate::dfa::{Automaton, DEAD, Dfa};
use crate::preorder::Reach;
use crate::tables::Tables;
use crate::token_set::Found;
use crate::trie::TokenTrie;

/// The states of a session.
struct States<'a>(&'a mut Session);

impl Automaton for States<'_> {
    type State = State;

    // A step tells of the bytes around it as well, so that few make a row.
    const OFTEN: u32 = 1;

    fn dead(&self) -> State {
        State::default()
    }

    fn nullable(&self, state: &State) -> bool {
        state.is_complete()
    }

    fn next(&mut self, state: &State, byte: u8) -> (State, RangeInclusive<u8>) {
        let (next, around) = self.0.step_around(state, byte);
        // What has been read makes no difference then.
        (if next.is_dead() { self.dead() } else { next }, around)
    }
}

/// The tokens that a state allows, but for those that are not meant as texts.
pub(crate) fn tokens(session: &mut Session, start: &State, tables: &Tables) -> Found {
    let mut dfa = Dfa::new(States(session));
    let start = dfa.number(start.clone());
    let mut found = Found::new(tables.len);
    tables.scan(TokenTrie::ROOT, start, &mut found, |nodes, state, byte, below| {
        let next = dfa.next_of(state, nodes, byte)?;
        Some(match below {
            _ if next == DEAD => Reach::Out,
            Some(below) if dfa.loops(next, below.kinds) => Reach::All,
            _ => Reach::Into(next),
        })
    });
    found
}
