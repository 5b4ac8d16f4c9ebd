//! Repetitions up to the end of a rule: behind any number of rounds the rule may end, and nowhere else.
//!
//! What such a frame reads, followed by what it reads, is what it reads alone. An ambiguous grammar (`e ::=
//! e "+" e | e e | name`) opens a frame of the same repetition for each operand that may begin within
//! another one; with one of them for all, its stacks are as deep as its brackets are, not as its text is
//! long.

use crate::automaton::program::{Op, Position, Program};
use crate::graph::Graph;

/// Where a rule may end, from a position on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    Nowhere,
    /// Only behind this position.
    At(Position),
    AtSeveral,
}

impl Ends {
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nowhere, ends) | (ends, Self::Nowhere) => ends,
            (one, other) if one == other => one,
            _ => Self::AtSeveral,
        }
    }
}

/// Whether each position is such a repetition. Its frames have no argument.
pub(crate) fn stars(program: &Program) -> Vec<bool> {
    let may_end = |op: &Op| matches!(op, Op::Fork(to) if to.contains(&Position::RETURN));
    if !program.ops.iter().any(may_end) {
        return vec![false; program.ops.len()];
    }
    let graph = within_rules(program);
    let is_end = |position: &u32| Position(*position) == Position::RETURN;
    let leaves = |position: u32| graph.of(position as usize).iter().any(is_end);
    let mut ends = vec![Ends::Nowhere; program.ops.len()];
    let mut pending = Vec::new();
    for (end, position) in ends.iter_mut().zip(0..) {
        if leaves(position) {
            *end = Ends::At(Position(position));
            pending.push(position as usize);
        }
    }
    let before = graph.reversed();
    while let Some(position) = pending.pop() {
        for &from in before.of(position) {
            let from = from as usize;
            let all = ends[from].or(ends[position]);
            if ends[from] != all {
                ends[from] = all;
                pending.push(from);
            }
        }
    }
    let is_star = |(position, op): (usize, &Op)| {
        let again = Ends::At(Position(position as u32));
        let on = graph.of(position).iter().filter(|to| !is_end(to));
        let mut leads_to = on.map(|&to| ends[to as usize]);
        may_end(op)
            && leads_to.clone().any(|ends| ends == again)
            && leads_to.all(|ends| ends == again || ends == Ends::Nowhere)
    };
    program.ops.iter().enumerate().map(is_star).collect()
}

/// Where a position leads within its rule.
fn within_rules(program: &Program) -> Graph {
    Graph::new(&program.ops, |op, edges| match op {
        Op::Return => {}
        Op::Fork(to) => edges.extend(to.iter().map(|to| to.0)),
        Op::Take { next, .. } | Op::Token { next, .. } | Op::Call { next, .. } => {
            edges.push(next.0);
        }
        Op::Count(index) => edges.push(program.loops[*index as usize].next.0),
        Op::Key(index) => edges.push(program.shapes[*index as usize].after.0),
        Op::After(index) => {
            let shape = &program.shapes[*index as usize];
            edges.extend([shape.key.0, shape.next.0]);
        }
        Op::Item(index) => edges.push(program.lists[*index as usize].end.0),
        Op::ItemEnd(index) => {
            let list = &program.lists[*index as usize];
            edges.extend([list.item.0, list.next.0]);
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::{Automaton, parse};

    /// How many values a session has after a text.
    fn size_after(grammar: &str, text: &str) -> usize {
        let grammar = parse(grammar).expect("it is a grammar");
        let mut session = Automaton::compile(&grammar, "root").expect("it compiles").session();
        let start = session.start();
        let end = text.bytes().fold(start, |state, byte| session.step(&state, byte));
        assert!(end.is_complete(), "{grammar} has {text:?}");
        session.size()
    }

    #[test]
    fn stacks_are_as_deep_as_brackets() {
        let grammars = [
            r#"root ::= root root | [+*]? ("(" root ")" | "a")"#,
            r#"root ::= root "+" root | root "*" root | "(" root ")" | "a""#,
            "root ::= item ([+*]? root)*\nitem ::= \"(\" root \")\" | \"a\"",
        ];
        for grammar in grammars {
            let sizes =
                [5, 500].map(|times| size_after(grammar, &("a+a*(a)+".repeat(times) + "a")));
            assert_eq!(sizes[0], sizes[1], "{grammar}");
        }
    }
}
