//! The documents of a translation: their schema resources and subschemas, and what names them.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use rustc_hash::{FxBuildHasher, FxHashMap};
use serde_json::Value;
use smallvec::SmallVec;

use crate::dialect::Dialect;
use crate::keyword::Step;
use crate::pointer::{add_token, step, tokens};
use crate::uri::{ResourceUri, percent_decoded, split_fragment};

/// A schema resource: a document, or a subschema with an identifier (2020-12 core, section 4.3.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ResourceId(u32);

/// A place in a document that is a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SubschemaId(u32);

impl ResourceId {
    /// That of the schema itself.
    pub(crate) const FIRST: Self = Self(0);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl SubschemaId {
    /// The schema itself.
    pub(crate) const FIRST: Self = Self(0);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// So many bytes most steps of a pointer take.
const ROOM: usize = 32;

/// Room for so many subschemas is made at once: most schemas have fewer.
const SUBSCHEMAS: usize = 56;

/// The documents of a translation.
#[derive(Debug)]
pub(crate) struct Bundle<'s> {
    pub(crate) resources: Vec<Resource<'s>>,
    pub(crate) subschemas: Vec<Subschema<'s>>,
    by_uri: HashMap<ResourceUri, Named<ResourceId>>,
    /// By the address of the value: each value of a document stands in one place.
    by_address: FxHashMap<usize, SubschemaId>,
    /// The fragments of `$dynamicRef`; the empty one is that of `$recursiveRef`.
    pub(crate) dynamic_fragments: HashSet<String>,
    /// Whether there is an `unevaluatedProperties` or `unevaluatedItems`.
    pub(crate) has_unevaluated: bool,
    /// What a reader of the report has to know.
    pub(crate) notes: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct Resource<'s> {
    /// The base of the references in it.
    pub(crate) uri: ResourceUri,
    pub(crate) root: SubschemaId,
    pub(crate) dialect: Dialect,
    pub(crate) anchors: HashMap<&'s str, Named<SubschemaId>>,
    /// The names of `$dynamicAnchor`; the empty one is `$recursiveAnchor`.
    pub(crate) dynamic_anchors: BTreeMap<&'s str, SubschemaId>,
}

/// What has a name. Two that differ must not have the same (2020-12 core, section 9.1.2), which is
/// of no importance unless somebody calls it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named<T> {
    pub(crate) id: T,
    pub(crate) ambiguous: bool,
}

#[derive(Debug)]
pub(crate) struct Subschema<'s> {
    pub(crate) value: &'s Value,
    pub(crate) resource: ResourceId,
    pub(crate) place: Place<'s>,
}

/// Where a subschema stands.
#[derive(Debug)]
pub(crate) enum Place<'s> {
    /// It is a document; what its places are written with.
    Document(String),
    /// One step below another.
    Below(SubschemaId, Step<'s>),
    /// Where a pointer that starts at another leads.
    Pointer(SubschemaId, String),
}

/// Where a reference leads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'s> {
    pub(crate) value: &'s Value,
    /// The resource that the value is part of.
    pub(crate) resource: ResourceId,
}

/// Why a reference leads nowhere.
#[derive(Debug)]
pub(crate) enum Missing {
    /// It is no URI reference.
    Uri,
    /// There is no such document.
    Document(ResourceUri),
    /// The document has no such place.
    Place,
    /// There are several.
    Ambiguous,
}

impl<'s> Bundle<'s> {
    /// No documents yet.
    pub(crate) fn new() -> Self {
        Self {
            resources: Vec::new(),
            subschemas: Vec::with_capacity(SUBSCHEMAS),
            by_uri: HashMap::new(),
            by_address: FxHashMap::with_capacity_and_hasher(SUBSCHEMAS, FxBuildHasher),
            dynamic_fragments: HashSet::new(),
            has_unevaluated: false,
            notes: Vec::new(),
        }
    }

    pub(crate) fn resource(&self, id: ResourceId) -> &Resource<'s> {
        &self.resources[id.index()]
    }

    pub(crate) fn subschema(&self, id: SubschemaId) -> &Subschema<'s> {
        &self.subschemas[id.index()]
    }

    /// The subschema that a value is, if it is one.
    pub(crate) fn at(&self, value: &Value) -> Option<SubschemaId> {
        self.by_address.get(&address(value)).copied()
    }

    pub(crate) fn add(&mut self, subschema: Subschema<'s>) -> SubschemaId {
        let id = SubschemaId(self.subschemas.len() as u32);
        self.by_address.insert(address(subschema.value), id);
        self.subschemas.push(subschema);
        id
    }

    pub(crate) fn add_resource(&mut self, resource: Resource<'s>) -> ResourceId {
        let id = ResourceId(self.resources.len() as u32);
        self.resources.push(resource);
        id
    }

    /// Gives a resource a URI. Of two different ones that are known to be schemas neither has it.
    pub(crate) fn name_resource(&mut self, uri: ResourceUri, id: ResourceId, is_known: bool) {
        let value = |id: ResourceId| self.subschema(self.resource(id).root).value;
        let clashes = |named: &Named<ResourceId>| is_known && value(named.id) != value(id);
        let ambiguous = self.by_uri.get(&uri).is_some_and(clashes);
        self.by_uri.entry(uri).or_insert(Named { id, ambiguous }).ambiguous |= ambiguous;
    }

    /// Gives a subschema a name in its resource, in the same way.
    pub(crate) fn name_anchor(
        &mut self,
        resource: ResourceId,
        name: &'s str,
        id: SubschemaId,
        is_known: bool,
    ) {
        let value = |id: SubschemaId| self.subschema(id).value;
        let clashes = |named: &Named<SubschemaId>| is_known && value(named.id) != value(id);
        let ambiguous = self.resource(resource).anchors.get(name).is_some_and(clashes);
        let anchors = &mut self.resources[resource.index()].anchors;
        anchors.entry(name).or_insert(Named { id, ambiguous }).ambiguous |= ambiguous;
    }

    /// The JSON Pointer of a subschema; outside the schema itself behind the URI of the document
    /// and `#`.
    pub(crate) fn pointer(&self, id: SubschemaId) -> String {
        self.pointer_below(id, None)
    }

    /// The same, where the pointer of another subschema is known, which may be the one around.
    pub(crate) fn pointer_below(
        &self,
        mut id: SubschemaId,
        known: Option<(SubschemaId, &str)>,
    ) -> String {
        let mut steps: SmallVec<[_; 1]> = SmallVec::new();
        let mut pointer = loop {
            if let Some((known, pointer)) = known
                && known == id
            {
                let mut whole = String::with_capacity(pointer.len() + ROOM);
                whole.push_str(pointer);
                break whole;
            }
            let place = &self.subschema(id).place;
            match place {
                Place::Document(prefix) => break prefix.clone(),
                Place::Below(parent, _) | Place::Pointer(parent, _) => id = *parent,
            }
            steps.push(place);
        };
        for place in steps.into_iter().rev() {
            match place {
                Place::Document(_) => {}
                Place::Below(_, Step::Keyword(keyword)) => add_token(&mut pointer, keyword),
                Place::Below(_, Step::Member(keyword, key)) => {
                    add_token(&mut pointer, keyword);
                    add_token(&mut pointer, key);
                }
                Place::Below(_, Step::Item(keyword, index)) => {
                    add_token(&mut pointer, keyword);
                    add_token(&mut pointer, &index.to_string());
                }
                Place::Pointer(_, rest) => pointer.push_str(rest),
            }
        }
        pointer
    }

    /// The resource that a reference in `from` names.
    pub(crate) fn find(
        &self,
        from: ResourceId,
        reference: &str,
    ) -> Result<Named<ResourceId>, Missing> {
        let (uri, _) = split_fragment(reference);
        if uri.is_empty() {
            return Ok(Named { id: from, ambiguous: false });
        }
        let uri = self.resource(from).uri.join(uri).ok_or(Missing::Uri)?;
        self.by_uri.get(&uri).copied().ok_or(Missing::Document(uri))
    }

    /// Where a reference in the resource `from` leads.
    pub(crate) fn locate(&self, from: ResourceId, reference: &str) -> Result<Target<'s>, Missing> {
        let Named { id, ambiguous } = self.find(from, reference)?;
        if ambiguous {
            return Err(Missing::Ambiguous);
        }
        let fragment = percent_decoded(split_fragment(reference).1).ok_or(Missing::Place)?;
        if let Some(tokens) = tokens(&fragment) {
            return self.descend(id, tokens).ok_or(Missing::Place);
        }
        let named = self.resource(id).anchors.get(fragment.as_str()).ok_or(Missing::Place)?;
        if named.ambiguous {
            return Err(Missing::Ambiguous);
        }
        Ok(self.target(named.id))
    }

    pub(crate) fn target(&self, id: SubschemaId) -> Target<'s> {
        let Subschema { value, resource, .. } = *self.subschema(id);
        Target { value, resource }
    }

    fn descend<'a>(
        &self,
        from: ResourceId,
        tokens: impl Iterator<Item = Cow<'a, str>>,
    ) -> Option<Target<'s>> {
        let mut target = self.target(self.resource(from).root);
        for token in tokens {
            target.value = step(target.value, &token)?;
            if let Some(id) = self.at(target.value) {
                target.resource = self.subschema(id).resource;
            }
        }
        Some(target)
    }
}

fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}
