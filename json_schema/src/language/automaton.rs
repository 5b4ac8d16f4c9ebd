//! Languages as deterministic automata over code points.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::class::CharSet;
use super::derive::State;
use super::minimise::{Edge, minimise};
use super::store::{LanguageId, Languages, TooLarge};

/// The least deterministic automaton of a language: equal languages have equal ones.
///
/// From every state, but for the first one of the empty language, some text is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dfa {
    /// The first one is where texts begin; numbered in the order in which they are reached.
    states: Vec<DfaState>,
}

/// A state of a [`Dfa`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DfaState {
    /// Whether a text may end here.
    pub(crate) accepting: bool,
    /// Where code points lead, by the first one of each set: disjoint sets, different states.
    pub(crate) transitions: Vec<(CharSet, usize)>,
}

/// The number of code points in the texts of a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lengths {
    pub(crate) min: u64,
    /// `None`: there are texts of any length.
    pub(crate) max: Option<u64>,
}

impl Languages {
    /// The automaton of a language, unless more than `limit` states are met on the way.
    pub(crate) fn dfa(&mut self, language: LanguageId, limit: usize) -> Result<Dfa, TooLarge> {
        Dfa::minimal(&self.explore(language, limit)?)
    }

    fn explore(&mut self, language: LanguageId, limit: usize) -> Result<Vec<DfaState>, TooLarge> {
        let initial = self.initial(language);
        let mut numbers: FxHashMap<State, usize> = FxHashMap::from_iter([(initial, 0)]);
        let mut met = vec![initial];
        let mut states = Vec::new();
        while let Some(&state) = met.get(states.len()) {
            let mut transitions = Vec::new();
            for (set, to) in self.transitions(state)? {
                let number = *numbers.entry(to).or_insert(met.len());
                if number == met.len() {
                    met.push(to);
                }
                transitions.push((set, number));
            }
            if met.len() > limit {
                return Err(TooLarge);
            }
            states.push(DfaState { accepting: self.accepts(state), transitions });
        }
        Ok(states)
    }
}

/// By state, whether some text is accepted from it.
fn live(states: &[DfaState]) -> Vec<bool> {
    let mut sources = vec![Vec::new(); states.len()];
    for (from, state) in states.iter().enumerate() {
        for &(_, to) in &state.transitions {
            sources[to].push(from);
        }
    }
    let mut live: Vec<bool> = states.iter().map(|state| state.accepting).collect();
    let mut pending: Vec<usize> = (0..states.len()).filter(|&state| live[state]).collect();
    while let Some(state) = pending.pop() {
        for &from in &sources[state] {
            if !live[from] {
                live[from] = true;
                pending.push(from);
            }
        }
    }
    live
}

impl Dfa {
    /// The least automaton that accepts the same; texts begin at the first state.
    pub(crate) fn minimal(states: &[DfaState]) -> Result<Self, TooLarge> {
        let live = live(states);
        if !live[0] {
            return Ok(Self { states: vec![DfaState::default()] });
        }
        let mut edges = Vec::new();
        for (from, state) in states.iter().enumerate().filter(|&(from, _)| live[from]) {
            let alive = state.transitions.iter().filter(|&&(_, to)| live[to]);
            edges.extend(alive.map(|(set, to)| Edge { from, set, to: *to }));
        }
        let accepting: Vec<bool> = states.iter().map(|state| state.accepting).collect();
        let block = minimise(&accepting, &edges)?;
        Ok(Self::quotient(&accepting, &edges, &block))
    }

    /// The automaton of blocks of states that are alike; the edges of a state stand together.
    fn quotient(accepting: &[bool], edges: &[Edge<'_>], block: &[usize]) -> Self {
        let blocks = block.iter().max().map_or(0, |last| last + 1);
        let mut states = vec![DfaState::default(); blocks];
        for (&block, &accepting) in block.iter().zip(accepting) {
            states[block].accepting = accepting;
        }
        let mut is_done = vec![false; blocks];
        for edges in edges.chunk_by(|a, b| a.from == b.from) {
            let from = block[edges[0].from];
            if std::mem::replace(&mut is_done[from], true) {
                continue;
            }
            let mut targets: Vec<_> = edges.iter().map(|edge| (block[edge.to], edge.set)).collect();
            targets.sort_by_key(|&(to, _)| to);
            let transitions = targets.chunk_by(|a, b| a.0 == b.0).map(|alike| {
                let ranges = alike.iter().flat_map(|(_, set)| set.ranges());
                (CharSet::from_ranges(ranges.copied()), alike[0].0)
            });
            let mut transitions: Vec<_> = transitions.collect();
            transitions.sort_unstable_by_key(|(set, _)| set.ranges().first().copied());
            states[from].transitions = transitions;
        }
        Self { states: renumbered(states, block[0]) }
    }

    /// The states; the first one is where texts begin.
    pub(crate) fn states(&self) -> &[DfaState] {
        &self.states
    }

    /// All texts, in the order of their code points; `None` if there are more than `most`.
    pub(crate) fn texts(&self, most: usize) -> Option<Vec<String>> {
        self.count().filter(|&count| count <= most as u64)?;
        let mut texts = Vec::new();
        let mut pending = vec![(0, String::new())];
        // Every state leads to an end, so there are no more beginnings than texts.
        while let Some((state, text)) = pending.pop() {
            let state = &self.states[state];
            for (set, to) in state.transitions.iter().rev() {
                for &(low, high) in set.ranges().iter().rev() {
                    pending.extend((low..=high).rev().map(|c| (*to, format!("{text}{c}"))));
                }
            }
            if state.accepting {
                texts.push(text);
            }
        }
        Some(texts)
    }

    /// How many texts there are, as far as that is a number; `None` if they do not come to an end.
    fn count(&self) -> Option<u64> {
        let mut ways = vec![0_u64; self.states.len()];
        ways[0] = 1;
        let mut texts = 0_u64;
        for state in self.in_order()? {
            let DfaState { transitions, accepting, .. } = &self.states[state];
            for (set, to) in transitions {
                let characters =
                    set.ranges().iter().map(|&(low, high)| (low..=high).count() as u64);
                let more = ways[state].saturating_mul(characters.sum());
                ways[*to] = ways[*to].saturating_add(more);
            }
            if *accepting {
                texts = texts.saturating_add(ways[state]);
            }
        }
        Some(texts)
    }

    /// Whether there is no text.
    pub(crate) fn is_empty(&self) -> bool {
        !self.states[0].accepting && self.states[0].transitions.is_empty()
    }

    /// How long the texts are; `None` if there are none.
    pub(crate) fn lengths(&self) -> Option<Lengths> {
        if self.is_empty() {
            return None;
        }
        Some(Lengths { min: self.shortest(), max: self.longest() })
    }

    fn shortest(&self) -> u64 {
        let mut seen = vec![false; self.states.len()];
        let mut pending = VecDeque::from([(0, 0)]);
        while let Some((state, length)) = pending.pop_front() {
            if self.states[state].accepting {
                return length;
            }
            if !std::mem::replace(&mut seen[state], true) {
                let next = self.states[state].transitions.iter().map(|&(_, to)| (to, length + 1));
                pending.extend(next);
            }
        }
        0
    }

    fn longest(&self) -> Option<u64> {
        let mut length = vec![0u64; self.states.len()];
        for state in self.in_order()? {
            for &(_, to) in &self.states[state].transitions {
                length[to] = length[to].max(length[state] + 1);
            }
        }
        length.into_iter().max()
    }

    /// The states, each behind all that lead to it; `None` if some text goes through one twice: it can go through
    /// it any number of times then, as every state leads to an end.
    fn in_order(&self) -> Option<Vec<usize>> {
        let mut entering = vec![0usize; self.states.len()];
        for (_, to) in self.states.iter().flat_map(|state| &state.transitions) {
            entering[*to] += 1;
        }
        let mut order = Vec::with_capacity(self.states.len());
        let mut pending: Vec<usize> = if entering[0] == 0 { vec![0] } else { Vec::new() };
        while let Some(state) = pending.pop() {
            order.push(state);
            for &(_, to) in &self.states[state].transitions {
                entering[to] -= 1;
                if entering[to] == 0 {
                    pending.push(to);
                }
            }
        }
        (order.len() == self.states.len()).then_some(order)
    }
}

/// The states that are reached from `first`, in the order in which they are.
fn renumbered(states: Vec<DfaState>, first: usize) -> Vec<DfaState> {
    let mut numbers = vec![None; states.len()];
    numbers[first] = Some(0);
    let mut order = vec![first];
    let mut done = 0;
    while let Some(&state) = order.get(done) {
        done += 1;
        for &(_, to) in &states[state].transitions {
            if numbers[to].is_none() {
                numbers[to] = Some(order.len());
                order.push(to);
            }
        }
    }
    let mut states: Vec<_> = states.into_iter().map(Some).collect();
    order
        .into_iter()
        .filter_map(|state| states[state].take())
        .map(|mut state| {
            for (_, to) in &mut state.transitions {
                *to = numbers[*to].unwrap_or_default();
            }
            state
        })
        .collect()
}
