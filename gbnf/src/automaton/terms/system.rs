//! Systems of rules that are defined by each other, as terms.
//!
//! A term cannot be made of itself. So the bodies of a system are terms with holes, one for each
//! of its rules, and a rule is a term that says "the body of this rule, with the rules in its
//! holes". A system is known by its bodies: the same rules are the same terms in every grammar.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::{Fingerprint, Term, TermId, Terms};

/// The systems of a store.
#[derive(Debug, Default)]
pub(super) struct Systems {
    all: boxcar::Vec<System>,
    /// Each by its bodies.
    index: Mutex<FxHashMap<Arc<[TermId]>, u32>>,
}

#[derive(Debug)]
struct System {
    bodies: Arc<[TermId]>,
    nullable: Box<[bool]>,
    fingerprint: Fingerprint,
}

impl Systems {
    /// Whether a rule matches the empty text.
    pub(super) fn nullable(&self, system: u32, index: u32) -> bool {
        self.all[system as usize].nullable[index as usize]
    }

    pub(super) fn fingerprint(&self, system: u32) -> Fingerprint {
        self.all[system as usize].fingerprint
    }
}

impl Terms {
    /// A place in a body that a rule of the body's system takes.
    pub(crate) fn hole(&self, index: u32) -> TermId {
        self.intern(Term::Hole(index))
    }

    /// The rules of the system with these bodies, none of which may begin with itself; whether
    /// each matches the empty text follows from the bodies, but is known to the caller.
    pub(crate) fn system(&self, bodies: &[TermId], nullable: &[bool]) -> Vec<TermId> {
        let system = {
            let mut index = self.systems.index.lock().unwrap_or_else(PoisonError::into_inner);
            index.get(bodies).copied().unwrap_or_else(|| {
                let bodies: Arc<[TermId]> = bodies.into();
                let system = System {
                    fingerprint: self.fingerprint_of_system(&bodies),
                    bodies: Arc::clone(&bodies),
                    nullable: nullable.into(),
                };
                let number = self.systems.all.push(system) as u32;
                index.insert(bodies, number);
                number
            })
        };
        let rules = 0..bodies.len() as u32;
        rules.map(|index| self.intern(Term::Rule { system, index })).collect()
    }

    /// Whether the term is a rule of a system.
    pub(crate) fn is_rule(&self, term: TermId) -> bool {
        matches!(self.entries[term.index()].term, Term::Rule { .. })
    }

    /// What a rule of a system is.
    pub(super) fn body(&self, system: u32, index: u32) -> TermId {
        let body = self.systems.all[system as usize].bodies[index as usize];
        self.fill(body, system)
    }

    /// A part of a body, with the rules of its system in the holes.
    fn fill(&self, term: TermId, system: u32) -> TermId {
        let entry = &self.entries[term.index()];
        if !entry.open {
            return term;
        }
        // As deep as a body is long.
        let fill =
            |term: TermId| stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.fill(term, system));
        match &entry.term {
            &Term::Hole(index) => self.intern(Term::Rule { system, index }),
            &Term::Concat(first, second) => self.concat(fill(first), fill(second)),
            Term::Alt(items) => self.alt(items.iter().map(|&item| fill(item)).collect::<Vec<_>>()),
            &Term::Repeat { item, min, max } => self.repeat(fill(item), min, max),
            Term::Nothing | Term::Empty | Term::Bytes(_) | Term::Rule { .. } | Term::All { .. } => {
                term
            }
        }
    }

    /// Adds the holes with which a part of a body may begin.
    pub(crate) fn leading_holes(&self, term: TermId, holes: &mut Vec<u32>) {
        let mut pending = vec![term];
        while let Some(term) = pending.pop() {
            match &self.entries[term.index()].term {
                &Term::Hole(index) => holes.push(index),
                &Term::Concat(first, second) => {
                    pending.push(first);
                    if self.nullable(first) {
                        pending.push(second);
                    }
                }
                Term::Alt(items) => pending.extend(items),
                &Term::Repeat { item, .. } => pending.push(item),
                Term::Nothing
                | Term::Empty
                | Term::Bytes(_)
                | Term::Rule { .. }
                | Term::All { .. } => {}
            }
        }
    }
}
