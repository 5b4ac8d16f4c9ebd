//! Which characters lead from one state of an automaton over bytes to another one, or back to it, whatever
//! their bytes.

use std::hash::Hash;
use std::ops::Deref;

use rustc_hash::FxHashMap;

use crate::kinds::{Kinds, Utf8Place};

/// The kinds of characters, among those that are asked for, that all lead from a state to another one,
/// which may be the same. `row` says where byte ranges lead from a state: sorted, disjoint.
pub(crate) fn kinds_to<S, R>(from: &S, to: &S, asked: Kinds, row: &mut impl FnMut(&S) -> R) -> Kinds
where
    S: Clone + Eq + Hash,
    R: Deref<Target = [(u8, u8, S)]>,
{
    let first = row(from);
    let mut within = FxHashMap::default();
    asked.beginning_with(|byte| {
        let range = &first[first.partition_point(|&(_, hi, _)| hi < byte)..].first();
        let after = range.filter(|(lo, ..)| *lo <= byte).map(|(.., after)| after);
        let place = Utf8Place::BETWEEN.after(byte);
        after.zip(place).is_some_and(|(after, place)| leads_to(to, after, place, row, &mut within))
    })
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
