//! What the compiler must know of each part of a lowered grammar: see [`Extent`].

use std::collections::VecDeque;
use std::ops::Range;

use crate::automaton::linear::{Linear, LinearRules};
use crate::automaton::lower::{
    Extent, Kind, Lowered, LoweredMember, LoweredMembers, LoweredUnique, Part, TERMINAL_SIZE,
};
use crate::automaton::terms::{TermId, Terms};
use crate::graph::Graph;

/// A loop of at least this many iterations over at least [`WIDE_CLASS`] characters is wide.
const WIDE_LOOP: u32 = 4;
const WIDE_CLASS: u32 = 33;

impl Lowered<'_> {
    /// Fills in extents, nullability and productivity, and finds the right-linear rules.
    pub(crate) fn analyse(&mut self, terms: &Terms) {
        self.nullable.fill(false);
        self.productive.fill(false);
        self.rule_terms.clear();
        self.linear.fill(false);
        self.regular.fill(false);
        let n = self.rules.len();
        let references = Graph::new(0..n, |rule, edges| {
            edges.extend(self.kinds[self.parts_of(rule)].iter().filter_map(|kind| match kind {
                Kind::Rule(rule) => Some(*rule),
                _ => None,
            }));
        });
        let users = references.reversed();
        let unknown = Extent { regular: false, size: u32::MAX, wide: true };
        self.extents = vec![unknown; self.kinds.len()];
        // Components come in the order in which what is referred to comes first.
        let component_of = references.components();
        let mut by_component: Vec<usize> = (0..n).collect();
        by_component.sort_by_key(|&rule| component_of[rule]);
        let mut linear = LinearRules::new(terms);
        let mut queue: VecDeque<usize> = VecDeque::new();
        let mut queued = vec![false; n];
        for component in by_component.chunk_by(|&a, &b| component_of[a] == component_of[b]) {
            let rule = component[0];
            let recursive = component.len() > 1 || references.of(rule).contains(&(rule as u32));
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
            // Least fixed point within the component: a rule is looked at again when one that it
            // refers to has changed.
            queue.extend(component);
            for &rule in component {
                for part in self.parts_of(rule) {
                    self.measure(part..part + 1);
                    self.conjoin(part, terms);
                }
            }
            for &rule in component {
                queued[rule] = true;
            }
            while let Some(rule) = queue.pop_front() {
                queued[rule] = false;
                let body = self.rules[rule] as usize;
                let before = (self.nullable[body], self.productive[body]);
                self.update(self.parts_of(rule));
                if before != (self.nullable[body], self.productive[body]) {
                    for &user in users.of(rule) {
                        let user = user as usize;
                        let inside = component_of[user] == component_of[rule];
                        if inside && !std::mem::replace(&mut queued[user], true) {
                            queue.push_back(user);
                        }
                    }
                }
            }
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
        let most = if self.productive[members.separator as usize] {
            members.max.unwrap_or(u32::MAX)
        } else {
            members.max.unwrap_or(u32::MAX).min(1)
        };
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
                items.iter().fold(Extent { regular: true, size: 1, wide: false }, |sum, &item| {
                    let item = extent(item);
                    Extent {
                        regular: sum.regular && item.regular,
                        size: sum.size.saturating_add(item.size),
                        wide: sum.wide || item.wide,
                    }
                })
            };
            let leaf = |size: usize| Extent {
                regular: true,
                size: u32::try_from(size).unwrap_or(u32::MAX),
                wide: false,
            };
            let irregular = Extent { regular: false, size: u32::MAX, wide: true };
            self.extents[part] = match &self.kinds[part] {
                Kind::Nothing | Kind::Empty | Kind::Class(_) => leaf(1),
                Kind::Text(text) => leaf(text.len()),
                Kind::Known(body) => leaf(body.size as usize),
                Kind::Texts(texts) => leaf(texts.iter().map(|text| text.len()).sum()),
                // Its states are to be shared by all places where it occurs.
                Kind::Rule(rule) if self.is_linear(*rule) => {
                    Extent { regular: true, size: 1, wide: true }
                }
                Kind::Rule(rule) if self.regular[*rule as usize] => {
                    Extent { regular: true, size: u32::MAX, wide: true }
                }
                Kind::Rule(rule) => {
                    let body = extent(self.rules[*rule as usize]);
                    Extent { size: body.size.saturating_add(1), ..body }
                }
                // One terminal, however many states it has.
                Kind::All(found) if found.parts().all(|part| extent(part).regular) => leaf(1),
                Kind::Token(_) | Kind::Members(_) | Kind::Unique(_) | Kind::All(_) => irregular,
                &Kind::Sequence(items) | &Kind::Choice(items) => together(self.items(items)),
                &Kind::Repeat { item, min, max } => {
                    let inside = extent(item);
                    let copies = max.unwrap_or_else(|| min.saturating_add(1));
                    Extent {
                        regular: inside.regular,
                        size: inside.size.saturating_mul(copies).max(1),
                        wide: inside.wide
                            || (max.is_none_or(|max| max >= WIDE_LOOP)
                                && self.has_wide_class(item, 0)),
                    }
                }
            };
        }
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
