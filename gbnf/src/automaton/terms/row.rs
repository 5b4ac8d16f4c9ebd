//! Where the bytes lead from a term, and from several side by side.

use smallvec::SmallVec;

use super::{ByteSet, TermId};

/// The transitions of a term: where each byte leads.
#[derive(Debug)]
pub(super) struct Row {
    /// Sorted, disjoint; bytes outside lead to nothing.
    pub(super) ranges: Box<[(u8, u8, TermId)]>,
    /// The bytes that lead anywhere.
    pub(super) first: ByteSet,
}

impl Row {
    /// Where a byte leads.
    pub(super) fn next(&self, byte: u8) -> TermId {
        if !self.first.contains(byte) {
            return TermId::NOTHING;
        }
        self.ranges[self.ranges.partition_point(|&(_, hi, _)| hi < byte)].2
    }
}

/// Goes through all bytes, each range at once of which all bytes lead to the same places in each of some rows
/// ([`TermId::NOTHING`]: nowhere), until that is what is looked for; whether it is.
pub(super) fn side_by_side(
    rows: &mut [&[(u8, u8, TermId)]],
    mut is_it: impl FnMut(u8, u8, &[TermId]) -> bool,
) -> bool {
    let mut targets: SmallVec<[TermId; 4]> = SmallVec::new();
    let mut byte = 0_u8;
    loop {
        let mut last = u8::MAX;
        targets.clear();
        for row in &mut *rows {
            // Those before the byte are over.
            while let [(_, hi, _), behind @ ..] = *row
                && *hi < byte
            {
                *row = behind;
            }
            targets.push(match **row {
                [(lo, hi, to), ..] if lo <= byte => {
                    last = last.min(hi);
                    to
                }
                [(lo, ..), ..] => {
                    last = last.min(lo - 1);
                    TermId::NOTHING
                }
                [] => TermId::NOTHING,
            });
        }
        if is_it(byte, last, &targets) {
            return true;
        }
        match last.checked_add(1) {
            Some(next) => byte = next,
            None => return false,
        }
    }
}

/// Joins neighbouring ranges that lead to the same term.
pub(super) fn join(ranges: &mut Vec<(u8, u8, TermId)>) {
    ranges.dedup_by(|next, last| {
        let joined = last.2 == next.2 && u16::from(last.1) + 1 == u16::from(next.0);
        if joined {
            last.1 = next.1;
        }
        joined
    });
}
