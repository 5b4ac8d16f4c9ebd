//! Counting sets: how many iterations of a loop may be behind us.
//!
//! Where an iteration can overlap itself (`("a" | "aa"){2,9}`), several counts are possible at
//! once. They are one interned set of intervals in the loop's frame, not a set of states
//! (Turonova et al., "Regex Matching with Counting-Set Automata", OOPSLA 2020). Counts that
//! another one makes superfluous are dropped: from the minimum on the smallest count allows
//! everything that a greater one does.

use crate::automaton::interner::Interner;

/// Least and greatest number of iterations of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) min: u32,
    pub(crate) max: Option<u32>,
}

type Intervals = Box<[(u32, u32)]>;

/// All counting sets of a session; a set is named by its index.
#[derive(Debug, Default)]
pub(crate) struct CountingSets {
    sets: Interner<Intervals>,
}

impl CountingSets {
    /// The set of the one count `count`.
    pub(crate) fn one(&mut self, count: u32, bounds: Bounds) -> u32 {
        self.normalise(vec![(count, count)], bounds)
    }

    /// All counts increased by one; `None` if none of them may go on.
    pub(crate) fn increment(&mut self, set: u32, bounds: Bounds) -> Option<u32> {
        let increased: Vec<_> = self
            .sets
            .get(set)
            .iter()
            .map(|&(lo, hi)| (lo.saturating_add(1), hi.saturating_add(1)))
            .map(|(lo, hi)| (lo, bounds.max.map_or(hi, |max| hi.min(max))))
            .filter(|(lo, hi)| lo <= hi)
            .collect();
        if increased.is_empty() { None } else { Some(self.normalise(increased, bounds)) }
    }

    /// Whether the loop may end.
    pub(crate) fn may_end(&self, set: u32, bounds: Bounds) -> bool {
        self.sets.get(set).last().is_some_and(|&(_, hi)| hi >= bounds.min)
    }

    /// The greatest count.
    pub(crate) fn most(&self, set: u32) -> u32 {
        self.sets.get(set).last().map_or(0, |&(_, hi)| hi)
    }

    pub(crate) fn union(&mut self, first: u32, second: u32, bounds: Bounds) -> u32 {
        if first == second {
            return first;
        }
        let all = [&**self.sets.get(first), &**self.sets.get(second)].concat();
        self.normalise(all, bounds)
    }

    fn normalise(&mut self, mut intervals: Vec<(u32, u32)>, bounds: Bounds) -> u32 {
        intervals.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(intervals.len());
        for (lo, hi) in intervals {
            match merged.last_mut() {
                Some(last) if lo <= last.1.saturating_add(1) => last.1 = last.1.max(hi),
                _ => merged.push((lo, hi)),
            }
        }
        // Of the counts from the minimum on, the smallest alone; without a maximum, all of them
        // are as good as the minimum itself.
        if let Some(at) = merged.iter().position(|&(_, hi)| hi >= bounds.min) {
            merged.truncate(at + 1);
            let (lo, hi) = merged[at];
            let least = if bounds.max.is_none() { bounds.min.max(1) } else { lo.max(bounds.min) };
            merged[at] = (lo.min(least), least.min(hi.max(least)));
            if bounds.max.is_none() && at > 0 && merged[at - 1].1 + 1 >= merged[at].0 {
                let (_, hi) = merged.remove(at);
                merged[at - 1].1 = hi;
            }
        }
        self.sets.intern(merged.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_from_the_minimum_on_collapse() {
        let mut sets = CountingSets::default();
        let free = Bounds { min: 0, max: Some(9) };
        let (one, two) = (sets.one(1, free), sets.one(2, free));
        assert_eq!(sets.union(one, two, free), one);

        let open = Bounds { min: 2, max: None };
        let (two, seven) = (sets.one(2, open), sets.one(7, open));
        assert_eq!(two, seven);

        let bounded = Bounds { min: 3, max: Some(4) };
        let mut set = sets.one(1, bounded);
        let two = sets.one(2, bounded);
        set = sets.union(set, two, bounded);
        assert!(!sets.may_end(set, bounded));
        set = sets.increment(set, bounded).unwrap();
        assert!(sets.may_end(set, bounded));
        set = sets.increment(set, bounded).unwrap();
        set = sets.increment(set, bounded).unwrap();
        assert_eq!(sets.increment(set, bounded), None);
    }
}
