//! Whether a term is deterministic: whether at every place of a match the next byte says with
//! which part of the term the match goes on (Brüggemann-Klein, "Regular Expressions into Finite
//! Automata", 1993). Of such a term no state is a set of alternatives, and there are no more
//! states than parts.

use rustc_hash::FxHashMap;

use super::{ByteSet, Term, TermId, Terms};

/// What is known of the terms that have been looked at.
#[derive(Debug)]
pub(crate) struct Determinism<'a> {
    terms: &'a Terms,
    known: FxHashMap<TermId, Option<Edges>>,
}

/// The bytes at the edges of a deterministic term.
#[derive(Clone, Copy, Debug, Default)]
struct Edges {
    /// Those with which a match begins.
    first: ByteSet,
    /// Those with which it may go on, once it has begun, although it could have ended.
    further: ByteSet,
}

impl<'a> Determinism<'a> {
    pub(crate) fn new(terms: &'a Terms) -> Self {
        Self { terms, known: FxHashMap::default() }
    }

    /// Whether the body of a rule is deterministic up to its holes, as far as single bytes show
    /// that.
    pub(crate) fn holds(&mut self, body: TermId) -> bool {
        let terms = self.terms;
        *terms.further(body).deterministic.get_or_init(|| self.edges(body).is_some())
    }

    fn edges(&mut self, term: TermId) -> Option<Edges> {
        if let Some(&known) = self.known.get(&term) {
            return known;
        }
        // As deep as a body is long.
        let edges = stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.find_edges(term));
        self.known.insert(term, edges);
        edges
    }

    fn find_edges(&mut self, term: TermId) -> Option<Edges> {
        let terms = self.terms;
        match &terms.entry(term).term {
            Term::Nothing | Term::Empty => Some(Edges::default()),
            Term::Bytes(set) => Some(Edges { first: *set, further: ByteSet::default() }),
            // With what these begin is not known from bytes.
            Term::Rule { .. } | Term::Hole(_) | Term::All { .. } => None,
            &Term::Concat(first, second) => {
                let head = self.edges(first)?;
                let rule = matches!(terms.entry(second).term, Term::Rule { .. } | Term::Hole(_));
                if rule && !terms.nullable(first) && head.further.is_empty() {
                    return Some(head);
                }
                let tail = self.edges(second)?;
                let nullable = terms.nullable(first);
                let clash = head.further.intersects(&tail.first)
                    || nullable && head.first.intersects(&tail.first);
                (!clash).then(|| {
                    let mut edges = Edges { first: head.first, further: tail.further };
                    if nullable {
                        edges.first.union_with(&tail.first);
                    }
                    if terms.nullable(second) {
                        edges.further.union_with(&head.further);
                        edges.further.union_with(&tail.first);
                    }
                    edges
                })
            }
            Term::Alt(items) => {
                let mut edges = Edges::default();
                for &item in items {
                    let of_item = self.edges(item)?;
                    if edges.first.intersects(&of_item.first) {
                        return None;
                    }
                    edges.first.union_with(&of_item.first);
                    edges.further.union_with(&of_item.further);
                }
                Some(edges)
            }
            &Term::Repeat { item, min, max } => {
                let mut edges = self.edges(item)?;
                if max != Some(1) && edges.further.intersects(&edges.first) {
                    return None;
                }
                // Of so many iterations, and no others, only the last may end the match.
                if max != Some(1) && max != Some(min) {
                    let first = edges.first;
                    edges.further.union_with(&first);
                }
                Some(edges)
            }
        }
    }
}
