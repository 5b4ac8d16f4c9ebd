//! Terms to normal form, one level at a time.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use crate::error::{SchemaError, SchemaErrorKind};
use crate::normal::{
    ArrayShape, Constraint, Keys, Normal, ObjectShape, Term, TermId, Terms, Trouble,
};
use crate::read::{Part, Reader, constant};
use crate::resolve::SchemaId;

/// The normal forms that were asked for.
#[derive(Debug)]
pub(crate) struct Normaliser<'s, 'o> {
    pub(crate) reader: Reader<'s, 'o>,
    parts: HashMap<SchemaId, Rc<Vec<Part>>>,
    normals: HashMap<TermId, Rc<Normal>>,
    in_progress: HashSet<TermId>,
}

/// How deep to look for a contradiction when two constraints are held against each other. Not to
/// find one costs time, not exactness.
const CONTRADICTION_DEPTH: usize = 3;

impl<'s, 'o> Normaliser<'s, 'o> {
    pub(crate) fn new(reader: Reader<'s, 'o>) -> Self {
        Self { reader, parts: HashMap::new(), normals: HashMap::new(), in_progress: HashSet::new() }
    }

    /// The normal form of a term.
    pub(crate) fn normal(&mut self, term: TermId) -> Result<Rc<Normal>, SchemaError> {
        if let Some(normal) = self.normals.get(&term) {
            return Ok(normal.clone());
        }
        let limits = self.reader.options.limits;
        if self.reader.terms.len() > limits.subschemas {
            return Err(SchemaError::limit(self.place(term), "subschemas", limits.subschemas));
        }
        if self.in_progress.len() > limits.depth {
            return Err(SchemaError::limit(self.place(term), "levels of nesting", limits.depth));
        }
        if !self.in_progress.insert(term) {
            return Err(SchemaError::new(SchemaErrorKind::ReferenceLoop, self.place(term)));
        }
        let normal = self.compute(term);
        self.in_progress.remove(&term);
        let normal = Rc::new(normal?);
        self.normals.insert(term, normal.clone());
        Ok(normal)
    }

    /// The JSON Pointer of the first subschema in a term.
    pub(crate) fn place(&self, term: TermId) -> String {
        match self.schema_of(term) {
            Some(id) => self.reader.document.pointer(id).to_owned(),
            None => String::new(),
        }
    }

    /// The first subschema in a term.
    pub(crate) fn schema_of(&self, mut term: TermId) -> Option<SchemaId> {
        loop {
            match self.reader.terms.get(term) {
                Term::Schema(id) => return Some(*id),
                Term::All(parts) | Term::Some(parts) => term = parts[0],
                Term::Not(inner) => term = *inner,
                Term::Any | Term::Nothing | Term::Value(_) => return None,
            }
        }
    }

    fn compute(&mut self, term: TermId) -> Result<Normal, SchemaError> {
        match self.reader.terms.get(term).clone() {
            Term::Any => Ok(Normal::any()),
            Term::Nothing => Ok(Normal::nothing()),
            Term::Value(value) => Ok(constant(&value, &mut self.reader.terms)),
            Term::Schema(id) => {
                let parts = if let Some(parts) = self.parts.get(&id) {
                    parts.clone()
                } else {
                    let parts = Rc::new(self.reader.read(id)?);
                    self.parts.insert(id, parts.clone());
                    parts
                };
                self.conjunction(&parts, Some(id))
            }
            Term::All(terms) => {
                let parts: Vec<Part> = terms
                    .iter()
                    .map(|&part| match self.reader.terms.get(part) {
                        Term::Not(inner) => Part::Not(*inner),
                        _ => Part::Term(part),
                    })
                    .collect();
                self.conjunction(&parts, None)
            }
            Term::Some(terms) => {
                let mut union = Normal::nothing();
                for part in terms {
                    union.join((*self.normal(part)?).clone());
                    self.check_size(&union, part)?;
                }
                Ok(union)
            }
            Term::Not(inner) => self.conjunction(&[Part::Not(inner)], None),
        }
    }

    fn check_size(&self, normal: &Normal, term: TermId) -> Result<(), SchemaError> {
        let limit = self.reader.options.limits.alternatives;
        if normal.objects.len().max(normal.arrays.len()) > limit {
            return Err(SchemaError::limit(self.place(term), "alternatives", limit));
        }
        Ok(())
    }

    /// All parts together: first what must be, then what must not.
    fn conjunction(&mut self, parts: &[Part], id: Option<SchemaId>) -> Result<Normal, SchemaError> {
        let mut normal = Normal::any();
        for part in parts {
            match part {
                Part::Normal(other) => normal = self.and(&normal, other, id)?,
                Part::Term(term) => {
                    let other = self.normal(*term)?;
                    normal = self.and(&normal, &other, id)?;
                }
                _ => {}
            }
        }
        for part in parts {
            normal = match part {
                Part::Normal(_) | Part::Term(_) => continue,
                Part::DependentKeys { key, needs, keyword } => {
                    let having = having(key, needs);
                    self.split(&normal, (&without(key), &having), keyword, id)?
                }
                Part::DependentSchema { key, term, keyword } => {
                    let schema = self.normal(*term)?;
                    let having = self.and(&having(key, &[]), &schema, id)?;
                    self.split(&normal, (&without(key), &having), keyword, id)?
                }
                Part::If { condition, then, otherwise } => {
                    let condition = self.normal(*condition)?;
                    let then = self.normal(*then)?;
                    let otherwise = self.normal(*otherwise)?;
                    let met = self.and(&normal, &condition, id)?;
                    match self.minus(&normal, &condition)? {
                        Ok(unmet) => {
                            let mut union = self.and(&met, &then, id)?;
                            union.join(self.and(&unmet, &otherwise, id)?);
                            union
                        }
                        Err(reason) => self.drop_keyword(normal, id, "if", reason),
                    }
                }
                Part::Not(inner) => {
                    let other = self.normal(*inner)?;
                    match self.minus(&normal, &other)? {
                        Ok(rest) => rest,
                        Err(reason) if id.is_none() => {
                            let place = self.schema_of(*inner);
                            self.drop_keyword(normal, place, "", reason)
                        }
                        Err(reason) => self.drop_keyword(normal, id, "not", reason),
                    }
                }
                Part::OneOf(terms) => self.one_of(&normal, terms, id)?,
            };
        }
        Ok(normal)
    }

    fn and(&mut self, a: &Normal, b: &Normal, id: Option<SchemaId>) -> Result<Normal, SchemaError> {
        let limit = self.reader.options.limits.alternatives;
        a.and(b, &mut self.reader.terms, limit).map_err(|_| {
            let pointer = id.map_or("", |id| self.reader.document.pointer(id));
            SchemaError::limit(pointer, "alternatives", limit)
        })
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
            Err(Trouble::TooManyAlternatives) => Err("too many cases"),
        })
    }

    /// The union of two cases of a normal form.
    fn split(
        &mut self,
        normal: &Normal,
        (left, right): (&Normal, &Normal),
        keyword: &str,
        id: Option<SchemaId>,
    ) -> Result<Normal, SchemaError> {
        let mut union = self.and(normal, left, id)?;
        union.join(self.and(normal, right, id)?);
        if union.objects.len() > self.reader.options.limits.alternatives {
            return Ok(self.drop_keyword(normal.clone(), id, keyword, "too many cases"));
        }
        Ok(union)
    }

    /// Exactly one of the branches: each without the others that it overlaps.
    fn one_of(
        &mut self,
        normal: &Normal,
        terms: &[TermId],
        id: Option<SchemaId>,
    ) -> Result<Normal, SchemaError> {
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
        let mut union = Normal { widened: normal.widened, ..Normal::nothing() };
        let mut failure = None;
        'branches: for (index, branch) in branches.iter().enumerate() {
            let mut rest = branch.clone();
            for (other, against) in alone.iter().enumerate() {
                if other == index || rest.is_nothing() {
                    continue;
                }
                let mut overlap = (**against).clone();
                self.keep_overlapping(&mut overlap, &rest)?;
                if overlap.is_nothing() {
                    continue;
                }
                match self.minus(&rest, &overlap)? {
                    Ok(left) => rest = left,
                    Err(reason) => {
                        failure = Some(reason);
                        break 'branches;
                    }
                }
            }
            union.join(rest);
        }
        let Some(reason) = failure else { return Ok(union) };
        let mut union = Normal::nothing();
        for branch in branches {
            union.join(branch);
        }
        let reason = format!("branches overlap, and one has no complement: {reason}");
        Ok(self.drop_keyword(union, id, "oneOf", &reason))
    }

    /// Names a keyword as not enforced; the normal form is wider than the schema from here on.
    fn drop_keyword(
        &mut self,
        normal: Normal,
        id: Option<SchemaId>,
        keyword: &str,
        reason: &str,
    ) -> Normal {
        let id = id.unwrap_or(SchemaId::ROOT);
        if keyword.is_empty() {
            self.reader.refuse_whole(id, reason);
        } else {
            self.reader.refuse(id, keyword, reason);
        }
        Normal { widened: true, ..normal }
    }

    /// Leaves out the alternatives that evidently have no value.
    fn without_contradictions(&mut self, normal: &Normal) -> Result<Normal, SchemaError> {
        let mut rest = normal.clone();
        let mut kept = Vec::with_capacity(rest.objects.len());
        for shape in rest.objects {
            if !self.object_contradicts(&shape, CONTRADICTION_DEPTH)? {
                kept.push(shape);
            }
        }
        rest.objects = kept;
        Ok(rest)
    }

    /// Leaves out the alternatives that evidently have nothing in common with the other union.
    fn keep_overlapping(&mut self, normal: &mut Normal, other: &Normal) -> Result<(), SchemaError> {
        let mut kept = Vec::new();
        for shape in std::mem::take(&mut normal.objects) {
            for against in &other.objects {
                if let Some(both) = shape.and(against, &mut self.reader.terms)
                    && !self.object_contradicts(&both, CONTRADICTION_DEPTH)?
                {
                    kept.push(shape);
                    break;
                }
            }
        }
        normal.objects = kept;
        let mut kept = Vec::new();
        for shape in std::mem::take(&mut normal.arrays) {
            for against in &other.arrays {
                if let Some(both) = shape.and(against, &mut self.reader.terms)
                    && !self.array_contradicts(&both, CONTRADICTION_DEPTH)?
                {
                    kept.push(shape);
                    break;
                }
            }
        }
        normal.arrays = kept;
        keep_meeting(&mut normal.numbers, &other.numbers, &mut self.reader.terms);
        keep_meeting(&mut normal.strings, &other.strings, &mut self.reader.terms);
        normal.null &= other.null;
        for (mine, theirs) in normal.booleans.iter_mut().zip(other.booleans) {
            *mine &= theirs;
        }
        Ok(())
    }

    fn object_contradicts(
        &mut self,
        shape: &ObjectShape,
        depth: usize,
    ) -> Result<bool, SchemaError> {
        let required: Vec<TermId> =
            shape.required.iter().map(|(key, ())| shape.value(key)).collect();
        for term in required {
            if self.contradicts(term, depth)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn array_contradicts(&mut self, shape: &ArrayShape, depth: usize) -> Result<bool, SchemaError> {
        let length = shape.min.min(shape.prefix.len() as u64 + 1) as usize;
        for index in 0..length {
            if self.contradicts(shape.item(index), depth)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a term evidently has no value.
    fn contradicts(&mut self, term: TermId, depth: usize) -> Result<bool, SchemaError> {
        if term == TermId::ANY || depth == 0 {
            return Ok(false);
        }
        let normal = match self.normal(term) {
            Ok(normal) => normal,
            // What is still being looked at is not known to be empty.
            Err(error) if *error.kind() == SchemaErrorKind::ReferenceLoop => return Ok(false),
            Err(error) => return Err(error),
        };
        if normal.null
            || normal.booleans != [false; 2]
            || !normal.numbers.is_empty()
            || !normal.strings.is_empty()
        {
            return Ok(false);
        }
        for shape in &normal.objects {
            if !self.object_contradicts(shape, depth - 1)? {
                return Ok(false);
            }
        }
        for shape in &normal.arrays {
            if !self.array_contradicts(shape, depth - 1)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn keep_meeting<C: Constraint>(union: &mut Vec<C>, others: &[C], terms: &mut Terms) {
    union.retain(|one| others.iter().any(|other| one.and(other, terms).is_some()));
}

/// Everything but objects with this key.
fn without(key: &str) -> Normal {
    let mut shape = ObjectShape::any();
    shape.properties.set(&Arc::from(key), TermId::NOTHING);
    Normal { objects: vec![shape], ..Normal::any() }
}

/// Objects with this key and these others.
fn having(key: &str, others: &[Arc<str>]) -> Normal {
    let mut required = Keys::default();
    required.set(&Arc::from(key), ());
    for other in others {
        required.set(other, ());
    }
    let shape = ObjectShape { required, ..ObjectShape::any() };
    Normal { objects: vec![shape], ..Normal::nothing() }
}
