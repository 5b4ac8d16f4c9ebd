//! Blanks before a value: where there may be some, each number of them that may still come makes another term of
//! each value that may follow. Where in the trie they lead is the same whatever follows.

use grammask_gbnf::{ByteSet, TermId, Terms};

use crate::generations::Footprint;
use crate::tables::Tables;
use crate::token_id::TokenId;
use crate::trie::TrieNode;

/// What lies below a node by some blanks alone.
#[derive(Debug)]
pub(crate) struct Blanks {
    /// The tokens of nothing but these.
    pub(crate) tokens: Box<[TokenId]>,
    /// The nodes behind which they may have ended, the first one among them if there need be none,
    pub(crate) behind: Box<[TrieNode]>,
    /// and the bytes with which they go on behind one of those.
    pub(crate) first: ByteSet,
}

impl Blanks {
    pub(crate) fn new(start: TrieNode, blanks: TermId, tables: &Tables, terms: &Terms) -> Self {
        let trie = &tables.trie;
        let (mut tokens, mut behind, mut first) = (Vec::new(), Vec::new(), ByteSet::default());
        let mut pending = vec![(start, blanks)];
        while let Some((node, left)) = pending.pop() {
            tables.count_visited(1);
            let bytes = terms.first(left);
            if terms.nullable(left) {
                behind.push(node);
                first.union_with(&bytes);
            }
            for byte in bytes.iter() {
                if let Some(child) = trie.child(node, byte) {
                    tokens.extend(trie.tokens_at(child));
                    pending.push((child, terms.next(left, byte)));
                }
            }
        }
        behind.sort_unstable();
        Self { tokens: tokens.into(), behind: behind.into(), first }
    }
}

impl Footprint for Blanks {
    fn bytes(&self) -> usize {
        size_of_val(&*self.tokens) + size_of_val(&*self.behind)
    }
}

#[cfg(test)]
mod tests {
    use crate::interior::Interior;
    use crate::test_tables::{Compared, compare};

    const GRAMMARS: [&str; 7] = [
        r#"ws ("\"red\"" | "\"green\"" | "[]")"#,
        r#"ws "-"? ("0" | [1-9] [0-9]{0,3}) ws"#,
        r#"[ \n]{1,3} ("the" | "a" ws "an") [a-z]*"#,
        r"ws [^ \n\t]+",
        // What follows may begin like blanks, or with nothing.
        r#"ws " x""#,
        r#"ws (" "? "y" | "z")"#,
        r#"ws "q"?"#,
    ];

    #[test]
    fn tables_behind_blanks_are_those_of_the_terms() {
        let grammars = GRAMMARS
            .map(|body| format!("root ::= {body}\nws ::= ([\\n]{{1,2}} [ \\t]{{0,9}} | \" \")?"));
        let compared = compare(grammars, b" \n", Interior::of_blanks);
        let Compared { tables, inside, ends, exits } = compared;
        assert!(tables > 60 && inside > 0 && ends > 0 && exits > 0, "{compared:?}");
    }
}
