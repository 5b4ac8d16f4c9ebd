//! What tests of tables share: the states of a grammar's terminals, and what is compared of their tables.

use grammask_gbnf::{Automaton, ByteSet, Label, TermId, Terms, parse};
use rustc_hash::FxHashSet;

use crate::interior::Interior;
use crate::tables::Tables;
use crate::token_id::TokenId;
use crate::trie::{TokenTrie, TrieNode};
use crate::vocabulary::Vocabulary;

/// A grammar of a text, in which `C` is a character of a JSON text and `N` the same but for blanks.
pub(crate) fn of_characters(text: &str) -> String {
    let characters = r#"
        C ::= [^"\\\x00-\x1F] | "\\" (["\\n] | "u00" [0-9] [0-9a-f])
        N ::= [^ "\\\x00-\x1F] | "\\" (["\\n])"#;
    format!("root ::= text\ntext ::= {text}{characters}")
}

/// Nodes with their bytes.
pub(crate) type Places = Vec<(u8, TrieNode)>;

/// The terms that a text of a grammar may begin in.
pub(crate) fn starts(automaton: &Automaton) -> Vec<TermId> {
    let start = automaton.session().start();
    let terms = start.entries().iter().filter_map(|entry| match entry.label {
        Label::Term(term) => Some(term),
        _ => None,
    });
    terms.collect()
}

/// Some terms and those that follow, in the order in which they are met, for as long as no more than so many have
/// been followed.
pub(crate) fn states(terms: &Terms, mut states: Vec<TermId>, most: usize) -> Vec<TermId> {
    let mut known: FxHashSet<TermId> = states.iter().copied().collect();
    let mut at = 0;
    while let Some(&state) = states.get(at).filter(|_| at < most) {
        at += 1;
        let further = terms.transitions(state).iter().map(|&(.., next)| next);
        states.extend(further.filter(|&next| known.insert(next)));
    }
    states
}

/// What a table tells exactly: the tokens inside, the ends, and the exits.
pub(crate) fn parts(table: &Interior, len: usize) -> (Vec<TokenId>, Vec<TrieNode>, Places) {
    let inside = table.inside.to_mask(len).tokens().collect();
    (inside, table.ends.nodes.to_vec(), table.exits.sorted())
}

/// The bytes that can be read somewhere below a node although the term may end before them.
pub(crate) fn ambiguous(start: TrieNode, term: TermId, trie: &TokenTrie, terms: &Terms) -> ByteSet {
    let mut found = ByteSet::default();
    let mut pending = vec![(start, term)];
    while let Some((node, term)) = pending.pop() {
        for (byte, child) in trie.children(node) {
            let next = terms.next(term, byte);
            if next == TermId::NOTHING {
                continue;
            }
            if node != start && terms.nullable(term) {
                found.insert(byte);
            }
            pending.push((child, next));
        }
    }
    found
}

/// How many tables have been compared, and what there was in them.
#[derive(Debug, Default)]
pub(crate) struct Compared {
    pub(crate) tables: usize,
    pub(crate) inside: usize,
    pub(crate) ends: usize,
    pub(crate) exits: usize,
}

/// Compares tables that are made in some way, where that makes one, with those of a plain walk: for all states of
/// grammars, below the root and below what some bytes lead to.
pub(crate) fn compare(
    grammars: impl IntoIterator<Item = String>,
    below: &[u8],
    make: impl Fn(TrieNode, TermId, &Tables, &Terms) -> Option<Interior>,
) -> Compared {
    let vocabulary = Vocabulary::from_name("r50k_base").expect("a built-in vocabulary");
    let tables = Tables::new(&vocabulary);
    let child = |&byte| tables.trie.child(TokenTrie::ROOT, byte).expect("a node");
    let nodes: Vec<_> = [TokenTrie::ROOT].into_iter().chain(below.iter().map(child)).collect();
    let mut compared = Compared::default();
    for grammar in grammars {
        let automaton = Automaton::compile(&parse(&grammar).expect("a grammar"), "root");
        let automaton = automaton.expect("it compiles");
        let terms = automaton.terms();
        for term in states(terms, starts(&automaton), usize::MAX) {
            for &node in &nodes {
                let Some(table) = make(node, term, &tables, terms) else { continue };
                let plain = Interior::new(node, term, &tables, terms);
                let [of_table, of_plain] = [&table, &plain].map(|it| parts(it, tables.len));
                assert!(of_table == of_plain, "{grammar} at {term:?} below {node:?}");
                let ambiguous = ambiguous(node, term, &tables.trie, terms);
                assert!(ambiguous.iter().all(|byte| table.ambiguous.contains(byte)));
                compared.tables += 1;
                compared.inside += of_plain.0.len();
                compared.ends += of_plain.1.len();
                compared.exits += of_plain.2.len();
            }
        }
    }
    compared
}
