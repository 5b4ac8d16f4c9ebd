//! What a language is made of, for those who write it down.

use super::class::CharSet;
use super::store::{LanguageId, Languages, Term};

/// How a language without assertions, conjunctions and complements is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Nothing,
    Empty,
    Class(CharSet),
    Concat(LanguageId, LanguageId),
    Alt(Vec<LanguageId>),
    Repeat { item: LanguageId, min: u32, max: Option<u32> },
}

impl Languages {
    /// How the language is built; `None` if only an automaton says what is in it.
    pub(crate) fn shape(&self, id: LanguageId) -> Option<Shape> {
        Some(match &*self.term(id) {
            Term::Nothing => Shape::Nothing,
            Term::Empty => Shape::Empty,
            Term::Class(set) => Shape::Class(set.clone()),
            &Term::Concat(first, second) => Shape::Concat(first, second),
            Term::Alt(items) => Shape::Alt(items.to_vec()),
            &Term::Repeat { item, min, max } => Shape::Repeat { item, min, max },
            Term::And(_) | Term::Not(_) => return None,
            Term::Start | Term::End | Term::WordBoundary { .. } | Term::Ahead { .. } => {
                return None;
            }
        })
    }

    /// Whether the language and all its parts have a [`Shape`].
    pub(crate) fn is_plain(&self, id: LanguageId) -> bool {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.shape(id) {
                None => return false,
                Some(Shape::Concat(first, second)) => pending.extend([first, second]),
                Some(Shape::Alt(items)) => pending.extend(items),
                Some(Shape::Repeat { item, .. }) => pending.push(item),
                Some(Shape::Nothing | Shape::Empty | Shape::Class(_)) => {}
            }
        }
        true
    }
}
