//! Quick looks for a text that several terms have in common: straight on through their states, byte by byte
//! nearer to the ends of all, and then as they are built. Nearly every conjunction that is met has one, and
//! none of its states has to be made to see it.

use smallvec::{SmallVec, smallvec};

use super::{ByteSet, Term, TermId, Terms};

/// After so many steps the look is over.
const MOST_STEPS: usize = 300;

/// Longer texts are not looked for straight on.
const MOST_BYTES: usize = 64;

/// What a text has to match next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    Term(TermId),
    /// An item a number of times.
    Times {
        item: TermId,
        min: u32,
        max: Option<u32>,
    },
}

/// What is left of one of the terms, the next piece last.
type Part = SmallVec<[Piece; 4]>;

/// What is left of all of them.
type Parts = SmallVec<[Part; 4]>;

/// What comes next in a part.
enum Next {
    End,
    Bytes(ByteSet),
    /// One of several ways on.
    Choice,
    /// All of several terms.
    All(Box<Parts>),
    /// Nothing that is seen here.
    Unknown,
}

impl Terms {
    /// Whether a text is found soon that all of some terms match. If none is found, there may be one.
    pub(super) fn have_text_in_common(&self, all: &[TermId]) -> bool {
        let mut ways: Vec<Parts> = vec![all.iter().map(|&term| only(term)).collect()];
        let mut steps = 0;
        while let Some(parts) = ways.pop() {
            if self.follow(parts, &mut ways, &mut steps) {
                return true;
            }
        }
        false
    }

    /// Whether a text is found that all of some terms match and none of some others, with bytes each of which
    /// brings the former nearer to their ends. If none is found, there may be one.
    pub(super) fn have_text_straight_on(&self, all: &[TermId], none: &[TermId]) -> bool {
        let mut all: SmallVec<[TermId; 4]> = all.into();
        let mut none: SmallVec<[TermId; 4]> = none.into();
        for _ in 0..MOST_BYTES {
            let nullable = |&term: &TermId| self.nullable(term);
            if all.iter().all(nullable) && !none.iter().any(nullable) {
                return true;
            }
            let Some(byte) = self.byte_straight_on(&all) else { return false };
            for term in all.iter_mut().chain(&mut none) {
                *term = self.next(*term, byte);
            }
        }
        false
    }

    /// A byte that may come in all of some terms and brings them nearer to their ends: first that one which
    /// is the nearest but not there yet.
    fn byte_straight_on(&self, all: &[TermId]) -> Option<u8> {
        let left_of = |term: &TermId| self.shortest(*term);
        let left: u64 = all.iter().map(|term| u64::from(left_of(term))).sum();
        let nearest =
            all.iter().filter(|term| left_of(term) > 0).min_by_key(|term| left_of(term))?;
        let firsts = all.iter().map(|&term| self.first(term));
        let common = firsts.fold(ByteSet::ALL, |common, first| common.intersection(&first));
        let nearer = |&&(_, _, to): &&(u8, u8, TermId)| left_of(&to) < left_of(nearest);
        let ranges = self.transitions(*nearest).iter().filter(nearer);
        let mut bytes =
            ranges.filter_map(|&(low, high, _)| (low..=high).find(|&byte| common.contains(byte)));
        bytes.find(|&byte| {
            let after = all.iter().map(|&term| u64::from(left_of(&self.next(term, byte))));
            after.sum::<u64>() < left
        })
    }

    /// Whether some parts have a text in common up to the first choice, where each way on is added to
    /// those that are left to be followed.
    fn follow(&self, mut parts: Parts, ways: &mut Vec<Parts>, steps: &mut usize) -> bool {
        loop {
            *steps += parts.len();
            if *steps > MOST_STEPS {
                ways.clear();
                return false;
            }
            let (mut choice, mut ends, mut common) = (None, 0, ByteSet::ALL);
            let mut at = 0;
            while at < parts.len() {
                match self.next_of(&mut parts[at]) {
                    Next::End => ends += 1,
                    Next::Bytes(bytes) => common = common.intersection(&bytes),
                    Next::Choice => choice = choice.or(Some(at)),
                    Next::All(more) => {
                        parts.swap_remove(at);
                        parts.extend(*more);
                        continue;
                    }
                    Next::Unknown => return false,
                }
                at += 1;
            }
            if ends == parts.len() {
                return true;
            }
            // What is the same in all can be read in all.
            let first = parts[0].last().copied();
            let is_same = parts.iter().all(|part| part.last().copied() == first);
            if !is_same {
                if common.is_empty() || ends > 0 && choice.is_none() {
                    return false;
                }
                if let Some(choice) = choice {
                    // The last one is followed first.
                    for way in self.ways_on(&parts[choice]).into_iter().rev() {
                        let mut parts = parts.clone();
                        parts[choice] = way;
                        ways.push(parts);
                    }
                    return false;
                }
            }
            for part in &mut parts {
                part.pop();
            }
        }
    }

    /// What comes next in a part, which is taken apart up to there.
    fn next_of(&self, part: &mut Part) -> Next {
        while let Some(piece) = part.pop() {
            let term = match piece {
                Piece::Times { item, min, max } if min > 0 => {
                    let max = max.map(|max| max - 1);
                    if max != Some(0) {
                        part.push(Piece::Times { item, min: min - 1, max });
                    }
                    item
                }
                Piece::Times { .. } => {
                    part.push(piece);
                    return Next::Choice;
                }
                Piece::Term(term) => term,
            };
            match &self.entry(term).term {
                Term::Empty => {}
                &Term::Bytes(bytes) => {
                    part.push(Piece::Term(term));
                    return Next::Bytes(bytes);
                }
                &Term::Concat(first, second) => {
                    part.extend([Piece::Term(second), Piece::Term(first)]);
                }
                Term::Alt(_) => {
                    part.push(Piece::Term(term));
                    return Next::Choice;
                }
                &Term::Repeat { item, min, max } => part.push(Piece::Times { item, min, max }),

                Term::All { all, none } if none.is_empty() && part.is_empty() => {
                    let all = all.iter().map(|&term| only(term)).collect();
                    return Next::All(Box::new(all));
                }
                Term::Nothing | Term::Hole(_) | Term::Rule { .. } | Term::All { .. } => {
                    return Next::Unknown;
                }
            }
        }
        Next::End
    }

    /// The ways on from a choice: the shortest ones first.
    fn ways_on(&self, part: &Part) -> SmallVec<[Part; 4]> {
        let Some((&choice, behind)) = part.split_last() else { return SmallVec::new() };
        let with = |pieces: &[Piece]| behind.iter().chain(pieces).copied().collect();
        match choice {
            Piece::Times { item, min, max } => {
                let max = max.map(|max| max - 1);
                let more = Piece::Times { item, min, max };
                let once: &[Piece] = &[more, Piece::Term(item)];
                let once = if max == Some(0) { &once[1..] } else { once };
                smallvec![with(&[]), with(once)]
            }
            Piece::Term(term) => match &self.entry(term).term {
                Term::Alt(items) => items.iter().map(|&item| with(&[Piece::Term(item)])).collect(),
                _ => SmallVec::new(),
            },
        }
    }
}

/// One term, and nothing behind it.
fn only(term: TermId) -> Part {
    smallvec![Piece::Term(term)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_in_common_are_found() {
        let terms = Terms::default();
        let class = |lo, hi| terms.class(&[(lo, hi)]);
        let text = |text: &str| terms.text(text.as_bytes());
        let sequence = |parts: &[TermId]| {
            parts.iter().rev().fold(TermId::EMPTY, |rest, &part| terms.concat(part, rest))
        };
        let letter = class('a', 'z');
        let word = terms.repeat(letter, 1, None);
        let upto = |item, min, max| terms.repeat(item, min, Some(max));
        let pair = |a: &str, b: &str| sequence(&[text(a), word, text(b)]);
        let pairs = terms.alt([pair("1", "1"), pair("2", "2")]);
        let swapped = terms.alt([pair("1", "2"), pair("2", "1")]);
        let both = terms.conjunction(vec![pairs, terms.repeat(class('0', 'z'), 5, None)], vec![]);
        let cases: [(&[TermId], bool); 9] = [
            (&[word, text("word")], true),
            (&[word, text("word"), upto(letter, 0, 4)], true),
            (&[word, text("word"), upto(letter, 0, 3)], false),
            (&[word, upto(letter, 7, 9)], true),
            (&[upto(letter, 2, 3), upto(letter, 4, 5)], false),
            (&[pairs, swapped], false),
            (&[pairs, upto(class('0', 'z'), 5, 5)], true),
            (&[both, terms.alt([text("2abc2"), text("1abc2")])], true),
            (&[both, text("1a1")], false),
        ];
        for (all, expected) in cases {
            assert_eq!(terms.have_text_in_common(all), expected, "{all:?}");
            assert_eq!(terms.all(all.to_vec(), Vec::new()).unwrap() != TermId::NOTHING, expected);
        }
    }

    #[test]
    fn texts_are_found_straight_on() {
        let terms = Terms::default();
        let any = terms.class(&[(' ', '~')]);
        let some = terms.repeat(any, 0, None);
        let with = |lo, hi| terms.concat(some, terms.concat(terms.class(&[(lo, hi)]), some));
        let all = [with('A', 'Z'), with('0', '9'), with('a', 'z')];
        let and = |length| [&all[..], &[length]].concat();
        let upto = |min, max| terms.repeat(any, min, Some(max));
        for (length, none, expected) in [
            (upto(8, 64), TermId::NOTHING, true),
            (upto(8, 64), with('!', '!'), true),
            (upto(3, 3), TermId::NOTHING, true),
            (upto(0, 2), TermId::NOTHING, false),
            (upto(8, 64), some, false),
        ] {
            assert_eq!(terms.have_text_straight_on(&and(length), &[none]), expected, "{length:?}");
        }
    }
}
