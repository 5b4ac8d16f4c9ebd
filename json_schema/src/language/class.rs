//! Sets of code points.

/// The code points `lo..=hi`.
pub(crate) type CharRange = (char, char);

/// A set of code points; surrogates are none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct CharSet {
    /// Sorted, disjoint and never adjacent, so that equal sets have equal ranges.
    ranges: Box<[CharRange]>,
}

/// The code point after this one.
pub(super) fn following(c: char) -> Option<char> {
    match c {
        '\u{d7ff}' => Some('\u{e000}'),
        c => char::from_u32(c as u32 + 1),
    }
}

/// The code point before this one.
pub(super) fn preceding(c: char) -> Option<char> {
    match c {
        '\u{e000}' => Some('\u{d7ff}'),
        c => char::from_u32((c as u32).checked_sub(1)?),
    }
}

impl CharSet {
    /// Every code point.
    pub(crate) fn any() -> Self {
        Self { ranges: [('\0', char::MAX)].into() }
    }

    /// What `\w` stands for and `\b` looks at: ASCII letters, digits and the underscore.
    pub(crate) fn word() -> Self {
        Self { ranges: [('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')].into() }
    }

    /// The code points of these ranges, in any order; one that is reversed has none.
    pub(crate) fn from_ranges(ranges: impl IntoIterator<Item = CharRange>) -> Self {
        let mut sorted: Vec<CharRange> = ranges.into_iter().filter(|&(lo, hi)| lo <= hi).collect();
        sorted.sort_unstable();
        sorted.dedup_by(|next, last| {
            let joined = following(last.1).is_none_or(|after| next.0 <= after);
            if joined {
                last.1 = last.1.max(next.1);
            }
            joined
        });
        Self { ranges: sorted.into() }
    }

    /// The one code point.
    pub(crate) fn point(c: char) -> Self {
        Self { ranges: [(c, c)].into() }
    }

    /// The ranges: sorted, disjoint, never adjacent.
    pub(crate) fn ranges(&self) -> &[CharRange] {
        &self.ranges
    }

    /// The only code point, if there is one.
    pub(crate) fn single(&self) -> Option<char> {
        match self.ranges() {
            &[(lo, hi)] if lo == hi => Some(lo),
            _ => None,
        }
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Whether `c` is in it.
    pub(crate) fn contains(&self, c: char) -> bool {
        let at = self.ranges.partition_point(|&(_, hi)| hi < c);
        self.ranges.get(at).is_some_and(|&(lo, _)| lo <= c)
    }

    /// What is in one of them.
    #[cfg(test)]
    pub(crate) fn union(&self, other: &Self) -> Self {
        Self::from_ranges(self.ranges.iter().chain(&other.ranges).copied())
    }

    /// What is in both.
    pub(crate) fn intersection(&self, other: &Self) -> Self {
        let mut common = Vec::new();
        let (mut left, mut right) = (self.ranges.iter().peekable(), other.ranges.iter().peekable());
        while let (Some(&&(lo, hi)), Some(&&(lo2, hi2))) = (left.peek(), right.peek()) {
            if lo.max(lo2) <= hi.min(hi2) {
                common.push((lo.max(lo2), hi.min(hi2)));
            }
            if hi <= hi2 {
                left.next();
            } else {
                right.next();
            }
        }
        // Pieces of two sets without adjacent ranges are not adjacent either.
        Self { ranges: common.into() }
    }

    /// What is not in it.
    pub(crate) fn complement(&self) -> Self {
        let mut outside = Vec::with_capacity(self.ranges.len() + 1);
        let mut next = Some('\0');
        for &(lo, hi) in &self.ranges {
            if let (Some(from), Some(to)) = (next, preceding(lo))
                && from <= to
            {
                outside.push((from, to));
            }
            next = following(hi);
        }
        outside.extend(next.map(|from| (from, char::MAX)));
        Self { ranges: outside.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn surrogates_are_no_gap() {
        let halves = [('\0', '\u{d7ff}'), ('\u{e000}', char::MAX)];
        assert_eq!(CharSet::from_ranges(halves), CharSet::any());
        assert!(CharSet::any().complement().is_empty());
        assert_eq!(CharSet::default().complement(), CharSet::any());
        let high = CharSet::from_ranges([('\u{e000}', char::MAX)]);
        assert_eq!(high.complement().ranges(), [('\0', '\u{d7ff}')]);
        let reversed = CharSet::from_ranges([('b', 'a'), ('c', 'c')]);
        assert_eq!(reversed, CharSet::point('c'));
    }

    /// Code points of which some are the neighbours of others.
    fn chars() -> impl Strategy<Value = char> {
        let near = ['\0', '\u{1}', 'a', 'b', 'c', '\u{d7fe}', '\u{d7ff}', '\u{e000}', '\u{e001}'];
        prop_oneof![prop::sample::select(near.to_vec()), Just('\u{10fffe}'), Just(char::MAX)]
    }

    fn sets() -> impl Strategy<Value = CharSet> {
        prop::collection::vec((chars(), chars()), 0..4).prop_map(CharSet::from_ranges)
    }

    proptest! {
        #[test]
        fn operations_go_by_membership(a in sets(), b in sets(), c in chars()) {
            prop_assert_eq!(a.union(&b).contains(c), a.contains(c) || b.contains(c));
            prop_assert_eq!(a.intersection(&b).contains(c), a.contains(c) && b.contains(c));
            prop_assert_eq!(a.complement().contains(c), !a.contains(c));
            prop_assert_eq!(a.complement().complement(), a.clone());
            let both = a.complement().union(&b.complement()).complement();
            prop_assert_eq!(a.intersection(&b), both);
        }
    }
}
