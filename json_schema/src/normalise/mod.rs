//! Terms to normal form, one level at a time.

mod cases;
mod contradiction;
mod place;
mod witness;

use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::error::{SchemaError, SchemaErrorKind};
use crate::normal::{Normal, Term, TermId, TooMany, Trouble};
use crate::read::{Part, Reader, constant};
use crate::resolve::SchemaId;
use crate::table::Table;

pub(crate) use place::PATTERNS;

/// The normal forms that were asked for.
#[derive(Debug)]
pub(crate) struct Normaliser<'s, 'o> {
    pub(crate) reader: Reader<'s, 'o>,
    parts: Table<SchemaId, Rc<[Part]>>,
    normals: Table<TermId, Rc<Normal>>,
    /// Terms whose normal form is being found, each for the one before.
    in_progress: Vec<TermId>,
    /// Terms whose cases are being looked at.
    split: FxHashSet<TermId>,
}

/// The branches of `oneOf`, each without the others; or as they are, and why that cannot be had.
struct Branches {
    branches: Vec<Normal>,
    trouble: Option<&'static str>,
}

impl<'s, 'o> Normaliser<'s, 'o> {
    pub(crate) fn new(reader: Reader<'s, 'o>) -> Self {
        Self {
            parts: Table::with_capacity(reader.terms.len()),
            normals: Table::with_capacity(reader.terms.len()),
            reader,
            in_progress: Vec::new(),
            split: FxHashSet::default(),
        }
    }

    /// The normal form of a term.
    pub(crate) fn normal(&mut self, term: TermId) -> Result<Rc<Normal>, SchemaError> {
        if let Some(normal) = self.normals.get(term) {
            return Ok(normal.clone());
        }
        let limits = self.reader.options.limits;
        if self.reader.terms.len() > limits.subschemas {
            return Err(SchemaError::limit(self.place(term), "subschemas", limits.subschemas));
        }
        if self.in_progress.len() > limits.depth {
            return Err(SchemaError::limit(self.place(term), "levels of nesting", limits.depth));
        }
        if self.in_progress.contains(&term) {
            return Err(SchemaError::new(SchemaErrorKind::ReferenceLoop, self.place(term)));
        }
        self.in_progress.push(term);
        // As deep as subschemas are nested, or refer to each other.
        let normal = stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.compute(term));
        self.in_progress.pop();
        let normal = normal?;
        self.place_large_patterns(term);
        self.normals.insert(term, normal.clone());
        Ok(normal)
    }

    fn compute(&mut self, term: TermId) -> Result<Rc<Normal>, SchemaError> {
        Ok(Rc::new(match self.reader.terms.get(term).clone() {
            Term::Any => Normal::any(),
            Term::Nothing => Normal::nothing(),
            Term::Value(value) => constant(&value, &mut self.reader.terms),
            Term::Schema(id) => {
                let parts = self.parts(id)?;
                match only_demand(&parts) {
                    Some(Part::Normal(normal)) => return Ok(normal.clone()),
                    Some(&Part::Term(target)) => return self.normal(target),
                    _ => self.conjunction(&parts, Some(id))?,
                }
            }
            Term::All(terms) => self.conjunction(&self.as_parts(&terms), None)?,
            Term::Some(terms) => {
                let mut union = Normal::nothing();
                for part in terms {
                    let normal = self.normal(part)?;
                    self.spend(normal.size())?;
                    union.join((*normal).clone());
                    self.check_size(&union, part)?;
                }
                union
            }
            Term::Not(inner) => self.conjunction(&[Part::Not(inner)], None)?,
        }))
    }

    /// The term that a subschema says no more than, if all it does is to refer to it.
    pub(crate) fn target(&mut self, term: TermId) -> Result<Option<TermId>, SchemaError> {
        let &Term::Schema(id) = self.reader.terms.get(term) else { return Ok(None) };
        let parts = self.parts(id)?;
        Ok(match only_demand(&parts) {
            Some(&Part::Term(target)) => Some(target),
            _ => None,
        })
    }

    /// What a subschema demands.
    fn parts(&mut self, id: SchemaId) -> Result<Rc<[Part]>, SchemaError> {
        if let Some(parts) = self.parts.get(id) {
            return Ok(parts.clone());
        }
        let parts: Rc<[Part]> = self.reader.read(id)?.into();
        self.parts.insert(id, parts.clone());
        Ok(parts)
    }

    /// What all of some terms demand.
    fn as_parts(&self, terms: &[TermId]) -> Vec<Part> {
        let parts = terms.iter().map(|&part| match self.reader.terms.get(part) {
            Term::Not(inner) => Part::Not(*inner),
            _ => Part::Term(part),
        });
        parts.collect()
    }

    fn check_size(&self, normal: &Normal, term: TermId) -> Result<(), SchemaError> {
        let limit = self.reader.options.limits.alternatives;
        if normal.objects.len().max(normal.arrays.len()) > limit {
            return Err(SchemaError::limit(self.place(term), "alternatives", limit));
        }
        Ok(())
    }

    /// All parts together.
    fn conjunction(&mut self, parts: &[Part], id: Option<SchemaId>) -> Result<Normal, SchemaError> {
        let tracked = parts.iter().any(|part| matches!(part, Part::Unevaluated { .. }));
        let mut union = Normal::nothing();
        for case in self.cases_of(parts, id, tracked)? {
            union.join(case.normal);
        }
        Ok(union)
    }

    fn and(&mut self, a: &Normal, b: &Normal, id: Option<SchemaId>) -> Result<Normal, SchemaError> {
        let limit = self.reader.options.limits.alternatives;
        a.and(b, &mut self.reader.terms, limit).map_err(|what| self.too_many(what, id))
    }

    /// The error of a subschema, or else of the innermost one whose normal form is being found.
    fn too_many(&self, what: TooMany, id: Option<SchemaId>) -> SchemaError {
        let id =
            id.or_else(|| self.in_progress.iter().rev().find_map(|&term| self.schema_of(term)));
        let pointer = id.map_or("", |id| self.reader.document.pointer(id));
        what.error(pointer, &self.reader.options.limits)
    }

    /// Counts steps of combining constraints.
    fn spend(&mut self, steps: usize) -> Result<(), SchemaError> {
        if self.reader.terms.spend(steps) {
            Ok(())
        } else {
            Err(self.too_many(TooMany::Steps, None))
        }
    }

    /// What is in `a` and not in `b`, or why that has no normal form.
    fn minus(
        &mut self,
        a: &Normal,
        b: &Normal,
    ) -> Result<Result<Normal, &'static str>, SchemaError> {
        let limit = self.reader.options.limits.alternatives;
        let (a, b) = (self.without_contradictions(a)?, self.without_contradictions(b)?);
        let mut relevant = b;
        self.keep_overlapping(&mut relevant, &a)?;
        Ok(match a.minus(&relevant, &mut self.reader.terms, limit) {
            Ok(rest) => Ok(rest),
            Err(Trouble::NoComplement(reason)) => Err(reason),
            Err(Trouble::TooMany(TooMany::Alternatives)) => Err("too many cases"),
            Err(Trouble::TooMany(what)) => return Err(self.too_many(what, None)),
        })
    }

    /// Exactly one of the branches: each without the others that it overlaps.
    fn exclusive(
        &mut self,
        normal: &Normal,
        terms: &[TermId],
        id: Option<SchemaId>,
    ) -> Result<Branches, SchemaError> {
        // What is taken away need not know the surroundings: the fewer constraints it has, the
        // simpler its complement.
        let mut alone = Vec::with_capacity(terms.len());
        let mut branches = Vec::with_capacity(terms.len());
        for &term in terms {
            let branch = self.normal(term)?;
            let both = self.and(normal, &branch, id)?;
            branches.push(self.without_contradictions(&both)?);
            alone.push(branch);
        }
        let mut exclusive = Vec::with_capacity(terms.len());
        for (index, branch) in branches.iter().enumerate() {
            let mut rest = branch.clone();
            for (other, against) in alone.iter().enumerate() {
                if other == index || rest.is_nothing() {
                    continue;
                }
                self.spend(against.size() + rest.size())?;
                let mut overlap = (**against).clone();
                self.keep_overlapping(&mut overlap, &rest)?;
                if overlap.is_nothing() {
                    continue;
                }
                match self.minus(&rest, &overlap)? {
                    Ok(left) => rest = left,
                    Err(reason) => return Ok(Branches { branches, trouble: Some(reason) }),
                }
            }
            exclusive.push(rest);
        }
        Ok(Branches { branches: exclusive, trouble: None })
    }

    /// Names a keyword as not enforced; the normal form is wider than the schema from here on.
    pub(crate) fn drop_keyword(
        &mut self,
        mut normal: Normal,
        id: Option<SchemaId>,
        keyword: &str,
        reason: &str,
    ) -> Normal {
        let id = id.unwrap_or(SchemaId::ROOT);
        let refusal = if keyword.is_empty() {
            self.reader.refuse_whole(id, reason)
        } else {
            self.reader.refuse(id, keyword, reason)
        };
        normal.refused.insert(refusal);
        normal
    }
}

/// The part that demands anything, if it is the only one.
fn only_demand(parts: &[Part]) -> Option<&Part> {
    let mut demands = parts.iter().filter(|part| part.demands());
    let first = demands.next()?;
    demands.next().is_none().then_some(first)
}
