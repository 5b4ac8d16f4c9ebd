//! Texts of a grammar that are read before the first mask is asked for: what tokens have behind a
//! terminal is found frame by frame, and most frames are met within a few lines of any text. One after
//! the other they would slow the first tokens down.

use grammask_gbnf::{Session, State};
use rand::Rng;
use smallvec::SmallVec;

use crate::engine::{Engine, MaskMemo};
use crate::rng::Mt19937;

/// So many bytes are read in all,
const BYTES: usize = 1500;
/// of one text at most so many.
const LONGEST: usize = 200;
/// So much work this may take, as a step (see [`Session::limited`]),
const MOST_WORK: u64 = 1 << 17;
/// so many nodes of the trie may be visited,
const MOST_VISITED: u64 = 1 << 18;
/// and so many terms made: mostly up to some twenty milliseconds.
const MOST_TERMS: usize = 4_000;
/// A text in which so many bytes show nothing new is given up,
const DULL: usize = 24;
/// and when more texts than these show nothing new, enough has been read.
const ENOUGH: usize = 4;

impl Engine {
    /// Reads texts of a grammar with independent frames, and keeps what is found of the frames. The same
    /// texts each time.
    pub(crate) fn read_ahead(&self, session: &mut Session, memo: &mut MaskMemo) {
        let mut random = Mt19937::new(0);
        // Nothing else is kept: the states that are met are forgotten.
        let mut aside = MaskMemo::default();
        aside.swap_frames(memo);
        session.look_ahead(|session| {
            let start = session.start();
            let (mut state, mut text) = (start.clone(), Progress::default());
            let (work, visited) = (session.work() + MOST_WORK, self.nodes_visited() + MOST_VISITED);
            let terms = session.terms().size() + MOST_TERMS;
            let (mut known, mut in_vain) = (0, 0);
            for _ in 0..BYTES {
                let is_enough = in_vain > ENOUGH
                    || session.work() > work
                    || self.nodes_visited() > visited
                    || session.terms().size() > terms;
                if is_enough {
                    break;
                }
                self.meet_frames(session, &mut aside, &state);
                let now = aside.frames_bytes();
                text.note(now != known);
                known = now;
                let byte = some_byte(session, &state, &mut random).filter(|_| text.goes_on());
                if let Some(byte) = byte {
                    state = session.step(&state, byte);
                } else {
                    in_vain = if text.is_new { 0 } else { in_vain + 1 };
                    (state, text) = (start.clone(), Progress::default());
                }
            }
        });
        aside.swap_frames(memo);
    }
}

/// How far a text has been read.
#[derive(Default)]
struct Progress {
    length: usize,
    /// Whether anything new has been met,
    is_new: bool,
    /// and how many bytes ago that was.
    since: usize,
}

impl Progress {
    /// A byte has been read, with something new or not.
    fn note(&mut self, is_new: bool) {
        self.length += 1;
        self.is_new |= is_new;
        self.since = if is_new { 0 } else { self.since + 1 };
    }

    fn goes_on(&self) -> bool {
        self.length < LONGEST && self.since < DULL
    }
}

/// A byte with which one of the configurations goes on, any of them: of its bytes each sign is as likely as
/// all letters and digits together, so that names and texts come to their ends.
fn some_byte(session: &Session, state: &State, random: &mut Mt19937) -> Option<u8> {
    let mut below = |most: usize| random.next_u32() as usize % most;
    let entries = state.entries();
    let entry = entries.get(below(entries.len().max(1)))?;
    let (words, signs): (SmallVec<[u8; 64]>, SmallVec<[u8; 64]>) =
        session.first_of(entry.label).iter().partition(u8::is_ascii_alphanumeric);
    let sign = below(signs.len() + 1);
    match (signs.get(sign), &words[..]) {
        (Some(&sign), _) => Some(sign),
        (None, []) => signs.first().copied(),
        (None, words) => Some(words[below(words.len())]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::TokenMask;
    use crate::vocabulary::Vocabulary;
    use grammask_gbnf::Automaton;
    use grammask_oracle::generate;
    use proptest::prelude::*;

    proptest! {
        /// What has been read ahead is no part of any text, and makes no difference to masks.
        #[test]
        fn masks_are_the_same_without(
            grammar in generate::plain_grammars(),
            tokens in generate::vocabularies(),
            choices in generate::steps(8),
        ) {
            let engine = Engine::new(Vocabulary::of(&tokens));
            let automaton = Automaton::compile(&grammar, "root").expect("it compiles");
            // Nothing is read ahead of others.
            prop_assume!(automaton.has_independent_frames());
            let mut sessions = [automaton.session(), automaton.session()];
            let mut memos = [MaskMemo::default(), MaskMemo::default()];
            let size = sessions[1].size();
            engine.read_ahead(&mut sessions[1], &mut memos[1]);
            prop_assert_eq!(sessions[1].size(), size);
            let mut states = sessions.each_mut().map(Session::start);
            for choice in choices {
                let [alone, ahead] = [0, 1].map(|at| {
                    let mut mask = TokenMask::new(engine.vocabulary().len());
                    let found =
                        engine.fill(&mut sessions[at], &mut memos[at], &states[at], &mut mask);
                    found.then_some(mask)
                });
                if alone.is_some() && ahead.is_some() {
                    prop_assert_eq!(alone, ahead);
                }
                let bytes: Vec<u8> = sessions[0].first(&states[0]).iter().collect();
                if bytes.is_empty() {
                    break;
                }
                let byte = bytes[choice as usize % bytes.len()];
                states = [0, 1].map(|at| sessions[at].step(&states[at], byte));
            }
        }
    }
}
