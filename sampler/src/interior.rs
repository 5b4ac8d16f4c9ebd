//! Own tokens: what can be said of a terminal's state whatever comes behind the terminal.
//!
//! A token is *inside* if it can be read without leaving the terminal. Where a token leaves it,
//! the walk through the trie has to go on with what lies below; those places are few and are kept
//! in the table: inside a JSON string, 195,516 tokens of `o200k_base` stay inside, and 81 nodes
//! with children lead out.

use std::ops::RangeInclusive;
use std::sync::Arc;

use grammask_gbnf::{ByteSet, TermId, Terms};

use crate::below::{Below, Belows};
use crate::by_byte::Exits;
use crate::characters::{Characters, begins_character};
use crate::dfa::{DEAD, Dfa, END, Repeated};
use crate::generations::Footprint;
use crate::mask::TokenMask;
use crate::preorder::{Outline, Reach};
use crate::quotient::Quotient;
use crate::runs;
use crate::shapes::bytes_like;
use crate::similar::{Difference, similar};
use crate::tables::Tables;
use crate::token_id::TokenId;
use crate::token_set::{Found, TokenSet};
use crate::trie::{Path, TokenTrie, TrieNode};

/// The tokens of a term, and where tokens leave it.
#[derive(Debug)]
pub(crate) struct Interior {
    /// Tokens after which the term is not at its end, or need not be.
    pub(crate) inside: TokenSet,
    /// Nodes at which the term is at its end and cannot go on, and crossroads at which it may end.
    pub(crate) ends: Arc<Below>,
    /// Other nodes whose byte cannot be read inside, although the term may end before it.
    pub(crate) exits: Exits,
    /// Bytes that elsewhere can be read inside *or* behind the end of the term: where the
    /// following text may begin with one of them, the table does not tell all.
    pub(crate) ambiguous: ByteSet,
}

impl Interior {
    /// Walks the trie below a node through one term, as plainly as can be.
    #[cfg(test)]
    pub(crate) fn new(start: TrieNode, term: TermId, tables: &Tables, terms: &Terms) -> Self {
        Self::with_states(start, term, tables, terms).0
    }

    /// Walks the trie below a node through one term; with the states of it that were met.
    pub(crate) fn with_states(
        start: TrieNode,
        term: TermId,
        tables: &Tables,
        terms: &Terms,
    ) -> (Self, Vec<TermId>) {
        let mut walk = Walk::new(start, (tables, terms));
        walk.through(vec![(vec![start], term)]);
        let states = walk.dfa.states().chain(walk.followed.iter().copied()).collect();
        (walk.into_table(), states)
    }

    /// The table of a text that ends with a byte, and nowhere else.
    pub(crate) fn of_text(inside: TokenSet, ends: Vec<TrieNode>, tables: &Tables) -> Self {
        let (exits, ambiguous) = (Exits::default(), ByteSet::default());
        Self { inside, ends: tables.below(ends), exits, ambiguous }
    }

    /// The table of a term that begins with some bytes of one set, one by one told apart from others; nothing if
    /// it does not.
    pub(crate) fn of_run(
        start: TrieNode,
        term: TermId,
        tables: &Tables,
        terms: &Terms,
    ) -> Option<Self> {
        if !tables.is_large(start) {
            return None;
        }
        let (set, bytes) = terms.run(term).filter(|(set, _)| runs::tells_apart(set))?;
        let run = tables.run(start, set);
        let mut walk = Walk::new(start, (tables, terms));
        run.tokens_before(bytes).for_each(|tokens| walk.inside.add_list(tokens));
        if let nodes @ [first, ..] = run.nodes_behind(bytes) {
            // Whichever of the bytes they are, the same is left.
            let path = tables.trie.between(start, *first);
            let rest = path.iter().fold(term, |term, &byte| terms.next(term, byte));
            let mut pending = Vec::new();
            walk.reach(nodes.to_vec(), rest, &mut pending);
            walk.through(pending);
        }
        Some(walk.into_table())
    }

    /// The table of a term that begins with blanks, from what they lead to; nothing if it does not, or if what
    /// follows may begin like them.
    pub(crate) fn of_blanks(
        start: TrieNode,
        term: TermId,
        tables: &Tables,
        terms: &Terms,
    ) -> Option<Self> {
        let (blanks, rest) = terms.behind_blanks(term)?;
        let blanks = tables.blanks(start, blanks, terms);
        if blanks.first.intersects(&terms.first(rest)) {
            return None;
        }
        let mut walk = Walk::new(start, (tables, terms));
        walk.inside.add_list(&blanks.tokens);
        walk.through(vec![(blanks.behind.to_vec(), rest)]);
        Some(walk.into_table())
    }

    /// The table of a term from that of `free`, the same without bounds on lengths: tokens of at most
    /// `short` bytes do not reach the bounds, the others are walked through. Nothing if these go on in many places.
    pub(crate) fn of_bounded(
        (free, short): (TermId, usize),
        start: TrieNode,
        term: TermId,
        tables: &Tables,
        terms: &Terms,
    ) -> Option<Self> {
        let trie = &tables.trie;
        // That nothing goes on behind a text is told apart only by a text that is longer.
        let short = short - 1;
        let long = trie.at_depth(start, short).filter(|long| long.len() <= FEW_LONG)?;
        let table = tables.interior(start, free, terms);
        let mut inside = table.inside.to_mask(tables.len);
        let is_short = |node: TrieNode| trie.bytes_between(start, node) <= short;
        let mut pending: Vec<(Vec<TrieNode>, TermId)> = Vec::new();
        for &node in long {
            let path = trie.between(start, node);
            let lives = path.iter().try_fold(free, |term, &byte| {
                Some(terms.next(term, byte)).filter(|&next| next != TermId::NOTHING)
            });
            // Bounds allow less: what cannot be read without them, as most of the longest tokens cannot,
            // is in neither table.
            if lives.is_none() {
                continue;
            }
            trie.tokens_below(node).iter().for_each(|&token| inside.remove(token));
            let after = terms.reading(term, &path).after;
            // Most of them are one character over and over, from which nothing branches off.
            let chain: Vec<TrieNode> = trie.chain(node).collect();
            let text: Path = chain.iter().map(|&node| trie.byte(node)).collect();
            let along = chain.last().map(|&bottom| (bottom, terms.reading(after, &text)));
            let (bottom, after) = match along {
                Some((bottom, along)) if along.after != TermId::NOTHING && !along.may_end() => {
                    inside.extend(chain.iter().flat_map(|&node| trie.tokens_at(node)));
                    (bottom, along.after)
                }
                _ => (node, after),
            };
            match pending.last_mut() {
                _ if matches!(after, TermId::EMPTY | TermId::NOTHING) => {}
                _ if !trie.has_children(bottom) => {}
                Some((nodes, term)) if *term == after => nodes.push(bottom),
                _ => pending.push((vec![bottom], after)),
            }
        }
        let mut walk = Walk::new(start, (tables, terms));
        walk.go_on_from(&table, inside, is_short);
        walk.through(pending);
        Some(walk.into_table())
    }

    /// The table of a term from that of another one, like which it goes on after most bytes; nothing
    /// if there is none.
    pub(crate) fn of_similar(
        start: TrieNode,
        term: TermId,
        tables: &Tables,
        terms: &Terms,
    ) -> Option<Self> {
        // One with bounds would be made from that of another term again.
        let other =
            similar(term, terms).filter(|&other| !tables.has_bounds(start, other, terms))?;
        let walk = Walk::new(start, (tables, terms));
        walk.through_difference((term, other), || tables.interior(start, other, terms))
    }

    /// The table of a term from what terms have in common inside of which the same texts stay;
    /// nothing if the term is not wide, or has too many states for that.
    pub(crate) fn of_alike(
        start: TrieNode,
        term: TermId,
        tables: &Tables,
        terms: &Terms,
    ) -> Option<Self> {
        if !tables.is_wide(start, term, terms) {
            return None;
        }
        let (quotient, within) = Quotient::new(term, terms)?;
        let alike = tables.alike(start, quotient, within.has_more_states)?;
        let ends = alike.ends((start, &within), tables, terms)?;
        let is_last = |(term, _): &(TermId, _)| *term == TermId::EMPTY;
        if ends.iter().all(is_last) {
            let ends: Vec<_> = ends.into_iter().flat_map(|(_, nodes)| nodes).collect();
            return Some(Self {
                inside: alike.inside.clone(),
                ends: tables.below(ends),
                exits: Exits::default(),
                ambiguous: ByteSet::default(),
            });
        }
        let mut walk = Walk::new(start, (tables, terms));
        walk.inside = Found::from(alike.inside.to_mask(tables.len));
        let mut pending = Vec::new();
        for (term, nodes) in ends {
            walk.reach(nodes, term, &mut pending);
        }
        walk.through(pending);
        Some(walk.into_table())
    }
}

/// A walk through the trie and terms: a table while it is made.
struct Walk<'a> {
    start: TrieNode,
    tables: &'a Tables,
    terms: &'a Terms,
    dfa: Dfa<Repeated<'a>>,
    /// Terms that were followed without their numbers.
    followed: Vec<TermId>,
    inside: Found,
    /// See [`Interior::ends`].
    ends: Vec<TrieNode>,
    exits: Vec<(u8, TrieNode)>,
    ambiguous: ByteSet,
}

impl<'a> Walk<'a> {
    fn new(start: TrieNode, (tables, terms): (&'a Tables, &'a Terms)) -> Self {
        Self {
            start,
            tables,
            terms,
            dfa: Dfa::of_terms(TermId::NOTHING, terms),
            followed: Vec::new(),
            inside: Found::new(tables.len),
            ends: Vec::new(),
            exits: Vec::new(),
            ambiguous: ByteSet::default(),
        }
    }

    /// Goes on from a table: with the tokens that are inside and, as far as nodes are meant, with
    /// where the term is left.
    fn go_on_from(
        &mut self,
        table: &Interior,
        inside: TokenMask,
        is_meant: impl Fn(TrieNode) -> bool,
    ) {
        self.inside = Found::from(inside);
        self.ends.extend(table.ends.nodes.iter().filter(|&&node| is_meant(node)));
        for (byte, nodes) in table.exits.iter() {
            let nodes = nodes.iter().filter(|&&node| is_meant(node));
            self.exits.extend(nodes.map(|&node| (byte, node)));
        }
        self.ambiguous = table.ambiguous;
    }

    /// The table of a term from that of another one, where the two differ in few places.
    fn through_difference(
        mut self,
        both: (TermId, TermId),
        other: impl FnOnce() -> Arc<Interior>,
    ) -> Option<Interior> {
        let (start, trie) = (self.start, &self.tables.trie);
        let crossroads = &self.tables.crossroads;
        let difference = Difference::find(start, both, (trie, crossroads), self.terms)?;
        self.tables.count_visited(difference.visited);
        let other = other();
        let mut inside = other.inside.to_mask(self.tables.len);
        difference.tokens(trie).for_each(|token| inside.remove(token));
        inside.extend(difference.inside.iter().copied());
        self.go_on_from(&other, inside, |node| difference.keeps(node, trie));
        self.ends.extend(difference.ends);
        self.exits.extend(difference.exits);
        self.ambiguous.union_with(&difference.ambiguous);
        let pending = difference.pending.into_iter().map(|(node, term)| (vec![node], term));
        self.through(pending.collect());
        Some(self.into_table())
    }

    /// Reaches some nodes, where `next` is left of the term: if the walk goes on there, their tokens are inside.
    fn reach(
        &mut self,
        nodes: Vec<TrieNode>,
        next: TermId,
        pending: &mut Vec<(Vec<TrieNode>, TermId)>,
    ) {
        if next == TermId::EMPTY {
            return self.ends.extend(nodes);
        }
        let trie = &self.tables.trie;
        self.inside.extend(nodes.iter().flat_map(|&node| trie.tokens_at(node)));
        pending.push((nodes, next));
    }

    /// Goes on from some nodes each, with what is left of a term there.
    fn through(&mut self, mut pending: Vec<(Vec<TrieNode>, TermId)>) {
        let (start, tables, terms) = (self.start, self.tables, self.terms);
        let (crossroads, trie) = (&tables.crossroads, &tables.trie);
        while let Some((tops, term)) = pending.pop() {
            // That the term may end at the start has been followed up already.
            let has_read = tops != [start];
            let may_end = has_read && terms.nullable(term);
            if !may_end && let Some(bytes) = self.few_bytes(&tops, term) {
                self.followed.push(term);
                for byte in bytes.iter() {
                    let nodes = tops.iter().filter_map(|&top| trie.child(top, byte));
                    let nodes: Vec<TrieNode> = nodes.collect();
                    let next = terms.next(term, byte);
                    if !nodes.is_empty() && next != TermId::NOTHING {
                        self.reach(nodes, next, &mut pending);
                    }
                }
                continue;
            }
            let Self { dfa, inside, ends, exits, ambiguous, .. } = &mut *self;
            let state = dfa.number(term);
            let is_crossroads = |top: &TrieNode| may_end && crossroads.contains(top);
            ends.extend(tops.iter().filter(|top| is_crossroads(top)));
            let mut step = Step { tables, terms, dfa, ends, exits, ambiguous };
            for top in tops {
                let at = (state, has_read && !is_crossroads(&top));
                tables.scan(top, at, inside, |nodes, at, byte, below| {
                    step.take(nodes, at, byte, below)
                });
            }
        }
    }

    /// The bytes with which the walk can go on, if they are few: that of an only child, for which a term need not be
    /// asked for all of its transitions, or those with which the term goes on.
    fn few_bytes(&self, tops: &[TrieNode], term: TermId) -> Option<ByteSet> {
        if let &[top] = tops
            && let Some(byte) = self.tables.trie.only_byte(top)
        {
            let mut bytes = ByteSet::default();
            bytes.insert(byte);
            return Some(bytes);
        }
        Some(self.terms.first(term)).filter(|first| first.len() <= FEW_BYTES)
    }

    fn into_table(self) -> Interior {
        Interior {
            inside: self.inside.into_set(),
            ends: self.tables.below(self.ends),
            exits: Exits::new(&self.exits),
            ambiguous: self.ambiguous,
        }
    }
}

/// The state of a term at a node, and whether a byte has been read before.
type At = (u32, bool);

/// A step of a [`Walk`] at a node.
struct Step<'w, 'a> {
    tables: &'a Tables,
    terms: &'a Terms,
    dfa: &'w mut Dfa<Repeated<'a>>,
    ends: &'w mut Vec<TrieNode>,
    exits: &'w mut Vec<(u8, TrieNode)>,
    ambiguous: &'w mut ByteSet,
}

impl Step<'_, '_> {
    /// The step to some nodes of one shape; nothing if the term tells them apart.
    #[inline]
    fn take(
        &mut self,
        nodes: &[TrieNode],
        (state, has_read): At,
        byte: u8,
        below: Option<&Outline>,
    ) -> Option<Reach<At>> {
        let next = self.dfa.next_of(state, nodes, byte)?;
        let trie = &self.tables.trie;
        let may_end = has_read && self.dfa.nullable(state);
        let by_byte = || nodes.iter().map(|&node| (trie.byte(node), node));
        if next == DEAD {
            if may_end {
                self.exits.extend(by_byte());
            }
            return Some(Reach::Out);
        }
        if may_end {
            add_bytes(self.ambiguous, nodes, byte, trie);
        }
        if *self.dfa.state(next) == TermId::EMPTY {
            self.ends.extend_from_slice(nodes);
            return Some(Reach::Out);
        }
        let Some(below) = below else { return Some(Reach::Into((next, true))) };
        if self.dfa.loops(next, below.kinds) {
            if self.dfa.nullable(next) {
                self.ambiguous.union_with(&self.terms.first(*self.dfa.state(next)));
            }
            return Some(Reach::All);
        }
        if self.dfa.runs_through(next, below) {
            return Some(Reach::All);
        }
        // Crossroads have shapes of their own.
        let crossroads = &self.tables.crossroads;
        let is_end =
            self.dfa.nullable(next) && matches!(nodes, [node] if crossroads.contains(node));
        if is_end {
            self.ends.extend_from_slice(nodes);
        }
        Some(Reach::Into((next, !is_end)))
    }
}

/// Adds the bytes of some nodes of one shape, the one that is given or others of its class.
fn add_bytes(bytes: &mut ByteSet, nodes: &[TrieNode], byte: u8, trie: &TokenTrie) {
    // Soon all of a class are known, and need not be looked at node by node.
    let (lo, hi) = bytes_like(byte);
    if !(lo..=hi).all(|byte| bytes.contains(byte)) {
        for &node in nodes {
            bytes.insert(trie.byte(node));
        }
    }
}

/// In so few places long tokens go on if they are looked at for themselves.
const FEW_LONG: usize = 256;

/// A term that goes on with so few bytes is followed byte by byte: a scan would look at all children.
const FEW_BYTES: usize = 8;

/// The tokens of a counted loop, with the number of iterations that each begins: one table for
/// all counts.
#[derive(Debug)]
pub(crate) struct Iterations {
    /// Tokens that do not leave the loop.
    pub(crate) inside: TokenSet,
    /// How many characters begin above the node.
    above: u32,
    /// Those of them that begin fewer iterations than characters, as in the loop of a JSON string
    /// tokens with escapes do: with the number of iterations, ascending.
    longer: Box<[(u32, TokenId)]>,
    /// Crossroads at which an iteration ends, by the iterations begun until then.
    pub(crate) ends: Belows<u32>,
    /// Other nodes whose byte is no part of the loop although an iteration ends before it, with the
    /// iterations begun until then; by byte.
    pub(crate) exits: Belows<(u8, u32)>,
    /// Bytes with which an iteration can begin somewhere: see [`Interior::ambiguous`].
    pub(crate) ambiguous: ByteSet,
}

impl Iterations {
    /// Walks the trie below a node through `rest`, then any number of `item`, of which no match is
    /// empty or a proper prefix of another. An iteration begins where a character does.
    pub(crate) fn new(
        start: TrieNode,
        rest: TermId,
        item: TermId,
        tables: &Tables,
        terms: &Terms,
    ) -> Self {
        let trie = &tables.trie;
        let mut dfa = Dfa::of_terms(item, terms);
        let mut inside = Found::new(tables.len);
        let mut longer = Vec::new();
        let mut ends = Vec::new();
        let mut exits = Vec::new();
        let mut ambiguous = ByteSet::default();
        let first =
            IterationsAt { state: dfa.number(rest), begun: 0, characters: 0, has_read: false };
        tables.scan(start, first, &mut inside, |nodes, at: IterationsAt, byte, below| {
            let between = at.state == END;
            let state = dfa.next_of(at.state, nodes, byte)?;
            // That the loop may end at the start has been followed up already.
            let may_end = between && at.has_read;
            if state == DEAD {
                if may_end {
                    exits.extend(nodes.iter().map(|&node| ((trie.byte(node), at.begun), node)));
                }
                return Some(Reach::Out);
            }
            if may_end {
                add_bytes(&mut ambiguous, nodes, byte, trie);
            }
            let begun = at.begun + u32::from(between);
            let characters = at.characters + u32::from(begins_character(byte));
            let is_longer = begun < characters;
            if is_longer {
                let tokens = nodes.iter().flat_map(|&node| trie.tokens_at(node));
                longer.extend(tokens.map(|token| (begun, token)));
            } else if state == END && below.is_some_and(|below| dfa.loops(state, below.kinds)) {
                ambiguous.union_with(&terms.first(item));
                return Some(Reach::All);
            }
            // Crossroads have shapes of their own.
            let is_end =
                state == END && matches!(nodes, [node] if tables.crossroads.contains(node));
            if is_end {
                ends.extend(nodes.iter().map(|&node| (begun, node)));
            }
            Some(Reach::Into(IterationsAt { state, begun, characters, has_read: !is_end }))
        });
        longer.sort_unstable();
        let above = trie.path(start).into_iter().filter(|&byte| begins_character(byte)).count();
        let (ends, exits) = (tables.belows(ends), tables.belows(exits));
        let inside = inside.into_set();
        Self { inside, above: above as u32, longer: longer.into(), ends, exits, ambiguous }
    }

    /// The crossroads at which as many iterations have begun as `begun` allows.
    pub(crate) fn ends(&self, begun: RangeInclusive<u32>) -> impl Iterator<Item = &Arc<Below>> {
        self.ends.iter().filter(move |(some, _)| begun.contains(some)).map(|(_, nodes)| nodes)
    }

    /// The same for the other nodes where the loop is left, with their byte.
    pub(crate) fn exits(
        &self,
        begun: RangeInclusive<u32>,
    ) -> impl Iterator<Item = (u8, &Arc<Below>)> {
        let exits = self.exits.iter().filter(move |((_, some), _)| begun.contains(some));
        exits.map(|((byte, _), nodes)| (*byte, nodes))
    }

    /// Tokens that leave the loop begin no more iterations before.
    pub(crate) fn last_left(&self) -> u32 {
        let ends = self.ends.last().map_or(0, |&(begun, _)| begun);
        let exits = self.exits.iter().map(|&((_, begun), _)| begun);
        exits.fold(ends, u32::max)
    }

    /// Those of the tokens inside that begin more than `max` iterations, sorted; of all that have as many
    /// characters: see [`Characters::longer`].
    pub(crate) fn beyond(&self, max: u32, longer: &[TokenId]) -> Vec<TokenId> {
        let fewer = &self.longer[..self.longer.partition_point(|&(begun, _)| begun <= max)];
        let is_beyond = |token: &TokenId| {
            self.inside.contains(*token) && !fewer.iter().any(|(_, other)| other == token)
        };
        let mut beyond: Vec<TokenId> = longer.iter().copied().filter(is_beyond).collect();
        beyond.sort_unstable();
        beyond
    }

    /// The tokens that begin at most `max` iterations; nothing if those are all inside.
    pub(crate) fn at_most(&self, max: u32, characters: &Characters) -> Option<TokenSet> {
        let most = max.saturating_add(self.above);
        if characters.longer(most).is_empty() {
            return None;
        }
        let fewer = self.longer.partition_point(|&(begun, _)| begun <= max);
        let fewer = self.longer[..fewer].iter().map(|&(_, token)| token);
        Some(match &self.inside {
            TokenSet::Few(tokens) => {
                TokenSet::Few(characters.at_most(most, tokens).chain(fewer).collect())
            }
            TokenSet::Many(mask) => {
                let mut mask = TokenMask::clone(mask);
                characters.take_out_longer(most, &mut mask);
                mask.extend(fewer);
                TokenSet::Many(Arc::new(mask))
            }
        })
    }
}

/// Where a walk through iterations is.
#[derive(Clone, Copy)]
struct IterationsAt {
    state: u32,
    /// How many iterations have begun below the start,
    begun: u32,
    /// and how many characters.
    characters: u32,
    has_read: bool,
}

impl Footprint for Interior {
    fn bytes(&self) -> usize {
        self.inside.bytes() + self.exits.bytes()
    }
}

impl Footprint for Iterations {
    fn bytes(&self) -> usize {
        self.inside.bytes()
            + size_of_val(&*self.longer)
            + size_of_val(&*self.ends)
            + size_of_val(&*self.exits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_tables::parts;
    use crate::trie::TokenTrie;
    use crate::vocabulary::Vocabulary;
    use grammask_gbnf::{Automaton, Label, parse};

    /// Bounds that only the longest tokens reach, which are blanks, dashes, signs of equality and such.
    const BOUNDED: [&str; 5] = [
        r"@all([ -~]*; [^a-z]{3,70})",
        r#"@all([ =]+ ("-" [ =]+)*; ([ -Z] | "\\" [a-z]){0,60}) "\""?"#,
        r#"@all([a-z=]+ ("-" [a-z=]+)*; [ -~]{0,64}) "\"""#,
        r#"@all([ =]+ ("--" [ =]+)? | "-"+; [ -~]{0,45})"#,
        r#"@all([^"]*; [ -~]{20,50}; !("=" [ -~]*)) ("=" | "\"")"#,
    ];

    #[test]
    fn tables_of_bounded_terms_are_those_of_the_terms() {
        let vocabulary = Vocabulary::from_name("r50k_base").expect("a built-in vocabulary");
        let tables = Tables::new(&vocabulary);
        for body in BOUNDED {
            let grammar = parse(&format!("root ::= {body}")).expect("a grammar");
            let automaton = Automaton::compile(&grammar, "root").expect("it compiles");
            let terms = automaton.terms();
            let start = automaton.session().start();
            let Label::Term(start) = start.entries()[0].label else {
                panic!("{body} is a terminal")
            };
            let (mut compared, mut inside) = (0, 0);
            for text in ["", "=", "= ", "==-", "-", "--", "= = = = = = = = = = = = = = = = "] {
                let term = text.bytes().fold(start, |term, byte| terms.next(term, byte));
                let (free, bytes) = terms.without_bounds(term, tables.trie.short().into());
                if free == term {
                    continue;
                }
                let table =
                    Interior::of_bounded((free, bytes), TokenTrie::ROOT, term, &tables, terms)
                        .expect("few go on where tokens are long");
                let plain = Interior::new(TokenTrie::ROOT, term, &tables, terms);
                let [of_table, of_plain] = [&table, &plain].map(|it| parts(it, tables.len));
                assert!(of_table == of_plain, "{body} after {text:?}");
                let stays = |bytes: &[u8]| {
                    let mut bytes = bytes.iter();
                    let left = bytes.try_fold(term, |term, &byte| {
                        let next = terms.next(term, byte);
                        (!matches!(next, TermId::NOTHING | TermId::EMPTY)).then_some(next)
                    });
                    left.is_some()
                };
                let by_bytes = vocabulary.ordered().iter().copied();
                let by_bytes = by_bytes.filter(|&id| vocabulary.bytes(id).is_some_and(stays));
                let mut expected = TokenMask::new(tables.len);
                expected.extend(by_bytes);
                assert_eq!(table.inside.to_mask(tables.len), expected, "{body} after {text:?}");
                assert!(plain.ambiguous.iter().all(|byte| table.ambiguous.contains(byte)));
                compared += 1;
                inside += of_plain.0.len();
            }
            assert!(compared > 1 && inside > 0, "{body}: {compared} tables");
        }
    }
}
