//! Special tokens in a text: what lies between them is all that a tokenizer splits.

use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use grammask::sampler::TokenId;

/// The tokens that are found by their whole text, before anything is split.
#[derive(Debug)]
pub(super) struct SpecialTokens {
    /// The longest ones first.
    tokens: Vec<Special>,
    /// Finds any of them.
    finder: AhoCorasick,
}

/// A token that is found by its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Special {
    pub(super) id: TokenId,
    pub(super) text: String,
    /// Blanks behind it go with it.
    pub(super) strips_right: bool,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fragment {
    Text(Range<usize>),
    Token(TokenId),
}

impl SpecialTokens {
    /// Texts that are empty are found nowhere.
    ///
    /// # Errors
    ///
    /// There are too many.
    pub(super) fn new(mut tokens: Vec<Special>) -> Result<Self, aho_corasick::BuildError> {
        tokens.retain(|special| !special.text.is_empty());
        tokens.sort_by_key(|special| std::cmp::Reverse(special.text.len()));
        let texts = tokens.iter().map(|special| &special.text);
        let finder = AhoCorasick::builder().match_kind(MatchKind::Standard).build(texts)?;
        Ok(Self { tokens, finder })
    }

    /// Cuts a text at special tokens: first at the longest ones, wherever they are, then at the others
    /// in what is left (`llama_vocab::impl::tokenizer_st_partition`).
    pub(super) fn partition(&self, text: &str) -> Vec<Fragment> {
        let mut occurs = vec![false; self.tokens.len()];
        for found in self.finder.find_overlapping_iter(text) {
            occurs[found.pattern()] = true;
        }
        let mut fragments: Vec<Fragment> =
            if text.is_empty() { Vec::new() } else { vec![Fragment::Text(0..text.len())] };
        for (special, _) in self.tokens.iter().zip(occurs).filter(|(_, occurs)| *occurs) {
            let mut cut = Vec::with_capacity(fragments.len());
            for fragment in fragments {
                match fragment {
                    Fragment::Text(range) => special.cut(text, range, &mut cut),
                    token @ Fragment::Token(_) => cut.push(token),
                }
            }
            fragments = cut;
        }
        fragments
    }
}

impl Special {
    /// Cuts a part of a text wherever this token is.
    fn cut(&self, text: &str, range: Range<usize>, fragments: &mut Vec<Fragment>) {
        let Range { mut start, end } = range;
        while let Some(at) = text[start..end].find(&self.text) {
            if at > 0 {
                fragments.push(Fragment::Text(start..start + at));
            }
            fragments.push(Fragment::Token(self.id));
            start += at + self.text.len();
            if self.strips_right {
                let rest = &text[start..end];
                // What C's `isspace` says.
                let kept = rest.trim_start_matches([' ', '\t', '\n', '\u{b}', '\u{c}', '\r']);
                start += rest.len() - kept.len();
            }
        }
        if start < end {
            fragments.push(Fragment::Text(start..end));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn specials(strips_right: bool) -> SpecialTokens {
        let texts = ["<a>", "b<cde>", "<a>b", "  ", ""];
        let special = |(id, text): (u32, &str)| Special {
            id: TokenId(id),
            text: text.to_owned(),
            strips_right,
        };
        SpecialTokens::new((0..).zip(texts).map(special).collect()).expect("they are few")
    }

    #[test]
    fn the_longest_are_found_first() {
        use Fragment::{Text, Token};
        let partition = |text| specials(false).partition(text);
        assert_eq!(partition(""), []);
        assert_eq!(partition("x"), [Text(0..1)]);
        assert_eq!(partition("<a>b<cde>"), [Token(TokenId(0)), Token(TokenId(1))]);
        assert_eq!(partition("<a>bx"), [Token(TokenId(2)), Text(4..5)]);
        assert_eq!(partition("x   y"), [Text(0..1), Token(TokenId(3)), Text(3..5)]);
        assert_eq!(partition("<a><a>"), [Token(TokenId(0)), Token(TokenId(0))]);
    }

    #[test]
    fn blanks_behind_a_token_go_with_it() {
        use Fragment::{Text, Token};
        assert_eq!(specials(true).partition("<a>\n x"), [Token(TokenId(0)), Text(5..6)]);
        assert_eq!(specials(true).partition("<a>\n"), [Token(TokenId(0))]);
    }
}
