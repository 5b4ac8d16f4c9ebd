//! Quotients of terms in which a word must not occur, by those of terms in which it may.
//!
//! A key that matches no pattern of `patternProperties` goes on like any key, but where a word ends that has a
//! pattern in it. A word may begin anywhere in a token, so that a walk would have to visit most of the
//! trie; but the nodes at which one ends have one of its last bytes, and few of those have its other
//! bytes above them. The states in which parts of the word have been read are compatible: they lead on alike, but
//! for few bytes with which some do not go on at all. They are merged into one. (Paull and Unger, "Minimizing the
//! Number of States in Incompletely Specified Sequential Switching Functions", 1959.)

use grammask_gbnf::ByteSet;

use crate::quotient::{OUT, Quotient};
use crate::shapes::CLASSES;
use crate::trie::{TokenTrie, TrieNode};

/// Where each byte leads from a state.
type Row = [u32; 256];

/// So many bytes must lead from the state of most texts to itself.
const MANY_BYTES: usize = 48;
/// One of two compatible states goes on with no more bytes with which the other one does not.
const FEW_BYTES: usize = 16;
/// A state that returns to itself with all letters but so many would do so with these as well.
const FEW_LETTERS: usize = 2;

/// What a quotient forbids.
pub(crate) struct Forbidden {
    rows: Vec<Row>,
    /// The quotient without that.
    pub(crate) free: Quotient,
    /// The bytes with which only that one goes on, by state,
    last: Vec<ByteSet>,
    /// of all states,
    any_last: ByteSet,
    /// and those that lead to a state that has some.
    before: ByteSet,
}

impl Forbidden {
    /// What a quotient forbids wherever it may occur; nothing if there is no such thing.
    pub(crate) fn new(quotient: &Quotient) -> Option<Self> {
        let rows = quotient.table();
        let base = most(&rows[0], rows.len());
        if rows[base as usize].iter().filter(|&&to| to == base).count() < MANY_BYTES {
            return None;
        }
        // A walk by shapes visits few nodes where most states tell no letters apart.
        if !quotient.tells_letters_apart(base) {
            return None;
        }
        let states = 0..rows.len() as u32;
        let others =
            states.filter(|&state| state != base && may_be_compatible(&rows, [base, state]));
        let others: Vec<u32> = others.collect();
        let mut merged = Merged::new(&rows);
        let are_merged = others.into_iter().filter(|&state| merged.merge([base, state])).count();
        if !merged.fill(base) && are_merged == 0 {
            return None;
        }
        let last = rows.iter().zip(0..).map(|(row, state)| {
            let free = &merged.rows[merged.root(state) as usize];
            let forbidden = bytes()
                .filter(|&byte| row[usize::from(byte)] == OUT && free[usize::from(byte)] != OUT);
            set_of(forbidden)
        });
        let last: Vec<ByteSet> = last.collect();
        if !reachable(base, &rows).any(|state| !last[state as usize].is_empty()) {
            return None;
        }
        let (mut any_last, mut before) = (ByteSet::default(), ByteSet::default());
        for last in &last {
            any_last.union_with(last);
        }
        for row in &rows {
            let has_last = |to: u32| to != OUT && !last[to as usize].is_empty();
            bytes()
                .filter(|&byte| has_last(row[usize::from(byte)]))
                .for_each(|byte| before.insert(byte));
        }
        Some(Self { free: merged.quotient(), rows, last, any_last, before })
    }

    /// The nodes below one at which texts go on in the free quotient alone, ascending; not those below them. With the
    /// number of nodes that have been visited.
    pub(crate) fn nodes(&self, start: TrieNode, trie: &TokenTrie) -> (Vec<TrieNode>, u64) {
        let mut visited = 0;
        let mut nodes: Vec<TrieNode> = if self.before.len() < self.any_last.len() {
            let above = std::iter::once(start).chain(trie.nodes_with(start, self.before));
            let below = above.flat_map(|node| trie.children(node));
            let below = below.filter(|&(byte, _)| self.any_last.contains(byte));
            below.map(|(_, node)| node).collect()
        } else {
            let nodes = trie.nodes_with(start, self.any_last);
            let is_behind = |node: &TrieNode| {
                let above = trie.parent(*node);
                above == start || self.before.contains(trie.byte(above))
            };
            nodes.filter(is_behind).collect()
        };
        nodes.retain(|&node| {
            let path = trie.between(start, node);
            visited += path.len() as u64;
            let Some((&byte, before)) = path.split_last() else { return false };
            let state = before.iter().try_fold(0, |state: u32, &byte| {
                Some(self.rows[state as usize][usize::from(byte)]).filter(|&next| next != OUT)
            });
            state.is_some_and(|state| self.last[state as usize].contains(byte))
        });
        nodes.sort_unstable();
        (nodes, visited)
    }
}

/// States of a quotient, some of them merged.
struct Merged {
    /// Another state of the same class, itself for one.
    above: Vec<u32>,
    /// Where bytes lead from that one: also those with which only others of the class go on.
    rows: Vec<Row>,
}

impl Merged {
    fn new(rows: &[Row]) -> Self {
        Self { above: (0..rows.len() as u32).collect(), rows: rows.to_vec() }
    }

    /// The state that stands for a class.
    fn root(&self, mut state: u32) -> u32 {
        while self.above[state as usize] != state {
            state = self.above[state as usize];
        }
        state
    }

    /// Merges two states, and those to which the same bytes lead from them, if all are compatible.
    fn merge(&mut self, states: [u32; 2]) -> bool {
        let (mut joined, mut filled): (Vec<u32>, Vec<(u32, usize)>) = (Vec::new(), Vec::new());
        let mut pending = vec![states];
        while let Some(states) = pending.pop() {
            let [one, other] = states.map(|state| self.root(state));
            if one == other {
                continue;
            }
            if !may_be_compatible(&self.rows, [one, other]) {
                for state in joined {
                    self.above[state as usize] = state;
                }
                for (state, byte) in filled {
                    self.rows[state as usize][byte] = OUT;
                }
                return false;
            }
            self.above[other as usize] = one;
            joined.push(other);
            for byte in 0..256 {
                let [to, other_to] = [one, other].map(|state| self.rows[state as usize][byte]);
                if to == OUT {
                    if other_to != OUT {
                        self.rows[one as usize][byte] = other_to;
                        filled.push((one, byte));
                    }
                } else if other_to != OUT && pending.last() != Some(&[to, other_to]) {
                    pending.push([to, other_to]);
                }
            }
        }
        true
    }

    /// Has a state go on with the few letters and digits with which it does not, as it does with all others;
    /// whether there are some.
    fn fill(&mut self, state: u32) -> bool {
        let root = self.root(state) as usize;
        let mut is_filled = false;
        for (lo, hi) in CLASSES {
            let class = usize::from(lo)..=usize::from(hi);
            let returns = |&to: &u32| to != OUT && self.root(to) as usize == root;
            let others = self.rows[root][class.clone()].iter().filter(|to| !returns(to)).count();
            if others > 0 && others <= FEW_LETTERS {
                for to in self.rows[root][class].iter_mut().filter(|to| **to == OUT) {
                    *to = state;
                    is_filled = true;
                }
            }
        }
        is_filled
    }

    /// The classes as a quotient.
    fn quotient(&self) -> Quotient {
        let (mut classes, mut numbers) = (vec![self.root(0)], vec![OUT; self.rows.len()]);
        numbers[classes[0] as usize] = 0;
        let mut rows = Vec::new();
        while let Some(&class) = classes.get(rows.len()) {
            let mut row: Vec<(u8, u8, u32)> = Vec::new();
            for byte in bytes() {
                let to = self.rows[class as usize][usize::from(byte)];
                if to == OUT {
                    continue;
                }
                let to = self.root(to);
                let number = &mut numbers[to as usize];
                if *number == OUT {
                    *number = classes.len() as u32;
                    classes.push(to);
                }
                match row.last_mut() {
                    Some((_, hi, known)) if known == number && *hi + 1 == byte => *hi = byte,
                    _ => row.push((byte, byte, *number)),
                }
            }
            rows.push(row);
        }
        Quotient::of(&rows)
    }
}

fn bytes() -> impl Iterator<Item = u8> {
    0..=u8::MAX
}

fn set_of(bytes: impl Iterator<Item = u8>) -> ByteSet {
    let mut set = ByteSet::default();
    bytes.for_each(|byte| set.insert(byte));
    set
}

/// Whether few bytes lead on from one of two states alone.
fn may_be_compatible(rows: &[Row], states: [u32; 2]) -> bool {
    let [one, other] = states.map(|state| &rows[state as usize]);
    let both = one.iter().zip(other);
    both.filter(|&(&to, &other_to)| (to == OUT) != (other_to == OUT)).count() <= FEW_BYTES
}

/// To which of so many states most bytes lead from one; the first one if none does.
fn most(row: &Row, states: usize) -> u32 {
    let mut counts = vec![0; states];
    row.iter().filter(|&&to| to != OUT).for_each(|&to| counts[to as usize] += 1);
    (0..states as u32).max_by_key(|&state| counts[state as usize]).unwrap_or_default()
}

/// The states that can be reached from one, with itself.
fn reachable(state: u32, rows: &[Row]) -> impl Iterator<Item = u32> {
    let mut found = vec![state];
    let mut is_found = vec![false; rows.len()];
    is_found[state as usize] = true;
    let mut at = 0;
    while let Some(&state) = found.get(at) {
        at += 1;
        for &to in rows[state as usize].iter().filter(|&&to| to != OUT) {
            if !std::mem::replace(&mut is_found[to as usize], true) {
                found.push(to);
            }
        }
    }
    found.into_iter()
}

#[cfg(test)]
mod tests {
    use grammask_gbnf::{Automaton, parse};

    use super::*;
    use crate::interior::Interior;
    use crate::tables::Tables;
    use crate::test_tables::{parts, starts, states};
    use crate::vocabulary::Vocabulary;

    const GRAMMARS: [&str; 8] = [
        r#"@all([^"\n]*; !([^"\n]* "chat" [^"\n]*)) "\"""#,
        r#"@all(([^"\\\x00-\x1f] | "\\" ["\\n])*; !(.* "after_" [crud] .*)) "\"""#,
        r#"@all([^"]*; !([^"]* ("th" | "er" | "ing") [^"]*)) "\"" [,}]"#,
        r#"@all([^"]*; !([^"]* [eE] [^"]* [sS] [^"]*); [^"]* "a" [^"]*) "\"""#,
        r#"@all([^"]*; !([^"]* "é" [^"]*); !([^"]* "on" [a-z]* " " [^"]*)) "\"""#,
        r#"@all([^"]*; !("ing" [^"]*)) "\"""#,
        r#"@all([^"]*; !([^"]* "b" [^"]*); !([^"]* "Q" [^"]*)) "\"""#,
        r#"@all([^"]*; [^"]* "x" [^"]*; !([^"]* [4k] [^"]*)) "\"""#,
    ];

    #[test]
    fn tables_without_what_is_forbidden_are_those_of_the_terms() {
        let vocabulary = Vocabulary::from_name("r50k_base").expect("a built-in vocabulary");
        let tables = Tables::new(&vocabulary);
        let space = tables.trie.child(TokenTrie::ROOT, b' ').expect("a node");
        let mut compared = 0;
        for body in GRAMMARS {
            let grammar = parse(&format!("root ::= {body}")).expect("a grammar");
            let automaton = Automaton::compile(&grammar, "root").expect("it compiles");
            let terms = automaton.terms();
            for term in states(terms, starts(&automaton), 40) {
                let Some((quotient, _)) = Quotient::new(term, terms) else { continue };
                if Forbidden::new(&quotient).is_none() {
                    continue;
                }
                for start in [TokenTrie::ROOT, space] {
                    let Some(table) = Interior::of_alike(start, term, &tables, terms) else {
                        continue;
                    };
                    let plain = Interior::new(start, term, &tables, terms);
                    let [of_table, of_plain] = [&table, &plain].map(|it| parts(it, tables.len));
                    assert!(of_table == of_plain, "{body} at {term:?} below {start:?}");
                    assert_eq!(table.ambiguous, plain.ambiguous, "{body} at {term:?}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 20, "{compared}");
    }
}
