//! What is left of a term behind a text, without the terms that lie on the way.
//!
//! Byte by byte a bounded loop would have a term for each number of iterations that are left, and a
//! conjunction one for each of these beside each state of its other parts. Here the iterations are
//! counted, and the parts are read one after the other.

use smallvec::SmallVec;

use super::{ByteSet, Term, TermId, Terms};

/// How a term reads a text.
pub struct Reading {
    /// The lengths of the beginnings of the text that are matches, in increasing order.
    matches: Lengths,
    /// What is left of the term behind all of the text; [`TermId::NOTHING`] if no match begins with it.
    pub after: TermId,
}

impl Reading {
    /// Whether the text begins with a match, which may be empty.
    pub fn may_end(&self) -> bool {
        !self.matches.is_empty()
    }
}

type Lengths = SmallVec<[usize; 8]>;

/// So many parts are read of a term; where more would have to be, it is read byte by byte.
const MOST_READ: usize = 256;

impl Terms {
    /// How a term reads a text, from its beginning.
    ///
    /// ```
    /// use grammask_gbnf::{TermId, Terms};
    /// let terms = Terms::default();
    /// let line = terms.repeat(terms.class(&[(' ', '~')]), 0, Some(80));
    /// let reading = terms.reading(terms.concat(line, terms.text(b"\n")), &[b'-'; 80]);
    /// assert_eq!(reading.after, terms.text(b"\n"));
    /// assert!(!reading.may_end());
    /// ```
    pub fn reading(&self, term: TermId, text: &[u8]) -> Reading {
        let mut left = MOST_READ;
        self.read(term, text, &mut left).unwrap_or_else(|| self.read_bytes(term, text))
    }

    /// The bytes of which a term reads some before anything else, one of them at a time: at least how many,
    /// which are two or more.
    ///
    /// ```
    /// use grammask_gbnf::Terms;
    /// let terms = Terms::default();
    /// let digit = terms.class(&[('0', '9')]);
    /// let year = terms.concat(terms.repeat(digit, 4, Some(4)), terms.text(b"AD"));
    /// let (digits, count) = terms.run(year).expect("it begins with digits");
    /// assert_eq!((digits.len(), count), (10, 4));
    /// assert!(terms.run(terms.text(b"AD")).is_none());
    /// ```
    pub fn run(&self, term: TermId) -> Option<(ByteSet, usize)> {
        let first = match self.entry(term).term {
            Term::Concat(first, _) => first,
            _ => term,
        };
        let Term::Repeat { item, min: min @ 2.., .. } = self.entry(first).term else { return None };
        let Term::Bytes(set) = self.entry(item).term else { return None };
        Some((set, min as usize))
    }

    /// Nothing if more than `most` parts have to be read.
    fn read(&self, term: TermId, text: &[u8], most: &mut usize) -> Option<Reading> {
        *most = most.checked_sub(1)?;
        // As deep as the term is nested.
        let mut read = |part, text| {
            stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.read(part, text, most))
        };
        Some(match &self.entry(term).term {
            Term::All { all, none } => {
                let mut matches: Lengths = (0..=text.len()).collect();
                let mut sides = [Vec::new(), Vec::new()];
                for (side, parts) in [all, none].into_iter().enumerate() {
                    for &part in parts {
                        let of_part = read(part, text)?;
                        let is_match =
                            |length: &usize| of_part.matches.binary_search(length).is_ok();
                        matches.retain(|length| is_match(length) == (side == 0));
                        sides[side].push(of_part.after);
                    }
                }
                let [all, none] = sides;
                Reading { matches, after: self.proven(self.conjunction(all, none)) }
            }
            &Term::Concat(first, second) => {
                let begun = read(first, text)?;
                let mut matches = Lengths::new();
                let mut left = vec![self.concat(begun.after, second)];
                let (first, may_end) = (self.first(second), self.nullable(second));
                for length in begun.matches {
                    let rest = &text[length..];
                    if rest.first().is_none_or(|&byte| first.contains(byte)) {
                        let further = read(second, rest)?;
                        matches.extend(further.matches.into_iter().map(|more| length + more));
                        left.push(further.after);
                    } else if may_end {
                        matches.push(length);
                    }
                }
                matches.sort_unstable();
                matches.dedup();
                Reading { matches, after: self.alt(left) }
            }
            &Term::Repeat { item, min, max } if self.is_prefix_free(item) => {
                self.read_loop((item, min, max), text)
            }
            _ => self.read_bytes(term, text),
        })
    }

    /// The same for a loop, where one iteration ends before the next one begins.
    fn read_loop(&self, (item, min, max): (TermId, u32, Option<u32>), text: &[u8]) -> Reading {
        let mut matches = Lengths::new();
        // How many iterations are over, and what is left of the next one, if it has begun.
        let (mut count, mut rest) = (0, None);
        if min == 0 {
            matches.push(0);
        }
        for (at, &byte) in text.iter().enumerate() {
            if rest.is_none() && max == Some(count) {
                return Reading { matches, after: TermId::NOTHING };
            }
            let next = self.next(rest.unwrap_or(item), byte);
            if next == TermId::NOTHING {
                return Reading { matches, after: TermId::NOTHING };
            }
            rest = Some(next).filter(|&next| !self.nullable(next));
            if rest.is_none() {
                count += 1;
                if count >= min {
                    matches.push(at + 1);
                }
            }
        }
        let begun = count + u32::from(rest.is_some());
        let max = max.map(|max| max - begun);
        let further = self.repeat(item, min.saturating_sub(begun), max);
        Reading { matches, after: rest.map_or(further, |rest| self.concat(rest, further)) }
    }

    /// The same byte by byte.
    fn read_bytes(&self, term: TermId, text: &[u8]) -> Reading {
        let mut reading = Reading { matches: Lengths::new(), after: term };
        if self.nullable(term) {
            reading.matches.push(0);
        }
        for (at, &byte) in text.iter().enumerate() {
            reading.after = self.next(reading.after, byte);
            if reading.after == TermId::NOTHING {
                break;
            }
            if self.nullable(reading.after) {
                reading.matches.push(at + 1);
            }
        }
        reading
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same beginnings are matches as byte by byte, and the same is left, perhaps in another spelling.
    #[test]
    fn the_same_is_left_as_byte_by_byte() {
        let terms = Terms::default();
        let [a, b, blank] = ["a", "b", " "].map(|text| terms.text(text.as_bytes()));
        let any = terms.alt([a, b, blank, terms.text(b"ba ")]);
        let letters = terms.repeat(terms.alt([a, b]), 1, None);
        let word = terms.concat(letters, terms.repeat(blank, 1, Some(2)));
        let words = |most| terms.concat(terms.repeat(word, 0, Some(most)), letters);
        let length = |min, max| terms.repeat(terms.alt([a, b, blank]), min, max);
        let all = |all: &[TermId], none: &[TermId]| terms.all(all.to_vec(), none.to_vec()).unwrap();
        let some = [
            all(&[words(2), length(2, Some(5))], &[]),
            all(&[words(3), length(0, Some(6))], &[terms.text(b"ab"), terms.text(b"b a")]),
            terms.concat(all(&[words(1), length(1, Some(4))], &[]), terms.concat(blank, words(1))),
            terms.concat(length(0, Some(3)), terms.concat(length(1, Some(2)), a)),
            terms
                .concat(terms.repeat(any, 1, Some(3)), terms.repeat(terms.text(b"a "), 0, Some(2))),
            terms.alt([all(&[words(2), length(4, None)], &[]), terms.repeat(a, 3, Some(4))]),
        ];
        let mut texts: Vec<Vec<u8>> = vec![Vec::new()];
        for from in 0..3_usize.pow(6) / 2 {
            texts.extend(b"ab ".map(|byte| [&texts[from][..], &[byte]].concat()));
        }
        for (at, &term) in some.iter().enumerate() {
            for text in &texts {
                let slow = terms.read_bytes(term, text);
                let fast = terms.reading(term, text);
                let text = String::from_utf8_lossy(text);
                assert_eq!(slow.matches, fast.matches, "{at} {text:?}");
                let lives = |term| term != TermId::NOTHING;
                assert_eq!(lives(slow.after), lives(fast.after), "{at} {text:?}");
                assert_eq!(terms.nullable(slow.after), terms.nullable(fast.after), "{at} {text:?}");
                for byte in *b"ab " {
                    let [slow, fast] =
                        [&slow, &fast].map(|reading| terms.next(reading.after, byte));
                    assert_eq!(lives(slow), lives(fast), "{at} {text:?} {byte}");
                    assert_eq!(terms.nullable(slow), terms.nullable(fast), "{at} {text:?} {byte}");
                }
            }
        }
    }
}
