//! The places of a translation, and where a reference leads from each.

use rustc_hash::{FxBuildHasher, FxHashMap};
use serde_json::Value;

use crate::bundle::{Bundle, Missing, SubschemaId, Target};
use crate::dialect::Dialect;
use crate::error::{SchemaError, SchemaErrorKind};
use crate::pointer::joined;
use crate::scope::{ScopeId, Scopes};
use crate::table::Id;
use crate::uri::{self, percent_decoded, split_fragment};

/// A subschema in a dynamic scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SchemaId(u32);

impl SchemaId {
    pub(crate) const ROOT: Self = Self(0);
}

impl Id for SchemaId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The schema with all that it refers to, and the places in it that were met so far.
#[derive(Debug)]
pub(crate) struct Document<'s> {
    bundle: Bundle<'s>,
    scopes: Scopes,
    places: Vec<Place>,
    ids: FxHashMap<(SubschemaId, ScopeId), SchemaId>,
}

#[derive(Debug)]
struct Place {
    subschema: SubschemaId,
    scope: ScopeId,
    pointer: String,
}

impl<'s> Document<'s> {
    pub(crate) fn new(bundle: Bundle<'s>) -> Self {
        let scopes = Scopes::new(&bundle);
        // Most subschemas are in one place.
        let most = bundle.subschemas.len();
        let mut document = Self {
            bundle,
            scopes,
            places: Vec::with_capacity(most),
            ids: FxHashMap::with_capacity_and_hasher(most, FxBuildHasher),
        };
        document.place(SubschemaId::FIRST, ScopeId::EMPTY, None);
        document
    }

    /// What a reader of the report has to know about the documents.
    pub(crate) fn notes(&self) -> &[String] {
        &self.bundle.notes
    }

    /// Whether anything is said of what other keywords leave unevaluated.
    pub(crate) fn has_unevaluated(&self) -> bool {
        self.bundle.has_unevaluated
    }

    /// How many subschemas there are.
    pub(crate) fn subschemas(&self) -> usize {
        self.bundle.subschemas.len()
    }

    /// Whether a subschema may be in more than one place.
    pub(crate) fn has_scopes(&self) -> bool {
        self.scopes.len() > 1
    }

    pub(crate) fn dialect(&self, id: SchemaId) -> Dialect {
        let subschema = self.bundle.subschema(self.places[id.index()].subschema);
        self.bundle.resource(subschema.resource).dialect
    }

    pub(crate) fn value(&self, id: SchemaId) -> &'s Value {
        self.bundle.subschema(self.places[id.index()].subschema).value
    }

    /// The JSON Pointer of a subschema; outside the schema itself behind the URI of the document
    /// and `#`.
    pub(crate) fn pointer(&self, id: SchemaId) -> &str {
        &self.places[id.index()].pointer
    }

    /// The JSON Pointer of a keyword of a subschema.
    pub(crate) fn keyword_pointer(&self, id: SchemaId, keyword: &str) -> String {
        joined(self.pointer(id), keyword)
    }

    /// The subschema that is `value`, reached from `parent`; `None` if it is no subschema.
    pub(crate) fn child(&mut self, parent: SchemaId, value: &Value) -> Option<SchemaId> {
        let subschema = self.bundle.at(value)?;
        Some(self.place(subschema, self.places[parent.index()].scope, Some(parent)))
    }

    /// The place of a subschema that is entered in the scope `from`; perhaps from the subschema
    /// around it.
    fn place(
        &mut self,
        subschema: SubschemaId,
        from: ScopeId,
        parent: Option<SchemaId>,
    ) -> SchemaId {
        let scope = self.scopes.enter(from, self.bundle.subschema(subschema).resource);
        let next = SchemaId(self.places.len() as u32);
        let id = *self.ids.entry((subschema, scope)).or_insert(next);
        if id == next {
            let known = parent.map(|parent| {
                let Place { subschema, pointer, .. } = &self.places[parent.index()];
                (*subschema, pointer.as_str())
            });
            let pointer = self.bundle.pointer_below(subschema, known);
            self.places.push(Place { subschema, scope, pointer });
        }
        id
    }

    /// Where the reference leads that is the value of `keyword` in the subschema `from`.
    pub(crate) fn resolve(
        &mut self,
        from: SchemaId,
        keyword: &str,
        reference: &str,
    ) -> Result<SchemaId, SchemaError> {
        let Place { subschema, scope, .. } = self.places[from.index()];
        let resource = self.bundle.subschema(subschema).resource;
        let target = self.bundle.locate(resource, reference).map_err(|missing| {
            let reference = reference.to_owned();
            let kind = match missing {
                Missing::Uri => SchemaErrorKind::Invalid { expected: uri::EXPECTED.to_owned() },
                Missing::Document(uri) => {
                    let document = Some(uri.to_string());
                    SchemaErrorKind::UnresolvedReference { reference, document }
                }
                Missing::Place => {
                    SchemaErrorKind::UnresolvedReference { reference, document: None }
                }
                Missing::Ambiguous => SchemaErrorKind::AmbiguousReference { reference },
            };
            SchemaError::new(kind, self.keyword_pointer(from, keyword))
        })?;
        let target = self.redirected(target, scope, keyword, reference);
        let Some(subschema) = self.bundle.at(target.value) else {
            // It is neither an object nor a boolean.
            let pointer = self.keyword_pointer(from, keyword);
            return Err(SchemaError::invalid(pointer, "a reference to a schema"));
        };
        Ok(self.place(subschema, scope, None))
    }

    /// Where a dynamic reference leads whose first target is this (2020-12 core, section 8.2.3.2;
    /// 2019-09 core, section 8.2.4.2.2): if that is a dynamic anchor, to the first resource of the
    /// scope that has one of the same name.
    fn redirected(
        &self,
        target: Target<'s>,
        scope: ScopeId,
        keyword: &str,
        reference: &str,
    ) -> Target<'s> {
        let name = percent_decoded(split_fragment(reference).1).unwrap_or_default();
        let is_dynamic = match keyword {
            "$dynamicRef" => !name.is_empty(),
            "$recursiveRef" => name.is_empty(),
            _ => false,
        };
        let anchor = |resource| self.bundle.resource(resource).dynamic_anchors.get(name.as_str());
        if !is_dynamic || anchor(target.resource).is_none() {
            return target;
        }
        match self.scopes.first_with(scope, &name).and_then(anchor) {
            Some(&subschema) => self.bundle.target(subschema),
            None => target,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::load::{Retrieved, load};
    use crate::options::Options;
    use crate::resources::Resources;

    fn document<'s>(
        root: &'s Value,
        resources: &'s Resources<'_>,
        retrieved: &'s Retrieved,
    ) -> Document<'s> {
        Document::new(load(root, &Options::default(), resources, retrieved).unwrap())
    }

    #[test]
    fn follows_pointers() {
        let root = json!({
            "$id": "http://example.com/root",
            "$defs": {"a/b": {"x": {"~": [true, false]}}, "ü": {}},
            "properties": {"in": {"$id": "other", "$defs": {"x": {}}, "items": {"$ref": "#/$defs/x"}}},
            "allOf": [
                {"$ref": "#"},
                {"$ref": ""},
                {"$ref": "http://example.com/root#/$defs/ü"},
                {"$ref": "#/$defs/a~1b/x/~0/1"},
                {"$ref": "#/%24defs/%C3%BC"},
                {"$ref": "/other#/$defs/x"},
            ],
        });
        let (resources, retrieved) = (Resources::new(), Retrieved::new());
        let mut document = document(&root, &resources, &retrieved);
        let pointers =
            ["", "", "/$defs/ü", "/$defs/a~1b/x/~0/1", "/$defs/ü", "/properties/in/$defs/x"];
        for (branch, pointer) in root["allOf"].as_array().unwrap().iter().zip(pointers) {
            let reference = branch["$ref"].as_str().unwrap();
            let id = document.resolve(SchemaId::ROOT, "$ref", reference).unwrap();
            assert_eq!(document.pointer(id), pointer);
        }
        for reference in ["#/none", "#anchor", "else.json", "#/$defs/a~1b/x/~0/01", "#/%2"] {
            assert!(document.resolve(SchemaId::ROOT, "$ref", reference).is_err(), "{reference}");
        }
        let inner = document.child(SchemaId::ROOT, &root["properties"]["in"]["items"]).unwrap();
        let id = document.resolve(inner, "$ref", "#/$defs/x").unwrap();
        assert_eq!(document.pointer(id), "/properties/in/$defs/x");
    }
}
