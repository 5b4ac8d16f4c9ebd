//! Tables of terms that differ only in how many rounds of a loop are left, as what is left of `(word blank){0,9} word`
//! behind each word. A token takes few rounds: as long as more are left, one table serves for all of them.

use std::sync::Arc;

use grammask_gbnf::{TermId, Terms};

use crate::generations::Footprint;
use crate::interior::Interior;

/// The table of a term, which is that of the same term with more rounds as well.
#[derive(Debug)]
pub(crate) struct OfRounds {
    table: Arc<Interior>,
    /// So many rounds must be left.
    least: u32,
}

impl OfRounds {
    pub(crate) fn new(table: Arc<Interior>, least: u32) -> Self {
        Self { table, least }
    }

    /// The table, if it serves where so many rounds are left.
    pub(crate) fn with(&self, left: u32) -> Option<Arc<Interior>> {
        (left >= self.least).then(|| Arc::clone(&self.table))
    }
}

impl Footprint for OfRounds {
    fn bytes(&self) -> usize {
        self.table.bytes()
    }
}

/// How many rounds must be left of a term with `left` of them so that its table is the same: `states` are those in
/// which it was when the table was made. Nothing if the loop made a difference to one of them.
pub(crate) fn least(
    left: u32,
    states: impl IntoIterator<Item = TermId>,
    terms: &Terms,
) -> Option<u32> {
    let mut fewest = left;
    for state in states {
        let rounds = terms.rounds(state)?;
        if !goes_on_alike(state, rounds.free, terms) {
            return None;
        }
        fewest = rounds.left.map_or(fewest, |left| left.min(fewest));
    }
    // With one round left the next one is the last.
    Some(left - fewest + 2)
}

/// Whether a term goes on with each byte like the one without a bound.
fn goes_on_alike(term: TermId, free: TermId, terms: &Terms) -> bool {
    let mut expected = terms.transitions(free).iter().copied().peekable();
    for &(lo, hi, next) in terms.transitions(term) {
        let Some(rounds) = terms.rounds(next) else { return false };
        // Those to which neighbouring bytes lead may be the same without a bound.
        let Some(range) = expected.peek_mut() else { return false };
        if range.0 != lo || range.1 < hi || range.2 != rounds.free {
            return false;
        }
        if range.1 == hi {
            expected.next();
        } else {
            range.0 = hi + 1;
        }
    }
    expected.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Tables;
    use crate::trie::TokenTrie;
    use crate::vocabulary::Vocabulary;
    use grammask_gbnf::{Automaton, Label, parse};
    use rustc_hash::FxHashSet;

    const GRAMMARS: [&str; 7] = [
        r#"([!#-~]+ " "){0,9} [!#-~]+ "\"""#,
        r#"([!#-~]+ " "+){3,7} [!#-~]* "\"""#,
        r#"([^ "\\] | "\\" [nt"])+ (" " ([^ "\\] | "\\" [nt"])+){0,6} "\"""#,
        r#"([a-z]+ ("," | " ")){0,8} ("." | [A-Z] ([a-zA-Z]+ "-"){0,5})"#,
        r#"("(" [ -~]+ ")"){0,5}"#,
        // A round may end in several places.
        r#"([ -~]+ [aeiou]){0,6} "\"""#,
        r#"([ -~] [^ ]?){0,12} "\"""#,
    ];

    #[test]
    fn tables_of_rounds_are_those_of_the_terms() {
        let vocabulary = Vocabulary::from_name("r50k_base").expect("a built-in vocabulary");
        let tables = Tables::new(&vocabulary);
        let child = |byte| tables.trie.child(TokenTrie::ROOT, byte).expect("a node");
        let starts = [TokenTrie::ROOT, child(b' '), child(b'a')];
        let mut served = 0;
        for body in GRAMMARS {
            let grammar = parse(&format!("root ::= {body}")).expect("a grammar");
            let automaton = Automaton::compile(&grammar, "root").expect("it compiles");
            let terms = automaton.terms();
            let start = automaton.session().start();
            let first = start.entries().iter().filter_map(|entry| match entry.label {
                Label::Term(term) => Some(term),
                _ => None,
            });
            let mut states: Vec<TermId> = first.collect();
            let mut known: FxHashSet<TermId> = states.iter().copied().collect();
            let mut at = 0;
            while let Some(&term) = states.get(at).filter(|_| at < 100) {
                at += 1;
                let next = terms.transitions(term).iter().map(|&(.., next)| next);
                states.extend(next.filter(|&next| known.insert(next)));
                for start in starts {
                    served += usize::from(tables.of_rounds(start, term, terms).is_some());
                    let table = tables.interior(start, term, terms);
                    let plain = Interior::new(start, term, &tables, terms);
                    let [of_table, of_plain] =
                        [&table.inside, &plain.inside].map(|inside| inside.to_mask(tables.len));
                    assert_eq!(of_table, of_plain, "{body} at {term:?} below {start:?}");
                    assert_eq!(table.ends.nodes, plain.ends.nodes, "{body} at {term:?}");
                    assert_eq!(table.exits.sorted(), plain.exits.sorted(), "{body} at {term:?}");
                    assert!(plain.ambiguous.iter().all(|byte| table.ambiguous.contains(byte)));
                }
            }
        }
        assert!(served > 20, "{served} tables");
    }
}
