//! Which characters lead from one state of an automaton over bytes back to it, whatever their bytes.

use std::hash::Hash;
use std::ops::Deref;

use rustc_hash::FxHashMap;

use crate::kinds::{Kinds, Utf8Place};

/// The kinds of characters that all lead from a state to itself. `row` says where byte ranges lead from
/// a state: sorted, disjoint.
pub(crate) fn kinds_around<S, R>(state: &S, row: &mut impl FnMut(&S) -> R) -> Kinds
where
    S: Clone + Eq + Hash,
    R: Deref<Target = [(u8, u8, S)]>,
{
    let first = row(state);
    let mut within = FxHashMap::default();
    let mut around = [false; 256];
    for (lo, hi, after) in &*first {
        for byte in *lo..=*hi {
            around[usize::from(byte)] = Utf8Place::BETWEEN
                .after(byte)
                .is_some_and(|place| leads_to(state, after, place, row, &mut within));
        }
    }
    if around == [false; 256] {
        return Kinds::default();
    }
    Kinds::of_all(|byte| around[usize::from(byte)])
}

/// Whether each character of which so much has been read leads to a state. The depth is that of a
/// character.
fn leads_to<S, R>(
    to: &S,
    state: &S,
    place: Utf8Place,
    row: &mut impl FnMut(&S) -> R,
    known: &mut FxHashMap<(S, Utf8Place), bool>,
) -> bool
where
    S: Clone + Eq + Hash,
    R: Deref<Target = [(u8, u8, S)]>,
{
    if place == Utf8Place::BETWEEN {
        return state == to;
    }
    let key = (state.clone(), place);
    if let Some(&known) = known.get(&key) {
        return known;
    }
    let (mut next, last) = place.bytes();
    let mut all = false;
    for (lo, hi, after) in &*row(state) {
        if *hi < next {
            continue;
        }
        let place = place.after(next).filter(|_| *lo <= next);
        if !place.is_some_and(|place| leads_to(to, after, place, row, known)) {
            break;
        }
        if *hi >= last {
            all = true;
            break;
        }
        next = hi + 1;
    }
    known.insert(key, all);
    all
}
