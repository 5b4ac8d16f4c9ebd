//! Bounds on lengths that a short text cannot reach.
//!
//! A pattern beside a length is a conjunction with a state for each state of the pattern beside
//! each number of characters that are left. As long as many are left, what may come next is what
//! the pattern alone says, and whatever is known of the pattern's state holds for all of them.

use super::{Term, TermId, Terms};

/// Among so many states it is found out whether a part of a pattern is made of the characters of a
/// length.
const MAX_SEARCH: usize = 1_000;

impl Terms {
    /// The term without its bound on the number of characters, where no text of at most `bytes`
    /// bytes tells the two apart: neither in what may follow it nor in whether it is a match.
    ///
    /// ```
    /// use grammask_gbnf::{Automaton, Label, parse};
    /// let grammar = parse(r#"root ::= @all([a-z]+ "-" [0-9]; [a-z0-9-]{0,100})"#)?;
    /// let automaton = Automaton::compile(&grammar, "root")?;
    /// let mut session = automaton.session();
    /// let start = session.start();
    /// let Label::Term(term) = start.entries()[0].label else { panic!("it is a terminal") };
    /// assert!(automaton.terms().without_bound(term, 90).is_some());
    /// assert!(automaton.terms().without_bound(term, 100).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn without_bound(&self, term: TermId, bytes: usize) -> Option<TermId> {
        let (head, rest) = match &self.entries[term.index()].term {
            &Term::Concat(head, rest) => (head, rest),
            _ => (term, TermId::EMPTY),
        };
        let Term::All { all, none } = &self.entries[head.index()].term else { return None };
        let (&[first, second], []) = (&all[..], &none[..]) else { return None };
        let free =
            self.free_of(first, second, bytes).or_else(|| self.free_of(second, first, bytes))?;
        Some(self.concat(free, rest))
    }

    /// `pattern`, if texts of so many bytes, and what completes them in the shortest way, are not
    /// too long for `length`.
    fn free_of(&self, pattern: TermId, length: TermId, bytes: usize) -> Option<TermId> {
        let Term::Repeat { item, min: 0, max: Some(max) } = self.entries[length.index()].term
        else {
            return None;
        };
        // Each iteration takes a byte at least.
        let longest = (self.way_out(pattern)? as usize).saturating_add(bytes);
        if self.nullable(item) || longest > max as usize {
            return None;
        }
        self.is_within(pattern, self.repeat(item, 0, None)).then_some(pattern)
    }

    /// Whether all that a term matches is known to be a match of the loop `any_length`: if that is
    /// so of its parts, or none is found that is not.
    fn is_within(&self, term: TermId, any_length: TermId) -> bool {
        let outside = self.conjunction(vec![term], vec![any_length]);
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
