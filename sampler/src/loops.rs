//! Which characters lead from one state of an automaton over bytes to another one, or back to it, whatever
//! their bytes.

use smallvec::SmallVec;

use crate::kinds::{Kinds, Utf8Place};

/// The kinds of characters, among those that are asked for, that all lead from a state to another one,
/// which may be the same. `next` says where a byte leads from a state.
pub(crate) fn kinds_to(
    from: u32,
    to: u32,
    asked: Kinds,
    next: &mut impl FnMut(u32, u8) -> u32,
) -> Kinds {
    let mut within = Within::new();
    asked.beginning_with(|byte| {
        let (after, place) = (next(from, byte), Utf8Place::BETWEEN.after(byte));
        place.is_some_and(|place| leads_to(to, (after, place), next, &mut within))
    })
}

/// What is known of states within a character.
type Within = SmallVec<[((u32, Utf8Place), bool); 8]>;

/// Whether each character of which so much has been read leads to a state. The depth is that of a
/// character.
fn leads_to(
    to: u32,
    (state, place): (u32, Utf8Place),
    next: &mut impl FnMut(u32, u8) -> u32,
    within: &mut Within,
) -> bool {
    if place == Utf8Place::BETWEEN {
        return state == to;
    }
    if let Some(&(_, known)) = within.iter().find(|&&(at, _)| at == (state, place)) {
        return known;
    }
    let (lo, hi) = place.bytes();
    let all = (lo..=hi).all(|byte| {
        let after = next(state, byte);
        place.after(byte).is_some_and(|place| leads_to(to, (after, place), next, within))
    });
    within.push(((state, place), all));
    all
}
