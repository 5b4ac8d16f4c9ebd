//! Right-linear rules: rules that refer to each other, but only at the end of their bodies.
//!
//! What such rules match is a regular language, however they recurse (Chomsky, "On certain formal
//! properties of grammars", 1959), so each of them is one terminal. Its states are terms like any
//! other: what is left of a body, and a rule at its end. An automaton that is written as a rule for
//! each of its states, such as that of a `pattern`, is thus read as that automaton, without a stack.
//!
//! Where two rules can begin with the same text, a state is a set of rules, and in the worst case
//! every set of them is one. Such rules are terminals only if their states are few.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::automaton::lower::{Kind, Lowered, Part, TERMINAL_SIZE};
use crate::automaton::terms::{Determinism, TermId, Terms};
use crate::graph::Graph;

/// Rules have few states if there are at most this many for each node of their bodies, ...
const STATES_PER_NODE: usize = 16;
/// ... and this many more: one class of characters may have a state for each beginning in UTF-8.
const FURTHER_STATES: usize = 256;

/// Makes the rules of a strongly connected component terminals, if they are right-linear and have
/// few states: `lowered` then knows the term of each. Whether they are.
pub(crate) fn make_terminals(component: &[usize], lowered: &mut Lowered, terms: &Terms) -> bool {
    let Some(sizes) = sizes(component, lowered) else { return false };
    // A rule that matches nothing is left out.
    let (mut rules, mut sizes_left) = (Vec::new(), Vec::new());
    for (&rule, size) in component.iter().zip(sizes) {
        let productive = lowered.productive[lowered.rules[rule] as usize];
        let term = if productive { terms.hole(rules.len() as u32) } else { TermId::NOTHING };
        lowered.rule_terms.insert(rule as u32, term);
        if productive {
            rules.push(rule);
            sizes_left.push(size);
        }
    }
    let bodies: Vec<TermId> =
        rules.iter().map(|&rule| lowered.term(lowered.rules[rule], terms)).collect();
    if begin_with_text(&bodies, terms) {
        let nullable: Vec<bool> =
            rules.iter().map(|&rule| lowered.nullable[lowered.rules[rule] as usize]).collect();
        let system = terms.system(&bodies, &nullable);
        if have_few_states(&bodies, &sizes_left, &system, terms) {
            for (&rule, term) in rules.iter().zip(system) {
                lowered.rule_terms.insert(rule as u32, term);
            }
            return true;
        }
    }
    for &rule in component {
        lowered.rule_terms.remove(&(rule as u32));
    }
    false
}

/// The size of each body, if in all of them rules of the component occur at the end only, and
/// what comes before is regular.
fn sizes(component: &[usize], lowered: &Lowered) -> Option<Vec<usize>> {
    // Of each part, how large it is and whether a rule of the component may be at its end.
    let mut known: FxHashMap<Part, (usize, bool)> = FxHashMap::default();
    for &rule in component {
        for part in lowered.parts_of(rule) {
            let part = part as Part;
            if let Some(found) = size(part, component, lowered, &known) {
                known.insert(part, found);
            }
        }
    }
    component.iter().map(|&rule| Some(known.get(&lowered.rules[rule])?.0)).collect()
}

fn size(
    part: Part,
    component: &[usize],
    lowered: &Lowered,
    known: &FxHashMap<Part, (usize, bool)>,
) -> Option<(usize, bool)> {
    let all = |items: &[Part]| {
        items.iter().try_fold((1, false), |(size, open), item| {
            let &(of_item, item_open) = known.get(item)?;
            Some((size + of_item, open || item_open))
        })
    };
    let closed = |part: &Part| known.get(part).is_some_and(|&(_, open)| !open);
    match &lowered.kinds[part as usize] {
        Kind::Nothing | Kind::Empty | Kind::Class(_) => Some((1, false)),
        Kind::Texts(texts) => Some((texts.iter().map(|text| text.len()).sum(), false)),
        Kind::Rule(rule) if component.binary_search(&(*rule as usize)).is_ok() => Some((1, true)),
        Kind::Sequence(items) if items[..items.len() - 1].iter().all(closed) => all(items),
        Kind::Choice(items) => all(items),
        Kind::Repeat { item, max: Some(1), .. } => known.get(item).copied(),
        Kind::Repeat { item, .. } if !closed(item) => None,
        Kind::Text(_) | Kind::Rule(_) | Kind::Repeat { .. } => {
            let extent = lowered.extents[part as usize];
            let fits = extent.regular && extent.size <= TERMINAL_SIZE;
            fits.then_some((extent.size as usize, false))
        }
        Kind::Sequence(_) | Kind::Token(_) | Kind::Members(_) | Kind::Unique(_) => None,
    }
}

/// Whether no rule may begin with itself. Many rules may not begin with one another at all: what
/// the first can begin with would be a set of all.
fn begin_with_text(bodies: &[TermId], terms: &Terms) -> bool {
    let begins = Graph::new(bodies, |&body, edges| terms.leading_holes(body, edges));
    if bodies.len() > TERMINAL_SIZE as usize {
        return (0..bodies.len()).all(|rule| begins.of(rule).is_empty());
    }
    !begins.on_cycles(&begins.components()).contains(&true)
}

/// Whether the rules have not many more states than their bodies have nodes. Those with
/// deterministic bodies have not; the states of the others are counted, up to where only one
/// rule is left.
fn have_few_states(bodies: &[TermId], sizes: &[usize], rules: &[TermId], terms: &Terms) -> bool {
    let mut determinism = Determinism::new(terms);
    let mut pending = Vec::new();
    let mut left = FURTHER_STATES;
    for ((&body, &size), &rule) in bodies.iter().zip(sizes).zip(rules) {
        if !determinism.holds(body) {
            pending.push(rule);
            left += STATES_PER_NODE * size;
        }
    }
    let mut seen: FxHashSet<TermId> = pending.iter().copied().collect();
    while let Some(state) = pending.pop() {
        // A set of rules is as large as they are many.
        let Some(rest) = left.checked_sub(terms.alternatives(state)) else { return false };
        left = rest;
        for &(_, _, next) in terms.transitions(state) {
            if !terms.is_rule(next) && seen.insert(next) {
                pending.push(next);
            }
        }
    }
    true
}
