//! What the compiler must know of each part of a lowered grammar: see [`Extent`].

use std::collections::VecDeque;
use std::ops::Range;

use crate::automaton::linear::{Linear, LinearRules};
use crate::automaton::lower::{
    Extent, Items, Kind, Lowered, LoweredMember, LoweredMembers, LoweredUnique, Part, TERMINAL_SIZE,
};
use crate::automaton::terms::{TermId, Terms};
use crate::graph::Graph;

/// A loop of at least this many iterations over at least [`WIDE_CLASS`] characters is wide.
const WIDE_LOOP: u32 = 4;
const WIDE_CLASS: u32 = 33;

/// The rules that refer to each other, directly or not.
pub(crate) struct Components {
    references: Graph,
    /// The rules that refer to each.
    users: Graph,
    /// The component of each rule, by number: those that others refer to come first.
    of: Vec<u32>,
    /// The rules by component.
    rules: Vec<usize>,
}

impl Components {
    /// The rules of each component, and whether they recurse.
    fn iter(&self) -> impl Iterator<Item = (&[usize], bool)> {
        self.rules.chunk_by(|&one, &other| self.are_one(one, other)).map(|component| {
            let rule = component[0];
            let refers_to_itself = || self.references.of(rule).contains(&(rule as u32));
            (component, component.len() > 1 || refers_to_itself())
        })
    }

    /// Whether two rules are in one component.
    fn are_one(&self, one: usize, other: usize) -> bool {
        self.of[one] == self.of[other]
    }
}

impl Lowered<'_> {
    /// Fills in extents, nullability and productivity, and finds the right-linear rules.
    pub(crate) fn analyse(&mut self, terms: &Terms) {
        self.nullable.fill(false);
        self.productive.fill(false);
        self.rule_terms.clear();
        self.linear.fill(false);
        self.regular.fill(false);
        let components = self.components();
        let unknown = Extent { regular: false, size: u32::MAX, wide: true, apart: false };
        self.extents = vec![unknown; self.kinds.len()];
        let mut linear = LinearRules::new(terms);
        let mut queued = vec![false; self.rules.len()];
        for (component, recursive) in components.iter() {
            let rule = component[0];
            if !recursive {
                for part in self.parts_of(rule) {
                    self.conjoin(part, terms);
                    self.update(part..part + 1);
                    self.measure(part..part + 1);
                }
                let extent = self.extents[self.rules[rule] as usize];
                self.linear[rule] = extent.regular
                    && (extent.wide || extent.size > TERMINAL_SIZE)
                    && linear.add(component, false, self) == Linear::Terminal;
                continue;
            }
            for &rule in component {
                for part in self.parts_of(rule) {
                    self.measure(part..part + 1);
                    self.conjoin(part, terms);
                }
            }
            self.settle(component, &components, &mut queued);
            // Each of these rules refers to one of them, so that none is regular as it is written.
            let found = linear.add(component, true, self);
            if found != Linear::No {
                for &rule in component {
                    self.linear[rule] = found == Linear::Terminal;
                    self.regular[rule] = true;
                    self.measure(self.parts_of(rule));
                }
            }
        }
    }

    /// Fills in productivity alone, after other members and lists than before are proven: nothing else depends on
    /// them, as what has them is not regular.
    pub(crate) fn find_productive(&mut self, components: &Components) {
        self.productive.fill(false);
        let mut queued = vec![false; self.rules.len()];
        for (component, recursive) in components.iter() {
            if recursive {
                self.settle(component, components, &mut queued);
            } else {
                self.update(self.parts_of(component[0]));
            }
        }
    }

    /// The least fixed point of nullability and productivity within a component: a rule is looked at again when
    /// one that it refers to has changed. None is `queued` before and afterwards.
    fn settle(&mut self, component: &[usize], components: &Components, queued: &mut [bool]) {
        let mut queue: VecDeque<usize> = component.iter().copied().collect();
        for &rule in component {
            queued[rule] = true;
        }
        while let Some(rule) = queue.pop_front() {
            queued[rule] = false;
            let body = self.rules[rule] as usize;
            let before = (self.nullable[body], self.productive[body]);
            self.update(self.parts_of(rule));
            if before != (self.nullable[body], self.productive[body]) {
                let users = components.users.of(rule).iter().map(|&user| user as usize);
                for user in users.filter(|&user| components.are_one(user, rule)) {
                    if !std::mem::replace(&mut queued[user], true) {
                        queue.push_back(user);
                    }
                }
            }
        }
    }

    /// How the rules refer to each other.
    pub(crate) fn components(&self) -> Components {
        let references = Graph::new(0..self.rules.len(), |rule, edges| {
            edges.extend(self.kinds[self.parts_of(rule)].iter().filter_map(|kind| match kind {
                Kind::Rule(rule) => Some(*rule),
                _ => None,
            }));
        });
        let of = references.components();
        let mut rules: Vec<usize> = (0..self.rules.len()).collect();
        rules.sort_by_key(|&rule| of[rule]);
        Components { users: references.reversed(), references, of, rules }
    }

    /// The term of a conjunction whose parts are regular.
    fn conjoin(&mut self, part: usize, terms: &Terms) {
        let Kind::All(found) = &self.kinds[part] else { return };
        let (all, none) = (found.all.clone(), found.none.clone());
        let is_regular = found.parts().all(|part| self.extents[part as usize].regular);
        let term = is_regular.then(|| {
            let mut of = |parts: Vec<Part>| -> Vec<TermId> {
                parts.into_iter().map(|part| self.term(part, terms)).collect()
            };
            terms.all(of(all), of(none))
        });
        if let Kind::All(found) = &mut self.kinds[part] {
            found.term = term;
        }
        self.nullable[part] = matches!(term, Some(Ok(term)) if terms.nullable(term));
    }

    /// Nullability and productivity of parts; children come before their parents.
    fn update(&mut self, parts: Range<usize>) {
        for part in parts {
            let nullable = |part: Part| self.nullable[part as usize];
            let productive = |part: Part| self.productive[part as usize];
            let proven = |part: usize| !self.unproven.contains(&(part as Part));
            let (is_nullable, is_productive) = match &self.kinds[part] {
                Kind::Nothing => (false, false),
                Kind::Empty => (true, true),
                Kind::Text(_) | Kind::Texts(_) | Kind::Class(_) | Kind::Token(_) => (false, true),
                Kind::Rule(rule) => {
                    let body = self.rules[*rule as usize];
                    (nullable(body), productive(body))
                }
                &Kind::Sequence(items) => (
                    self.items(items).iter().all(|&item| nullable(item)),
                    self.items(items).iter().all(|&item| productive(item)),
                ),
                &Kind::Choice(items) => (
                    self.items(items).iter().any(|&item| nullable(item)),
                    self.items(items).iter().any(|&item| productive(item)),
                ),
                &Kind::Repeat { item, min, max } => (
                    min == 0 || max == Some(0) || nullable(item),
                    min == 0 || max == Some(0) || productive(item),
                ),
                Kind::Members(members) => {
                    (members.nullable(), proven(part) && self.members_productive(members))
                }
                Kind::Unique(list) => {
                    (list.min == 0, proven(part) && list.min <= self.most_items(list))
                }
                Kind::All(found) => (self.nullable[part], found.known_term() != TermId::NOTHING),
                Kind::Known(body) => (body.nullable, true),
            };
            self.nullable[part] = is_nullable;
            self.productive[part] = is_productive;
        }
    }

    /// Whether a member may occur at all.
    pub(crate) fn member_possible(&self, member: &LoweredMember) -> bool {
        member.repetition.max() != Some(0)
            && self.productive[member.key as usize]
            && self.productive[member.value as usize]
    }

    /// How many members there may be, as far as they can be separated at all.
    pub(crate) fn most_members(&self, members: &LoweredMembers) -> u32 {
        let separable = if self.productive[members.separator as usize] { u32::MAX } else { 1 };
        members.max.unwrap_or(u32::MAX).min(separable)
    }

    pub(crate) fn members_productive(&self, members: &LoweredMembers) -> bool {
        // The sums are those of fewer than 2^32 entries.
        let (mut least, mut greatest) = (0_u64, 0_u64);
        for member in &members.members {
            let possible = self.member_possible(member);
            if !possible && member.repetition.min() > 0 {
                return false;
            }
            least += u64::from(member.repetition.min());
            if possible {
                // Unbounded is as much as anybody asks for.
                greatest += u64::from(member.repetition.max().unwrap_or(u32::MAX));
            }
        }
        let most = self.most_members(members);
        least <= u64::from(most) && members.min <= most && u64::from(members.min) <= greatest
    }

    /// The greatest number of items that a list may have, as far as they can be written at all.
    pub(crate) fn most_items(&self, list: &LoweredUnique) -> u32 {
        let productive = |part: Part| self.productive[part as usize];
        let first = list.first.iter().take_while(|&&item| productive(item)).count();
        let all = first == list.first.len() && list.rest.is_some_and(productive);
        let most = if all { u32::MAX } else { first as u32 };
        let separable = if productive(list.separator) { u32::MAX } else { 1 };
        most.min(separable).min(list.max.unwrap_or(u32::MAX))
    }

    fn measure(&mut self, parts: Range<usize>) {
        for part in parts {
            let extent = |part: Part| self.extents[part as usize];
            let together = |items: &[Part]| {
                let none = Extent { regular: true, size: 1, wide: false, apart: false };
                items.iter().fold(none, |sum, &item| {
                    let item = extent(item);
                    Extent {
                        regular: sum.regular && item.regular,
                        size: sum.size.saturating_add(item.size),
                        wide: sum.wide || item.wide,
                        apart: sum.apart || item.apart,
                    }
                })
            };
            let leaf = |size: usize| Extent {
                regular: true,
                size: u32::try_from(size).unwrap_or(u32::MAX),
                wide: false,
                apart: false,
            };
            let irregular = Extent { regular: false, size: u32::MAX, wide: true, apart: false };
            self.extents[part] = match &self.kinds[part] {
                Kind::Nothing | Kind::Empty | Kind::Class(_) => leaf(1),
                Kind::Text(text) => leaf(text.len()),
                Kind::Known(body) => leaf(body.size as usize),
                Kind::Texts(texts) => leaf(texts.iter().map(|text| text.len()).sum()),
                // Its states are to be shared by all places where it occurs.
                Kind::Rule(rule) if self.is_linear(*rule) => {
                    Extent { regular: true, size: 1, wide: true, apart: false }
                }
                Kind::Rule(rule) if self.regular[*rule as usize] => {
                    Extent { regular: true, size: u32::MAX, wide: true, apart: false }
                }
                Kind::Rule(rule) => {
                    let body = extent(self.rules[*rule as usize]);
                    Extent { size: body.size.saturating_add(1), ..body }
                }
                // One terminal, however many states it has.
                Kind::All(found) if found.parts().all(|part| extent(part).regular) => leaf(1),
                Kind::Token(_) | Kind::Members(_) | Kind::Unique(_) | Kind::All(_) => irregular,
                &Kind::Sequence(items) => {
                    let found = together(self.items(items));
                    if found.apart {
                        Extent { size: u32::MAX, ..found }
                    } else {
                        Extent { apart: self.is_quoted_conjunction(items), ..found }
                    }
                }
                &Kind::Choice(items) => together(self.items(items)),
                &Kind::Repeat { item, min, max } => {
                    let inside = extent(item);
                    let copies = max.unwrap_or_else(|| min.saturating_add(1));
                    let is_loop = max.is_none_or(|max| max > 1);
                    Extent {
                        regular: inside.regular,
                        size: if inside.apart && is_loop {
                            u32::MAX
                        } else {
                            inside.size.saturating_mul(copies).max(1)
                        },
                        apart: inside.apart,
                        wide: inside.wide
                            || (max.is_none_or(|max| max >= WIDE_LOOP)
                                && self.has_wide_class(item, 0)),
                    }
                }
            };
        }
    }

    /// Whether these are a conjunction between two literals, as a string with a format is.
    fn is_quoted_conjunction(&self, items: Items) -> bool {
        let is_conjunction = |kind: &Kind| match kind {
            Kind::All(_) => true,
            Kind::Known(body) => body.is_conjunction,
            _ => false,
        };
        let &[first, middle, last] = self.items(items) else { return false };
        let kind = &self.kinds[middle as usize];
        let kind = match kind {
            Kind::Rule(rule) => &self.kinds[self.rules[*rule as usize] as usize],
            _ => kind,
        };
        self.is_text(first) && self.is_text(last) && is_conjunction(kind)
    }

    /// Whether a class of many characters occurs in a small part.
    pub(crate) fn has_wide_class(&self, part: Part, depth: u32) -> bool {
        // Beyond that depth nothing is small enough to be a terminal anyway.
        if depth > TERMINAL_SIZE || self.extents[part as usize].size > TERMINAL_SIZE {
            return false;
        }
        match &self.kinds[part as usize] {
            Kind::Class(ranges) => {
                ranges.iter().map(|&(lo, hi)| hi as u32 - lo as u32 + 1).sum::<u32>() >= WIDE_CLASS
            }
            Kind::Rule(rule) => self.has_wide_class(self.rules[*rule as usize], depth + 1),
            &Kind::Sequence(items) | &Kind::Choice(items) => {
                self.items(items).iter().any(|&item| self.has_wide_class(item, depth + 1))
            }
            Kind::Repeat { item, .. } => self.has_wide_class(*item, depth + 1),
            Kind::Known(body) => body.has_wide_class,
            _ => false,
        }
    }
}
