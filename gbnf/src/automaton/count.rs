//! How many texts a term matches, blanks that do not count left out.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::automaton::canonical::{BLANKS, Quoting};
use crate::automaton::terms::{COUNTED_STATES, ENDLESS, TermId, Terms, are_at_least};

/// How many texts there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    Finite(u64),
    Endless,
    /// It has too many states to count them, or braces, between which the order may not count.
    Unknown,
}

/// How many texts a term matches that differ as items.
pub(crate) fn count(term: TermId, terms: &Terms) -> Count {
    let start = without_blanks(Rests::from([(term, Quoting::default())]), terms);
    if are_endless(&start, terms) {
        return Count::Endless;
    }
    let mut has_braces = false;
    let mut numbers: FxHashMap<Rests, usize> = FxHashMap::default();
    let mut known: Vec<Option<u64>> = Vec::new();
    // A state that is entered but not finished lies on the current path.
    let mut path = vec![(start.clone(), following(&start, terms), 0, ends(&start, terms))];
    has_braces |= may_open(&start, terms);
    numbers.insert(start, 0);
    known.push(None);
    loop {
        let Some((state, after, at, sum)) = path.last_mut() else { return Count::Unknown };
        let Some((bytes, next)) = after.get(*at) else {
            let (number, sum) = (numbers[&*state], *sum);
            known[number] = Some(sum);
            path.pop();
            if path.is_empty() {
                return if has_braces { Count::Unknown } else { Count::Finite(sum) };
            }
            continue;
        };
        match numbers.get(next).map(|&number| known[number]) {
            Some(Some(count)) => {
                *sum = sum.saturating_add(count.saturating_mul(*bytes));
                *at += 1;
            }
            // A circle.
            Some(None) => return Count::Endless,
            None if known.len() >= COUNTED_STATES => return Count::Unknown,
            None => {
                let next = next.clone();
                numbers.insert(next.clone(), known.len());
                known.push(None);
                has_braces |= may_open(&next, terms);
                path.push((next.clone(), following(&next, terms), 0, ends(&next, terms)));
            }
        }
    }
}

/// Whether a glance shows so many texts that they count as infinitely many: what differs before the first
/// brace is different.
fn are_endless(start: &Rests, terms: &Terms) -> bool {
    are_at_least(ENDLESS, start.clone(), usize::MAX, |rests, next| {
        let may_open = may_open(rests, terms);
        if !may_open {
            for (bytes, rests) in following(rests, terms) {
                next(bytes, rests);
            }
        }
        may_open || ends(rests, terms) > 0
    })
}

/// What may be left of a text, with the place before it.
type Rests = BTreeSet<(TermId, Quoting)>;

fn ends(rests: &Rests, terms: &Terms) -> u64 {
    u64::from(rests.iter().any(|&(rest, _)| terms.nullable(rest)))
}

/// Whether a brace that is not part of a string may come next.
fn may_open(rests: &Rests, terms: &Terms) -> bool {
    let mut rests = rests.iter();
    rests.any(|&(rest, place)| {
        place == Quoting::Outside && terms.next(rest, b'{') != TermId::NOTHING
    })
}

/// With what is left behind blanks that do not count.
fn without_blanks(mut rests: Rests, terms: &Terms) -> Rests {
    let mut ahead: Vec<_> = rests.iter().copied().collect();
    while let Some((rest, place)) = ahead.pop() {
        for byte in BLANKS {
            let next = terms.next(rest, byte);
            if place.after(byte).is_none() && next != TermId::NOTHING && rests.insert((next, place))
            {
                ahead.push((next, place));
            }
        }
    }
    rests
}

/// What is left behind each byte, with how many bytes lead there.
fn following(rests: &Rests, terms: &Terms) -> Vec<(u64, Rests)> {
    let mut after: FxHashMap<Rests, u64> = FxHashMap::default();
    for byte in 0..=255 {
        let next: Rests = rests
            .iter()
            .filter_map(|&(rest, place)| Some((terms.next(rest, byte), place.after(byte)?)))
            .filter(|&(rest, _)| rest != TermId::NOTHING)
            .collect();
        if !next.is_empty() {
            *after.entry(without_blanks(next, terms)).or_default() += 1;
        }
    }
    let mut after: Vec<_> = after.into_iter().map(|(rests, bytes)| (bytes, rests)).collect();
    after.sort_unstable();
    after
}
