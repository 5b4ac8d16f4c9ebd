//! What a grammar has to say: the normal forms of all terms that can be reached.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::array::{MOST_CONTAINS, variants};
use super::multiples::has_numbers;
use crate::error::SchemaError;
use crate::normal::{Normal, TermId, Terms};
use crate::normalise::Normaliser;
use crate::options::{Notation, Options};
use crate::resolve::SchemaId;
use crate::syntax::Syntax;
use crate::table::Table;

/// The normal forms of all terms that can be reached from the whole schema.
pub(crate) struct Reachable {
    /// The whole schema.
    pub(super) root: TermId,
    /// In order of discovery.
    pub(super) normals: Vec<(TermId, Rc<Normal>)>,
    pub(super) targets: Targets,
    /// The numbers of the refusals that they need.
    pub(crate) refused: BTreeSet<usize>,
}

/// The terms that only refer to another one: they have no rules of their own.
#[derive(Default)]
pub(super) struct Targets(Table<TermId, TermId>);

impl Targets {
    /// What a term refers to in the end: itself, if it says anything more.
    pub(super) fn of(&self, mut term: TermId) -> TermId {
        // None leads back to itself: it would have no normal form.
        while let Some(&target) = self.0.get(term) {
            term = target;
        }
        term
    }
}

impl Reachable {
    /// Finds them.
    pub(crate) fn find(
        normaliser: &mut Normaliser<'_, '_>,
        syntax: Option<&Syntax>,
    ) -> Result<Self, SchemaError> {
        let root = normaliser.reader.terms.schema(SchemaId::ROOT);
        let mut found = Vec::new();
        let mut targets = Targets::default();
        let mut seen = Table::with_capacity(normaliser.reader.terms.len());
        seen.insert(root, ());
        let mut pending = vec![root];
        while let Some(term) = pending.pop() {
            let normal = normaliser.normal(term)?;
            if let Some(target) = normaliser.target(term)? {
                targets.0.insert(term, target);
                pending.extend(seen.insert(target, ()).is_none().then_some(target));
                continue;
            }
            let normal = if normal.objects.iter().any(|shape| !shape.witnesses.is_empty()) {
                Rc::new(normaliser.with_settled_witnesses(term, &normal)?)
            } else {
                normal
            };
            let normal = with_comparable_items(normaliser, term, normal, syntax);
            let mut next = Vec::new();
            for shape in &normal.objects {
                next.extend(shape.properties.iter().map(|(_, &value)| value));
                next.extend(shape.others.iter().map(|region| region.value));
                next.extend(shape.witnesses.iter().map(|witness| witness.value));
            }
            for shape in &normal.arrays {
                // An item may be of any set of them.
                if shape.contains.len() > MOST_CONTAINS {
                    let name = "`contains` for one array";
                    return Err(normaliser.limit(term, &["contains"], name, MOST_CONTAINS));
                }
                next.extend(shape.prefix.iter().copied().chain([shape.items]));
                let from = shape.contains.iter().map(|contains| contains.from).max().unwrap_or(0);
                for index in 0..=from.max(shape.prefix.len() as u64) {
                    let variants = variants(shape, index, &mut normaliser.reader.terms);
                    next.extend(variants.into_iter().map(|variant| variant.item));
                }
            }
            // The last in is the first out: depth first, in the order of the schema.
            pending
                .extend(next.into_iter().rev().filter(|&child| seen.insert(child, ()).is_none()));
            normaliser.place_large_patterns(term);
            found.push((term, normal));
        }
        let refused = found.iter().flat_map(|(_, normal)| normal.refused.iter().copied()).collect();
        Ok(Self { root: targets.of(root), normals: found, targets, refused })
    }

    /// Which terms have a value that can be written: the least fixed point.
    pub(super) fn possible(&self, terms: &mut Terms, options: &Options) -> Table<TermId, ()> {
        let mut possible = Table::with_capacity(terms.len());
        loop {
            let mut has_more = false;
            for (term, normal) in self.normals.iter().rev() {
                if possible.contains(*term) {
                    continue;
                }
                let is_nothing = |child: TermId| !possible.contains(self.targets.of(child));
                let has_value = normal.null
                    || normal.booleans != [false; 2]
                    || normal.numbers.iter().any(|set| has_numbers(set, options))
                    || normal.strings.iter().any(|set| set.is_written(terms))
                    || normal.arrays.iter().any(|shape| shape.clone().pruned(is_nothing).is_some())
                    || normal.objects.iter().any(|shape| shape.bounds(terms, is_nothing).is_some());
                if has_value {
                    possible.insert(*term, ());
                    has_more = true;
                }
            }
            if !has_more {
                return possible;
            }
        }
    }
}

/// The same without `uniqueItems` where it cannot be enforced.
fn with_comparable_items(
    normaliser: &mut Normaliser<'_, '_>,
    term: TermId,
    normal: Rc<Normal>,
    syntax: Option<&Syntax>,
) -> Rc<Normal> {
    let is_plain = normaliser.reader.options.notation == Notation::Plain;
    let mut unique = normal.arrays.iter().filter(|shape| shape.unique);
    let reason = unique.find_map(|shape| match shape {
        _ if matches!(syntax, Some(Syntax::Dict(_))) => Some("items are compared as JSON"),
        _ if is_plain => Some("plain GBNF cannot compare items; the extended notation can"),
        shape if shape.contains.is_empty() => None,
        _ => Some("not beside items that `contains` counts"),
    });
    let Some(reason) = reason else { return normal };
    let mut normal = (*normal).clone();
    for shape in &mut normal.arrays {
        shape.unique = false;
    }
    let place = normaliser.schema_of(term);
    Rc::new(normaliser.drop_keyword(normal, place, "uniqueItems", reason))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::options::Options;
    use crate::translate::translate;

    #[test]
    fn what_only_refers_has_no_rules() {
        let schema = json!({
            "$ref": "#/$defs/a",
            "$defs": {
                "a": {"properties": {
                    "direct": {"$ref": "#/$defs/b"},
                    "around": {"$ref": "#/$defs/c"},
                    "again": {"$ref": "#"},
                    "further": {"$ref": "#/$defs/b", "maxLength": 5},
                }},
                "b": {"type": "string", "minLength": 1},
                "c": {"$ref": "#/$defs/b", "description": "as b"},
            },
        });
        let grammar = translate(&schema, &Options::default()).unwrap().grammar;
        let names: Vec<_> = grammar.rules.iter().map(|rule| rule.name.as_str()).collect();
        assert_eq!(names[..3], ["root", "b", "a-further"]);
        assert!(!names.iter().any(|name| ["a", "c", "a-direct", "a-around"].contains(name)));
    }
}
