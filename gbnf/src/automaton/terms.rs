//! Terminals as hash-consed regular expressions over bytes.
//!
//! A terminal's state *is* a term: reading a byte leads to the term's derivative (Brzozowski,
//! "Derivatives of Regular Expressions", 1964), which is computed when it is first needed and
//! kept. Equal languages that are built alike are one term of a [`Terms`], and have the same
//! [`Fingerprint`] in all of them.

mod absorb;
mod after;
mod blank;
mod byte_set;
mod conjunction;
mod derivative;
mod determinism;
mod fingerprint;
mod frozen;
mod length;
mod plenty;
mod relaxed;
mod rounds;
mod row;
mod slack;
mod system;
mod text;
mod unanchored;
mod witness;

use std::ops::RangeInclusive;
use std::sync::atomic::AtomicU8;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use hashbrown::HashTable;
use regex_syntax::utf8::{Utf8Sequence, Utf8Sequences};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;

use crate::automaton::bodies::KnownBodies;
pub use after::Reading;
pub use byte_set::ByteSet;
pub(crate) use conjunction::SearchTooLong;
use conjunction::Searched;
pub(crate) use determinism::Determinism;
pub use fingerprint::Fingerprint;
use frozen::Frozen;
pub use frozen::FrozenTerms;
pub use length::{Length, Missing, Pattern};
use length::{LengthsKnown, MissingKnown};
pub(crate) use plenty::{COUNTED_STATES, ENDLESS, PLENTY, are_at_least};
pub use rounds::Rounds;
use rounds::RoundsKnown;
use row::{Row, join, side_by_side};
pub use slack::Longest;
use slack::{BoundsLeftOut, TextsProlonged};
use system::Systems;

/// A term of a [`Terms`] store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermId(u32);

impl TermId {
    /// The term that matches nothing.
    pub const NOTHING: Self = Self(0);
    /// The term that matches exactly the empty text.
    pub const EMPTY: Self = Self(1);

    fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Term {
    Nothing,
    Empty,
    Bytes(ByteSet),
    /// Right-nested: the first part is never itself a concatenation.
    Concat(TermId, TermId),
    /// Sorted, at least two, no alternation inside, at most one byte set.
    Alt(Box<[TermId]>),
    /// The item is not nullable if `min > 0`; the maximum is at least 1.
    Repeat {
        item: TermId,
        min: u32,
        max: Option<u32>,
    },
    /// A rule of a system: what its body is.
    Rule {
        system: u32,
        index: u32,
    },
    /// Within the bodies of a system, the rule of that index.
    Hole(u32),
    /// What all of the first match and none of the others: each sorted, no conjunction among the
    /// first, which are at least one.
    All {
        all: Box<[TermId]>,
        none: Box<[TermId]>,
    },
}

#[derive(Debug)]
struct Entry {
    term: Term,
    nullable: bool,
    /// Whether there is a hole in it.
    open: bool,
    /// See [`Terms::levels_of_bounds`].
    levels_of_bounds: u8,
    /// No match has fewer bytes.
    shortest: u32,
    fingerprint: Fingerprint,
    /// How often it has been followed, see [`Terms::is_seldom_followed`].
    followed: AtomicU8,
    further: OnceLock<Box<Further>>,
}

/// What few terms are asked for.
#[derive(Debug, Default)]
struct Further {
    row: OnceLock<Row>,
    /// See [`Terms::is_blank`].
    blank: OnceLock<bool>,
    plenty: OnceLock<bool>,
    /// See [`Terms::stays_plenty`].
    stays_plenty: OnceLock<bool>,
    prefix_free: OnceLock<bool>,
    deterministic: OnceLock<bool>,
    /// Of a conjunction, whether it matches anything.
    has_text: OnceLock<Result<bool, SearchTooLong>>,
    /// See [`Terms::without_bounds`].
    way_out: OnceLock<Option<u32>>,
    way_out_by_states: OnceLock<Option<u32>>,
}

/// Inclusive ranges of code points.
type CharRanges = Box<[(char, char)]>;

/// The terms of an automaton.
///
/// Append-only and usable from many threads; reading a known transition takes no lock.
///
/// ```
/// use grammask_gbnf::{TermId, Terms};
/// let terms = Terms::default();
/// let ab = terms.text(b"ab");
/// assert_eq!(terms.next(terms.next(ab, b'a'), b'b'), TermId::EMPTY);
/// assert_eq!(terms.next(ab, b'b'), TermId::NOTHING);
/// ```
#[derive(Debug)]
pub struct Terms {
    frozen: Option<Frozen>,
    /// The others.
    entries: boxcar::Vec<Entry>,
    /// Each term with its hash: to look it up again would cost more than the table that grows.
    index: Mutex<HashTable<(u64, TermId)>>,
    /// The terms of single bytes.
    singles: [OnceLock<TermId>; 256],
    /// The terms of classes that are not just ASCII.
    classes: Mutex<FxHashMap<CharRanges, TermId>>,
    /// The terms of literals, and of choices of them.
    literals: Mutex<FxHashMap<Fingerprint, TermId>>,
    systems: Systems,
    searched: Mutex<Searched>,
    relaxed: Mutex<FxHashMap<TermId, TermId>>,
    without_bounds: Mutex<BoundsLeftOut>,
    rounds: Mutex<RoundsKnown>,
    lengths: Mutex<LengthsKnown>,
    missing: Mutex<MissingKnown>,
    prolonged: Mutex<TextsProlonged>,
    within: Mutex<absorb::ClassesWithin>,
    /// What bodies of rules are as terms.
    pub(crate) bodies: KnownBodies,
}

impl Default for Terms {
    fn default() -> Self {
        let terms = Self::new(None);
        let nothing = terms.intern(Term::Nothing);
        let empty = terms.intern(Term::Empty);
        debug_assert_eq!((nothing, empty), (TermId::NOTHING, TermId::EMPTY));
        terms
    }
}

/// Room for so many terms is made at once: most grammars have fewer.
const FIRST_TERMS: usize = 512;

/// A term with more states counts as one of which a match may be a prefix of another.
const PREFIX_STATES: usize = 1_000;

impl Terms {
    fn new(frozen: Option<Frozen>) -> Self {
        Self {
            frozen,
            entries: boxcar::Vec::new(),
            index: Mutex::new(HashTable::with_capacity(FIRST_TERMS)),
            singles: std::array::from_fn(|_| OnceLock::new()),
            classes: Mutex::default(),
            literals: Mutex::default(),
            systems: Systems::default(),
            searched: Mutex::default(),
            relaxed: Mutex::default(),
            without_bounds: Mutex::default(),
            rounds: Mutex::default(),
            lengths: Mutex::default(),
            missing: Mutex::default(),
            prolonged: Mutex::default(),
            within: Mutex::default(),
            bodies: KnownBodies::default(),
        }
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.frozen_len() + self.entries.count()
    }

    /// How much there is, a measure of memory and of work: the terms, and the conjunctions that have been
    /// passed by in search of a text of another.
    pub fn size(&self) -> usize {
        self.len() + locked(&self.searched).len()
    }

    /// Never: there are always the two constant terms.
    pub fn is_empty(&self) -> bool {
        false
    }

    fn intern(&self, term: Term) -> TermId {
        let hash = FxBuildHasher.hash_one(&term);
        let mut index = self.index();
        self.known(&index, hash, &term).unwrap_or_else(|| self.add(&mut index, hash, term))
    }

    fn index(&self) -> MutexGuard<'_, HashTable<(u64, TermId)>> {
        locked(&self.index)
    }

    fn find(&self, index: &HashTable<(u64, TermId)>, hash: u64, term: &Term) -> Option<TermId> {
        let is_it = |&(other, id): &(u64, TermId)| other == hash && self.entry(id).term == *term;
        index.find(hash, is_it).map(|&(_, id)| id)
    }

    /// The same among all terms.
    fn known(&self, index: &HashTable<(u64, TermId)>, hash: u64, term: &Term) -> Option<TermId> {
        self.find_frozen(hash, term).or_else(|| self.find(index, hash, term))
    }

    /// Adds a term that is not there yet.
    fn add(&self, index: &mut HashTable<(u64, TermId)>, hash: u64, term: Term) -> TermId {
        let entry = |term: &TermId| self.entry(*term);
        let (nullable, shortest) = match &term {
            Term::Nothing | Term::Hole(_) => (false, 0),
            Term::Empty => (true, 0),
            Term::Bytes(_) => (false, 1),
            Term::Concat(a, b) => {
                let (a, b) = (entry(a), entry(b));
                (a.nullable && b.nullable, a.shortest.saturating_add(b.shortest))
            }
            Term::Alt(items) => {
                items.iter().map(entry).fold((false, u32::MAX), |(nullable, least), it| {
                    (nullable || it.nullable, least.min(it.shortest))
                })
            }
            Term::Repeat { item, min, .. } => {
                (*min == 0, entry(item).shortest.saturating_mul(*min))
            }
            Term::Rule { system, index } => (self.system_of(*system).is_nullable(*index), 0),
            Term::All { all, none } => {
                let shortest = all.iter().map(|term| entry(term).shortest).max().unwrap_or(0);
                let nullable = |term: &TermId| entry(term).nullable;
                (all.iter().all(nullable) && !none.iter().any(nullable), shortest)
            }
        };
        let parts: &[TermId] = match &term {
            Term::Nothing | Term::Empty | Term::Bytes(_) | Term::Rule { .. } | Term::Hole(_) => &[],
            Term::Concat(a, b) => &[*a, *b],
            Term::Alt(parts) | Term::All { all: parts, .. } => parts,
            Term::Repeat { item, .. } => &[*item],
        };
        let at = self.entries.push(Entry {
            fingerprint: self.fingerprint_of(&term),
            nullable,
            open: match term {
                Term::Hole(_) => true,
                // What several match at once is made of rules that are closed.
                Term::All { .. } => false,
                _ => parts.iter().any(|part| entry(part).open),
            },
            levels_of_bounds: self.levels_of_bounds(&term, parts),
            term,
            shortest,
            followed: AtomicU8::new(0),
            further: OnceLock::new(),
        });
        let id = TermId((self.frozen_len() + at) as u32);
        index.insert_unique(hash, (hash, id), |&(hash, _)| hash);
        id
    }

    fn further(&self, term: TermId) -> &Further {
        self.entry(term).further.get_or_init(Box::default)
    }

    /// Whether the term matches the empty text.
    pub fn nullable(&self, term: TermId) -> bool {
        self.entry(term).nullable
    }

    /// A number of bytes that no match falls short of. The shortest one may have more, as what has to be
    /// matched at once is not compared.
    pub fn shortest(&self, term: TermId) -> u32 {
        self.entry(term).shortest
    }

    /// How many alternatives the term consists of.
    pub(crate) fn alternatives(&self, term: TermId) -> usize {
        match &self.entry(term).term {
            Term::Alt(items) => items.len(),
            _ => 1,
        }
    }

    /// One byte of a set.
    pub fn bytes(&self, set: ByteSet) -> TermId {
        if set.is_empty() { TermId::NOTHING } else { self.intern(Term::Bytes(set)) }
    }

    /// One byte.
    fn byte(&self, byte: u8) -> TermId {
        let single = |terms: &Self| terms.singles[usize::from(byte)].get().copied();
        if let Some(single) = self.frozen().and_then(single) {
            return single;
        }
        *self.singles[usize::from(byte)].get_or_init(|| {
            let mut set = ByteSet::default();
            set.insert(byte);
            self.bytes(set)
        })
    }

    /// One code point of the given sorted, disjoint ranges, in UTF-8 (surrogates excluded).
    pub fn class(&self, ranges: &[(char, char)]) -> TermId {
        if ranges.last().is_some_and(|&(_, hi)| hi.is_ascii()) {
            let mut set = ByteSet::default();
            for &(lo, hi) in ranges {
                set.insert_range(lo as u8, hi as u8);
            }
            return self.bytes(set);
        }
        if let Some(term) = self.known_of(|terms| locked(&terms.classes).get(ranges).copied()) {
            return term;
        }
        let sequences: Vec<_> =
            ranges.iter().flat_map(|&(lo, hi)| Utf8Sequences::new(lo, hi)).collect();
        let term = self.encodings(&sequences, 0);
        locked(&self.classes).insert(ranges.into(), term);
        term
    }

    /// What the sequences have from `depth` on. Their ranges at one depth are equal or disjoint.
    fn encodings(&self, sequences: &[Utf8Sequence], depth: usize) -> TermId {
        let range = |sequence: &Utf8Sequence| sequence.as_slice().get(depth).copied();
        let groups = sequences.chunk_by(|a, b| range(a) == range(b));
        self.alt(groups.map(|group| match range(&group[0]) {
            Some(range) => {
                let mut set = ByteSet::default();
                set.insert_range(range.start, range.end);
                self.concat(self.bytes(set), self.encodings(group, depth + 1))
            }
            None => TermId::EMPTY,
        }))
    }

    /// `first` followed by `second`.
    pub fn concat(&self, first: TermId, second: TermId) -> TermId {
        match (first, second) {
            (TermId::NOTHING, _) | (_, TermId::NOTHING) => TermId::NOTHING,
            (TermId::EMPTY, other) | (other, TermId::EMPTY) => other,
            _ => {
                // Right-nested: pull the parts of the first side off, last one first.
                let mut parts = Vec::new();
                let mut head = first;
                while let Term::Concat(a, b) = self.entry(head).term {
                    parts.push(a);
                    head = b;
                }
                let mut result = self.intern(Term::Concat(head, second));
                for part in parts.into_iter().rev() {
                    result = self.intern(Term::Concat(part, result));
                }
                result
            }
        }
    }

    /// One of them.
    pub fn alt(&self, terms: impl IntoIterator<Item = TermId>) -> TermId {
        let mut items: Vec<TermId> = Vec::new();
        let mut bytes = ByteSet::default();
        for id in terms {
            match &self.entry(id).term {
                Term::Nothing => {}
                Term::Bytes(set) => bytes.union_with(set),
                Term::Alt(inner) => {
                    for &item in inner {
                        match &self.entry(item).term {
                            Term::Bytes(set) => bytes.union_with(set),
                            _ => items.push(item),
                        }
                    }
                }
                _ => items.push(id),
            }
        }
        if !bytes.is_empty() {
            items.push(self.bytes(bytes));
        }
        items.sort_unstable();
        items.dedup();
        if items.len() > 1 {
            self.absorb(&mut items);
        }
        match items[..] {
            [] => TermId::NOTHING,
            [item] => item,
            _ => self.intern(Term::Alt(items.into())),
        }
    }

    /// Drops alternatives that another one contains: the empty text beside a nullable one,
    /// `x{0,m}` beside `x{0,n}` with m <= n, and what a loop beside it reads as well.
    fn absorb(&self, items: &mut Vec<TermId>) {
        if items[0] == TermId::EMPTY && items[1..].iter().any(|&item| self.nullable(item)) {
            items.remove(0);
        }
        let longest = |item: TermId| match self.entry(item).term {
            Term::Repeat { item, min: 0, max } => Some((item, max.unwrap_or(u32::MAX))),
            _ => None,
        };
        let mut loops: Vec<_> = items.iter().filter_map(|&item| longest(item)).collect();
        if loops.len() > 1 {
            loops.sort_unstable();
            items.retain(|&item| {
                longest(item).is_none_or(|(body, max)| {
                    loops
                        .get(loops.partition_point(|&known| known <= (body, max)))
                        .is_none_or(|&(other, _)| other != body)
                })
            });
        }
        if items.len() > 1 {
            self.absorb_by_loops(items);
        }
    }

    /// `item` at least `min` and at most `max` times.
    pub fn repeat(&self, item: TermId, min: u32, max: Option<u32>) -> TermId {
        let min = if self.nullable(item) { 0 } else { min };
        let item = if max.is_none() { self.without_repeated_bytes(item) } else { item };
        match (item, max) {
            (_, Some(0)) | (TermId::EMPTY, _) => TermId::EMPTY,
            (TermId::NOTHING, _) => {
                if min == 0 {
                    TermId::EMPTY
                } else {
                    TermId::NOTHING
                }
            }
            (_, Some(1)) if min == 1 => item,
            _ => self.intern(Term::Repeat { item, min, max }),
        }
    }

    /// Whether the term matches exactly one text.
    pub(crate) fn is_literal(&self, term: TermId) -> bool {
        let mut rest = term;
        while let Some((_, next)) = self.only_step(rest) {
            rest = next;
        }
        rest == TermId::EMPTY
    }

    /// The only byte that may come next, and the term behind it; nothing if there is a choice, or a match may end.
    fn only_step(&self, term: TermId) -> Option<(u8, TermId)> {
        if let Some((set, next)) = self.after_bytes(term) {
            return Some((set.only()?, next));
        }
        let only = self.first(term).only().filter(|_| !self.nullable(term))?;
        Some((only, self.next(term, only)))
    }

    /// The bytes with which all texts begin that a term matches: the text, if it is only one.
    ///
    /// ```
    /// use grammask_gbnf::Terms;
    /// let terms = Terms::default();
    /// let texts = terms.texts([&b"green"[..], b"grey"]);
    /// assert_eq!(terms.common_start(texts).collect::<Vec<_>>(), b"gre");
    /// ```
    pub fn common_start(&self, term: TermId) -> impl Iterator<Item = u8> + '_ {
        let mut rest = term;
        std::iter::from_fn(move || {
            let (only, next) = self.only_step(rest)?;
            rest = next;
            Some(only)
        })
    }

    /// The bytes with which a term begins and the one term that they all lead to, if that can be
    /// seen at once: most of a text is made of such terms, and needs no transitions.
    fn after_bytes(&self, term: TermId) -> Option<(&ByteSet, TermId)> {
        match &self.entry(term).term {
            Term::Bytes(set) => Some((set, TermId::EMPTY)),
            &Term::Concat(first, rest) => match &self.entry(first).term {
                Term::Bytes(set) => Some((set, rest)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The term after `byte`; [`TermId::NOTHING`] if no match goes on with it.
    pub fn next(&self, term: TermId, byte: u8) -> TermId {
        if let Some((set, next)) = self.after_bytes(term) {
            return if set.contains(byte) { next } else { TermId::NOTHING };
        }
        match self.known_row(term) {
            Some(row) => row.next(byte),
            None if self.is_seldom_followed(term) => self.derivative(term, byte),
            None => self.row(term).next(byte),
        }
    }

    /// The same, with the range of bytes around this one that all lead there.
    ///
    /// ```
    /// use grammask_gbnf::{TermId, Terms};
    /// let terms = Terms::default();
    /// let digit = terms.class(&[('0', '9')]);
    /// assert_eq!(terms.next_around(digit, b'7'), (TermId::EMPTY, b'0'..=b'9'));
    /// assert_eq!(terms.next_around(digit, b'A'), (TermId::NOTHING, b':'..=0xff));
    /// ```
    pub fn next_around(&self, term: TermId, byte: u8) -> (TermId, RangeInclusive<u8>) {
        if let Some((set, next)) = self.after_bytes(term) {
            let next = if set.contains(byte) { next } else { TermId::NOTHING };
            return (next, set.around(byte));
        }
        let row = self.known_row(term);
        if row.is_none() {
            let beginnings = self.beginnings(term);
            if !beginnings.contains(byte) {
                return (TermId::NOTHING, beginnings.around(byte));
            }
        }
        let ranges = &row.unwrap_or_else(|| self.row(term)).ranges;
        let at = ranges.partition_point(|&(_, hi, _)| hi < byte);
        match ranges.get(at) {
            Some(&(lo, hi, to)) if lo <= byte => (to, lo..=hi),
            behind => {
                let lo = at.checked_sub(1).map_or(0, |before| ranges[before].1 + 1);
                (TermId::NOTHING, lo..=behind.map_or(u8::MAX, |&(lo, ..)| lo - 1))
            }
        }
    }

    /// The bytes that lead elsewhere from one term than from another, if all transitions of both have been
    /// asked for.
    ///
    /// ```
    /// use grammask_gbnf::Terms;
    /// let terms = Terms::default();
    /// let (digit, octal) = (terms.class(&[('0', '9')]), terms.class(&[('0', '7')]));
    /// assert!(terms.differing(digit, octal).is_none());
    /// for term in [digit, octal] {
    ///     terms.transitions(term);
    /// }
    /// assert_eq!(terms.differing(digit, octal).unwrap().iter().collect::<Vec<_>>(), b"89");
    /// ```
    pub fn differing(&self, one: TermId, other: TermId) -> Option<ByteSet> {
        let rows = [one, other].map(|term| self.known_row(term));
        let mut differing = ByteSet::default();
        side_by_side(&mut [&rows[0]?.ranges, &rows[1]?.ranges], |lo, hi, targets| {
            if targets[0] != targets[1] {
                differing.insert_range(lo, hi);
            }
            false
        });
        Some(differing)
    }

    /// The term's transitions: sorted, disjoint byte ranges with the term after them.
    pub fn transitions(&self, term: TermId) -> &[(u8, u8, TermId)] {
        &self.row(term).ranges
    }

    /// The bytes with which a match can go on.
    pub fn first(&self, term: TermId) -> ByteSet {
        self.after_bytes(term).map_or_else(|| self.row(term).first, |(set, _)| *set)
    }

    fn row(&self, term: TermId) -> &Row {
        if let Some(row) = self.known_row(term) {
            return row;
        }
        let derive = || self.derive(&self.entry(term).term);
        let ranges = stacker::maybe_grow(64 * 1024, 1024 * 1024, derive);
        let mut first = ByteSet::default();
        for &(lo, hi, _) in &ranges {
            first.insert_range(lo, hi);
        }
        self.keep_row(term, Row { ranges: ranges.into(), first })
    }

    /// The derivatives by every byte, as ranges.
    fn derive(&self, term: &Term) -> Vec<(u8, u8, TermId)> {
        match term {
            // Only what stands in a system's bodies has holes, and those are filled before.
            Term::Nothing | Term::Empty | Term::Hole(_) => Vec::new(),
            &Term::Rule { system, index } => self.transitions(self.body(system, index)).to_vec(),
            Term::Bytes(set) => {
                set.ranges().into_iter().map(|(lo, hi)| (lo, hi, TermId::EMPTY)).collect()
            }
            Term::Concat(first, second) => {
                let mut ranges = self.followed_by(*first, *second);
                if self.nullable(*first) {
                    self.add_transitions(*second, &mut ranges);
                    return self.merge(ranges);
                }
                join(&mut ranges);
                ranges
            }
            Term::Alt(items) => {
                let mut ranges = Vec::new();
                items.iter().for_each(|&item| self.add_transitions(item, &mut ranges));
                self.merge(ranges)
            }
            Term::All { all, none } => self.derive_all(all, none),
            &Term::Repeat { item, min, max } => {
                let rest = self.repeat(item, min.saturating_sub(1), max.map(|max| max - 1));
                let mut ranges = self.followed_by(item, rest);
                join(&mut ranges);
                ranges
            }
        }
    }

    fn followed_by(&self, first: TermId, rest: TermId) -> Vec<(u8, u8, TermId)> {
        self.transitions(first)
            .iter()
            .map(|&(lo, hi, to)| (lo, hi, self.concat(to, rest)))
            .collect()
    }

    /// Adds the transitions of a term; those of a part of a text are not kept with it.
    fn add_transitions(&self, term: TermId, ranges: &mut Vec<(u8, u8, TermId)>) {
        match self.after_bytes(term) {
            Some((set, next)) => {
                ranges.extend(set.ranges().into_iter().map(|(lo, hi)| (lo, hi, next)));
            }
            None => ranges.extend_from_slice(self.transitions(term)),
        }
    }

    /// Overlapping ranges to disjoint ones, targets united.
    fn merge(&self, mut ranges: Vec<(u8, u8, TermId)>) -> Vec<(u8, u8, TermId)> {
        ranges.sort_unstable();
        if ranges.is_sorted_by(|(_, hi, _), (lo, ..)| hi < lo) {
            join(&mut ranges);
            return ranges;
        }
        let mut starts = [false; 257];
        for &(lo, hi, _) in &ranges {
            starts[usize::from(lo)] = true;
            starts[usize::from(hi) + 1] = true;
        }
        let bounds: Vec<usize> = (0..257).filter(|&at| starts[at]).collect();
        let mut segment_of = [0_u16; 257];
        for (segment, &bound) in bounds.iter().enumerate() {
            segment_of[bound] = segment as u16;
        }
        let segments = |lo: u8, hi: u8| {
            segment_of[usize::from(lo)].into()..segment_of[usize::from(hi) + 1].into()
        };
        // Where in the list of all targets those of each segment end.
        let mut ends = vec![0; bounds.len()];
        for &(lo, hi, _) in &ranges {
            ends[segments(lo, hi)].iter_mut().for_each(|end| *end += 1);
        }
        let mut sum = 0;
        for end in &mut ends {
            // Where they begin; each one that is put in moves it on.
            sum += std::mem::replace(end, sum);
        }
        let mut targets = vec![TermId::NOTHING; sum];
        for &(lo, hi, to) in &ranges {
            for end in &mut ends[segments(lo, hi)] {
                targets[*end] = to;
                *end += 1;
            }
        }
        let (mut merged, mut from) = (Vec::new(), 0);
        for (segment, end) in ends.into_iter().enumerate() {
            if from < end {
                let to = match targets[from..end] {
                    [to] => to,
                    _ => self.alt(targets[from..end].iter().copied()),
                };
                merged.push((bounds[segment] as u8, (bounds[segment + 1] - 1) as u8, to));
            }
            from = end;
        }
        join(&mut merged);
        merged
    }

    /// Whether no match is a proper prefix of another one. Of a term with more than
    /// [`PREFIX_STATES`] states nobody finds out, and one may be.
    pub(crate) fn is_prefix_free(&self, term: TermId) -> bool {
        *self.further(term).prefix_free.get_or_init(|| {
            let mut seen = rustc_hash::FxHashSet::from_iter([term]);
            let mut pending = vec![term];
            while let Some(term) = pending.pop() {
                let next = self.transitions(term);
                if self.nullable(term) && !next.is_empty() {
                    return false;
                }
                pending.extend(next.iter().map(|&(_, _, to)| to).filter(|&to| seen.insert(to)));
                if seen.len() > PREFIX_STATES {
                    return false;
                }
            }
            true
        })
    }
}

fn locked<T>(all: &Mutex<T>) -> MutexGuard<'_, T> {
    all.lock().unwrap_or_else(PoisonError::into_inner)
}
