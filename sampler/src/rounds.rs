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
        if !terms.goes_on_without_bound(state) {
            return None;
        }
        fewest = rounds.left.map_or(fewest, |left| left.min(fewest));
    }
    // With one round left the next one is the last.
    Some(left - fewest + 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Tables;
    use crate::test_tables::{self, parts, states};
    use crate::trie::TokenTrie;
    use crate::vocabulary::Vocabulary;
    use grammask_gbnf::{Automaton, parse};

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
            for term in states(terms, test_tables::starts(&automaton), 100) {
                for start in starts {
                    let rounds = tables.rounds(start, term, terms);
                    let is_served = rounds.and_then(|rounds| tables.of_rounds(rounds)).is_some();
                    served += usize::from(is_served);
                    let table = tables.interior(start, term, terms);
                    let plain = Interior::new(start, term, &tables, terms);
                    let [of_table, of_plain] = [&*table, &plain].map(|it| parts(it, tables.len));
                    assert!(of_table == of_plain, "{body} at {term:?} below {start:?}");
                    assert!(plain.ambiguous.iter().all(|byte| table.ambiguous.contains(byte)));
                }
            }
        }
        assert!(served > 20, "{served} tables");
    }
}
