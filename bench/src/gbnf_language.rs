//! What a grammar means for a row's cases, by the reference matcher, which shares nothing with the
//! automaton that is being measured.
//!
//! Token references are made part of the text: each token id has a private character, which no
//! class matches any more. Then the cases with tokens are texts too.

use grammask_gbnf::{
    All, CharClass, Expr, ExprKind, Grammar, Member, Members, Rule, TokenName, TokenReference,
    Unique,
};
use grammask_oracle::Reference;
use grammask_sampler::{TokenId, Vocabulary};

use crate::gbnf_derivatives::Derivatives;
use crate::verdict::Verdict;

/// The character of token 0. (Private use, plane 16: as many as there are.)
const TOKENS: u32 = 0x10_0000;
/// The last character of a text.
const LAST: char = '\u{FFFFF}';
/// Stands for any way to end, in [`Language::survives`].
const WAY_OUT: char = '\u{10FFFD}';

/// The languages of a grammar.
pub struct Language<'v> {
    vocabulary: &'v Vocabulary,
    exact: Meaning,
    with_ways_out: Meaning,
}

/// A text of this length or longer is left to the derivatives if they can do it.
const LONG: usize = 200;

/// A language, for short and for long texts.
struct Meaning {
    reference: Reference,
    derivatives: Option<Derivatives>,
}

impl Meaning {
    fn new(grammar: &Grammar, root: &str) -> Self {
        let reference = Reference::new(grammar, root);
        Self { reference, derivatives: Derivatives::new(grammar, root) }
    }

    fn verdict(&self, bytes: &[u8]) -> Verdict {
        if bytes.len() >= LONG
            && let (Some(derivatives), Ok(text)) = (&self.derivatives, str::from_utf8(bytes))
        {
            return derivatives.of_text(text);
        }
        let read = self.reference.read(bytes);
        read.map_or(Verdict::Refused, |chart| Verdict::of(true, chart.matches()))
    }
}

impl<'v> Language<'v> {
    /// The language of the rule `root` on a vocabulary.
    pub fn new(grammar: &Grammar, root: &str, vocabulary: &'v Vocabulary) -> Self {
        let rewriting = Rewriting { vocabulary, way_out: false };
        let exact = Meaning::new(&rewriting.grammar(grammar), root);
        let rewriting = Rewriting { vocabulary, way_out: true };
        let with_ways_out = Meaning::new(&rewriting.grammar(grammar), root);
        Self { vocabulary, exact, with_ways_out }
    }

    /// What is true of a text.
    pub fn of_text(&self, bytes: &[u8]) -> Verdict {
        self.exact.verdict(bytes)
    }

    /// Whether the text is dead only because what it leads into cannot be completed.
    pub fn is_dead_end(&self, bytes: &[u8]) -> bool {
        self.of_text(bytes) == Verdict::Refused
            && self.with_ways_out.verdict(bytes) != Verdict::Refused
    }

    /// What is true of tokens, and which of them is refused. `control_as_text`: were control
    /// tokens also what they spell.
    pub fn of_tokens(&self, tokens: &[TokenId], control_as_text: bool) -> (Verdict, Option<usize>) {
        for end in 0..=tokens.len() {
            let verdict = self.of_spellings(&tokens[..end], control_as_text);
            if verdict == Verdict::Refused && end > 0 {
                return (verdict, Some(end - 1));
            }
            if end == tokens.len() {
                return (verdict, None);
            }
        }
        (Verdict::Refused, None)
    }

    /// The best verdict of all ways to take each token as text or as a token.
    fn of_spellings(&self, tokens: &[TokenId], control_as_text: bool) -> Verdict {
        let mut spellings = vec![Vec::new()];
        for &token in tokens {
            let control = self.vocabulary.is_control(token);
            let text = self.vocabulary.bytes(token).filter(|_| !control || control_as_text);
            let as_token = (!self.vocabulary.is_eog(token))
                .then(|| char::from_u32(TOKENS + token.0).unwrap_or(WAY_OUT).to_string());
            let ways = [text.map(<[u8]>::to_vec), as_token.map(String::into_bytes)];
            spellings = spellings
                .iter()
                .flat_map(|before: &Vec<u8>| {
                    ways.iter().flatten().map(move |way| [before.as_slice(), way].concat())
                })
                .filter(|spelling| self.exact.reference.alive(spelling))
                .collect();
        }
        let verdicts: Vec<_> = spellings.iter().map(|text| self.exact.verdict(text)).collect();
        [Verdict::Complete, Verdict::Prefix]
            .into_iter()
            .find(|verdict| verdicts.contains(verdict))
            .unwrap_or(Verdict::Refused)
    }
}

/// A grammar with token references spelled as characters.
struct Rewriting<'v> {
    vocabulary: &'v Vocabulary,
    /// Whether each rule and class also matches [`WAY_OUT`].
    way_out: bool,
}

impl Rewriting<'_> {
    fn grammar(&self, grammar: &Grammar) -> Grammar {
        let rules = grammar.rules.iter().map(|rule| Rule {
            name: rule.name.clone(),
            name_span: rule.name_span,
            body: self.or_out(self.expr(&rule.body)).into(),
        });
        Grammar { rules: rules.collect() }
    }

    fn or_out(&self, expr: Expr) -> Expr {
        if self.way_out { Expr::choice([expr, Expr::literal(WAY_OUT.to_string())]) } else { expr }
    }

    fn all(&self, exprs: &[Expr]) -> Vec<Expr> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    fn expr(&self, expr: &Expr) -> Expr {
        match &expr.kind {
            ExprKind::Literal(_) | ExprKind::Reference(_) => expr.clone(),
            ExprKind::Class(class) => self.or_out(Self::class(&class.matched())),
            ExprKind::Any => Self::class(&[('\0', LAST)]),
            ExprKind::Token(reference) => self.token(reference),
            ExprKind::Sequence(items) => Expr::new(ExprKind::Sequence(self.all(items))),
            ExprKind::Choice(items) => Expr::new(ExprKind::Choice(self.all(items))),
            ExprKind::Repeat { item, min, max } => self.expr(item).repeat(*min, *max),
            ExprKind::Members(members) => Expr::new(ExprKind::Members(Box::new(Members {
                members: members
                    .members
                    .iter()
                    .map(|member| Member {
                        key: member.key.clone(),
                        repetition: member.repetition,
                        value: self.expr(&member.value),
                    })
                    .collect(),
                separator: self.expr(&members.separator),
                min: members.min,
                max: members.max,
            }))),
            ExprKind::Unique(list) => Expr::new(ExprKind::Unique(Box::new(Unique {
                first: self.all(&list.first),
                rest: list.rest.as_ref().map(|rest| self.expr(rest)),
                separator: self.expr(&list.separator),
                min: list.min,
                max: list.max,
            }))),
            ExprKind::All(found) => Expr::new(ExprKind::All(Box::new(All {
                all: self.all(&found.all),
                none: self.all(&found.none),
            }))),
        }
    }

    /// The characters of texts in these ranges.
    fn class(ranges: &[(char, char)]) -> Expr {
        let ranges = ranges.iter().filter(|range| range.0 <= LAST);
        Expr::class(ranges.map(|&(low, high)| (low, high.min(LAST))))
    }

    fn token(&self, reference: &TokenReference) -> Expr {
        let meant = match &reference.token {
            TokenName::Id(id) => Some(TokenId(*id)),
            TokenName::Text(text) => self.vocabulary.token_by_text(text.as_bytes()),
        };
        let character = |id: u32| char::from_u32(TOKENS + id).filter(|&c| c < WAY_OUT);
        let last = character(self.vocabulary.len() as u32 - 1).unwrap_or(WAY_OUT);
        let meant = meant.and_then(|token| character(token.0));
        let kind = match (reference.negated, meant) {
            // What is no token is never read; but a model might have it: no dead end.
            (false, meant) => return Expr::literal(meant.unwrap_or(WAY_OUT).to_string()),
            (true, None) => CharClass { negated: false, ranges: vec![('\u{100000}', last)] },
            (true, Some(meant)) => {
                let (before, after) = (meant as u32 - 1, meant as u32 + 1);
                let mut ranges = Vec::new();
                if before >= TOKENS {
                    ranges.extend(char::from_u32(before).map(|end| ('\u{100000}', end)));
                }
                ranges.extend(
                    char::from_u32(after).filter(|&from| from <= last).map(|from| (from, last)),
                );
                CharClass { negated: false, ranges }
            }
        };
        Expr::new(ExprKind::Class(kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn language<'v>(text: &str, vocabulary: &'v Vocabulary) -> Language<'v> {
        Language::new(&grammask_gbnf::parse(text).unwrap(), "root", vocabulary)
    }

    #[test]
    fn tokens_are_part_of_the_text() {
        let mut builder = Vocabulary::builder();
        builder.push("a").push("b").push("ab").push_control("<c>").push_eog("</s>");
        let vocabulary = builder.build().unwrap();
        let [a, b, ab, control, end] = [0, 1, 2, 3, 4].map(TokenId);

        let both = language("root ::= \"a\" <c> \"b\" | !<[3]> \"b\"", &vocabulary);
        assert_eq!(both.of_tokens(&[a, control], false), (Verdict::Prefix, None));
        assert_eq!(both.of_tokens(&[a, control, b], false), (Verdict::Complete, None));
        assert_eq!(both.of_tokens(&[ab, b], false), (Verdict::Complete, None));
        assert_eq!(both.of_tokens(&[ab, ab], false), (Verdict::Refused, Some(1)));
        assert_eq!(both.of_tokens(&[end], false), (Verdict::Refused, Some(0)));

        let text = language("root ::= \"<c>\" .?", &vocabulary);
        assert_eq!(text.of_tokens(&[control], false), (Verdict::Refused, Some(0)));
        assert_eq!(text.of_tokens(&[control], true), (Verdict::Complete, None));
    }

    #[test]
    fn a_dead_end_is_what_could_go_on_but_for_its_end() {
        let vocabulary = crate::vocabularies::bytes().unwrap();
        let endless = language("root ::= \"a\" x | \"b\"\nx ::= \"c\" x", &vocabulary);
        assert_eq!(endless.of_text(b""), Verdict::Prefix);
        assert!(endless.is_dead_end(b"a") && endless.is_dead_end(b"acc"));
        assert!(!endless.is_dead_end(b"b") && !endless.is_dead_end(b"d"));
        let to_end = language("root ::= \"h\" </s>", &vocabulary);
        assert_eq!(to_end.of_text(b"h"), Verdict::Prefix);
    }
}
