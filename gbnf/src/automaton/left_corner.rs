//! Left recursion, rewritten by the left-corner transform.
//!
//! Within a strongly connected component of rules that begin with each other, a rule A is read
//! from its left corner up: first something that begins a rule B of the component without
//! recursion, then, as long as B is not A itself, a rule D that begins with B, and so on
//! (Rosenkrantz and Lewis, "Deterministic Left Corner Parsing", 1970; Moore, "Removing Left
//! Recursion from Context-Free Grammars", 2000). Here rules are pieces of the program, so what
//! follows B in D is a position and nothing is copied. That a prefix can be empty is an edge of
//! the program already: k nullable prefixes have k + 1 first edges, not 2^k variants.
//!
//! Afterwards no call leads to itself without reading a byte; so the stacks of a state are
//! finite. The order in which one step visits positions follows from the same graph.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::automaton::program::{Op, Position, Program};
use crate::automaton::{CompileError, CompileErrorKind};
use crate::graph::Graph;

/// More positions than this for left-recursive rules are refused.
const MAX_CLIMBS: usize = 5_000_000;

/// Where a position leads without a byte being read.
fn edges(program: &Program) -> Graph {
    Graph::new(&program.ops, |op, edges| match op {
        Op::Return
        | Op::Take { .. }
        | Op::Token { .. }
        | Op::Key(_)
        | Op::Item(_)
        | Op::ItemEnd(_) => {}
        Op::Fork(to) => edges.extend(to.iter().map(|to| to.0)),
        Op::Call { to, .. } => edges.push(to.0),
        Op::Count(index) => {
            let looped = &program.loops[*index as usize];
            edges.extend([looped.next.0, looped.body.0]);
        }
        Op::After(index) => {
            let shape = &program.shapes[*index as usize];
            edges.extend([shape.next.0, shape.separator.0, shape.key.0]);
        }
    })
}

/// Rewrites left recursion and fills in [`Program::ranks`] and [`Program::returns`].
pub(crate) fn eliminate(program: &mut Program) -> Result<(), CompileError> {
    if begins_with_itself(program) {
        return Err(CompileError::new(CompileErrorKind::ItemRecursion));
    }
    let mut component_of = edges(program).components();
    program.returns = returns(program);
    let recursive = recursive(program, &component_of);
    if !recursive.is_empty() {
        let mut components: Vec<Component> = recursive
            .into_iter()
            .map(|(component, rules)| Component::new(program, rules, &component_of, component))
            .collect();
        find_wanted(program, &mut components);
        for component in components {
            Rewriting::new(program, component).run()?;
        }
        component_of = edges(program).components();
        program.returns = returns(program);
        if !self::recursive(program, &component_of).is_empty() {
            return Err(CompileError::new(CompileErrorKind::LeftRecursionLeft));
        }
    }
    // What a position leads to has a lower component, and is to have a higher rank.
    program.ranks = component_of.into_iter().map(|component| u32::MAX - component).collect();
    Ok(())
}

/// Whether an item of a list begins with that list. Left recursion through a list is not rewritten:
/// it would be a list of texts of which one begins the other.
fn begins_with_itself(program: &Program) -> bool {
    if program.lists.is_empty() {
        return false;
    }
    let edges = edges(program);
    let with_items = Graph::new(program.ops.iter().enumerate(), |(position, op), to| {
        to.extend(edges.of(position));
        if let Op::Item(index) = op {
            to.extend(program.lists[*index as usize].starts().map(|start| start.0));
        }
    });
    let component_of = with_items.components();
    program.lists.iter().any(|list| {
        let component = component_of[list.item.index()];
        list.starts().any(|start| component_of[start.index()] == component)
    })
}

/// The components that have calls within themselves, each with what is called there.
fn recursive(program: &Program, component_of: &[u32]) -> Vec<(u32, Vec<Position>)> {
    let mut corners: FxHashMap<u32, Vec<Position>> = FxHashMap::default();
    for (position, op) in program.ops.iter().enumerate() {
        if let Op::Call { to, .. } = op
            && component_of[position] == component_of[to.index()]
        {
            corners.entry(component_of[position]).or_default().push(*to);
        }
    }
    let mut recursive: Vec<_> = corners.into_iter().collect();
    recursive.sort_unstable_by_key(|&(component, _)| component);
    for (_, rules) in &mut recursive {
        rules.sort_unstable();
        rules.dedup();
    }
    recursive
}

/// A component of left-recursive rules (or bodies of loops), each named by its start.
struct Component {
    rules: Vec<Position>,
    /// For each rule, what it begins with and no rule of the component does.
    bases: Vec<Vec<Position>>,
    /// For each rule B, the rules D that begin with B, and where D goes on behind it.
    uses: Vec<Vec<(usize, Position)>>,
    /// For each rule, the rules of the component that it begins with.
    begins: Vec<Vec<usize>>,
    /// The rules that are called other than as the beginning of a rule of the component.
    wanted: Vec<bool>,
}

impl Component {
    fn new(program: &Program, rules: Vec<Position>, component_of: &[u32], component: u32) -> Self {
        let number: FxHashMap<Position, usize> =
            rules.iter().enumerate().map(|(index, &rule)| (rule, index)).collect();
        let mut bases = vec![Vec::new(); rules.len()];
        let mut uses = vec![Vec::new(); rules.len()];
        let mut begins = vec![Vec::new(); rules.len()];
        for (index, &rule) in rules.iter().enumerate() {
            let mut seen = FxHashSet::default();
            let mut pending = vec![rule];
            while let Some(position) = pending.pop() {
                if !seen.insert(position) {
                    continue;
                }
                match &program.ops[position.index()] {
                    Op::Return => {}
                    Op::Fork(to) => pending.extend(to.iter().rev()),
                    Op::Call { to, next }
                        if component_of.get(to.index()) == Some(&component)
                            && number.contains_key(to) =>
                    {
                        uses[number[to]].push((index, *next));
                        begins[index].push(number[to]);
                    }
                    _ => bases[index].push(position),
                }
            }
        }
        let wanted = vec![false; rules.len()];
        Self { rules, bases, uses, begins, wanted }
    }

    /// Where the rules lead when they are rewritten.
    fn positions(&self) -> impl Iterator<Item = Position> {
        let rests = self.uses.iter().flatten().map(|&(_, rest)| rest);
        self.bases.iter().flatten().copied().chain(rests)
    }
}

/// Finds the rules that are wanted: each takes positions for all rules that it can begin with, so
/// a circle of rules that only lead to each other must not be rewritten for each of them.
fn find_wanted(program: &Program, components: &mut [Component]) {
    let rule_at: FxHashMap<Position, (usize, usize)> = components
        .iter()
        .enumerate()
        .flat_map(|(component, it)| {
            it.rules.iter().enumerate().map(move |(rule, &start)| (start, (component, rule)))
        })
        .collect();
    let mut opened = vec![false; components.len()];
    let mut seen = vec![false; program.ops.len()];
    let mut pending = vec![program.start];
    while let Some(position) = pending.pop() {
        match seen.get_mut(position.index()) {
            Some(seen) if !*seen => *seen = true,
            _ => continue,
        }
        if let Some(&(component, rule)) = rule_at.get(&position) {
            components[component].wanted[rule] = true;
            if !std::mem::replace(&mut opened[component], true) {
                pending.extend(components[component].positions());
            }
            continue;
        }
        match &program.ops[position.index()] {
            Op::Return => {}
            Op::Fork(to) => pending.extend(to),
            Op::Take { next, .. } | Op::Token { next, .. } => pending.push(*next),
            Op::Call { to, next } => pending.extend([*to, *next]),
            Op::Count(index) => {
                let looped = &program.loops[*index as usize];
                pending.extend([looped.body, looped.next]);
            }
            Op::Key(index) | Op::After(index) => {
                let shape = &program.shapes[*index as usize];
                pending.extend(shape.members.iter().map(|member| member.value));
                pending.extend([shape.separator, shape.key, shape.after, shape.next]);
            }
            Op::Item(index) | Op::ItemEnd(index) => {
                let list = &program.lists[*index as usize];
                pending.extend(list.starts());
                pending.extend([list.separator, list.item, list.end, list.next]);
            }
        }
    }
}

/// The rewriting of a component.
struct Rewriting<'a> {
    program: &'a mut Program,
    component: Component,
    /// "B is read, A is wanted".
    climbs: FxHashMap<(usize, usize), Position>,
    pending: Vec<(usize, usize)>,
}

impl<'a> Rewriting<'a> {
    fn new(program: &'a mut Program, component: Component) -> Self {
        Self { program, component, climbs: FxHashMap::default(), pending: Vec::new() }
    }

    fn run(mut self) -> Result<(), CompileError> {
        let rules = self.component.rules.len();
        // What is not wanted leads nowhere, as nothing leads to it.
        let mut starts = vec![Vec::new(); rules];
        let mut reach = vec![FxHashSet::default(); rules];
        for wanted in (0..rules).filter(|&rule| self.component.wanted[rule]).collect::<Vec<_>>() {
            let corners = self.corners(wanted);
            let mut to = Vec::new();
            for &corner in &corners {
                for base in self.component.bases[corner].clone() {
                    let next = self.climb(wanted, corner)?;
                    to.push(self.add(Op::Call { to: base, next })?);
                }
            }
            starts[wanted] = to;
            reach[wanted] = corners.into_iter().collect();
        }
        while let Some((wanted, read)) = self.pending.pop() {
            let mut to = Vec::new();
            if wanted == read {
                to.push(Position::RETURN);
            }
            for (rule, rest) in self.component.uses[read].clone() {
                if !reach[wanted].contains(&rule) {
                    continue;
                }
                let next = self.climb(wanted, rule)?;
                if self.may_be_empty(rest) {
                    to.push(next);
                }
                if rest != Position::RETURN {
                    to.push(self.add(Op::Call { to: rest, next })?);
                }
            }
            let position = self.climbs[&(wanted, read)];
            self.program.ops[position.index()] = Op::Fork(to.into());
        }
        for (rule, to) in self.component.rules.iter().zip(starts) {
            self.program.ops[rule.index()] = Op::Fork(to.into());
        }
        Ok(())
    }

    /// Whether the rest of a rule, entered anew, may be empty.
    fn may_be_empty(&self, rest: Position) -> bool {
        self.program.returns[rest.index()]
            && match self.program.ops[rest.index()] {
                Op::Count(index) => self.program.loops[index as usize].min <= 1,
                _ => true,
            }
    }

    /// The rules that a rule can begin with, itself included.
    fn corners(&self, rule: usize) -> Vec<usize> {
        let mut found = vec![rule];
        let mut seen: FxHashSet<usize> = FxHashSet::from_iter([rule]);
        let mut at = 0;
        while let Some(&rule) = found.get(at) {
            at += 1;
            found.extend(
                self.component.begins[rule].iter().copied().filter(|&begin| seen.insert(begin)),
            );
        }
        found
    }

    fn climb(&mut self, wanted: usize, read: usize) -> Result<Position, CompileError> {
        if let Some(&known) = self.climbs.get(&(wanted, read)) {
            return Ok(known);
        }
        let position = self.add(Op::Fork(Box::new([])))?;
        self.climbs.insert((wanted, read), position);
        self.pending.push((wanted, read));
        Ok(position)
    }

    fn add(&mut self, op: Op) -> Result<Position, CompileError> {
        if self.climbs.len() > MAX_CLIMBS {
            let kind = CompileErrorKind::LeftRecursionTooLarge { limit: MAX_CLIMBS };
            return Err(CompileError::new(kind));
        }
        self.program.ops.push(op);
        Ok(Position((self.program.ops.len() - 1) as u32))
    }
}

/// From which positions the end of the rule can be reached without reading.
fn returns(program: &Program) -> Vec<bool> {
    let ends = Graph::new(&program.ops, |op, edges| match op {
        Op::Fork(to) => edges.extend(to.iter().map(|to| to.0)),
        Op::Count(index) => edges.push(program.loops[*index as usize].next.0),
        Op::After(index) => edges.push(program.shapes[*index as usize].next.0),
        _ => {}
    });
    ends.reversed().reachable([Position::RETURN.index()])
}
