//! Which characters lead from one state of an automaton over bytes to another, whatever their bytes.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::kinds::{Kinds, Utf8Place};

/// Where byte ranges lead from a state: sorted, disjoint.
type Row<'a, S> = &'a [(u8, u8, S)];

/// The kinds of characters that all lead from one state to another.
pub(crate) fn kinds_leading<'a, S: Copy + Eq + Hash + 'a>(
    from: S,
    to: S,
    row: &impl Fn(S) -> Row<'a, S>,
) -> Kinds {
    let first = row(from);
    let mut within = FxHashMap::default();
    Kinds::of_all(|byte| {
        let place = Utf8Place::BETWEEN.after(byte);
        let range = first.iter().find(|&&(lo, hi, _)| (lo..=hi).contains(&byte));
        place
            .zip(range)
            .is_some_and(|(place, &(.., after))| leads_to(to, after, place, row, &mut within))
    })
}

/// Whether each character of which so much has been read leads to a state. The depth is that of a
/// character.
fn leads_to<'a, S: Copy + Eq + Hash + 'a>(
    to: S,
    state: S,
    place: Utf8Place,
    row: &impl Fn(S) -> Row<'a, S>,
    known: &mut FxHashMap<(S, Utf8Place), bool>,
) -> bool {
    if place == Utf8Place::BETWEEN {
        return state == to;
    }
    if let Some(&known) = known.get(&(state, place)) {
        return known;
    }
    let (mut next, last) = place.bytes();
    let mut all = false;
    for &(lo, hi, after) in row(state) {
        if hi < next {
            continue;
        }
        let place = place.after(next).filter(|_| lo <= next);
        if !place.is_some_and(|place| leads_to(to, after, place, row, known)) {
            break;
        }
        if hi >= last {
            all = true;
            break;
        }
        next = hi + 1;
    }
    known.insert((state, place), all);
    all
}
