//! Bytes of one set in a row, as the digits of a hash: `[0-9a-f]{40}` has a term for each number of bytes that are
//! left, and up to there all of them read the same nodes of the trie.

use grammask_gbnf::ByteSet;

use crate::generations::Footprint;
use crate::preorder::Reach;
use crate::shapes::CLASSES;
use crate::tables::Tables;
use crate::token_id::TokenId;
use crate::trie::TrieNode;

/// What lies below a node by bytes of a set alone, by the number of these bytes, from one on.
#[derive(Debug)]
pub(crate) struct Run(Vec<Level>);

/// What lies behind a number of bytes.
#[derive(Debug, Default)]
struct Level {
    nodes: Vec<TrieNode>,
    tokens: Vec<TokenId>,
}

impl Run {
    pub(crate) fn new(start: TrieNode, set: &ByteSet, tables: &Tables) -> Self {
        let trie = &tables.trie;
        let mut levels: Vec<Level> = Vec::new();
        let scan = trie.scan(start, 0, |node, depth: usize, byte, _| {
            if !set.contains(byte) {
                return Reach::Out;
            }
            if levels.len() == depth {
                levels.push(Level::default());
            }
            levels[depth].nodes.push(node);
            levels[depth].tokens.extend(trie.tokens_at(node));
            Reach::Into(depth + 1)
        });
        tables.count_visited(scan.visited);
        Self(levels)
    }

    /// The tokens of fewer bytes than so many,
    pub(crate) fn tokens_before(&self, bytes: usize) -> impl Iterator<Item = &[TokenId]> {
        self.0.iter().take(bytes - 1).map(|level| &level.tokens[..])
    }

    /// and the nodes behind as many.
    pub(crate) fn nodes_behind(&self, bytes: usize) -> &[TrieNode] {
        self.0.get(bytes - 1).map_or(&[], |level| &level.nodes)
    }
}

/// Whether a set tells bytes apart that have a shape in common: elsewhere walks by shapes are as quick.
pub(crate) fn tells_apart(set: &ByteSet) -> bool {
    CLASSES.iter().any(|&(lo, hi)| {
        let inside = (lo..=hi).filter(|&byte| set.contains(byte)).count();
        inside > 1 && inside <= usize::from(hi - lo)
    })
}

impl Footprint for Run {
    fn bytes(&self) -> usize {
        let levels = self.0.iter();
        levels.map(|level| size_of_val(&*level.nodes) + size_of_val(&*level.tokens)).sum()
    }
}

#[cfg(test)]
mod tests {
    use crate::interior::Interior;
    use crate::test_tables::{Compared, compare};

    const GRAMMARS: [&str; 6] = [
        r#"[0-9a-f]{24} "\"""#,
        r#"[0-9a-fA-F]{8} ("-" [0-9a-fA-F]{4}){3} "-" [0-9a-fA-F]{12}"#,
        r"[a-f]{2,5} [0-9]?",
        r#"[b-y]{3,} ("z" | " ")*"#,
        r"[0-8]{2} ([0-9] [0-8]{3})?",
        r"[02468ace]{70}",
    ];

    #[test]
    fn tables_by_runs_are_those_of_the_terms() {
        let grammars = GRAMMARS.map(|body| format!("root ::= {body}"));
        let compared = compare(grammars, b" d", Interior::of_run);
        let Compared { tables, inside, ends, exits } = compared;
        assert!(tables > 100 && inside > 0 && ends > 0 && exits > 0, "{compared:?}");
    }
}
