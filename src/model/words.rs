//! The words of a grammar, and how a text may go on with them.

use grammask_gbnf::{ExprKind, Grammar};
use grammask_sampler::{TokenId, Vocabulary};
use memchr::memmem;

/// The literals of a grammar that have letters: the names of properties, the members of
/// enumerations, keywords.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    /// Sorted, each once.
    words: Vec<Box<[u8]>>,
    longest: usize,
}

/// A longer literal is known by its beginning.
const MAX_LENGTH: usize = 64;
/// How many of the words that go on alike are looked at.
const MAX_WORDS: usize = 256;

impl Words {
    pub(super) fn of(grammar: &Grammar) -> Self {
        let mut words: Vec<Box<[u8]>> = grammar
            .rules
            .iter()
            .flat_map(|rule| rule.body.descendants())
            .filter_map(|part| match &part.kind {
                ExprKind::Literal(text) => Some(&text.as_bytes()[..text.len().min(MAX_LENGTH)]),
                _ => None,
            })
            .filter(|word| word.len() > 1 && word.iter().any(u8::is_ascii_alphabetic))
            .map(Into::into)
            .collect();
        words.sort_unstable();
        words.dedup();
        let longest = words.iter().map(|word| word.len()).max().unwrap_or(0);
        Self { words, longest }
    }

    /// The tokens with which the word that the text has begun goes on, each with the share of the
    /// rest of the word that it spells. Of several words, those are meant that the text has least
    /// often.
    pub(super) fn continuations(
        &self,
        text: &[u8],
        vocabulary: &Vocabulary,
    ) -> Vec<(TokenId, f32)> {
        let (begun, words) = self.begun(text);
        let counts: Vec<_> =
            words.iter().map(|word| memmem::find_iter(text, word).count()).collect();
        let least = counts.iter().min().copied().unwrap_or(0);
        let mut tokens = Vec::new();
        for (word, _) in words.iter().zip(counts).filter(|&(_, count)| count == least) {
            let rest = &word[begun..];
            for end in 1..=rest.len().min(vocabulary.longest()) {
                if let Some(token) = vocabulary.token_by_text(&rest[..end]) {
                    #[allow(clippy::cast_precision_loss)] // Words are short.
                    tokens.push((token, end as f32 / rest.len() as f32));
                }
            }
        }
        tokens
    }

    /// The longest end of the text that is the beginning of words: its length, and the words. Not
    /// within another word, and not behind a colon: names are repeated, values are new.
    fn begun(&self, text: &[u8]) -> (usize, &[Box<[u8]>]) {
        for length in (1..self.longest.min(text.len() + 1)).rev() {
            let (before, begun) = text.split_at(text.len() - length);
            let inside = begun[0].is_ascii_alphanumeric()
                && before.last().is_some_and(u8::is_ascii_alphanumeric);
            let value = before.trim_ascii_end().last() == Some(&b':');
            if inside || value {
                continue;
            }
            let from = self.words.partition_point(|word| **word <= *begun);
            let same = self.words[from..].partition_point(|word| word.starts_with(begun));
            if same > 0 {
                return (length, &self.words[from..from + same.min(MAX_WORDS)]);
            }
        }
        (0, &[])
    }
}
