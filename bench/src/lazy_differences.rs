//! The listed differences from llama.cpp's answers to lazy grammars: which steps they are about, and
//! what is right instead.

use std::sync::Arc;

use anyhow::{Context, Result};
use grammask_gbnf::{Matcher, TokenReference};
use grammask_sampler::{Engine, TokenId, Vocabulary};
use regex::bytes::Regex;
use serde::Deserialize;
use serde_json::Value;

use crate::golden_lazy::Answer;

/// Where we answer otherwise than llama.cpp, and why.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// A name for it.
    pub id: String,
    /// Why our answer is the right one. Only for readers.
    #[serde(rename = "reason")]
    _reason: String,
    when: When,
}

/// What is true of a step; each says what is right instead.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum When {
    EndsGeneration,
    TakesControlTokensForText,
    OffersMisfits,
}

/// The list that the project keeps.
pub fn listed() -> Result<Vec<Difference>> {
    serde_json::from_str(include_str!("../differences/lazy.json")).context("differences/lazy.json")
}

impl Difference {
    /// What is right instead of an answer of llama.cpp to the last of some steps.
    pub fn correct(&self, plain: &Plain, tokens: &[TokenId], answer: &Answer) -> Answer {
        let Answer::Read { constrained, allowed } = answer else { return answer.clone() };
        let constrained = *constrained;
        let keep = |is_right: &dyn Fn(TokenId) -> bool| Answer::Read {
            constrained,
            allowed: allowed.iter().copied().filter(|&probe| is_right(probe)).collect(),
        };
        let vocabulary = plain.engine.vocabulary();
        match self.when {
            When::EndsGeneration => {
                let ends = tokens.last().is_some_and(|&token| vocabulary.is_eog(token));
                keep(&|_| !ends)
            }
            When::TakesControlTokensForText => match plain.read(tokens) {
                _ if !constrained => answer.clone(),
                Reading::Misfit if plain.as_text(tokens) != Reading::Misfit => Answer::Refused,
                Reading::Constrained(matcher) => keep(&|probe| {
                    let is_text = vocabulary.is_control(probe) && !vocabulary.is_eog(probe);
                    !is_text || plain.accepts(&matcher, probe)
                }),
                _ => answer.clone(),
            },
            When::OffersMisfits if constrained => answer.clone(),
            When::OffersMisfits => keep(&|probe| {
                let next: Vec<TokenId> = tokens.iter().copied().chain([probe]).collect();
                vocabulary.is_eog(probe) || plain.read(&next) != Reading::Misfit
            }),
        }
    }
}

/// A lazy grammar as plainly as possible: the whole text is searched anew after each token.
pub struct Plain {
    engine: Arc<Engine>,
    matcher: Matcher,
    patterns: Vec<Regex>,
    tokens: Vec<TokenId>,
}

/// What becomes of some tokens.
enum Reading {
    Free,
    Constrained(Matcher),
    /// A trigger is complete, but the text from there on does not fit.
    Misfit,
}

impl PartialEq for Reading {
    fn eq(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

impl Plain {
    /// For a row, with its grammar.
    pub fn new(
        engine: &Arc<Engine>,
        matcher: Matcher,
        row: &Value,
        tokens: &[TokenId],
    ) -> Result<Self> {
        let mut patterns = Vec::new();
        for pattern in row["trigger_patterns"].as_array().into_iter().flatten() {
            let pattern = pattern.as_str().context("a pattern")?;
            if pattern.starts_with('^') && pattern.ends_with('$') {
                patterns.push(Regex::new(&format!("(?-u)^(?:{pattern})$"))?);
            }
            patterns.push(Regex::new(&format!("(?-u){pattern}"))?);
        }
        Ok(Self { engine: Arc::clone(engine), matcher, patterns, tokens: tokens.to_vec() })
    }

    fn vocabulary(&self) -> &Vocabulary {
        self.engine.vocabulary()
    }

    fn read(&self, tokens: &[TokenId]) -> Reading {
        self.read_with(tokens, false)
    }

    /// As llama.cpp: a grammar reads the text of control tokens.
    fn as_text(&self, tokens: &[TokenId]) -> Reading {
        self.read_with(tokens, true)
    }

    fn read_with(&self, tokens: &[TokenId], control_is_text: bool) -> Reading {
        let mut text: Vec<u8> = Vec::new();
        let mut free = Vec::new();
        let mut matcher: Option<Matcher> = None;
        for &token in tokens {
            let bytes = self.vocabulary().bytes(token).unwrap_or_default();
            let mut replay = vec![(token, bytes.to_vec())];
            if matcher.is_none() {
                free.push((token, text.len()));
                text.extend_from_slice(bytes);
                if !self.tokens.contains(&token) {
                    let Some(start) =
                        self.patterns.iter().find_map(|pattern| start(pattern, &text))
                    else {
                        continue;
                    };
                    let ends = free.iter().skip(1).map(|&(_, at)| at).chain([text.len()]);
                    let pieces = free.iter().zip(ends).filter(|&(_, end)| end > start);
                    replay = pieces
                        .map(|(&(token, at), end)| (token, text[at.max(start)..end].to_vec()))
                        .collect();
                }
                matcher = Some(self.matcher.clone());
            }
            let Some(matcher) = &mut matcher else { continue };
            for (token, bytes) in replay {
                let is_text = control_is_text || !self.vocabulary().is_control(token);
                let means = |reference: &TokenReference| self.means(reference, token);
                if self.vocabulary().is_eog(token) {
                    continue;
                }
                if matcher.advance_token(is_text.then_some(&*bytes), means).is_err() {
                    return Reading::Misfit;
                }
            }
        }
        matcher.map_or(Reading::Free, Reading::Constrained)
    }

    fn accepts(&self, matcher: &Matcher, token: TokenId) -> bool {
        let means = |reference: &TokenReference| self.means(reference, token);
        matcher.clone().advance_token(None, means).is_ok()
    }

    fn means(&self, reference: &TokenReference, token: TokenId) -> bool {
        (self.engine.resolve(reference) == Some(token)) != reference.negated
    }
}

/// Where what follows the leftmost match begins: at its first group that is not empty.
fn start(pattern: &Regex, text: &[u8]) -> Option<usize> {
    let captures = pattern.captures(text)?;
    let group = captures.iter().skip(1).flatten().find(|group| !group.is_empty());
    group.or(captures.get(0)).map(|group| group.start())
}
