//! What evidently has no value: the more of it is seen, the fewer alternatives are left.

use super::Normaliser;
use crate::error::{SchemaError, SchemaErrorKind};
use crate::normal::{ArrayShape, Constraint, Normal, ObjectShape, TermId, Terms};

/// How deep to look for a contradiction when two constraints are held against each other. Not to
/// find one costs time, not exactness.
const DEPTH: usize = 3;

impl Normaliser<'_, '_> {
    /// Leaves out the alternatives that evidently have no value.
    pub(super) fn without_contradictions(
        &mut self,
        normal: &Normal,
    ) -> Result<Normal, SchemaError> {
        self.spend(normal.size())?;
        let mut rest = normal.clone();
        let mut kept = Vec::with_capacity(rest.objects.len());
        for shape in rest.objects {
            if !self.object_contradicts(&shape, DEPTH)? {
                kept.push(shape);
            }
        }
        rest.objects = kept;
        Ok(rest)
    }

    /// Leaves out the alternatives that evidently have nothing in common with the other union.
    pub(super) fn keep_overlapping(
        &mut self,
        normal: &mut Normal,
        other: &Normal,
    ) -> Result<(), SchemaError> {
        let mut kept = Vec::new();
        for shape in std::mem::take(&mut normal.objects) {
            for against in &other.objects {
                self.spend(shape.size() + against.size())?;
                if let Some(both) = shape.and(against, &mut self.reader.terms)
                    && !self.object_contradicts(&both, DEPTH)?
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
                self.spend(shape.size() + against.size())?;
                if let Some(both) = shape.and(against, &mut self.reader.terms)
                    && !self.array_contradicts(&both, DEPTH)?
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

    /// Whether a term evidently has no value.
    pub(super) fn is_contradiction(&mut self, term: TermId) -> Result<bool, SchemaError> {
        self.contradicts(term, DEPTH)
    }

    fn object_contradicts(
        &mut self,
        shape: &ObjectShape,
        depth: usize,
    ) -> Result<bool, SchemaError> {
        self.spend(shape.size() * (1 + shape.witnesses.len()))?;
        for (key, ()) in shape.required.iter() {
            let value = shape.value(key, &mut self.reader.terms);
            if self.contradicts(value, depth)? {
                return Ok(true);
            }
        }
        for witness in &shape.witnesses {
            let mut values = Vec::new();
            for (key, &value) in shape.properties.iter() {
                if self.reader.terms.is_key(witness.keys, key) {
                    values.push(value);
                }
            }
            for region in shape.others.iter() {
                let common = self.reader.terms.common_keys(region.keys, witness.keys);
                if self.reader.terms.has_keys(common) {
                    values.push(region.value);
                }
            }
            if self.none_is_also(witness.value, values, depth)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn array_contradicts(&mut self, shape: &ArrayShape, depth: usize) -> Result<bool, SchemaError> {
        self.spend(shape.size() * (1 + shape.contains.len()))?;
        let length = shape.min.min(shape.prefix.len() as u64 + 1) as usize;
        for index in 0..length {
            if self.contradicts(shape.item(index), depth)? {
                return Ok(true);
            }
        }
        for contains in shape.contains.iter().filter(|contains| contains.min > 0) {
            let counted = shape.prefix.iter().skip(contains.from as usize);
            let items = counted.chain([&shape.items]).copied().collect();
            if self.none_is_also(contains.term, items, depth)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether evidently none of some terms has a value that is also one of another term.
    fn none_is_also(
        &mut self,
        term: TermId,
        others: Vec<TermId>,
        depth: usize,
    ) -> Result<bool, SchemaError> {
        for other in others {
            let both = self.reader.terms.all(&[other, term]);
            if !self.contradicts(both, depth)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn contradicts(&mut self, term: TermId, depth: usize) -> Result<bool, SchemaError> {
        if term == TermId::ANY || depth == 0 {
            return Ok(false);
        }
        if term == TermId::NOTHING {
            return Ok(true);
        }
        let normal = match self.normal(term) {
            Ok(normal) => normal,
            // What is still being looked at, or too large to be, is not known to be empty.
            Err(error)
                if matches!(
                    error.kind(),
                    SchemaErrorKind::ReferenceLoop | SchemaErrorKind::Limit { .. }
                ) =>
            {
                // But that the steps have run out holds everywhere.
                self.spend(0)?;
                return Ok(false);
            }
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
