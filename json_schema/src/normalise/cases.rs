//! A conjunction case by case.
//!
//! `unevaluatedProperties` and `unevaluatedItems` depend on which of the subschemas beside them
//! hold, so the cases are told apart by what they evaluate. Where nobody asks, there is only one.
//! A case need not exclude the others: of two that hold for a value, the one that evaluates more
//! demands less, and it is there too.

use std::slice::from_ref;

use super::{Branches, Normaliser, only_demand};
use crate::error::{SchemaError, SchemaErrorKind};
use crate::language::LanguageId;
use crate::normal::{
    Constraint, Evaluated, KeyId, Keys, Normal, ObjectShape, Regions, StringSet, Term, TermId,
    TooMany,
};
use crate::read::Part;
use crate::resolve::SchemaId;

/// Values, and what is evaluated of each of them.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) normal: Normal,
    evaluated: Evaluated,
}

impl Case {
    fn plain(normal: Normal) -> Self {
        Self { normal, evaluated: Evaluated::default() }
    }
}

/// A subschema whose parts are being taken together.
#[derive(Clone, Copy)]
struct Place {
    id: Option<SchemaId>,
    /// Whether it matters what is evaluated.
    tracked: bool,
}

impl Normaliser<'_, '_> {
    /// The cases of all parts together: first what must be, then what must not, and what is left
    /// to the unevaluated.
    pub(super) fn cases_of(
        &mut self,
        parts: &[Part],
        id: Option<SchemaId>,
        tracked: bool,
    ) -> Result<Vec<Case>, SchemaError> {
        let place = Place { id, tracked };
        let mut cases = vec![Case::plain(Normal::any())];
        // Beside what else is demanded fewer branches overlap.
        let mut one_of = Vec::new();
        for part in parts {
            match part {
                Part::Normal(other) => self.restrict(&mut cases, other, place)?,
                Part::Term(term) => {
                    if !tracked && let Some(branches) = self.only_one_of(*term)? {
                        one_of.push(branches);
                        continue;
                    }
                    if tracked {
                        let others = self.cases(*term, place)?;
                        cases = self.product(&cases, &others, place)?;
                    } else {
                        self.restrict_to(&mut cases, *term, place)?;
                    }
                }
                Part::AnyOf(terms) if tracked => {
                    let others = self.any_of(terms, place)?;
                    cases = self.product(&cases, &others, place)?;
                }
                Part::AnyOf(terms) => {
                    let any = self.reader.terms.some(terms);
                    self.restrict_to(&mut cases, any, place)?;
                }
                Part::Evaluates(evaluated) if tracked => {
                    for case in &mut cases {
                        case.evaluated = case.evaluated.join(evaluated, &mut self.reader.terms);
                    }
                }
                _ => {}
            }
        }
        for part in parts {
            match part {
                Part::Names(term) => {
                    let keys = self.names(*term, place)?;
                    self.restrict(&mut cases, &keys, place)?;
                }
                &Part::DependentKeys { key, ref needs, keyword } => {
                    let with = Case::plain(having(key, needs));
                    cases = self.depending(cases, key, &[with], keyword, place)?;
                }
                &Part::DependentSchema { key, term, keyword } => {
                    let mut with = self.cases(term, place)?;
                    self.restrict(&mut with, &having(key, &[]), place)?;
                    cases = self.depending(cases, key, &with, keyword, place)?;
                }
                &Part::If { condition, then, otherwise } => {
                    cases = self.either(cases, condition, (then, otherwise), place)?;
                }
                Part::Not(inner) => self.exclude(&mut cases, *inner, place)?,
                Part::OneOf(terms) => cases = self.one_of(&cases, terms, place)?,
                Part::Normal(_)
                | Part::Term(_)
                | Part::AnyOf(_)
                | Part::Evaluates(_)
                | Part::Unevaluated { .. } => {}
            }
        }
        for (id, terms) in one_of {
            cases = self.one_of(&cases, &terms, Place { id: Some(id), tracked })?;
        }
        for part in parts {
            if let &Part::Unevaluated { properties, items } = part {
                self.close(&mut cases, properties, items, place)?;
            }
        }
        Ok(cases)
    }

    /// The branches of a subschema that is nothing but `oneOf`, unless its normal form is known already.
    fn only_one_of(
        &mut self,
        term: TermId,
    ) -> Result<Option<(SchemaId, Vec<TermId>)>, SchemaError> {
        let &Term::Schema(id) = self.reader.terms.get(term) else { return Ok(None) };
        if self.normals.get(term).is_some() {
            return Ok(None);
        }
        let parts = self.parts(id)?;
        Ok(match only_demand(&parts) {
            Some(Part::OneOf(terms)) => Some((id, terms.clone())),
            _ => None,
        })
    }

    /// The cases of a term.
    fn cases(&mut self, term: TermId, place: Place) -> Result<Vec<Case>, SchemaError> {
        if !place.tracked {
            return self.only_case(term);
        }
        if !self.split.insert(term) {
            return Err(SchemaError::new(SchemaErrorKind::ReferenceLoop, self.place(term)));
        }
        let cases = match self.reader.terms.get(term).clone() {
            Term::Schema(id) => {
                let parts = self.parts(id)?;
                self.cases_of(&parts, Some(id), true)
            }
            Term::All(terms) => self.cases_of(&self.as_parts(&terms), None, true),
            Term::Some(terms) => self.any_of(&terms, place),
            Term::Any | Term::Nothing | Term::Value(_) | Term::Not(_) => self.only_case(term),
        };
        self.split.remove(&term);
        cases
    }

    /// All values of a term as one case.
    fn only_case(&mut self, term: TermId) -> Result<Vec<Case>, SchemaError> {
        let normal = self.normal(term)?;
        self.spend(normal.size())?;
        Ok(vec![Case::plain((*normal).clone())])
    }

    /// Any of the branches, and all sets of them that evaluate more together.
    fn any_of(&mut self, terms: &[TermId], place: Place) -> Result<Vec<Case>, SchemaError> {
        let mut union: Vec<Case> = Vec::new();
        for &term in terms {
            let branch = self.cases(term, place)?;
            let mut more = branch.clone();
            for case in &union {
                for one in &branch {
                    let both = case.evaluated.join(&one.evaluated, &mut self.reader.terms);
                    if both != case.evaluated && both != one.evaluated {
                        let both = self.product(from_ref(case), from_ref(one), place)?;
                        self.gather(&mut more, both, place)?;
                    }
                }
            }
            self.gather(&mut union, more, place)?;
        }
        Ok(union)
    }

    /// What is in a case of each.
    fn product(
        &mut self,
        left: &[Case],
        right: &[Case],
        place: Place,
    ) -> Result<Vec<Case>, SchemaError> {
        let mut both = Vec::with_capacity(left.len().max(right.len()));
        for a in left {
            for b in right {
                let normal = self.and(&a.normal, &b.normal, place.id)?;
                let evaluated = a.evaluated.join(&b.evaluated, &mut self.reader.terms);
                self.gather(&mut both, [Case { normal, evaluated }], place)?;
            }
        }
        Ok(both)
    }

    /// Adds cases to others; those that evaluate the same are one.
    fn gather(
        &mut self,
        cases: &mut Vec<Case>,
        more: impl IntoIterator<Item = Case>,
        place: Place,
    ) -> Result<(), SchemaError> {
        for mut case in more {
            // What is evaluated is mostly little.
            self.spend(cases.len() / 8 + case.normal.size())?;
            if case.normal.objects.is_empty() && case.normal.arrays.is_empty() {
                case.evaluated = Evaluated::default();
            }
            match cases.iter_mut().find(|known| known.evaluated == case.evaluated) {
                Some(known) => known.normal.join(case.normal),
                None => cases.push(case),
            }
        }
        if cases.len() > self.reader.options.limits.alternatives {
            return Err(self.too_many(TooMany::Alternatives, place.id));
        }
        Ok(())
    }

    fn restrict(
        &mut self,
        cases: &mut [Case],
        other: &Normal,
        place: Place,
    ) -> Result<(), SchemaError> {
        for case in cases {
            case.normal = self.and(&case.normal, other, place.id)?;
        }
        Ok(())
    }

    /// The values of a term, whatever it evaluates.
    fn restrict_to(
        &mut self,
        cases: &mut [Case],
        term: TermId,
        place: Place,
    ) -> Result<(), SchemaError> {
        let normal = self.normal(term)?;
        self.spend(normal.size())?;
        self.restrict(cases, &normal, place)
    }

    /// Objects whose keys are all strings of the term.
    fn names(&mut self, term: TermId, place: Place) -> Result<Normal, SchemaError> {
        let names = self.normal(term)?;
        let terms = &mut self.reader.terms;
        let refused = names.refused.clone();
        let any = Normal { refused, ..Normal::any() };
        let Some(keys) = StringSet::any_of(&names.strings, terms) else {
            let reason = "keys of this format are no regular language";
            return Ok(self.drop_keyword(any, place.id, "propertyNames", reason));
        };
        let others = Regions::split(keys, TermId::ANY, TermId::NOTHING, terms);
        Ok(Normal { objects: vec![ObjectShape::with_others(others)], ..any })
    }

    /// Without the key, or with it and what comes with it.
    fn depending(
        &mut self,
        cases: Vec<Case>,
        key: KeyId,
        with: &[Case],
        keyword: &str,
        place: Place,
    ) -> Result<Vec<Case>, SchemaError> {
        let mut union = self.product(&cases, &[Case::plain(without(key))], place)?;
        let having = self.product(&cases, with, place)?;
        self.gather(&mut union, having, place)?;
        let limit = self.reader.options.limits.alternatives;
        if union.iter().any(|case| case.normal.objects.len() > limit) {
            return Ok(self.drop_from(cases, place.id, keyword, "too many cases"));
        }
        Ok(union)
    }

    fn drop_from(
        &mut self,
        mut cases: Vec<Case>,
        id: Option<SchemaId>,
        keyword: &str,
        reason: &str,
    ) -> Vec<Case> {
        for case in &mut cases {
            let normal = std::mem::take(&mut case.normal);
            case.normal = self.drop_keyword(normal, id, keyword, reason);
        }
        cases
    }

    /// `if`, `then`, `else`.
    fn either(
        &mut self,
        cases: Vec<Case>,
        condition: TermId,
        (then, otherwise): (TermId, TermId),
        place: Place,
    ) -> Result<Vec<Case>, SchemaError> {
        let unmet = self.normal(condition)?;
        let mut other = Vec::with_capacity(cases.len());
        for case in &cases {
            match self.minus(&case.normal, &unmet)? {
                Ok(normal) => other.push(Case { normal, ..case.clone() }),
                Err(reason) => return Ok(self.drop_from(cases, place.id, "if", reason)),
            }
        }
        let met = self.cases(condition, place)?;
        let met = self.product(&cases, &met, place)?;
        let then = self.cases(then, place)?;
        let mut union = self.product(&met, &then, place)?;
        let otherwise = self.cases(otherwise, place)?;
        let other = self.product(&other, &otherwise, place)?;
        self.gather(&mut union, other, place)?;
        Ok(union)
    }

    fn exclude(
        &mut self,
        cases: &mut [Case],
        inner: TermId,
        place: Place,
    ) -> Result<(), SchemaError> {
        let excluded = self.normal(inner)?;
        for case in cases {
            let normal = std::mem::take(&mut case.normal);
            case.normal = match self.minus(&normal, &excluded)? {
                Ok(rest) => rest,
                Err(reason) => match place.id {
                    Some(id) => self.drop_keyword(normal, Some(id), "not", reason),
                    None => self.drop_keyword(normal, self.schema_of(inner), "", reason),
                },
            };
        }
        Ok(())
    }

    fn one_of(
        &mut self,
        cases: &[Case],
        terms: &[TermId],
        place: Place,
    ) -> Result<Vec<Case>, SchemaError> {
        let mut union = Vec::new();
        for case in cases {
            let Branches { branches, trouble } = self.exclusive(&case.normal, terms, place.id)?;
            for (normal, &term) in branches.into_iter().zip(terms) {
                let mut rest = Case { normal, evaluated: case.evaluated.clone() };
                if let Some(reason) = trouble {
                    let reason = format!("branches overlap, and one has no complement: {reason}");
                    rest.normal = self.drop_keyword(rest.normal, place.id, "oneOf", &reason);
                }
                if place.tracked {
                    let branch = self.cases(term, place)?;
                    let both = self.product(&[rest], &branch, place)?;
                    self.gather(&mut union, both, place)?;
                } else {
                    self.gather(&mut union, [rest], place)?;
                }
            }
        }
        Ok(union)
    }

    /// What must be of the keys and items that are not evaluated; after that all are.
    fn close(
        &mut self,
        cases: &mut Vec<Case>,
        properties: Option<TermId>,
        items: Option<TermId>,
        place: Place,
    ) -> Result<(), SchemaError> {
        let mut closed = Vec::with_capacity(cases.len());
        for mut case in cases.drain(..) {
            let terms = &mut self.reader.terms;
            let mut rest = Normal::any();
            if let Some(value) = properties {
                rest.objects = vec![case.evaluated.other_keys(value, terms)];
                case.evaluated.patterns = LanguageId::EVERYTHING;
            }
            if let Some(value) = items {
                rest.arrays = vec![case.evaluated.other_items(value, terms)];
                case.evaluated.all_items = true;
            }
            case.normal = self.and(&case.normal, &rest, place.id)?;
            closed.push(case);
        }
        self.gather(cases, closed, place)
    }
}

/// Everything but objects with this key.
fn without(key: KeyId) -> Normal {
    let mut shape = ObjectShape::any();
    shape.properties.set(key, TermId::NOTHING);
    Normal { objects: vec![shape], ..Normal::any() }
}

/// Objects with this key and these others.
fn having(key: KeyId, others: &[KeyId]) -> Normal {
    let mut required = Keys::default();
    required.set(key, ());
    for &other in others {
        required.set(other, ());
    }
    let shape = ObjectShape { required, ..ObjectShape::any() };
    Normal { objects: vec![shape], ..Normal::nothing() }
}
