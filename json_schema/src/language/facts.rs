//! What is known of a term without reading anything.

use super::store::{Languages, Term};

/// What was read just before a place: all that an assertion knows about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Before {
    /// Nothing yet.
    Start,
    /// A word character.
    Word,
    /// Another one; or nothing that matters.
    Other,
}

impl Before {
    pub(super) const ALL: [Self; 3] = [Self::Start, Self::Word, Self::Other];
}

/// Whether a term matches the empty text at a place within a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Empty {
    Never,
    /// An assertion decides.
    Sometimes,
    Always,
}

/// What is known of a term from its parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    pub(super) empty: Empty,
    /// By [`Before`]: whether it matches the empty text at the end of the text.
    pub(super) nullable: [bool; 3],
    /// Whether there is an assertion in it.
    pub(super) asserts: bool,
    /// Whether there is a [`Term::Start`] in it.
    pub(super) has_start: bool,
    /// Whether there is nothing in it but classes, one after the other, beside each other and
    /// repeated.
    pub(super) plain: bool,
    /// No text has fewer code points.
    pub(super) shortest: u32,
    /// No text has more code points; `u32::MAX`: no bound.
    pub(super) longest: u32,
    /// By [`Before`]: whether it is told from [`Before::Other`] before anything is read.
    asks: [bool; 3],
}

impl Facts {
    fn plain(nullable: bool, length: u32) -> Self {
        Self {
            plain: true,
            shortest: length,
            longest: length,
            empty: if nullable { Empty::Always } else { Empty::Never },
            nullable: [nullable; 3],
            asserts: false,
            has_start: false,
            asks: [false; 3],
        }
    }

    /// Facts of an assertion that holds at the end of the text as given.
    fn assertion(nullable: [bool; 3]) -> Self {
        Self {
            empty: Empty::Sometimes,
            nullable,
            asserts: true,
            plain: false,
            ..Self::plain(false, 0)
        }
    }

    pub(super) fn nullable(self, before: Before) -> bool {
        self.nullable[before as usize]
    }

    /// Whether it matters that this, and not something else, lies before.
    pub(super) fn asks(self, before: Before) -> bool {
        self.asks[before as usize]
    }

    /// Whether it matches the empty text at every place.
    pub(super) fn always_empty(self) -> bool {
        self.empty == Empty::Always
    }

    /// The facts of two terms of which one or both are tried at a place.
    fn beside(self, other: Self, nullable: fn(bool, bool) -> bool) -> Self {
        let nullable = Before::ALL.map(|at| nullable(self.nullable(at), other.nullable(at)));
        Self {
            empty: self.empty,
            nullable,
            asserts: self.asserts || other.asserts,
            has_start: self.has_start || other.has_start,
            plain: self.plain && other.plain,
            shortest: self.shortest.min(other.shortest),
            longest: self.longest.max(other.longest),
            asks: Before::ALL.map(|at| self.asks(at) || other.asks(at)),
        }
    }

    /// The emptiness that conjunctions and complements have: known where nothing is asserted.
    fn settled(self) -> Self {
        let empty = match (self.asserts, self.nullable[0]) {
            (true, _) => Empty::Sometimes,
            (false, true) => Empty::Always,
            (false, false) => Empty::Never,
        };
        Self { empty, plain: false, ..self }
    }
}

impl Languages {
    /// The facts of a term whose parts are in the store.
    pub(super) fn facts_of(&self, term: &Term) -> Facts {
        match term {
            Term::Nothing => Facts { shortest: u32::MAX, ..Facts::plain(false, 0) },
            Term::Class(_) => Facts::plain(false, 1),
            Term::Empty => Facts::plain(true, 0),
            &Term::Concat(first, second) => {
                let (first, second) = (self.facts(first), self.facts(second));
                let both = first.beside(second, |a, b| a && b);
                let goes_on = first.empty != Empty::Never;
                Facts {
                    empty: first.empty.min(second.empty),
                    asks: Before::ALL.map(|at| first.asks(at) || goes_on && second.asks(at)),
                    shortest: first.shortest.saturating_add(second.shortest),
                    longest: first.longest.saturating_add(second.longest),
                    ..both
                }
            }
            Term::Alt(items) => items.iter().fold(self.facts_of(&Term::Nothing), |all, &item| {
                let item = self.facts(item);
                Facts { empty: all.empty.max(item.empty), ..all.beside(item, |a, b| a || b) }
            }),
            Term::And(items) => {
                let mut both = items
                    .iter()
                    .fold(Facts::plain(true, 0), |all, &item| {
                        all.beside(self.facts(item), |a, b| a && b)
                    })
                    .settled();
                let lengths = items.iter().map(|&item| self.facts(item));
                both.shortest = lengths.clone().map(|item| item.shortest).max().unwrap_or(0);
                both.longest = lengths.map(|item| item.longest).min().unwrap_or(u32::MAX);
                both
            }
            &Term::Not(inner) => {
                let inner = self.facts(inner);
                let nullable = inner.nullable.map(|nullable| !nullable);
                Facts { nullable, shortest: 0, longest: u32::MAX, ..inner }.settled()
            }
            &Term::Repeat { item, min, max } => {
                let item = self.facts(item);
                let shortest = item.shortest.saturating_mul(min);
                let longest = match (item.longest, max) {
                    (0, _) => 0,
                    (longest, Some(max)) => longest.saturating_mul(max),
                    (_, None) => u32::MAX,
                };
                if min > 0 {
                    return Facts { shortest, longest, ..item };
                }
                Facts { empty: Empty::Always, nullable: [true; 3], shortest, longest, ..item }
            }
            Term::Start => Facts {
                has_start: true,
                asks: Before::ALL.map(|before| before == Before::Start),
                ..Facts::assertion(Before::ALL.map(|before| before == Before::Start))
            },
            Term::End => Facts::assertion([true; 3]),
            &Term::WordBoundary { negated } => Facts {
                asks: Before::ALL.map(|before| before == Before::Word),
                ..Facts::assertion(Before::ALL.map(|before| (before == Before::Word) != negated))
            },
            &Term::Ahead { language, negated } => {
                let ahead = self.facts(language);
                Facts {
                    empty: Empty::Sometimes,
                    nullable: ahead.nullable.map(|nullable| nullable != negated),
                    asserts: true,
                    plain: false,
                    shortest: 0,
                    longest: 0,
                    ..ahead
                }
            }
        }
    }
}
