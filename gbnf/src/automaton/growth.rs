//! Which rules have infinitely many texts because they contain themselves.

use rustc_hash::FxHashSet;

use crate::automaton::canonical::BLANKS;
use crate::automaton::lower::{Kind, Lowered, LoweredUnique, Part};
use crate::automaton::terms::{TermId, Terms};
use crate::graph::Graph;

/// What is known of the parts of a grammar.
pub(crate) struct Growth {
    /// Whether the part matches some text that is more than blanks.
    has_text: Vec<bool>,
    /// Whether the part lies on a circle on which something comes before or behind it that is more
    /// than blanks.
    grows: Vec<bool>,
}

impl Growth {
    pub(crate) fn new(lowered: &Lowered, terms: &Terms) -> Self {
        let parts = Graph::new(0..lowered.kinds.len(), |part, to| {
            children(part, lowered, |child| to.push(child));
        });
        let has_text = has_text(lowered, &parts.reversed(), terms);
        let component = parts.components();
        let mut is_growing = vec![false; component.iter().max().map_or(0, |&max| max as usize + 1)];
        for part in 0..lowered.kinds.len() {
            children(part, lowered, |child| {
                let is_inside = component[part] == component[child as usize];
                if is_inside && has_text_around(part, child, lowered, &has_text) {
                    is_growing[component[part] as usize] = true;
                }
            });
        }
        let grows = component.iter().map(|&component| is_growing[component as usize]).collect();
        Self { has_text, grows }
    }

    pub(crate) fn has_text(&self, part: Part) -> bool {
        self.has_text[part as usize]
    }

    pub(crate) fn grows(&self, part: Part) -> bool {
        self.grows[part as usize]
    }
}

/// The items that can be written.
fn possible_items<'l>(
    list: &'l LoweredUnique,
    lowered: &'l Lowered<'_>,
) -> impl Iterator<Item = Part> + 'l {
    let most = lowered.most_items(list) as usize;
    let rest = list.rest.filter(|_| most > list.first.len());
    list.first.iter().copied().take(most).chain(rest)
}

/// Calls `add` with each part of which texts are parts of those of `part`.
fn children(part: usize, lowered: &Lowered, mut add: impl FnMut(Part)) {
    if !lowered.productive[part] {
        return;
    }
    let mut add = |part: Part| {
        if lowered.productive[part as usize] {
            add(part);
        }
    };
    match &lowered.kinds[part] {
        Kind::Rule(rule) => add(lowered.rules[*rule as usize]),
        &Kind::Sequence(items) | &Kind::Choice(items) => {
            lowered.items(items).iter().copied().for_each(add);
        }
        Kind::Repeat { item, max, .. } if *max != Some(0) => add(*item),
        Kind::Members(members) if members.max != Some(0) => {
            for member in &members.members {
                if lowered.member_possible(member) {
                    add(member.key);
                    add(member.value);
                }
            }
            if members.max != Some(1) {
                add(members.separator);
            }
        }
        Kind::Unique(list) => {
            possible_items(list, lowered).for_each(&mut add);
            if lowered.most_items(list) > 1 {
                add(list.separator);
            }
        }
        Kind::Nothing
        | Kind::Empty
        | Kind::Text(_)
        | Kind::Texts(_)
        | Kind::Class(_)
        | Kind::Token(_)
        | Kind::Repeat { .. }
        | Kind::Members(_)
        | Kind::All(_)
        | Kind::Known(_) => {}
    }
}

fn has_text(lowered: &Lowered, users: &Graph, terms: &Terms) -> Vec<bool> {
    let is_blank = |byte: &u8| BLANKS.contains(byte);
    let has_own_text = |part: &usize| match &lowered.kinds[*part] {
        Kind::Text(text) => !text.iter().all(is_blank),
        Kind::Texts(texts) => texts.iter().any(|text| !text.iter().all(is_blank)),
        Kind::Class(ranges) => ranges.iter().any(|&(_, high)| high > ' '),
        Kind::All(found) => !has_blanks_only(found.known_term(), terms),
        _ => false,
    };
    users.reachable((0..users.len()).filter(has_own_text))
}

/// Whether all that a term matches is blanks.
fn has_blanks_only(term: TermId, terms: &Terms) -> bool {
    let mut seen = FxHashSet::default();
    let mut pending = vec![term];
    while let Some(term) = pending.pop() {
        if seen.insert(term) {
            for &(lo, hi, to) in terms.transitions(term) {
                if (lo..=hi).any(|byte| !BLANKS.contains(&byte)) {
                    return false;
                }
                pending.push(to);
            }
        }
    }
    true
}

/// Whether something that is more than blanks may come before or behind a part of `part`.
fn has_text_around(part: usize, child: Part, lowered: &Lowered, has_text: &[bool]) -> bool {
    let has_text = |part: Part| has_text[part as usize];
    match &lowered.kinds[part] {
        &Kind::Sequence(items) => {
            lowered.items(items).iter().any(|&item| item != child && has_text(item))
        }
        Kind::Repeat { item, max, .. } => *max != Some(1) && has_text(*item),
        Kind::Members(members) => members.members.iter().any(|member| has_text(member.key)),
        Kind::Unique(list) if lowered.most_items(list) > 1 => {
            let others = possible_items(list, lowered).chain([list.separator]);
            others.into_iter().any(has_text)
        }
        _ => false,
    }
}
