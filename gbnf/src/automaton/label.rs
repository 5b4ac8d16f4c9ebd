//! Labels: how far a terminal has been read.

use std::ops::RangeInclusive;

use crate::automaton::members::{ContextId, KeyStateId};
use crate::automaton::terms::{ByteSet, TermId, Terms};

/// The state of a terminal. Of each label at least one more byte (or the token) is to be read:
/// that the terminal may also end here has already been followed up where a state holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// A term of the store.
    Term(TermId),
    /// The rest of an iteration, then between `min` and `max` more of them. Counts are no
    /// states: `{0,1000000}` costs what `{0,10}` does. No match of the item is a proper prefix of
    /// another one, so there is never more than one count.
    Counted {
        /// What is left of the current iteration; empty between two.
        rest: TermId,
        /// One iteration.
        item: TermId,
        /// Least number of further iterations.
        min: u32,
        /// Greatest number of further iterations; `u32::MAX`: unbounded.
        max: u32,
    },
    /// A long literal, read up to byte `at`.
    Text {
        /// Which one.
        text: u32,
        /// How many bytes of it have been read.
        at: u32,
    },
    /// A token reference.
    Token(u32),
    /// The key of a member.
    Key {
        /// Which members.
        shape: u32,
        /// What the key may still be.
        state: KeyStateId,
        /// Which keys have been written.
        context: ContextId,
    },
    /// An item of a list begins here. Only in what popping leads to: which texts the item must
    /// differ from is known where the position in the text is.
    Item {
        /// Which list.
        list: u32,
        /// Which items it has so far.
        state: u32,
    },
    /// An item of a list ends here; likewise.
    ItemEnd {
        /// Which list.
        list: u32,
        /// Which items it has so far, and where this one began.
        state: u32,
    },
}

/// What follows a byte in a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct After {
    /// The terminal may go on.
    pub(crate) label: Option<Label>,
    /// The terminal may end.
    pub(crate) ends: bool,
}

impl After {
    pub(crate) const DEAD: Self = Self { label: None, ends: false };
}

/// The byte `byte` in a label that needs no more than the terms and texts.
pub(crate) fn step(label: Label, byte: u8, terms: &Terms, texts: &[Box<[u8]>]) -> After {
    match label {
        Label::Term(term) => of_term(terms.next(term, byte), terms),
        Label::Counted { rest, item, min, max } => {
            let (rest, min, max) = if rest == TermId::EMPTY {
                (terms.next(item, byte), min.saturating_sub(1), less_one(max))
            } else {
                (terms.next(rest, byte), min, max)
            };
            if rest == TermId::NOTHING {
                return After::DEAD;
            }
            counted(rest, item, min, max, terms)
        }
        Label::Text { text, at } => {
            let bytes = &texts[text as usize];
            if bytes[at as usize] != byte {
                return After::DEAD;
            }
            let at = at + 1;
            let ends = at as usize == bytes.len();
            After { label: (!ends).then_some(Label::Text { text, at }), ends }
        }
        Label::Token(_) | Label::Key { .. } | Label::Item { .. } | Label::ItemEnd { .. } => {
            After::DEAD
        }
    }
}

/// Bytes around one of which each leads such a label where that one does.
pub(crate) fn around(
    label: Label,
    byte: u8,
    terms: &Terms,
    texts: &[Box<[u8]>],
) -> RangeInclusive<u8> {
    match label {
        Label::Term(term)
        | Label::Counted { rest: TermId::EMPTY, item: term, .. }
        | Label::Counted { rest: term, .. } => terms.next_around(term, byte).1,
        Label::Text { text, at } => match texts[text as usize][at as usize] {
            next if byte < next => 0..=next - 1,
            next if byte > next => next + 1..=u8::MAX,
            next => next..=next,
        },
        Label::Key { .. } => byte..=byte,
        Label::Token(_) | Label::Item { .. } | Label::ItemEnd { .. } => 0..=u8::MAX,
    }
}

fn less_one(max: u32) -> u32 {
    if max == u32::MAX { max } else { max - 1 }
}

pub(crate) fn of_term(term: TermId, terms: &Terms) -> After {
    if term == TermId::EMPTY {
        return After { label: None, ends: true };
    }
    if term == TermId::NOTHING {
        return After::DEAD;
    }
    After { label: Some(Label::Term(term)), ends: terms.nullable(term) }
}

/// The state "the rest of an iteration, then `min` to `max` more", in its one spelling: a loop
/// without bounds is a term.
pub(crate) fn counted(rest: TermId, item: TermId, min: u32, max: u32, terms: &Terms) -> After {
    if max == 0 {
        return of_term(rest, terms);
    }
    if max == u32::MAX && min <= 1 {
        let more = terms.repeat(item, min, None);
        return of_term(terms.concat(rest, more), terms);
    }
    After {
        label: Some(Label::Counted { rest, item, min, max }),
        ends: rest == TermId::EMPTY && min == 0,
    }
}

/// The bytes that may come next in such a label.
pub(crate) fn first(label: Label, terms: &Terms, texts: &[Box<[u8]>]) -> ByteSet {
    match label {
        Label::Term(term)
        | Label::Counted { rest: TermId::EMPTY, item: term, .. }
        | Label::Counted { rest: term, .. } => terms.first(term),
        Label::Text { text, at } => {
            let mut set = ByteSet::default();
            let byte = texts[text as usize][at as usize];
            set.insert(byte);
            set
        }
        Label::Token(_) | Label::Key { .. } | Label::Item { .. } | Label::ItemEnd { .. } => {
            ByteSet::default()
        }
    }
}
