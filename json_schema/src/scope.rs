//! Dynamic scopes (2020-12 core, section 7.1): the schema resources that were entered on the way
//! to a place.
//!
//! Of the way only one thing ever matters: for each dynamic anchor that a reference asks for, the
//! first resource that has it. So a scope is a set of such pairs, and there are finitely many: a
//! recursive schema comes to an end. An anchor that only one resource has is in the same place
//! whatever the way was, and is left out.

use std::collections::{BTreeMap, HashMap};

use crate::bundle::{Bundle, ResourceId};

/// An interned scope; equal scopes have equal ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ScopeId(u32);

impl ScopeId {
    /// Nothing was entered that matters.
    pub(crate) const EMPTY: Self = Self(0);

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A name of dynamic anchors.
type NameId = u32;

/// The first resource with each name, sorted by name.
type Scope = Vec<(NameId, ResourceId)>;

/// The table of scopes.
#[derive(Debug)]
pub(crate) struct Scopes {
    names: BTreeMap<String, NameId>,
    /// The names that each resource has, sorted.
    of_resource: Vec<Vec<NameId>>,
    table: Vec<Scope>,
    ids: HashMap<Scope, ScopeId>,
    entered: HashMap<(ScopeId, ResourceId), ScopeId>,
}

impl Scopes {
    pub(crate) fn new(bundle: &Bundle<'_>) -> Self {
        let mut holders: BTreeMap<&str, usize> = BTreeMap::new();
        for resource in &bundle.resources {
            for &name in resource.dynamic_anchors.keys() {
                *holders.entry(name).or_default() += 1;
            }
        }
        let names: BTreeMap<String, NameId> = holders
            .into_iter()
            .filter(|&(name, count)| count > 1 && bundle.dynamic_fragments.contains(name))
            .zip(0..)
            .map(|((name, _), id)| (name.to_owned(), id))
            .collect();
        let of_resource = bundle.resources.iter().map(|resource| {
            resource.dynamic_anchors.keys().filter_map(|&name| names.get(name).copied()).collect()
        });
        Self {
            of_resource: of_resource.collect(),
            names,
            table: vec![Vec::new()],
            ids: HashMap::from([(Vec::new(), ScopeId::EMPTY)]),
            entered: HashMap::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    /// The scope inside a resource that is entered in the scope `from`.
    pub(crate) fn enter(&mut self, from: ScopeId, resource: ResourceId) -> ScopeId {
        if self.of_resource[resource.index()].is_empty() {
            return from;
        }
        if let Some(&known) = self.entered.get(&(from, resource)) {
            return known;
        }
        let mut scope = self.table[from.index()].clone();
        for &name in &self.of_resource[resource.index()] {
            if let Err(at) = scope.binary_search_by_key(&name, |&(known, _)| known) {
                scope.insert(at, (name, resource));
            }
        }
        let next = ScopeId(self.table.len() as u32);
        let id = *self.ids.entry(scope.clone()).or_insert(next);
        if id == next {
            self.table.push(scope);
        }
        self.entered.insert((from, resource), id);
        id
    }

    /// The first resource of a scope that has a dynamic anchor of this name.
    pub(crate) fn first_with(&self, scope: ScopeId, name: &str) -> Option<ResourceId> {
        let name = self.names.get(name)?;
        let scope = &self.table[scope.index()];
        let at = scope.binary_search_by_key(name, |&(known, _)| known).ok()?;
        Some(scope[at].1)
    }
}
