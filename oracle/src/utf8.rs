//! Classes of code points as sequences of byte ranges.

/// One way to spell a code point: a range for each byte.
pub(crate) type ByteRanges = Vec<(u8, u8)>;

/// Every encoding of the code points that lie in one of `ranges` (or in none, if `negated`).
///
/// The number line is cut wherever membership or the length of the encoding may change; each
/// piece between two cuts is in or out as a whole.
pub(crate) fn encodings(negated: bool, ranges: &[(char, char)]) -> Vec<ByteRanges> {
    let mut cuts = vec![0, 0x80, 0x800, 0xD800, 0xE000, 0x1_0000, 0x11_0000];
    for &(lo, hi) in ranges {
        cuts.push(lo as u32);
        cuts.push(hi as u32 + 1);
    }
    cuts.sort_unstable();
    cuts.dedup();
    let mut found = Vec::new();
    for pair in cuts.windows(2) {
        // A piece of surrogates starts with one, which is no `char`.
        let (Some(first), Some(last)) = (char::from_u32(pair[0]), char::from_u32(pair[1] - 1))
        else {
            continue;
        };
        let inside = ranges.iter().any(|&(lo, hi)| lo <= first && first <= hi);
        if inside != negated {
            let (mut low, mut high) = ([0; 4], [0; 4]);
            let low = first.encode_utf8(&mut low).as_bytes();
            let high = last.encode_utf8(&mut high).as_bytes();
            found.extend(between(low, high));
        }
    }
    found
}

/// All byte strings from `low` to `high`, which have the same length, whose bytes after the first
/// are continuation bytes.
fn between(low: &[u8], high: &[u8]) -> Vec<ByteRanges> {
    assert_eq!(low.len(), high.len());
    if low.len() == 1 {
        return vec![vec![(low[0], high[0])]];
    }
    let (least, greatest) = (vec![0x80; low.len() - 1], vec![0xBF; low.len() - 1]);
    let with = |lead: (u8, u8), tails: Vec<ByteRanges>| {
        tails.into_iter().map(move |tail| [vec![lead], tail].concat())
    };
    if low[0] == high[0] {
        return with((low[0], low[0]), between(&low[1..], &high[1..])).collect();
    }
    let mut found: Vec<_> = with((low[0], low[0]), between(&low[1..], &greatest)).collect();
    if low[0] + 1 < high[0] {
        found.extend(with((low[0] + 1, high[0] - 1), between(&least, &greatest)));
    }
    found.extend(with((high[0], high[0]), between(&least, &high[1..])));
    found
}

#[cfg(test)]
mod tests {
    use super::encodings;

    /// Every byte string of `encodings`, as a count, and whether each code point is among them.
    fn check(negated: bool, ranges: &[(char, char)]) {
        let spelled = encodings(negated, ranges);
        let mut expected = 0_u64;
        for c in '\0'..=char::MAX {
            let mut buffer = [0; 4];
            let bytes = c.encode_utf8(&mut buffer).as_bytes();
            let ways = spelled
                .iter()
                .filter(|way| {
                    way.len() == bytes.len()
                        && way.iter().zip(bytes).all(|(&(lo, hi), &b)| lo <= b && b <= hi)
                })
                .count();
            let inside = ranges.iter().any(|&(lo, hi)| lo <= c && c <= hi) != negated;
            assert_eq!(ways, usize::from(inside), "{c:?} in {ranges:?}, negated: {negated}");
            expected += u64::from(inside);
        }
        // As many byte strings as code points: so nothing else is spelled, no surrogate either.
        let strings: u64 = spelled
            .iter()
            .map(|way| way.iter().map(|&(lo, hi)| u64::from(hi - lo) + 1).product::<u64>())
            .sum();
        assert_eq!(strings, expected, "{ranges:?}, negated: {negated}");
    }

    #[test]
    fn classes_spell_exactly_their_code_points() {
        check(true, &[]);
        check(false, &[]);
        check(false, &[('a', 'a')]);
        check(true, &[('a', 'c'), ('b', 'é'), ('漢', '漢')]);
        check(false, &[('é', '😀')]);
        check(false, &[('\u{7F}', '\u{80}'), ('\u{7FF}', '\u{800}')]);
        check(false, &[('\u{D7FF}', '\u{E000}'), ('\u{FFFF}', '\u{1_0000}')]);
        check(false, &[('\u{3FFFF}', '\u{40000}'), ('\u{10FFFF}', '\u{10FFFF}')]);
        check(true, &[('\0', char::MAX)]);
        check(true, &[('\u{900}', '\u{1_2345}')]);
    }
}
