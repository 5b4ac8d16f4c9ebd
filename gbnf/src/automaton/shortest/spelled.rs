//! The texts of a terminal, the shortest ones first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::automaton::label::{After, Label, counted, of_term};
use crate::automaton::terms::{TermId, Terms};

/// After so many steps the search for the shortest text of a terminal is over.
const MOST_STEPS: usize = 1 << 20;

/// Where the bytes of a range lead: the least of them, and what follows.
type Ways = SmallVec<[(u8, After); 8]>;

/// The ways on from a label, by byte.
fn ways(label: Label, terms: &Terms, texts: &[Box<[u8]>]) -> Ways {
    match label {
        Label::Term(term) => {
            let rows = terms.transitions(term).iter();
            rows.map(|&(low, _, next)| (low, of_term(next, terms))).collect()
        }
        Label::Counted { rest, item, min, max } => {
            let (read, min, max) = match rest {
                TermId::EMPTY if max == u32::MAX => (item, min.saturating_sub(1), max),
                TermId::EMPTY => (item, min.saturating_sub(1), max - 1),
                _ => (rest, min, max),
            };
            let rows = terms.transitions(read).iter();
            rows.map(|&(low, _, rest)| (low, counted(rest, item, min, max, terms))).collect()
        }
        Label::Text { text, at } => {
            let byte = texts[text as usize][at as usize];
            let after = crate::automaton::label::step(label, byte, terms, texts);
            SmallVec::from_slice(&[(byte, after)])
        }
        Label::Token(_) | Label::Key { .. } | Label::Item { .. } | Label::ItemEnd { .. } => {
            Ways::new()
        }
    }
}

/// No text that a label goes on with has fewer bytes.
fn at_least(label: Label, terms: &Terms, texts: &[Box<[u8]>]) -> u32 {
    let bytes = match label {
        Label::Term(term) => terms.shortest(term),
        Label::Counted { rest, item, min, .. } => {
            let items = terms.shortest(item).saturating_mul(min);
            terms.shortest(rest).saturating_add(items)
        }
        Label::Text { text, at } => texts[text as usize].len() as u32 - at,
        Label::Token(_) | Label::Key { .. } | Label::Item { .. } | Label::ItemEnd { .. } => 0,
    };
    bytes.max(1)
}

/// The least of the shortest texts that a label goes on with, and the label before each byte of it;
/// nothing if there is none or it is too far to seek (Korf, "Depth-first iterative-deepening", 1985).
pub(super) fn least_text(
    start: Label,
    terms: &Terms,
    texts: &[Box<[u8]>],
) -> Option<(Vec<Label>, Vec<u8>)> {
    let mut most = at_least(start, terms, texts);
    let mut steps = 0;
    loop {
        // The least length beyond what was allowed.
        let mut beyond = u32::MAX;
        // With so many bytes left, a label led to no end.
        let mut failed: FxHashMap<Label, u32> = FxHashMap::default();
        let mut text: Vec<u8> = Vec::new();
        let mut path = vec![(start, ways(start, terms, texts), 0)];
        while let Some((label, ways_on, next)) = path.last_mut() {
            steps += 1;
            if steps > MOST_STEPS {
                return None;
            }
            let Some(&(byte, after)) = ways_on.get(*next) else {
                let left = most - text.len() as u32;
                let known = failed.entry(*label).or_default();
                *known = left.max(*known);
                path.pop();
                text.pop();
                continue;
            };
            *next += 1;
            let read = text.len() as u32 + 1;
            if after.ends {
                text.push(byte);
                return Some((path.into_iter().map(|(label, _, _)| label).collect(), text));
            }
            let Some(label) = after.label else { continue };
            let length = read.saturating_add(at_least(label, terms, texts));
            if length > most {
                beyond = beyond.min(length);
            } else if failed.get(&label).is_none_or(|&left| left < most - read) {
                text.push(byte);
                path.push((label, ways(label, terms, texts), 0));
            }
        }
        if beyond == u32::MAX {
            return None;
        }
        most = beyond;
    }
}

/// A text of which more may be to come.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Begun {
    /// The least number of bytes in all.
    length: u32,
    bytes: Vec<u8>,
    /// Whether these are all; texts with more of them are another one.
    is_whole: bool,
    /// What is left behind the last byte, and behind all bytes from that up to this one.
    left: TermId,
    last: u8,
}

/// The texts of a term with at least a byte, by length and then by bytes, as far as they have been
/// asked for.
#[derive(Debug)]
pub(super) struct ByLength {
    found: Vec<Arc<[u8]>>,
    ahead: BinaryHeap<Reverse<Begun>>,
    steps: usize,
}

/// How many bytes the shortest text of a term has.
type Least<'a> = dyn Fn(TermId) -> Option<u32> + 'a;

/// After so many steps there are no more texts.
const MOST_KEYS: usize = 1 << 12;

impl ByLength {
    /// `least` says how many bytes the shortest text of a term has, but for the empty one; nothing if
    /// there is none.
    pub(super) fn new(term: TermId, terms: &Terms, least: &Least<'_>) -> Self {
        let mut texts = Self { found: Vec::new(), ahead: BinaryHeap::new(), steps: 0 };
        texts.go_on(&[], term, terms, least);
        texts
    }

    /// The text that has so many before it; nothing if there is none or it is too far to seek.
    pub(super) fn get(&mut self, at: usize, terms: &Terms, least: &Least<'_>) -> Option<Arc<[u8]>> {
        while self.found.len() <= at {
            let next = self.next(terms, least)?;
            self.found.push(next.into());
        }
        Some(Arc::clone(&self.found[at]))
    }

    /// How many texts are kept, whole ones and others.
    pub(super) fn len(&self) -> usize {
        self.found.len() + self.ahead.len()
    }

    fn next(&mut self, terms: &Terms, least: &Least<'_>) -> Option<Vec<u8>> {
        while let Some(Reverse(begun)) = self.ahead.pop() {
            let Begun { length, bytes, is_whole, left, last } = begun;
            // The range of the last byte goes on with the next one.
            if let Some((&byte, before)) = bytes.split_last()
                && byte < last
            {
                let bytes = [before, &[byte + 1]].concat();
                self.ahead.push(Reverse(Begun { length, bytes, is_whole, left, last }));
            }
            if is_whole {
                return Some(bytes);
            }
            self.steps += 1;
            if self.steps > MOST_KEYS {
                self.ahead = BinaryHeap::new();
                return None;
            }
            self.go_on(&bytes, left, terms, least);
        }
        None
    }

    /// Goes on behind some bytes with what is left there.
    fn go_on(&mut self, bytes: &[u8], left: TermId, terms: &Terms, least: &Least<'_>) {
        for &(low, last, left) in terms.transitions(left) {
            let bytes = [bytes, &[low]].concat();
            let length = bytes.len() as u32;
            if terms.nullable(left) {
                let bytes = bytes.clone();
                self.ahead.push(Reverse(Begun { length, bytes, is_whole: true, left, last }));
            }
            if let Some(more) = least(left) {
                let length = length.saturating_add(more);
                self.ahead.push(Reverse(Begun { length, bytes, is_whole: false, left, last }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn least(label: Label, terms: &Terms) -> Option<String> {
        let (path, text) = least_text(label, terms, &[])?;
        assert_eq!(path.len(), text.len());
        Some(String::from_utf8(text).unwrap())
    }

    #[test]
    fn the_least_of_the_shortest_texts() {
        let terms = Terms::default();
        let class = |lo, hi| terms.class(&[(lo, hi)]);
        let text = |text: &str| terms.text(text.as_bytes());
        let word = terms.repeat(class('b', 'z'), 3, None);
        let either = terms.alt([text("no"), text("maybe"), text("if"), TermId::EMPTY]);
        let both = terms.all(vec![word, terms.alt([text("zzz"), text("bcdef")])], vec![]).unwrap();
        let other = terms.all(vec![word], vec![text("bbb"), text("bbc")]).unwrap();
        let cases = [(word, "bbb"), (either, "if"), (both, "zzz"), (other, "bbd")];
        for (term, expected) in cases {
            assert_eq!(least(Label::Term(term), &terms).as_deref(), Some(expected));
        }
        let item = terms.concat(class('x', 'y'), text(","));
        let label = |rest, min| Label::Counted { rest, item, min, max: 9 };
        assert_eq!(least(label(TermId::EMPTY, 0), &terms).unwrap(), "x,");
        assert_eq!(least(label(text(","), 2), &terms).unwrap(), ",x,x,");
        assert_eq!(least(Label::Term(TermId::NOTHING), &terms), None);
    }

    #[test]
    fn texts_by_length() {
        let terms = Terms::default();
        let text = |text: &str| terms.text(text.as_bytes());
        let term = terms.alt([text("b"), text("abc"), text("c"), text("ab"), TermId::EMPTY]);
        let found = |term, most| -> Vec<_> {
            let least = |term| Some(least_text(Label::Term(term), &terms, &[])?.1.len() as u32);
            let mut texts = ByLength::new(term, &terms, &least);
            (0..most).map_while(|at| texts.get(at, &terms, &least)).collect()
        };
        let expected = |texts: &[&str]| -> Vec<Arc<[u8]>> {
            texts.iter().map(|text| text.as_bytes().into()).collect()
        };
        assert_eq!(found(term, 9), expected(&["b", "c", "ab", "abc"]));
        let endless = terms.repeat(terms.class(&[('a', 'b')]), 0, None);
        assert_eq!(found(endless, 4), expected(&["a", "b", "aa", "ab"]));
        // What leads to no text, or to longer ones only, is no way.
        let long = terms.repeat(terms.class(&[('a', 'z')]), 5, None);
        let both = terms.all(vec![long, terms.concat(endless, text("c"))], vec![]).unwrap();
        assert_eq!(found(both, 2), expected(&["aaaac", "aaabc"]));
        let none = terms.all(vec![long, text("abcd")], vec![]).unwrap();
        assert_eq!(found(none, 2), expected(&[]));
    }
}
