//! Terms by what may be read inside them, whatever it is that their ends depend on.
//!
//! Behind some characters, a string in which a word must occur is another term than before, and so is
//! one in which it must not; but the same tokens stay inside of them. Told apart only by
//! which texts stay inside, the states of such terms are few, and many terms are one: what stays inside
//! is found once for all of them, and only where tokens may end does each have to be asked. (Moore,
//! "Gedanken-experiments on Sequential Machines", 1956.)

use grammask_gbnf::{ByteSet, TermId, Terms};
use rustc_hash::FxHashMap;

use crate::by_byte::ByByte;
use crate::forbidden::Forbidden;
use crate::generations::Footprint;
use crate::kinds::Kinds;
use crate::loops::kinds_to;
use crate::meant::Meant;
use crate::preorder::Reach;
use crate::shapes::{CLASSES, class_of, next_of_class};
use crate::tables::Tables;
use crate::token_set::{Found, TokenSet};
use crate::trie::TrieNode;

/// Terms with more states are walked through as they are.
const MOST_STATES: usize = 256;
/// The same for those that may end at more nodes.
const MOST_ENDS: usize = 4096;
/// Out of a term: it may be at its end, or there is no such text.
pub(crate) const OUT: u32 = u32::MAX;

/// The states of a term, as few as tell which texts stay inside of it: where byte ranges lead from
/// each, in the order in which they are met; the first is the term's. Two terms inside of which the same
/// texts stay have the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Quotient(Box<[Row]>);

/// Where byte ranges lead from a state.
type Row = Box<[(u8, u8, u32)]>;

/// A term as far as texts stay inside of it.
pub(crate) struct Inside {
    /// The bytes that lead to where the term may end.
    ends: ByteSet,
    /// Its own states up to there, and where byte ranges lead from each.
    states: Vec<TermId>,
    rows: Vec<Vec<(u8, u8, u32)>>,
    /// Whether they are more than those of the quotient.
    pub(crate) has_more_states: bool,
}

impl Quotient {
    /// The quotient of a term up to where it may end; nothing if it is large or may end at once.
    pub(crate) fn new(term: TermId, terms: &Terms) -> Option<(Self, Inside)> {
        if terms.nullable(term) {
            return None;
        }
        let mut states = vec![term];
        let mut numbers = FxHashMap::from_iter([(term, 0)]);
        let mut rows: Vec<Vec<(u8, u8, u32)>> = Vec::new();
        let mut ends = ByteSet::default();
        while let Some(&state) = states.get(rows.len()) {
            if states.len() > MOST_STATES {
                return None;
            }
            let mut row = Vec::new();
            for &(lo, hi, to) in terms.transitions(state) {
                if terms.nullable(to) {
                    ends.insert_range(lo, hi);
                    continue;
                }
                let number = *numbers.entry(to).or_insert(states.len() as u32);
                if number as usize == states.len() {
                    states.push(to);
                }
                row.push((lo, hi, number));
            }
            rows.push(row);
        }
        let quotient = Self::of(&rows);
        let has_more_states = quotient.0.len() < rows.len();
        Some((quotient, Inside { ends, states, rows, has_more_states }))
    }

    /// The fewest states that tell the same as these.
    pub(crate) fn of(rows: &[Vec<(u8, u8, u32)>]) -> Self {
        let mut classes = vec![0; rows.len()];
        let mut count = 1;
        let mut row_by_class = Vec::new();
        loop {
            let mut known: FxHashMap<Vec<(u8, u8, u32)>, u32> = FxHashMap::default();
            let refined = rows.iter().map(|row| {
                by_class(row, &classes, &mut row_by_class);
                known.get(&row_by_class).copied().unwrap_or_else(|| {
                    let next = known.len() as u32;
                    known.insert(row_by_class.clone(), next);
                    next
                })
            });
            classes = refined.collect();
            if known.len() == count {
                break;
            }
            count = known.len();
        }
        // In the order in which they are met.
        let mut numbers = vec![OUT; count];
        numbers[classes[0] as usize] = 0;
        let mut met = vec![0];
        let mut states = Vec::new();
        while let Some(&state) = met.get(states.len()) {
            by_class(&rows[state], &classes, &mut row_by_class);
            for (_, _, class) in &mut row_by_class {
                let number = &mut numbers[*class as usize];
                if *number == OUT {
                    *number = met.len() as u32;
                    met.extend(classes.iter().position(|other| other == class));
                }
                *class = *number;
            }
            states.push(row_by_class.as_slice().into());
        }
        Self(states.into())
    }

    /// The kinds of characters that all lead from each state to itself, by the table of the states.
    fn loops(table: &[[u32; 256]]) -> Vec<Kinds> {
        let mut next =
            |state: u32, byte| table.get(state as usize).map_or(OUT, |row| row[usize::from(byte)]);
        let states = 0..table.len() as u32;
        states.map(|state| kinds_to(state, state, Kinds::ALL, &mut next)).collect()
    }

    /// Whether a state tells letters, digits or other bytes of one class apart.
    pub(crate) fn tells_letters_apart(&self, state: u32) -> bool {
        let row = &self.0[state as usize];
        (0..CLASSES.len()).any(|class| next_of_class(row, class, OUT).is_none())
    }

    /// Where each byte leads from each state.
    pub(crate) fn table(&self) -> Vec<[u32; 256]> {
        let rows = self.0.iter().map(|row| {
            let mut table = [OUT; 256];
            for &(lo, hi, to) in row {
                table[usize::from(lo)..=usize::from(hi)].fill(to);
            }
            table
        });
        rows.collect()
    }
}

impl Inside {
    /// The term after a text that stays inside up to its last byte.
    fn after(&self, text: &[u8], terms: &Terms) -> TermId {
        let Some((&last, inside)) = text.split_last() else { return self.states[0] };
        let state = inside.iter().try_fold(0, |state, &byte| {
            let row = &self.rows[state];
            row.get(row.partition_point(|&(_, hi, _)| hi < byte)).map(|&(.., next)| next as usize)
        });
        state.map_or(TermId::NOTHING, |state| terms.next(self.states[state], last))
    }
}

/// A row with classes of states in place of the states.
fn by_class(row: &[(u8, u8, u32)], classes: &[u32], found: &mut Vec<(u8, u8, u32)>) {
    found.clear();
    for &(lo, hi, to) in row {
        let class = classes[to as usize];
        match found.last_mut() {
            Some((_, last, known)) if *known == class && u16::from(*last) + 1 == u16::from(lo) => {
                *last = hi;
            }
            _ => found.push((lo, hi, class)),
        }
    }
}

/// What terms of one quotient have in common below a node.
#[derive(Debug)]
pub(crate) struct Alike {
    /// Tokens that stay inside.
    pub(crate) inside: TokenSet,
    /// The first nodes outside.
    outs: ByByte,
}

impl Alike {
    pub(crate) fn new(start: TrieNode, quotient: &Quotient, tables: &Tables) -> Self {
        let table = quotient.table();
        let loops = Quotient::loops(&table);
        let mut outs = Vec::new();
        let mut inside = Found::new(tables.len);
        tables.scan(start, 0, &mut inside, |nodes, state: u32, byte, below| {
            let next = match class_of(byte).filter(|_| nodes.len() > 1) {
                Some(class) => next_of_class(&quotient.0[state as usize], class, OUT)?,
                None => table[state as usize][usize::from(byte)],
            };
            if next == OUT {
                outs.extend(nodes.iter().map(|&node| (tables.trie.byte(node), node)));
                return Some(Reach::Out);
            }
            let is_all = below.is_some_and(|below| loops[next as usize].contains(below.kinds));
            Some(if is_all { Reach::All } else { Reach::Into(next) })
        });
        Self { inside: inside.into_set(), outs: ByByte::new(&outs) }
    }

    /// The same of a quotient, from that without what it forbids.
    pub(crate) fn without(start: TrieNode, forbidden: Forbidden, tables: &Tables) -> Option<Self> {
        let trie = &tables.trie;
        let (nodes, visited) = forbidden.nodes(start, trie);
        tables.count_visited(visited);
        let free = tables.alike(start, forbidden.free, true)?;
        let mut inside = free.inside.to_mask(tables.len);
        for &node in &nodes {
            trie.tokens_from(node).iter().for_each(|&token| inside.remove(token));
        }
        let meant = Meant::without(&nodes, trie);
        let kept = free.outs.iter().flat_map(|(byte, outs)| {
            let outs = outs.iter().filter(|&&node| meant.contains(node));
            outs.map(move |&node| (byte, node))
        });
        let outs: Vec<_> = kept.chain(nodes.iter().map(|&node| (trie.byte(node), node))).collect();
        Some(Self { inside: Found::from(inside).into_set(), outs: ByByte::new(&outs) })
    }

    /// The first nodes at which a term may be at its end, by what is left of it
    /// there; nothing if too many would have to be looked at.
    pub(crate) fn ends(
        &self,
        (start, inside): (TrieNode, &Inside),
        tables: &Tables,
        terms: &Terms,
    ) -> Option<Vec<(TermId, Vec<TrieNode>)>> {
        let outs = || self.outs.iter().filter(|&(byte, _)| inside.ends.contains(byte));
        if outs().map(|(_, nodes)| nodes.len()).sum::<usize>() > MOST_ENDS {
            return None;
        }
        let mut ends: Vec<(TermId, Vec<TrieNode>)> = Vec::new();
        let shortest = terms.shortest(inside.states[0]) as usize;
        for &node in outs().flat_map(|(_, nodes)| nodes) {
            if tables.trie.bytes_between(start, node) < shortest {
                continue;
            }
            let end = inside.after(&tables.trie.between(start, node), terms);
            if !terms.nullable(end) {
                continue;
            }
            match ends.iter_mut().find(|(known, _)| *known == end) {
                Some((_, nodes)) => nodes.push(node),
                None => ends.push((end, vec![node])),
            }
        }
        Some(ends)
    }
}

impl Footprint for Alike {
    fn bytes(&self) -> usize {
        self.inside.bytes() + self.outs.bytes()
    }
}

#[cfg(test)]
mod tests {
    use grammask_gbnf::{Automaton, Label, parse};
    use rustc_hash::FxHashSet;

    use super::*;
    use crate::interior::Interior;
    use crate::test_tables::{parts, states};
    use crate::trie::TokenTrie;
    use crate::vocabulary::Vocabulary;

    const GRAMMARS: [&str; 9] = [
        r#"[^"\\\x00-\x1f]* "\"""#,
        // Behind "a", what one part goes on with another one forbids.
        r#"@all([^b] | "aa"; !("aa" | "b"))"#,
        r#"[^"]* "chat" [^"]* "\"""#,
        r#"@all([^"]*; !([^"]* "chat" [^"]*); [^"]* ("a" | "é") [^"]*) "\"""#,
        r#"@all([a-zA-Zà-ü -]+; !("no" | "yes")) [!"]"#,
        r#"([^"] | "\\" ["n])* "on" [0-9]? "\"""#,
        r#"[^\n]* "x" [^\n]* "\n" "y"?"#,
        r#"@all([^"]*; [^"]* ("chat" | "mail") [^"]*) "\"" (" " | "\n"{1,2} [ \t]{0,4})?"#,
        r#"[^\n]* "a" ([^\n]* "e" [^\n]*)?"#,
    ];

    #[test]
    fn tables_by_quotients_are_those_of_the_terms() {
        let vocabulary = Vocabulary::from_name("r50k_base").expect("a built-in vocabulary");
        let tables = Tables::new(&vocabulary);
        let (mut compared, mut quotients) = (0, FxHashSet::default());
        for body in GRAMMARS {
            let grammar = parse(&format!("root ::= {body}")).expect("a grammar");
            let automaton = Automaton::compile(&grammar, "root").expect("it compiles");
            let terms = automaton.terms();
            let start = automaton.session().start();
            let Label::Term(start) = start.entries()[0].label else { continue };
            for term in states(terms, vec![start], 40) {
                let table = Interior::of_alike(TokenTrie::ROOT, term, &tables, terms);
                let Some(table) = table else { continue };
                let plain = Interior::new(TokenTrie::ROOT, term, &tables, terms);
                let [of_table, of_plain] = [&table, &plain].map(|it| parts(it, tables.len));
                assert!(of_table == of_plain, "{body} at {term:?}");
                assert_eq!(table.ambiguous, plain.ambiguous, "{body} at {term:?}");
                quotients.extend(Quotient::new(term, terms).map(|(found, _)| found));
                compared += 1;
            }
        }
        assert!(compared > 30 && quotients.len() * 3 < compared * 2);
    }
}
