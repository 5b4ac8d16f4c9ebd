//! Tables of texts of at most so many characters: what such a text allows is what it allows without the bound, as far
//! as tokens are not too long, nor leave too much to be written.

use std::ops::RangeInclusive;

use grammask_gbnf::{ByteSet, Length, Missing, Pattern, TermId, Terms};

use crate::dfa::{DEAD, Dfa, END};
use crate::generations::Footprint;
use crate::interior::{Interior, Iterations};
use crate::mask::TokenMask;
use crate::preorder::Reach;
use crate::tables::Tables;
use crate::token_set::{Found, TokenSet};
use crate::trie::TrieNode;

/// A text that begins with fewer bytes is quick to walk through with its bound,
const NARROW: usize = 16;
/// and so is one of fewer characters, if the table without the bound is not there yet.
const SHORT: u32 = 8;

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
        let pattern = match pattern {
            None if most < SHORT => return None,
            Some(Pattern { ended, .. })
                if most < SHORT && !tables.has_interior(start, ended, terms) =>
            {
                return None;
            }
            None => None,
            Some(pattern) => Some((pattern, terms.missing(pattern.text, item)?)),
        };
        let items = tables.iterations(start, (TermId::EMPTY, item), terms);
        let short = items.at_most(most, &tables.characters);
        let mut ends = ends_behind(start, min..=most, &end, &items, tables);
        let Some((Pattern { text, ended }, missing)) = pattern else {
            let inside = short.unwrap_or_else(|| items.inside.clone());
            return Some(Self::of_text(inside, ends, tables));
        };
        let table = tables.interior(start, ended, terms);
        ends.retain(|node| table.ends.nodes.binary_search(node).is_ok());
        let mut inside = table.inside.to_mask(tables.len);
        if let Some(short) = short {
            inside.intersect_with(&short.to_mask(tables.len));
        }
        if missing.most() > 0 {
            let unfinished = tables.unfinished(start, (text, &missing), item, terms);
            unfinished.leave_out(&mut inside, most, &items, tables);
        }
        Some(Self::of_text(inside.into(), ends, tables))
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
        (text, missing): (TermId, &Missing),
        item: TermId,
        tables: &Tables,
        terms: &Terms,
    ) -> Self {
        let (mut texts, mut items) =
            (Dfa::of_terms(TermId::NOTHING, terms), Dfa::of_terms(item, terms));
        let mut found: Vec<Found> = (0..missing.most()).map(|_| Found::new(tables.len)).collect();
        let first = (texts.number(text), END);
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
    use crate::test_tables::{Compared, compare, of_characters};

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
            compare(texts.iter().map(|text| of_characters(text)), b" a", Interior::of_length)
        };
        let compared = compare_all(&texts);
        let Compared { tables, inside, ends, .. } = compared;
        assert!(tables > 100 && inside > 0 && ends > 0, "{compared:?}");
        assert_eq!(compare_all(&others).tables, 0);
    }
}
