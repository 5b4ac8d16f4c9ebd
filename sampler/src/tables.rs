//! What is known about the terminals of a vocabulary: tables that are built when they are first
//! needed and shared by all grammars.

use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use grammask_gbnf::{Automaton, ByteSet, Fingerprint, Label, Longest, Missing, TermId, Terms};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::below::{Below, Belows};
use crate::blanks::Blanks;
use crate::budget::Costs;
use crate::characters::Characters;
use crate::crossings::Crossings;
use crate::forbidden::Forbidden;
use crate::generations::{Footprint, Generations};
use crate::interior::{Interior, Iterations};
use crate::lengths::Unfinished;
use crate::preorder::{Outline, Preorder, Reach, Scan};
use crate::quotient::{Alike, Quotient};
use crate::rounds::{self, OfRounds};
use crate::runs::Run;
use crate::shapes::Shapes;
use crate::token_set::Found;
use crate::trie::{TokenTrie, TrieNode};
use crate::values::ValueTokens;
use crate::vocabulary::Vocabulary;

/// Some nodes: mostly one.
type Nodes = SmallVec<[TrieNode; 2]>;

/// The tables of a vocabulary.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(crate) trie: TokenTrie,
    pub(crate) characters: Characters,
    /// The nodes below which a great part of the trie lies, as below a space: what may begin there is
    /// read from there on, by tables.
    pub(crate) crossroads: Box<[TrieNode]>,
    shapes: Shapes,
    /// Number of ids of the vocabulary.
    pub(crate) len: usize,
    /// So many digits in a row are in a token at most.
    most_digits: usize,
    /// By (where in the trie, term).
    interiors: Mutex<Generations<(TrieNode, Fingerprint), Arc<Interior>>>,
    /// By (where in the trie, term, bytes).
    crossings: Mutex<Generations<(TrieNode, Fingerprint, ByteSet), Arc<Crossings>>>,
    /// By (where in the trie, rest of an iteration, iteration).
    iterations: Mutex<Generations<(TrieNode, Fingerprint, Fingerprint), Arc<Iterations>>>,
    belows: Mutex<Generations<Nodes, Arc<Below>>>,
    /// By (where in the trie, quotient of terms).
    alike: Mutex<Generations<(TrieNode, Quotient), Arc<Alike>>>,
    /// By (where in the trie, bytes).
    runs: Mutex<Generations<(TrieNode, ByteSet), Arc<Run>>>,
    rounds: Mutex<Generations<RoundsKey, Arc<OfRounds>>>,
    /// By (where in the trie, text, item).
    unfinished: Mutex<Generations<(TrieNode, Fingerprint, Fingerprint), Arc<Unfinished>>>,
    /// By (where in the trie, blanks).
    blanks: Mutex<Generations<(TrieNode, Fingerprint), Arc<Blanks>>>,
    /// By (what the value lies behind, value).
    values: Mutex<Generations<(usize, Fingerprint), Arc<ValueTokens>>>,
    costs: Mutex<Generations<Fingerprint, Arc<Costs>>>,
    /// See [`crate::Engine::nodes_visited`].
    visited: AtomicU64,
}

/// Where in the trie, and the term without the bound of its loop.
type RoundsKey = (TrieNode, Fingerprint);

/// How many bytes the tables of terms may take. What all schemas have in common is some megabytes;
/// of what is in one alone little is gained if it is kept for more than some hundred schemas.
const INTERIORS: usize = 5 << 20;
/// The same for the places where they can be left although they could go on,
const CROSSINGS: usize = 512 << 10;
/// for counted loops,
const ITERATIONS: usize = 1 << 20;
/// for what lies below the nodes where tokens leave terminals,
const BELOWS: usize = 1 << 20;
/// for terms that are alike inside,
const ALIKE: usize = 256 << 10;
/// for bytes of one set in a row,
const RUNS: usize = 256 << 10;
/// for terms that serve with more rounds of a loop as well,
const ROUNDS: usize = 256 << 10;
/// for what must follow tokens of texts with a length,
const UNFINISHED: usize = 512 << 10;
/// for blanks before values,
const BLANKS: usize = 128 << 10;
/// for what is left of terms, where tokens are few,
const COSTS: usize = 4 << 20;
/// and for the values of members that many schemas have.
const VALUES: usize = 256 << 10;
/// All of them together.
pub(crate) const MOST_BYTES: usize = INTERIORS
    + CROSSINGS
    + ITERATIONS
    + BELOWS
    + ALIKE
    + RUNS
    + ROUNDS
    + UNFINISHED
    + BLANKS
    + COSTS
    + VALUES;
/// With so many bytes most of the trie begins.
const WIDE: usize = 48;
/// Of a term that goes on for so many bytes at least few tokens reach the end.
const FAR: u32 = 4;
/// A word has no more bytes to choose from.
const WORD: usize = 16;
/// So many nodes are visited for tables before a grammar is used,
const MOST_VISITED: u64 = 1 << 16;
/// so many states of terminals are looked at, also where all is known already,
const MOST_STATES: usize = 2_000;
/// and so many terms are made for that.
const MOST_TERMS: usize = 2_000;
/// More than this share of the trie is a great part.
const GREAT: usize = 16;
/// Below a node is much if it is more than this share of the trie: in a large vocabulary some
/// hundred nodes.
const LARGE: usize = 1024;
/// The same where many grammars read the same, which is then known mostly.
const LARGE_FOR_MANY: usize = 8 * LARGE;
/// So few nodes are never much.
const FEW: usize = 4;

impl Tables {
    pub(crate) fn new(vocabulary: &Vocabulary) -> Self {
        let trie = TokenTrie::new(vocabulary);
        let is_great = |node: &TrieNode| trie.below(*node) > trie.len() / GREAT;
        let first = trie.children(TokenTrie::ROOT).map(|(_, node)| node);
        let crossroads: Box<[TrieNode]> = first.filter(is_great).collect();
        // Whether a number may begin with 0 is told apart nearly always, hardly ever what comes next.
        let digits = (b'0'..=b'9').filter_map(|digit| trie.child(TokenTrie::ROOT, digit));
        let apart: Vec<TrieNode> = crossroads.iter().copied().chain(digits).collect();
        Self {
            shapes: Shapes::new(&trie, &apart),
            crossroads,
            trie,
            characters: Characters::new(vocabulary),
            len: vocabulary.len(),
            most_digits: most_digits(vocabulary),
            interiors: Mutex::new(Generations::new(INTERIORS)),
            crossings: Mutex::new(Generations::new(CROSSINGS)),
            iterations: Mutex::new(Generations::new(ITERATIONS)),
            belows: Mutex::new(Generations::new(BELOWS)),
            alike: Mutex::new(Generations::new(ALIKE)),
            runs: Mutex::new(Generations::new(RUNS)),
            rounds: Mutex::new(Generations::new(ROUNDS)),
            unfinished: Mutex::new(Generations::new(UNFINISHED)),
            blanks: Mutex::new(Generations::new(BLANKS)),
            values: Mutex::new(Generations::new(VALUES)),
            costs: Mutex::new(Generations::new(COSTS)),
            visited: AtomicU64::new(0),
        }
    }

    /// How many bytes the tables take; the trie is not among them.
    pub(crate) fn bytes(&self) -> usize {
        self.all().iter().map(|tables| tables.bytes()).sum()
    }

    /// See [`crate::Engine::keep_tables`].
    pub(crate) fn keep(&self) {
        self.all().iter().for_each(|tables| tables.keep());
    }

    fn all(&self) -> [&dyn Kept; 11] {
        [
            &self.interiors,
            &self.crossings,
            &self.iterations,
            &self.belows,
            &self.alike,
            &self.runs,
            &self.rounds,
            &self.unfinished,
            &self.blanks,
            &self.values,
            &self.costs,
        ]
    }

    /// Counts nodes that have been visited.
    pub(crate) fn count_visited(&self, nodes: u64) {
        self.visited.fetch_add(nodes, Ordering::Relaxed);
    }

    pub(crate) fn visited(&self) -> u64 {
        self.visited.load(Ordering::Relaxed)
    }

    /// Builds the tables that the terminals of a grammar need first, unless that takes too long: one text
    /// meets most of them, and one after the other they would slow its tokens down.
    pub(crate) fn prepare(&self, automaton: &Automaton) {
        let terms = automaton.terms();
        let nodes = || std::iter::once(TokenTrie::ROOT).chain(self.crossroads.iter().copied());
        let (most_visited, most_terms) = (self.visited() + MOST_VISITED, terms.size() + MOST_TERMS);
        let is_too_much = || self.visited() > most_visited || terms.size() > most_terms;
        let mut known = FxHashSet::default();
        let mut states = Vec::new();
        for label in automaton.terminals().take_while(|_| !is_too_much()) {
            match label {
                Label::Term(term) if known.insert(term) => states.push(term),
                Label::Counted { rest, item, .. } => nodes().for_each(|node| {
                    self.iterations(node, (rest, item), terms);
                }),
                _ => {}
            }
        }
        let mut at = 0;
        while let Some(&term) = states.get(at).filter(|_| at < MOST_STATES && !is_too_much()) {
            at += 1;
            let next = terms.transitions(term).iter().map(|&(.., next)| next);
            // What only spells a word is quickly followed when it is needed.
            if next.clone().chain([term]).any(|term| terms.first(term).len() > WORD) {
                nodes().for_each(|node| {
                    self.interior(node, term, terms);
                });
            }
            states.extend(next.filter(|&next| known.insert(next)));
        }
    }

    /// The tokens of a term, below a node.
    pub(crate) fn interior(&self, node: TrieNode, term: TermId, terms: &Terms) -> Arc<Interior> {
        let (term, key) = self.interior_key(node, term, terms);
        if let Some(known) = look_up(&self.interiors, &key) {
            return known;
        }
        let plain = terms.without_any_lengths(term);
        if plain != term {
            let table = self.interior(node, plain, terms);
            return insert(&self.interiors, key, table);
        }
        let rounds = self.rounds(node, term, terms);
        if let Some(known) = rounds.and_then(|rounds| self.of_rounds(rounds)) {
            return known;
        }
        let (table, states) = self.new_interior(node, term, terms, rounds.is_some());
        let table = insert(&self.interiors, key, Arc::new(table));
        if let Some((key, left)) = rounds
            && let Some(least) = states.and_then(|states| rounds::least(left, states, terms))
        {
            insert(&self.rounds, key, Arc::new(OfRounds::new(Arc::clone(&table), least)));
        }
        table
    }

    /// Whether the table of a term is there.
    pub(crate) fn has_interior(&self, node: TrieNode, term: TermId, terms: &Terms) -> bool {
        look_up(&self.interiors, &self.interior_key(node, term, terms).1).is_some()
    }

    /// By what the table of a term is known: the same term without the bounds that no token reaches.
    fn interior_key(
        &self,
        node: TrieNode,
        term: TermId,
        terms: &Terms,
    ) -> (TermId, (TrieNode, Fingerprint)) {
        let (term, _) = terms.without_bounds(term, self.longest(node));
        (term, (node, terms.fingerprint(term)))
    }

    /// The same, made of that of another term, or by walking through the term: with the states that it has met then.
    /// Whether it `has_rounds`: a walk serves where others are left as well.
    fn new_interior(
        &self,
        node: TrieNode,
        term: TermId,
        terms: &Terms,
        has_rounds: bool,
    ) -> (Interior, Option<Vec<TermId>>) {
        if let Some(table) = Interior::of_run(node, term, self, terms) {
            return (table, None);
        }
        let of_characters = Interior::of_length(node, term, self, terms)
            .or_else(|| Interior::of_unanchored(node, term, self, terms));
        if let Some(table) = of_characters {
            return (table, None);
        }
        let (free, short) = terms.without_bounds(term, self.trie.short().into());
        if free != term
            && let Some(table) = Interior::of_bounded((free, short), node, term, self, terms)
        {
            return (table, None);
        }
        let similar = || Interior::of_similar(node, term, self, terms);
        let alike = || Interior::of_alike(node, term, self, terms);
        let behind_blanks = || Interior::of_blanks(node, term, self, terms);
        let table = if has_rounds {
            similar()
        } else if terms.shortest(term) >= FAR {
            alike().or_else(similar).or_else(behind_blanks)
        } else {
            similar().or_else(alike).or_else(behind_blanks)
        };
        table.map_or_else(
            || {
                let (table, states) = Interior::with_states(node, term, self, terms);
                (table, Some(states))
            },
            |table| (table, None),
        )
    }

    /// How many rounds of its loop are left of a wide term, and by what the table is known that serves where enough are.
    pub(crate) fn rounds(
        &self,
        node: TrieNode,
        term: TermId,
        terms: &Terms,
    ) -> Option<(RoundsKey, u32)> {
        let rounds = self.is_wide(node, term, terms).then(|| terms.rounds(term)).flatten()?;
        Some(((node, terms.fingerprint(rounds.free)), rounds.left?))
    }

    /// The table that serves where so many rounds are left, if there is one.
    pub(crate) fn of_rounds(&self, (key, left): (RoundsKey, u32)) -> Option<Arc<Interior>> {
        look_up(&self.rounds, &key)?.with(left)
    }

    /// Whether a term has bounds on lengths that some tokens below a node do not reach.
    pub(crate) fn has_bounds(&self, node: TrieNode, term: TermId, terms: &Terms) -> bool {
        let is_free = |longest| terms.without_bounds(term, longest).0 == term;
        !is_free(self.longest(node)) || !is_free(self.trie.short().into())
    }

    /// How long what tokens have below a node may be.
    pub(crate) fn longest(&self, node: TrieNode) -> Longest {
        Longest { bytes: self.trie.height(node), digits: self.most_digits }
    }

    /// What is left of a term at the crossroads where it may end: its table, from the root on, does not go by it.
    pub(crate) fn left_at_crossroads<'a>(
        &'a self,
        term: TermId,
        table: &'a Interior,
        terms: &'a Terms,
    ) -> impl Iterator<Item = TermId> + 'a {
        // The nodes are ascending, and mostly many; crossroads are few.
        let crossroads = self.crossroads.iter();
        let crossroads = crossroads.filter(|&node| table.ends.nodes.binary_search(node).is_ok());
        crossroads.map(move |&node| terms.reading(term, &self.trie.path(node)).after)
    }

    /// Where, below a node, one of some bytes can be read inside a term that may end before it.
    pub(crate) fn crossings(
        &self,
        node: TrieNode,
        term: TermId,
        bytes: ByteSet,
        terms: &Terms,
    ) -> Arc<Crossings> {
        let (term, _) = terms.without_bounds(term, self.longest(node));
        let key = (node, terms.fingerprint(term), bytes);
        shared(&self.crossings, &key, || Crossings::new(node, term, &bytes, self, terms))
    }

    /// The tokens of a counted loop, below a node.
    pub(crate) fn iterations(
        &self,
        node: TrieNode,
        (rest, item): (TermId, TermId),
        terms: &Terms,
    ) -> Arc<Iterations> {
        let build = || Iterations::new(node, rest, item, self, terms);
        let key = (node, terms.fingerprint(rest), terms.fingerprint(item));
        shared(&self.iterations, &key, build)
    }

    /// Visits what lies below a node, and adds the tokens that are reached; see [`Tables::visit`].
    pub(crate) fn scan<S: Copy>(
        &self,
        top: TrieNode,
        start: S,
        found: &mut Found,
        visit: impl FnMut(&[TrieNode], S, u8, Option<&Outline>) -> Option<Reach<S>>,
    ) {
        self.visit(top, start, visit, |scan, tree| found.add_reached(scan, tree));
    }

    /// Visits what lies below a node: each node with what its parent has been given (the first ones: `start`),
    /// with its byte and, if much lies below it, with an outline of that. `reached` is told what has been met in a
    /// tree. Where much of the trie lies below the first one, nodes of the same shape are visited at once, with the
    /// least byte of their class; one by one if `visit` gives nothing for them together, as it must not for one
    /// alone.
    pub(crate) fn visit<'a, S: Copy>(
        &'a self,
        top: TrieNode,
        start: S,
        mut visit: impl FnMut(&[TrieNode], S, u8, Option<&Outline>) -> Option<Reach<S>>,
        mut reached: impl FnMut(&Scan, &'a Preorder),
    ) {
        let (trie, shapes) = (&self.trie, &self.shapes);
        let shape = Some(top).filter(|&top| self.is_large(top)).and_then(|top| shapes.of(top));
        let Some(shape) = shape else {
            let scan = trie.scan(top, start, |node, at, byte, below| {
                visit(&[node], at, byte, below).unwrap_or(Reach::Out)
            });
            self.count_visited(scan.visited);
            return reached(&scan, trie.tree());
        };
        let mut apart: Vec<(&'a [TrieNode], S)> = Vec::new();
        let scan = shapes.scan(shape, start, |nodes, at, byte, below| {
            visit(nodes, at, byte, below).unwrap_or_else(|| {
                apart.push((nodes, at));
                Reach::Out
            })
        });
        reached(&scan, shapes.tree());
        let mut visited = scan.visited;
        for (nodes, at) in apart {
            for &node in nodes {
                let scan = trie.scan_from(node, at, |node, at, byte, below| {
                    visit(&[node], at, byte, below).unwrap_or(Reach::Out)
                });
                visited += scan.visited;
                reached(&scan, trie.tree());
            }
        }
        self.count_visited(visited);
    }

    /// What lies below some nodes, which are sorted for that.
    pub(crate) fn below(&self, nodes: impl Into<Nodes>) -> Arc<Below> {
        let mut nodes: Nodes = nodes.into();
        nodes.sort_unstable();
        shared(&self.belows, &nodes, || {
            let below = Below::new(&nodes, self);
            self.count_visited(below.len(Below::ROOT) as u64);
            below
        })
    }

    /// What terms of a quotient have in common, below a node; nothing if only a walk finds that, and none is
    /// to be taken.
    pub(crate) fn alike(
        &self,
        node: TrieNode,
        quotient: Quotient,
        may_walk: bool,
    ) -> Option<Arc<Alike>> {
        let key = (node, quotient);
        shared_if(&self.alike, &key, || match Forbidden::new(&key.1) {
            Some(forbidden) => Alike::without(node, forbidden, self),
            None => may_walk.then(|| Alike::new(node, &key.1, self)),
        })
    }

    /// What lies below a node by bytes of a set alone.
    pub(crate) fn run(&self, node: TrieNode, set: ByteSet) -> Arc<Run> {
        shared(&self.runs, &(node, set), || Run::new(node, &set, self))
    }

    /// The tokens of a text behind which items must follow, below a node.
    pub(crate) fn unfinished(
        &self,
        node: TrieNode,
        (text, missing): (TermId, &Missing),
        item: TermId,
        terms: &Terms,
    ) -> Arc<Unfinished> {
        let key = (node, terms.fingerprint(text), terms.fingerprint(item));
        shared(&self.unfinished, &key, || Unfinished::new(node, (text, missing), item, self, terms))
    }

    /// Where blanks lead from a node.
    pub(crate) fn blanks(&self, node: TrieNode, blanks: TermId, terms: &Terms) -> Arc<Blanks> {
        let build = || Blanks::new(node, blanks, self, terms);
        shared(&self.blanks, &(node, terms.fingerprint(blanks)), build)
    }

    /// The tokens of a value that begins behind some nodes, if they can be found.
    pub(crate) fn value(
        &self,
        starts: &Arc<Below>,
        value: Fingerprint,
        build: impl FnOnce() -> Option<ValueTokens>,
    ) -> Option<Arc<ValueTokens>> {
        shared_if(&self.values, &(Arc::as_ptr(starts).addr(), value), build)
    }

    /// The tokens inside of a term by what they leave to be written; `count` says that of a term.
    pub(crate) fn costs(
        &self,
        term: TermId,
        terms: &Terms,
        count: impl Fn(TermId) -> Option<u32>,
    ) -> Arc<Costs> {
        let build = || Costs::new(term, terms, &self.trie, self.len, count);
        shared(&self.costs, &terms.fingerprint(term), build)
    }

    /// What lies below the nodes that go by the same key, by key.
    pub(crate) fn belows<K: Copy + Ord>(&self, mut nodes: Vec<(K, TrieNode)>) -> Belows<K> {
        nodes.sort_unstable();
        let alike = nodes.chunk_by(|(one, _), (other, _)| one == other);
        alike
            .map(|alike| {
                (alike[0].0, self.below(alike.iter().map(|&(_, node)| node).collect::<Nodes>()))
            })
            .collect()
    }

    /// Whether so much is below a node that a table is worth while which many grammars may need.
    pub(crate) fn is_large_for_many(&self, node: TrieNode) -> bool {
        self.trie.below(node) > self.trie.len() / LARGE_FOR_MANY
    }

    /// Whether so much of the trie can be read in a term that it may be worth while to look for those
    /// that are alike.
    pub(crate) fn is_wide(&self, node: TrieNode, term: TermId, terms: &Terms) -> bool {
        self.is_large(node) && terms.first(term).len() >= WIDE
    }

    /// Whether much is below a node.
    pub(crate) fn is_large(&self, node: TrieNode) -> bool {
        self.is_much(self.trie.below(node))
    }

    /// Whether so many nodes are much of the trie.
    pub(crate) fn is_much(&self, nodes: usize) -> bool {
        nodes > (self.trie.len() / LARGE).max(FEW)
    }
}

/// Tables of one kind.
trait Kept {
    fn bytes(&self) -> usize;
    fn keep(&self);
}

impl<K: Eq + Hash, V: Clone + Footprint> Kept for Mutex<Generations<K, V>> {
    fn bytes(&self) -> usize {
        self.lock().unwrap_or_else(PoisonError::into_inner).bytes()
    }

    fn keep(&self) {
        self.lock().unwrap_or_else(PoisonError::into_inner).keep();
    }
}

/// The most digits in a row that a token of the vocabulary has.
fn most_digits(vocabulary: &Vocabulary) -> usize {
    let tokens = vocabulary.ordered().iter().filter_map(|&token| vocabulary.bytes(token));
    let runs = tokens.flat_map(|bytes| bytes.split(|byte| !byte.is_ascii_digit()));
    runs.map(<[u8]>::len).max().unwrap_or(0)
}

/// A shared table, built if it is not there. It is built outside the lock: two threads may build
/// the same table, and either is right.
fn shared<K: Clone + Eq + Hash, V: Footprint>(
    tables: &Mutex<Generations<K, Arc<V>>>,
    key: &K,
    build: impl FnOnce() -> V,
) -> Arc<V> {
    let table = shared_if(tables, key, || Some(build()));
    table.expect("it is built if it is not there")
}

/// The same for a table that may not be built.
fn shared_if<K: Clone + Eq + Hash, V: Footprint>(
    tables: &Mutex<Generations<K, Arc<V>>>,
    key: &K,
    build: impl FnOnce() -> Option<V>,
) -> Option<Arc<V>> {
    look_up(tables, key).or_else(|| Some(insert(tables, key.clone(), Arc::new(build()?))))
}

fn look_up<K: Eq + Hash, V: Footprint>(
    tables: &Mutex<Generations<K, Arc<V>>>,
    key: &K,
) -> Option<Arc<V>> {
    tables.lock().unwrap_or_else(PoisonError::into_inner).get(key)
}

fn insert<K: Eq + Hash, V: Footprint>(
    tables: &Mutex<Generations<K, Arc<V>>>,
    key: K,
    table: Arc<V>,
) -> Arc<V> {
    tables.lock().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&table));
    table
}
