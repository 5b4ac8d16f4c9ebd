//! Terms most of whose texts go on like those of another term, as a string that is not empty does
//! like any string, and a key that is not declared like any key.
//!
//! Their tables are the same but below the few nodes where the terms are not yet one: those are
//! found by a walk through both terms at once.

use grammask_gbnf::{ByteSet, TermId, Terms};
use smallvec::SmallVec;

use crate::token_id::TokenId;
use crate::trie::{TokenTrie, TrieNode};

/// Where more nodes than this lie below one, its children are not asked for one by one.
const FEW_BELOW: usize = 64;
/// To which at least so many bytes must lead, from the term and from itself.
const MANY_BYTES: usize = 48;
/// Where more nodes than this have to be looked at, the terms are not similar.
const MOST_NODES: u64 = 4_096;

/// The term like which another one goes on after most bytes; that one goes on so like itself.
pub(crate) fn similar(term: TermId, terms: &Terms) -> Option<TermId> {
    let other = most(term, terms).filter(|&other| other != term)?;
    (most(other, terms) == Some(other)).then_some(other)
}

/// To which term most bytes lead, if these are many.
pub(crate) fn most(term: TermId, terms: &Terms) -> Option<TermId> {
    let mut targets: SmallVec<[(TermId, usize); 8]> = SmallVec::new();
    for &(lo, hi, to) in terms.transitions(term) {
        let bytes = usize::from(hi - lo) + 1;
        match targets.iter_mut().find(|(known, _)| *known == to) {
            Some((_, sum)) => *sum += bytes,
            None => targets.push((to, bytes)),
        }
    }
    let &(other, bytes) = targets.iter().max_by_key(|&&(_, bytes)| bytes)?;
    (bytes >= MANY_BYTES).then_some(other)
}

/// Where the table of a term differs from that of another one.
#[derive(Debug, Default)]
pub(crate) struct Difference {
    /// Nodes of which the other table tells nothing about this term, ascending; it may tell about what
    /// is below them,
    nodes: Vec<TrieNode>,
    /// but not below these.
    tops: Vec<TrieNode>,
    /// Tokens at those nodes that stay inside,
    pub(crate) inside: Vec<TokenId>,
    /// those of the nodes where the term ends (see [`crate::interior::Interior::ends`]),
    pub(crate) ends: Vec<TrieNode>,
    /// and where it can only end before the byte.
    pub(crate) exits: Vec<(u8, TrieNode)>,
    /// Bytes that can be read although the term may end before them.
    pub(crate) ambiguous: ByteSet,
    /// Nodes below which only this term goes on, with what is left of it.
    pub(crate) pending: Vec<(TrieNode, TermId)>,
    /// How many nodes have been visited.
    pub(crate) visited: u64,
}

impl Difference {
    /// Walks through both terms below a node; nothing if they are not similar.
    pub(crate) fn find(
        start: TrieNode,
        (term, other): (TermId, TermId),
        (trie, crossroads): (&TokenTrie, &[TrieNode]),
        terms: &Terms,
    ) -> Option<Self> {
        let goes_on = |term| !matches!(term, TermId::NOTHING | TermId::EMPTY);
        let mut found = Self::default();
        let mut pending = vec![(start, term, other)];
        while let Some((top, term, other)) = pending.pop() {
            let is_crossroads = crossroads.contains(&top);
            if top != start && is_crossroads && terms.nullable(term) {
                found.ends.push(top);
            }
            // That a term may end at the start has been followed up already.
            let may_end = |term| top != start && !is_crossroads && terms.nullable(term);
            let is_many = trie.below(top) > FEW_BELOW && !may_end(term) && !may_end(other);
            let differing = is_many.then(|| terms.differing(term, other)).flatten();
            for (byte, child) in trie.children(top) {
                found.visited += 1;
                if found.visited > MOST_NODES {
                    return None;
                }
                if differing.is_some_and(|differing| !differing.contains(byte)) {
                    continue;
                }
                let (next, other_next) = (terms.next(term, byte), terms.next(other, byte));
                if may_end(term) && next != TermId::NOTHING {
                    found.ambiguous.insert(byte);
                }
                let is_exit = next == TermId::NOTHING && may_end(term);
                let same_exit = next != TermId::NOTHING || may_end(term) == may_end(other);
                if next == other_next && same_exit {
                    continue;
                }
                found.nodes.push(child);
                if is_exit {
                    found.exits.push((byte, child));
                }
                match next {
                    TermId::NOTHING => {}
                    TermId::EMPTY => found.ends.push(child),
                    _ => found.inside.extend(trie.tokens_at(child)),
                }
                match (goes_on(next), goes_on(other_next)) {
                    (true, true) => pending.push((child, next, other_next)),
                    (true, false) if trie.has_children(child) => found.pending.push((child, next)),
                    (false, true) => found.tops.push(child),
                    _ => {}
                }
            }
        }
        found.nodes.sort_unstable();
        found.tops.sort_unstable();
        Some(found)
    }

    /// Whether what the other table says of a node holds for the term.
    pub(crate) fn keeps(&self, node: TrieNode, trie: &TokenTrie) -> bool {
        let above = self.tops.partition_point(|&top| top <= node).checked_sub(1);
        self.nodes.binary_search(&node).is_err()
            && above.is_none_or(|above| !trie.is_within(node, self.tops[above]))
    }

    /// The tokens of which the other table says something else.
    pub(crate) fn tokens<'a>(&'a self, trie: &'a TokenTrie) -> impl Iterator<Item = TokenId> + 'a {
        let nodes = self.nodes.iter().flat_map(|&node| trie.tokens_at(node));
        nodes.chain(self.tops.iter().flat_map(|&top| trie.tokens_below(top).iter().copied()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use grammask_gbnf::{Automaton, parse};

    use crate::interior::Interior;
    use crate::tables::Tables;
    use crate::test_tables::{self, ambiguous, parts};
    use crate::trie::{TokenTrie, TrieNode};
    use crate::vocabulary::Vocabulary;

    const GRAMMARS: [&str; 7] = [
        r#"[^"\x00-\x1f]+ "\"""#,
        r#""\"" (("red" | "green" | "greenish") "\"" | ([^"\\] | "\\" [nt"])* "\" ")"#,
        // All but two keys.
        r#"@all(([^"\\] | "\\" [nt"])* "\"" ; ("id" | "name") "\"")"#,
        r#"@all([^"]* ; "the" | "a" [0-9]{0,40})"#,
        r#"[^"]* ("ab" | "\"" [a-z]*)"#,
        r#"("a" | [^a] [a-zé]* [^a-z] .*) "!""#,
        // Most bytes lead from each of two to the other.
        "b\nb ::= [\\x00-/] b | [0-k] c | \"z\"\nc ::= [\\x00-/] c | [0-k] b | \"y\"",
    ];

    #[test]
    fn tables_from_similar_ones_are_those_of_the_terms() {
        let vocabulary = Vocabulary::from_name("r50k_base").expect("a built-in vocabulary");
        let tables = Tables::new(&vocabulary);
        let trie = &tables.trie;
        let below = |top: TrieNode, bytes: &[u8]| {
            bytes.iter().try_fold(top, |node, &byte| trie.child(node, byte)).expect("a node")
        };
        let starts = [TokenTrie::ROOT, below(TokenTrie::ROOT, b" "), below(TokenTrie::ROOT, b"th")];
        let mut compared = 0;
        for body in GRAMMARS {
            let grammar = parse(&format!("root ::= {body}")).expect("a grammar");
            let automaton = Automaton::compile(&grammar, "root").expect("it compiles");
            let terms = automaton.terms();
            let mut pending = test_tables::starts(&automaton);
            let mut states = BTreeSet::new();
            while let Some(term) = pending.pop() {
                if states.len() < 60 && states.insert(term) {
                    pending.extend(terms.transitions(term).iter().map(|&(_, _, to)| to));
                }
            }
            for &term in &states {
                for start in starts {
                    let plain = Interior::new(start, term, &tables, terms);
                    let Some(table) = Interior::of_similar(start, term, &tables, terms) else {
                        continue;
                    };
                    compared += 1;
                    let [plain_parts, parts_of] = [&plain, &table].map(|it| parts(it, tables.len));
                    assert!(plain_parts == parts_of, "{body} at {term:?} below {start:?}");
                    let ambiguous = ambiguous(start, term, trie, terms);
                    assert!(ambiguous.iter().all(|byte| table.ambiguous.contains(byte)));
                }
            }
        }
        assert!(compared > 50, "{compared} tables");
    }
}
