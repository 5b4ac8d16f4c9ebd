//! Systems of rules that are defined by each other, as terms.
//!
//! A term cannot be made of itself. So the bodies of a system are terms with holes, one for each
//! of its rules, and a rule is a term that says "the body of this rule, with the rules in its
//! holes". A system is known by its bodies: the same rules are the same terms in every grammar.

use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;

use super::{Fingerprint, Term, TermId, Terms, locked};

/// The systems of a store.
#[derive(Debug, Default)]
pub(super) struct Systems {
    all: boxcar::Vec<System>,
    /// Each by its bodies.
    index: Mutex<FxHashMap<Arc<[TermId]>, u32>>,
}

#[derive(Debug)]
pub(super) struct System {
    bodies: Arc<[TermId]>,
    nullable: Box<[bool]>,
    fingerprint: Fingerprint,
}

impl System {
    /// Whether a rule matches the empty text.
    pub(super) fn is_nullable(&self, index: u32) -> bool {
        self.nullable[index as usize]
    }

    pub(super) fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
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
        let known = |terms: &Self| locked(&terms.systems.index).get(bodies).copied();
        let frozen = self.frozen().and_then(known);
        let system = frozen.unwrap_or_else(|| {
            let mut index = locked(&self.systems.index);
            index.get(bodies).copied().unwrap_or_else(|| {
                let bodies: Arc<[TermId]> = bodies.into();
                let system = System {
                    fingerprint: self.fingerprint_of_system(&bodies),
                    bodies: Arc::clone(&bodies),
                    nullable: nullable.into(),
                };
                let number = (self.frozen_systems() + self.systems.all.push(system)) as u32;
                index.insert(bodies, number);
                number
            })
        });
        let rules = 0..bodies.len() as u32;
        rules.map(|index| self.intern(Term::Rule { system, index })).collect()
    }

    /// How many systems there are in the store from which this one goes on.
    fn frozen_systems(&self) -> usize {
        self.frozen().map_or(0, |frozen| frozen.systems.all.count())
    }

    pub(super) fn system_of(&self, system: u32) -> &System {
        let (system, frozen) = (system as usize, self.frozen_systems());
        match self.frozen() {
            Some(terms) if system < frozen => &terms.systems.all[system],
            _ => &self.systems.all[system - frozen],
        }
    }

    /// Whether the term is a rule of a system.
    pub(crate) fn is_rule(&self, term: TermId) -> bool {
        matches!(self.entry(term).term, Term::Rule { .. })
    }

    /// What a rule of a system is.
    pub(super) fn body(&self, system: u32, index: u32) -> TermId {
        let body = self.system_of(system).bodies[index as usize];
        self.fill(body, system)
    }

    /// A part of a body, with the rules of its system in the holes.
    fn fill(&self, term: TermId, system: u32) -> TermId {
        let entry = self.entry(term);
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
            match &self.entry(term).term {
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
