//! Tables of texts of at most so many characters, which may end behind each of them: what such a text allows is
//! what it allows without the bound, as far as tokens are not too long.

use std::ops::RangeInclusive;

use grammask_gbnf::{ByteSet, Length, TermId, Terms};

use crate::by_byte::Exits;
use crate::interior::{Interior, Iterations};
use crate::tables::Tables;
use crate::trie::TrieNode;

impl Interior {
    /// The table of a term with a bound on its length, from that without one and how many characters tokens have;
    /// nothing if it is not such a term, or not a wide one.
    pub(crate) fn of_length(
        start: TrieNode,
        term: TermId,
        tables: &Tables,
        terms: &Terms,
    ) -> Option<Self> {
        let length = tables.is_wide(start, term, terms).then(|| terms.length(term)).flatten()?;
        let Length { free, item, min, most, end } = length;
        let items = tables.iterations(start, (TermId::EMPTY, item), terms);
        let short = items.at_most(most, &tables.characters);
        let behind = ends_behind(start, min..=most, &end, &items, tables);
        let (inside, ends) = match free {
            None => (short.unwrap_or_else(|| items.inside.clone()), behind),
            Some(free) => {
                let table = tables.interior(start, free, terms);
                let ends = table.ends.nodes.iter().copied();
                let ends = ends.filter(|node| behind.binary_search(node).is_ok()).collect();
                let inside = match short {
                    None => table.inside.clone(),
                    Some(short) => {
                        let mut inside = table.inside.to_mask(tables.len);
                        inside.intersect_with(&short.to_mask(tables.len));
                        inside.into()
                    }
                };
                (inside, ends)
            }
        };
        Some(Self {
            inside,
            ends: tables.below(ends),
            exits: Exits::default(),
            ambiguous: ByteSet::default(),
        })
    }
}

/// The nodes at which a byte of `end` follows so many items, sorted.
fn ends_behind(
    start: TrieNode,
    count: RangeInclusive<u32>,
    end: &ByteSet,
    items: &Iterations,
    tables: &Tables,
) -> Vec<TrieNode> {
    let exits = items.exits(count.clone()).filter(|(byte, _)| end.contains(*byte));
    let mut nodes: Vec<TrieNode> =
        exits.flat_map(|(_, below)| below.nodes.iter().copied()).collect();
    // There is none at the start, nor at the crossroads.
    let crossroads = items.ends(count.clone()).flat_map(|below| below.nodes.iter().copied());
    let starts = crossroads.chain(count.contains(&0).then_some(start));
    nodes.extend(
        starts.flat_map(|node| end.iter().filter_map(move |byte| tables.trie.child(node, byte))),
    );
    nodes.sort_unstable();
    nodes
}

#[cfg(test)]
mod tests {
    use crate::interior::Interior;
    use crate::test_tables::{Compared, compare};

    /// The characters of a JSON text, and those but for blanks.
    const CHARACTERS: &str = r#"
        C ::= [^"\\\x00-\x1F] | "\\" (["\\n] | "u00" [0-9] [0-9a-f])
        N ::= [^ "\\\x00-\x1F] | "\\" (["\\n])"#;

    #[test]
    fn tables_of_texts_with_a_length_are_those_of_the_terms() {
        let texts = [
            r#"C{0,12} "\"""#,
            r#"N{3,30} "\"""#,
            r#"[^x"]{1,9} ["x]"#,
            r#"@all([0-9]+ "." N*; C{0,11}) "\"""#,
            r#"@all(N+; C{0,8}) "\"""#,
            r#"@all(([a-z] | "\\n")? [ -!#-Z]*; C{3,7}) "\"""#,
            r#"@all([a-z] N* | "x" C*; C{0,5}) "\"""#,
        ];
        let others = [
            // There is more to come behind some characters,
            r#"@all(N* "!" N{2}; C{0,7}) "\"""#,
            r#"@all((C C)*; C{0,7}) "\"""#,
            // there are none, what ends the text may be one of them, or is not all.
            r#"@all([^x]*; C{0,7}) "\"""#,
            r#"C{0,7} [" ]"#,
            r#"C{0,7} "\" ""#,
        ];
        let compare_all = |texts: &[&str]| {
            let grammars = texts.iter();
            let grammars =
                grammars.map(|text| format!("root ::= text\ntext ::= {text}{CHARACTERS}"));
            compare(grammars, b" a", Interior::of_length)
        };
        let compared = compare_all(&texts);
        let Compared { tables, inside, ends, .. } = compared;
        assert!(tables > 100 && inside > 0 && ends > 0, "{compared:?}");
        assert_eq!(compare_all(&others).tables, 0);
    }
}
