//! One walk over the documents that a schema needs: finds their subschemas, their identifiers and
//! the documents that they refer to, and checks what the metaschemas check.
//!
//! The walk goes wherever the dialect of a resource has a schema, so that what is inside `enum`,
//! `const` or an unknown keyword is none, unless a reference leads there. It takes time linear in
//! the documents and recurses nowhere.

use std::collections::{BTreeMap, HashMap, VecDeque};

use serde_json::{Map, Value};

use crate::bundle::{Bundle, Missing, Place, Resource, ResourceId, Subschema, SubschemaId};
use crate::dialect::{Dialect, known_draft};
use crate::error::{SchemaError, SchemaErrorKind};
use crate::member::member;
use crate::metaschemas::bundled;
use crate::options::{Draft, Limits, Options};
use crate::pointer::joined;
use crate::resources::Resources;
use crate::uri::{self, ResourceUri, percent_decoded, split_fragment};

/// Where the documents live that are retrieved on the way.
pub(crate) type Retrieved = boxcar::Vec<Value>;

/// The schema and all documents that can be reached from it.
pub(crate) fn load<'s>(
    schema: &'s Value,
    options: &Options,
    resources: &'s Resources<'_>,
    retrieved: &'s Retrieved,
) -> Result<Bundle<'s>, SchemaError> {
    let mut loader = Loader {
        bundle: Bundle::new(),
        limits: options.limits,
        resources,
        retrieved,
        documents: HashMap::new(),
        metaschemas: HashMap::new(),
        references: VecDeque::new(),
        waiting: HashMap::new(),
    };
    loader.document(ResourceUri::default_base(), schema, Dialect::of(options.draft))?;
    while let Some(reference) = loader.references.pop_front() {
        loader.follow(reference)?;
    }
    Ok(loader.bundle)
}

struct Loader<'s, 'r> {
    bundle: Bundle<'s>,
    limits: Limits,
    resources: &'s Resources<'r>,
    retrieved: &'s Retrieved,
    /// The documents that were asked for.
    documents: HashMap<ResourceUri, Option<&'s Value>>,
    /// The dialects of metaschemas that are none of the drafts'.
    metaschemas: HashMap<ResourceUri, Result<Option<Dialect>, String>>,
    /// References that are not yet followed.
    references: VecDeque<Reference<'s>>,
    /// References to documents that are not known: one that comes later may bring them with it.
    waiting: HashMap<ResourceUri, Vec<Reference<'s>>>,
}

#[derive(Clone, Copy)]
struct Reference<'s> {
    from: ResourceId,
    text: &'s str,
}

/// What a value is in that is to be looked at as a schema.
enum Around {
    /// A resource.
    Resource(ResourceId),
    /// Nothing: it is a document, asked for by this URI, and this is its dialect if it names none.
    Nothing(ResourceUri, Dialect),
}

impl<'s> Loader<'s, '_> {
    /// Adds a document under the URI that it was asked for by.
    fn document(
        &mut self,
        uri: ResourceUri,
        value: &'s Value,
        inherited: Dialect,
    ) -> Result<(), SchemaError> {
        let is_schema_itself = self.bundle.resources.is_empty();
        let prefix = if is_schema_itself { String::new() } else { format!("{uri}#") };
        check_size(value, &self.limits, &prefix)?;
        self.walk(value, Place::Document(prefix), Around::Nothing(uri, inherited))
    }

    /// Looks at a value as a schema, and at the schemas in it.
    fn walk(
        &mut self,
        value: &'s Value,
        place: Place<'s>,
        around: Around,
    ) -> Result<(), SchemaError> {
        // Where a pointer leads out of what is known to be a schema, real names come first.
        let is_known = !matches!(place, Place::Pointer(..));
        let mut pending = vec![(value, place, around)];
        while let Some((value, place, around)) = pending.pop() {
            if self.bundle.at(value).is_some() {
                continue;
            }
            let limit = self.limits.subschemas;
            // The resource is put right as soon as it is known.
            let id = self.bundle.add(Subschema { value, resource: ResourceId::FIRST, place });
            if id.index() >= limit {
                return Err(SchemaError::limit(self.bundle.pointer(id), "subschemas", limit));
            }
            let nothing = Map::new();
            let map = value.as_object().unwrap_or(&nothing);
            let resource = self.resource(id, map, around, is_known)?;
            self.bundle.subschemas[id.index()].resource = resource;
            let dialect = self.bundle.resource(resource).dialect;
            match value {
                Value::Object(map) => {
                    self.name_anchors(id, map, resource, is_known);
                    let first = pending.len();
                    for (name, value) in map {
                        let Some(keyword) = dialect.keyword(name) else { continue };
                        self.bundle.has_unevaluated |= name.starts_with("unevaluated");
                        let add = |step, value| {
                            let place = Place::Below(id, step);
                            pending.push((value, place, Around::Resource(resource)));
                        };
                        keyword.form.read(name, value, add).map_err(|mismatch| {
                            let pointer = joined(&self.bundle.pointer(id), name);
                            let place =
                                mismatch.path.iter().fold(pointer, |at, it| joined(&at, it));
                            SchemaError::invalid(place, mismatch.expected)
                        })?;
                    }
                    // The last in is the first out: depth first, in the order of the schema.
                    pending[first..].reverse();
                    self.check_together(id, map, dialect)?;
                    self.note_references(map, resource);
                }
                Value::Bool(_) if dialect.draft >= Draft::Draft6 => {}
                _ => return Err(SchemaError::invalid(self.bundle.pointer(id), "a schema")),
            }
        }
        Ok(())
    }

    /// The resource that a subschema is part of, or the root of.
    fn resource(
        &mut self,
        id: SubschemaId,
        map: &Map<String, Value>,
        around: Around,
        is_known: bool,
    ) -> Result<ResourceId, SchemaError> {
        let (base, dialect, part_of) = match around {
            Around::Nothing(uri, inherited) => (uri, self.dialect(id, map, inherited)?, None),
            Around::Resource(outer) => {
                if member(map, "$id").is_none() && member(map, "id").is_none() {
                    return Ok(outer);
                }
                // It may name a dialect, in which it has its identifier.
                let inherited = self.bundle.resource(outer).dialect;
                let dialect = self.dialect(id, map, inherited)?;
                (self.bundle.resource(outer).uri.clone(), dialect, Some(outer))
            }
        };
        let identifier = dialect.identifier(map).map(|text| split_fragment(text).0);
        let own = match identifier.filter(|uri| !uri.is_empty()) {
            None => None,
            Some(text) => Some(base.join(text).ok_or_else(|| {
                let keyword = dialect.identifier_keyword();
                SchemaError::invalid(joined(&self.bundle.pointer(id), keyword), uri::EXPECTED)
            })?),
        };
        if let (None, Some(outer)) = (&own, part_of) {
            return Ok(outer);
        }
        let resource = self.bundle.add_resource(Resource {
            uri: own.clone().unwrap_or(base.clone()),
            root: id,
            dialect,
            anchors: HashMap::new(),
            dynamic_anchors: BTreeMap::new(),
        });
        let asked_for = part_of.is_none().then_some(base);
        for uri in asked_for.into_iter().chain(own) {
            self.references.extend(self.waiting.remove(&uri).into_iter().flatten());
            self.bundle.name_resource(uri, resource, is_known);
        }
        Ok(resource)
    }

    /// What the keywords of a schema mean.
    fn dialect(
        &mut self,
        id: SubschemaId,
        map: &Map<String, Value>,
        inherited: Dialect,
    ) -> Result<Dialect, SchemaError> {
        let Some(Value::String(metaschema)) = member(map, "$schema") else { return Ok(inherited) };
        if let Some(draft) = known_draft(metaschema) {
            return Ok(Dialect::of(draft));
        }
        let pointer = joined(&self.bundle.pointer(id), "$schema");
        let uri = ResourceUri::default_base().join(split_fragment(metaschema).0);
        let uri = uri.ok_or_else(|| SchemaError::invalid(pointer.clone(), uri::EXPECTED))?;
        let is_new = !self.metaschemas.contains_key(&uri);
        let found = self.metaschema(uri, inherited.draft).map_err(|uri| {
            SchemaError::new(SchemaErrorKind::UnknownVocabulary { uri }, pointer.clone())
        })?;
        if found.is_none() && is_new {
            let draft = inherited.draft;
            self.bundle.notes.push(format!(
                "{pointer} names {metaschema:?}, which is not known: read in draft {draft}"
            ));
        }
        Ok(found.unwrap_or(inherited))
    }

    /// The dialect of a metaschema, if there is such a document; the error is a vocabulary that
    /// nobody knows.
    fn metaschema(&mut self, uri: ResourceUri, draft: Draft) -> Result<Option<Dialect>, String> {
        if let Some(known) = self.metaschemas.get(&uri) {
            return known.clone();
        }
        let dialect = match self.fetch(&uri) {
            None => Ok(None),
            Some(document) => {
                let draft = self.draft_of_metaschema(document).unwrap_or(draft);
                Dialect::of_metaschema(document, draft).map(Some)
            }
        };
        self.metaschemas.insert(uri, dialect.clone());
        dialect
    }

    /// The draft that a metaschema is written in. Its own metaschema may be another one that is
    /// given, but not without end.
    fn draft_of_metaschema(&mut self, mut document: &'s Value) -> Option<Draft> {
        for _ in 0..8 {
            let uri = document.get("$schema")?.as_str()?;
            if let Some(draft) = known_draft(uri) {
                return Some(draft);
            }
            document = self.fetch(&ResourceUri::default_base().join(split_fragment(uri).0)?)?;
        }
        None
    }

    /// The document with a URI: one that is given, one that is retrieved, or a metaschema.
    fn fetch(&mut self, uri: &ResourceUri) -> Option<&'s Value> {
        if let Some(known) = self.documents.get(uri) {
            return *known;
        }
        let retrieve = || {
            let document = self.resources.retrieve(uri)?;
            Some(&self.retrieved[self.retrieved.push(document)])
        };
        let document = self.resources.get(uri).or_else(retrieve).or_else(|| bundled(uri.as_str()));
        self.documents.insert(uri.clone(), document);
        document
    }

    fn name_anchors(
        &mut self,
        id: SubschemaId,
        map: &'s Map<String, Value>,
        resource: ResourceId,
        is_known: bool,
    ) {
        let text = |keyword: &str| member(map, keyword).and_then(Value::as_str);
        let dialect = self.bundle.resource(resource).dialect;
        let (plain, dynamic) = match dialect.draft {
            // Draft 7 core, section 8.2.3: an identifier that is a fragment, or has one. A
            // pointer is no name.
            Draft::Draft4 | Draft::Draft6 | Draft::Draft7 => {
                let fragment = dialect.identifier(map).map(|text| split_fragment(text).1);
                (fragment.filter(|it| !it.is_empty() && !it.starts_with('/')), None)
            }
            // 2019-09 core, section 8.2.4.2: only at the root of a resource.
            Draft::Draft201909 => {
                let is_root = self.bundle.resource(resource).root == id;
                let recursive = member(map, "$recursiveAnchor") == Some(&Value::Bool(true));
                (text("$anchor"), (is_root && recursive).then_some(""))
            }
            Draft::Draft202012 => (text("$anchor"), text("$dynamicAnchor")),
        };
        if let Some(name) = dynamic {
            self.bundle.resources[resource.index()].dynamic_anchors.entry(name).or_insert(id);
        }
        for name in plain.into_iter().chain(dynamic.filter(|name| !name.is_empty())) {
            self.bundle.name_anchor(resource, name, id, is_known);
        }
    }

    /// What the metaschema says of several keywords at once.
    fn check_together(
        &self,
        id: SubschemaId,
        map: &Map<String, Value>,
        dialect: Dialect,
    ) -> Result<(), SchemaError> {
        // Draft 4 validation, sections 5.1.2.1 and 5.1.3.1.
        for (flag, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
            if dialect.draft == Draft::Draft4 && map.contains_key(flag) && !map.contains_key(bound)
            {
                let pointer = joined(&self.bundle.pointer(id), flag);
                return Err(SchemaError::invalid(pointer, format!("`{bound}` beside it")));
            }
        }
        Ok(())
    }

    fn note_references(&mut self, map: &'s Map<String, Value>, from: ResourceId) {
        let draft = self.bundle.resource(from).dialect.draft;
        for (keyword, in_force) in [
            ("$ref", true),
            ("$recursiveRef", draft == Draft::Draft201909),
            ("$dynamicRef", draft == Draft::Draft202012),
        ] {
            if in_force && let Some(Value::String(text)) = member(map, keyword) {
                self.references.push_back(Reference { from, text });
                if keyword != "$ref"
                    && let Some(fragment) = percent_decoded(split_fragment(text).1)
                {
                    self.bundle.dynamic_fragments.insert(fragment);
                }
            }
        }
    }

    /// Brings the document that a reference leads into, and looks at the place as a schema even if
    /// no keyword says so (2020-12 core, section 9.4.2: what that means is undefined; that it is a
    /// schema is what its author wants).
    fn follow(&mut self, reference: Reference<'s>) -> Result<(), SchemaError> {
        let Reference { from, text } = reference;
        if let Err(Missing::Document(uri)) = self.bundle.find(from, text) {
            let Some(document) = self.fetch(&uri) else {
                self.waiting.entry(uri).or_default().push(reference);
                return Ok(());
            };
            let dialect = self.bundle.resource(from).dialect;
            self.document(uri, document, dialect)?;
        }
        // What is missing is an error where it is missed.
        let (Ok(named), Ok(target)) =
            (self.bundle.find(from, text), self.bundle.locate(from, text))
        else {
            return Ok(());
        };
        let is_schema = target.value.is_object() || target.value.is_boolean();
        if is_schema && self.bundle.at(target.value).is_none() {
            let root = self.bundle.resource(named.id).root;
            let pointer = percent_decoded(split_fragment(text).1).unwrap_or_default();
            let around = Around::Resource(target.resource);
            self.walk(target.value, Place::Pointer(root, pointer), around)?;
        }
        Ok(())
    }
}

/// The step from a JSON value to one in it.
#[derive(Clone, Copy)]
enum Token<'v> {
    Name(&'v str),
    Index(usize),
}

/// Whatever recurses over a JSON value further on recurses at most as deep as the limit says, and
/// what takes time for each string gets only so much of them.
fn check_size(root: &Value, limits: &Limits, prefix: &str) -> Result<(), SchemaError> {
    let mut path = Vec::new();
    let mut pending = vec![(root, 0_usize, None)];
    let (mut values, mut strings) = (0, 0);
    while let Some((value, depth, token)) = pending.pop() {
        values += 1;
        path.truncate(depth.saturating_sub(1));
        path.extend(token);
        let name = if let Some(Token::Name(name)) = token { name.len() } else { 0 };
        strings += name + value.as_str().map_or(0, str::len);
        for (what, size, limit) in [
            ("levels of nesting", depth, limits.depth),
            ("values", values, limits.values),
            ("bytes of strings", strings, limits.strings),
        ] {
            if size > limit {
                let pointer = path.iter().fold(prefix.to_owned(), |pointer, token| match *token {
                    Token::Name(name) => joined(&pointer, name),
                    Token::Index(index) => joined(&pointer, &index.to_string()),
                });
                return Err(SchemaError::limit(pointer, what, limit));
            }
        }
        match value {
            Value::Array(items) => pending.extend(
                items
                    .iter()
                    .enumerate()
                    .map(|(index, item)| (item, depth + 1, Some(Token::Index(index)))),
            ),
            Value::Object(map) => pending
                .extend(map.iter().map(|(name, item)| (item, depth + 1, Some(Token::Name(name))))),
            _ => {}
        }
    }
    Ok(())
}
