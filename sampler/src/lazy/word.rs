//! A word that ends free text, token by token.

use std::sync::{Arc, OnceLock};

use crate::budget;
use crate::constraint::Constraint;
use crate::engine::Engine;

/// The one trigger of a lazy grammar, where that is a word: free text ends once it has been spelled,
/// whatever came before.
#[derive(Debug)]
pub(super) struct Word {
    text: Box<[u8]>,
    /// For each of its beginnings the longest one that ends it (Knuth, Morris, Pratt 1977).
    borders: Vec<usize>,
    /// How many tokens spell what is left behind each of its beginnings.
    left: Vec<Option<u32>>,
    is_behind: bool,
    /// How many tokens complete what it leads to.
    after: OnceLock<Option<usize>>,
}

impl Word {
    pub(super) fn new(text: &[u8], is_behind: bool, engine: &Arc<Engine>) -> Self {
        let mut borders = vec![0; text.len()];
        let mut border = 0;
        for at in 1..text.len() {
            while border > 0 && text[border] != text[at] {
                border = borders[border - 1];
            }
            border += usize::from(text[border] == text[at]);
            borders[at] = border;
        }
        let left = budget::spelled(engine, text);
        Self { text: text.into(), borders, left, is_behind, after: OnceLock::new() }
    }

    /// How much of it has been spelled once more has been read. It is not spelled as a whole within.
    pub(super) fn spelled(&self, before: usize, bytes: &[u8]) -> usize {
        bytes.iter().fold(before, |mut spelled, &byte| {
            while spelled > 0 && self.text.get(spelled) != Some(&byte) {
                spelled = self.borders[spelled - 1];
            }
            spelled + usize::from(self.text.get(spelled) == Some(&byte))
        })
    }

    /// How many tokens spell the rest.
    pub(super) fn left(&self, spelled: usize) -> Option<usize> {
        self.left[spelled].map(|count| count as usize)
    }

    /// How much of it may have been spelled.
    pub(super) fn places(&self) -> std::ops::Range<usize> {
        0..self.text.len()
    }

    /// How many tokens complete what it leads to, if that is known.
    pub(super) fn needed_behind(&self, target: &Constraint) -> Option<usize> {
        *self.after.get_or_init(|| {
            if self.is_behind { target.needed_text() } else { target.needed_after_text(&self.text) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vocabulary;

    #[test]
    fn what_is_spelled_is_the_longest_beginning() {
        let tokens = r#"{"tokens": ["a", "b", "ab", "aba"]}"#;
        let engine = Engine::new(Vocabulary::from_json(tokens).unwrap());
        let word = Word::new(b"abaab", true, &engine);
        for text in ["", "a", "ba", "aba", "abab", "abaa", "aabaaaba", "abaaaab", "c", "abac"] {
            let longest =
                word.places().rfind(|&place| text.as_bytes().ends_with(&b"abaab"[..place]));
            assert_eq!(word.spelled(0, text.as_bytes()), longest.unwrap(), "{text}");
        }
        let left: Vec<Option<usize>> = word.places().map(|place| word.left(place)).collect();
        assert_eq!(left, [2, 3, 2, 1, 1].map(Some));
    }
}
