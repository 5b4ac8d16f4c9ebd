//! What the members of an object need.

use crate::automaton::label::Label;
use crate::automaton::members::{Kind, Shape, ShapeMember};
use crate::automaton::shortest::{NEVER, Needs};
use crate::automaton::terms::{TermId, Terms};

/// What is needed for the parts of a shape.
#[derive(Debug, Default)]
pub(super) struct ShapeNeeds {
    /// For each member its value.
    pub(super) values: Vec<u32>,
    /// For each member the key, if it is declared.
    pub(super) keys: Vec<u32>,
    pub(super) separator: u32,
    /// What comes behind the last member.
    pub(super) next: u32,
}

/// Which members an object has.
#[derive(Clone, Copy)]
pub(crate) struct Present<'a> {
    /// How many.
    pub(crate) count: u32,
    /// Whether a declared one is among them.
    pub(crate) has: &'a dyn Fn(u32) -> bool,
    /// How many there are of a member that may occur repeatedly.
    pub(crate) count_of: &'a dyn Fn(u32) -> u32,
    /// Whether an undeclared key has been written.
    pub(crate) is_written: &'a dyn Fn(&[u8]) -> bool,
}

impl Present<'_> {
    /// No member yet.
    pub(super) const NONE: Self =
        Self { count: 0, has: &|_| false, count_of: &|_| 0, is_written: &|_| false };
}

/// What is left of a key, and what of it has been read.
pub(crate) struct KeyRest<'a> {
    pub(crate) rest: TermId,
    pub(crate) member: u32,
    pub(crate) path: &'a dyn Fn() -> Vec<u8>,
    /// Whether it may become one that is declared or has been written.
    pub(crate) may_be_known: bool,
}

impl Needs {
    /// What is needed behind a member of an object, up to the end of the rule behind it.
    pub(crate) fn behind_member(&self, shape: u32, present: Present<'_>) -> u32 {
        let needs = &self.shapes[shape as usize];
        let Some((count, sum)) = self.missing(shape, present) else { return NEVER };
        let separators = times(count, needs.separator);
        plus(plus(sum, separators), needs.next)
    }

    /// What is needed before the key of a member.
    pub(crate) fn member(&self, shape: u32, present: Present<'_>) -> u32 {
        let needs = &self.shapes[shape as usize];
        let Some((count, sum)) = self.missing(shape, present) else { return NEVER };
        let members = match count {
            0 => self.further(shape, present, &[], 1).first().copied().unwrap_or(NEVER),
            _ => plus(sum, times(count - 1, needs.separator)),
        };
        plus(members, needs.next)
    }

    /// What is needed within a key.
    pub(crate) fn within_key(&self, shape: u32, key: &KeyRest<'_>, present: Present<'_>) -> u32 {
        let &KeyRest { rest, member, path, may_be_known } = key;
        let shapes = &self.program.shapes[shape as usize];
        let value = self.shapes[shape as usize].values[member as usize];
        if !shapes.is_many(member) {
            let has = |other| other == member || (present.has)(other);
            let after = Present { count: present.count + 1, has: &has, ..present };
            let key = self.label(Label::Term(rest));
            return plus(plus(key, value), self.behind_member(shape, after));
        }
        if !may_be_known && let Some(behind) = self.behind_some_key(shape, member, present) {
            return plus(self.label(Label::Term(rest)), behind);
        }
        let path = path();
        let count = |end: &[u8]| {
            let key = [&path, end].concat();
            let is_taken = (present.is_written)(&key) || is_declared(shapes, &key, &self.terms);
            let count = if is_taken { NEVER } else { self.count(end)[0] };
            (count != NEVER).then_some((count, key))
        };
        let Some((count, key)) = self.texts(rest).find_map(|end| count(&end)) else { return NEVER };
        let count_of = |other| (present.count_of)(other).saturating_add(u32::from(other == member));
        let is_written = |other: &[u8]| other == key || (present.is_written)(other);
        let after = Present {
            count: present.count + 1,
            has: present.has,
            count_of: &count_of,
            is_written: &is_written,
        };
        plus(plus(count, value), self.behind_member(shape, after))
    }

    /// What is needed behind an undeclared key of `member`, whichever it is: nothing if there have to
    /// be more of them, which must differ from it.
    pub(crate) fn behind_some_key(
        &self,
        shape: u32,
        member: u32,
        present: Present<'_>,
    ) -> Option<u32> {
        let program = &self.program.shapes[shape as usize];
        let count_of = |other| (present.count_of)(other).saturating_add(u32::from(other == member));
        let after = Present { count: present.count + 1, count_of: &count_of, ..present };
        let is_missing = |(at, other): (u32, &ShapeMember)| match other.kind {
            Kind::Many(bounds) => (after.count_of)(at) < bounds.min,
            _ => false,
        };
        if (0..).zip(&program.members).any(is_missing) || after.count < program.min {
            return None;
        }
        let value = self.shapes[shape as usize].values[member as usize];
        Some(plus(value, self.behind_member(shape, after)))
    }

    /// How many members are missing, and what they need; nothing if they cannot be written.
    fn missing(&self, index: u32, present: Present<'_>) -> Option<(u32, u32)> {
        let (shape, needs) = (&self.program.shapes[index as usize], &self.shapes[index as usize]);
        let (mut count, mut sum) = (0_u32, 0);
        let mut keys = Vec::new();
        for (at, member) in (0..).zip(&shape.members) {
            match member.kind {
                Kind::Required if !(present.has)(at) => {
                    count += 1;
                    sum = plus(sum, plus(needs.keys[at as usize], needs.values[at as usize]));
                }
                Kind::Many(bounds) => {
                    let missing = bounds.min.saturating_sub((present.count_of)(at));
                    let found = self.fresh_keys(index, at, present, &mut keys, missing);
                    if found.len() < missing as usize {
                        return None;
                    }
                    count = count.saturating_add(missing);
                    sum = found.into_iter().fold(sum, plus);
                }
                _ => {}
            }
        }
        let more = shape.min.saturating_sub(present.count.saturating_add(count));
        if more > 0 {
            let further = self.further(index, present, &keys, more);
            if further.len() < more as usize {
                return None;
            }
            count = count.saturating_add(more);
            sum = further.into_iter().fold(sum, plus);
        }
        (sum != NEVER).then_some((count, sum))
    }

    /// What the cheapest members need that are not missing but may come, at most `most` of them.
    fn further(
        &self,
        index: u32,
        present: Present<'_>,
        missing_keys: &[(u32, Vec<u8>)],
        most: u32,
    ) -> Vec<u32> {
        let (shape, needs) = (&self.program.shapes[index as usize], &self.shapes[index as usize]);
        let mut found = Vec::new();
        let mut many = Vec::new();
        for (at, member) in (0..).zip(&shape.members) {
            match member.kind {
                Kind::Optional if !(present.has)(at) => {
                    found.push(plus(needs.keys[at as usize], needs.values[at as usize]));
                }
                Kind::Many(bounds) => many.push((needs.values[at as usize], at, bounds.max)),
                _ => {}
            }
        }
        // Entries may compete for keys: those come first whose values are cheaper, so that one that is
        // dear, or not known yet, makes no difference to them.
        many.sort_unstable_by_key(|&(value, at, _)| (value, at));
        let mut keys = missing_keys.to_vec();
        for (_, at, max) in many {
            let missing = missing_keys.iter().filter(|&&(of, _)| of == at).count() as u32;
            let there = (present.count_of)(at).saturating_add(missing);
            let room = max.map_or(most, |max| max.saturating_sub(there).min(most));
            // A later key counts as no cheaper than those before it: with one key fewer to come, the
            // others are still among the first.
            let mut dearest = 0;
            for needed in self.fresh_keys(index, at, present, &mut keys, room) {
                dearest = needed.max(dearest);
                found.push(dearest);
            }
        }
        found.retain(|&needed| needed != NEVER);
        found.sort_unstable();
        found.truncate(most as usize);
        found
    }

    /// What members of an entry need with keys that are neither declared nor written nor among `keys`,
    /// to which they are added: the shortest ones, at most `most` of them.
    fn fresh_keys(
        &self,
        index: u32,
        member: u32,
        present: Present<'_>,
        keys: &mut Vec<(u32, Vec<u8>)>,
        most: u32,
    ) -> Vec<u32> {
        let shape = &self.program.shapes[index as usize];
        let value = self.shapes[index as usize].values[member as usize];
        let mut found = Vec::new();
        if most == 0 || value == NEVER {
            return found;
        }
        for key in self.texts(shape.members[member as usize].key) {
            let is_taken = (present.is_written)(&key)
                || keys.iter().any(|(_, other)| **other == *key)
                || is_declared(shape, &key, &self.terms);
            let count = if is_taken { NEVER } else { self.count(&key)[0] };
            if count == NEVER {
                continue;
            }
            found.push(plus(count, value));
            keys.push((member, key.to_vec()));
            if found.len() == most as usize {
                break;
            }
        }
        found
    }
}

/// Whether a member with this key is declared.
fn is_declared(shape: &Shape, key: &[u8], terms: &Terms) -> bool {
    let mut declared = (0..).zip(&shape.members).filter(|&(at, _)| !shape.is_many(at));
    declared.any(|(_, member)| {
        let left = key.iter().fold(member.key, |left, &byte| terms.next(left, byte));
        terms.nullable(left)
    })
}

/// The sum, unless one of them is never there.
pub(crate) fn plus(one: u32, other: u32) -> u32 {
    one.saturating_add(other)
}

/// So many times something.
pub(crate) fn times(count: u32, what: u32) -> u32 {
    if count == 0 { 0 } else { what.saturating_mul(count) }
}
