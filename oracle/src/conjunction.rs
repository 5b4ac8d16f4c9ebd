//! Conjunctions of regular expressions, as the textbook makes them: sets of states of automata with
//! empty moves, side by side.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use grammask_gbnf::{All, Expr, ExprKind, Grammar};

use crate::utf8::encodings;

/// A state of a deterministic automaton; the first one is where texts begin.
pub(crate) struct State {
    pub(crate) accepting: bool,
    pub(crate) edges: Vec<(u8, u8, usize)>,
}

/// The automaton of a conjunction.
pub(crate) fn automaton(grammar: &Grammar, found: &All) -> Vec<State> {
    let mut moves = Moves { grammar, edges: Vec::new(), rules: HashMap::new() };
    let end = moves.state();
    let mut start = |expr| BTreeSet::from([moves.before(expr, end)]);
    let all: Vec<_> = found.all.iter().map(&mut start).collect();
    let none: Vec<_> = found.none.iter().map(&mut start).collect();
    let sides = |(all, none): (Vec<BTreeSet<usize>>, Vec<BTreeSet<usize>>)| {
        let closed = |sets: Vec<BTreeSet<usize>>| -> Vec<_> {
            sets.into_iter().map(|set| moves.closed(set)).collect()
        };
        (closed(all), closed(none))
    };
    let mut met = vec![sides((all, none))];
    let mut numbers = BTreeMap::from([(met[0].clone(), 0)]);
    let mut states: Vec<State> = Vec::new();
    while let Some((all, none)) = met.get(states.len()).cloned() {
        let mut edges: Vec<(u8, u8, usize)> = Vec::new();
        for byte in 0..=u8::MAX {
            let read = |sets: &[BTreeSet<usize>]| -> Vec<_> {
                sets.iter().map(|set| moves.read(set, byte)).collect()
            };
            let next = sides((read(&all), read(&none)));
            if next.0.iter().any(BTreeSet::is_empty) {
                continue;
            }
            let number = *numbers.entry(next.clone()).or_insert(met.len());
            if number == met.len() {
                met.push(next);
            }
            match edges.last_mut() {
                Some((_, hi, to)) if *to == number && *hi + 1 == byte => *hi = byte,
                _ => edges.push((byte, byte, number)),
            }
        }
        let ends = |set: &BTreeSet<usize>| set.contains(&end);
        states.push(State { accepting: all.iter().all(ends) && !none.iter().any(ends), edges });
    }
    states
}

/// The bytes that a move reads, if it reads one, and where it leads.
type Move = (Option<(u8, u8)>, usize);

/// An automaton with empty moves: by state where bytes lead, or nothing.
struct Moves<'g> {
    grammar: &'g Grammar,
    edges: Vec<Vec<Move>>,
    /// Where a rule begins behind which a state comes.
    rules: HashMap<(String, usize), usize>,
}

impl Moves<'_> {
    fn state(&mut self) -> usize {
        self.edges.push(Vec::new());
        self.edges.len() - 1
    }

    /// The state in front of an expression behind which `next` comes.
    fn before(&mut self, expr: &Expr, next: usize) -> usize {
        match &expr.kind {
            ExprKind::Literal(text) => {
                text.bytes().rev().fold(next, |next, byte| self.byte((byte, byte), next))
            }
            ExprKind::Class(class) => self.class(class.negated, &class.ranges, next),
            ExprKind::Any => self.class(true, &[], next),
            ExprKind::Reference(name) => {
                let key = (name.to_string(), next);
                if let Some(&known) = self.rules.get(&key) {
                    return known;
                }
                let start = self.state();
                self.rules.insert(key, start);
                if let Some(rule) = self.grammar.rules.iter().rfind(|rule| rule.name == *name) {
                    let body = self.before(&rule.body, next);
                    self.edges[start].push((None, body));
                }
                start
            }
            ExprKind::Sequence(items) => {
                items.iter().rev().fold(next, |next, item| self.before(item, next))
            }
            ExprKind::Choice(items) => {
                let starts: Vec<_> = items.iter().map(|item| self.before(item, next)).collect();
                self.one_of(&starts)
            }
            ExprKind::Repeat { item, min, max } => {
                let mut start = match max {
                    None => {
                        let again = self.state();
                        let body = self.before(item, again);
                        self.edges[again] = vec![(None, body), (None, next)];
                        again
                    }
                    Some(max) if max < min => return self.state(),
                    Some(max) => (*min..*max).fold(next, |rest, _| {
                        let body = self.before(item, rest);
                        self.one_of(&[body, next])
                    }),
                };
                for _ in 0..*min {
                    start = self.before(item, start);
                }
                start
            }
            ExprKind::All(found) => {
                let states = automaton(self.grammar, found);
                let first = self.edges.len();
                for state in states {
                    let edges =
                        state.edges.iter().map(|&(lo, hi, to)| (Some((lo, hi)), first + to));
                    let end = state.accepting.then_some((None, next));
                    self.edges.push(edges.chain(end).collect());
                }
                first
            }
            // Not regular: nothing.
            ExprKind::Token(_) | ExprKind::Members(_) | ExprKind::Unique(_) => self.state(),
        }
    }

    fn byte(&mut self, range: (u8, u8), next: usize) -> usize {
        self.edges.push(vec![(Some(range), next)]);
        self.edges.len() - 1
    }

    fn class(&mut self, negated: bool, ranges: &[(char, char)], next: usize) -> usize {
        let starts: Vec<_> = encodings(negated, ranges)
            .into_iter()
            .map(|way| way.into_iter().rev().fold(next, |next, range| self.byte(range, next)))
            .collect();
        self.one_of(&starts)
    }

    fn one_of(&mut self, starts: &[usize]) -> usize {
        self.edges.push(starts.iter().map(|&start| (None, start)).collect());
        self.edges.len() - 1
    }

    /// With what nothing leads to.
    fn closed(&self, mut set: BTreeSet<usize>) -> BTreeSet<usize> {
        let mut pending: Vec<_> = set.iter().copied().collect();
        while let Some(state) = pending.pop() {
            for &(bytes, to) in &self.edges[state] {
                if bytes.is_none() && set.insert(to) {
                    pending.push(to);
                }
            }
        }
        set
    }

    fn read(&self, set: &BTreeSet<usize>, byte: u8) -> BTreeSet<usize> {
        let edges = set.iter().flat_map(|&state| &self.edges[state]);
        let leads =
            |bytes: Option<(u8, u8)>| bytes.is_some_and(|(lo, hi)| lo <= byte && byte <= hi);
        edges.filter(|(bytes, _)| leads(*bytes)).map(|&(_, to)| to).collect()
    }
}
