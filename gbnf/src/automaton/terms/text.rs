//! Literals as terms: a term for each byte that is left. Grammars have many literals in common, and
//! those that are known are looked up as a whole.

use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use super::{Fingerprint, Term, TermId, Terms, locked};

/// A shorter literal is made as soon as looked up.
const KNOWN_FROM: usize = 3;

impl Terms {
    /// Exactly these bytes.
    pub fn text(&self, text: &[u8]) -> TermId {
        if text.len() < KNOWN_FROM {
            return self.text_before(text, TermId::EMPTY);
        }
        self.literal(Fingerprint::of_literals(1).text(text), || {
            self.text_before(text, TermId::EMPTY)
        })
    }

    /// The term of literals with this fingerprint, which is made if it is not known.
    fn literal(&self, literals: Fingerprint, make: impl FnOnce() -> TermId) -> TermId {
        if let Some(term) = self.known_of(|terms| locked(&terms.literals).get(&literals).copied()) {
            return term;
        }
        let term = make();
        locked(&self.literals).insert(literals, term);
        term
    }

    /// These bytes followed by a term.
    fn text_before(&self, text: &[u8], rest: TermId) -> TermId {
        let (text, rest) = match (text, rest) {
            (_, TermId::NOTHING) | ([], _) => return rest,
            ([before @ .., last], TermId::EMPTY) => (before, self.byte(*last)),
            _ => (text, rest),
        };
        let bytes: SmallVec<[TermId; 32]> = text.iter().map(|&byte| self.byte(byte)).collect();
        let mut index = self.index();
        let mut rest = rest;
        // Behind a byte that leads to a new term nothing is known.
        let mut is_new = false;
        for byte in bytes.into_iter().rev() {
            let term = Term::Concat(byte, rest);
            let hash = FxBuildHasher.hash_one(&term);
            let known = if is_new { None } else { self.known(&index, hash, &term) };
            is_new = known.is_none();
            rest = known.unwrap_or_else(|| self.add(&mut index, hash, term));
        }
        rest
    }

    /// Whether the one text that `literal` matches is a match of `term`.
    pub(crate) fn is_match(&self, literal: TermId, term: TermId) -> bool {
        // Most bytes of a key stay within one loop, whose row need not be looked up again.
        let (mut left, mut row) = (term, self.known_row(term));
        for byte in self.common_start(literal) {
            let next = row.map_or_else(|| self.next(left, byte), |row| row.next(byte));
            if next == TermId::NOTHING {
                return false;
            }
            if next != left || row.is_none() {
                (left, row) = (next, self.known_row(next));
            }
        }
        self.nullable(left)
    }

    /// One of several texts, as a trie.
    pub fn texts<'a>(&self, texts: impl IntoIterator<Item = &'a [u8]>) -> TermId {
        let mut branches: Vec<_> = texts.into_iter().map(|text| (text, TermId::EMPTY)).collect();
        // In one order, so that there are no more entries than terms.
        branches.sort_unstable();
        branches.dedup();
        let start = Fingerprint::of_literals(branches.len());
        let literals = branches.iter().fold(start, |found, &(text, _)| found.text(text));
        self.literal(literals, || self.branches(branches))
    }

    /// One of several texts, each followed by a term; as a trie of the texts.
    pub fn branches(&self, mut branches: Vec<(&[u8], TermId)>) -> TermId {
        branches.sort_unstable();
        branches.dedup();
        self.trie(&branches, 0)
    }

    /// The trie of sorted texts that agree up to `depth`. Its nesting is as deep as a text is
    /// long, hence the growing stack.
    fn trie(&self, branches: &[(&[u8], TermId)], depth: usize) -> TermId {
        if let &[(text, rest)] = branches {
            return self.text_before(&text[depth..], rest);
        }
        let ended = branches.partition_point(|(text, _)| text.len() == depth);
        let (ended, mut going_on) = branches.split_at(ended);
        let mut alternatives: Vec<_> = ended.iter().map(|&(_, rest)| rest).collect();
        while let Some((first, _)) = going_on.first() {
            let byte = first[depth];
            let same = going_on.partition_point(|(text, _)| text[depth] <= byte);
            let (group, others) = going_on.split_at(same);
            let tail = stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.trie(group, depth + 1));
            alternatives.push(self.concat(self.byte(byte), tail));
            going_on = others;
        }
        self.alt(alternatives)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_told_that_are_matches() {
        let terms = Terms::default();
        let [quote, dash] = [&b"\""[..], b"-"].map(|text| terms.text(text));
        let letters = terms.repeat(terms.class(&[('a', 'c')]), 0, None);
        let quoted = terms.concat(quote, terms.concat(letters, quote));
        let words = terms.concat(letters, terms.repeat(terms.concat(dash, letters), 1, Some(2)));
        let pairs = terms.repeat(terms.text(b"ab"), 1, None);
        let mut matches = 0;
        for term in [quoted, words, pairs, terms.alt([words, pairs]), terms.text(b"ab-c")] {
            for text in ["\"", "\"\"", "\"abc\"", "\"ab", "abc", "ab", "abab", "aba", "ab-c", "-"] {
                let next = |term, &byte: &u8| terms.next(term, byte);
                let is_match = terms.nullable(text.as_bytes().iter().fold(term, next));
                // Also where the transitions are known.
                for _ in 0..2 {
                    assert_eq!(
                        terms.is_match(terms.text(text.as_bytes()), term),
                        is_match,
                        "{text}"
                    );
                    terms.transitions(term);
                }
                matches += usize::from(is_match);
            }
        }
        assert!(matches > 5, "{matches}");
    }
}
