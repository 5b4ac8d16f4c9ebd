//! Members in any order, each key text at most once.

use std::collections::{BTreeMap, BTreeSet};

use grammask_gbnf::{Expr, ExprKind, Grammar, Members, Repetition};

use crate::bnf::Name;
use crate::keys::Keys;

/// The members that occurred so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Used {
    /// Their key texts.
    keys: BTreeSet<Vec<u8>>,
    /// How many there are of each entry.
    counts: BTreeMap<usize, usize>,
}

impl Used {
    /// With one more member.
    pub(crate) fn with(&self, member: usize, key: &[u8]) -> Self {
        let mut used = self.counting(member);
        used.keys.insert(key.to_vec());
        used
    }

    /// With one more member, but not its key.
    fn counting(&self, member: usize) -> Self {
        let mut used = self.clone();
        *used.counts.entry(member).or_default() += 1;
        used
    }

    fn count(&self, member: usize) -> usize {
        self.counts.get(&member).copied().unwrap_or(0)
    }

    fn total(&self) -> usize {
        self.counts.values().sum()
    }
}

/// `@members(...)` with its values and its separator as names of plain BNF.
///
/// Whatever asks "is there a way on" is given which names are productive, because the answer is
/// itself part of finding that out.
///
/// Entries with a least number must have infinitely many keys, and the least number of all members
/// must not depend on which entry takes a key that several match.
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
    Many(Box<Many>),
}

/// An entry that may occur repeatedly.
#[derive(Debug)]
struct Many {
    /// The keys' language, declared keys not yet taken away.
    keys: Keys,
    min: usize,
    max: Option<usize>,
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
                Repetition::Many { min, max } => Key::Many(Box::new(Many {
                    keys: Keys::of(grammar, &member.key),
                    min: min as usize,
                    max: max.map(|max| max as usize),
                })),
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
        self.can_finish(&Used::default(), None, productive)
    }

    /// Whether the empty text matches.
    pub(crate) fn may_be_empty(&self) -> bool {
        self.is_complete(&Used::default())
    }

    /// The least number of bytes of the keys and separators that must still come after these
    /// members, or less; `shortest` is that of each name.
    pub(crate) fn shortest(&self, used: &Used, shortest: &[usize]) -> usize {
        let total = used.total();
        let more = self.missing(used).max(self.min.saturating_sub(total));
        let separators = more.saturating_sub(usize::from(total == 0));
        shortest[self.separator].saturating_mul(separators).saturating_add(more)
    }

    /// Whether the members may end after these keys, which were allowed.
    pub(crate) fn is_complete(&self, used: &Used) -> bool {
        self.min <= used.total()
            && self.max.is_none_or(|max| used.total() <= max)
            && self.missing(used) == 0
    }

    /// Whether, after the members `used`, `text` starts a key with which the rest can be finished.
    pub(crate) fn is_open(&self, used: &Used, text: &[u8], productive: &[bool]) -> bool {
        self.keys.iter().enumerate().any(|(member, key)| match key {
            Key::Required(key) | Key::Optional(key) => {
                key.starts_with(text) && self.takes(member, used, key, productive)
            }
            Key::Many(many) => {
                self.has_undeclared(&[&many.keys], used, text, 1)
                    && self.takes_some(member, used, productive)
            }
            Key::Never(_) => false,
        })
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
                Key::Many(many) => {
                    bytes.extend(many.keys.next_bytes(text));
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
                key == text && self.takes(member, used, key, productive)
            }
            Key::Never(_) => false,
            Key::Many(many) => {
                many.keys.matches(text)
                    && !self.declared().contains(text)
                    && self.takes(member, used, text, productive)
            }
        };
        (0..self.keys.len()).filter(takes).collect()
    }

    /// Whether a member with this key may come next and be one of this entry.
    fn takes(&self, member: usize, used: &Used, key: &[u8], productive: &[bool]) -> bool {
        productive[self.values[member]]
            && !self.never().contains(key)
            && !used.keys.contains(key)
            && self.can_finish(&used.with(member, key), None, productive)
    }

    /// Whether a member of this entry may come next, with some undeclared key.
    fn takes_some(&self, member: usize, used: &Used, productive: &[bool]) -> bool {
        productive[self.values[member]]
            && self.can_finish(&used.counting(member), Some(member), productive)
    }

    /// Whether the members can be finished after `used`, of which the key of one of the entry
    /// `unknown` is still open.
    ///
    /// The way with the fewest members: the missing ones that the entries ask for, then as many
    /// others as the least number asks for.
    fn can_finish(&self, used: &Used, unknown: Option<usize>, productive: &[bool]) -> bool {
        let (written, missing) = (used.total(), self.missing(used));
        let total = self.min.max(written + missing);
        let mut others = total - written - missing;
        let never = self.never();
        for (member, (key, &value)) in self.keys.iter().zip(&self.values).enumerate() {
            match key {
                Key::Required(key) => {
                    if never.contains(key) || (used.count(member) == 0 && !productive[value]) {
                        return false;
                    }
                }
                Key::Optional(key) => {
                    let possible = productive[value] && !never.contains(key);
                    others =
                        others.saturating_sub(usize::from(possible && used.count(member) == 0));
                }
                Key::Many(many) => {
                    let count = used.count(member);
                    if many.max.is_some_and(|max| count > max)
                        || (count < many.min && !productive[value])
                    {
                        return false;
                    }
                }
                Key::Never(_) => {}
            }
        }
        self.max.is_none_or(|max| total <= max)
            && (total <= written.max(1) || productive[self.separator])
            && self.can_share_out(used, unknown, others, productive)
    }

    /// Whether `count` members with different undeclared keys can still come, beyond those that the
    /// entries ask for. By the theorem of Hall and König: however the entries with a greatest
    /// number are divided into two, what those of the one part still take and the keys of all
    /// others are together enough.
    fn can_share_out(
        &self,
        used: &Used,
        unknown: Option<usize>,
        count: usize,
        productive: &[bool],
    ) -> bool {
        let entries: Vec<(usize, &Many)> = self
            .keys
            .iter()
            .enumerate()
            .filter_map(|(member, key)| match key {
                Key::Many(many) if productive[self.values[member]] => Some((member, &**many)),
                _ => None,
            })
            .collect();
        (0..1_u32 << entries.len()).all(|part| {
            let mut taken = 0;
            let mut languages = Vec::new();
            let mut with_unknown = 0;
            for (place, &(member, many)) in entries.iter().enumerate() {
                if part >> place & 1 == 0 {
                    languages.push(&many.keys);
                    with_unknown += usize::from(unknown == Some(member));
                } else {
                    let least = used.count(member).max(many.min);
                    taken += many.max.map_or(count, |max| max - least);
                }
            }
            let count = count.saturating_sub(taken);
            count == 0 || self.has_undeclared(&languages, used, b"", count + with_unknown)
        })
    }

    /// Whether at least `count` undeclared keys of these languages that start with `text` are not
    /// yet used.
    fn has_undeclared(&self, languages: &[&Keys], used: &Used, text: &[u8], count: usize) -> bool {
        if !languages.iter().any(|keys| keys.alive(text)) {
            return false;
        }
        let taken = self
            .declared()
            .union(&used.keys)
            .filter(|key| key.starts_with(text) && languages.iter().any(|keys| keys.matches(key)))
            .count();
        at_least(languages, text, count + taken)
    }

    /// How many members the entries ask for that have not occurred.
    fn missing(&self, used: &Used) -> usize {
        let missing = self.keys.iter().enumerate().map(|(member, key)| match key {
            Key::Required(_) => 1_usize.saturating_sub(used.count(member)),
            Key::Many(many) => many.min.saturating_sub(used.count(member)),
            Key::Optional(_) | Key::Never(_) => 0,
        });
        missing.sum()
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
fn at_least(languages: &[&Keys], text: &[u8], count: usize) -> bool {
    let mut complete = 0;
    let mut prefixes = BTreeSet::from([text.to_vec()]);
    prefixes.retain(|prefix| languages.iter().any(|keys| keys.alive(prefix)));
    while complete + prefixes.len() < count && !prefixes.is_empty() {
        complete +=
            prefixes.iter().filter(|text| languages.iter().any(|keys| keys.matches(text))).count();
        let mut longer = BTreeSet::new();
        for prefix in &prefixes {
            for keys in languages {
                let next = keys.next_bytes(prefix);
                longer.extend(next.into_iter().map(|byte| [prefix, &[byte][..]].concat()));
            }
        }
        prefixes = longer;
    }
    complete + prefixes.len() >= count
}

/// The text of a declared key.
fn literal(key: &Expr) -> Vec<u8> {
    match &key.kind {
        ExprKind::Literal(text) if !text.is_empty() => text.as_bytes().to_vec(),
        other => panic!("a declared key must be a non-empty literal, not {other:?}"),
    }
}
