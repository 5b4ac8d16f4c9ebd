//! Positions from which the same can be read: the same rest of a rule is often written in many
//! places.

use rustc_hash::FxHashMap;

use crate::automaton::program::{Op, Position, Program};

/// For each position the first one that does the same and leads to positions that are alike. Circles
/// are not followed.
pub(crate) fn alike(program: &Program) -> Vec<Position> {
    let mut first: Vec<Position> = Vec::with_capacity(program.ops.len());
    let mut known: FxHashMap<Op, Position> = FxHashMap::default();
    for (index, op) in program.ops.iter().enumerate() {
        let position = Position(index as u32);
        // Code is generated backwards: most of what a position leads to comes before it.
        let of = |to: Position| first.get(to.index()).copied().unwrap_or(to);
        let op = match op {
            Op::Fork(to) => {
                let mut to: Vec<Position> = to.iter().map(|&to| of(to)).collect();
                to.sort_unstable();
                to.dedup();
                match to[..] {
                    [to] if to < position => {
                        first.push(to);
                        continue;
                    }
                    _ => Op::Fork(to.into()),
                }
            }
            &Op::Take { label, next } => Op::Take { label, next: of(next) },
            &Op::Token { token, next } => Op::Token { token, next: of(next) },
            &Op::Call { to, next } => Op::Call { to: of(to), next: of(next) },
            op => op.clone(),
        };
        first.push(*known.entry(op).or_insert(position));
    }
    first
}
