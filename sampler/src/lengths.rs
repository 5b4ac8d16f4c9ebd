//! Tables of texts of at most so many characters: what such a text allows is what it allows without the bound, as far
//! as tokens are not too long, nor leave too much to be written.

use std::ops::RangeInclusive;

use grammask_gbnf::{ByteSet, Length, Pattern, TermId, Terms, Unanchored};

use crate::by_byte::Exits;
use crate::dfa::{DEAD, Dfa, END};
use crate::generations::Footprint;
use crate::interior::{Interior, Iterations};
use crate::mask::TokenMask;
use crate::preorder::Reach;
use crate::tables::Tables;
use crate::token_set::{Found, TokenSet};
use crate::trie::TrieNode;

/// A text that begins with fewer bytes is quick to walk through with its bound.
const NARROW: usize = 16;

impl Interior {
    /// The table of a term with a bound on its length, from that without one and how many characters tokens have;
    /// nothing if it is not such a term.
    pub(crate) fn of_length(
        start: TrieNode,
        term: TermId,
        tables: &Tables,
        terms: &Terms,
    ) -> Option<Self> {
        if !tables.is_large(start) || terms.first(term).len() <= NARROW {
            return None;
        }
        let Length { pattern, item, min, most, end } = terms.length(term)?;
        let items = tables.iterations(start, (TermId::EMPTY, item), terms);
        let behind = ends_behind(start, min..=most, &end, &items, tables);
        let (inside, ends) = match pattern {
            None => {
                let short = items.at_most(most, &tables.characters);
                (short.unwrap_or_else(|| items.inside.clone()), behind)
            }
            Some(pattern) => {
                let table = tables.interior(start, pattern.ended, terms);
                let ends = table.ends.nodes.iter().copied();
                let ends = ends.filter(|node| behind.binary_search(node).is_ok()).collect();
                let mut inside = table.inside.to_mask(tables.len);
                if let Some(short) = items.at_most(most, &tables.characters) {
                    inside.intersect_with(&short.to_mask(tables.len));
                }
                if pattern.missing.most() > 0 {
                    let unfinished = tables.unfinished(start, &pattern, item, terms);
                    unfinished.leave_out(&mut inside, most, &items, tables);
                }
                (inside.into(), ends)
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

impl Interior {
    /// The table of a text that always goes on with any character, from that of those; nothing if it is not such a
    /// text.
    pub(crate) fn of_unanchored(
        start: TrieNode,
        term: TermId,
        tables: &Tables,
        terms: &Terms,
    ) -> Option<Self> {
        let Unanchored { item, end } =
            tables.is_wide(start, term, terms).then(|| terms.unanchored(term)).flatten()?;
        let items = tables.iterations(start, (TermId::EMPTY, item), terms);
        let mut ends = ends_behind(start, 0..=u32::MAX, &end, &items, tables);
        ends.retain(|&node| {
            terms.reading(term, &tables.trie.between(start, node)).after == TermId::EMPTY
        });
        Some(Self {
            inside: items.inside.clone(),
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

/// The tokens inside of a text that consists of items, below a node, behind which some items must follow.
#[derive(Debug)]
pub(crate) struct Unfinished {
    /// Behind which one must, two and so on.
    by_missing: Box<[TokenSet]>,
}

impl Unfinished {
    pub(crate) fn new(
        start: TrieNode,
        Pattern { text, missing, .. }: &Pattern,
        item: TermId,
        tables: &Tables,
        terms: &Terms,
    ) -> Self {
        let (mut texts, mut items) =
            (Dfa::of_terms(TermId::NOTHING, terms), Dfa::of_terms(item, terms));
        let mut found: Vec<Found> = (0..missing.most()).map(|_| Found::new(tables.len)).collect();
        let first = (texts.number(*text), END);
        tables.visit(
            start,
            first,
            |nodes, (text, item), byte, below| {
                let text = texts.next_of(text, nodes, byte)?;
                let item = items.next_of(item, nodes, byte)?;
                if text == DEAD {
                    return Some(Reach::Out);
                }
                match missing.of(*texts.state(text), *items.state(item)) {
                    // All that follows leads back here.
                    Some(0)
                        if item == END && below.is_some_and(|it| texts.loops(text, it.kinds)) =>
                    {
                        return Some(Reach::Out);
                    }
                    None | Some(0) => {}
                    Some(some) => found[some as usize - 1]
                        .extend(nodes.iter().flat_map(|&node| tables.trie.tokens_at(node))),
                }
                Some(Reach::Into((text, item)))
            },
            |_, _| {},
        );
        Self { by_missing: found.into_iter().map(Found::into_set).collect() }
    }

    /// Takes out of a mask those tokens behind which too many items must follow, where all are at most so many.
    fn leave_out(&self, mask: &mut TokenMask, most: u32, items: &Iterations, tables: &Tables) {
        for (missing, tokens) in (1..).zip(&self.by_missing) {
            let mut out = tokens.to_mask(tables.len);
            if let Some(left) = most.checked_sub(missing) {
                let Some(short) = items.at_most(left, &tables.characters) else { continue };
                out.subtract(&short.to_mask(tables.len));
            }
            mask.subtract(&out);
        }
    }
}

impl Footprint for Unfinished {
    fn bytes(&self) -> usize {
        self.by_missing.iter().map(TokenSet::bytes).sum()
    }
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
            // There is more to come behind some characters.
            r#"@all(N* "!" N{2}; C{0,7}) "\"""#,
            r#"@all(N C* N; C{0,20}) "\"""#,
            r#"@all((C C)*; C{0,7}) "\"""#,
            r#"@all(N+ (" " N+)*; C{3,9}) "\"""#,
            r#"@all(C* [0-9] C*; C* [a-z] C*; C{4,9}) "\"""#,
        ];
        let others = [
            // There are none, what ends the text may be one of them, or is not all.
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
        let grammars = texts.map(|text| format!("root ::= text\ntext ::= {text}{CHARACTERS}"));
        let compared = compare(grammars, b" a", Interior::of_unanchored);
        let Compared { tables, inside, ends, .. } = compared;
        assert!(tables > 30 && inside > 0 && ends > 0, "{compared:?}");
    }
}
