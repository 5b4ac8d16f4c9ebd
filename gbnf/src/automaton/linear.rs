//! Right-linear rules: rules that refer to each other, but only at the end of their bodies.
//!
//! What such rules match is a regular language, however they recurse (Chomsky, "On certain formal
//! properties of grammars", 1959), so each of them is one terminal. Its states are terms like any
//! other: what is left of a body, and a rule at its end. An automaton that is written as a rule for
//! each of its states, such as that of a `pattern`, is thus read as that automaton, without a stack.
//! A rule with a loop over many characters is one too, if no other such rule is in its midst: the
//! rule of all strings is, and that of an object with strings is not. And so is one that is larger than
//! a terminal may be elsewhere, as the first of many states without a loop; strings whose length is
//! counted may be what is left of it.
//!
//! Where two rules can begin with the same text, a state is a set of rules, and in the worst case
//! every set of them is one. Such rules are terminals only if their states are few.

use rustc_hash::FxHashSet;

use crate::automaton::lower::{Kind, Lowered, Part, TERMINAL_SIZE};
use crate::automaton::terms::{Determinism, TermId, Terms};
use crate::graph::Graph;

/// What the rules of a component are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Linear {
    /// Not right-linear.
    No,
    /// Regular, but with too many states for a terminal of their own.
    Regular,
    /// Each one terminal.
    Terminal,
}

/// Rules have few states if there are at most this many for each node of their bodies, ...
const STATES_PER_NODE: usize = 16;
/// ... and this many more: one class of characters may have a state for each beginning in UTF-8.
const FURTHER_STATES: usize = 256;

/// The right-linear rules of a grammar, those that others refer to first.
#[derive(Debug)]
pub(crate) struct LinearRules<'a> {
    terms: &'a Terms,
    determinism: Determinism<'a>,
    /// The terms of the rules found so far, and of others that these refer to.
    found: FxHashSet<TermId>,
}

impl<'a> LinearRules<'a> {
    pub(crate) fn new(terms: &'a Terms) -> Self {
        Self { terms, determinism: Determinism::new(terms), found: FxHashSet::default() }
    }

    /// Finds out what the rules of a strongly connected component are. If they are regular,
    /// `lowered` then knows the term of each.
    pub(crate) fn add(
        &mut self,
        component: &[usize],
        recursive: bool,
        lowered: &mut Lowered,
    ) -> Linear {
        let Some(sizes) = sizes(component, lowered) else { return Linear::No };
        // A rule that matches nothing is left out.
        let (rules, sizes): (Vec<usize>, Vec<usize>) = (component.iter().copied().zip(sizes))
            .filter(|&(rule, _)| lowered.productive[lowered.rules[rule] as usize])
            .unzip();
        let is_small = !sizes.contains(&TOO_LARGE);
        // Only conjunctions ask what large ones match.
        if !(is_small || recursive && lowered.has_conjunctions) {
            return Linear::No;
        }
        if recursive {
            for &rule in component {
                lowered.rule_terms.insert(rule as u32, TermId::NOTHING);
            }
            for (index, &rule) in rules.iter().enumerate() {
                lowered.rule_terms.insert(rule as u32, self.terms.hole(index as u32));
            }
        }
        let bodies: Vec<TermId> =
            rules.iter().map(|&rule| lowered.term(lowered.rules[rule], self.terms)).collect();
        self.find_referred(component, lowered);
        let found =
            if recursive { self.system(&rules, &bodies, lowered) } else { Some(bodies.clone()) };
        let Some(found) = found else {
            for &rule in component {
                lowered.rule_terms.remove(&(rule as u32));
            }
            return Linear::No;
        };
        let is_terminal = is_small && self.have_few_states(&bodies, &sizes, &found);
        for (rule, term) in rules.into_iter().zip(found) {
            lowered.rule_terms.insert(rule as u32, term);
            if is_terminal {
                self.found.insert(term);
            }
        }
        if is_terminal { Linear::Terminal } else { Linear::Regular }
    }

    /// Finds the rules that are referred to and are terminals, or counted, wherever they stand: their
    /// states are no more by being what is left of others.
    fn find_referred(&mut self, component: &[usize], lowered: &mut Lowered) {
        let parts: Vec<usize> = component.iter().flat_map(|&rule| lowered.parts_of(rule)).collect();
        for part in parts {
            if !matches!(lowered.kinds[part], Kind::Rule(_)) {
                continue;
            }
            let extent = lowered.extents[part];
            let is_small = extent.regular && !extent.wide && extent.size <= TERMINAL_SIZE;
            if is_small || is_counted_rule(part as Part, lowered) {
                self.found.insert(lowered.term(part as Part, self.terms));
            }
        }
    }

    /// The terms of rules with these bodies, unless one of them may begin with itself.
    fn system(&self, rules: &[usize], bodies: &[TermId], lowered: &Lowered) -> Option<Vec<TermId>> {
        let nullable: Vec<bool> =
            rules.iter().map(|&rule| lowered.nullable[lowered.rules[rule] as usize]).collect();
        begin_with_text(bodies, self.terms).then(|| self.terms.system(bodies, &nullable))
    }

    /// Whether the rules have not many more states than their bodies have nodes. Those with
    /// deterministic bodies have not; the states of the others are counted, up to where only one
    /// rule is left.
    fn have_few_states(&mut self, bodies: &[TermId], sizes: &[usize], rules: &[TermId]) -> bool {
        let terms = self.terms;
        let mut pending = Vec::new();
        let mut left = FURTHER_STATES;
        for ((&body, &size), &rule) in bodies.iter().zip(sizes).zip(rules) {
            if !self.determinism.holds(body) {
                pending.push(rule);
                left += STATES_PER_NODE * size;
            }
        }
        have_few_states(terms, pending, &mut left, |next| {
            terms.is_rule(next) || self.found.contains(&next)
        })
    }
}

/// Whether what is left of some terms is at most so many states, each of as much as it has alternatives;
/// these are taken from `left`. Those that are known by themselves are not counted.
pub(crate) fn have_few_states(
    terms: &Terms,
    mut pending: Vec<TermId>,
    left: &mut usize,
    mut is_known: impl FnMut(TermId) -> bool,
) -> bool {
    let mut seen: FxHashSet<TermId> = pending.iter().copied().collect();
    while let Some(state) = pending.pop() {
        let Some(rest) = left.checked_sub(terms.alternatives(state)) else { return false };
        *left = rest;
        for &(_, _, next) in terms.transitions(state) {
            if !is_known(next) && seen.insert(next) {
                pending.push(next);
            }
        }
    }
    true
}

/// What is counted within a rule, or is left of it, has at most this size: it is a state for each number.
const COUNTED_SIZE: u32 = 16 * TERMINAL_SIZE;

/// The size of a body that is too large for a terminal.
const TOO_LARGE: usize = usize::MAX;

/// What is known of a part of a body.
#[derive(Clone, Copy)]
struct Size {
    nodes: usize,
    /// Whether a rule of the component may be at its end.
    recursive: bool,
    /// Whether a rule with a loop over many characters may be at its end.
    wide: bool,
}

impl Size {
    fn new(nodes: usize) -> Self {
        Self { nodes, recursive: false, wide: false }
    }

    fn with(self, other: Self) -> Self {
        Self {
            nodes: self.nodes.saturating_add(other.nodes),
            recursive: self.recursive || other.recursive,
            wide: self.wide || other.wide,
        }
    }
}

/// The sizes of the parts of a rule, as far as they are known.
struct Sizes {
    /// The first part.
    first: Part,
    known: Vec<Option<Size>>,
    /// Whether a loop over many characters may be counted.
    counted_fits: bool,
}

impl Sizes {
    fn get(&self, part: Part) -> Option<Size> {
        self.known.get((part - self.first) as usize).copied().flatten()
    }
}

/// The size of each body, if in all of them rules of the component occur at the end only, and what
/// comes before is regular. With a rule in its midst that has a loop over many characters it is too
/// large, unless the loop is counted and other such rules are what is left.
fn sizes(component: &[usize], lowered: &Lowered) -> Option<Vec<usize>> {
    let of_rule = |&rule: &usize| {
        let parts = lowered.parts_of(rule);
        let is_linear = |kind: &Kind| matches!(kind, Kind::Rule(rule) if lowered.is_linear(*rule));
        let mut sizes = Sizes {
            first: parts.start as Part,
            known: Vec::with_capacity(parts.len()),
            // The rest are states anyway.
            counted_fits: lowered.kinds[parts.clone()].iter().any(is_linear),
        };
        for part in parts {
            let found = size(part as Part, component, lowered, &sizes);
            sizes.known.push(found);
        }
        Some(sizes.get(lowered.rules[rule])?.nodes)
    };
    component.iter().map(of_rule).collect()
}

fn size(part: Part, component: &[usize], lowered: &Lowered, known: &Sizes) -> Option<Size> {
    let all = |items: &[Part]| {
        items.iter().try_fold(Size::new(1), |sum, &item| known.get(item).map(|item| sum.with(item)))
    };
    let extent = lowered.extents[part as usize];
    // What is counted is larger than a terminal, but allows no more states than one.
    let nodes = extent.size.min(TERMINAL_SIZE) as usize;
    let terminal = |fits| Size::new(if fits { nodes } else { TOO_LARGE });
    match &lowered.kinds[part as usize] {
        Kind::Nothing | Kind::Empty | Kind::Class(_) => Some(Size::new(1)),
        Kind::Texts(texts) => Some(Size::new(texts.iter().map(|text| text.len()).sum())),
        Kind::Rule(rule) if component.binary_search(&(*rule as usize)).is_ok() => {
            Some(Size { recursive: true, ..Size::new(1) })
        }
        &Kind::Sequence(items) => {
            let items = lowered.items(items);
            let before = all(&items[..items.len() - 1])?;
            if before.recursive {
                return None;
            }
            let size = all(items)?;
            Some(if before.wide { Size { nodes: TOO_LARGE, ..size } } else { size })
        }
        &Kind::Choice(items) => all(lowered.items(items)),
        &Kind::Repeat { item, max: Some(1), .. } => known.get(item),
        &Kind::Repeat { item, max, .. } => {
            let inside = known.get(item)?;
            // What is counted has a state for each number, and what is wide inside a loop is in its
            // midst.
            let is_counted = max.is_some() && extent.wide;
            let most = if is_counted { COUNTED_SIZE } else { TERMINAL_SIZE };
            let is_small = !(is_counted && !known.counted_fits || inside.wide);
            let fits = is_small && extent.size <= most;
            (!inside.recursive && extent.regular).then(|| terminal(fits))
        }
        Kind::Rule(rule) if lowered.is_linear(*rule) => Some(Size { wide: true, ..Size::new(1) }),
        Kind::Rule(_) if is_counted_rule(part, lowered) => {
            Some(Size { wide: true, ..terminal(true) })
        }
        Kind::Text(_) | Kind::Rule(_) | Kind::All(_) | Kind::Known(_) => {
            let size = terminal(extent.size <= TERMINAL_SIZE);
            extent.regular.then_some(Size { wide: extent.wide, ..size })
        }
        Kind::Token(_) | Kind::Members(_) | Kind::Unique(_) => None,
    }
}

/// Whether a part refers to a rule with a loop over many characters that is no terminal because it is
/// counted. It can be what is left of one.
fn is_counted_rule(part: Part, lowered: &Lowered) -> bool {
    let Kind::Rule(rule) = lowered.kinds[part as usize] else { return false };
    let (extent, body) = (lowered.extents[part as usize], lowered.rules[rule as usize]);
    let Kind::Sequence(items) = lowered.kinds[body as usize] else { return false };
    let mut wide = lowered.items(items).iter().filter(|&&item| lowered.extents[item as usize].wide);
    let is_counted = |&item: &Part| match lowered.kinds[item as usize] {
        Kind::Repeat { item, max: Some(_), .. } => !lowered.extents[item as usize].wide,
        _ => false,
    };
    let is_alone = wide.next().is_some_and(is_counted) && wide.next().is_none();
    is_alone && extent.regular && extent.size <= COUNTED_SIZE
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
