//! Members in any order, each key text at most once.

use std::collections::BTreeSet;

use grammask_gbnf::{Expr, ExprKind, Grammar, Members, Repetition};

use crate::bnf::Name;
use crate::reference::{Chart, Reference};

/// The key texts that occurred so far.
pub(crate) type Used = BTreeSet<Vec<u8>>;

/// `@members(...)` with its values and its separator as names of plain BNF.
///
/// Whatever asks "is there a way on" is given which names are productive, because the answer is
/// itself part of finding that out.
#[derive(Debug)]
pub(crate) struct MembersRule {
    keys: Vec<Key>,
    values: Vec<Name>,
    /// What stands between two members.
    pub(crate) separator: Name,
    min: usize,
    max: Option<usize>,
}

#[derive(Debug)]
enum Key {
    Required(Vec<u8>),
    Optional(Vec<u8>),
    Never(Vec<u8>),
    /// The keys' language, declared keys not yet taken away.
    Many(Box<Reference>),
}

impl MembersRule {
    pub(crate) fn new(
        grammar: &Grammar,
        members: &Members,
        values: Vec<Name>,
        separator: Name,
    ) -> Self {
        let keys = members
            .members
            .iter()
            .map(|member| match member.repetition {
                Repetition::Required => Key::Required(literal(&member.key)),
                Repetition::Optional => Key::Optional(literal(&member.key)),
                Repetition::Never => Key::Never(literal(&member.key)),
                Repetition::Many => Key::Many(Box::new(Reference::of(grammar, &member.key))),
            })
            .collect();
        let (min, max) = (members.min as usize, members.max.map(|max| max as usize));
        Self { keys, values, separator, min, max }
    }

    /// The name of the value of member number `member`.
    pub(crate) fn value(&self, member: usize) -> Name {
        self.values[member]
    }

    /// Whether some text matches at all.
    pub(crate) fn can_start(&self, productive: &[bool]) -> bool {
        self.can_finish(&Used::new(), 0, productive)
    }

    /// Whether the empty text matches.
    pub(crate) fn may_be_empty(&self) -> bool {
        self.is_complete(&Used::new())
    }

    /// Whether the members may end after these keys, which were allowed.
    pub(crate) fn is_complete(&self, used: &Used) -> bool {
        self.min <= used.len()
            && self.max.is_none_or(|max| used.len() <= max)
            && self.missing(used).is_empty()
    }

    /// Whether, after the members `used`, `text` starts a key with which the rest can be finished.
    pub(crate) fn is_open(&self, used: &Used, text: &[u8], productive: &[bool]) -> bool {
        let declared = self.keys.iter().enumerate().any(|(member, key)| match key {
            Key::Required(key) | Key::Optional(key) => {
                key.starts_with(text) && self.takes_declared(member, key, used, productive)
            }
            Key::Many(_) | Key::Never(_) => false,
        });
        declared
            || (self.has_undeclared(used, text, 1, productive)
                && self.can_finish(used, 1, productive))
    }

    /// The bytes that may follow `text` in a key: those for which [`Self::is_open`] says so.
    pub(crate) fn next_bytes(&self, used: &Used, text: &[u8], productive: &[bool]) -> Vec<u8> {
        let mut bytes = BTreeSet::new();
        for key in &self.keys {
            match key {
                Key::Required(key) | Key::Optional(key) => {
                    bytes.extend(key.strip_prefix(text).and_then(|rest| rest.first()));
                }
                Key::Never(_) => {}
                Key::Many(keys) => {
                    bytes.extend(keys.read(text).iter().flat_map(Chart::next_bytes));
                }
            }
        }
        bytes.retain(|&byte| self.is_open(used, &[text, &[byte]].concat(), productive));
        bytes.into_iter().collect()
    }

    /// The members whose key may be `text` after the members `used`.
    pub(crate) fn taking(&self, used: &Used, text: &[u8], productive: &[bool]) -> Vec<usize> {
        let takes = |&member: &usize| match &self.keys[member] {
            Key::Required(key) | Key::Optional(key) => {
                key == text && self.takes_declared(member, key, used, productive)
            }
            Key::Never(_) => false,
            Key::Many(keys) => {
                productive[self.values[member]]
                    && keys.matches(text)
                    && !self.declared().contains(text)
                    && !used.contains(text)
                    && self.can_finish(used, 1, productive)
            }
        };
        (0..self.keys.len()).filter(takes).collect()
    }

    fn takes_declared(&self, member: usize, key: &[u8], used: &Used, productive: &[bool]) -> bool {
        let mut then = used.clone();
        productive[self.values[member]]
            && !self.never().contains(key)
            && then.insert(key.to_vec())
            && self.can_finish(&then, 0, productive)
    }

    /// Whether the members can be finished after the keys `used` and `more` undeclared keys.
    ///
    /// The way with the fewest members: the missing required ones, then as many others as the
    /// least number asks for.
    fn can_finish(&self, used: &Used, more: usize, productive: &[bool]) -> bool {
        let missing = self.missing(used);
        let written = used.len() + more;
        let total = self.min.max(written + missing.len());
        let others = total - written - missing.len();
        let mut optional: BTreeSet<&[u8]> = BTreeSet::new();
        for (key, &value) in self.keys.iter().zip(&self.values) {
            match key {
                Key::Required(key) => {
                    if missing.contains(key) && !productive[value] {
                        return false;
                    }
                }
                Key::Optional(key) => {
                    if productive[value] && !used.contains(key) && !missing.contains(key) {
                        optional.insert(key);
                    }
                }
                Key::Never(_) | Key::Many(_) => {}
            }
        }
        let never = self.never();
        optional.retain(|key| !never.contains(*key));
        missing.is_disjoint(&never)
            && self.max.is_none_or(|max| total <= max)
            && (total <= written.max(1) || productive[self.separator])
            && self.has_undeclared(
                used,
                b"",
                more + others.saturating_sub(optional.len()),
                productive,
            )
    }

    /// Whether at least `count` undeclared keys that start with `text` are not yet used.
    fn has_undeclared(&self, used: &Used, text: &[u8], count: usize, productive: &[bool]) -> bool {
        if count == 0 {
            return true;
        }
        let languages: Vec<&Reference> = self
            .keys
            .iter()
            .zip(&self.values)
            .filter_map(|(key, &value)| match key {
                Key::Many(keys) if productive[value] => Some(&**keys),
                _ => None,
            })
            .collect();
        if !languages.iter().any(|keys| keys.alive(text)) {
            return false;
        }
        let taken = self
            .declared()
            .union(used)
            .filter(|key| key.starts_with(text) && languages.iter().any(|keys| keys.matches(key)))
            .count();
        at_least(&languages, text, count + taken)
    }

    /// The required keys that have not occurred.
    fn missing(&self, used: &Used) -> BTreeSet<Vec<u8>> {
        let required = self.keys.iter().filter_map(|key| match key {
            Key::Required(key) if !used.contains(key) => Some(key.clone()),
            _ => None,
        });
        required.collect()
    }

    /// The forbidden keys.
    fn never(&self) -> BTreeSet<Vec<u8>> {
        let never = self.keys.iter().filter_map(|key| match key {
            Key::Never(key) => Some(key.clone()),
            _ => None,
        });
        never.collect()
    }

    /// The keys that the members name literally.
    fn declared(&self) -> BTreeSet<Vec<u8>> {
        let declared = self.keys.iter().filter_map(|key| match key {
            Key::Required(key) | Key::Optional(key) | Key::Never(key) => Some(key.clone()),
            Key::Many(_) => None,
        });
        declared.collect()
    }
}

/// Whether at least `count` texts that start with `text` belong to one of the languages.
///
/// Goes on byte by byte from `text`. Each prefix that is alive stands for a text of its own.
fn at_least(languages: &[&Reference], text: &[u8], count: usize) -> bool {
    let mut complete = 0;
    let mut prefixes = BTreeSet::from([text.to_vec()]);
    prefixes.retain(|prefix| languages.iter().any(|keys| keys.alive(prefix)));
    while complete + prefixes.len() < count && !prefixes.is_empty() {
        complete +=
            prefixes.iter().filter(|text| languages.iter().any(|keys| keys.matches(text))).count();
        let mut longer = BTreeSet::new();
        for prefix in &prefixes {
            for keys in languages {
                if let Some(chart) = keys.read(prefix) {
                    longer.extend(
                        chart.next_bytes().into_iter().map(|b| [prefix, &[b][..]].concat()),
                    );
                }
            }
        }
        prefixes = longer;
    }
    complete + prefixes.len() >= count
}

/// The text of a declared key.
fn literal(key: &Expr) -> Vec<u8> {
    match &key.kind {
        ExprKind::Literal(text) if !text.is_empty() => text.clone().into_bytes(),
        other => panic!("a declared key must be a non-empty literal, not {other:?}"),
    }
}
