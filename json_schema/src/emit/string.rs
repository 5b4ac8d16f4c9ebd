//! Strings and keys, spelled as JSON.

use std::collections::BTreeMap;

use grammask_gbnf::Expr;

use super::syntax::Lettering;
use super::terminal::Terminal;
use super::{Emitter, choice, sequence};
use crate::error::SchemaError;
use crate::normal::StringSet;
use crate::options::Strings;

pub(super) const QUOTE: &str = "\"";

/// The shortest escape of a code point that JSON does not allow raw, as `json.dumps` writes it.
pub(super) fn required_escape(c: char) -> Option<String> {
    Some(match c {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        '\u{8}' => "\\b".to_owned(),
        '\t' => "\\t".to_owned(),
        '\n' => "\\n".to_owned(),
        '\u{c}' => "\\f".to_owned(),
        '\r' => "\\r".to_owned(),
        '\0'..='\u{1f}' => format!("\\u{:04x}", c as u32),
        _ => return None,
    })
}

/// A string as JSON text with an escape only where JSON requires one.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    if !text.bytes().any(|byte| byte < b' ' || matches!(byte, b'"' | b'\\')) {
        quoted.push_str(text);
        quoted.push('"');
        return quoted;
    }
    for c in text.chars() {
        match required_escape(c) {
            Some(escape) => quoted.push_str(&escape),
            None => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// What JSON does not allow raw.
pub(super) const NOT_RAW: [(char, char); 3] = [('"', '"'), ('\\', '\\'), ('\0', '\u{1f}')];

/// The escape of a code point that JSON does not let stand for itself.
pub(super) fn necessary_escape() -> Expr {
    let short = Expr::class(['"', '\\', 'b', 'f', 'n', 'r', 't'].map(|c| (c, c)));
    let unnamed = sequence([
        Expr::literal("u00"),
        Expr::choice([
            sequence([Expr::literal("0"), Expr::class([('0', '7'), ('b', 'b'), ('e', 'f')])]),
            sequence([Expr::literal("1"), Expr::class([('0', '9'), ('a', 'f')])]),
        ]),
    ]);
    sequence([Expr::literal("\\"), Expr::choice([short, unnamed])])
}

/// One code point with an escape only where JSON requires one.
pub(super) fn raw_character() -> Expr {
    Expr::choice([Expr::class_except(NOT_RAW), necessary_escape()])
}

/// One code point in any spelling; a surrogate pair is one.
pub(super) fn character() -> Expr {
    let hex = Expr::class([('0', '9'), ('A', 'F'), ('a', 'f')]);
    let d = Expr::class([('D', 'D'), ('d', 'd')]);
    let short = Expr::class(['"', '\\', '/', 'b', 'f', 'n', 'r', 't'].map(|c| (c, c)));
    let other = Expr::class([('0', '9'), ('A', 'C'), ('E', 'F'), ('a', 'c'), ('e', 'f')]);
    let basic = sequence([other, hex.clone().repeat(3, Some(3))]);
    let below = sequence([Expr::class([('0', '7')]), hex.clone().repeat(2, Some(2))]);
    let pair = sequence([
        Expr::class([('8', '9'), ('A', 'B'), ('a', 'b')]),
        hex.clone().repeat(2, Some(2)),
        Expr::literal("\\u"),
        d.clone(),
        Expr::class([('C', 'F'), ('c', 'f')]),
        hex.repeat(2, Some(2)),
    ]);
    let surrogates = sequence([d, Expr::choice([below, pair])]);
    let unicode = sequence([Expr::literal("u"), Expr::choice([basic, surrogates])]);
    let escape = sequence([Expr::literal("\\"), Expr::choice([short, unicode])]);
    Expr::choice([Expr::class_except(NOT_RAW), escape])
}

/// This code point in any spelling.
fn any_spelling(c: char) -> Expr {
    let mut cases = Vec::new();
    match required_escape(c) {
        None => cases.push(Expr::literal(c.to_string())),
        Some(escape) if escape.len() == 2 => cases.push(Expr::literal(escape)),
        Some(_) => {}
    }
    if c == '/' {
        cases.push(Expr::literal("\\/"));
    }
    let mut units = [0; 2];
    let code = c.encode_utf16(&mut units).iter().flat_map(|unit| {
        let digits = format!("{unit:04x}");
        let hex = digits.chars().map(|digit| {
            let upper = digit.to_ascii_uppercase();
            if upper == digit {
                Expr::literal(digit.to_string())
            } else {
                Expr::class([(upper, upper), (digit, digit)])
            }
        });
        std::iter::once(Expr::literal("\\u")).chain(hex.collect::<Vec<_>>())
    });
    cases.push(sequence(code));
    Expr::choice(cases)
}

/// A lower bound on the length below this is part of a conjunction with excluded strings.
const FEW_CHARACTERS: u64 = 8;

/// How many levels of a tree of keys stand in one rule.
const MOST_LEVELS: usize = 24;

/// The strings to exclude, code point by code point.
#[derive(Debug, Default)]
struct Trie {
    ends: bool,
    next: BTreeMap<char, usize>,
}

impl Emitter<'_, '_, '_> {
    /// What matches a string of the set, quotes included.
    pub(super) fn string(&mut self, name: &str, set: &StringSet) -> Result<Vec<Expr>, SchemaError> {
        if self.lettering() != Lettering::Json {
            return self.raw_string(name, set);
        }
        let any_escape = self.options.strings == Strings::AnyEscape && !self.single;
        Ok(match set {
            &StringSet::Matching { texts, min, max } => {
                if any_escape {
                    self.note("strings with a pattern have an escape only where JSON requires one");
                }
                vec![self.matching(name, texts.lower, min, max)?]
            }
            StringSet::Values(values) if any_escape => values
                .iter()
                .map(|value| {
                    let chars = sequence(value.chars().map(any_spelling));
                    sequence([Expr::literal(QUOTE), chars, Expr::literal(QUOTE)])
                })
                .collect(),
            StringSet::Values(values) => {
                values.iter().map(|value| Expr::literal(quoted(value))).collect()
            }
            StringSet::Lengths { min: 0, max: None, except } if except.is_empty() => {
                vec![self.terminal(Terminal::String)]
            }
            StringSet::Lengths { min, max, except } if except.is_empty() => {
                let char = if any_escape {
                    self.terminal(Terminal::Character)
                } else {
                    self.terminal(Terminal::RawCharacter)
                };
                let chars = self.counted(char, *min, *max)?;
                vec![sequence([Expr::literal(QUOTE), chars, Expr::literal(QUOTE)])]
            }
            // Counts of characters would be states of the conjunction.
            StringSet::Lengths { min: min @ ..FEW_CHARACTERS, max: None, except }
                if !self.plain() =>
            {
                let char = self.terminal(Terminal::RawCharacter);
                let chars = self.counted(char, *min, None)?;
                let any = sequence([Expr::literal(QUOTE), chars, Expr::literal(QUOTE)]);
                let except = except.iter().map(|text| Expr::literal(quoted(text)));
                vec![Expr::all(vec![any], vec![choice(except)])]
            }
            StringSet::Lengths { min, max, except } => {
                let rest = self.strings_except(name, except, *min, *max)?;
                vec![sequence([Expr::literal(QUOTE), rest])]
            }
        })
    }

    /// `item` this many times.
    pub(super) fn counted(
        &mut self,
        item: Expr,
        min: u64,
        max: Option<u64>,
    ) -> Result<Expr, SchemaError> {
        let limit = u32::MAX as usize;
        let Ok(min) = u32::try_from(min) else {
            let keywords = ["minLength", "minItems", "minProperties"];
            let pointer = self.normaliser.keyword(self.current, |keyword, value| {
                keywords.contains(&keyword) && value.as_f64().is_some_and(|it| it > u32::MAX.into())
            });
            return Err(SchemaError::limit(pointer, "repetitions", limit));
        };
        let max = match max.map(u32::try_from) {
            None => None,
            Some(Ok(max)) => Some(max),
            Some(Err(_)) => {
                self.note(&format!("an upper bound above {limit} is no bound"));
                None
            }
        };
        Ok(match (min, max) {
            (_, Some(0)) => Expr::empty(),
            (1, Some(1)) => item,
            _ => item.repeat(min, max),
        })
    }

    /// All strings but some, from after the opening quote to the closing one: a tree of the
    /// excluded ones, linear in their total length, that can be left anywhere.
    pub(super) fn strings_except<S: AsRef<str>>(
        &mut self,
        name: &str,
        except: &[S],
        min: u64,
        max: Option<u64>,
    ) -> Result<Expr, SchemaError> {
        let mut trie = vec![Trie::default()];
        let mut order = vec![(0usize, 0u64)];
        for text in except {
            let mut node = 0;
            for (depth, c) in text.as_ref().chars().enumerate() {
                let next = trie.len();
                node = *trie[node].next.entry(c).or_insert(next);
                if node == next {
                    trie.push(Trie::default());
                    order.push((node, depth as u64 + 1));
                }
            }
            trie[node].ends = true;
        }
        // Nodes come after their parents, so going backwards the children are there already.
        let mut done: Vec<Option<(Expr, usize)>> = trie.iter().map(|_| None).collect();
        for &(node, depth) in order.iter().rev() {
            let Trie { ends, next } = std::mem::take(&mut trie[node]);
            let mut cases = Vec::new();
            let closable = !ends && depth >= min && max.is_none_or(|max| depth <= max);
            if closable {
                cases.push(Expr::literal(QUOTE));
            }
            if max.is_none_or(|max| depth < max) {
                let char = self.terminal(Terminal::RawCharacter);
                let left = max.map(|max| max - depth - 1);
                let rest = self.counted(char, min.saturating_sub(depth + 1), left)?;
                let keys: Vec<char> = next.keys().copied().collect();
                let other = raw_character_except(&keys);
                cases.push(sequence([other, rest, Expr::literal(QUOTE)]));
            }
            let mut levels = 0;
            for (c, child) in next {
                let (rest, below) = done[child].take().unwrap_or((Expr::nothing(), 0));
                let rest = if below >= MOST_LEVELS {
                    let rule = self.fresh(&format!("{name}-not"));
                    self.rule(rule.clone(), rest)?;
                    Expr::reference(rule)
                } else {
                    levels = levels.max(below + 1);
                    rest
                };
                let spelled = required_escape(c).unwrap_or_else(|| c.to_string());
                cases.push(sequence([Expr::literal(spelled), rest]));
            }
            done[node] = Some((choice(cases), levels));
        }
        Ok(done[0].take().map_or_else(Expr::nothing, |(expr, _)| expr))
    }
}

/// One code point with an escape only where JSON requires one, but none of these.
fn raw_character_except(keys: &[char]) -> Expr {
    let excluded = |c: char| keys.contains(&c);
    let mut ranges = NOT_RAW.to_vec();
    ranges.extend(keys.iter().filter(|&&c| required_escape(c).is_none()).map(|&c| (c, c)));
    if keys.iter().all(|&c| required_escape(c).is_none()) {
        return Expr::choice([Expr::class_except(ranges), necessary_escape()]);
    }
    let escaped = ('\0'..='\u{1f}').chain(['"', '\\']).filter(|&c| !excluded(c));
    let escapes = escaped.filter_map(required_escape).map(Expr::literal);
    choice(std::iter::once(Expr::class_except(ranges)).chain(escapes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_like_json() {
        let all: String = ('\0'..='\u{2030}').chain(['\u{10ffff}']).collect();
        assert_eq!(quoted(&all), serde_json::to_string(&all).unwrap());
    }
}
