//! Texts of a grammar that are read before the first mask is asked for: what tokens have behind a
//! terminal is found frame by frame, and most frames are met within a few lines of any text. One after
//! the other they would slow the first tokens down.

use grammask_gbnf::{Session, State};
use rand::Rng;
use smallvec::SmallVec;

use crate::engine::{Engine, MaskMemo};
use crate::rng::Mt19937;

/// So many bytes are read in all,
const BYTES: usize = 1000;
/// of one text at most so many.
const LONGEST: usize = 80;
/// So much work the masks may take together, as a step (see [`Session::limited`]),
const MOST_WORK: u64 = 1 << 16;
/// and so many nodes of the trie may be visited: some milliseconds.
const MOST_VISITED: u64 = 1 << 18;

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
            let (mut state, mut length) = (start.clone(), 0);
            let (work, visited) = (session.work() + MOST_WORK, self.nodes_visited() + MOST_VISITED);
            for _ in 0..BYTES {
                let left = work.saturating_sub(session.work());
                if self.nodes_visited() > visited
                    || self.masks_apart(session, &mut aside, &state, Some(left)).is_none()
                {
                    break;
                }
                match some_byte(session, &state, &mut random).filter(|_| length < LONGEST) {
                    Some(byte) => (state, length) = (session.step(&state, byte), length + 1),
                    None => (state, length) = (start.clone(), 0),
                }
            }
        });
        aside.swap_frames(memo);
    }
}

/// A byte with which one of the configurations goes on, any of them: of its bytes each sign is as likely as
/// all letters and digits together, so that names and texts come to their ends.
fn some_byte(session: &Session, state: &State, random: &mut Mt19937) -> Option<u8> {
    let mut below = |most: usize| random.next_u32() as usize % most;
    let entries = state.entries();
    let entry = entries.get(below(entries.len().max(1)))?;
    let (words, signs): (SmallVec<[u8; 64]>, SmallVec<[u8; 64]>) =
        session.first_of(entry.label).iter().partition(|byte| byte.is_ascii_alphanumeric());
    let sign = below(signs.len() + 1);
    match (signs.get(sign), &words[..]) {
        (Some(&sign), _) => Some(sign),
        (None, []) => signs.first().copied(),
        (None, words) => Some(words[below(words.len())]),
    }
}
