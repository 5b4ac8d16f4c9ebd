//! Bounds on lengths that a short text cannot reach.
//!
//! A pattern beside a length is a conjunction with a state for each state of the pattern beside
//! each number of characters that are left; a loop that is counted has a state for each count. As
//! long as many are left, what may come next is what the pattern alone says, or the loop without a
//! bound, and whatever is known of that holds for all of them.

use std::sync::PoisonError;

use rustc_hash::FxHashMap;

use super::{Term, TermId, Terms};

/// Among so many states it is found out whether a part of a pattern is made of the characters of a
/// length.
const MAX_SEARCH: usize = 1_000;

/// A loop over so few bytes has few texts, and is quick to walk through with its bound.
const FEW_BYTES: usize = 32;

/// See [`Terms::without_bounds`].
pub(super) type BoundsLeftOut = FxHashMap<(TermId, usize), (TermId, usize)>;

impl Terms {
    /// The term without those bounds on numbers of iterations and characters that no text of so many
    /// bytes reaches, and up to how many bytes no text tells the two apart: neither in what may
    /// follow it nor in whether it is a match. Loops over few characters keep their bounds. If none
    /// is left out, the term is the same and the number the greatest.
    ///
    /// ```
    /// use grammask_gbnf::{Automaton, Label, parse};
    /// let grammar = parse(r#"root ::= @all([a-z]+ "-" [0-9]; [a-z0-9-]{0,100})"#)?;
    /// let automaton = Automaton::compile(&grammar, "root")?;
    /// let mut session = automaton.session();
    /// let start = session.start();
    /// let Label::Term(term) = start.entries()[0].label else { panic!("it is a terminal") };
    /// let (free, bytes) = automaton.terms().without_bounds(term, 90);
    /// assert_ne!(free, term);
    /// assert!((90..100).contains(&bytes));
    /// assert_eq!(automaton.terms().without_bounds(term, 100), (term, usize::MAX));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn without_bounds(&self, term: TermId, bytes: usize) -> (TermId, usize) {
        let key = (term, bytes);
        let known = |known: &BoundsLeftOut| known.get(&key).copied();
        let bounds = || self.without_bounds.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known(&bounds()) {
            return known;
        }
        // As deep as the term is nested.
        let found =
            stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.find_without_bounds(term, bytes));
        bounds().insert(key, found);
        found
    }

    fn find_without_bounds(&self, term: TermId, bytes: usize) -> (TermId, usize) {
        let same = (term, usize::MAX);
        match &self.entries[term.index()].term {
            &Term::Concat(first, second) => {
                let (first, short) = self.without_bounds(first, bytes);
                let (second, shorter) = self.without_bounds(second, bytes);
                (self.concat(first, second), short.min(shorter))
            }
            Term::Alt(items) => {
                let free = items.iter().map(|&item| self.without_bounds(item, bytes));
                let (items, short): (Vec<TermId>, Vec<usize>) = free.unzip();
                (self.alt(items), short.into_iter().min().unwrap_or(usize::MAX))
            }
            &Term::Repeat { item, min, mut max } => {
                let (free, mut short) = self.without_bounds(item, bytes);
                if let Some(most) = max
                    && !self.nullable(item)
                    && self.first(item).len() > FEW_BYTES
                {
                    // The last iteration but one is over.
                    let reached = (most as usize - 1).saturating_mul(self.shortest(item) as usize);
                    if reached >= bytes {
                        max = None;
                        short = short.min(reached);
                    }
                }
                (self.repeat(free, min, max), short)
            }
            Term::All { all, none } => {
                let (&[first, second], []) = (&all[..], &none[..]) else { return same };
                let free = self
                    .free_of(first, second, bytes)
                    .or_else(|| self.free_of(second, first, bytes));
                free.map_or(same, |(free, short)| {
                    let (free, shorter) = self.without_bounds(free, bytes);
                    (free, short.min(shorter))
                })
            }
            Term::Nothing | Term::Empty | Term::Bytes(_) | Term::Rule { .. } | Term::Hole(_) => {
                same
            }
        }
    }

    /// The conjunction of a pattern and a length without the greatest length, and up to how many
    /// bytes a text and what completes it in the shortest way are not too long.
    fn free_of(&self, pattern: TermId, length: TermId, bytes: usize) -> Option<(TermId, usize)> {
        let Term::Repeat { item, min, max: Some(max) } = self.entries[length.index()].term else {
            return None;
        };
        let way_out = self.way_out(pattern)?;
        // Each iteration takes a byte at least.
        let short = max.checked_sub(way_out)?;
        if self.nullable(item) || short < min || (short as usize) < bytes {
            return None;
        }
        if !self.is_within(pattern, self.repeat(item, 0, None)) {
            return None;
        }
        let least = (min > 0).then(|| self.repeat(item, min, None));
        let free = self.conjunction([pattern].into_iter().chain(least), []);
        Some((free, short as usize))
    }

    /// Whether it is seen at once that a conjunction matches something: a pattern beside a length, where
    /// what completes the pattern in the shortest way is not too long.
    pub(super) fn fits_length(&self, all: &[TermId], none: &[TermId]) -> bool {
        let (&[first, second], []) = (all, none) else { return false };
        let fits = |pattern, length: TermId| {
            let Term::Repeat { item, min, max } = self.entries[length.index()].term else {
                return false;
            };
            let is_long_enough = min == 0 || min == 1 && !self.nullable(pattern);
            is_long_enough
                && self.way_out(pattern).is_some_and(|way_out| max.is_none_or(|max| way_out <= max))
                && self.is_within(pattern, self.repeat(item, 0, None))
        };
        fits(first, second) || fits(second, first)
    }

    /// What is left of a term behind a text. Of what lies on the way nothing is kept but what is
    /// left of the parts of a conjunction, which many texts have in common; the conjunction of what
    /// is left may match nothing, or nothing but the empty text, without being spelled so.
    pub fn after(&self, term: TermId, text: &[u8]) -> TermId {
        let Term::All { all, none } = &self.entries[term.index()].term else {
            return text.iter().fold(term, |term, &byte| self.next(term, byte));
        };
        let after = |&part: &TermId| self.after(part, text);
        let all: Vec<TermId> = all.iter().map(after).collect();
        if all.contains(&TermId::NOTHING) {
            return TermId::NOTHING;
        }
        self.conjunction(all, none.iter().map(after))
    }

    /// Whether all that a term matches is known to be a match of the loop `any_length`: if that is
    /// so of its parts, or none is found that is not.
    fn is_within(&self, term: TermId, any_length: TermId) -> bool {
        let outside = self.conjunction([term], [any_length]);
        if let Some(known) = self.known_to_have_text(outside) {
            return known == Ok(false);
        }
        // As deep as the term is nested.
        let is_within = |&part: &TermId| {
            stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.is_within(part, any_length))
        };
        let parts_are = match &self.entries[term.index()].term {
            Term::Concat(first, second) => is_within(first) && is_within(second),
            Term::Alt(items) => items.iter().all(is_within),
            Term::Repeat { item, .. } => is_within(item),
            _ => false,
        };
        let outside_has_text = if parts_are {
            self.note(&[outside], Ok(false))
        } else {
            self.has_text(outside, MAX_SEARCH)
        };
        outside_has_text == Ok(false)
    }

    /// So many bytes complete whatever a match of the term begins with; `None` if that is not seen
    /// at once.
    fn way_out(&self, term: TermId) -> Option<u32> {
        *self.further(term).way_out.get_or_init(|| {
            // As deep as the term is nested.
            stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.find_way_out(term))
        })
    }

    fn find_way_out(&self, term: TermId) -> Option<u32> {
        match &self.entries[term.index()].term {
            Term::Nothing | Term::Empty => Some(0),
            Term::Bytes(_) => Some(1),
            &Term::Concat(first, second) => {
                let inside = self.way_out(first)?.checked_add(self.shortest(second))?;
                Some(inside.max(self.way_out(second)?))
            }
            // What is left of a choice is a choice of what is left of some.
            Term::Alt(items) => {
                items.iter().try_fold(0, |most, &item| Some(self.way_out(item)?.max(most)))
            }
            &Term::Repeat { item, min, .. } => {
                self.way_out(item)?.checked_add(self.shortest(item).checked_mul(min)?)
            }
            Term::Rule { .. } | Term::Hole(_) | Term::All { .. } => None,
        }
    }
}
