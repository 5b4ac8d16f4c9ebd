//! Tables of texts in which something may come behind any characters, as of patterns that are not anchored: they allow
//! what any text of these characters does, but end only behind what must come.

use grammask_gbnf::{TermId, Terms};

use crate::interior::Interior;
use crate::tables::Tables;
use crate::trie::TrieNode;

impl Interior {
    /// The table of a text that always goes on with any character, from that of those; nothing if it is not such a
    /// text.
    pub(crate) fn of_unanchored(
        start: TrieNode,
        term: TermId,
        tables: &Tables,
        terms: &Terms,
    ) -> Option<Self> {
        if !tables.is_wide(start, term, terms) {
            return None;
        }
        let any = terms.unanchored(term).filter(|&any| any != term)?;
        let table = tables.interior(start, any, terms);
        let is_end = |&node: &TrieNode| {
            terms.reading(term, &tables.trie.between(start, node)).after == TermId::EMPTY
        };
        let ends = table.ends.nodes.iter().copied().filter(is_end).collect();
        Some(Self::of_text(table.inside.clone(), ends, tables))
    }
}

#[cfg(test)]
mod tests {
    use crate::interior::Interior;
    use crate::test_tables::{Compared, compare, of_characters};

    #[test]
    fn tables_of_texts_that_are_not_anchored_are_those_of_the_terms() {
        let texts = [
            r#"C* "\"""#,
            r#"C* [0-9]{2} "-" [0-9] C* "\"""#,
            r#"C* [a-z]+ ("." | "\\n") "\"""#,
            r#"("=" N)? N* "." N* "\"""#,
            r#"N{3,} "." N "\"""#,
            r#"N* "an" N* "\"" | N* "on" N? "\"""#,
            // Some that do not go on with any character, at first or at all.
            r#"N+ "\"""#,
            r#"N* "a" C* "\"""#,
            r#"N* "a" N* ["']"#,
            r#"N* "\" ""#,
            r#"[^x]* "\"""#,
        ];
        let grammars = texts.map(of_characters);
        let compared = compare(grammars, b" a", Interior::of_unanchored);
        let Compared { tables, inside, ends, .. } = compared;
        assert!(tables > 30 && inside > 0 && ends > 0, "{compared:?}");
    }
}
