//! Whether there are plenty of texts with which an item may go on: more than there are items, so that with
//! one of them it differs from all.
//!
//! Counted are texts without blanks, and without the braces and commas between which the order of members
//! does not matter: those of them that are not the same differ as items.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Entry, Session};
use crate::automaton::canonical::BLANKS;
use crate::automaton::label::Label;
use crate::automaton::members::{Kind, Shape};
use crate::automaton::program::{Op, Position};
use crate::automaton::stack::Stacks;
use crate::automaton::terms::{TermId, Terms};

/// More texts than there are items.
const PLENTY: u64 = 1 << 32;

/// Of a term so many states are looked at.
const MOST_STATES: usize = 64;

/// So many iterations with two texts or more each have plenty.
const MOST_ITERATIONS: u32 = PLENTY.ilog2();

/// What is known of terms and positions.
#[derive(Debug, Default)]
pub(super) struct Plenty {
    terms: FxHashMap<TermId, u64>,
    positions: FxHashMap<Position, bool>,
}

impl Session {
    /// Whether plenty may come in a configuration up to the end of the innermost item; not always found
    /// where it is so.
    pub(super) fn has_plenty(&mut self, entry: Entry) -> bool {
        if self.label_has_plenty(entry.label) {
            return true;
        }
        let mut at = entry.below;
        while let &[(frame, below)] = self.stacks.tops(at) {
            if Stacks::is_bottom(frame) {
                return false;
            }
            // What has been read before says how these go on.
            let has_argument = match self.program.op(frame.position) {
                Op::ItemEnd(_) => return false,
                op => matches!(op, Op::Key(_) | Op::After(_) | Op::Count(_) | Op::Item(_)),
            };
            if !has_argument && self.position_has_plenty(frame.position) {
                return true;
            }
            at = below;
        }
        false
    }

    fn label_has_plenty(&mut self, label: Label) -> bool {
        match label {
            Label::Term(term) => self.term_has_plenty(term),
            Label::Counted { rest, item, max, .. } => {
                self.term_has_plenty(rest) || max >= MOST_ITERATIONS && self.texts_of(item) > 1
            }
            Label::Key { shape, state, context } => {
                let program = Arc::clone(&self.program);
                let shape = &program.shapes[shape as usize];
                let tags = self.members.tags(state).to_vec();
                let before = self.members.guesses();
                let found = tags.into_iter().any(|(rest, member)| {
                    self.members.allows(shape, context, member)
                        && self.member_has_plenty(shape, member, rest)
                });
                // What is only guessed is not known.
                let is_known = self.members.guesses() == before;
                self.members.take_back(before);
                found && is_known
            }
            Label::Text { .. } | Label::Token(_) | Label::Item { .. } | Label::ItemEnd { .. } => {
                false
            }
        }
    }

    /// Whether a member with a rest of its key has plenty of texts.
    fn member_has_plenty(&mut self, shape: &Shape, member: u32, rest: TermId) -> bool {
        if shape.is_many(member) {
            // However many keys have been written.
            return self.term_has_plenty(rest);
        }
        self.position_has_plenty(shape.members[member as usize].value)
    }

    fn position_has_plenty(&mut self, position: Position) -> bool {
        if let Some(&known) = self.plenty.positions.get(&position) {
            return known;
        }
        // What leads back here adds nothing.
        self.plenty.positions.insert(position, false);
        let program = Arc::clone(&self.program);
        // As deep as rules and groups are nested.
        let found = stacker::maybe_grow(64 * 1024, 1024 * 1024, || match program.op(position) {
            Op::Fork(to) => to.iter().any(|&to| self.position_has_plenty(to)),
            &Op::Take { label, next } => {
                self.label_has_plenty(label) || self.position_has_plenty(next)
            }
            &Op::Call { to, next } => {
                self.position_has_plenty(to) || self.position_has_plenty(next)
            }
            &Op::Key(index) => {
                let shape = &program.shapes[index as usize];
                shape.max.is_none()
                    && (0..shape.members.len() as u32).any(|member| {
                        let key = &shape.members[member as usize];
                        key.kind != Kind::Never && self.member_has_plenty(shape, member, key.key)
                    })
            }
            Op::Return
            | Op::Token { .. }
            | Op::Count(_)
            | Op::After(_)
            | Op::Item(_)
            | Op::ItemEnd(_) => false,
        });
        self.plenty.positions.insert(position, found);
        found
    }

    fn term_has_plenty(&mut self, term: TermId) -> bool {
        self.texts_of(term) >= PLENTY
    }

    /// So many texts a term has at least that differ as items.
    fn texts_of(&mut self, term: TermId) -> u64 {
        let terms = &self.terms;
        *self
            .plenty
            .terms
            .entry(term)
            .or_insert_with(|| texts_of(term, terms, &mut FxHashMap::default()))
    }
}

/// So many texts a term has at least, without blanks and without what separates members. A term that is
/// being looked at has no number: whatever leads back to it has no end.
fn texts_of(term: TermId, terms: &Terms, known: &mut FxHashMap<TermId, Option<u64>>) -> u64 {
    if let Some(known) = known.get(&term) {
        return known.unwrap_or(u64::MAX);
    }
    let mut sum = u64::from(terms.nullable(term));
    if known.len() < MOST_STATES {
        known.insert(term, None);
        for &(lo, hi, to) in terms.transitions(term) {
            let counts = |byte: &u8| !BLANKS.contains(byte) && !b"{},".contains(byte);
            let bytes = (lo..=hi).filter(counts).count() as u64;
            if bytes > 0 && sum < PLENTY {
                sum = sum.saturating_add(bytes.saturating_mul(texts_of(to, terms, known)));
            }
        }
        known.insert(term, Some(sum));
    }
    sum
}
