//! Neighbours that overlap: where one part may end, it may mostly go on as well, with the same bytes with
//! which the next one begins.
//!
//! Read part by part, `[^"]* word [^"]*` is at every character in all three of them, and so are the
//! rounds of `(text | element)*` if a `text` is some characters in a row. Read as one terminal it is in
//! one of few states: the parts of a sequence that overlap are one, and so are the rounds of a loop.
//! Of alternatives of which only some are regular, `(r | n)*` is read as `r* (n r*)*`.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::automaton::linear::have_few_states;
use crate::automaton::lower::{Kind, Lowered, Part, TERMINAL_SIZE};
use crate::automaton::terms::{ByteSet, TermId, Terms};

/// Parts overlap if they share so many bytes: of fewer, as of a comma, there are few places in a token.
const MANY_BYTES: usize = 16;
/// What has more states, each of as much as it has alternatives, is no terminal.
const MOST_STATES: usize = 4_096;
/// So many states are looked at for a whole grammar: of a thousand parts with too many states each, none
/// is to be looked at again behind each of them.
const MOST_STATES_IN_ALL: usize = 4 * MOST_STATES;
/// So many alternatives of a loop are looked at.
const MOST_ALTERNATIVES: usize = 64;
/// So many parts of a sequence are looked at.
const MOST_PARTS: usize = 64;

/// A loop of which some alternatives overlap.
#[derive(Debug)]
pub(crate) struct OverlappingLoop {
    /// One of them, or several one after the other.
    pub(crate) rounds: TermId,
    /// The other alternatives.
    pub(crate) others: Vec<Part>,
}

/// Finds parts that overlap.
#[derive(Debug)]
pub(crate) struct Overlaps<'a> {
    terms: &'a Terms,
    /// See [`Overlaps::further`].
    further: FxHashMap<TermId, Option<ByteSet>>,
    /// How many states may still be looked at.
    left: usize,
}

impl<'a> Overlaps<'a> {
    pub(crate) fn new(terms: &'a Terms) -> Self {
        Self { terms, further: FxHashMap::default(), left: MOST_STATES_IN_ALL }
    }

    /// The last of some parts and those before that overlap with it, as one terminal, with the parts
    /// before all of these. Nothing if there are none, or if that would have too many states.
    pub(crate) fn at_end<'p>(
        &mut self,
        items: &'p [Part],
        lowered: &mut Lowered,
    ) -> Option<(&'p [Part], TermId)> {
        let mut start = items.len() - 1;
        for at in (0..items.len()).rev().take(MOST_PARTS) {
            if !may_be_terminal(items[at], lowered) {
                break;
            }
            let is_linked = at == start || self.overlaps(at, items, lowered);
            if is_linked {
                start = at;
            } else if !lowered.nullable[items[at] as usize] {
                break;
            }
        }
        let (before, together) = items.split_at(start);
        if together.len() == 1 {
            return None;
        }
        let term = lowered.sequence_term(together, self.terms);
        self.is_small(term).then_some((before, term))
    }

    /// The rounds of a loop over a part, if they overlap and have few states.
    pub(crate) fn of_loop(&mut self, item: Part, lowered: &mut Lowered) -> Option<OverlappingLoop> {
        let (rounds, others): (Vec<Part>, Vec<Part>) = alternatives(item, lowered)?
            .into_iter()
            .partition(|&part| may_be_terminal(part, lowered));
        if !rounds.iter().any(|&part| lowered.extents[part as usize].wide) {
            return None;
        }
        let rounds: Vec<TermId> =
            rounds.into_iter().map(|part| lowered.term(part, self.terms)).collect();
        let round = self.terms.alt(rounds);
        let first = self.terms.first(round);
        if first.len() < MANY_BYTES || self.further(round)?.intersection(&first).len() < MANY_BYTES
        {
            return None;
        }
        let rounds = self.terms.repeat(round, 1, None);
        self.is_small(rounds).then_some(OverlappingLoop { rounds, others })
    }

    /// Whether one of some parts may end where many of the bytes with which one of those behind it begins
    /// would go on with it as well. What lies between the two may be empty.
    fn overlaps(&mut self, at: usize, items: &[Part], lowered: &mut Lowered) -> bool {
        if !lowered.extents[items[at] as usize].wide {
            return false;
        }
        let mut behind = ByteSet::default();
        for &item in &items[at + 1..] {
            behind.union_with(&self.first(item, lowered));
            if !lowered.nullable[item as usize] {
                break;
            }
        }
        behind.len() >= MANY_BYTES && {
            let further = self.further(lowered.term(items[at], self.terms));
            further.is_some_and(|further| further.intersection(&behind).len() >= MANY_BYTES)
        }
    }

    /// The bytes with which a part that may be a terminal may begin.
    fn first(&self, part: Part, lowered: &mut Lowered) -> ByteSet {
        self.terms.first(lowered.term(part, self.terms))
    }

    /// The bytes with which a match may go on, once it has begun, although it could have ended; nothing
    /// if there are too many states to find out.
    fn further(&mut self, term: TermId) -> Option<ByteSet> {
        if let Some(known) = self.further.get(&term) {
            return *known;
        }
        let mut further = ByteSet::default();
        let terms = self.terms;
        let is_done = self.has_few_states(term, |next| {
            if terms.nullable(next) {
                further.union_with(&terms.first(next));
            }
            false
        });
        let further = is_done.then_some(further);
        self.further.insert(term, further);
        further
    }

    fn is_small(&mut self, term: TermId) -> bool {
        let terms = self.terms;
        self.has_few_states(term, |next| terms.is_rule(next))
    }

    fn has_few_states(&mut self, term: TermId, is_known: impl FnMut(TermId) -> bool) -> bool {
        let most = self.left.min(MOST_STATES);
        let mut left = most;
        let few = have_few_states(self.terms, vec![term], &mut left, is_known);
        self.left -= most - left;
        few
    }
}

/// Whether a part may be in a terminal with others.
fn may_be_terminal(part: Part, lowered: &Lowered) -> bool {
    let extent = lowered.extents[part as usize];
    extent.regular && extent.size <= TERMINAL_SIZE && lowered.productive[part as usize]
}

/// The alternatives of a part; nothing if there are too many.
fn alternatives(part: Part, lowered: &Lowered) -> Option<Vec<Part>> {
    let (mut all, mut seen) = (Vec::new(), FxHashSet::default());
    let mut pending = vec![part];
    while let Some(part) = pending.pop() {
        if all.len() + pending.len() > MOST_ALTERNATIVES {
            return None;
        }
        match choice(part, lowered) {
            // A rule that is an alternative of itself adds nothing.
            Some(_) if !seen.insert(part) => {}
            Some(items) => pending.extend(items),
            None => all.push(part),
        }
    }
    Some(all)
}

/// What a part is a choice of. That of a rule is its own if all in it are rules or terminals: code of
/// anything else would be written down here once more, and without end where the rule has this loop in
/// itself.
fn choice<'l>(part: Part, lowered: &'l Lowered) -> Option<&'l [Part]> {
    let is_rule = |part: Part| matches!(lowered.kinds[part as usize], Kind::Rule(_));
    match lowered.kinds[part as usize] {
        Kind::Choice(items) => Some(lowered.items(items)),
        Kind::Rule(rule) if !may_be_terminal(part, lowered) => {
            let body = lowered.rules[rule as usize];
            let Kind::Choice(items) = lowered.kinds[body as usize] else { return None };
            let items = lowered.items(items);
            let fit = items.iter().all(|&item| is_rule(item) || may_be_terminal(item, lowered));
            fit.then_some(items)
        }
        _ => None,
    }
}
