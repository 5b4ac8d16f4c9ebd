//! Arrays.

use std::collections::HashMap;
use std::rc::Rc;

use grammask_gbnf::{Expr, ExprKind, Member, Repetition, Unique};

use super::{Emitter, Normals, choice, sequence};
use crate::error::SchemaError;
use crate::normal::{ArrayShape, Normal, TermId, Terms};

/// How many optional items are nested in one rule.
const MOST_LEVELS: usize = 16;
/// How many `contains` may hold for one array: an item may be of any set of them.
pub(super) const MOST_CONTAINS: usize = 8;
/// How many alternatives there may be for the items of one array, over all numbers of items.
const MOST_ALTERNATIVES: usize = 200_000;

impl Emitter<'_, '_, '_> {
    /// An array of this shape, which is pruned.
    pub(super) fn array(
        &mut self,
        name: &str,
        shape: &ArrayShape,
        normals: &Normals,
    ) -> Result<Expr, SchemaError> {
        let gap = self.gap();
        let items = if shape.unique {
            self.unique_items(shape, normals)?
        } else if shape.contains.is_empty() {
            self.items(name, shape, normals)?
        } else {
            self.counted_items(name, shape, normals)?
        };
        Ok(sequence([Expr::literal("["), gap, items, Expr::literal("]")]))
    }

    /// Items of which no two are equal. Scalars that are all alike are keys, and no key occurs
    /// twice; others are compared by what they are made of.
    fn unique_items(&mut self, shape: &ArrayShape, normals: &Normals) -> Result<Expr, SchemaError> {
        self.note(
            "items that must be different have one spelling: numbers without fraction 0 or \
                   exponent, strings with an escape only where JSON requires one",
        );
        let is_scalar = |item: &Rc<Normal>| item.objects.is_empty() && item.arrays.is_empty();
        if shape.prefix.is_empty()
            && normals.get(self.targets.of(shape.items)).is_some_and(is_scalar)
        {
            let key = self.singly(|emitter| emitter.value(shape.items, normals));
            let member = Member { key, repetition: Repetition::MANY, value: self.gap() };
            return self.members(vec![member], shape.min, shape.max);
        }
        let (min, max) = self.bounds(shape.min, shape.max)?;
        let gap = self.gap();
        let mut item = |term: TermId| {
            let value = self.singly(|emitter| emitter.value(term, normals));
            sequence([value, gap.clone()])
        };
        let first = shape.prefix.iter().map(|&term| item(term)).collect();
        let rest = (shape.items != TermId::NOTHING).then(|| item(shape.items));
        let separator = self.separator(",");
        Ok(Expr::new(ExprKind::Unique(Box::new(Unique { first, rest, separator, min, max }))))
    }

    /// The items one after the other.
    fn items(
        &mut self,
        name: &str,
        shape: &ArrayShape,
        normals: &Normals,
    ) -> Result<Expr, SchemaError> {
        let gap = self.gap();
        let comma = self.separator(",");
        let length = shape.prefix.len();
        let mut rest = Expr::empty();
        if shape.items != TermId::NOTHING {
            let value = self.value(shape.items, normals);
            let item = sequence([value, gap.clone()]);
            let more = sequence([comma.clone(), item.clone()]);
            let (min, max) = (
                shape.min.saturating_sub(length as u64),
                shape.max.map(|max| max.saturating_sub(length as u64)),
            );
            rest = if length > 0 {
                self.counted(more, min, max)?
            } else {
                let more = self.counted(
                    more,
                    min.saturating_sub(1),
                    max.map(|max| max.saturating_sub(1)),
                )?;
                let items = sequence([item, more]);
                if min == 0 { items.optional() } else { items }
            };
        }
        let mut levels = 0;
        for (index, &item) in shape.prefix.iter().enumerate().rev() {
            let value = self.value(item, normals);
            let item = sequence([value, gap.clone(), rest]);
            rest = if index == 0 { item } else { sequence([comma.clone(), item]) };
            if shape.min <= index as u64 {
                rest = rest.optional();
                levels += 1;
                if levels % MOST_LEVELS == 0 {
                    let rule = self.fresh(&format!("{name}-from-{index}"));
                    self.rule(rule.clone(), rest)?;
                    rest = Expr::reference(rule);
                }
            }
        }
        Ok(rest)
    }

    /// The items with those counted that `contains` speaks of: a rule for what may follow each
    /// number of items and of counted ones, as far as the numbers matter.
    fn counted_items(
        &mut self,
        name: &str,
        shape: &ArrayShape,
        normals: &Normals,
    ) -> Result<Expr, SchemaError> {
        let gap = self.gap();
        let comma = self.separator(",");
        let mut alternatives = 0;
        let start = Counts { items: 0, counted: vec![0; shape.contains.len()] };
        let mut rules = HashMap::from([(start.clone(), self.fresh(&format!("{name}-items")))]);
        let mut pending = vec![start.clone()];
        while let Some(counts) = pending.pop() {
            let mut cases = Vec::new();
            if counts.may_end(shape) {
                cases.push(Expr::empty());
            }
            let variants = variants(shape, counts.items, &mut self.normaliser.reader.terms);
            alternatives += variants.len();
            if alternatives > MOST_ALTERNATIVES {
                let name = "alternatives for counted items";
                return Err(self.limit(&["contains"], name, MOST_ALTERNATIVES));
            }
            for Variant { counted, item } in variants {
                let Some(next) = counts.after(shape, &counted) else { continue };
                if !self.is_possible(item) {
                    continue;
                }
                let rule = if let Some(rule) = rules.get(&next) {
                    rule.clone()
                } else {
                    let rule = self.fresh(&format!("{name}-items"));
                    rules.insert(next.clone(), rule.clone());
                    pending.push(next);
                    rule
                };
                let comma = if counts.items == 0 { Expr::empty() } else { comma.clone() };
                let value = self.value(item, normals);
                cases.push(sequence([comma, value, gap.clone(), Expr::reference(rule)]));
            }
            self.rule(rules[&counts].clone(), choice(cases))?;
        }
        Ok(Expr::reference(rules[&start].clone()))
    }
}

/// How many items there are, and how many of them each `contains` has counted, as far as it
/// matters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Counts {
    items: u64,
    counted: Vec<u64>,
}

impl Counts {
    fn may_end(&self, shape: &ArrayShape) -> bool {
        self.items >= least_items(shape)
            && shape.contains.iter().zip(&self.counted).all(|(one, &counted)| counted >= one.min)
    }

    /// After one more item, which counts as said; `None` if that is too much.
    fn after(&self, shape: &ArrayShape, counts: &[bool]) -> Option<Self> {
        if shape.max.is_some_and(|max| self.items >= max) {
            return None;
        }
        let matters = shape.contains.iter().map(|one| one.from).max().unwrap_or(0);
        let most =
            shape.max.unwrap_or(least_items(shape)).max(matters).max(shape.prefix.len() as u64);
        // From the second item on there is a comma.
        let items = (self.items + 1).min(most.max(1));
        let mut counted = self.counted.clone();
        for ((counted, one), counts) in counted.iter_mut().zip(&shape.contains).zip(counts) {
            *counted += u64::from(*counts);
            match one.max {
                Some(max) if *counted > max => return None,
                Some(_) => {}
                None => *counted = (*counted).min(one.min),
            }
        }
        Some(Self { items, counted })
    }
}

/// How many items there must be, beyond what follows from those that are counted.
fn least_items(shape: &ArrayShape) -> u64 {
    let counted = shape.contains.iter().map(|one| match one.min {
        0 => 0,
        min => one.from.saturating_add(min),
    });
    if counted.max().is_some_and(|counted| counted >= shape.min) { 0 } else { shape.min }
}

/// What an item may be, and which `contains` it is one of.
pub(super) struct Variant {
    counted: Vec<bool>,
    pub(super) item: TermId,
}

/// What the item at an index may be, by which `contains` it counts for. For those that only set a
/// least number, one that could count need not.
pub(super) fn variants(shape: &ArrayShape, index: u64, terms: &mut Terms) -> Vec<Variant> {
    let item = shape.item(usize::try_from(index).unwrap_or(usize::MAX));
    let mut variants = vec![Variant { counted: Vec::new(), item }];
    for contains in &shape.contains {
        let mut more = Vec::with_capacity(2 * variants.len());
        for Variant { counted, item } in variants {
            let mut add = |counts: bool, item: TermId| {
                let mut counted = counted.clone();
                counted.push(counts);
                more.push(Variant { counted, item });
            };
            if index < contains.from {
                add(false, item);
                continue;
            }
            add(true, terms.all(&[item, contains.term]));
            let other = match contains.max {
                Some(_) => terms.not(contains.term),
                None => TermId::ANY,
            };
            add(false, terms.all(&[item, other]));
        }
        variants = more;
    }
    variants.retain(|variant| variant.item != TermId::NOTHING);
    variants
}
